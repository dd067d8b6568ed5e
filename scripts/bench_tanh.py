# SPDX-License-Identifier: Apache-2.0
"""tanh: faster than the libraries, at no more error than they have."""
from bench_common import Run, show_speedup

SIZES = "1k..1M*4"
AGAINST = {"avx512": ("onednn", "numpy"), "avx2": ("sleef", "libmvec")}
LEAST = {"avx512": 1.8, "avx2": 1.5}


def fastest(run, isa):
    """Rows of the variant that is fastest at most sizes."""
    variants = {r["variant"] for r in run.find(op="tanh", isa=isa, module=None)}
    tables = {v: run.rows(op="tanh", isa=isa, variant=v) for v in variants}

    def total(variant):
        return sum(r["summary"]["median_ns"] for r in tables[variant].values())
    best = min(tables, key=total, default=None)
    return best, tables.get(best, {})


def show_errors(figures, program, isa, variant):
    """Largest errors in ulp over all intervals, beside those of the libraries."""
    run = Run(program, "tanh", "--accuracy", f"--isa={isa}",
              *(f"--baseline={name}" for name in AGAINST[isa]))
    own = max((r["accuracy"]["max_ulp"] for r in run.find(variant=variant, module=None)
               if r["accuracy"]), default=None)
    if own is None:
        figures.absent(f"tanh f32 {isa}: largest error", "not measured")
        return
    for name in AGAINST[isa]:
        theirs = {}  # by variant
        for r in run.find(module=name):
            if r["accuracy"] and r["isa"] in ("lib", isa):
                theirs[r["variant"]] = max(theirs.get(r["variant"], 0),
                                           r["accuracy"]["max_ulp"])
        for other, ulp in theirs.items():
            figures.show(f"tanh f32 {isa}: ulp of {variant} / ulp of {name} {other}",
                         own / ulp, most=1.005, detail=f"{own:.3f} / {ulp:.3f}")


def bench(figures, program):
    for isa, names in AGAINST.items():
        run = Run(program, "tanh", f"--isa={isa}", f"--sizes={SIZES}",
                  *(f"--baseline={name}" for name in names))
        variant, rows = fastest(run, isa)
        if not rows:
            figures.absent(f"tanh f32 {isa}", "not measured on this machine")
            continue
        for name in names:
            show_speedup(figures, f"tanh f32 {isa} {variant}", rows, name,
                         least=LEAST[isa])
        show_errors(figures, program, isa, variant)
