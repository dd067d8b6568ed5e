# SPDX-License-Identifier: Apache-2.0
"""threads: what a second one gains, and whether the choice between one and two is right."""
import json
import re
import subprocess
import tempfile
from pathlib import Path

from bench_conv import WIDE
from bench_run import by_round


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
        listed = subprocess.run([bench.program, "list", "ops"], check=True, capture_output=True,
                                text=True).stdout
        for op in re.findall(r"(?m)^  (?!roof)(\w+)", listed):
            scaling(op)
            file = json.loads(Path(folder, "simdbench/threads.json").read_text("utf-8"))
            (least,) = (host[op][0]["ops"] for host in file["hosts"].values())
            lost = [one["id"] for one, two in pairs(scaling(op))
                    if least is not None and one["work"]["ops"] >= least and gain(one, two)[1]]
            print("\n".join(f"  slower: {name}" for name in lost))
            bench.show(f"threads {op}: cases slower than one thread", len(lost), most=1,
                       detail=f"where two are chosen: from {least} operations on")
