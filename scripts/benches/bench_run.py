# SPDX-License-Identifier: Apache-2.0
"""Runs of simdbench, and figures of their results beside targets."""
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import geometric_mean

ROOT = Path(__file__).resolve().parents[2]
BITS = {"f32": 32, "f64": 64}
# From narrow to wide: bits, the layout of blocks, and libraries held to the same width.
ISAS = {"scalar": (32, None, ()), "sse2": (128, "nchw8c", ("onednn,isa=sse41",)),
        "avx2": (256, "nchw8c", ("onednn,isa=avx2", "openblas,coretype=Haswell")),
        "avx512": (512, "nchw16c", ("onednn", "openblas", "openblas,coretype=SkylakeX"))}


def module(path, source, *flags):
    """Compiles a module of tests/modules."""
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", f"-I{ROOT}/kernels", *flags, "-o", path,
                    ROOT / "tests/modules" / source], check=True)


class Run:
    """Without `passes` any exit status will do; a run that could not begin has no host."""
    def __init__(self, program, *arguments, passes=(0,), **env):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            started = time.monotonic()
            done = subprocess.run([program, *arguments, "--quiet", f"--json={path}"],
                                  env={**os.environ, **env}, text=True, check=False,
                                  stdout=subprocess.PIPE,
                                  stderr=None if passes else subprocess.PIPE)
            self.seconds = time.monotonic() - started
            self.text, self.errors, self.status = done.stdout, done.stderr, done.returncode
            if passes and done.returncode not in passes:
                sys.exit(f"{self.text}simdbench {' '.join(map(str, arguments))}: "
                         f"exit status {done.returncode}")
            self.document = json.loads(path.read_text("utf-8")) if path.exists() else {}
        self.host, self.all = self.document.get("host"), self.document.get("results", [])
        self.results = [r for r in self.all if r["status"] == "ok"]

    def find(self, **fields):
        """Results of own kernels unless the fields say otherwise."""
        fields = {"module": None, **fields}
        return [r for r in self.results if all(r.get(k) == v for k, v in fields.items())]


class Bench:
    def __init__(self, program):
        self.missed = 0
        self.program = program
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


def libraries(isa, name):
    """Options for those of the same width."""
    return [f"--baseline={library}" for library in ISAS[isa][2]
            if library.split(",")[0] == name]


def shares(results):
    return [r["limit"]["share"] for r in results if r["limit"]]


def ratios(results, module):
    return [(ratio, r["shape"]) for r in results for ratio in r["ratios"]
            if ratio["baseline"].split(":")[0].split(",")[0] == module]


def against(results, module):
    """The factor by which it is faster than the fastest row of a module, over all shapes."""
    lowest = {}
    for ratio, shape in ratios(results, module):
        lowest[shape] = min(ratio["speedup"], lowest.get(shape, ratio["speedup"]))
    worst = min(lowest, key=lowest.get)
    return (geometric_mean(lowest.values()),
            f"{len(lowest)} shapes, lowest {lowest[worst]:.2f} at {worst}")


def slower(results, module):
    """Number of shapes at which the whole interval of the ratio lies below 1."""
    found = ratios(results, module)
    lost = {shape for ratio, shape in found if ratio["ci"] and ratio["ci"][1] < 1}
    return len(lost) if found else max(found), " ".join(sorted(lost))


def by_round(r):
    return {n: ns / r["iterations"] - r["overhead_ns"] for n, ns in zip(r["rounds"], r["samples_ns"])}
