# SPDX-License-Identifier: Apache-2.0
"""`simdbench prove`: programs whose files are others by now, or elsewhere, or gone."""
import shutil
import subprocess
from pathlib import Path

from cli_programs import ProgramCase
from cli_tool import PATIENCE


class ProgramFiles(ProgramCase):
    def two_programs(self):
        """A function of theirs is at different places."""
        paths = []
        for n in (1, 9):
            paths.append(self.folder / f"program{n}")
            subprocess.run(["gcc", "-O1", "-x", "c", "-o", paths[-1], "-"], check=True,
                           input="".join(f"volatile int v{i};\nint before{i}(int n) {{ while (n--)"
                                         f" v{i} += n; return v{i}; }}\n" for i in range(n)) +
                           "__attribute__((noipa)) int twice(int n)\n"
                           "{ for (int i = 0; i < 50; i++) v0 += n; return n + n; }\n"
                           f"int main(void) {{ return twice({n}) + before0(0) - 50 * {n}; }}\n",
                           text=True)
        return paths

    def test_file_that_is_replaced(self):
        """A build between two runs: each has the code of its own file."""
        first, second = self.two_programs()
        _, document = self.prove("-c", '"$0"; echo $?; mv "$1" "$0"; "$0"', first, second,
                                 program="sh", options=["--function=twice"], status=18)
        self.assertEqual([f["calls"] for f in document["functions"]], [1, 1])

    def test_other_mounts(self):
        """Another file has this name for the program."""
        second, first = self.two_programs()
        words = ("-rm", "sh", "-c", 'mount --bind "$1" "$0" && exec "$0"', first, second)
        if subprocess.run(["unshare", *words], check=False, capture_output=True,
                          timeout=PATIENCE).returncode != 2:
            self.skipTest("no mount namespaces")
        _, document = self.prove(*words, program="unshare", options=["--function=twice"],
                                 status=2)
        function = self.function(document, "twice")
        self.assertEqual(function["calls"], 1)
        self.assertNotIn("before", str(function))

    def test_attached_to_a_file_that_is_gone(self):
        """Nobody knows what functions it has."""
        self.program = shutil.copy(self.program, self.folder / "gone")
        process, _ = self.looping()
        Path(self.program).unlink()
        done = self.run_tool("prove", "--function=nobody", f"--pid={process.pid}", "--time=1ms",
                             status=2)
        self.assertIn(f"cannot be read here: {self.program} (deleted)", done.stderr)
