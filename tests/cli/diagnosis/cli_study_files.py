# SPDX-License-Identifier: Apache-2.0
"""The studies that simdbench brings are there, and the contract of docs/studies.md works as it
stands there, with the plug-in of docs/plugin.md."""
import json
import re
import shutil

from cli_tool import *


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


class StrangeStudies(Case):
    """Files that somebody else wrote."""
    BAD = "a\x1b[31m\x07\r\n\u009b\u202e::error ::x ##[error]y ##vso[task.z]\n::error::c"
    STUDY = {
        "study": 1, "name": "x", "title": BAD,
        "source": dict.fromkeys(("title", "file", "sha256", "machine"), BAD),
        "work": {"op": "gemm", "semiring": "maxplus", "type": "f32",
                 "shapes": ["8", BAD], "quick": ["8", BAD]},
        "arms": {"own": {}, BAD[:60]: {"op": BAD, "isa": BAD, "variant": BAD},
                 "file": {"module": f"./{BAD}.so"}},
        "claims": [
            {"id": BAD, "by": "us", "text": BAD, "note": BAD, "their": BAD, "instead": BAD,
             "confounders": [BAD], "measure": "time_ratio", "of": ["own", BAD[:60]],
             "expect": [None, 1], "needs": [f"never:{BAD}"], "why": BAD},
            {"id": "b", "quote": BAD.replace(" ", ""), "measure": "time_ratio",
             "of": ["own", BAD[:60]], "expect": [None, 1], "needs": ["cpus:1"],
             "evidence": [{"measure": "static", "fact": BAD, "of": ["own"], "why": BAD,
                           "expect": [0, 0]}]},
            {"id": "c", "by": "us", "text": "c", "measure": "metric", "metric": BAD,
             "of": ["file"], "expect": [None, 1]},
            {"id": "d", "by": "us", "text": "d", "measure": "host", "name": BAD,
             "expect": [None, 1]}],
        "account": {"total": ["own", "file"], "parts": [["own", BAD[:60]]]}}

    def write(self, document, folder=None):
        path = (folder or self.folder) / "study.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def check_output(self, done):
        """No control character but the blanks of JSON and line ends, no command to CI but our
        own."""
        for text in done.stdout, done.stderr:
            for bad in (r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", r"##[a-z]*\[",
                        r"(?m)^\s*::(?!(notice|warning|error) title=)"):
                found = re.search(bad, text)
                self.assertFalse(found, found and text[max(found.start() - 99, 0):found.end()])

    def test_texts_are_escaped(self):
        path = self.write(self.STUDY)
        plan = self.run_tool("study", path, "--dry-run")
        self.check_output(plan)
        self.assertIn(r"\x1b[31m\x07\r\n\u009b\u202e\x3a:error \x3a:x \x23#[error]y",
                      plan.stdout)
        for form in ("table", "markdown", "junit", "annotations", "csv", "json", "html"):
            with self.subTest(form):
                done = self.run_tool("study", path, "--quick", "--quiet", f"--format={form}")
                if form != "html":
                    self.check_output(done)

    def test_errors_are_escaped(self):
        for changes in ({self.BAD: 1}, {"": 1}, {"name": self.BAD}, {"claims": [{"id": 1}]},
                        {"arms": {"a": {"cache": self.BAD}}},
                        {"arms": {self.BAD[:60]: {"pages": "3"}}}):
            with self.subTest(changes):
                done = self.run_tool("study", self.write({**self.STUDY, **changes}),
                                     "--dry-run", status=2)
                self.check_output(done)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_dry_run_tells_what_would_start(self):
        """And starts nothing."""
        folder = self.folder / "studies"
        folder.mkdir()
        mark = self.folder / "started"
        program = self.folder / "x.sh"
        program.write_text(f"#!/bin/sh\ntouch '{mark}'\n", encoding="utf-8")
        program.chmod(0o755)
        shutil.copy(MODULES / "pace.so", folder)
        path = self.write({
            "study": 1, "name": "x", "work": {"op": "gemm", "shapes": ["8"]},
            "arms": {"own": {}, "a": {"module": "../x.sh"}, "b": {"module": "pace.so,x=y/z"},
                     "c": {"module": "./nothing.so"}},
            "claims": [{"id": str(n), "by": "us", "text": "x", "measure": "time_ratio",
                        "of": ["own", arm], "expect": [None, 1]}
                       for n, arm in enumerate("abc")]}, folder)
        plan = self.run_tool("study", path, "--dry-run").stdout
        self.assertIn("would start:\n", plan)
        for line in (f"../x.sh .*the program {self.folder}/x.sh",
                     f"pace.so,x=y/z .*the module {folder}/pace.so",
                     r"./nothing.so .*not here: "):
            self.assertRegex(plan, rf"\n    {line}")
        self.assertFalse(mark.exists())
        plan = self.run_tool("study", path, "--dry-run", "--claim=2").stdout
        self.assertNotIn("x.sh", plan)
        own = self.run_tool("study", "nnc-relu", "--claim=11", "--dry-run").stdout
        self.assertIn("would start", own)

    def test_bounds(self):
        """Each field that a file can make large has an end, which the message names."""
        claim = {"id": "a", "by": "us", "text": "x", "measure": "time_ratio",
                 "of": ["own", "own"], "expect": [None, 1]}
        shapes = [str(n) for n in range(1, 100001)]
        work, long = self.STUDY["work"], "s" * 300
        cases = {
            "work.shapes: 100000 entries; at most 1000": {"work": {**work, "shapes": shapes}},
            "claims[0].at: 100000 entries": {"claims": [{**claim, "at": shapes}]},
            "claims[0].quick: 1001 entries": {"claims": [{**claim, "quick": shapes[:1001]}]},
            "claims: 1001 entries": {"claims": [{**claim, "id": s} for s in shapes[:1001]]},
            "claims[10].at: with the shapes of this check, claims and evidence have 11000":
                {"claims": [{**claim, "id": s, "at": shapes[:1000]} for s in shapes[:11]]},
            "claims[0].evidence: 101 entries": {"claims": [{**claim, "evidence": [claim] * 101}]},
            "claims[0].needs: 101": {"claims": [{**claim, "needs": ["cpus:1"] * 101}]},
            "claims[0].of: 101": {"claims": [{**claim, "of": ["own"] * 101}]},
            "claims[0].id: 300 bytes; at most 256": {"claims": [{**claim, "id": long}]},
            "claims[0].at[0]: 300 bytes": {"claims": [{**claim, "at": [long]}]},
            "arms.own.variant: 300": {"arms": {"own": {"variant": long}}},
            "more than 64 bytes": {"arms": {"own": {}, long: {}}},
            "account.parts: 101": {"account": {"total": ["own", "own"],
                                               "parts": [["own", "own"]] * 101}},
        }
        for message, changes in cases.items():
            with self.subTest(message):
                path = self.write({**self.STUDY, "claims": [claim], "account": None, **changes})
                done = self.run_tool("study", path, "--dry-run", status=2)
                self.assertIn(message, done.stderr)

    def test_largest_plan(self):
        """As many points as there may be."""
        claim = {"by": "us", "text": "x", "measure": "time_ratio", "of": ["own", "own"],
                 "expect": [None, 1]}
        path = self.write({**self.STUDY, "account": None, "claims": [
            {**claim, "id": str(n), "at": [str(1000 * n + k + 1) for k in range(1000)]}
            for n in range(10)]})
        plan = self.run_tool("study", path, "--dry-run").stdout
        self.assertIn("in 10000 sets of rounds", plan)
