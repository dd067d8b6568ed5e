# SPDX-License-Identifier: Apache-2.0
"""Drives simdbench as people do.

    SIMDBENCH=build/test/simdbench python3 tests/cli/cli.py [--update] [--no-skip] [TEST...]

--update writes what simdbench prints now to tests/golden/; --no-skip makes a skipped test
a failure. TEST is a class, Class.test_method, or a folder beside this file: all tests in it.
"""
import sys
import unittest
from pathlib import Path

import cli_tool
from cli_ab import *
from cli_accuracy import *
from cli_blis import *
from cli_call import *
from cli_compare import *
from cli_counters import *
from cli_explain import *
from cli_fleet import *
from cli_foreign import *
from cli_harness import *
from cli_history import *
from cli_install import *
from cli_instructions import *
from cli_formats import *
from cli_judge import *
from cli_ladder import *
from cli_license import *
from cli_licences import *
from cli_limits import *
from cli_lock import *
from cli_modules import *
from cli_new_plugin import *
from cli_outputs import *
from cli_peers import *
from cli_gate_code import *
from cli_plants import *
from cli_programs import *
from cli_project import *
from cli_prove import *
from cli_query import *
from cli_quiet import *
from cli_recipes import *
from cli_robust import *
from cli_rooms import *
from cli_run import *
from cli_selftest import *
from cli_shapes import *
from cli_study import *
from cli_study_files import *
from cli_texts import *
from cli_threads import *
from cli_trust import *
from cli_types import *
from cli_usage import *


def in_folder(module, name):
    """Classes of the tests that stand there."""
    return [value.__name__ for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, unittest.TestCase)
            and Path(sys.modules[value.__module__].__file__).parent.name == name]


def main(arguments):
    cli_tool.UPDATE = "--update" in arguments
    names = [a for a in arguments if not a.startswith("--")]
    module = sys.modules[__name__]
    names = [each for name in names for each in in_folder(module, name) or [name]]
    loader = unittest.defaultTestLoader
    suite = (loader.loadTestsFromNames(names, module) if names
             else loader.loadTestsFromModule(module))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if "--no-skip" in arguments and result.skipped:
        sys.exit(f"skipped: {result.skipped[0][1]}")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
