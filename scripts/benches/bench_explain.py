# SPDX-License-Identifier: Apache-2.0
"""bench_explain.py BUILD [--set=first|fresh|last|all] [--times] [--repeat=N] [--only=REGEX]
[--counters=LIST] [--own]: whether `simdbench explain` names the causes that are planted in
tests/plants, and accuses no sound kernel. See scripts/bench.

Plants are in three sets, each a module and a table of the same name. Each plant of the first set
belongs to one of two halves, by a hash of its name: rules were derived on the first. The other
two sets were written without a look at the rules, and judged once by rules that had not seen
them; rules have been mended since by what all of them showed. Without options all plants are
explained twice, with counters and without. --times measures the plants beside their sound twins
instead, and --repeat explains each so often and looks whether the first finding stays the same.
--own explains simdbench's own kernels, at two sizes and on three layers of networks, and tells how
much of their distance to their limits the findings account for.

Exit status 1 if a target is missed."""
import argparse
import collections
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from statistics import mean, median

from bench_run import Bench

ROOT = Path(__file__).resolve().parents[2]
# The module of each set, and by how much a plant must be slower than its twin.
SETS = {"first": ("plants", 1.3), "fresh": ("fresh", 1.15), "last": ("last", 1.3)}
HALVES = "derived", "judged"
# A plant asks its environment, whose length must not depend on who runs it.
KEPT = {"HOME", "PATH", "TMPDIR", "XDG_CACHE_HOME"}
# Findings that a sound kernel may have, and findings about the machine.
NO_CAUSE = {"at-limit", "unexplained"}
OF_THE_MACHINE = {"core-shared", "clock"}
# Nor of the source: where the linker put its code, which moves with every build.
OF_THE_BUILD = {"placement"}
NOTHING = "nothing"


def table(part):
    """The kernels of a set."""
    module, _ = SETS[part]
    text = (ROOT / f"tests/plants/{part}/{module}.json").read_text(encoding="utf-8")
    return [{"type": "f32", "set": part, **k} for k in json.loads(text)["kernels"]]


def half(kernel):
    if kernel["set"] != "first":
        return "judged"
    return HALVES[hashlib.sha256(kernel["name"].encode()).digest()[0] % 2]


def case(kernel):
    semiring = "maxplus-" if kernel["op"] == "gemm" else ""
    threads = f";threads={kernel['threads']}" if "threads" in kernel else ""
    return (f"{kernel['op']}/{semiring}{kernel['type']}/{kernel['isa']}/{kernel['name']}"
            f"@{kernel['shape']}{threads}")


def causes_of(plant):
    """The planted cause, and those that would be as right: of a sound kernel the limit that some
    CPUs have."""
    return {plant["cause"], *plant.get("also", [])}


class Plants(Bench):
    def __init__(self, build, part, only):
        super().__init__(build / "simdbench")
        for name in set(os.environ) - KEPT:
            del os.environ[name]
        module, self.least_ratio = SETS[part]
        self.plugin = f"--plugin={build / f'tests/plants/{module}.so'}"
        host = self.fresh("roof", "--sizes=registers", "--rounds=6").host
        every = table(part)
        here = [k for k in every if k["isa"] in host["isas"]]
        self.skipped = len(every) - len(here)
        wanted = [k for k in here if re.fullmatch(only, k["name"])]
        self.plants = [k for k in wanted if k["cause"]]
        # Some kernels have a limit of their own that could be named: they are twins only.
        self.sound = [k for k in wanted if not k["cause"] and "only" not in k]

    # ---- times ----

    def ratios(self, plant):
        """Time over that of the twin, round by round."""
        threads = plant.get("threads", 1)
        run = self.fresh(
            plant["op"], self.plugin, f"--isa={plant['isa']}", f"--type={plant['type']}",
            "--baseline=none",
            f"--variants={plant['name']},{plant['twin']}", f"--shape={plant['shape']}",
            f"--threads={threads}", "--threads-threshold=off", "--rounds=24", passes=(0, 4, 5))
        per_call = {r["variant"]: {round_: ns / r["iterations"] for round_, ns
                                   in zip(r["rounds"], r["samples_ns"])}
                    for r in run.all if r["role"] != "roof"}
        slow, sound = per_call[plant["name"]], per_call[plant["twin"]]
        return sorted(slow[n] / sound[n] for n in slow if n in sound)

    def times(self):
        for plant in self.plants:
            name = f"{plant['cause']}: {case(plant)}"
            found = self.ratios(plant)
            if not found:
                self.absent(f"{name}: noisy")
                continue
            tenth = len(found) // 10
            self.show(name, median(found), least=self.least_ratio,
                      detail=f"times {plant['twin']}, {found[tenth]:.2f} to "
                      f"{found[-1 - tenth]:.2f} in {len(found)} rounds, {half(plant)}")

    # ---- names ----

    def explain(self, kernel, counters):
        """The causes that are found of a kernel, the likeliest first."""
        run = self.fresh("explain", case(kernel), self.plugin, *counters, passes=(0, 4, 5))
        result = next((r for r in run.all if r["variant"] == kernel["name"]), {})
        causes = [f["cause"] for f in result.get("findings", [])]
        return [c for c in causes if c not in OF_THE_MACHINE | OF_THE_BUILD] or [NOTHING]

    def share(self, title, part, right, least):
        if part:
            self.show(title, mean(right[k["name"]] for k in part), least=least,
                      detail=f"{sum(right[k['name']] for k in part)} of {len(part)}")

    def names(self, title, counters, least):
        found = {k["name"]: self.explain(k, counters) for k in self.plants + self.sound}
        right = {k["name"]: found[k["name"]][0] in causes_of(k) for k in self.plants}
        print(f"{title}: planted (rows) and first found (columns)")
        show_matrix(self.plants, found)
        for plant in self.plants:
            if not right[plant["name"]]:
                print(f"  {half(plant)}, {plant['cause']}: {case(plant)} is called "
                      f"{', '.join(found[plant['name']])}")
        for part in HALVES:
            self.share(f"{title}: named right, {part} half",
                       [k for k in self.plants if half(k) == part], right,
                       least if part == "judged" else None)
        self.share(f"{title}: named at all", self.plants,
                   {k["name"]: not causes_of(k).isdisjoint(found[k["name"]])
                    for k in self.plants}, None)
        accused = {k["name"]: set(found[k["name"]]) - NO_CAUSE - {NOTHING} - causes_of(k)
                   for k in self.sound}
        for kernel in self.sound:
            if causes := accused[kernel["name"]]:
                print(f"  sound: {case(kernel)} is called {', '.join(sorted(causes))}")
        if self.sound:
            self.show(f"{title}: sound kernels accused", sum(map(bool, accused.values())), most=1,
                      detail=f"of {len(self.sound)}")

    def stability(self, counters, repeat):
        """The number of times that the first finding is the one that is found most."""
        same = []
        for kernel in self.plants + self.sound:
            first = collections.Counter(self.explain(kernel, counters)[0]
                                        for _ in range(repeat))
            same.append(first.most_common(1)[0][1] / repeat)
            if same[-1] < 1:
                print(f"  {case(kernel)}: "
                      + ", ".join(f"{cause} {n}" for cause, n in first.most_common()))
        self.show(f"first finding the same, {repeat} times", mean(same), least=0.9,
                  detail=f"least {min(same):.2f}")


# Own kernels that are explained: an op, and its sizes.
OWN = ("gemm", "--sizes=64,512"), ("gemm_argmax", "--sizes=64,512"), \
    ("gemm_backward", "--sizes=64,512"), ("relu", "--sizes=64,512"), ("tanh", "--sizes=64,512"), \
    ("conv", "--shape=n1c64h56w56k64r3s3p1q1", "--shape=n1c256h14w14k1024r1s1",
     "--shape=n1c256h28w28k256r3s3p1q1g256")


# Bounds of the work, whatever the code does beside it.
WORK = {"roof_cycles", "arithmetic_cycles", "memory_cycles", "operand_cycles"}


class Own(Bench):
    """Time of a kernel that its work does not need, and the part that nothing explains."""
    def __init__(self, build, only, counters):
        super().__init__(build / "simdbench")
        self.only, self.counters = only, counters

    def rows(self, op, *options):
        run = self.fresh("explain", op, "--isa=all", *options, *self.counters, passes=(0, 4, 5))
        for r in run.all:
            why = r["explanation"]
            if not why or not why["residual"] or why["residual"]["share"] is None:
                if r["role"] != "roof":
                    print(f"  {r['id']:<48} {r['status']} {r['reason'] or 'no residual'}")
                continue
            limit = max((b["cycles"] for b in why["bounds"]
                         if b["name"] in WORK and not b.get("refuted")), default=0)
            distance = max(0, 1 - limit / why["cycles"]) if why["cycles"] else 1
            rest = min(distance, why["residual"]["share"])
            causes = ", ".join(f["cause"] for f in r["findings"])
            print(f"  {r['id']:<48} {1 - distance:6.2f} {rest:6.2f}  {causes}", flush=True)
            yield distance, rest

    def judge(self):
        print(f"  {'case':<48}  limit   rest  findings")
        found = [row for op, *options in OWN if re.fullmatch(self.only, op)
                 for row in self.rows(op, *options)]
        distance, rest = (sum(column) for column in zip(*found))
        self.show("distance to limits that is explained", 1 - rest / distance, least=0.5,
                  detail=f"{len(found)} rows, mean distance {distance / len(found):.2f}")


def show_matrix(plants, found):
    planted = list(dict.fromkeys(k["cause"] for k in plants))
    others = sorted({found[k["name"]][0] for k in plants} - set(planted))
    columns = planted + others
    count = collections.Counter((k["cause"], found[k["name"]][0]) for k in plants)
    print(" " * 24 + "".join(f"{i:3}" for i in range(1, len(columns) + 1)))
    for i, cause in enumerate(columns, 1):
        cells = "".join(f"{count[cause, c] or '.':>3}" for c in columns)
        print(f"{i:3} {cause:<20}" + (cells if cause in planted else ""))


def judge(bench, options):
    if bench.skipped:
        print(f"{bench.skipped} kernels are for instruction sets that this CPU lacks")
    counters = [f"--counters={options.counters}"] if options.counters else []
    if options.times:
        bench.times()
    elif options.repeat:
        bench.stability(counters, options.repeat)
    elif counters:
        bench.names(f"counters {options.counters}", counters,
                    0.75 if options.counters == "none" else 0.85)
    else:
        bench.names("explain", [], 0.85)
        bench.names("without counters", ["--counters=none"], 0.75)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench explain", allow_abbrev=False)
    parser.add_argument("build", type=Path)
    parser.add_argument("--set", choices=[*SETS, "all"], default="all", help="which plants")
    parser.add_argument("--times", action="store_true", help="the plants beside their twins")
    parser.add_argument("--repeat", type=int, metavar="N", help="is the first finding stable?")
    parser.add_argument("--only", default=".*", metavar="REGEX", help="kernels (own: ops) with such names")
    parser.add_argument("--counters", metavar="LIST", help="with these alone (none: without)")
    parser.add_argument("--own", action="store_true", help="own kernels instead of plants")
    options = parser.parse_args()
    if options.own:
        counters = [f"--counters={options.counters}"] if options.counters else []
        own = Own(options.build.resolve(), options.only, counters)
        own.judge()
        return 1 if own.missed else 0
    missed = 0
    for part in SETS if options.set == "all" else [options.set]:
        bench = Plants(options.build.resolve(), part, options.only)
        if bench.plants or bench.sound:
            print(f"---- {part} set ----")
            judge(bench, options)
        missed += bench.missed
    print(f"missed: {missed}" if missed else "all targets reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
