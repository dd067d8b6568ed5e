# SPDX-License-Identifier: Apache-2.0
"""relu: never slower than oneDNN, and the copy roof past the last-level cache."""
from bench_common import Run, geomean, ratios, show_speedup

SIZES = "1k..512k*2,1M..16M*2"


def show_slower(figures, rows, module):
    """Sizes at which the whole interval of the ratio lies below 1."""
    found = [(shape, r) for shape, result in rows.items() for r in ratios(result, module)]
    if not found:
        return
    slower = [shape for shape, r in found if r["ci"] and r["ci"][1] < 1]
    figures.show(f"relu f32: sizes clearly slower than {module}", len(slower), most=1,
                 detail=" ".join(slower))


def last_cache(run):
    sizes = [v for k, v in run.document["host"].items()
             if k.endswith("_bytes") and k.startswith("l")]
    return max(sizes, default=32 << 20)


def bench(figures, program):
    run = Run(program, "relu", f"--sizes={SIZES}", "--layout=separate",
              "--baseline=onednn")
    rows = run.rows(variant="auto")
    show_speedup(figures, "relu f32 auto", rows, "onednn")
    show_slower(figures, rows, "onednn")
    large = [r for r in run.rows(variant="stream").values()
             if r["limit"] and r["work"]["bytes"] > last_cache(run)]
    if not large:
        figures.absent("relu f32 stream: share of copy roof", "no size beyond the caches")
        return
    figures.show("relu f32 stream past the caches: share of roof",
                 geomean(r["limit"]["share"] for r in large), least=0.95,
                 detail=" ".join(f"{r['shape']} {r['limit']['share']:.2f}" for r in large))
