# SPDX-License-Identifier: Apache-2.0
"""The number of times that `simdbench ab --harness` is right, beside the harnesses' own tools:
scripts/bench harness [--help].

Head does a known percentage more work than base. Gates of all effects take turns, and so
do simdbench and the other tool: both meet the same machine. The other tool gets the same
number of processes' worth of time, one build after the other, as people use it.
"""
import argparse
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
SLICE = 0.02
PROCESSES = 16


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


class GoogleBenchmark:
    name, theirs = "google-benchmark", "compare.py (U test)"

    def build(self, folder, name, extra):
        program = folder / name
        run("g++", "-O2", f"-DEXTRA={extra}", SOURCES / "suite.cc", "-o", program,
            "-lbenchmark", "-lpthread")
        return program

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


class Go:
    name, theirs = "go", "benchstat"

    def build(self, folder, name, extra):
        package = folder / f"{name}-package"
        package.mkdir()
        shutil.copy(SOURCES / "suite_test.go", package)
        (package / "extra_test.go").write_text(f"package suite\n\nconst extra = {extra}\n")
        (package / "go.mod").write_text("module suite\n\ngo 1.18\n")
        run("go", "test", "-c", "-o", folder / name, ".", cwd=package,
            env={**os.environ, "GOFLAGS": "-mod=mod"})
        return folder / name

    def measure(self, program):
        return run(program, "-test.run=^$", "-test.bench=.", "-test.count=16",
                   f"-test.benchtime={int(SLICE * 1000)}ms")

    def judge(self, old, new):
        benchstat = shutil.which("benchstat") or os.environ["BENCHSTAT"]
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("old", old), ("new", new)):
                (Path(folder) / name).write_text(text)
            lines = run(benchstat, "-format=csv", "old", "new", cwd=folder).splitlines()
        changes = [line.split(",")[5] for line in lines
                   if line.count(",") >= 6 and not line.startswith((",", "geomean"))]
        return (sum(c.startswith("+") for c in changes),
                sum(c.startswith("-") for c in changes))


class Command:
    name, theirs = "command", "hyperfine (Welch)"

    def build(self, folder, name, extra):
        run("cc", "-O2", f"-DEXTRA={extra}", SOURCES / "program.c", "-o", folder / name)
        return folder / name

    def measure(self, program):
        with tempfile.NamedTemporaryFile() as file:
            run("hyperfine", "-N", "--warmup=1", f"--runs={PROCESSES * 3 // 2}",
                f"--export-json={file.name}", program)
            return json.load(open(file.name, encoding="utf-8"))["results"][0]["times"]

    def judge(self, old, new):
        return verdicts([(old, new)], welch)


class Criterion:
    name, theirs = "criterion", "criterion's own"

    def build(self, folder, name, extra):
        package = folder / f"{name}-package"
        (package / "benches").mkdir(parents=True)
        (package / "src").mkdir()
        (package / "src/lib.rs").write_text("")
        shutil.copy(SOURCES / "suite.rs", package / "benches/suite.rs")
        (package / "benches/extra").write_text(str(extra))
        (package / "Cargo.toml").write_text(
            '[package]\nname = "suite"\nversion = "0.1.0"\nedition = "2021"\n'
            '[dev-dependencies]\ncriterion = "0.8"\n'
            '[[bench]]\nname = "suite"\nharness = false\n')
        text = run("cargo", "bench", "--no-run", "--message-format=json", cwd=package,
                   env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target")})
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
    name, theirs = "checkasm", "Welch's test, 16 runs"

    def build(self, folder, name, extra):
        run("cc", "-O2", f"-DEXTRA={extra}", SOURCES / "tick_bench.c", "-o", folder / name)
        return folder / name

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

    def __init__(self, kind):
        self.kind, self.name, self.theirs = kind, kind.name, kind.theirs
        self.options = []
        if self.name == "command":  # one case a process, without a clock
            self.name, self.options = "regex", ["--pattern=(.*): (.*)"]

    def build(self, folder, name, extra):
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
    """Cases, REGRESSED, IMPROVED, undecided."""
    done = Run(simdbench, "ab", f"--harness={kind.name}", old, new, "--project=no",
               *getattr(kind, "options", []), *options, passes=())
    if not done.document:
        raise RuntimeError(done.errors)
    found = [r["comparison"]["verdict"] for r in done.all]
    return (len(found), found.count("REGRESSED"), found.count("IMPROVED"),
            found.count("INCONCLUSIVE") + found.count("UNUSABLE"),
            done.document["gate"]["seconds"])


def measure_kind(simdbench, kind, arguments, folder):
    """{effect: totals}, as lists of cases, slower, faster, undecided, seconds, gates."""
    effects = arguments.effects
    old = kind.build(folder, "old", 0)
    new = {e: kind.build(folder, f"new{e}", e) for e in effects}
    ours = {e: [0, 0, 0, 0, 0.0, 0] for e in effects}
    theirs = {e: [0, 0, 0, 0, 0.0, 0] for e in effects}
    end = time.monotonic() + 60 * arguments.minutes
    for number in range(arguments.gates):
        for effect in effects:
            if time.monotonic() > end:
                return ours, theirs
            told = gate(simdbench, kind, old, new[effect], arguments.option)
            begun = time.monotonic()
            slower, faster = kind.judge(kind.measure(old), kind.measure(new[effect]))
            seconds = time.monotonic() - begun
            for total, more in ((ours, (*told, 1)),
                                (theirs, (told[0], slower, faster, 0, seconds, 1))):
                total[effect] = [a + b for a, b in zip(total[effect], more)]
        print(f"{kind.name}: {number + 1} of {arguments.gates} gates of each effect, load "
              f"{os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return ours, theirs


def show(name, kind, totals):
    for effect, (cases, slower, faster, undecided, seconds, gates) in totals.items():
        if gates:
            print(f"{kind:17} {name:20} {effect:+3}% {gates:6} {cases:6} {slower:7} "
                  f"{faster:7} {undecided:10} {seconds / gates:9.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench harness", description=__doc__)
    parser.add_argument("simdbench", help=argparse.SUPPRESS)
    parser.add_argument("--gates", type=int, default=100, help="for each effect (100)")
    parser.add_argument("--minutes", type=float, default=60, help="for a harness, at most (60)")
    parser.add_argument("--effects", default="0,3,5,10", help="percent more work")
    parser.add_argument("--harness", action="append", help="google-benchmark, go, criterion, checkasm, command")
    parser.add_argument("--option", action="append", default=[],
                        help="another option of ab, as in --option=--time=30s")
    parser.add_argument("--model", metavar="PERCENTS", nargs="?", const="1.2,0.5,0.1,12,7",
                        help="times are drawn: what a process, a repetition and the drift of "
                        "the machine vary by, the share that is delayed, by how much "
                        "(1.2,0.5,0.1,12,7)")
    arguments = parser.parse_args()
    arguments.effects = [int(e) for e in arguments.effects.split(",")]
    needs = {GoogleBenchmark: "g++", Go: "go", Criterion: "cargo", Checkasm: "cc",
             Command: "hyperfine"}
    print(f"{'harness':17} {'judge':20} {'work':>4} {'gates':>6} {'cases':>6} {'slower':>7} "
          f"{'faster':>7} {'undecided':>10} {'s a gate':>9}")
    for kind, program in needs.items():
        if arguments.harness and kind.name not in arguments.harness:
            continue
        wanted = [] if kind != Go or os.environ.get("BENCHSTAT") else ["benchstat"]
        wanted += ["cc" if arguments.model and kind != Go else program]
        lacking = [name for name in wanted if not shutil.which(name)]
        if lacking:
            print(f"{kind.name:17} not measured: no {lacking[0]}")
            continue
        with tempfile.TemporaryDirectory(prefix="simdbench-bench-") as folder:
            if arguments.model:  # nothing is measured, so that nobody has to wait
                os.environ.update(MODEL_NOISE=arguments.model, SIMDBENCH_LOCKS=folder)
            one = Model(kind()) if arguments.model else kind()
            ours, theirs = measure_kind(arguments.simdbench, one, arguments, Path(folder))
        show("simdbench ab", kind.name, ours)
        if not arguments.model or kind != Criterion:
            show(kind.theirs, kind.name, theirs)
    print("At +0% whatever is called slower or faster is a false alarm.")


if __name__ == "__main__":
    main()
