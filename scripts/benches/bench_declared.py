# SPDX-License-Identifier: Apache-2.0
"""Runs the commands in the table of docs/functions.md: scripts/bench declared [--help].

Prints the table with the status and the time of each function. A row whose library is not
on this machine stays as it is.
"""
import argparse
import os
import re
import shlex
import sys

from bench_run import ROOT, Run

PAGE = ROOT / "docs/functions.md"
ROW = re.compile(r"^\| `simdbench (call .*?)` \|")
UNITS = ((1e6, "ms"), (1e3, "us"), (1, "ns"))


def duration(ns):
    if ns is None:
        return ""
    divisor, unit = next((u for u in UNITS if ns >= u[0]), UNITS[-1])
    return f"{ns / divisor:.3g} {unit}"


def reference(command):
    for word in shlex.split(command):
        if word.startswith("--reference="):
            return f"`{word.removeprefix('--reference=')}`"
    return ""


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench declared", description=__doc__)
    parser.add_argument("program")
    parser.add_argument("filters", nargs="*", help="parts of commands; all without")
    parser.add_argument("--update", action="store_true", help="write the page")
    parser.add_argument("--option", action="append", default=[],
                        help="of each run, such as --option=--time-per-case=5ms")
    arguments = parser.parse_intermixed_args()
    lines, bad, seconds = PAGE.read_text(encoding="utf-8").split("\n"), 0, []
    for number, line in enumerate(lines):
        found = ROW.match(line)
        if not found or not all(f in line for f in arguments.filters):
            continue
        run = Run(arguments.program, *shlex.split(found[1]), *arguments.option, passes=())
        why = run.errors.strip().split("\n")[0]
        row = None if run.status not in (0, 4) else next(
            r for r in run.all if not r["id"].startswith("roof"))
        seconds.append(run.seconds)
        if row is None and "there is no library" in why:
            print(f"not here: {line}")
            continue
        if row is None or row["status"] in ("wrong", "failed"):
            bad += 1
            print(f"{found[1]}: {why or row['status'] + ': ' + row['reason']}", file=sys.stderr)
            continue
        lines[number] = (f"| `simdbench {found[1]}` | {row['status']} | "
                         f"{duration((row.get('summary') or {}).get('median_ns'))} | "
                         f"{reference(found[1])} |")
        print(lines[number], flush=True)
    if arguments.update:
        PAGE.write_text("\n".join(lines), encoding="utf-8")
    print(f"{len(seconds)} functions, the longest took {max(seconds, default=0):.1f} s; load "
          f"{os.getloadavg()[0]:.1f}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
