# SPDX-License-Identifier: Apache-2.0
"""The rest of tropical GEMM: integers against their roof, what the indices cost."""
from bench_common import Run

ISAS = "avx512", "avx2"
SIZES = 256, 512, 1024
SEMIRINGS = "maxplus", "minplus"


def shape(n):
    return f"{n}x{n}x{n}"


def show_integers(figures, run):
    """Max-plus has a target, the rest is for comparison."""
    for isa in ISAS:
        for kind in "i32", "i64":
            for n in SIZES:
                for semiring in SEMIRINGS:
                    name = f"{semiring} {kind} {isa} {n}: share of roof"
                    rows = run.find(op="gemm", type=f"{semiring}-{kind}", isa=isa,
                                    shape=shape(n), module=None)
                    shares = [r["limit"]["share"] for r in rows if r["limit"]]
                    target = 0.85 if (semiring, kind) == ("maxplus", "i32") else None
                    if shares:
                        figures.show(name, max(shares), least=target)
                    else:
                        figures.absent(name, "not measured on this machine")


def show_indices(figures, run):
    """The limit of a row is the same kernel without indices, paired by round. 256 has a
    target, 64 is for comparison."""
    for isa in ISAS:
        for kind in "f32", "f64":
            for semiring in SEMIRINGS:
                for n in 64, 256:
                    name = f"argmax {semiring} {kind} {isa} {n}: times the value alone"
                    rows = run.find(op="gemm_argmax", type=f"{semiring}-{kind}", isa=isa,
                                    shape=shape(n), module=None)
                    times = [1 / r["limit"]["share"] for r in rows
                             if r["limit"] and "/value@" in r["limit"]["id"]]
                    if times:
                        figures.show(name, min(times), most=2 if n == 256 else None)
                    else:
                        figures.absent(name, "not measured on this machine")


def bench(figures, program):
    common = f"--isa={','.join(ISAS)}", f"--semiring={','.join(SEMIRINGS)}", "--rounds=60"
    show_integers(figures, Run(program, "gemm", "--type=i32,i64", *common,
                               f"--sizes={','.join(map(str, SIZES))}"))
    show_indices(figures, Run(program, "gemm", "--argmax", "--type=f32,f64", *common,
                              "--sizes=64,256"))
