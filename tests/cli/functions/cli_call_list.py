# SPDX-License-Identifier: Apache-2.0
"""`simdbench call` of a library alone: lists of what can be called."""
import re
import shlex
import subprocess

from cli_call import CallCase, SOURCE
from cli_tool import BINARY, EFFORT, SHORT, environment, kernels


class CallList(CallCase):
    def test_page_of_functions(self):
        """Its commands run as printed, where the library is."""
        page = SOURCE.parents[3] / "docs" / "functions.md"
        commands = re.findall(r"(?m)^\| `simdbench (.*?)` \|", page.read_text(encoding="utf-8"))
        self.assertGreater(len(commands), 25)
        for command in commands[::EFFORT | 1]:
            done = subprocess.run([BINARY, *shlex.split(command), "--dry-run"], text=True,
                                  capture_output=True, env=environment())
            if "there is no library" not in done.stderr:
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")

    def test_object_of_a_program(self):
        """Compiled for no shared object: its data, streams of libc, and C++."""
        source = self.folder / "program.cc"
        source.write_text("""
            #include <cstdio>
            #include <stdexcept>
            int table[4] = {1, 2, 3, 4};
            extern "C" int sum(int n) { return n ? table[n & 3] : fprintf(stderr, "none"); }
            #if __PIC__ && !__PIE__
            extern "C" int refuse(int n) { throw std::runtime_error("none"); }
            #endif
            """)
        for words in (["-fPIE"], ["-fPIC"]):
            subprocess.run(["c++", "-O2", *words, "-c", "-o", self.folder / "program.o", source],
                           check=True)
            row, = kernels(self.run_json("call", "./program.o:sum", "int (int n)", "--sizes=1",
                                         "--quiet", *SHORT, cwd=self.folder))
            self.assertIn(row["status"], ("unchecked", "short"), row)

    def test_a_program_with_stubs(self):
        """The address of a function of a library is that of a stub: no function of its own."""
        program = self.folder / "fixed"
        subprocess.run(
            ["gcc", "-O1", "-fno-pie", "-no-pie", "-o", program, "-x", "c", "-"], text=True,
            input="int atoi(const char *); int (*own(void))(const char *) { return atoi; }\n"
                  "int main(void) { return own() == 0; }", check=True)
        text = self.run_tool("call", program).stdout
        self.assertRegex(text, r"(?m)  own  hidden$")
        self.assertNotIn("atoi", text)

    def test_a_list_shows_what_is_exported(self):
        """Among hundreds of local functions nobody would find it; who asks for all gets all."""
        source, built = self.folder / "many.c", self.folder / "many.so"
        source.write_text("int shown(int x) { return x; }\n" + "".join(
            f"__attribute__((noinline, used)) static int own_{i}(int x) {{ return x * {i + 3}; }}\n"
            for i in range(60)))
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
        text = self.run_tool("call", built).stdout
        self.assertIn("shown\n", text)
        self.assertNotIn("own_", text)
        more = re.search(r"(?m)^(\d+) more are not exported; `simdbench call '(.*?)'` lists all", text)
        self.assertGreaterEqual(int(more[1]), 60)
        self.assertEqual(self.run_tool("call", more[2]).stdout.count("own_"), 60)

    def test_list(self):
        text = self.run_tool("call", self.built).stdout
        self.assertRegex(text, r"(?m)^ *\d+  \S*avx\S* +mix_avx2$")
        self.assertRegex(text, r"(?m)^ *\d+ .* not_exported  local$")
        self.assertRegex(text, r"(?m)^one op: mix_c,.*mix_avx2")
        family = re.search(r"(?m)^one op: (.*)$", text)[1]
        self.assertIn(f"\nNext: `simdbench call '{self.built}:{family}' ", text)
        self.assertNotIn("state_pointer", text)
        self.assertRegex(self.run_tool("call", f"{self.built}:state").stdout,
                         r"(?m)^ *8  variable  +state_pointer$")
        some = self.run_tool("call", f"{self.built}:pack_u").stdout
        self.assertEqual(some.count("\n"), 3, some)
        self.run_tool("call", f"{self.built}:zzz", status=5)
