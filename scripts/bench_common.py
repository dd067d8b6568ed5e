# SPDX-License-Identifier: Apache-2.0
"""What the parts of scripts/bench share: runs of simdbench, and lines of figures."""
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


class Figures:
    """Lines of text, and how many of them missed their target."""

    def __init__(self):
        self.missed = []

    def show(self, name, value, least=None, most=None, detail=""):
        verdict, target = "", ""
        if least is not None or most is not None:
            target = f">= {least:.2f}" if least is not None else f"< {most:.2f}"
            good = value >= least if least is not None else value < most
            verdict = "ok" if good else "MISS"
            if not good:
                self.missed.append(name)
        print(f"{name:<50} {value:7.3f}  {target:>8}  {verdict:<4}  {detail}".rstrip())

    def absent(self, name, reason):
        print(f"{name:<50}       -  {reason}")


class Run:
    def __init__(self, program, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            started = time.monotonic()
            done = subprocess.run([program, *arguments, "--quiet", f"--json={path}"],
                                  stdout=subprocess.DEVNULL, check=False)
            self.seconds = time.monotonic() - started
            if done.returncode:
                sys.exit(f"simdbench {' '.join(arguments)}: exit status {done.returncode}")
            self.document = json.loads(path.read_text(encoding="utf-8"))
        self.results = [r for r in self.document["results"] if r["status"] == "ok"]

    def find(self, **fields):
        return [r for r in self.results if all(r.get(k) == v for k, v in fields.items())]

    def rows(self, **fields):
        """{shape: result}, of own kernels unless the fields say otherwise."""
        return {r["shape"]: r for r in self.find(**{"module": None, **fields})}


def ratios(result, module):
    """Ratios of a result against the rows of one module."""
    return [r for r in result["ratios"] if r["baseline"].split(":")[0] == module]


def speedup(result, module):
    """Against the fastest row of a module; None: not measured."""
    found = [r["speedup"] for r in ratios(result, module)]
    return min(found) if found else None


def show_speedup(figures, name, rows, module, least=None):
    """Geometric mean over shapes of how many times faster than a module."""
    values = {shape: speedup(r, module) for shape, r in rows.items()}
    values = {shape: v for shape, v in values.items() if v}
    if not values:
        figures.absent(f"{name} against {module}", "not measured on this machine")
        return
    worst = min(values, key=values.get)
    figures.show(f"{name} against {module}, geomean", geomean(values.values()), least=least,
                 detail=f"{len(values)} shapes, lowest {values[worst]:.2f} at {worst}")
