# SPDX-License-Identifier: Apache-2.0
"""conv: convolutions of networks and of no list, against oneDNN and the limit."""
import random
import re
from itertools import product
from statistics import geometric_mean

from bench_run import ISAS, against, libraries, ratios, shares

WIDE = "n16c16h512w512k16r3s3"


def others(n):
    """Convolutions of no list, the same ones each time: channels 3 to 512, images of 7 to
    224, kernels of 1 to 11, strides, dilation, groups; each of at most 2 Gop."""
    draw, found = random.Random(15), []
    while len(found) < n:
        groups = draw.choice((1, 1, 1, 1, 2, 4))
        channels, filters = (groups * round(2 ** draw.uniform(1.6, 9) / groups + 0.5)
                             for _ in "ck")
        side, r = round(2 ** draw.uniform(2.8, 7.8)), draw.choice((1, 1, 2, 3, 3, 5, 7, 11))
        stride, dilation = draw.choice((1, 1, 2)), draw.choice((1, 1, 1, 2))
        pad = draw.choice((0, r // 2))
        reach = dilation * (r - 1) + 1
        out = (side + 2 * pad - reach) // stride + 1
        work = 2 * out * out * channels // groups * filters * r * r if out > 0 else 0
        if reach <= side + 2 * pad and 1e6 < work < 2e9 and pad < reach:
            found.append(f"n1c{channels}h{side}w{side}k{filters}r{r}s{r}u{stride}v{stride}"
                         f"p{pad}q{pad}d{dilation}g{groups}")
    return found


def conv_kind(r):
    """What a convolution is besides one of its list; None: nothing else."""
    size = {letter: int(number) for letter, number in re.findall("([a-z])([0-9]+)", r["shape"])}
    if size.get("g", 1) > 1 and size["g"] == size["c"]:
        return "depthwise"
    return "1x1" if size.get("r", 1) == size.get("s", 1) == 1 else None


def lowest(results, module):
    return min((ratio["speedup"], shape) for ratio, shape in ratios(results, module))


def conv(bench):
    """Against oneDNN, layout for layout and width for width, and against the limit."""
    lists = [("burn", ("--shapes=burn",), 1.05, 0.92), ("resnet50", ("--shapes=resnet50",), 1.05, 0.92),
             ("vgg16", ("--shapes=vgg16",), 1.05, 0.92),
             ("mobilenet", ("--shapes=mobilenet",), 1.05, 0.92),
             (WIDE, (f"--shape={WIDE}",), 1.0, None),
             ("shapes of no list", tuple(f"--shape={shape}" for shape in others(30)), 1.05, 0.85)]
    for isa, (name, shapes, mean, least) in product(bench.isas, lists):
        _, blocks, _ = ISAS[isa]
        layouts = [layout for layout in (blocks, "nchw") if layout]
        command = ("conv", f"--isa={isa}", *libraries(isa, "onednn"), *shapes,
                   f"--layout={','.join(layouts)}",
                   f"--rounds={24 if ISAS[isa][0] >= 256 else 5}")  # narrow ones take long
        for layout in layouts:
            where = {"variant": "plain" if layout == "nchw" else "direct",
                     "layout": layout}
            title = f"conv {name}, {isa} {layout}"
            if ISAS[isa][0] < 256:
                bench.row(f"{title}: share of roof", command, where,
                          lambda own: geometric_mean(shares(own)), 0.85)
                continue
            bench.row(f"{title} against onednn, geomean", command, where,
                      lambda own: against(own, "onednn"), mean)
            bench.row(f"{title} against onednn, lowest", command, where,
                      lambda own: lowest(own, "onednn"), least)
            for kind in "1x1", "depthwise":
                bench.row(f"{title} {kind} against onednn, geomean", command, where,
                          lambda own: against([r for r in own if conv_kind(r) == kind],
                                              "onednn"), mean)
            bench.row(f"{title}: share of roof", command, where,
                      lambda own: geometric_mean(shares(own)),
                      0.85 if (name, layout) == (WIDE, "nchw16c") else None)
