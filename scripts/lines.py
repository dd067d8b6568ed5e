# SPDX-License-Identifier: Apache-2.0
"""lines.py [COMMIT [BASE]]: lines of source of a commit (HEAD), and how many more than in BASE.

Counted are C, headers, .def, Python, shell and JavaScript, outside of tests/ and docs/: no
data and no lock files. A script without a suffix is what its first line says.
"""
import collections
import re
import subprocess
import sys

KINDS = {"c": "C", "h": "headers", "def": ".def", "py": "Python", "sh": "shell",
         "js": "JavaScript"}
SCRIPTS = {"bash": "shell", "sh": "shell", "python3": "Python"}


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True).stdout


def kind_of(path, text):
    name = path.rpartition("/")[2]
    if "." in name.strip("."):
        return KINDS.get(name.rpartition(".")[2])
    program = re.match(rb"#!\S*/(?:env +)?(\w+)", text)
    return SCRIPTS.get(program[1].decode()) if program else None


def count(commit):
    lines = collections.Counter()
    for path in git("ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0"):
        if path and not path.startswith(("tests/", "docs/")):
            text = git("show", f"{commit}:{path}")
            kind = kind_of(path, text)
            if kind:
                lines[kind] += text.count(b"\n")
    return lines


def main(commit="HEAD", base=None):
    now, before = count(commit), count(base) if base else collections.Counter()
    for kind in sorted(now | before):
        print(f"{kind:10} {now[kind]:6}", f"{now[kind] - before[kind]:+6}" if base else "")
    print(f"{'all':10} {now.total():6}",
          f"{now.total() - before.total():+6}" if base else "")


if __name__ == "__main__":
    main(*sys.argv[1:3])
