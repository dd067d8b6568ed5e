# SPDX-License-Identifier: Apache-2.0
"""relu, tanh: functions of each element, against libraries and the memory."""
from itertools import product
from statistics import geometric_mean

from bench_run import against, by_round, libraries, ratios, shares, slower


def share_beyond(results, size):
    """Share of the limit where a call touches more bytes."""
    large = [r for r in results if r["limit"] and r["work"]["bytes"] > size]
    return (geometric_mean(shares(large)),
            " ".join(f"{r['shape']} {r['limit']['share']:.2f}" for r in large))


def auto_lost(run):
    """Sizes at which `auto` is more than 3% slower than another row, beyond doubt: by the
    sign test at 0.1% over their rounds."""
    own, lost = run.find(op="relu", layout="separate"), {}
    for auto, other in product((r for r in own if r["variant"] == "auto"), own):
        a, b = by_round(auto), by_round(other)
        found = sorted(a[n] / b[n] for n in a if n in b) if auto["shape"] == other["shape"] else []
        if sum(ratio > 1.03 for ratio in found) > len(found) / 2 + 1.5 * len(found) ** 0.5:
            lost[auto["shape"]] = f"{found[len(found) // 2]:.2f} {other['variant']}"
    return len(lost), " ".join(f"{shape}: {text}" for shape, text in lost.items())


def relu(bench):
    for isa in bench.wide():
        command = ("relu", f"--isa={isa}", "--sizes=1k..512k*2,1M..16M*2",
                   "--layout=separate", *libraries(isa, "onednn"))
        cache = max((v for k, v in bench.host.items()
                     if k.endswith("_bytes") and k.startswith("l")), default=32 << 20)
        auto, stream = {"variant": "auto"}, {"variant": "stream"}
        bench.row(f"relu f32 {isa} auto against onednn, geomean", command, auto,
                  lambda own: against(own, "onednn"))
        bench.row(f"relu f32 {isa}: sizes clearly slower than onednn", command, auto,
                  lambda own: slower(own, "onednn"), most=1)
        bench.row(f"relu f32 {isa} auto: sizes clearly 3% slower than a row", command, None,
                  auto_lost, most=1)
        bench.row(f"relu f32 {isa} stream past the caches: share of roof", command, stream,
                  lambda own: share_beyond(own, cache), 0.95)


def as_exact(results, isa):
    """For each row of a library its error in ulp and own rows that err no more: lists of
    (module, variant, ulp, {variant: ulp})."""
    ulps = {}  # the largest over all intervals
    for r in results:
        if r["accuracy"] and r["isa"] in ("lib", isa):
            key = r["module"], r["variant"]
            ulps[key] = max(ulps.get(key, 0), r["accuracy"]["max_ulp"])
    own = {variant: ulp for (module, variant), ulp in ulps.items()
           if not module and variant != "auto"}  # which is another row each time
    return [(module, variant, ulp, {v: u for v, u in own.items() if u <= 1.005 * ulp})
            for (module, variant), ulp in ulps.items() if module]


def tanh(bench):
    """Against each row of a library the fastest own one whose error is no larger."""
    for kind, isa, least, names in (("f32", "avx512", 1.8, ("onednn", "numpy")),
                                    ("f32", "avx512", 1.5, ("sleef", "libmvec")),
                                    ("f32", "avx2", 1.5, ("sleef", "libmvec")),
                                    ("f64", "avx512", 1.5, ("sleef", "libmvec")),
                                    ("f64", "avx2", 1.5, ("sleef", "libmvec"))):
        if isa not in bench.isas:
            continue
        common = (f"--isa={isa}", f"--type={kind}",
                  *(f"--baseline={name}" for name in names))
        command, times = ("tanh", "--sizes=1k..1M*4", *common), {}
        for r in bench.run(*command).find(op="tanh", isa=isa):
            times[r["variant"]] = times.get(r["variant"], 0) + r["summary"]["median_ns"]
        results = bench.run("tanh", "--accuracy", *common).results
        for module, variant, ulp, own in as_exact(results, isa):
            title = f"tanh {kind} {isa} against {module} {variant}"
            if not own:
                bench.show(f"{title}: rows as exact", 0, least=1)
                continue
            fastest = min(own, key=times.get)
            bench.row(f"{title}, geomean", command, {"isa": isa, "variant": fastest},
                      lambda own_rows: geometric_mean(
                          ratio["speedup"] for ratio, _ in ratios(own_rows, module)
                          if f"/{variant}@" in ratio["baseline"]), least)
            print(f"  {fastest} with {own[fastest]:.3f} ulp, {module} with {ulp:.3f}")
