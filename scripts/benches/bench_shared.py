# SPDX-License-Identifier: Apache-2.0
"""shared: whether a neighbour on the core changes what a run says of a kernel."""
import os
import sys
from statistics import median

from bench_gate import competitor

RUNS = 20
BURST = 0.001, 0.050  # seconds
WORK = "gemm", "--semiring=maxplus", "--variants=fma", "--sizes=128,256", "--baseline=none"


def measure(bench, cpu):
    """The rows of many equal runs, and the share of their batches that were set apart."""
    runs = [bench.fresh(*WORK, f"--cpu={cpu}") for _ in range(RUNS)]
    probed, shared = (sum(run.host[f"core_{k}probes"] for run in runs) for k in ("", "shared_"))
    return ([row for run in runs for row in run.find() if row["limit"] and row["limit"]["share"]],
            shared / probed)


def beyond(rows, quiet):
    """The number of rows that are not marked and differ from the quiet share by over 2%."""
    changes = [row["limit"]["share"] / quiet[row["id"]] - 1
               for row in rows if not row["shared"]]
    marked = sum(row["shared"] for row in rows)
    if not changes:
        return 0, f"all {marked} rows are marked shared"
    return (sum(abs(change) > 0.02 for change in changes),
            f"{len(changes)} rows by {min(changes):+.2%} to {max(changes):+.2%}, "
            f"{marked} marked shared")


def shared(bench):
    cpu = max(os.sched_getaffinity(0))
    rows, false = measure(bench, cpu)
    alone = {}
    for row in rows:
        if not row["shared"]:
            alone.setdefault(row["id"], []).append(row["limit"]["share"])
    quiet = {name: median(shares) for name, shares in alone.items()}
    if len(quiet) < len({row["id"] for row in rows}):
        sys.exit("bench shared: the core was never quiet")
    detail = ", ".join(f"{name.split('/')[2]}@{name.split('@')[1]} {share:.1%}"
                       for name, share in quiet.items())
    bench.show("shared: batches set apart without a neighbour", false, most=0.05, detail=detail)
    count, detail = beyond(rows, quiet)
    bench.show("shared, no neighbour: rows beyond 2%", count, most=1, detail=detail)
    for other in sorted(os.sched_getaffinity(0)):
        with competitor(other, BURST):
            rows, apart = measure(bench, cpu)
        count, detail = beyond(rows, quiet)
        bench.show(f"shared, bursts on CPU {other}: rows beyond 2%", count, most=1,
                   detail=f"{detail}, {apart:.0%} of batches set apart")
