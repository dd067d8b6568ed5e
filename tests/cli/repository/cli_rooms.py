# SPDX-License-Identifier: Apache-2.0
"""scripts/rooms.py finds what it is there for."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from cli_tool import SOURCE

GOOD = {
    "base/error.h": "",
    "kernels/kernels.h": '#include "error.h"\n',
    "kernels/gemm/gemm.h": "",
    "kernels/gemm/gemm.c": '#include "gemm/gemm.h"\n#include "kernels.h"\n',
    "cmd/plan/plan.h": '#include "kernels.h"\n',
    "cmd/plan/select.h": '#include "plan/plan.h"\n',
    "cmd/measure/measure.h": '#include "plan/plan.h"\n',
}


class Rooms(unittest.TestCase):
    def check(self, **changed):
        """What --check says of the good tree with other contents of some files."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changed}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, SOURCE / "scripts/rooms.py", "--check", folder],
                capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_good_tree_passes(self):
        self.assertEqual(self.check(), (0, ""))

    def test_bad_includes_fail(self):
        for name, include, says in [
                ("kernels/gemm/gemm.c", "plan/plan.h", "is no file of this program"),
                ("cmd/measure/rounds.c", "plan/select.h", "private to room cmd/plan"),
                ("cmd/measure/rounds.c", "gemm/gemm.h", "private to room kernels"),
                ("cmd/plan/plan.c", "measure/measure.h",
                 "room cmd/plan may not include room cmd/measure")]:
            with self.subTest(include):
                status, text = self.check(**{name: f'#include "{include}"\n'})
                self.assertEqual(status, 1)
                self.assertIn(f'{name}: "{include}"', text)
                self.assertIn(says, text)

    def test_circle_fails(self):
        status, text = self.check(**{"cmd/plan/plan.c": '#include "measure/measure.h"\n'})
        self.assertEqual(status, 1)
        for room in "cmd/plan", "cmd/measure":
            self.assertIn(f"room {room} is part of a circle", text)

    def test_empty_tree_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, SOURCE / "scripts/rooms.py", "--check", folder],
                capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)


class Folders(unittest.TestCase):
    def test_all_run(self):
        """Meson has a test for each folder of tests/cli."""
        text = (SOURCE / "tests/meson.build").read_text(encoding="utf-8")
        named = text.partition("cli_folders = [")[2].partition("]")[0]
        self.assertEqual(sorted(named.replace("'", "").replace(",", " ").split()),
                         sorted({path.parent.name for path in
                                 (SOURCE / "tests/cli").glob("*/cli_*.py")}))
