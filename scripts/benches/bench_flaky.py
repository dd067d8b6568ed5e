# SPDX-License-Identifier: Apache-2.0
"""bench_flaky.py BUILD [OPTION...] [TEST...]: runs the tests again and again, and prints those
that failed, if only once. See scripts/bench flaky.

A third of the runs are disturbed: by processes that are always busy, and by one that suspends and
resumes the tests' processes at random. A test whose verdict follows from how fast or how alone the
machine is fails in one of them.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "scripts"))
from count import cases  # noqa: E402

BUSY = 4
# The time that a process is suspended, and the time that none is.
ASLEEP, AWAKE = (0.01, 0.4), (0.01, 0.2)
FAILED = (r"^(?:FAIL|ERROR): (\S+ \(\S+\).*)$", r"^\[  FAILED  \] (\w+)$")


def children():
    """{parent: [process...]} of all that are neither stopped nor dead."""
    found = collections.defaultdict(list)
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if fields[0] in "RSD":
                found[int(fields[1])].append(int(path.name))
    return found


def descendants(process):
    tree, found = children(), []
    todo = list(tree[process])
    while todo:
        found.append(todo.pop())
        todo += tree[found[-1]]
    return found


def suspend(process, seed):
    """Suspends one process after the other below this one, for as long as that lives."""
    chance = random.Random(seed)
    stopped = []

    def leave(*_):
        for pid in stopped:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        os._exit(0)

    signal.signal(signal.SIGTERM, leave)
    while True:
        time.sleep(chance.uniform(*AWAKE))
        with contextlib.suppress(OSError, IndexError):
            stopped[:] = [chance.choice(descendants(process))]
            os.kill(stopped[0], signal.SIGSTOP)
            time.sleep(chance.uniform(*ASLEEP))
            os.kill(stopped[0], signal.SIGCONT)


@contextlib.contextmanager
def forked(work, *arguments):
    """A process that does this until the end."""
    pid = os.fork()
    if pid == 0:
        work(*arguments)
        os._exit(0)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def spin():
    while True:
        pass


@contextlib.contextmanager
def disturbed(process, seed):
    with contextlib.ExitStack() as stack:
        for _ in range(BUSY):
            stack.enter_context(forked(spin))
        stack.enter_context(forked(suspend, process, seed))
        yield


def run(command, noisy, seed, **more):
    """Returns when the command has ended."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, **more) as process:
        with disturbed(process.pid, seed) if noisy else contextlib.nullcontext():
            text, _ = process.communicate()
    return process.returncode, text


def run_meson(build, names, suites, noisy, seed):
    """The records of Meson's log."""
    log = build / "meson-logs/flaky.json"
    log.unlink(missing_ok=True)
    run(["meson", "test", "-C", build, "--no-rebuild", "--logbase", "flaky",
         "--timeout-multiplier", "20", *(f"--suite={suite}" for suite in suites), *names],
        noisy, seed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def run_cli(build, names, noisy, seed):
    """Classes, or single tests, of the command line's."""
    status, text = run([sys.executable, "-B", SOURCE / "tests/cli/cli.py", *names], noisy, seed,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       env={**os.environ, "SIMDBENCH": str(build / "simdbench")})
    return [{"name": "cli", "result": "FAIL" if status else "OK", "stdout": text}]


def failures(record):
    """Names of failed cases, or of the program where it names none."""
    name = record["name"].rpartition(" / ")[2]
    text = record.get("stdout", "") + record.get("stderr", "")
    found = {case for pattern in FAILED for case in re.findall(pattern, text, re.M)}
    if record["result"] in ("OK", "SKIP", "EXPECTEDFAIL"):
        return set()
    return {f"{name}: {case}" for case in found} or {f"{name}: {record['result']}"}


def known(build):
    """Names of Meson's tests."""
    listed = subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--list"], check=True,
                            capture_output=True, text=True).stdout
    return {line.rpartition(" / ")[2].strip() for line in listed.splitlines()}


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/bench flaky", description="Runs the tests again and again; exit status 1 "
        "if one failed, if only once.")
    parser.add_argument("build", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("test", nargs="*", help="a test of Meson, or a class or Class.test of "
                        "tests/cli; all tests if none is named")
    parser.add_argument("--runs", type=int, default=30, help="default 30")
    parser.add_argument("--noisy", type=int, help="how many of them are disturbed; a third")
    parser.add_argument("--suite", action="append", default=[], help="of Meson's tests: kernels, "
                        "perfctr, inspect, reports, cmd, cli")
    parser.add_argument("--seed", type=int, default=1, help="of what is suspended when")
    options = parser.parse_intermixed_args()
    build = options.build.resolve()
    noisy_runs = options.runs // 3 if options.noisy is None else options.noisy
    meson = sorted(set(options.test) & known(build))
    cli = [name for name in options.test if name not in meson]
    folder = build.parent / "flaky"
    folder.mkdir(exist_ok=True)
    by_test, bad_runs = collections.Counter(), 0
    for number in range(options.runs):
        # Spread over all runs.
        noisy = (number + 1) * noisy_runs // options.runs > number * noisy_runs // options.runs
        seed, began = options.seed + number, time.monotonic()
        records = []
        if meson or not cli:
            records += run_meson(build, meson, options.suite, noisy, seed)
        if cli:
            records += run_cli(build, cli, noisy, seed)
        failed = sorted(case for record in records for case in failures(record))
        total = sum((cases(record) for record in records), collections.Counter())
        print(f"run {number + 1} of {options.runs}{', disturbed' * noisy}: {total['passed']} passed, "
              f"{len(failed)} failed, {time.monotonic() - began:.0f} s", flush=True)
        for case in failed:
            print(f"    {case}", flush=True)
        if failed or not total["passed"]:
            bad_runs += 1
            path = folder / f"run-{number + 1}.json"
            path.write_text("".join(json.dumps(record) + "\n" for record in records
                                    if failures(record)), encoding="utf-8")
        by_test.update(failed)
    for case, n in by_test.most_common():
        print(f"failed in {n} of {options.runs} runs: {case}")
    print(f"{bad_runs} of {options.runs} runs had a failure"
          + (f"; what they printed: {folder}" if bad_runs else ""))
    return 1 if bad_runs else 0


if __name__ == "__main__":
    sys.exit(main())
