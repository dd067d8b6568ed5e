# SPDX-License-Identifier: Apache-2.0
"""Drives simdbench as people do.

    SIMDBENCH=build/test/simdbench python3 tests/cli/cli.py [--update] [--no-skip] [TEST...]

--update writes what simdbench prints now to tests/golden/; --no-skip makes a skipped test
a failure. TEST is a class, Class.test_method, or a folder beside this file: all tests in it, but
for a build with sanitizers those of reached_by_others.txt, which edges.py wrote.
"""
import importlib
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

import cli_tool


def load():
    """All tests as {name: class}, and {folder: [name...]}."""
    classes, folders = {}, {}
    for path in sorted(Path(__file__).parent.glob("*/cli_*.py")):
        module = importlib.import_module(path.stem)
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == path.stem and isinstance(value, type) \
                    and issubclass(value, unittest.TestCase):
                assert name not in classes, f"{path}: {name} is a class of another file, too"
                classes[name] = value
                folders.setdefault(path.parent.name, []).append(name)
    return classes, folders


def left_out():
    """Names of tests that need no sanitizers."""
    lines = Path(__file__).with_name("reached_by_others.txt").read_text(encoding="utf-8")
    return {line for line in lines.splitlines() if not line.startswith("#")}


def tests_of_folders(classes, folders, others):
    """{folder: [Class.test_method...]}, without others."""
    found = {folder: [f"{name}.{method}" for name in names for method in
                      unittest.defaultTestLoader.getTestCaseNames(classes[name])]
             for folder, names in folders.items()}
    gone = others.difference(*found.values())
    assert not gone, f"reached_by_others.txt: there is no test {min(gone)}"
    return {folder: [name for name in names if name not in others]
            for folder, names in found.items()}


def main(arguments):
    cli_tool.UPDATE = "--update" in arguments
    classes, folders = load()
    folders = tests_of_folders(classes, folders, left_out() if cli_tool.sanitized() else set())
    names = [a for a in arguments if not a.startswith("--")] or list(folders)
    names = [each for name in names for each in folders.get(name, [name])]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names, SimpleNamespace(**classes))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if "--no-skip" in arguments and result.skipped:
        sys.exit(f"skipped: {result.skipped[0][1]}")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
