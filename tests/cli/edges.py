# SPDX-License-Identifier: Apache-2.0
"""edges.py: writes reached_by_others.txt, the tests that scripts/check.sh asan leaves out.

    source scripts/lib.sh; packages run test; python3 tests/cli/edges.py [--all]

A test reaches lines of the program's source. A test is left out if unit tests, which all stay, and
other tests that stay reach all of its lines. The dearest are tried first. One test of each class
stays, and so do those that fail or whose lines were not seen. scripts/test runs all of them, so
that what they assert is always checked; sanitizers look at the code that runs.

Tests that are left out already stay so and are not measured, which takes a third of the time. Run
it with --all, which measures all of them anew, after tests were divided or deleted or the sources
changed much: tests that stay may no longer reach what those reached.
"""
import array
import collections
import functools
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = SOURCE / "build/edges"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Tests that need no sanitizers, as others reach all lines that they reach. To renew this list:
# python3 tests/cli/edges.py
"""
# Kernels and modules have tests of their own: they are compiled as ever, so that ccache has them.
COMPILER = """\
#!/bin/bash
for each; do
    case $each in
        */tests/*.c) break ;;
        */cmd/*.c | */reports/*.c | */base/*.c | */inspect/*.c | */perfctr/*.c | */surgery/*.c | \\
            */declare/*.c | */passport/*.c | */kernels/core/*.c)
            set -- "$@" -fsanitize-coverage=trace-pc-guard,pc-table -gline-tables-only ;;
    esac
done
exec ccache clang-19 "$@"
"""


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build():
    """The program, as scripts/test builds it, and what its tests open."""
    compiler = BUILD / "clang"
    BUILD.mkdir(parents=True, exist_ok=True)
    compiler.write_text(COMPILER, encoding="utf-8")
    compiler.chmod(0o755)
    os.environ.update(CC=str(compiler), CCACHE_BASEDIR=str(SOURCE), CCACHE_NOHASHDIR="1")
    run("clang-19", "-O2", "-shared", "-fPIC", "-o", BUILD / "libedges.so",
        SOURCE / "tests/cli/edges.c")
    if not (BUILD / "build.ninja").exists():
        run("meson", "setup", BUILD, SOURCE, "--buildtype=release", "--werror", "-Dtests=enabled",
            f"-Dc_link_args=-no-pie -L{BUILD} -Wl,-rpath,{BUILD} -Wl,--no-as-needed -ledges")
    run("ninja", "-C", BUILD)


@functools.cache
def lines_of(program):
    """The line of source of each edge of a program, by the edge's number less one."""
    with tempfile.NamedTemporaryFile() as table:
        run("objcopy", "-O", "binary", "--only-section=__sancov_pcs", program, table.name)
        words = array.array("Q", table.read())
    # Each entry of the table is a place and flags.
    places = "".join(f"{word:x}\n" for word in words[::2])
    said = subprocess.run(["addr2line", "-e", program], input=places, text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    return [line.partition(" ")[0].rpartition("/")[2] for line in said.splitlines()]


def take(folder):
    """The lines of which programs left marks in this folder, which goes."""
    found = set()
    for path in folder.iterdir():
        program = BUILD / path.name
        if not program.exists():
            program = BUILD / "tests" / path.name
        if program.exists():
            marks = path.read_bytes()
            found.update(line for i, line in enumerate(lines_of(program)) if marks[i + 1])
    shutil.rmtree(folder)
    return found


def seconds():
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def run_class(asked):
    """[(test, seconds of CPU time, lines)...] of the tests that passed, of (name, class, tests)."""
    name, cls, tests = asked
    found, plain, began = [], cls.run, time.monotonic()

    def watched(self, result=None):
        folder = BUILD / "taken" / self.id()
        folder.mkdir(parents=True)
        os.environ["SIMDBENCH_TEST_EDGES"] = str(folder)
        before, bad = seconds(), len(result.failures + result.errors)
        plain(self, result)
        used = seconds() - before
        lines = take(folder)
        if len(result.failures + result.errors) > bad:
            print(f"failed: {self.id()}", flush=True)
        elif lines:
            found.append((f"{name}.{self._testMethodName}", used, sorted(lines)))
        os.environ["SIMDBENCH_TEST_EDGES"] = os.devnull
        return result

    cls.run = watched
    with open(BUILD / f"{name}.log", "w", encoding="utf-8") as log:
        unittest.TextTestRunner(log, verbosity=2).run(
            unittest.TestSuite(map(cls, tests)))
    print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    return found


def run_unit(test):
    """The lines that a unit test reaches."""
    folder = BUILD / "taken" / test["name"]
    folder.mkdir(parents=True)
    done = subprocess.run(test["cmd"], check=False, capture_output=True, cwd=BUILD, env={
        **os.environ, **test["env"], "SIMDBENCH_TEST_EDGES": str(folder)})
    lines = take(folder)
    if done.returncode == 0:
        return lines
    print(f"failed: {test['name']}", flush=True)
    return set()


def unit_lines():
    """The lines that unit tests reach, which all run with sanitizers."""
    tests = json.loads(subprocess.check_output(["meson", "introspect", "--tests", BUILD]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return set().union(*pool.map(run_unit, (
            test for test in tests if not any("cli" in suite for suite in test["suite"])
            and test["name"] != "studies")))


def needless(tests, units):
    """Names of tests whose lines are all reached by unit tests or by the others, too."""
    tests = [(name, used, set(lines) - units) for name, used, lines in tests]
    reached = collections.Counter(line for _, _, lines in tests for line in lines)
    members = collections.Counter(name.partition(".")[0] for name, _, _ in tests)
    out = set()
    for name, _, lines in sorted(tests, key=lambda test: -test[1]):
        of = name.partition(".")[0]
        if members[of] > 1 and all(reached[line] > 1 for line in lines):
            reached.subtract(lines)
            members[of] -= 1
            out.add(name)
    return out


def tell_dear(tests, units, out):
    """Prints the dearest tests that stay, and lines that each of them alone reaches: a cheap test of
    these lines would let it go."""
    staying = [(used, name, set(lines) - units) for name, used, lines in tests if name not in out]
    reached = collections.Counter(line for _, _, lines in staying for line in lines)
    for used, name, lines in sorted(staying, key=lambda test: -test[0])[:20]:
        alone = sorted(line for line in lines if reached[line] == 1)
        print(f"{used:4.1f} s {name}: {len(alone)} lines, {' '.join(alone[:5])}")


def main():
    build()
    shutil.rmtree(BUILD / "taken", ignore_errors=True)
    # The sanitizers run them so.
    os.environ.update(SIMDBENCH=str(BUILD / "simdbench"), SIMDBENCH_EFFORT="10",
                      SIMDBENCH_PROJECT="no")
    units = unit_lines()
    (BUILD / "units.json").write_text(json.dumps(sorted(units)), encoding="utf-8")
    import cli
    import cli_tool
    cli_tool.sanitized = lambda: True
    classes, folders = cli.load()
    others = set() if "--all" in sys.argv else cli.left_out()
    asked = [(name, classes[name], [test.partition(".")[2] for test in tests])
             for folder, of_folder in cli.tests_of_folders(classes, folders, others).items()
             if folder != "repository"
             for name, tests in itertools.groupby(of_folder, lambda test: test.partition(".")[0])]
    tests = []
    lines_of(BUILD / "simdbench")
    with get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for part in pool.imap_unordered(run_class, asked):
            tests += part
            (BUILD / "tests.json").write_text(json.dumps(tests), encoding="utf-8")
    out = needless(tests, units)
    Path(__file__).with_name("reached_by_others.txt").write_text(
        HEAD + "".join(f"{name}\n" for name in sorted(out | others)), encoding="utf-8")
    tell_dear(tests, units, out)
    print(f"{sum(test[1] for test in tests):.0f} s, of which "
          f"{sum(test[1] for test in tests if test[0] in out):.0f} are left out")


if __name__ == "__main__":
    main()
