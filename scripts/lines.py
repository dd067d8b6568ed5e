# SPDX-License-Identifier: Apache-2.0
"""lines.py [COMMIT [BASE]]: lines of source of a commit (HEAD), and how many more than in BASE.

Counted are C, headers, .def, Python, shell and JavaScript, outside of tests/ and docs/: no
data and no lock files.
"""
import subprocess
import sys

KINDS = {"C": ["*.c"], "headers": ["*.h"], ".def": ["*.def"], "Python": ["*.py"], "shell": ["*.sh"],
         "JavaScript": ["*.js"]}
PROGRAMS = {"Python": "^#!.*python", "shell": "^#!.*sh$"}


def grep(commit, *arguments):
    done = subprocess.run(["git", "grep", *arguments, ":!tests/", ":!docs/"],
                          stdout=subprocess.PIPE, text=True, check=False)
    return [line.removeprefix(commit + ":") for line in done.stdout.splitlines()]


def count(commit, kind):
    scripts = grep(commit, "-lE", PROGRAMS[kind], commit, "--") if kind in PROGRAMS else []
    scripts = [name for name in scripts if "." not in name.rpartition("/")[2]]
    counts = grep(commit, "-c", "", commit, "--", *KINDS[kind], *scripts)
    return sum(int(line.rpartition(":")[2]) for line in counts)


def main(commit="HEAD", *base):
    rows = [[kind, count(commit, kind), *(count(b, kind) for b in base)] for kind in KINDS]
    for kind, now, *before in [*rows, ["all", *map(sum, list(zip(*rows))[1:])]]:
        print(f"{kind:10} {now:6}", *(f"{now - b:+6}" for b in before))


if __name__ == "__main__":
    main(*sys.argv[1:3])
