# SPDX-License-Identifier: Apache-2.0
"""gate: how often `simdbench ab` says what is true, alone and beside a bursty competitor.
`bench_gate.py CPU LEAST MOST` is that competitor: busy and idle for that many seconds."""
import contextlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from bench_run import module

GATES = 100
BURST = 0.001, 0.020  # seconds


def compete(cpu, burst):
    """On one CPU, busy for some time and idle for as long, until somebody ends it."""
    os.sched_setaffinity(0, {cpu})
    parent = os.getppid()
    while os.getppid() == parent:
        end = time.monotonic() + random.uniform(*burst)
        while time.monotonic() < end:
            pass
        time.sleep(random.uniform(*burst))


@contextlib.contextmanager
def competitor(cpu, burst=BURST):
    process = subprocess.Popen([sys.executable, __file__, str(cpu), *map(str, burst)])
    try:
        yield process
        if process.poll() is not None:
            sys.exit("bench gate: the competitor did not run")
    finally:
        process.kill()
        process.wait()


def selftest(bench, cpu, threshold, effects):
    """{effect in percent: its entry, and what is said of all}"""
    with tempfile.TemporaryDirectory() as cache:  # no noise of ours is for ab to cite
        document = bench.fresh("selftest", f"--cpu={cpu}", f"--threshold={threshold}%",
                               f"--effects={effects}", f"--gates={GATES}",
                               XDG_CACHE_HOME=cache).document
    return {round(100 * e["effect"], 3): {**document, **e} for e in document["effects"]}


def show(bench, name, entry, count, **target):
    counts = (f"{entry[k]} {k.upper()}" for k in ("same", "inconclusive", "unusable",
                                                  "improved", "regressed") if entry[k])
    floor, change = ("-" if entry[k] is None else f"{100 * entry[k]:.2f}%"
                     for k in ("floor", "change"))
    bench.show(f"gate {name}: % {count.upper()}", 100 * entry[count] / entry["gates"],
               detail=f"{', '.join(counts)}; floor {floor}, change {change}, "
               f"{entry['seconds_per_gate']:.2f} s a gate", **target)


def show_module(bench, cpu):
    """Whether real work of a build is found like what selftest adds to itself."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        steps = f"{folder}/steps.so"  # its row "bad" does the steps that its option says
        module(steps, "steps.c", "-O2")
        for _ in range(max(1, GATES // 5)):
            result, = bench.fresh("ab", f"{steps},steps=100", f"{steps},steps=104", "twice",
                                  "--sizes=16", "--filter=*/bad@*", f"--cpu={cpu}",
                                  passes=(0, 1)).all
            found.append(result["comparison"])
    bench.show("gate 2%, a module with 4% more steps: % REGRESSED",
               100 * sum(c["verdict"] == "REGRESSED" for c in found) / len(found), least=98,
               detail=f"change {100 * statistics.median(c['change'] for c in found):.2f}%")


def gate(bench):
    started = time.monotonic()
    cpu = max(os.sched_getaffinity(0))
    equal, small = selftest(bench, cpu, 2, "0,4"), selftest(bench, cpu, 1, "2")
    with competitor(cpu):
        noisy, noisy_small = selftest(bench, cpu, 2, "0,4"), selftest(bench, cpu, 1, "2")
    print(f"gate: {equal[0]['case']}, {equal[0]['call_ns'] / 1e3:.3g} us a call, "
          f"{GATES} gates each")
    for name, table, same in (("alone", equal, 95), ("in bursts", noisy, 85)):
        show(bench, f"2%, equal code, {name}", table[0], "regressed", most=0.5)
        show(bench, f"2%, equal code, {name}", table[0], "same", least=same)
    show(bench, "2%, +4%, alone", equal[4], "regressed", least=98)
    show(bench, "2%, +4%, in bursts", noisy[4], "regressed")
    show(bench, "1%, +2%, alone", small[2], "regressed", least=90)
    show(bench, "1%, +2%, in bursts", noisy_small[2], "regressed")
    show_module(bench, cpu)
    bench.show("gate: ns a call", equal[0]["call_ns"], most=500e3)
    bench.show("gate: seconds for one of equal code, alone", equal[0]["seconds_per_gate"],
               most=1)
    bench.show("gate: seconds for all of them", time.monotonic() - started, most=15 * 60)


if __name__ == "__main__":
    compete(int(sys.argv[1]), tuple(map(float, sys.argv[2:])))
