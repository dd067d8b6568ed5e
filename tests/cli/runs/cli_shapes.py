# SPDX-License-Identifier: Apache-2.0
"""Inputs and shapes of a plug-in's op; and what a kernel says of itself."""
import re

from cli_tool import MODULES, SHORT, Case, kernels

THIRD = f"--plugin={MODULES / 'third.so'}"


class Third(Case):
    """Runs of the op that tests/modules/third.c brings."""

    def measure(self, *arguments, **more):
        return self.run_json("third", THIRD, "--isa=scalar", *SHORT, *arguments, **more)


class Inputs(Third):
    def test_results(self):
        document = self.measure("--sizes=8", "--layout=plain", "--input=zero,unit",
                                "--baseline=none")
        settings = {r["id"].partition(";")[2]: r["settings"] for r in kernels(document)}
        self.assertEqual(settings, {"": {}, "input=zero": {"input": "zero"}})
        hashes = {(r["group"], r["input_hash"]) for r in kernels(document)}
        self.assertEqual(len(hashes), 2)

    def test_unknown_input_ends_the_run_before_it_begins(self):
        done = self.run_tool("third", THIRD, *SHORT, "--input=zero,zeroes",
                             f"--json={self.folder}/run.json", "--baseline=none", status=2)
        self.assertIn("--input=zeroes: op third has no such input (known: unit, "
                      "uniform:LO..HI, zero; of all ops: normal, ", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(list(self.folder.iterdir()), [])


class Accuracy(Third):
    def test_times_come_with_errors(self):
        document = self.measure("--sizes=5000", "--layout=plain", "--baseline=none")
        by_variant = {r["variant"]: r["accuracy"] for r in kernels(document)}
        self.assertLess(by_variant["divide"]["max_ulp"], 0.51)
        self.assertGreater(by_variant["multiply"]["max_ulp"], 0.6)
        self.assertLess(by_variant["multiply"]["max_ulp"], 1)
        self.assertLess(by_variant["divide"]["mean_ulp"],
                        by_variant["multiply"]["mean_ulp"])
        self.assertLessEqual(abs(by_variant["divide"]["worst_input"]), 1)

    def test_table(self):
        lines = self.run_tool("third", THIRD, "--accuracy", "--baseline=none",
                              "--isa=scalar").stdout.splitlines()
        self.assertEqual(lines[0], "third f32, 3000")
        self.assertEqual(lines[2].split()[-5:],
                         ["unit", "uniform:1..4", "zero", "max", "mean"])
        rows = {line.split()[0]: line.split()[1:] for line in lines[3:]}
        self.assertEqual(set(rows), {"third:third/f32/scalar/divide",
                                     "third:third/f32/scalar/multiply",
                                     "third:third/f32/lib/chosen"})
        for row in rows.values():
            cells = [float(cell) for cell in row]
            self.assertEqual(cells[3], max(cells[:3]))
            self.assertEqual(cells[2], 0)
            self.assertLess(cells[4], cells[3])


class Choices(Third):
    """What a library chose, and when that makes it no fair opponent."""

    def chosen(self, options, *arguments):
        document = self.measure("--sizes=8", "--layout=plain", *arguments,
                                f"--baseline={MODULES / 'third.so'},{options}")
        row = kernels(document, role="baseline", variant="chosen")[0]
        return row

    def test_choice(self):
        row = self.chosen("isa=avx9")
        self.assertEqual(row["implementation"], "loop")
        self.assertEqual(row["workspace_bytes"], 4096)
        self.assertEqual(row["module_isa"], "avx9")
        self.assertIn("counts itself among the best", row["notes"])

    def test_narrower(self):
        row = self.chosen("isa=scalar")
        self.assertRegex(row["unranked"], r"^ran scalar where this CPU has \w+$")
        self.assertTrue([n for n in row["notes"] if "narrower than this CPU" in n], row)

    def test_as_wide_as_the_cpu(self):
        widest = re.search(r"(?m)^  (\S+) .*the widest",
                           self.run_tool("list", "isas").stdout).group(1)
        self.assertIsNone(self.chosen(f"isa={widest}")["unranked"])
        self.assertIsNone(self.chosen("name=core")["unranked"])

    def test_threads(self):
        row = self.chosen("spare=2")
        self.assertRegex(row["unranked"],
                         "its process has 3 threads alive, the case asked for 1")
        row = self.chosen("spare=2,isa=scalar")
        self.assertRegex(row["unranked"], "^ran scalar")
        self.assertTrue([n for n in row["notes"] if "3 threads alive" in n], row)


class Lists(Third):
    def test_ops(self):
        text = self.run_tool("list", "ops", "third", THIRD).stdout
        for words in ("a third of every input; brought by third", "a size is N, or mN",
                      "--layout: plain,mirrored", "--input: unit, uniform:LO..HI, zero",
                      "--shapes: tiny, large"):
            self.assertIn(words, text)

    def test_kernels(self):
        text = self.run_tool("list", "kernels", "third", THIRD).stdout
        self.assertRegex(text, r"scalar/divide .*; plain; at most 0.5 ulp, mean 0.25\n")
        self.assertRegex(text, r"scalar/divide .*; mirrored\n")

    def test_shapes(self):
        text = self.run_tool("list", "shapes", "tin", THIRD).stdout
        self.assertEqual(text, "  third --shapes=tiny: shapes that take no time\n"
                               "      100\n      101\n      m50\n")
        self.assertIn("200000", self.run_tool("list", "shapes", "third", THIRD).stdout)
        done = self.run_tool("list", "shapes", "vgg99", status=2)
        self.assertIn("no shapes match 'vgg99'", done.stderr)

    def test_missing_baselines_are_all_named(self):
        done = self.run_tool("relu", "--sizes=8", "--isa=scalar", "--dry-run",
                             "--in-process")
        named = "onednn:relu/" in done.stdout
        self.assertNotEqual(named, "no baseline: onednn: " in done.stderr)
