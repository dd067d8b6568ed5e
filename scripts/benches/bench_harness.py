# SPDX-License-Identifier: Apache-2.0
"""The number of times that `simdbench ab --harness` is right, beside the harnesses' own tools:
scripts/bench harness [--help].

Head does a known percentage more work than base, and its code lies elsewhere. At +0% builds
are equal in four ways: `moved` (simdbench can prove that they are, but for Go), `text` (a string has another
length), `stripped` (no symbols) and `fixed` (for one address), where nothing can be proven. Harnesses,
gates and effects take turns, and so do simdbench and the other tool: all meet the same machine.
The other tool gets as many slices, one build after the other, as people use it. A gate is a line
of --keep=FILE: a run of the same simdbench that was stopped goes on where it was.
"""
import argparse
import hashlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_run import ROOT, Run

SOURCES = ROOT / "tests/harness"
SLICE = 0.005
PROCESSES = 16
# Bytes before the code, what else differs, and options of compilers for both builds.
EQUAL = {"moved": (24, "", ()), "text": (40, " longer", ()), "stripped": (24, "", ("-s",)),
         "fixed": (40, "", ("-no-pie", "-fno-pie"))}


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr[-400:]}")
    return done.stdout


def mann_whitney(a, b):
    """Two-sided p by the normal approximation with ties, as compare.py's test has it."""
    both = sorted((x, side) for side, xs in enumerate((a, b)) for x in xs)
    n, m, ranks, ties, i = len(a), len(b), 0.0, 0.0, 0
    while i < len(both):
        end = i
        while end < len(both) and both[end][0] == both[i][0]:
            end += 1
        ranks += sum((i + end + 1) / 2 for k in range(i, end) if both[k][1] == 0)
        ties += (end - i) ** 3 - (end - i)
        i = end
    u = ranks - n * (n + 1) / 2
    total = n + m
    spread = math.sqrt(n * m / 12 * (total + 1 - ties / (total * (total - 1))))
    return math.erfc(max(0, abs(u - n * m / 2) - 0.5) / spread / math.sqrt(2)) if spread else 1


def welch(a, b):
    """Two-sided p of Welch's test with a normal tail, as hyperfine's script has it."""
    spread = math.sqrt(statistics.variance(a) / len(a) + statistics.variance(b) / len(b))
    difference = statistics.mean(a) - statistics.mean(b)
    return math.erfc(abs(difference) / spread / math.sqrt(2)) if spread else 1


def verdicts(pairs, test):
    """Slower, faster: cases whose difference is significant at 5%."""
    found = [statistics.median(b) - statistics.median(a)
             for a, b in pairs if test(a, b) < 0.05]
    return sum(d > 0 for d in found), sum(d < 0 for d in found)


def compiled(program, compiler, source, extra, pad, text, *libraries):
    run(*compiler, "-O2", f"-DEXTRA={extra}", f"-DPAD={pad}", f'-DTEXT="text{text}"', source, "-o",
        program, *libraries)
    return program


class GoogleBenchmark:
    name, theirs, needs = "google-benchmark", "compare.py (U test)", ("g++",)
    equal = tuple(EQUAL)

    def build(self, folder, name, extra, pad, text, options):
        return compiled(folder / name, ["g++", *options], SOURCES / "suite.cc", extra, pad, text,
                        "-lbenchmark", "-lpthread")

    def measure(self, program):
        """`program` may have words of its own."""
        rows = json.loads(run(*str(program).split(), f"--benchmark_min_time={SLICE}",
                              f"--benchmark_repetitions={PROCESSES}",
                              "--benchmark_format=json"))["benchmarks"]
        times = {}
        for row in rows:
            if row.get("run_type", "iteration") == "iteration":
                times.setdefault(row.get("run_name", row["name"]), []).append(row["cpu_time"])
        return times

    def judge(self, old, new):
        return verdicts([(old[name], new[name]) for name in old], mann_whitney)


BENCHSTAT = os.environ.get("BENCHSTAT", "benchstat")


class Go:
    name, theirs, needs = "go", "benchstat", ("go", BENCHSTAT)
    equal = ("moved", "text", "stripped")

    def build(self, folder, name, extra, pad, text, options):
        package = folder / f"{name}-package"
        package.mkdir()
        shutil.copy(SOURCES / "suite_test.go", package)
        steps = "    x = x*3 ^ x>>3\n" * (1 + pad // 4)
        (package / "extra_test.go").write_text(
            f'package suite\n\nconst extra, text = {extra}, "text{text}"\n\n//go:noinline\n'
            f"func pad(x int) int {{\n{steps}    return x\n}}\n")
        (package / "go.mod").write_text("module suite\n\ngo 1.18\n")
        run("go", "test", "-c", *(["-ldflags=-s -w"] if options else []), "-o", folder / name, ".",
            cwd=package, env={**os.environ, "GOFLAGS": "-mod=mod"})
        return folder / name

    def measure(self, program):
        return run(program, "-test.run=^$", "-test.bench=.", f"-test.count={PROCESSES}",
                   f"-test.benchtime={int(SLICE * 1000)}ms")

    def judge(self, old, new):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("old", old), ("new", new)):
                (Path(folder) / name).write_text(text)
            lines = run(BENCHSTAT, "-format=csv", "old", "new", cwd=folder).splitlines()
        changes = [line.split(",")[5] for line in lines
                   if line.count(",") >= 6 and not line.startswith((",", "geomean"))]
        return (sum(c.startswith("+") for c in changes),
                sum(c.startswith("-") for c in changes))


class Command:
    name, theirs, needs = "command", "hyperfine (Welch)", ("cc", "hyperfine")
    equal = tuple(EQUAL)

    def build(self, folder, name, extra, pad, text, options):
        return compiled(folder / name, ["cc", *options], SOURCES / "program.c", extra, pad, text)

    def measure(self, program):
        with tempfile.NamedTemporaryFile() as file:
            run("hyperfine", "-N", "--warmup=1", f"--runs={PROCESSES * 3 // 2}",
                f"--export-json={file.name}", program)
            return json.load(open(file.name, encoding="utf-8"))["results"][0]["times"]

    def judge(self, old, new):
        return verdicts([(old, new)], welch)


class Criterion:
    name, theirs, needs = "criterion", "criterion's own", ("cargo",)
    equal = ("moved", "text", "stripped")

    def build(self, folder, name, extra, pad, text, options):
        package = folder / f"{name}-package"
        (package / "benches").mkdir(parents=True)
        (package / "src").mkdir()
        (package / "src/lib.rs").write_text("")
        shutil.copy(SOURCES / "suite.rs", package / "benches/suite.rs")
        (package / "benches/extra").write_text(str(extra))
        (package / "benches/text").write_text(f'"text{text}"')
        (package / "benches/pad").write_text(f".text\n.fill {pad}, 1, 0x90\n")
        (package / "Cargo.toml").write_text(
            '[package]\nname = "suite"\nversion = "0.1.0"\nedition = "2021"\n'
            '[dev-dependencies]\ncriterion = "0.8"\n'
            '[[bench]]\nname = "suite"\nharness = false\n')
        text = run("cargo", "bench", "--no-run", "--message-format=json", cwd=package,
                   env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target"),
                        "CARGO_PROFILE_BENCH_STRIP": str(bool(options)).lower()})
        built = [json.loads(line) for line in text.splitlines()]
        (program,) = [b["executable"] for b in built
                      if b.get("executable") and b["target"]["name"] == "suite"
                      and "bench" in b["target"]["kind"]]
        shutil.copy(program, folder / name)
        return folder / name

    def measure(self, program):
        return program

    def judge(self, old, new):
        """Its verdicts on the second of two programs, in its default way but shorter."""
        with tempfile.TemporaryDirectory() as folder:
            texts = [run(program, "--bench", "--noplot", f"--warm-up-time={SLICE}",
                         f"--measurement-time={SLICE * PROCESSES}",
                         env={**os.environ, "CRITERION_HOME": folder})
                     for program in (old, new)]
        return (texts[1].count("Performance has regressed"),
                texts[1].count("Performance has improved"))


class Checkasm:
    name, theirs, needs = "checkasm", "Welch's test, 16 runs", ("cc",)
    equal = tuple(EQUAL)

    def build(self, folder, name, extra, pad, text, options):
        return compiled(folder / name, ["cc", *options], SOURCES / "tick_bench.c", extra, pad, text)

    def measure(self, program):
        times = {}
        for _ in range(PROCESSES):
            for line in run(*str(program).split(), "--bench").splitlines():
                name, _, number = line.strip().partition(": ")
                times.setdefault(name, []).append(float(number))
        return times

    def judge(self, old, new):
        return verdicts([(old[name], new[name]) for name in old], welch)


class Model:
    """A harness whose program draws its times: the process is the same, the machine is made
    up. Nothing of theirs runs but its test."""

    equal = ("moved",)

    def __init__(self, kind):
        self.kind, self.name, self.theirs = kind, kind.name, kind.theirs
        self.options = []
        if self.name == "criterion":  # its verdict needs its own times
            self.theirs = None
        if self.name == "command":  # one case a process, without a clock
            self.name, self.options = "regex", ["--pattern=(.*): (.*)"]

    def build(self, folder, name, extra, *_):
        program = folder / "model"
        if not program.exists():
            run("cc", "-O2", SOURCES / "drawn_times.c", "-o", program, "-lm")
        return f"{program} {self.name} {extra} {folder / 'state'}"

    def measure(self, program):
        if self.name == "regex":
            return [float(run(*program.split()).split()[-1])
                    for _ in range(PROCESSES * 3 // 2)]
        if self.name == "go":
            return run(*program.split(), f"-test.count={PROCESSES}")
        return self.kind.measure(program)

    def judge(self, old, new):
        return (0, 0) if self.name == "criterion" else self.kind.judge(old, new)


def gate(simdbench, kind, old, new, options):
    """Cases, REGRESSED, IMPROVED, undecided, seconds."""
    done = Run(simdbench, "ab", f"--harness={kind.name}", old, new, "--project=no",
               f"--slice={SLICE * 1000:g}ms", *getattr(kind, "options", []), *options, passes=())
    if not done.document:
        raise RuntimeError(done.errors)
    found = [r["comparison"]["verdict"] for r in done.all]
    return [len(found), found.count("REGRESSED"), found.count("IMPROVED"),
            found.count("INCONCLUSIVE") + found.count("UNUSABLE"), done.document["gate"]["seconds"]]


class Turns:
    """The gates of a harness that are left, and the programs that were built."""

    def __init__(self, kind, arguments, folder):
        self.kind, self.folder, self.built, self.seconds = kind, folder, {}, 0.0
        self.gates = [("+0%", way, 0, number) for number in range(arguments.gates)
                      for way in [kind.equal[number % len(kind.equal)]]]
        planted = [(f"+{e}%", "moved", e, number) for number in range(arguments.planted)
                   for e in arguments.effects if e]
        # Planted effects follow each other after each `every` equal builds.
        every = max(len(kind.equal), arguments.gates // max(1, arguments.planted))
        for number in reversed(range(arguments.planted)):
            at = min(len(self.gates), (number + 1) * every)
            self.gates[at:at] = [one for one in planted if one[3] == number]

    def program(self, extra, pad, text, options):
        key = (extra, pad, text, options)
        if key not in self.built:
            self.built[key] = self.kind.build(self.folder, f"{self.kind.name}-{len(self.built)}",
                                              *key)
        return self.built[key]

    def take(self, simdbench, options):
        """One gate by both judges, as an entry of the kept file."""
        work, way, extra, number = self.gates.pop(0)
        pad, text, flags = EQUAL[way]
        old = self.program(0, 0, "", flags)
        new = self.program(extra, pad, text, flags)
        begun = time.monotonic()
        ours = gate(simdbench, self.kind, old, new, options)
        middle = time.monotonic()
        slower, faster = self.kind.judge(self.kind.measure(old), self.kind.measure(new))
        end = time.monotonic()
        self.seconds += end - begun
        return {"harness": self.kind.name, "work": work, "way": way, "number": number, "ours": ours,
                "theirs": [ours[0], slower, faster, 0, end - middle]}


def show(kept, kinds):
    """A row for each harness, judge, effect and way of being equal."""
    print(f"{'harness':17} {'judge':22} {'head':>14} {'gates':>6} {'cases':>6} {'slower':>7} "
          f"{'faster':>7} {'undecided':>10} {'s a gate':>9}")
    for kind in kinds:
        for judge, name in (("ours", "simdbench ab"), ("theirs", kind.theirs)):
            if not name:
                continue
            rows = {}
            for entry in kept:
                if entry["harness"] != kind.name:
                    continue
                equal = entry["work"] == "+0%"
                key = (float(entry["work"][1:-1]), entry["way"] if equal else "")
                for one in (key, (key[0], "")) if equal else (key,):
                    total = rows.setdefault(one, [0, 0, 0, 0, 0.0, 0])
                    rows[one] = [a + b for a, b in zip(total, (*entry[judge], 1))]
            for (work, way), (cases, slower, faster, undecided, seconds, gates) in sorted(rows.items()):
                print(f"{kind.name:17} {name:22} {f'+{work:g}% {way}':>14} {gates:6} {cases:6} {slower:7} "
                      f"{faster:7} {undecided:10} {seconds / gates:9.1f}")
    print("At +0% whatever is called slower or faster is a false alarm.", flush=True)


def choose(arguments):
    kinds = []
    for kind in (GoogleBenchmark, Criterion, Go, Checkasm, Command):
        if arguments.harness and kind.name not in arguments.harness:
            continue
        needs = kind.needs if not arguments.model or kind == Go else ("cc",)
        if lacking := [name for name in needs if not shutil.which(name)]:
            print(f"{kind.name:17} not measured: no {lacking[0]}")
        else:
            kinds.append(Model(kind()) if arguments.model else kind())
    return kinds


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench harness", description=__doc__)
    parser.add_argument("simdbench", help=argparse.SUPPRESS)
    parser.add_argument("--gates", type=int, default=100, help="of equal builds, for a harness (100)")
    parser.add_argument("--planted", type=int, default=10, help="for each other effect (10)")
    parser.add_argument("--minutes", type=float, default=60, help="for all of it, at most (60)")
    parser.add_argument("--effects", default="2,3,5,10", help="percent more work (2,3,5,10)")
    parser.add_argument("--harness", action="append", help="google-benchmark, go, criterion, checkasm, command")
    parser.add_argument("--keep", metavar="FILE", type=Path, help="gates so far, a line each")
    parser.add_argument("--option", action="append", default=[],
                        help="another option of ab, as in --option=--time=30s")
    parser.add_argument("--model", metavar="PERCENTS", nargs="?", const="1.2,0.5,0.1,12,7",
                        help="times are drawn: what a process, a repetition and the drift of "
                        "the machine vary by, the share that is delayed, by how much "
                        "(1.2,0.5,0.1,12,7)")
    arguments = parser.parse_args()
    arguments.effects = [float(e) if "." in e else int(e) for e in arguments.effects.split(",")]
    tool = hashlib.sha256(Path(arguments.simdbench).read_bytes()).hexdigest()[:12]
    kept = []
    if arguments.keep and arguments.keep.exists():
        kept = [json.loads(line) for line in arguments.keep.read_text("utf-8").splitlines()]
        kept = [entry for entry in kept if entry.get("simdbench") == tool]
    kinds, end = choose(arguments), time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory(prefix="simdbench-bench-") as folder:
        if arguments.model:  # nothing is measured, so that nobody has to wait
            os.environ.update(MODEL_NOISE=arguments.model, SIMDBENCH_LOCKS=folder)
        turns = [Turns(kind, arguments, Path(folder)) for kind in kinds]
        done = {(e["harness"], e["work"], e["way"], e["number"]) for e in kept}
        for one in turns:
            one.gates = [g for g in one.gates if (one.kind.name, g[0], g[1], g[3]) not in done]
        try:
            while (left := [one for one in turns if one.gates]) and time.monotonic() < end:
                entry = min(left, key=lambda one: one.seconds).take(arguments.simdbench,
                                                                    arguments.option)
                entry["simdbench"] = tool
                kept.append(entry)
                if arguments.keep:
                    with arguments.keep.open("a", encoding="utf-8") as file:
                        print(json.dumps(entry), file=file)
                print(f"{json.dumps(entry)} load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
    show(kept, kinds)


if __name__ == "__main__":
    main()
