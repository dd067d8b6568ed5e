# SPDX-License-Identifier: Apache-2.0
"""map, reduce, softmax, transpose, maxpool: against libraries and the limit."""
from importlib.util import find_spec
from statistics import geometric_mean

from bench_run import against, libraries, shares

# Libraries that have the op; those of Python where they are installed.
ARRAYS = tuple(name for name in ("numpy", "torch") if find_spec(name))
NETWORKS = ("onednn", *(name for name in ARRAYS if name == "torch"))
MODULES = {"map": ARRAYS, "reduce": ARRAYS, "softmax": NETWORKS, "log_softmax": NETWORKS,
           "transpose": (*ARRAYS, "openblas"), "maxpool": NETWORKS}
SQUARES = "256x256,1024x1024,4096x4096"
AXES = ",".join(axis + square for axis in ("", "columns", "rows") for square in SQUARES.split(","))
VECTORS = "100,1k,10k,100k,1M,16M"
# Options; the least ratio to each library, and share of the limit where a call touches more
# than the second cache.
OPS = {
    **{f"map {name}": (("map", f"--semiring={name}", f"--sizes={VECTORS}"), 1.0, 0.9)
       for name in ("add", "sub", "mul", "div")},
    **{f"reduce {name}": (("reduce", f"--semiring={name}", f"--sizes={AXES}"), 1.0, 0.9)
       for name in ("sum", "mean", "max")},
    "softmax": (("softmax", "--sizes=256x10,4096x10,256x256,1024x1024"), 1.5, None),
    "log_softmax": (("log_softmax", "--sizes=256x10,4096x10,256x256,1024x1024"), 1.5, None),
    "transpose": (("transpose", f"--sizes={SQUARES},1000x3000"), 1.0, 0.8),
    "maxpool": (("maxpool",), 1.0, None),
}


def fastest(results):
    """Of each shape the fastest own row."""
    best = {}
    for r in results:
        ns = r["summary"]["median_ns"]
        if r["shape"] not in best or ns < best[r["shape"]]["summary"]["median_ns"]:
            best[r["shape"]] = r
    return list(best.values())


def share(results, bytes_least):
    """Share of the limit of the fastest rows, mean and lowest."""
    large = fastest([r for r in results if r["limit"] and r["work"]["bytes"] > bytes_least])
    worst = min(large, key=lambda r: r["limit"]["share"])
    return (geometric_mean(shares(large)),
            f"{len(large)} shapes, lowest {worst['limit']['share']:.2f} at {worst['shape']}")


def tensor(bench):
    """Of each shape the fastest own row against each library that is here."""
    l2 = bench.host.get("l2u_bytes", 1 << 20)
    for isa in bench.wide():
        for op, (words, least, limit) in OPS.items():
            for kind in ("f32", "f64"):
                modules = [m for m in MODULES[words[0]] if m != "onednn" or kind == "f32"]
                modules += ["openblas"] * (op == "reduce sum")
                command = (*words, f"--isa={isa}", f"--type={kind}",
                           *(option for m in modules or ["none"]
                             for option in libraries(isa, m) or [f"--baseline={m}"]))
                own = {"isa": isa}
                for module in modules:
                    bench.row(f"{op} {kind} {isa} against {module}, geomean", command, own,
                              lambda rows, m=module: against(fastest(rows), m), least)
                bench.row(f"{op} {kind} {isa} from L2 on: share of limit", command, own,
                          lambda rows: share(rows, l2), limit)
