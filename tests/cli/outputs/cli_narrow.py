# SPDX-License-Identifier: Apache-2.0
"""What stands in a terminal of 80 columns: tables fold, words wrap, commands stay whole."""
import json
import shlex
import subprocess

from cli_tool import SMALL, Case


class Narrow(Case):
    def test_lists(self):
        for topic in ("ops", "kernels", "isas", "shapes", "roofs", "groups", "studies", "settings"):
            self.assert_narrow("list", topic)
        text = self.assert_narrow("list")
        self.assertRegex(text, r"`simdbench gemm --sizes=64\.\.512`")

    def test_help(self):
        """Lines of an example are one command for a shell."""
        for command in ("ab", "call", "explain", "judge", "new-plugin", "gemm"):
            text = self.assert_narrow(command, "--help")
            examples = text.split("\nExamples:\n")[1].split("\n\n")[0]
            wide = self.run_tool(command, "--help").stdout.split("\nExamples:\n")[1].split("\n\n")[0]
            self.assertEqual([shlex.split(line) for line in
                              examples.replace("\\\n", "").splitlines()],
                             [shlex.split(line) for line in wide.splitlines()])

    def test_functions(self):
        source, built = self.folder / "names.c", self.folder / "names.so"
        long = "a_name_that_is_longer_than_what_is_left_of_the_line_beside_it"
        source.write_text(f"int {long}(int x) {{ return x; }}\nint twice(int x) {{ return 2 * x; }}\n")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
        text = self.assert_narrow("call", built)
        self.assertRegex(text, rf"(?m)^ {{4,}}{long}$")

    def test_runs_side_by_side(self):
        run = self.run_json(*SMALL)
        names = [f"a-rather-long-name-of-a-run-{i}.json" for i in range(5)]
        for name in names:
            (self.folder / name).write_text(json.dumps(run))
        text = self.assert_narrow("compare", *(self.folder / name for name in names))
        for name in names:
            self.assertRegex(text, rf"(?m)^op and ISA .*{name}")
