# SPDX-License-Identifier: Apache-2.0
"""A foreign worker that does not keep the protocol: baseline-hostile."""
import json

from hostile_tool import GEMM, ROOT, environment, need, rows, run_case, timeout_of

WORKER = ROOT / "tests/hostile/baseline-hostile"
GOOD, FAILED, SKIPPED, NOTHING = {"ok", "noisy"}, {"failed"}, {"skipped"}, set()
NO_ANSWER = ("half empty binary array number null text deep twice-keys nan bad-utf8 trailing "
             "no-ok ok-text ok-null error error-odd error-0 error-long endless exit die stop "
             "close silence zero-byte other-id odd-id").split()


def field(verb, **values):
    return f"{verb}:{json.dumps(values)}"


def many(what, n):
    """A list or a text that is too long for the environment."""
    return {"many": what, "n": n}


# what it answers: the statuses that its row may have
RUNS = {
    "none:": GOOD,
    "setup:exit": FAILED, "map:exit": FAILED, "map:binary": FAILED, "map:close": FAILED,
    "overhead:exit": FAILED, "overhead:text": FAILED, "check:die": FAILED,
    "check:silence": SKIPPED,  # nobody waits long for a baseline
    "check:endless": FAILED, "check:deep": FAILED,
    "prepare:exit": FAILED, "prepare:before": FAILED, "check:before": FAILED,
    "batch:before": FAILED, "batch:again": FAILED, "check:again": FAILED,
    "objects:exit": GOOD,
    **{f"batch:{how}": FAILED for how in NO_ANSWER},
    field("prepare", case=-1): FAILED, field("prepare", case=1e300): FAILED,
    # A field of another type counts as one that is not there.
    field("prepare", case="x"): GOOD, field("prepare", case=[]): GOOD,
    field("overhead", ns="x"): GOOD, field("hello", hello="you"): GOOD,
    field("describe", name=7): GOOD, field("describe", ops=7): GOOD,
    field("describe", kernels=7): NOTHING, field("describe", kernels=[]): NOTHING,
    field("prepare", prepare_ns=-1): FAILED, field("prepare", ops=-1): FAILED,
    field("prepare", bytes=1e300): FAILED, field("prepare", isa={}): GOOD,
    field("prepare", implementation="\x1b[31m\n"): GOOD,
    field("prepare", note=many("n", 100000)): FAILED,
    field("prepare", threads=1 << 40): GOOD,
    field("check", max_ulp=1e308): GOOD, field("check", mean_ulp=-1): FAILED,
    field("check", max_ulp=1, mean_ulp=1e308, worst_input="x"): GOOD,
    field("check", threads_alive=-5): FAILED, field("check", note=[1]): GOOD,
    field("check", ok=False, wrong=True, error="\x07no"): {"wrong"},
    field("check", ok=False, errno=95, error="not today"): SKIPPED,
    field("overhead", ns=-1): FAILED, field("overhead", ns=1e300): FAILED,
    field("batch", ns=-5): FAILED, field("batch", ns=0): FAILED,
    field("batch", ns=1e300): FAILED, field("batch", ns="5"): FAILED,
    field("batch", ns=None): FAILED, field("batch", ns=[5]): FAILED,
    field("batch", ns=1000, cpu_ns=1000): FAILED, field("batch", ns=1e12): FAILED,
    field("batch", cpu_ns=-1): FAILED, field("batch", minor_faults=-1): FAILED,
    field("batch", migrated="yes"): GOOD, field("batch", counts={"a": 1}): GOOD,
    field("batch", counts=many([{"value": 1}], 20000)): FAILED,
    field("batch", threads_busy=1e19): GOOD, field("batch", ghz=-4): FAILED,
}

# what ends all, because there is nothing to run: status 2
REFUSED = [
    *(f"hello:{how}" for how in NO_ANSWER if how not in
      ("silence", "stop", "close", "empty", "zero-byte", "bad-utf8", "odd-id", "other-id")),
    *(f"describe:{how}" for how in ("half", "binary", "exit", "die", "silence", "endless",
                                    "array", "error", "error-0", "no-ok", "deep")),
    field("hello", protocol=2), field("hello", protocol="1"),
    field("hello", ok=False, errno=2, error="install \x1b[31m it"),
    field("describe", kernels=[7]),
    field("describe", kernels=many([{"op": "gemm"}], 20000)),
    field("describe", version="v" * 300),
    field("describe", kernels={"op": "ge/mm"}), field("describe", kernels={"op": 7}),
    field("describe", kernels={"variant": "v" * 300}),
    field("describe", kernels={"variant": "\x1b[31m"}), field("describe", kernels={"type": "f7"}),
    field("describe", kernels={"isa": "mmx"}), field("describe", kernels={"variant": ""}),
]


def run_worker(context, how, statuses):
    return run_case([context.program, *GEMM, f"--baseline={WORKER}", timeout_of(how),
                     "--json=run.json"], statuses, env=environment(HOSTILE=how))


def survives(context, how, wanted):
    bad = wanted & {"failed", "wrong"}
    _, document = run_worker(context, how, {4} if bad else {0})
    need(document, "no JSON file")
    for row in rows(document, module=None, role="kernel"):
        need(row["status"] in GOOD, f"own: {row['status']}: {row['reason']}")
    found = rows(document, variant="bad")
    need(len(found) == (wanted != NOTHING), f"{len(found)} rows")
    if not found:
        return
    need(found[0]["status"] in wanted, f"{found[0]['status']}: {found[0]['reason']}")


def refused(context, how):
    started, document = run_worker(context, how, {2})
    need(b"baseline-hostile" in started.err, f"no word of the worker: {started.err[-300:]}")
    need(not started.out and not document, "there is output")


def name(how):
    """Short, and another one for each."""
    return how if len(how) < 60 else how[:57] + "..."


def attacks(context):
    for how, wanted in RUNS.items():
        yield name(how), lambda how=how, wanted=wanted: survives(context, how, wanted)
    for how in REFUSED:
        yield name(how), lambda how=how: refused(context, how)
