# SPDX-License-Identifier: Apache-2.0
"""gate-code: how often the gate of code says what is true. It reads no time, so a busy machine
changes nothing."""
import collections
import tempfile

from bench_run import module

REPEATS = 100
BUILDS = {"equal code": ["-mavx2", "-falign-functions=256"],
          "a tile that spills": ["-mavx2", "-DTILE_VECTORS=6"],
          "a lost inline": ["-mavx2", "-DTILE_CALLS"],
          "an -mno-avx build": ["-mno-avx"]}
# The fault that each build must have; it may have more than one.
PLANTED = {"a tile that spills": "spills", "a lost inline": "calls", "an -mno-avx build": "width"}


def judge(bench, base, head):
    """What the gate says of one case, and whether that alone made it fail."""
    run = bench.fresh("ab", base, head, "gemm", "--sizes=96", "--filter=*/tile@*",
                      "--processes=8", "--rounds=1", "--threshold=100%", "--gate-code",
                      passes=(0, 1))
    comparison, = (r["comparison"] for r in run.all if r["comparison"])
    return comparison["code"], run.status == 1 and comparison["verdict"] != "REGRESSED"


def gate_code(bench):
    with tempfile.TemporaryDirectory() as folder:
        base = f"{folder}/base.so"
        module(base, "tile.c", "-mavx2")
        for name, flags in BUILDS.items():
            head = f"{folder}/head.so"
            module(head, "tile.c", *flags)
            verdicts, planted, failed = collections.Counter(), 0, 0
            for _ in range(REPEATS):
                code, alone = judge(bench, base, head)
                verdicts[code["verdict"]] += 1
                planted += PLANTED.get(name) in {f["what"] for f in code["faults"]}
                failed += alone
            detail = ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items()))
            detail += f"; {failed} failed by code alone"
            if name in PLANTED:
                bench.show(f"gate-code, {name}: % found", 100 * planted / REPEATS,
                           detail=detail, least=100)
            else:
                bench.show(f"gate-code, {name}: % called worse",
                           100 * verdicts["WORSE"] / REPEATS, detail=detail, most=0.5)
                bench.show(f"gate-code, {name}: % judged",
                           100 * verdicts["NO WORSE"] / REPEATS, least=100)
