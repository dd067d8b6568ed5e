# SPDX-License-Identifier: Apache-2.0
"""Which groups a plan has: shapes, layouts, inputs; and what a kernel says of itself."""
import csv
import io
import re

from cli_tool import MODULES, SHORT, Case, kernels

__all__ = ["Shapes", "Layouts", "Inputs", "Accuracy", "Choices", "Lists"]

THIRD = f"--plugin={MODULES / 'third.so'}"


class Third(Case):
    """Plans and runs of the op that tests/modules/third.c brings."""

    def plan(self, *arguments, **more):
        if not any(str(a).startswith("--baseline") for a in arguments):
            arguments = (*arguments, "--baseline=none")
        return self.run_tool("third", THIRD, "--isa=scalar", "--dry-run", *arguments, **more)

    def groups(self, *arguments, kernel="divide"):
        """What stands behind the @ in the ids of one kernel."""
        return re.findall(rf"scalar/{kernel}@(\S+)", self.plan(*arguments).stdout)

    def refused(self, *arguments):
        done = self.plan(*arguments, status=2)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def measure(self, *arguments, **more):
        return self.run_json("third", THIRD, "--isa=scalar", *SHORT, *arguments, **more)


class Shapes(Third):
    def write(self, text):
        path = self.folder / "shapes.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def test_all_ways_add_up(self):
        path = self.write("7\n")
        self.assertEqual(
            self.groups("--shapes=tiny", f"--shapes={path}", "--shape=m4", "--shape=9",
                        "--sizes=2..4", "--layout=plain,mirrored", "--quiet"),
            ["2", "m2", "4", "m4", "9", "100", "m100", "101", "m50", "7"])

    def test_shape_is_not_expanded(self):
        self.assertIn("--shape: '2..4' for op third", self.refused("--shape=2..4"))

    def test_shape_is_refused_by_its_op(self):
        self.assertIn("'x5' is neither N nor mN", self.refused("--shape=x5"))

    def test_list_and_file(self):
        path = self.write("# the first\n  11  # odd\n\n12\r\n\t\n13")
        self.assertEqual(self.groups(f"--shapes=large,{path}", "--layout=plain"),
                         ["200000", "11", "12", "13"])

    def test_file_names_its_line(self):
        path = self.write("5\n\nfive\n")
        self.assertIn("shapes.txt:3: 'five' for op third", self.refused(f"--shapes={path}"))

    def test_bad_files(self):
        for text, word in (("5 6\n", "shapes.txt:1: '5 6' is more than one shape"),
                           (b"5\n\0\n", "shapes.txt:2: a zero byte"),
                           ("# nothing\n", "no shapes in it"), ("", "no shapes in it")):
            with self.subTest(text=text):
                self.assertIn(word, self.refused(f"--shapes={self.write(text)}"))
        self.assertIn("--shapes=", self.refused(f"--shapes={self.folder}"))

    def test_unknown_list(self):
        self.assertIn("did you mean tiny? (known: tiny, large)",
                      self.refused("--shapes=tini"))
        done = self.run_tool("gemm", "--shapes=resnet50", "--dry-run", status=2)
        self.assertIn("no such list of shapes or file (known: suite)", done.stderr)


class Layouts(Third):
    def test_every_layout_that_has_kernels(self):
        self.assertEqual(self.groups("--sizes=6"), ["6", "m6"])
        self.assertEqual(self.groups("--sizes=6", kernel="multiply"), ["6", "m6"])

    def test_kernels_of_any_layout_bring_the_default_one(self):
        only = ("--sizes=6", "--variants=multiply")
        self.assertEqual(self.groups(*only, kernel="multiply"), ["6"])
        self.assertEqual(self.groups(*only, "--layout=all", kernel="multiply"), ["6"])
        self.assertEqual(self.groups(*only, "--layout=mirrored", kernel="multiply"), ["m6"])

    def test_a_shape_keeps_its_layout(self):
        self.assertEqual(self.groups("--shape=m6"), ["m6"])
        self.assertEqual(self.groups("--shape=m6", "--sizes=6"), ["6", "m6"])
        self.assertIn("nothing matches", self.refused("--shape=m6", "--layout=plain"))

    def test_what_cannot_have_it_is_left_out(self):
        self.assertEqual(self.groups("--sizes=5"), ["5"])
        self.assertEqual(self.groups("--sizes=5", "--layout=all"), ["5"])
        done = self.plan("--sizes=5,6", "--layout=mirrored")
        self.assertEqual(re.findall(r"divide@(\S+)", done.stdout), ["m6"])
        self.assertRegex(done.stderr, "left out: .*'5'.*an odd number")
        self.assertIn("an odd number", self.refused("--sizes=5", "--layout=mirrored"))

    def test_rows_of_another_layout_stay_out(self):
        text = self.plan("--sizes=6", "--isa=sse2").stdout
        self.assertIn("sse2/multiply@6\n", text)
        self.assertNotIn("sse2/multiply@m6", text)

    def test_unknown(self):
        self.assertIn("did you mean mirrored? (known: plain, mirrored)",
                      self.refused("--layout=mirored"))
        done = self.run_tool("gemm", "--layout=nchw", "--dry-run", status=2)
        self.assertIn("--layout=nchw: op gemm has one layout", done.stderr)

    def test_plan_and_result_tell_it(self):
        self.assertIn("third f32 m6, layout mirrored, 6 operations",
                      self.plan("--shape=m6").stdout)
        document = self.measure("--sizes=6", "--baseline=none")
        self.assertEqual({(r["shape"], r["layout"]) for r in kernels(document)},
                         {("6", "plain"), ("m6", "mirrored")})


class Inputs(Third):
    def test_groups_multiply(self):
        names = ["", ";input=zero", ";input=uniform:-8..8"]
        self.assertEqual(
            self.groups("--sizes=5", "--input=unit,zero", "--input=uniform:-8..8"),
            ["5" + name for name in names])

    def test_the_default_has_no_name(self):
        self.assertEqual(self.groups("--sizes=5", "--input=unit,unit"), ["5"])

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
                      "uniform:LO..HI, zero)", done.stderr)
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

    def test_more_outputs_than_are_looked_at(self):
        document = self.measure("--shapes=large", "--layout=plain", "--baseline=none",
                                "--variants=divide")
        self.assertLess(kernels(document)[0]["accuracy"]["max_ulp"], 0.51)

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

    def test_documents(self):
        arguments = ("third", THIRD, "--accuracy", "--baseline=none", "--isa=scalar",
                     "--variants=divide,multiply")
        document = self.run_json(*arguments)
        results = kernels(document, status="ok")
        self.assertEqual(len(results), 6)
        self.assertEqual([r["settings"].get("input") for r in results],
                         [None, None, "uniform:1..4", "uniform:1..4", "zero", "zero"])
        for result in results:
            self.assertLess(result["accuracy"]["mean_ulp"], 1)
            self.assertEqual(result["samples_ns"], [])
        rows = csv.DictReader(io.StringIO(
            self.run_tool(*arguments, "--format=csv").stdout))
        self.assertEqual([row["id"] for row in rows], [r["id"] for r in results])

    def test_inputs_and_sizes_of_the_user(self):
        document = self.run_json("third", THIRD, "--accuracy", "--baseline=none",
                                 "--variants=divide", "--input=uniform:2..3", "--sizes=10")
        self.assertEqual([r["id"] for r in kernels(document)],
                         ["third:third/f32/scalar/divide@10;input=uniform:2..3"])

    def test_ops_that_cannot(self):
        done = self.run_tool("gemm", "--accuracy", THIRD, status=2)
        self.assertIn("--accuracy: op gemm", done.stderr)
        self.assertRegex(done.stderr, r"ops that do: .*\bthird\b")


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

    def test_rows_of_one_instruction_set(self):
        """A library's row for a set of ours is there for our kernels of that set."""
        module = f"--baseline={MODULES / 'third.so'},name=x"
        for isas, there, away in (("scalar", "scalar", "sse2"), ("sse2", "sse2", "scalar")):
            text = self.run_tool("third", THIRD, f"--isa={isas}", "--sizes=8",
                                 "--layout=plain", module, "--dry-run").stdout
            self.assertIn(f"third,name=x:third/f32/{there}/multiply@8", text)
            self.assertNotIn(f"third,name=x:third/f32/{away}/multiply@8", text)
            self.assertIn("third,name=x:third/f32/lib/chosen@8", text)


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
        self.assertNotEqual(named, "no baseline: --baseline=onednn" in done.stderr)
