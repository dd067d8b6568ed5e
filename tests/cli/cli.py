# SPDX-License-Identifier: Apache-2.0
"""Drives simdbench as people do.

    SIMDBENCH=build/test/simdbench python3 tests/cli/cli.py [--update] [--no-skip] [TEST...]

--update writes what simdbench prints now to tests/golden/; --no-skip makes a skipped test
a failure. TEST is a class, Class.test_method, or a folder beside this file: all tests in it.
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


def main(arguments):
    cli_tool.UPDATE = "--update" in arguments
    classes, folders = load()
    names = [a for a in arguments if not a.startswith("--")] or list(folders)
    names = [each for name in names for each in folders.get(name, [name])]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names, SimpleNamespace(**classes))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if "--no-skip" in arguments and result.skipped:
        sys.exit(f"skipped: {result.skipped[0][1]}")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
