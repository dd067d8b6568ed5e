# SPDX-License-Identifier: Apache-2.0
"""scripts/licences.py finds a file whose licence nobody says."""
import subprocess
import sys
import unittest

from cli_tool import SOURCE


class Licences(unittest.TestCase):
    def check(self, *files):
        done = subprocess.run([sys.executable, SOURCE / "scripts/licences.py", *files],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_covered(self):
        status, text = self.check("README.md", "cmd/main.c", "LICENSE")
        self.assertNotIn("no line", text)

    def test_nobody_says(self):
        # Bytes of a program, and a pattern that reaches no deeper than its folder.
        self.assertEqual(self.check("tests/cli/baseline-fake", sys.executable)[0], 1)
        self.assertIn(f"{sys.executable}: no line SPDX", self.check(sys.executable)[1])

    def test_unused_pattern(self):
        status, text = self.check("README.md")
        self.assertEqual(status, 1)
        self.assertIn("REUSE.toml: no file needs scripts/**.txt", text)
        self.assertEqual(self.check()[0], 1)
