# SPDX-License-Identifier: Apache-2.0
"""Kernels that attack whoever traces them: tests/modules/hostile/hostile_trace.h and hostile_acts.h
say how. Each act is done in the call that is traced, by --prove, by explain and by
ab --gate-code."""
import re

from hostile_tool import ROOT, SHORT, environment, need, rows, run_case, timeout_of

TABLE = re.compile(r'\{"([\w-]+)",\s*\w+\}')
# Each is a call that is wrong, whoever looks.
WRONG = "before beyond input nan write-42".split()
# It changes what later calls do, so that the row, or both rows of the module, may fail.
PREPARED = "traced traced-by-child dumpable outlive leave-group fork-attaches".split()
BLAMES_SYSTEM = "the system forbids"
# The machine may be busy.
SLOW = "took too long"


def acts():
    """In the order of the tables."""
    return [name for header in ("hostile_acts", "hostile_trace")
            for name in TABLE.findall((ROOT / f"tests/modules/hostile/{header}.h").read_text())]


def plugin(context):
    return context.build / "tests/modules/hostile.so"


def run(context, how, statuses, *words):
    return run_case([context.program, *words, timeout_of(how), "--json=run.json"], statuses,
                    env=environment(HOSTILE=how))


def judge_proof(row, proof, wrong):
    """What is not known has a reason that is none of the system's."""
    absent = proof["absent"]
    need(absent is None or (absent and BLAMES_SYSTEM not in absent), f"absent: {absent!r}")
    if wrong:
        need(absent, "it is wrong, and proved")
        need(row["status"] in ("wrong", "failed") or SLOW in absent, f"{row['status']}: {absent}")


def prove(context, how):
    act = how.partition(":")[2]
    _, document = run(context, how, {0, 4}, "twice", f"--plugin={plugin(context)}",
                      "--baseline=none", *SHORT, "--sizes=1000", "--prove")
    need(document, "no JSON file")
    good, = rows(document, variant="good")
    bad, = rows(document, variant="bad")
    need(good["status"] in ("ok", "noisy"), f"good: {good['reason']}")
    need(SLOW in (good["proof"]["absent"] or SLOW), f"good: {good['proof']['absent']}")
    if bad["proof"]:
        judge_proof(bad, bad["proof"], act in WRONG)


def explain(context, how):
    """It ends, with an explanation or the reason for none."""
    act = how.partition(":")[2]
    started, document = run(context, how, {0, 4}, "explain", f"--plugin={plugin(context)}",
                            "hostile:twice/f32/scalar/bad@1000")
    text = started.out.decode()
    need(document and text, "nothing is explained")
    need(BLAMES_SYSTEM not in text, text[-500:])
    text = " ".join(text.split())
    need(act not in WRONG or "its traced call is wrong" in text or SLOW in text, text[-500:])


def gate(context, how):
    act = how.partition(":")[2]
    path = plugin(context)
    _, document = run(context, how, {0, 4}, "ab", path, path, "twice", "--sizes=1000",
                      "--processes=8", "--rounds=1", "--threshold=90%", "--gate-code")
    need(document, "no JSON file")
    for row in rows(document, variant="bad"):
        for proof in filter(None, (row["proof"], row["base_proof"])):
            if proof["absent"] or act not in WRONG:
                judge_proof(row, proof, act in WRONG)


def attacks(context):
    ways = {"prove": prove, "explain": explain, "ab": gate}
    for act in acts():
        for name, way in ways.items():
            yield f"{name}:{act}", lambda way=way, act=act: way(context, f"traced:{act}")
    for act in PREPARED:
        yield f"prepare:{act}", lambda act=act: prove(context, f"prepare:{act}")
