# SPDX-License-Identifier: Apache-2.0
"""The number of times that `simdbench ab` calls equal small loops at other places a change, and
that it finds a change that is planted: scripts/bench placement [--help].

Each gate has the same loop in both builds, behind paddings of 0 to 63 bytes that are drawn at
random; five run together. A text that no loop reads tells the builds apart, so that they are
not proven to be equal: the times alone decide. A kernel calls its loop 100 times, in every other gate of equal
code once. The table counts verdicts; those as built are what --as-built would have said of the
same change.
"""
import argparse
import collections
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_run import ROOT, Run

IN_C = ["-DIN_C", "-falign-functions=1", "-falign-loops=1"]
LOOPS = {"six instructions": ("cc", []),
         "gcc -O2": ("gcc", [*IN_C, "-fno-toplevel-reorder"]),
         "clang -O2": ("clang-19", [*IN_C, "-fno-unroll-loops", "-fno-vectorize"])}
VERDICTS = ("SAME", "PLACED", "IMPROVED", "REGRESSED", "INCONCLUSIVE", "UNUSABLE")
ROWS = 5  # of a module: so many gates run together
ROW = """
#undef PAD
#undef LOOP
#define PAD {pad}
#define LOOP loop{i}
#include "placed_loop.h"
static void run{i}(const struct simdbench_operands *operands, void *state)
{{
    placed_calls(operands, loop{i}, {calls});
}}
static const struct simdbench_kernel row{i} = {{TWICE_ROW("loop{i}", run{i})}};
"""
MODULE = """
__attribute__((used)) static const char name_of_build[] = "{name}";
static const struct simdbench_module module = {{
    .size = sizeof module, .abi = SIMDBENCH_ABI, .name = "placed",
    .ops = (const struct simdbench_op *const[]){{&twice_op, NULL}},
    .kernels = (const struct simdbench_kernel *const[]){{{rows}, NULL}}}};
const struct simdbench_module *simdbench_module(uint32_t abi)
{{
    return &module;
}}
"""


def build(path, loop, pads, calls):
    compiler, flags = LOOPS[loop]
    text = '#include "twice.h"\n#include "placed_calls.h"\n'
    text += "".join(ROW.format(i=i, pad=pad, calls=calls) for i, pad in enumerate(pads))
    text += MODULE.format(name=path.stem, rows=", ".join(f"&row{i}" for i in range(len(pads))))
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", f"-I{ROOT}/kernels",
                    f"-I{ROOT}/tests/modules", *flags, "-Wl,--build-id", "-o", path, "-xc", "-"],
                   input=text, text=True, check=True)


def gates(program, folder, loop, rng, calls, options):
    for side, work in zip(("base", "head"), calls):
        build(Path(folder, f"{side}.so"), loop, [rng.randrange(64) for _ in range(ROWS)], work)
    run = Run(program, "ab", f"{folder}/base.so", f"{folder}/head.so", "twice", "--sizes=1000",
              *options, passes=(0, 1))
    found = [r["comparison"] for r in run.all if r["comparison"]]
    for comparison in found:
        comparison["seconds"] = run.document["gate"]["seconds"] / len(found)
    return found


def beyond(ci, delta):
    """The verdict of an interval alone."""
    if not ci:
        return "not moved"
    delta = delta or 0
    return "slower" if ci[0] > delta else "faster" if ci[1] < 1 / (1 + delta) - 1 else "neither"


def as_built(comparison):
    placement = comparison["placement"]
    return beyond(None if placement["unmoved"] else placement["ci"], comparison["delta"])


def show(name, found):
    counts = collections.Counter(c["verdict"] for c in found)
    built = collections.Counter(as_built(c) for c in found if c["placement"])
    codes = collections.Counter(c["placement"]["code"] for c in found if c["placement"])
    changes = [100 * c["change"] for c in found if c["change"] is not None]
    spread = sorted(changes)
    print(f"{name:28} {len(found):5} "
          + " ".join(f"{counts[verdict]:12}" for verdict in VERDICTS)
          + f"  {statistics.median(changes):+6.2f}% [{spread[0]:+.2f}, {spread[-1]:+.2f}]"
          f"  {statistics.median(c['seconds'] for c in found):5.2f} s"
          f"  as built {dict(built)}; code {dict(codes)}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench placement", description=__doc__)
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("--gates", type=int, default=200, help="of equal code")
    parser.add_argument("--planted", type=int, default=20, help="gates of each change")
    parser.add_argument("--effects", default="2,3,5", help="percent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--option", action="append", default=[], help="passed on to ab")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    loops = [name for name, (compiler, _) in LOOPS.items() if shutil.which(compiler)]
    effects = [0] * bool(arguments.gates) + [int(e) for e in arguments.effects.split(",") if e]
    print(f"load {os.getloadavg()[0]:.1f}; seed {arguments.seed}")
    print(f"{'loop, more work':28} {'gates':>5} " + " ".join(f"{v:>12}" for v in VERDICTS)
          + "  change (least, most)  a gate")
    alarms = 0
    with tempfile.TemporaryDirectory() as folder:
        for more in effects:
            wanted = arguments.planted if more else arguments.gates
            found = {loop: [] for loop in loops}
            for i in range((wanted + ROWS - 1) // ROWS):
                loop = loops[i % len(loops)]
                calls = (1, 1) if not more and i % 2 else (100, 100 + more)
                found[loop] += gates(arguments.program, folder, loop, rng, calls,
                                     arguments.option)
                if sys.stderr.isatty() or arguments.progress:
                    print(f"{(i + 1) * ROWS} of {wanted} gates of +{more}%", file=sys.stderr)
            for loop, comparisons in found.items():
                if comparisons:
                    show(f"{loop}, +{more}%", comparisons)
            if not more:
                every = [c for comparisons in found.values() for c in comparisons]
                alarms = sum(c["verdict"] in ("REGRESSED", "IMPROVED") for c in every)
                said = collections.Counter(beyond(c["ci"], c["delta"]) for c in every)
                print(f"false alarms: {alarms} of {len(every)}; intervals beyond, before Holm's "
                      f"correction and the witness: {said['slower'] + said['faster']}")
    print(f"load {os.getloadavg()[0]:.1f}")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
