# SPDX-License-Identifier: Apache-2.0
"""edges.py: writes reached_by_others.txt, the tests that scripts/check.sh asan leaves out.

    source scripts/lib.sh; packages run test; python3 tests/cli/edges.py

A test reaches edges of the program's code: the ways from one piece of it without a branch to the
next. A test is left out if tests that stay reach all of its edges. The dearest are tried first. One
test of each class stays, and so do those that fail or whose edges were not seen. scripts/test runs
all of them, so that what they assert is always checked; sanitizers look at the code that runs.
"""
import collections
import json
import os
import resource
import subprocess
import time
import unittest
from multiprocessing import get_context
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = SOURCE / "build/edges"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Tests that need no sanitizers, as others reach all code that they reach. To renew this list:
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
            set -- "$@" -fsanitize-coverage=trace-pc-guard ;;
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
        SOURCE / "tests/support/edges.c")
    if not (BUILD / "build.ninja").exists():
        run("meson", "setup", BUILD, SOURCE, "--buildtype=release", "--werror", "-Dtests=enabled",
            f"-Dc_link_args=-L{BUILD} -Wl,-rpath,{BUILD} -Wl,--no-as-needed -ledges")
    targets = json.loads(subprocess.check_output(["meson", "introspect", "--targets", BUILD]))
    names = [name for target in targets for name in target["filename"]]
    run("ninja", "-C", BUILD, *(name for name in map(lambda n: os.path.relpath(n, BUILD), names)
                                if name == "simdbench" or name.endswith(".so")))


def seconds():
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def run_class(named):
    """[(test, seconds of CPU time, edges)...] of the tests that passed, of (name, class)."""
    name, cls = named
    found, plain, began = [], cls.run, time.monotonic()

    def watched(self, result=None):
        path = BUILD / "taken" / self.id()
        os.environ["SIMDBENCH_TEST_EDGES"] = str(path)
        before, bad = seconds(), len(result.failures + result.errors)
        plain(self, result)
        if len(result.failures + result.errors) > bad:
            print(f"failed: {self.id()}", flush=True)
        elif path.exists():
            edges = [i for i, byte in enumerate(path.read_bytes()) if byte]
            found.append((f"{name}.{self._testMethodName}", seconds() - before, edges))
        path.unlink(missing_ok=True)
        os.environ["SIMDBENCH_TEST_EDGES"] = os.devnull
        return result

    cls.run = watched
    with open(BUILD / f"{name}.log", "w", encoding="utf-8") as log:
        unittest.TextTestRunner(log, verbosity=2).run(
            unittest.defaultTestLoader.loadTestsFromTestCase(cls))
    print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    return found


def needless(tests):
    """Names of tests whose edges are all reached by the others, too."""
    reached = collections.Counter(edge for _, _, edges in tests for edge in edges)
    members = collections.Counter(name.partition(".")[0] for name, _, _ in tests)
    out = set()
    for name, _, edges in sorted(tests, key=lambda test: -test[1]):
        of = name.partition(".")[0]
        if members[of] > 1 and all(reached[edge] > 1 for edge in edges):
            reached.subtract(edges)
            members[of] -= 1
            out.add(name)
    return out


def main():
    build()
    (BUILD / "taken").mkdir(exist_ok=True)
    # The sanitizers run them so.
    os.environ.update(SIMDBENCH=str(BUILD / "simdbench"), SIMDBENCH_EFFORT="10",
                      SIMDBENCH_PROJECT="no")
    import cli
    import cli_tool
    cli_tool.sanitized = lambda: True
    classes, folders = cli.load()
    tests = []
    with get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for part in pool.imap_unordered(run_class, [
                (name, classes[name]) for folder, names in folders.items()
                if folder != "repository" for name in names]):
            tests += part
            (BUILD / "tests.json").write_text(json.dumps(tests), encoding="utf-8")
    out = needless(tests)
    Path(__file__).with_name("reached_by_others.txt").write_text(
        HEAD + "".join(f"{name}\n" for name in sorted(out)), encoding="utf-8")
    print(f"{sum(test[1] for test in tests):.0f} s, of which "
          f"{sum(test[1] for test in tests if test[0] in out):.0f} are left out")


if __name__ == "__main__":
    main()
