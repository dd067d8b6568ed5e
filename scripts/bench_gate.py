# SPDX-License-Identifier: Apache-2.0
"""gate: how often `simdbench ab` says what is true, alone and beside a bursty competitor.
`bench_gate.py --compete CPU` is that competitor."""
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GATES = 100
BURST = 0.001, 0.020  # seconds
CALL_NS, GATE_SECONDS, ALL_SECONDS = 500e3, 1, 15 * 60


def compete(cpu):
    """On one CPU, busy for 1 to 20 ms and idle for as long, until somebody ends it."""
    os.sched_setaffinity(0, {cpu})
    parent = os.getppid()
    while os.getppid() == parent:
        end = time.monotonic() + random.uniform(*BURST)
        while time.monotonic() < end:
            pass
        time.sleep(random.uniform(*BURST))


@contextlib.contextmanager
def competitor(cpu):
    process = subprocess.Popen([sys.executable, __file__, "--compete", str(cpu)])
    try:
        yield process
        if process.poll() is not None:
            sys.exit("bench gate: the competitor did not run")
    finally:
        process.kill()
        process.wait()


def selftest(program, cpu, threshold, effects, gates=GATES):
    """{effect in percent: its entry}, and the whole document."""
    with tempfile.TemporaryDirectory() as cache:  # no noise of ours is for ab to cite
        done = subprocess.run(
            [program, "selftest", f"--cpu={cpu}", f"--threshold={threshold}%",
             f"--effects={effects}", f"--gates={gates}", "--quiet", "--format=json"],
            env={**os.environ, "XDG_CACHE_HOME": cache}, capture_output=True, text=True,
            check=False)
    if done.returncode:
        sys.exit(f"simdbench selftest: {done.stderr}")
    document = json.loads(done.stdout)
    return {round(100 * e["effect"], 3): e for e in document["effects"]}, document


def build_steps(folder):
    """A module whose row "bad" does as many steps of work as its option says."""
    path = Path(folder) / "steps.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/kernels", "-o", path,
                    ROOT / "tests/modules/steps.c"], check=True)
    return path


def show_module(figures, program, cpu, gates):
    """Whether real work of a build is found like what selftest adds to itself."""
    found, changes = 0, []
    with tempfile.TemporaryDirectory() as folder:
        module, path = build_steps(folder), f"{folder}/run.json"
        for _ in range(gates):
            done = subprocess.run(
                [program, "ab", f"{module},steps=100", f"{module},steps=104", "twice",
                 "--sizes=16", "--filter=*/bad@*", f"--cpu={cpu}", "--quiet",
                 f"--json={path}"], stdout=subprocess.DEVNULL, check=False)
            if done.returncode not in (0, 1):
                sys.exit("bench gate: simdbench ab failed")
            result, = json.loads(Path(path).read_text(encoding="utf-8"))["results"]
            found += result["comparison"]["verdict"] == "REGRESSED"
            changes.append(result["comparison"]["change"])
    figures.show("gate 2%, a module with 4% more steps: % REGRESSED", 100 * found / gates,
                 least=98, detail=f"change {100 * statistics.median(changes):.2f}%")


def detail(entry):
    def percent(value):
        return "-" if value is None else f"{100 * value:.2f}%"
    counts = (f"{entry[k]} {k.upper()}" for k in ("same", "inconclusive", "unusable",
                                                  "improved", "regressed") if entry[k])
    return (f"{', '.join(counts)}; floor {percent(entry['floor'])}, "
            f"change {percent(entry['change'])}, {entry['seconds_per_gate']:.2f} s a gate")


def show(figures, name, entry, count, least=None, most=None):
    share = 100 * entry[count] / entry["gates"]
    figures.show(f"gate {name}: % {count.upper()}", share, least=least, most=most,
                 detail=detail(entry))


def bench(figures, program, gates=GATES):
    started = time.monotonic()
    cpu = max(os.sched_getaffinity(0))
    equal, document = selftest(program, cpu, 2, "0,4", gates)
    small, _ = selftest(program, cpu, 1, "2", gates)
    with competitor(cpu):
        noisy, _ = selftest(program, cpu, 2, "0,4", gates)
        noisy_small, _ = selftest(program, cpu, 1, "2", gates)
    print(f"gate: {document['case']}, {document['call_ns'] / 1e3:.3g} us a call, "
          f"{gates} gates each")
    for name, table, same in (("alone", equal, 95), ("in bursts", noisy, 85)):
        show(figures, f"2%, equal code, {name}", table[0], "regressed", most=0.5)
        show(figures, f"2%, equal code, {name}", table[0], "same", least=same)
    show(figures, "2%, +4%, alone", equal[4], "regressed", least=98)
    show(figures, "2%, +4%, in bursts", noisy[4], "regressed")
    show(figures, "1%, +2%, alone", small[2], "regressed", least=90)
    show(figures, "1%, +2%, in bursts", noisy_small[2], "regressed")
    show_module(figures, program, cpu, max(1, gates // 5))
    figures.show("gate: ns a call", document["call_ns"], most=CALL_NS)
    figures.show("gate: seconds for one of equal code, alone",
                 equal[0]["seconds_per_gate"], most=GATE_SECONDS)
    figures.show("gate: seconds for all of them", time.monotonic() - started,
                 most=ALL_SECONDS)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--compete":
        compete(int(sys.argv[2]))
