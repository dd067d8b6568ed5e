# SPDX-License-Identifier: Apache-2.0
"""bench_hostile.py BUILD [runs|studies|texts|plugins|foreign|signals|limits|projects|tracer|locks|declarations]... [--seed=N] [--short]
[--only=REGEX] [--jobs=N]: attacks a simdbench that was built with sanitizers, and looks
whether each attack ends as tests/hostile/ says. See scripts/bench.

Exit status 1 if any does not."""
import argparse
import collections
import importlib
import os
import random
import re
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/hostile"))
sys.dont_write_bytecode = True
from hostile_tool import patiently
# how many attacks of each part --short takes; all of "texts" are tests of cli_texts, too
PARTS = {"runs": 12, "studies": 20, "texts": 0, "plugins": 20, "foreign": 20, "signals": 20,
         "limits": 20, "projects": 40, "tracer": 20, "locks": 15,
         "declarations": 40}
SHOWN = 10
Context = collections.namedtuple("Context", "build program seed short")


def chosen(part, context, only):
    """[(name, what raises AssertionError if it is unexpected)]"""
    found = list(importlib.import_module(f"hostile_{part}").attacks(context))
    if only:
        return [attack for attack in found if re.fullmatch(only, attack[0])]
    if context.short:
        random.Random(context.seed).shuffle(found)
        return found[:PARTS[part] or None]
    return found


def judged(attack):
    """(number of expected outcomes, [(name, what is unexpected)])"""
    name, act = attack
    try:
        result = patiently(act)
    except (AssertionError, OSError, ValueError) as error:
        return 0, [(name, str(error) or repr(error))]
    return result if result else (1, [])


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench hostile", allow_abbrev=False)
    parser.add_argument("build", type=Path)
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which random ones (1)")
    parser.add_argument("--short", action="store_true", help="a few of each part")
    parser.add_argument("--only", metavar="REGEX", help="attacks with such names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    options = parser.parse_args()
    if unknown := set(options.part) - set(PARTS):
        parser.error(f"no part is called {min(unknown)}: {', '.join(PARTS)}")
    build = options.build.resolve()
    context = Context(build, build / "simdbench", options.seed, options.short)
    total, bad = 0, []
    print("part         expected  unexpected  seconds")
    for part in options.part or [p for p in PARTS if PARTS[p] or not options.short]:
        started, good, odd = time.monotonic(), 0, []
        with ThreadPoolExecutor(options.jobs) as pool:
            for n, found in pool.map(judged, chosen(part, context, options.only)):
                good += n
                odd += found
        print(f"{part:<12} {good:8}  {len(odd):10}  {time.monotonic() - started:7.0f}",
              flush=True)
        total += good
        bad += [(part, *found) for found in odd]
    for part, name, what in bad[:SHOWN]:
        print(f"\n{part} {name}: {what}\n    again: scripts/bench hostile {part} "
              f"--seed={options.seed}{' --short' * options.short} "
              f"--only={shlex.quote(re.escape(name))}")
    if len(bad) > SHOWN:
        print(f"\nand {len(bad) - SHOWN} more")
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
