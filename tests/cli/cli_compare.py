# SPDX-License-Identifier: Apache-2.0
"""simdbench compare: two stored runs."""
import copy
import json

from cli_tool import SMALL, Case, environment

__all__ = ["Compare"]


class Compare(Case):
    """Runs made from one real run, so that no test depends on timing."""

    def setUp(self):
        super().setUp()
        self.base = self.run_json(*SMALL, "--rounds=20")
        self.kernels = [r for r in self.base["results"] if r["role"] == "kernel"]
        self.assertTrue(self.kernels)
        for result in self.base["results"]:
            n = 40
            per_call = result["summary"]["median_ns"] + result["overhead_ns"]
            if result["status"] == "noisy":
                result.update(status="ok", reason=None)
            # A fixed wave of 0.4% in place of the noise of this machine.
            result["samples_ns"] = [per_call * result["iterations"] *
                                    (1 + 0.0001 * (i * 17 % n)) for i in range(n)]
            result["rounds"] = list(range(n))

    def write(self, name, document):
        path = self.folder / name
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def head(self, factor=1.0, roofs=1.0):
        """The base with own kernels `factor` times slower."""
        document = copy.deepcopy(self.base)
        for result in document["results"]:
            by = factor if result["role"] == "kernel" else roofs
            loop = result["overhead_ns"] * result["iterations"]
            result["samples_ns"] = [(s - loop) * by + loop for s in result["samples_ns"]]
            for key in ("median_ns", "min_ns"):
                result["summary"][key] *= by
        return document

    def compare(self, head, *options, base=None, status=0):
        base = self.write("base.json", base or self.base)
        return self.run_tool("compare", base, self.write("head.json", head), *options,
                             status=status).stdout

    def test_equal(self):
        out = self.compare(self.head(), "--strict")
        self.assertIn("PASSED: none of", out)
        self.assertIn("run 1", out)
        self.assertIn("run 2", out)
        self.assertIn("SAME", out)
        self.assertNotIn("roof/", out)

    def test_regressed_and_improved(self):
        out = self.compare(self.head(1.05), status=1)
        self.assertIn("REGRESSED: ", out)
        self.assertIn("+5.00%", out)
        self.assertIn(self.kernels[0]["id"], out)
        self.assertIn("IMPROVED", self.compare(self.head(0.9)))

    def test_threshold(self):
        self.compare(self.head(1.05), "--threshold=10%")
        self.compare(self.head(1.008), "--threshold=0.5%", status=1)

    def test_strict(self):
        # An interval that reaches across the threshold.
        head = self.head(1.02)
        self.assertIn("UNDECIDED", self.compare(head))
        self.assertIn("this fails", self.compare(head, "--strict", status=3))

    def test_roofs_are_the_control(self):
        if not any(r["role"] == "roof" for r in self.base["results"]):
            self.skipTest("this run has no roof")
        out = self.compare(self.head(1.05, roofs=1.05))
        self.assertIn("the roof, whose code should be the same", out)

    def test_other_machine(self):
        base = copy.deepcopy(self.base)
        base["host"]["fingerprint"] = "0000"
        base["host"]["identity"]["cpu"] = base["host"]["cpu"] = "Old CPU"
        out = self.compare(self.head(1.5), base=base)
        self.assertIn("times were not judged: cpu is 'Old CPU' and ", out)
        self.assertIn("+50.", out)
        self.compare(self.head(1.5), "--strict", base=base, status=3)

    def test_exact_counts(self):
        base, head = copy.deepcopy(self.base), self.head()
        for document, count in ((base, 1000), (head, 1100)):
            result = next(r for r in document["results"] if r["role"] == "kernel")
            result["counters"]["instructions"] = {
                "value": count, "per_element": None, "running_share": 1,
                "samples": [count * result["iterations"]] * 6}
        base["host"]["fingerprint"] = "0000"
        out = self.compare(head, base=base, status=1)
        self.assertIn("instructions: 1000 to 1100 a call (+10.00%), exact in both runs",
                      out)
        result["counters"]["instructions"]["samples"][0] += 1
        self.compare(head, base=base)

    def test_new_gone_and_wrong(self):
        head = self.head()
        first = next(r for r in head["results"] if r["role"] == "kernel")
        first["id"] += ";new=1"
        out = self.compare(head, status=0 if len(self.kernels) > 1 else 5)
        self.assertIn("NEW", out)
        self.assertIn("GONE", out)
        for result in head["results"]:
            result["id"] += ";other=1" if result["role"] == "kernel" else ""
        out = self.compare(head, status=5)
        self.assertRegex(out, r"NOTHING COMPARED: none of \d+ cases is in both")
        head = self.head()
        first = next(r for r in head["results"] if r["role"] == "kernel")
        first.update(status="wrong", reason="output (3, 5) is 1.5")
        self.assertIn("run 2: wrong: output (3, 5) is 1.5",
                      self.compare(head, status=4))

    def test_outputs(self):
        path, markdown = self.folder / "both.json", self.folder / "both.md"
        shown = self.compare(self.head(1.05), f"--json={path}", f"--markdown={markdown}",
                             status=1)
        both = self.load(path)
        self.assertEqual(both["gate"]["kind"], "stored")
        self.assertEqual(both["gate"]["regressed"], len(self.kernels))
        self.assertEqual(self.run_tool("report", path).stdout, shown)
        self.assertIn("**REGRESSED", markdown.read_text(encoding="utf-8"))
        done = self.run_tool("compare", path, path, status=2)
        self.assertIn("is a comparison already", done.stderr)

    def test_width_and_colour(self):
        base = self.write("base.json", self.base)
        head = self.write("head.json", self.head(1.05))
        out = self.run_tool("compare", base, head, status=1,
                            env=environment(COLUMNS="80")).stdout
        self.assertNotIn("\033", out)

    def test_mistakes(self):
        base = self.write("base.json", self.base)
        for arguments, words in (
                ([base], ["compare", "needs"]),
                ([base, base, base], ["compare", str(base)]),
                ([base, "missing.json"], ["missing.json"]),
                ([base, "/dev/null"], ["/dev/null"]),
                ([base, base, "--threshold=2"], ["--threshold", "2%"]),
                ([base, base, "--threshold=0%"], ["--threshold=0%", "0.01%"]),
                ([base, base, "--threshold=0x1%"], ["--threshold=0x1%"]),
                ([base, base, "--threshold=1e1%"], ["--threshold=1e1%"]),
                ([base, base, "--threshold=101%"], ["--threshold=101%", "100%"]),
                ([base, base, "--threshold=%"], ["--threshold=%"]),
                ([base, base, "--isa=avx2"], ["--isa", "compare"])):
            with self.subTest(arguments):
                done = self.run_tool("compare", *arguments, status=2, cwd=self.folder)
                for word in words:
                    self.assertIn(word, done.stderr)
