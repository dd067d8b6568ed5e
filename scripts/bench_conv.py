# SPDX-License-Identifier: Apache-2.0
"""conv: against oneDNN, layout for layout, and against the limit."""
from bench_common import Run, geomean, show_speedup

WIDE = "n16c16h512w512k16r3s3"
# In no list: odd sizes, few and many channels, dilation, groups, large kernels.
OTHERS = ("n1c48h40w40k80r3s3p1q1", "n2c32h33w65k24r5s3p2q1", "n1c20h50w50k36r3s3p1q1d2",
          "n1c64h30w30k64r3s3p1q1g4", "n1c128h17w17k192r1s7q3", "n1c80h73w73k64r1s1",
          "n4c24h19w19k96r2s2u2v2")


def run_of(program, *arguments):
    return Run(program, "conv", "--baseline=onednn", *arguments)


def show_lists(figures, run, name, least=None):
    for variant, layout in (("direct", "nchw16c"), ("plain", "nchw")):
        rows = run.rows(variant=variant, layout=layout)
        show_speedup(figures, f"conv {name}, {layout}", rows, "onednn", least)
        shares = [r["limit"]["share"] for r in rows.values() if r["limit"]]
        if shares:
            figures.show(f"conv {name}, {layout}: share of roof", geomean(shares))


def bench(figures, program):
    run = run_of(program, f"--shape={WIDE}", "--layout=nchw16c,nchw")
    for layout, variant in (("nchw16c", "direct"), ("nchw", "plain")):
        rows = run.rows(variant=variant, layout=layout)
        show_speedup(figures, f"conv {WIDE}, {layout}", rows, "onednn", least=1.0)
        for r in rows.values():
            figures.show(f"conv {WIDE}, {layout}: share of roof", r["limit"]["share"],
                         least=0.85 if layout == "nchw16c" else None)
    for name in ("burn", "resnet50"):
        show_lists(figures, run_of(program, f"--shapes={name}", "--layout=nchw16c,nchw"),
                   name, least=0.95)
    for name in ("vgg16", "mobilenet"):
        show_lists(figures, run_of(program, f"--shapes={name}", "--layout=nchw16c,nchw"), name)
    show_lists(figures, run_of(program, *(f"--shape={s}" for s in OTHERS),
                               "--layout=nchw16c,nchw"), "shapes of no list")
