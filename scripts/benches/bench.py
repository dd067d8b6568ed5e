# SPDX-License-Identifier: Apache-2.0
"""bench.py SIMDBENCH [PART]...: prints promised figures beside their targets. See
scripts/bench. A part is a function of rows; to promise more, add a row."""
import sys

from bench_conv import conv
from bench_gate import gate
from bench_gate_code import gate_code
from bench_gemm import gemm, small, tropical
from bench_run import Bench
from bench_shared import shared
from bench_tensor import tensor
from bench_threads import threads
from bench_vectors import relu, tanh

PARTS = {"gemm": gemm, "small": small, "tropical": tropical, "relu": relu, "tanh": tanh, "conv": conv,
         "tensor": tensor, "threads": threads, "shared": shared, "gate": gate, "gate-code": gate_code}


def main(program, *arguments):
    options = [a for a in arguments if a.startswith("--")]
    names = [a for a in arguments if not a.startswith("--")]
    asked = "avx2,avx512"
    for option in options:
        if not option.startswith("--isa="):
            sys.exit(f"bench: no such option: {option} (known: --isa=LIST|all)")
        asked = option.partition("=")[2]
    if unknown := ", ".join(sorted(set(names) - set(PARTS))):
        sys.exit(f"bench: no such part: {unknown} (known: {', '.join(PARTS)})")
    bench = Bench(program)
    document = bench.run("roof", "--sizes=registers", "--rounds=6").document
    bench.host = document["host"]
    print(f"{bench.host.get('cpu', '')}; {document['tool']['compiler']}")
    bench.choose(asked, bench.host)
    for name in names or PARTS:
        PARTS[name](bench)
    print(f"missed: {bench.missed}" if bench.missed else "all targets reached")
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
