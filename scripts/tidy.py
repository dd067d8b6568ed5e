# SPDX-License-Identifier: Apache-2.0
"""tidy.py BUILD [CLANG_TIDY_ARGUMENT...]: runs clang-tidy on each C file that BUILD compiles,
but for those of tests.

A file that was found clean is not looked at again: what clang-tidy says follows from its
version, its arguments, .clang-tidy, the compiler's arguments, and the bytes of the file and of
all that it includes. A hash of these is kept in ~/.cache/simdbench-tidy (XDG_CACHE_HOME), for
any checkout in any folder. Exit status 1 if a file is not clean.
"""
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIDY = "clang-tidy-19"
KEPT_DAYS = 30
SOURCE = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "simdbench-tidy"


@functools.lru_cache(maxsize=None)
def digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


def includes(build):
    """{object: [file...]}: what each was compiled from."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, text=True,
                          capture_output=True).stdout
    found = {}
    for block in text.split("\n\n"):
        head, *files = block.strip().split("\n")
        name, _, state = head.partition(": ")
        if state.endswith("(VALID)"):
            found[name] = [build / file.strip() for file in files]
    return found


def name_of(file):
    resolved = file.resolve()
    return str(resolved.relative_to(SOURCE) if SOURCE in resolved.parents else resolved)


def key(entry, files, arguments):
    """Names of this checkout's folder do not count."""
    hashed = hashlib.sha256()
    version = output_of(TIDY, "--version")
    config = (SOURCE / ".clang-tidy").read_text(encoding="utf-8")
    command = entry["command"].replace(str(SOURCE), ".")
    for text in (version, config, command, *arguments):
        hashed.update(text.encode() + b"\0")
    for name, file in sorted((name_of(file), file) for file in files):
        hashed.update(name.encode() + digest(file))
    return hashed.hexdigest()


@functools.lru_cache(maxsize=None)
def output_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def tidy(build, file, arguments):
    """What is wrong with a file; empty if nothing is."""
    done = subprocess.run([TIDY, "--quiet", "-p", build, *arguments, file], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout if done.returncode else ""


def forget_old():
    oldest = time.time() - KEPT_DAYS * 86400
    for path in CACHE.iterdir():
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)


def main(build, *arguments):
    build = Path(build).resolve()
    CACHE.mkdir(parents=True, exist_ok=True)
    compiled = includes(build)
    todo, known = {}, set()
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = (build / entry["file"]).resolve()
        if SOURCE / "tests" in file.parents or file.suffix != ".c":
            continue
        files = compiled.get(entry["output"])
        mark = CACHE / key(entry, files, arguments) if files else None
        if mark and mark.exists():
            mark.touch()
            known.add(file)
        else:
            todo.setdefault(file, []).append(mark)

    def look(file):
        said = tidy(build, file, arguments)
        for mark in filter(None, [] if said else todo[file]):
            mark.touch()
        return said

    # clang-tidy looks at a file as often as BUILD compiles it: the longest begin early.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        wrong = list(filter(None, pool.map(look, sorted(
            todo, key=lambda file: -len(todo[file])))))
    for said in wrong:
        print(re.sub(r"(?m)^.*warnings? generated\.$\n?", "", said), end="")
    forget_old()
    print(f"clang-tidy: {len(todo)} files, {len(known.difference(todo))} found clean before, {len(wrong)} not clean")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
