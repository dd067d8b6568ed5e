# SPDX-License-Identifier: Apache-2.0
"""Threads: what two gain, against what two of the limit gain. See scripts/bench."""
import json
import os
import subprocess
import tempfile

CONV = "n16c16h512w512k16r3s3"
OPS = "gemm", "gemm_argmax", "gemm_backward", "relu", "tanh", "conv"


class Scaling:
    """`simdbench threads OP`, read from its JSON: cases by id without the setting."""

    def __init__(self, program, folder, *arguments):
        path = os.path.join(folder, "run.json")
        done = subprocess.run([program, "threads", *arguments, "--quiet", f"--json={path}"],
                              env={**os.environ, "XDG_CONFIG_HOME": folder}, text=True,
                              stdout=subprocess.PIPE, check=False)
        print("\n".join("  " + line for line in done.stdout.splitlines()))
        if done.returncode:
            raise SystemExit(f"bench: threads {' '.join(arguments)}: {done.returncode}")
        with open(path, encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.one = {r["id"]: r for r in results if r["threads"] == 1}
        self.two = {r["id"].replace(";threads=2", ""): r for r in results
                    if r["threads"] == 2}

    def pairs(self, roofs=False):
        for name, one in self.one.items():
            two = self.two.get(name)
            if two and (one["role"] == "roof") == roofs and one["status"] == two["status"] == "ok":
                yield one, two


def calls(result):
    return {round_: ns / result["iterations"] - result["overhead_ns"]
            for round_, ns in zip(result["rounds"], result["samples_ns"])}


def gain(one, two):
    """Median of the paired ratios, and whether it lies below 1 beyond doubt: by the sign
    test at 0.1%, as many cases are looked at."""
    a, b = calls(one), calls(two)
    more = two["work"]["ops"] / one["work"]["ops"] if one["work"]["ops"] else 1
    ratios = sorted(a[r] / b[r] * more for r in a if r in b)
    if not ratios:
        return float("nan"), False
    below = sum(ratio < 1 for ratio in ratios)
    slower = below > len(ratios) / 2 + 1.5 * len(ratios) ** 0.5
    return ratios[len(ratios) // 2], slower


def thresholds(folder):
    with open(os.path.join(folder, "simdbench", "threads.json"), encoding="utf-8") as file:
        (host,) = json.load(file)["hosts"].values()
    return {op: rows[0]["ops"] for op, rows in host.items()}


def show_fastest(figures, scaling, op, shape):
    """What two threads make of the kernel that is the fastest with one."""
    name = f"threads {op}: two over one"
    pairs = list(scaling.pairs())
    if not pairs:
        figures.absent(name, "too noisy here")
        return
    one, two = min(pairs, key=lambda pair: pair[0]["summary"]["median_ns"])
    figures.show(name, gain(one, two)[0], least=1.8, detail=f"{shape}, {one['variant']}")


def bench(figures, program):
    """Two threads at most: what a call gains on more is up to the machine."""
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (("gemm", "--sizes=512"), ("conv", f"--shape={CONV}")):
            scaling = Scaling(program, folder, *arguments, "--threads=2", "--rounds=20")
            for one, two in scaling.pairs(roofs=True):
                print(f"  limit: two threads {gain(one, two)[0]:.2f} times one, {one['id']}")
            show_fastest(figures, scaling, *arguments)
        # A second run judges what the first one chose.
        for op in OPS:
            Scaling(program, folder, op, "--threads=2")
            least = thresholds(folder)[op]
            pairs = list(Scaling(program, folder, op, "--threads=2").pairs())
            lost = [one["id"] for one, two in pairs
                    if least is not None and one["work"]["ops"] >= least and gain(one, two)[1]]
            print("\n".join(f"  slower: {name}" for name in lost))
            figures.show(f"threads {op}: cases slower than one thread", len(lost), most=1,
                         detail=f"where two are chosen: from {least} operations on")
