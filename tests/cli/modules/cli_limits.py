# SPDX-License-Identifier: Apache-2.0
"""Limits that fit, and correct kernels whose roof does not."""
from cli_tool import MODULES, SHORT, Case, environment, kernels

# By scripted times rows are as fast as their bytes say, but for two that are ten times as fast.
FAST = {"SIMDBENCH_TEST_CLOCK": "1,misfit=0.1,less=0.1"}
AXPY = ("axpy", f"--plugin={MODULES / 'axpy.so'}", "--baseline=none", "--sizes=40960", *SHORT)


class Limits(Case):
    def setUp(self):
        super().setUp()
        self.environment = environment(**FAST)

    def rows(self):
        return {row["variant"]: row for row in kernels(self.run_json(*AXPY, env=self.environment))}

    def test_shares(self):
        """`dst += gain * src` has its stream, without a name and under that of the triad."""
        rows = self.rows()
        for name, guessed in (("plain", True), ("triad", False)):
            limit = rows[name]["limit"]
            self.assertEqual(rows[name]["status"], "ok", rows[name])
            self.assertRegex(limit["id"], r"^roof/f32/scalar/streams@")
            self.assertTrue(0.5 < limit["share"] < 1.01, limit)
            self.assertEqual(limit["guessed"], guessed)
        self.assertIsNone(rows["none"]["limit"])

    def test_nobody_named_it(self):
        """A guess that does not fit accuses nobody: there is no share."""
        less = self.rows()["less"]
        self.assertEqual((less["status"], less["limit"]["share"]), ("ok", None), less)

    def test_misfit(self):
        """A correct kernel above the roof that it names: its time is shown, and all is well."""
        row = self.rows()["misfit"]
        self.assertEqual(row["status"], "suspect", row)
        self.assertIn("another roof would fit", row["reason"])
        self.assertGreater(row["summary"]["median_ns"], 0)
        self.assertEqual(row["ratios"], [])
        table = self.run_tool(*AXPY, "--variants=misfit", env=self.environment).stdout
        self.assertRegex(table, r"axpy:axpy/f32/scalar/misfit@40960 +\d\S* \S+")
        self.assertRegex(table, r"\n +suspect: \d+\.\d% of its limit \(roof/f32/scalar/copy@")
        markdown = self.run_tool(*AXPY, "--variants=misfit", "--format=markdown",
                                 env=self.environment).stdout
        self.assertRegex(markdown, r"misfit@40960 \*\*suspect\*\* .* \| \d")

    def test_stands_in_no_mean(self):
        alone = self.run_tool(*AXPY, "--variants=plain", env=self.environment).stdout
        both = self.run_tool(*AXPY, "--variants=plain,misfit", env=self.environment).stdout
        def means(text):
            return [line for line in text.splitlines() if "mean" in line]
        self.assertEqual(means(alone), means(both))

    def test_list(self):
        text = self.run_tool("list", "roofs").stdout
        for name in ("streams", "triad", "dot", "copy_stream", "fma_max", "none"):
            self.assertRegex(text, rf"(?m)^  {name} ")
        known = set(self.run_tool("list", "kernels", "roof/f32/*").stdout.split())
        names = {word.rpartition("/")[2] for word in known if word.startswith("roof/f32/")}
        for name in names:
            if not name.startswith("fma_"):
                self.assertRegex(text, rf"(?m)^  {name} ")
