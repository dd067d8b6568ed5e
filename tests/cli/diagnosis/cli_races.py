# SPDX-License-Identifier: Apache-2.0
"""Threads, children and mappings of a program that come and go while it is traced."""
import shutil
import subprocess
from pathlib import Path

from cli_programs import ProgramCase
from cli_tool import PATIENCE


class RacingPrograms(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.built / "racing"
        subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "-pthread", "-o", cls.program,
                        Path(__file__).with_name("racing.c"), f"-L{cls.built}/good", "-lsum",
                        "-ldl"], check=True)

    def test_forks_of_a_traced_program(self):
        """A child has the breakpoints that were in when it was made."""
        done, _ = self.prove("forks", "100", options=["--function=sum_sse2", "--calls=20"])
        self.assertEqual(done.stdout, "0 bad\n")

    def test_number_of_calls(self):
        """Other threads may pass while one steps over a breakpoint."""
        _, document = self.prove("counts", options=["--function=sum_sse2", "--calls=2"])
        function = self.function(document, "sum_sse2")
        self.assertLessEqual(function["calls"], 800)
        self.assertTrue(function["calls"] == 800 or not function["calls_exact"], function)

    def test_attached_to_changing_threads(self):
        process = self.enterContext(subprocess.Popen(
            [self.program, "starts"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=self.environment()))
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for _ in range(10):
            self.run_tool("prove", "--function=sum_sse2", "--calls=2", f"--pid={process.pid}")
        self.assertEqual(process.communicate("", PATIENCE)[0], "ended\n")
        self.assertEqual(process.returncode, 0)

    def test_file_that_is_mapped_again(self):
        """Beside the library of the same file: its breakpoints stay known."""
        first, second = (shutil.copy(self.built / "good/libsum.so", self.folder / name)
                         for name in ("libfirst.so", "libsecond.so"))
        done, document = self.prove("reads", first, second, options=[
            "--function=libfirst:sum_sse2"])
        self.assertEqual(done.stdout, "same\n")
        self.assertEqual(self.function(document, "sum_sse2")["calls"], 6)
