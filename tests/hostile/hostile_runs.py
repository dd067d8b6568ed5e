# SPDX-License-Identifier: Apache-2.0
"""Saved runs with one member replaced: tests/fuzz/hostile_runs.c makes them, reads them and
prints, merges and compares what it could read. The program itself has a few of them."""
import random
import re
import subprocess
import tempfile
from pathlib import Path

from hostile_tool import ROOT, environment, need, run_case

SAMPLES = ["run", "gate", "small", "gate_small"]
LARGE = {"run", "gate"}
FILES = sorted(Path(ROOT / "tests/fuzz/corpus/json").glob("[rs]_*.json"))
# one in so many documents: of a large sample, of a small one; and with --short
EVERY, EVERY_SHORT, PROGRAM = (40, 3), (1000, 500), 100
LINE = re.compile(r"(\d+)\t([^\t]+)\t([^\t]+)\t(.*)")
# "results[3].samples_ns[2]: expected a number"
FIELD = re.compile(r"(?:byte \d+, line \d+: )?(\w+)(?:[.\[].*?)?: \S")
REPORTS = ["table", "markdown", "junit", "csv", "json", "gbench", "annotations", "benchstat"]


def driver(context, seed, every, first, sample, **more):
    return subprocess.run(
        [context.build / "tests/hostile_runs", str(seed), str(every), str(first), str(sample)],
        capture_output=True, text=True, errors="replace", check=False,
        env=environment(**more))


def odd(path, answer):
    """What is wrong with the reader's answer, or None."""
    if answer == "read":
        return None
    if not answer:
        return "the reader died"
    named = FIELD.match(answer)
    if not named or named[1] not in (re.match(r"\w*", path)[0], "results"):
        return f"another field is named, or none: {answer}"
    return None


def try_all(context, sample, every):
    """Again and again from behind the document that ended the driver."""
    good, bad, first = 0, [], 0
    while True:
        done = driver(context, context.seed, every, first, sample)
        lines = done.stdout.splitlines()
        for line in lines:
            found = LINE.fullmatch(line)
            need(found, f"{sample}: the driver said {line!r}")
            what = odd(found[2], found[4])
            if what:
                again = f"SAVE={found[1]} {context.build}/tests/hostile_runs " \
                        f"{context.seed} {every} 0 {sample} > bad.json"
                bad.append((Path(sample).name, f"{found[2]} = {found[3]}: {what}: "
                            f"{done.stderr[-400:] if line == lines[-1] else ''}\n    "
                            f"its document: {again}"))
            good += not what
        if not done.returncode:
            return good, bad
        need(lines, f"{sample}: status {done.returncode}: {done.stderr[-400:]}")
        first = int(lines[-1].split("\t")[0]) + 1


def attacks_of_program(context, sample, number):
    """`report`, `compare` and `history` of one document: status 0, or 2 and one line."""
    seed = context.seed + number
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        bad, plain, base = (Path(folder) / name for name in ("bad.json", "plain", "run.sqlite"))
        listed = driver(context, seed, 20, 0, sample).stdout.splitlines()
        need(listed, "the driver said nothing")
        number, path = chance.choice(listed).split("\t")[:2]
        bad.write_text(driver(context, seed, 20, 0, sample, SAVE=number).stdout,
                       encoding="utf-8")
        for arguments in (
                ["report", bad, f"--format={chance.choice(REPORTS)}"],
                ["report", bad, sample, f"--format={chance.choice(REPORTS)}:{plain}"],
                ["compare", sample, bad], ["compare", bad, sample, "--strict"],
                ["report", bad, f"--history={base}"],
                *([["history", f"--history={base}"]] if base.exists() else [])):
            started, _ = run_case([context.program, *arguments], {0, 1, 2, 3, 4, 5})
            status = started.process.returncode
            lines = started.err.decode().splitlines()
            need(arguments[0] == "compare" or status in (0, 2), f"status {status}")
            if status == 2:
                need(len(lines) == 1 and not started.out, f"{arguments}: {lines}")
            need(not re.search(rb"(?<!\w)-?(nan|inf)(?!\w)", started.out),
                 f"{path}: {arguments}: nan or inf")


def attacks(context):
    large, small = EVERY_SHORT if context.short else EVERY
    for sample in SAMPLES if not context.short else ["gate_small", "small"]:
        every = large if sample in LARGE else small
        yield sample, lambda s=sample, e=every: try_all(context, s, e)
    for path in FILES:
        yield path.name, lambda s=path: try_all(context, s, small)
    for number in range(3 if context.short else PROGRAM):
        yield f"program {number}", lambda n=number: attacks_of_program(
            context, FILES[n % len(FILES)], n)
