# SPDX-License-Identifier: Apache-2.0
"""study: how often `simdbench study` says what is true of arms that differ by a known share
of work, alone and beside a bursty competitor.

    bench_study.py SIMDBENCH [--repeat=N] [--competitor] [--cpu=N] [--quick]
"""
import argparse
import collections
import contextlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from bench_gate import competitor
from bench_run import Run, module

STEPS = 400
EFFECTS = (0, 2, 5, 50)  # percent
RIGHT, FALSE = 98, 1  # percent of verdicts: at least, at most


def claims():
    """(id, effect, expect, right): what is true of each effect, what is too much, and
    whether there is any effect at all."""
    for effect in EFFECTS:
        share = effect / 100
        width = max(0.01, share / 4)
        yield f"is{effect}", effect, [1 + share - width, 1 + share + width], "CONFIRMED"
        yield (f"more{effect}", effect, [1 + share + 2 * width, None], "REFUTED")
    for effect in EFFECTS[1:]:
        yield f"cause{effect}", effect, [1, None], "CONFIRMED"
    yield "cause0", 0, [1, None], "REFUTED"


def study(folder):
    arm = {effect: {"module": f"./steps.so,steps={STEPS + STEPS * effect // 100}"}
           for effect in EFFECTS}
    document = {
        "study": 1, "name": "planted", "title": "arms that differ by a known share of work",
        "work": {"op": "twice", "type": "f32", "isa": "scalar", "variant": "bad",
                 "shapes": ["16"]},
        "arms": {"base": arm[0], **{f"plus{effect}": arm[effect] for effect in EFFECTS}},
        "claims": [{"id": name, "by": "us", "text": f"{effect}% more work", "kind": "P",
                    "measure": "time_ratio", "of": [f"plus{effect}", "base"],
                    "expect": expect}
                   for name, effect, expect, _ in claims()]}
    path = folder / "planted.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--competitor", action="store_true",
                        help="another process on the CPU comes and goes")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--quick", action="store_true", help="studies with --quick")
    options = parser.parse_args()
    arguments = [*([f"--cpu={options.cpu}"] if options.competitor else []),
                 *(["--quick"] if options.quick else [])]
    beside = competitor(options.cpu) if options.competitor else contextlib.nullcontext()
    counts = collections.defaultdict(collections.Counter)
    right = {name: verdict for name, _, _, verdict in claims()}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name, beside:
        folder = Path(name)
        module(folder / "steps.so", "steps.c", "-O2")
        path = study(folder)
        for _ in range(options.repeat):
            found, = Run(options.program, "study", path, *arguments).document["studies"]
            for claim in found["claims"]:
                counts[claim["id"]][claim["verdict"]] += 1
    return report(counts, right, options.repeat, time.monotonic() - started)


def report(counts, right, repeat, seconds):
    total = repeat * len(right)
    good = sum(counts[claim][verdict] for claim, verdict in right.items())
    false = sum(counts[claim]["CONFIRMED"] for claim, verdict in right.items()
                if verdict != "CONFIRMED")
    refutable = repeat * sum(verdict != "CONFIRMED" for verdict in right.values())
    for claim, verdict in right.items():
        told = ", ".join(f"{n} {word}" for word, n in counts[claim].most_common())
        print(f"  {claim:8} is {verdict:9}  told: {told}")
    print(f"right verdicts: {100 * good / total:.1f} of 100 (at least {RIGHT}); "
          f"false CONFIRMED: {100 * false / refutable:.1f} of 100 (at most {FALSE}); "
          f"{seconds / repeat:.1f} s a study")
    return 100 * good < RIGHT * total or 100 * false > FALSE * refutable


if __name__ == "__main__":
    sys.exit(main())
