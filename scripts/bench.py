# SPDX-License-Identifier: Apache-2.0
"""bench.py SIMDBENCH [PART]...: prints promised figures beside their targets. See
scripts/bench. A part is a function of rows; to promise more, add a row."""
import functools
import json
import os
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
ISAS = {"avx512": 512, "avx2": 256}
ISA = f"--isa={','.join(ISAS)}"
POWERS = (64, 128, 256, 512, 1024)
ODD = {65: 64, 127: 128, 257: 256, 509: 512}  # and the power of two beside each
WIDE = "n16c16h512w512k16r3s3"
# In no list: odd sizes, few and many channels, dilation, groups, large kernels.
OTHERS = ("n1c48h40w40k80r3s3p1q1", "n2c32h33w65k24r5s3p2q1", "n1c20h50w50k36r3s3p1q1d2",
          "n1c64h30w30k64r3s3p1q1g4", "n1c128h17w17k192r1s7q3", "n1c80h73w73k64r1s1",
          "n4c24h19w19k96r2s2u2v2")


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
                sys.exit(f"simdbench {' '.join(arguments)}: exit status {done.returncode}")
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
            if ratio["baseline"].split(":")[0] == module]


def against(results, module):
    """How many times faster than the fastest row of a module, over all shapes."""
    lowest = {}
    for ratio, shape in ratios(results, module):
        lowest[shape] = min(ratio["speedup"], lowest.get(shape, ratio["speedup"]))
    worst = min(lowest, key=lowest.get)
    return (geometric_mean(lowest.values()),
            f"{len(lowest)} shapes, lowest {lowest[worst]:.2f} at {worst}")


def slower(results, module):
    """Number of shapes at which the whole interval of the ratio lies below 1."""
    found = ratios(results, module)
    lost = [shape for ratio, shape in found if ratio["ci"] and ratio["ci"][1] < 1]
    return len(lost) if found else max(found), " ".join(lost)


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


def show_powers(bench, name, table, least):
    """The variant nearest to the roof of the best mix, which any could reach."""
    roof = [max(rows[cube(n)]["limit"]["gops"] for rows in table.values()) for n in POWERS]
    found = {v: [gops(rows, n) / top for n, top in zip(POWERS, roof)]
             for v, rows in table.items()}
    best = max(found, key=lambda v: geometric_mean(found[v]))
    bench.show(f"{name}: share of roof, geomean", geometric_mean(found[best]), 0.90,
               detail=f"{best}: {' '.join(f'{share:.2f}' for share in found[best])}")
    bench.show(f"{name}: share of roof, lowest", min(found[best]), 0.82)
    rows = table[best]
    powers = [rows[cube(n)] for n in POWERS]
    over = {library: against(powers, library)[0] for library in dict.fromkeys(
        ratio["baseline"].split(":")[0] for r in powers for ratio in r["ratios"])
            if len(ratios(powers, library)) == len(POWERS)}
    if over:
        bench.show(f"{name}: against OpenBLAS, geomean", min(over.values()), least,
                   detail=", ".join(f"{k} {v:.2f}" for k, v in over.items()))
    for n, even in ODD.items():
        if cube(n) in rows:
            bench.show(f"{name}: {n} against {even}", gops(rows, n) / gops(rows, even), 0.75)
    if {"add", "fma"} <= table.keys():
        bench.show(f"{name}: fma over add", geometric_mean(
            gops(table["fma"], n) / gops(table["add"], n) for n in POWERS))


def gemm(bench):
    sizes = f"--sizes={','.join(map(str, sorted((*POWERS, *ODD))))}"
    command = ("gemm", ISA, "--type=f32,f64", sizes, "--baseline=openblas",
               "--baseline=openblas,coretype=SkylakeX")
    for kind, isa in product(BITS, ISAS):
        table = variants(bench.run(*command).find(op="gemm", type=f"maxplus-{kind}", isa=isa))
        if table:
            show_powers(bench, f"max-plus {kind} {isa}", table,
                        0.95 if isa == "avx512" else None)
        else:
            bench.absent(f"max-plus {kind} {isa}")

    roofs = "roof", ISA, "--type=f32,f64", "--sizes=registers"
    zen5 = bench.run(*roofs).host["identity"].get("family") == 26
    targets = {"fma_max": 1.95, "add_max": 0.98} if zen5 else {}
    for isa, kind, mix in product(ISAS, BITS, ("fma_max", "add_max", "mul_max", "fma")):
        bench.row(f"roof {kind} {isa} {mix}: pairs per cycle", roofs,
                  {"op": "roof", "type": kind, "isa": isa, "variant": mix},
                  lambda own: geometric_mean(
                      r["rates"]["gops"] / (2 * ISAS[isa] / BITS[kind] * r["clock"]["ghz"])
                      for r in own if r["rates"]["gops"] and r["clock"]["ghz"]),
                  targets.get(mix))

    bench.row("highest share of a limit", command, None, lambda run: max(
        (r["limit"]["share"], r["id"]) for r in run.results if r["limit"]), most=1.02)
    bench.row("loop overhead, ns a call", command, None, lambda run: max(
        (r["overhead_ns"], r["id"]) for r in run.results), most=5)
    bench.row("share of probes with company on the core", command, None, lambda run:
              run.host["core_shared_probes"] / run.host["core_probes"])
    bench.row("gemm --isa=avx512 --sizes=64..512, seconds",
              ("gemm", "--isa=avx512", "--sizes=64..512"), None, lambda run: run.seconds, most=6)
    same = "gemm", "--sizes=16,17", "--seed=42", "--time-per-case=2ms"
    one, two = ([(r["id"], r.get("input_hash")) for r in bench.fresh(*same).all] for _ in "12")
    bench.show("two runs, one seed: same plan and inputs", float(one == two), least=1)


def tropical(bench):
    """The rest of tropical GEMM: integers against their roof, what the indices cost."""
    common = ISA, "--semiring=maxplus,minplus", "--rounds=60"
    semirings = "maxplus", "minplus"
    for isa, kind, n, semiring in product(ISAS, ("i32", "i64"), (256, 512, 1024), semirings):
        bench.row(f"{semiring} {kind} {isa} {n}: share of roof",
                  ("gemm", "--type=i32,i64", *common, "--sizes=256,512,1024"),
                  {"op": "gemm", "type": f"{semiring}-{kind}", "isa": isa, "shape": cube(n)},
                  lambda own: max(shares(own)),
                  0.85 if (semiring, kind) == ("maxplus", "i32") else None)
    # The limit of a row is the same kernel without indices, paired by round.
    for isa, kind, semiring, n in product(ISAS, BITS, semirings, (64, 256)):
        bench.row(f"argmax {semiring} {kind} {isa} {n}: times the value alone",
                  ("gemm", "--argmax", "--type=f32,f64", *common, "--sizes=64,256"),
                  {"op": "gemm_argmax", "type": f"{semiring}-{kind}", "isa": isa,
                   "shape": cube(n)},
                  lambda own: min(1 / r["limit"]["share"] for r in own
                                  if "/value@" in (r["limit"] or {}).get("id", "")),
                  most=2 if n == 256 else None)


def relu(bench):
    command = ("relu", "--sizes=1k..512k*2,1M..16M*2", "--layout=separate",
               "--baseline=onednn")
    cache = max((v for k, v in bench.run(*command).host.items()
                 if k.endswith("_bytes") and k.startswith("l")), default=32 << 20)
    auto, stream = {"variant": "auto"}, {"variant": "stream"}
    bench.row("relu f32 auto against onednn, geomean", command, auto,
              lambda own: against(own, "onednn"))
    bench.row("relu f32: sizes clearly slower than onednn", command, auto,
              lambda own: slower(own, "onednn"), most=1)
    bench.row("relu f32 stream past the caches: share of roof", command, stream,
              lambda own: share_beyond(own, cache), 0.95)


def tanh(bench):
    """Faster than the libraries, at no more error than they have."""
    for isa, least, names in (("avx512", 1.8, ("onednn", "numpy")),
                              ("avx2", 1.5, ("sleef", "libmvec"))):
        common = f"--isa={isa}", *(f"--baseline={name}" for name in names)
        command, times = ("tanh", "--sizes=1k..1M*4", *common), {}
        for r in bench.run(*command).find(op="tanh", isa=isa):
            times[r["variant"]] = times.get(r["variant"], 0) + r["summary"]["median_ns"]
        fastest = min(times, key=times.get, default=None)
        for name in names:
            bench.row(f"tanh f32 {isa} {fastest} against {name}, geomean", command,
                      {"isa": isa, "variant": fastest}, lambda own: against(own, name), least)
        ulps = {}  # the largest over all intervals
        for r in bench.run("tanh", "--accuracy", *common).results:
            if r["accuracy"] and r["isa"] in ("lib", isa):
                key = r["module"], r["variant"]
                ulps[key] = max(ulps.get(key, 0), r["accuracy"]["max_ulp"])
        own = ulps.get((None, fastest))
        for (name, other), ulp in ulps.items():
            if name and own:
                bench.show(f"tanh f32 {isa}: ulp of {fastest} / ulp of {name} {other}",
                           own / ulp, most=1.005, detail=f"{own:.3f} / {ulp:.3f}")


def conv(bench):
    """Against oneDNN, layout for layout, and against the limit."""
    for (name, least, *shapes), (variant, layout) in product((
            (WIDE, 1.0, f"--shape={WIDE}"), ("burn", 0.95, "--shapes=burn"),
            ("resnet50", 0.95, "--shapes=resnet50"), ("vgg16", None, "--shapes=vgg16"),
            ("mobilenet", None, "--shapes=mobilenet"),
            ("shapes of no list", None, *(f"--shape={s}" for s in OTHERS))),
            (("direct", "nchw16c"), ("plain", "nchw"))):
        command = "conv", "--baseline=onednn", *shapes, "--layout=nchw16c,nchw"
        where = {"variant": variant, "layout": layout}
        bench.row(f"conv {name}, {layout} against onednn, geomean", command, where,
                  lambda own: against(own, "onednn"), least)
        bench.row(f"conv {name}, {layout}: share of roof", command, where,
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
    a, b = ({round_: ns / r["iterations"] - r["overhead_ns"]
             for round_, ns in zip(r["rounds"], r["samples_ns"])} for r in (one, two))
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


PARTS = {"gemm": gemm, "tropical": tropical, "relu": relu, "tanh": tanh, "conv": conv,
         "threads": threads, "shared": shared, "gate": gate, "gate-code": gate_code}


def main(program, *names):
    if unknown := ", ".join(sorted(set(names) - set(PARTS))):
        sys.exit(f"bench: no such part: {unknown} (known: {', '.join(PARTS)})")
    bench = Bench(program)
    host = bench.run("roof", "--sizes=registers", "--rounds=6").document
    print(f"{host['host'].get('cpu', '')}; {host['tool']['compiler']}")
    for name in names or PARTS:
        PARTS[name](bench)
    print(f"missed: {bench.missed}" if bench.missed else "all targets reached")
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
