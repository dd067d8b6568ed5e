# SPDX-License-Identifier: Apache-2.0
"""The number of times that `simdbench compare` calls a regression in two runs of one build.

    scripts/bench compare-pairs [--pairs=N] [--slower=PERCENT] [--keep=FOLDER] [OPTION...]

Runs this build N + 1 times, compares each run with the next one, and counts verdicts and exit
statuses. The build-ids are taken out of the files first, so that the method alone decides.
Options are those of `simdbench all`. --slower multiplies all own times of the second run of a pair: what
would be found. The load of each run is told, as it decides how large the noise is. Exit status 1
if more than 1 in 50 pairs of equal code says REGRESSED.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ALARMS = 0.02


def measure(binary, path, options):
    subprocess.run([binary, "all", "--quiet", *options, f"--json={path}"], check=False,
                   stdout=subprocess.DEVNULL)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["tool"].pop("build_id", None)
    path.write_text(json.dumps(document), encoding="utf-8")
    return os.getloadavg()[0]


def slow_down(path, by, to):
    document = json.loads(path.read_text(encoding="utf-8"))
    for result in document["results"]:
        if result["role"] != "kernel" or not result["samples_ns"]:
            continue
        loop = result["overhead_ns"] * result["iterations"]
        result["samples_ns"] = [max(s - loop, 0) * by + loop for s in result["samples_ns"]]
        calls = [max(s / result["iterations"] - result["overhead_ns"], 0)
                 for s in result["samples_ns"]]
        result["summary"].update(median_ns=statistics.median(calls), min_ns=min(calls),
                                 ci_ns=None, ci_level=None)
    to.write_text(json.dumps(document), encoding="utf-8")
    return to


def compare(binary, folder, base, head):
    both = folder / "both.json"
    status = subprocess.run([binary, "compare", base, head, f"--json={both}"], check=False,
                            stdout=subprocess.DEVNULL).returncode
    return status, json.loads(both.read_text(encoding="utf-8"))["gate"]


def moves(base, head):
    """How far quartile and median of equal code lie apart in two runs, of rows alone on their core."""
    runs = [{(r["id"], r["group"]): sorted(ns / r["iterations"] for ns in r["samples_ns"])
             for r in json.loads(path.read_text(encoding="utf-8"))["results"]
             if r["role"] == "kernel" and r["status"] == "ok" and not r["shared"] and len(r["samples_ns"]) > 1}
            for path in (base, head)]
    for case in runs[0].keys() & runs[1].keys():
        cut = [statistics.quantiles(run[case], n=4, method="inclusive") for run in runs]
        yield [abs(cut[1][i] / cut[0][i] - 1) for i in (0, 1)]


def main(binary, arguments):
    own = {"--pairs": "50", "--slower": "", "--keep": ""}
    options = []
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name == "--help":
            print(__doc__)
            return 0
        if name in own:
            own[name] = value
        else:
            options.append(argument)
    slower = [1 + float(part) / 100 for part in own["--slower"].split(",") if part]
    counts = {by: 0 for by in [1.0, *slower]}
    pairs, noise, moved = int(own["--pairs"]), [], []
    with tempfile.TemporaryDirectory(prefix="simdbench-pairs-") as name:
        folder = Path(own["--keep"] or name)
        before = folder / "run0.json"
        measure(binary, before, options)
        for pair in range(1, pairs + 1):
            after = folder / f"run{pair}.json"
            load = measure(binary, after, options)
            said = []
            for by in counts:
                head = after if by == 1 else slow_down(after, by, folder / "slower.json")
                status, gate = compare(binary, folder, before, head)
                counts[by] += gate["regressed"] > 0
                said.append(f"{by - 1:+.0%}: exit {status}, {gate['regressed']} regressed, "
                            f"{gate['improved']} improved")
            noise.append(gate["between"])
            moved += moves(before, after)
            print(f"pair {pair:3}  load {load:5.2f}  noise {gate['between']:6.2%}  "
                  f"machine {gate['drift'] or 0:+6.2%}  " + "; ".join(said), flush=True)
            before = after
    print(f"noise between runs: median {statistics.median(noise):.2%}")
    for i, name in enumerate(("quartiles", "medians")):
        by = sorted(both[i] for both in moved) or [0]
        print(f"{name} of {len(moved)} rows alone on their core: {by[len(by) // 2]:.1%} apart at the median, "
              f"{by[len(by) * 19 // 20]:.1%} in one of 20")
    for by, n in counts.items():
        print(f"{by - 1:+.0%}: {n} of {pairs} pairs say REGRESSED")
    return int(counts[1.0] > ALARMS * pairs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
