# SPDX-License-Identifier: Apache-2.0
"""Tropical GEMM: shares of the limit, ratios to OpenBLAS, odd sizes; the roofs."""
from bench_common import Run, geomean

POWERS = (64, 128, 256, 512, 1024)
ODD = {65: 64, 127: 128, 257: 256, 509: 512}  # and the power of two beside each
ISAS = {"avx512": 512, "avx2": 256}
BITS = {"f32": 32, "f64": 64}
ZEN5 = 26  # family


def shape(n):
    return f"{n}x{n}x{n}"


def own(run, kind, isa):
    """{variant: {shape: result}} of own max-plus kernels."""
    table = {}
    for r in run.find(op="gemm", type=f"maxplus-{kind}", isa=isa, module=None):
        table.setdefault(r["variant"], {})[r["shape"]] = r
    return table


def gops(result):
    return result["rates"]["gops"]


def roof(rows, at):
    """The best mix's roof at a shape: what any variant could reach."""
    return max(r[at]["limit"]["gops"] for r in rows.values() if at in r and r[at]["limit"])


def show_kernels(figures, run, kind, isa):
    """Share of the roof, ratio to the library, odd sizes, add against fma."""
    name = f"max-plus {kind} {isa}"
    powers = [shape(n) for n in POWERS]
    table = own(run, kind, isa)
    whole = {v: rows for v, rows in table.items()
             if all(s in rows and rows[s]["limit"] for s in powers)}
    if not whole:
        figures.absent(name, "not measured on this machine")
        return
    shares = {v: [gops(rows[s]) / roof(whole, s) for s in powers]
              for v, rows in whole.items()}
    best = max(shares, key=lambda v: geomean(shares[v]))
    detail = " ".join(f"{share:.2f}" for share in shares[best])
    figures.show(f"{name}: share of roof, geomean", geomean(shares[best]), least=0.90,
                 detail=f"{best}: {detail}")
    figures.show(f"{name}: share of roof, lowest", min(shares[best]), least=0.82)

    ratios = {}  # by library and options: the speedups over it
    for s in powers:
        for ratio in whole[best][s]["ratios"]:
            library = ratio["baseline"].split(":")[0]
            ratios.setdefault(library, []).append(ratio["speedup"])
    ratios = {k: geomean(v) for k, v in ratios.items() if len(v) == len(powers)}
    if not ratios:
        figures.absent(f"{name}: against OpenBLAS", "not measured")
    else:
        hardest = min(ratios, key=ratios.get)
        others = ", ".join(f"{k} {v:.2f}" for k, v in ratios.items() if k != hardest)
        figures.show(f"{name}: against OpenBLAS, geomean", ratios[hardest],
                     least=0.95 if isa == "avx512" else None,
                     detail=hardest + (f" ({others})" if others else ""))

    for odd, power in ODD.items():
        rows = whole[best]
        if shape(odd) in rows:
            figures.show(f"{name}: {odd} against {power}",
                         gops(rows[shape(odd)]) / gops(rows[shape(power)]), least=0.75)
    if "add" in whole and "fma" in whole:
        factor = geomean(gops(whole["fma"][s]) / gops(whole["add"][s]) for s in powers)
        figures.show(f"{name}: fma over add", factor)


def show_roofs(figures, run):
    """Pairs of instructions per cycle of the clock probe."""
    zen5 = run.document["host"]["identity"].get("family") == ZEN5
    targets = {"fma_max": 1.95, "add_max": 0.98} if zen5 else {}
    for isa, bits in ISAS.items():
        for kind in BITS:
            for mix in ("fma_max", "add_max", "mul_max", "fma"):
                rows = [gops(r) / (2 * bits / BITS[kind] * r["clock"]["ghz"])
                        for r in run.find(op="roof", type=kind, isa=isa, variant=mix)
                        if r["rates"]["gops"] and r["clock"]["ghz"]]
                name = f"roof {kind} {isa} {mix}: pairs per cycle"
                if rows:
                    figures.show(name, geomean(rows), least=targets.get(mix))
                else:
                    figures.absent(name, "not measured")


def show_run(figures, run, program):
    worst = max((r["limit"]["share"], r["id"]) for r in run.results if r["limit"])
    figures.show("highest share of a limit", worst[0], most=1.02, detail=worst[1])
    worst = max((r["overhead_ns"], r["id"]) for r in run.results)
    figures.show("loop overhead, ns a call", worst[0], most=5, detail=worst[1])
    host = run.document["host"]
    figures.show("share of probes with company on the core",
                 host["core_shared_probes"] / host["core_probes"])
    default = Run(program, "gemm", "--isa=avx512", "--sizes=64..512")
    figures.show("gemm --isa=avx512 --sizes=64..512, seconds", default.seconds, most=6)

    again = [Run(program, "gemm", "--sizes=16,17", "--seed=42", "--time-per-case=2ms")
             for _ in range(2)]
    keys = [[(r["id"], r.get("input_hash")) for r in run.document["results"]] for run in again]
    figures.show("two runs, one seed: same plan and inputs", float(keys[0] == keys[1]), least=1)


def bench(figures, program):
    sizes = sorted((*POWERS, *ODD))
    run = Run(program, "gemm", f"--isa={','.join(ISAS)}", "--type=f32,f64",
              f"--sizes={','.join(map(str, sizes))}",
              "--baseline=openblas", "--baseline=openblas,coretype=SkylakeX")
    roofs = Run(program, "roof", f"--isa={','.join(ISAS)}", "--type=f32,f64",
                "--sizes=registers")
    for kind in BITS:
        for isa in ISAS:
            show_kernels(figures, run, kind, isa)
    show_roofs(figures, roofs)
    show_run(figures, run, program)
