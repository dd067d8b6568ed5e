# SPDX-License-Identifier: Apache-2.0
"""bench.py SIMDBENCH [PART]...: prints promised figures beside their targets. See
scripts/bench."""
import sys

import bench_conv
import bench_gate
import bench_gemm
import bench_relu
import bench_tanh
import bench_threads
import bench_tropical
from bench_common import Figures, Run

PARTS = {"gemm": bench_gemm.bench, "tropical": bench_tropical.bench, "relu": bench_relu.bench,
         "tanh": bench_tanh.bench, "conv": bench_conv.bench, "threads": bench_threads.bench,
         "gate": bench_gate.bench}


def main(program, *names):
    unknown = set(names) - set(PARTS)
    if unknown:
        sys.exit(f"bench: no such part: {', '.join(sorted(unknown))} "
                 f"(known: {', '.join(PARTS)})")
    figures = Figures()
    host = Run(program, "roof", "--sizes=registers", "--rounds=6").document
    print(f"{host['host'].get('cpu', '')}; {host['tool']['compiler']}")
    for name in names or PARTS:
        PARTS[name](figures, program)
    if figures.missed:
        print(f"missed: {len(figures.missed)}")
        return 1
    print("all targets reached")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
