# SPDX-License-Identifier: Apache-2.0
"""The studies that simdbench brings are there, and the contract of docs/studies.md works as it
stands there, with the plug-in of docs/plugin.md."""
import re
import shutil

from cli_tool import *

__all__ = ["StudyFiles"]


class StudyFiles(Case):
    def test_brought_studies(self):
        listed = self.run_tool("list", "studies").stdout.split("\n")
        files = sorted(path.stem for path in (SOURCE / "studies").glob("*.json"))
        self.assertEqual([line.split()[0] for line in listed if line], files)
        for name in files:
            plan = self.run_tool("study", name, "--dry-run").stdout
            self.assertRegex(plan, rf"^{name}: \d+ claims, \d+ cases")

    def test_never_is_no_verdict(self):
        """Even if the claim is one of numbers alone."""
        document = self.run_json("study", "trueno", "--claim=29", "--quick", "--quiet")
        claim, = document["studies"][0]["claims"]
        self.assertEqual(claim["verdict"], "NOT MEASURABLE")
        self.assertIn("is not here", claim["reason"])

    @unittest.skipIf(sanitized(), "the code has what sanitizers add")
    def test_documented_contract(self):
        text = (SOURCE / "docs/studies.md").read_text(encoding="utf-8")
        path = self.folder / "my_gemm.json"
        path.write_text(re.search(r"```json\n(.*?)```", text, re.S).group(1), encoding="utf-8")
        shutil.copy(MODULES / "my_gemm.so", self.folder)
        document = self.run_json("study", path, "--claim=spills", "--claim=width", "--quick",
                                 "--quiet")
        for claim in document["studies"][0]["claims"]:
            with self.subTest(claim["id"]):
                if claim["verdict"] == "NOT MEASURABLE":
                    self.skipTest(claim["reason"])
                self.assertEqual(claim["verdict"], "CONFIRMED")
                self.assertEqual([e["verdict"] for e in claim["evidence"]],
                                 ["CONFIRMED"] * len(claim["evidence"]))
