# SPDX-License-Identifier: Apache-2.0
"""Every output format of a real run, at once and from the saved run."""
from cli_tool import SMALL, Case, kernels
from format_rules import RULES


class Formats(Case):
    def test_all_at_once_and_later(self):
        saved = self.folder / "run.json"
        files = {form: self.folder / f"{form}.out" for form in [*RULES, "table"]}
        live = self.run_tool(*SMALL, f"--json={saved}",
                             *(f"--format={form}:{path}" for form, path in files.items()))
        self.assertIn("gemm/maxplus-f32/scalar", live.stdout)
        self.assertTrue(kernels(self.load(saved), status="ok"))
        for form, path in files.items():
            with self.subTest(format=form):
                later = self.run_tool("report", saved, f"--format={form}").stdout
                data = path.read_bytes()
                self.assertEqual(data.decode("utf-8").replace("\r\n", "\n"), later)
                told = str(RULES[form](data)).lower() if form in RULES else "gemm"
                self.assertIn("1 ok" if form == "annotations" else "gemm", told)
        self.assertEqual(files["table"].read_text(encoding="utf-8"), live.stdout)

    def test_file_instead_of_nothing_else(self):
        """A file changes nothing on standard output; a format without one replaces it."""
        path = self.folder / "run.json"
        self.run_tool(*SMALL, f"--format=json:{path}", "--format=bmf")
        table = self.run_tool("report", path, f"--format=csv:{self.folder}/run.csv").stdout
        self.assertEqual(table, self.run_tool("report", path).stdout)

    def test_one_bad_file_spoils_nothing_before(self):
        path = self.folder / "run.json"
        self.run_tool(*SMALL, f"--json={path}")
        old = self.folder / "run.xml"
        old.write_text("precious")
        done = self.run_tool("report", path, f"--format=csv:{self.folder}/no/run.csv",
                             f"--format=junit:{old}", status=2)
        self.assertIn("no/run.csv", done.stderr)
        self.assertEqual(old.read_text(), "precious")
        done = self.run_tool("report", path, "--format=junit:/dev/full", status=2)
        self.assertIn("/dev/full", done.stderr)
