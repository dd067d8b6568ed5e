# SPDX-License-Identifier: Apache-2.0
"""bench.py SIMDBENCH [PART]...: prints promised figures beside their targets. See
scripts/bench. A part is a function of rows; to promise more, add a row."""
import functools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from statistics import geometric_mean

from bench_gate import gate
from bench_gate_code import gate_code
from bench_shared import shared

BITS = {"f32": 32, "f64": 64}
# From narrow to wide: bits, the layout of blocks, and libraries held to the same width.
ISAS = {"scalar": (32, None, ()), "sse2": (128, "nchw8c", ("onednn,isa=sse41",)),
        "avx2": (256, "nchw8c", ("onednn,isa=avx2", "openblas,coretype=Haswell")),
        "avx512": (512, "nchw16c", ("onednn", "openblas", "openblas,coretype=SkylakeX"))}
POWERS = (64, 128, 256, 512, 1024)
ODD = {65: 64, 127: 128, 257: 256, 509: 512}  # and the power of two beside each
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


class Run:
    def __init__(self, program, *arguments, passes=(0,), **env):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            started = time.monotonic()
            done = subprocess.run([program, *arguments, "--quiet", f"--json={path}"],
                                  env={**os.environ, **env}, stdout=subprocess.PIPE,
                                  text=True, check=False)
            self.seconds = time.monotonic() - started
            self.text, self.status = done.stdout, done.returncode
            if done.returncode not in passes:
                sys.exit(f"{self.text}simdbench {' '.join(arguments)}: "
                         f"exit status {done.returncode}")
            self.document = json.loads(path.read_text(encoding="utf-8"))
        self.host, self.all = self.document["host"], self.document.get("results", [])
        self.results = [r for r in self.all if r["status"] == "ok"]

    def find(self, **fields):
        """Results of own kernels unless the fields say otherwise."""
        fields = {"module": None, **fields}
        return [r for r in self.results if all(r.get(k) == v for k, v in fields.items())]


class Bench:
    def __init__(self, program):
        self.missed = 0
        self.fresh = functools.partial(Run, program)
        self.run = functools.cache(self.fresh)
        self.isas, self.host = (), {}

    def choose(self, asked, host):
        """The instruction sets that are judged, of those that were asked for."""
        names = list(ISAS) if asked == "all" else asked.split(",")
        if unknown := ", ".join(set(names) - set(ISAS)):
            sys.exit(f"bench: --isa={asked}: no such instruction set: {unknown}")
        self.isas = [name for name in ISAS if name in names and name in host["isas"]]
        for name in set(names) - set(self.isas):
            print(f"{name}: not judged, this CPU has none")

    def wide(self):
        """Those that vectors of 256 bits and more are judged on."""
        return [isa for isa in self.isas if ISAS[isa][0] >= 256]

    def show(self, name, value, least=None, most=None, detail=""):
        good = (not least or value >= least) and (not most or value < most)
        target = f">= {least:.2f}" if least else f"< {most:.2f}" if most else ""
        verdict = ("ok" if good else "MISS") if target else ""
        self.missed += not good
        print(f"{name:<50} {value:7.3f}  {target:>8}  {verdict:<4}  {detail}".rstrip())

    def row(self, name, command, where, value, least=None, most=None):
        """A figure: value() of the own results with the fields in where, or (None) of the run,
        is a number, or a number and a detail. A mean or extreme of nothing: ValueError."""
        run = self.run(*command)
        try:
            found = value(run if where is None else run.find(**where))
        except ValueError:
            self.absent(name)
        else:
            found, detail = found if isinstance(found, tuple) else (found, "")
            self.show(name, found, least, most, detail)

    @staticmethod
    def absent(name):
        print(f"{name:<50}       -  not measured on this machine")


def shares(results):
    return [r["limit"]["share"] for r in results if r["limit"]]


def ratios(results, module):
    return [(ratio, r["shape"]) for r in results for ratio in r["ratios"]
            if ratio["baseline"].split(":")[0].split(",")[0] == module]


def against(results, module):
    """How many times faster than the fastest row of a module, over all shapes."""
    lowest = {}
    for ratio, shape in ratios(results, module):
        lowest[shape] = min(ratio["speedup"], lowest.get(shape, ratio["speedup"]))
    worst = min(lowest, key=lowest.get)
    return (geometric_mean(lowest.values()),
            f"{len(lowest)} shapes, lowest {lowest[worst]:.2f} at {worst}")


def lowest(results, module):
    return min(ratios(results, module))


def slower(results, module):
    """Number of shapes at which the whole interval of the ratio lies below 1."""
    found = ratios(results, module)
    lost = {shape for ratio, shape in found if ratio["ci"] and ratio["ci"][1] < 1}
    return len(lost) if found else max(found), " ".join(sorted(lost))


def share_beyond(results, size):
    """Share of the limit where a call touches more bytes."""
    large = [r for r in results if r["limit"] and r["work"]["bytes"] > size]
    return (geometric_mean(shares(large)),
            " ".join(f"{r['shape']} {r['limit']['share']:.2f}" for r in large))


def cube(n):
    return f"{n}x{n}x{n}"


def gops(rows, n):
    return rows[cube(n)]["rates"]["gops"]


def variants(results):
    """{variant: {shape: result}} of those that have a limit at all of POWERS."""
    table = {}
    for r in results:
        table.setdefault(r["variant"], {})[r["shape"]] = r
    return {v: rows for v, rows in table.items()
            if all(rows.get(cube(n), {}).get("limit") for n in POWERS)}


def libraries(isa, name):
    """Options for those of the same width."""
    return [f"--baseline={library}" for library in ISAS[isa][2]
            if library.split(",")[0] == name]


def show_powers(bench, name, table, isa):
    """The variant nearest to the roof of the best mix, which any could reach."""
    roof = [max(rows[cube(n)]["limit"]["gops"] for rows in table.values()) for n in POWERS]
    found = {v: [gops(rows, n) / top for n, top in zip(POWERS, roof)]
             for v, rows in table.items()}
    best = max(found, key=lambda v: geometric_mean(found[v]))
    mean, lowest = (0.95, 0.92) if isa == "avx512" else (0.90, 0.85)
    bench.show(f"{name}: share of roof, geomean", geometric_mean(found[best]), mean,
               detail=f"{best}: {' '.join(f'{share:.2f}' for share in found[best])}")
    bench.show(f"{name}: share of roof, lowest", min(found[best]), lowest)
    rows = table[best]
    powers = [rows[cube(n)] for n in POWERS]
    if all(ratios([r], "openblas") for r in powers):
        times, detail = against(powers, "openblas")
        bench.show(f"{name}: against OpenBLAS, geomean", times,
                   0.95 if isa == "avx512" else None, detail=detail)
    for n, even in ODD.items():
        if cube(n) in rows:
            bench.show(f"{name}: {n} against {even}", gops(rows, n) / gops(rows, even), 0.75)
    if {"add", "fma"} <= table.keys():
        bench.show(f"{name}: fma over add", geometric_mean(
            gops(table["fma"], n) / gops(table["add"], n) for n in POWERS))


def gemm(bench):
    sizes = f"--sizes={','.join(map(str, sorted((*POWERS, *ODD))))}"
    for isa in bench.isas:
        command = ("gemm", f"--isa={isa}", "--type=f32,f64", sizes,
                   *libraries(isa, "openblas"))
        for kind in BITS:
            table = variants(bench.run(*command).find(op="gemm", type=f"maxplus-{kind}"))
            if table:
                show_powers(bench, f"max-plus {kind} {isa}", table, isa)
            else:
                bench.absent(f"max-plus {kind} {isa}")
        bench.row(f"{isa}: highest share of a limit", command, None, lambda run: max(
            (r["limit"]["share"], r["id"]) for r in run.results if r["limit"]), most=1.02)
        bench.row(f"{isa}: share of probes with company on the core", command, None,
                  lambda run: run.host["core_shared_probes"] / run.host["core_probes"])

    zen5 = bench.host["identity"].get("family") == 26
    targets = {"fma_max": 1.95, "add_max": 0.98} if zen5 else {}
    for isa, kind, mix in product(bench.wide(), BITS, ("fma_max", "add_max", "mul_max", "fma")):
        bench.row(f"roof {kind} {isa} {mix}: pairs per cycle",
                  ("roof", f"--isa={isa}", "--type=f32,f64", "--sizes=registers"),
                  {"op": "roof", "type": kind, "variant": mix},
                  lambda own: geometric_mean(
                      r["rates"]["gops"] / (2 * ISAS[isa][0] / BITS[kind] * r["clock"]["ghz"])
                      for r in own if r["rates"]["gops"] and r["clock"]["ghz"]),
                  targets.get(mix))
    bench.row("gemm --isa=avx512 --sizes=64..512, seconds",
              ("gemm", "--isa=avx512", "--sizes=64..512"), None, lambda run: run.seconds, most=6)
    same = "gemm", "--sizes=16,17", "--seed=42", "--time-per-case=2ms"
    one, two = ([(r["id"], r.get("input_hash")) for r in bench.fresh(*same).all] for _ in "12")
    bench.show("two runs, one seed: same plan and inputs", float(one == two), least=1)


def best_of(results):
    """{shape: the fastest result}."""
    table = {}
    for r in sorted(results, key=lambda r: -r["summary"]["median_ns"]):
        table[r["shape"]] = r
    return table


def lowest_slim(results, stream):
    """Lowest share of the lower bound: that of operations, or that of the operands' bytes
    at so many GB/s."""
    return min((max(r["limit"]["share"], r["rates"]["gbps"] / stream), f"{r['shape']} {r['variant']}")
               for r in best_of(results).values() if r["limit"])


def small(bench):
    """Small and odd gemm, alone and in batches, and those with one small side."""
    sizes = 4, 8, 12, 16, 24, 32, 48, 5, 7, 9, 13, 15, 17, 23, 31, 33, 47, 49, 63
    slim = [shape for n in (1, 2, 4, 8, 16) for shape in
            (f"{n}x1000x1000", f"1000x{n}x1000", f"1000x1000x{n}")]
    for isa, kind in product(bench.wide(), BITS):
        command = ("gemm", f"--isa={isa}", f"--type={kind}", *libraries(isa, "openblas"),
                   *(f"--shape={b}{cube(n)}" for n in sizes for b in ("", "b64x")))
        for n, least in (16, 0.60), (32, 0.80):
            bench.row(f"max-plus {kind} {isa} {n}: share of roof", command, {"shape": cube(n)},
                      lambda own: max(shares(own)), least)
        bench.row(f"max-plus {kind} {isa}, small: sizes clearly slower than OpenBLAS", command,
                  {}, lambda own: slower(list(best_of(own).values()), "openblas"), most=1)
        # The largest operand has 10^6 elements.
        loads = bench.run("roof", f"--isa={isa}", "--variants=load", f"--sizes={BITS[kind] // 8}M")
        stream = max(r["rates"]["gbps"] for r in loads.results)
        bench.row(f"max-plus {kind} {isa}, a side of 1 to 16: share of bound",
                  ("gemm", f"--isa={isa}", f"--type={kind}", *(f"--shape={shape}" for shape in slim)),
                  {}, lambda own: lowest_slim(own, stream), 0.8)


def tropical(bench):
    """The rest of tropical GEMM: integers against their roof, what the indices cost."""
    common = f"--isa={','.join(bench.wide())}", "--semiring=maxplus,minplus", "--rounds=60"
    semirings = "maxplus", "minplus"
    for isa, kind, n, semiring in product(bench.wide(), ("i32", "i64"), (256, 512, 1024), semirings):
        bench.row(f"{semiring} {kind} {isa} {n}: share of roof",
                  ("gemm", "--type=i32,i64", *common, "--sizes=256,512,1024"),
                  {"op": "gemm", "type": f"{semiring}-{kind}", "isa": isa, "shape": cube(n)},
                  lambda own: max(shares(own)),
                  0.85 if (semiring, kind) == ("maxplus", "i32") else None)
    # The limit of a row is the same kernel without indices, paired by round.
    for isa, kind, semiring, n in product(bench.wide(), BITS, semirings, (64, 256)):
        bench.row(f"argmax {semiring} {kind} {isa} {n}: times the value alone",
                  ("gemm", "--argmax", "--type=f32,f64", *common, "--sizes=64,256"),
                  {"op": "gemm_argmax", "type": f"{semiring}-{kind}", "isa": isa,
                   "shape": cube(n)},
                  lambda own: min(1 / r["limit"]["share"] for r in own
                                  if "/value@" in (r["limit"] or {}).get("id", "")),
                  most=1.5 if n == 256 else None)


def by_round(r):
    return {n: ns / r["iterations"] - r["overhead_ns"] for n, ns in zip(r["rounds"], r["samples_ns"])}


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
    own = {variant: ulp for (module, variant), ulp in ulps.items() if not module}
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


def conv_kind(r):
    """What a convolution is besides one of its list; None: nothing else."""
    size = {letter: int(number) for letter, number in re.findall("([a-z])([0-9]+)", r["shape"])}
    if size.get("g", 1) > 1 and size["g"] == size["c"]:
        return "depthwise"
    return "1x1" if size.get("r", 1) == size.get("s", 1) == 1 else None


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
                   f"--layout={','.join(layouts)}", "--rounds=24")
        for layout in layouts:
            where = {"variant": "direct" if layout != "nchw" or isa == "scalar" else "plain",
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


def pairs(run, roofs=False):
    """Cases with one thread, each beside itself on two; the fastest first."""
    one, two = ({r["id"].replace(";threads=2", ""): r for r in run.results
                 if r["threads"] == n and (r["role"] == "roof") == roofs} for n in (1, 2))
    return sorted(((r, two[key]) for key, r in one.items() if key in two),
                  key=lambda pair: pair[0]["summary"]["median_ns"])


def gain(one, two):
    """Median of the paired ratios, and whether it lies below 1 beyond doubt: by the sign
    test at 0.1%, as many cases are looked at."""
    a, b = by_round(one), by_round(two)
    more = two["work"]["ops"] / one["work"]["ops"] if one["work"]["ops"] else 1
    found = sorted(a[r] / b[r] * more for r in a if r in b)
    below = sum(ratio < 1 for ratio in found)
    return ((found or [float("nan")])[len(found) // 2],
            below > len(found) / 2 + 1.5 * len(found) ** 0.5)


def threads(bench):
    """What two threads gain, as more is up to the machine, and two of the limit."""
    with tempfile.TemporaryDirectory() as folder:
        def scaling(*arguments):
            run = bench.fresh("threads", *arguments, "--threads=2", XDG_CONFIG_HOME=folder)
            print("\n".join("  " + line for line in run.text.splitlines()))
            return run

        for op, shape in ("gemm", "--sizes=512"), ("conv", f"--shape={WIDE}"):
            run = scaling(op, shape, "--rounds=20")
            for one, two in pairs(run, roofs=True):
                print(f"  limit: two threads {gain(one, two)[0]:.2f} times one, {one['id']}")
            for one, two in pairs(run)[:1]:
                bench.show(f"threads {op}: two over one", gain(one, two)[0], 1.8,
                           detail=f"{shape}, {one['variant']}")
        # A second run judges what the first one chose.
        for op in "gemm", "gemm_argmax", "gemm_backward", "relu", "tanh", "conv":
            scaling(op)
            file = json.loads(Path(folder, "simdbench/threads.json").read_text("utf-8"))
            (least,) = (host[op][0]["ops"] for host in file["hosts"].values())
            lost = [one["id"] for one, two in pairs(scaling(op))
                    if least is not None and one["work"]["ops"] >= least and gain(one, two)[1]]
            print("\n".join(f"  slower: {name}" for name in lost))
            bench.show(f"threads {op}: cases slower than one thread", len(lost), most=1,
                       detail=f"where two are chosen: from {least} operations on")


PARTS = {"gemm": gemm, "small": small, "tropical": tropical, "relu": relu, "tanh": tanh, "conv": conv,
         "threads": threads, "shared": shared, "gate": gate, "gate-code": gate_code}


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
