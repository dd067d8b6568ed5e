# SPDX-License-Identifier: Apache-2.0
"""gemm, small, tropical: products of matrices against the roof, and against OpenBLAS."""
from itertools import product
from statistics import geometric_mean

from bench_run import BITS, ISAS, against, libraries, ratios, shares, slower

POWERS = (64, 128, 256, 512, 1024)
ODD = {65: 64, 127: 128, 257: 256, 509: 512}  # and the power of two beside each


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
