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

    def test_what_the_loader_does_is_not_the_functions(self):
        """The loader works on vectors; a call in which nothing else does has none."""
        sources = {"far": "int far(int x) { return x * 3; }",
                   "main": "int far(int); __attribute__((noinline)) int near(int x) "
                           "{ return far(x) + 1; } int main(void) { return near(2) != 7; }"}
        for name, text in sources.items():
            (self.folder / f"{name}.c").write_text(text)
        # Two files have that name: what is not called is told with its file.
        for library in "libfar.so", "libother.so":
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", self.folder / library,
                            self.folder / "far.c"], check=True)
        program = self.folder / "main"
        subprocess.run(["gcc", "-O1", "-Wl,-z,lazy", "-Wl,--no-as-needed", "-o", program,
                        self.folder / "main.c", f"-L{self.folder}", "-lfar", "-lother"], check=True)
        done, document = self.prove(options=["--function=near", "--function=far"],
                                    library=self.folder, program=program)
        (call,) = self.function(document, "near")["traced"]
        self.assertGreater(call["instructions"], 100)
        self.assertEqual((call["isa"], call["bits"], call["vector_share"], call["scalar_share"]),
                         ("scalar", 0, 0, 1))
        self.assertRegex(done.stderr, r"(never|not seen to be) called: libother\.so:far")
