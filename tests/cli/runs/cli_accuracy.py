# SPDX-License-Identifier: Apache-2.0
"""--accuracy-at-most: which rows stay, what is said of the others, what `auto` chooses."""
import re

from cli_tool import MODULES, SHORT, Case, environment, kernels, measured

ULP = "--accuracy-at-most=1ulp"
THIRD = f"--plugin={MODULES / 'third.so'}"


class AccuracyAtMost(Case):
    def stated(self):
        """For each kernel of tanh the largest error that it states."""
        lines = self.run_tool("list", "kernels", "tanh/", "--baseline=none").stdout
        return {name: float(ulp) for name, ulp in
                re.findall(r"(?m)^  (\S+) .*; at most (\S+) ulp", lines)}

    def test_rows_that_stay(self):
        """Those within it, and `auto` where there are such; each runs and keeps to it."""
        stated = self.stated()
        done = self.run_tool("tanh", ULP, "--isa=all", "--type=f32,f64", "--sizes=8,1003",
                             "--baseline=none", *SHORT, f"--json={self.folder}/run.json")
        document = self.load(self.folder / "run.json")
        self.assertEqual(document["settings"]["accuracy_at_most"], 1)
        here = {row for row in stated if row.split("/")[2] in document["host"]["isas"]}
        exact = {row for row in here if stated[row] <= 1}
        auto = {re.sub("/[a-z]*$", "/auto", row) for row in exact}
        results = measured(document)
        self.assertEqual({r["id"].partition("@")[0] for r in results}, exact | auto)
        for result in results:
            self.assertTrue(result["id"].endswith(";accuracy-at-most=1"), result["id"])
            self.assertEqual(result["settings"], {"accuracy-at-most": "1"})
            self.assertLessEqual(result["accuracy"]["max_ulp"], 1)
            if result["variant"] == "auto":
                chosen = result["implementation"].partition(",")[0]
                self.assertIn(result["id"].partition("@")[0].replace("auto", chosen), exact)
        told = "".join(re.findall("left out: not within --accuracy-at-most=1: (.*)\n", done.stderr))
        for row in here - exact - auto:
            if "taylor" not in row:
                self.assertIn(f"{row} ({stated[row]:.4g} ulp)", told)
        for row in exact | auto:
            self.assertNotIn(f"{row} ", told)
        self.assertNotIn("taylor", told)

    def test_auto_adapts(self):
        """All f64 rows of scalar code but `table` are further off than 1.5 ulp."""
        for most, pattern in (("1.5", "^table, 1.308 ulp: no other row is within 1.5 ulp$"),
                              ("1.8", r"^(table|exp), [0-9.]+ ulp: [0-9.]+ times (table|exp) here$"),
                              (None, r"^\w+, [0-9.]+ ulp: [0-9.]+ times \w+ here$")):
            option = [f"--accuracy-at-most={most}"] if most else []
            for more in [], ["--in-process"], ["--threads=2", "--threads-threshold=off"]:
                with self.subTest(most=most, more=more):
                    document = self.run_json("tanh", *option, "--isa=scalar", "--type=f64",
                                             "--variants=auto", "--sizes=1003",
                                             "--baseline=none", *more, *SHORT)
                    (result,) = kernels(document)
                    self.assertRegex(result["implementation"], pattern)

    def test_times_or_errors(self):
        """With --accuracy the same rows."""
        lines = self.run_tool("tanh", ULP, "--accuracy", "--isa=scalar", "--sizes=1003",
                              "--baseline=none").stdout.splitlines()
        rows = {line.split()[0]: float(line.split()[-2]) for line in lines[3:]}
        self.assertEqual(set(rows), {"tanh/f32/scalar/rational", "tanh/f32/scalar/auto"})
        self.assertLess(max(rows.values()), 0.53)
        both = self.run_tool("tanh", "--accuracy", "--isa=scalar", "--type=f32,f64",
                             "--variants=exp", "--sizes=64", "--baseline=none").stdout
        self.assertEqual([line.split()[0] for table in both.split("\n\n")
                          for line in table.splitlines() if "/exp " in line],
                         ["tanh/f32/scalar/exp", "tanh/f64/scalar/exp"])
        self.assertNotIn("accuracy_at_most", self.run_json(
            "tanh", "--isa=scalar", "--variants=exp", "--sizes=8", "--baseline=none",
            *SHORT)["settings"])

    def test_quiet(self):
        done = self.run_tool("tanh", ULP, "--isa=scalar", "--dry-run", "--quiet",
                             "--baseline=none")
        self.assertEqual(done.stderr, "")
        self.assertNotIn("table", done.stdout)

    def test_plugin_and_library(self):
        """A row that states nothing promises nothing; a library is held to it too."""
        arguments = ("third", "--accuracy-at-most=0.5", "--isa=scalar", "--layout=plain",
                     "--sizes=8", "--dry-run", THIRD)
        done = self.run_tool(*arguments, "--baseline=none")
        self.assertEqual(re.findall("(?m)^  (.*)$", done.stdout),
                         ["third:third/f32/scalar/divide@8;accuracy-at-most=0.5",
                          "roof/f32/scalar/streams@64x16384;accuracy-at-most=0.5"])
        self.assertIn("left out: not within --accuracy-at-most=0.5: third:third/f32/scalar/multiply "
                      "(states no error), third:third/f32/lib/chosen (states no error)\n",
                      done.stderr)
        done = self.run_tool(*arguments, f"--baseline={MODULES / 'third.so'},as=base")
        self.assertIn("  base:third/f32/scalar/divide@8;accuracy-at-most=0.5\n", done.stdout)
        self.assertIn("base:third/f32/scalar/multiply (states no error)", done.stderr)

    def test_other_commands(self):
        case = "tanh/f32/scalar/auto@64;accuracy-at-most=1"
        document = self.run_json("explain", case, "--quiet")
        self.assertIn(case, {r["id"] for r in document["results"]})
        plan = self.run_tool("threads", "tanh", ULP, "--isa=scalar", "--sizes=64",
                             "--threads=2", "--dry-run").stdout
        self.assertEqual(set(re.findall("tanh/f32/scalar/([a-z]*)@64", plan)),
                         {"rational", "auto"})

    def test_project(self):
        file = self.folder / "project.json"
        file.write_text('{"tanh": {"accuracy-at-most": "1ulp"}, "explain": {"accuracy-at-most": 2}}')
        arguments = ("tanh", f"--project={file}", "--isa=scalar", "--sizes=8", "--dry-run",
                     "--baseline=none")
        self.assertIn("rational@8;accuracy-at-most=1\n", self.run_tool(*arguments).stdout)
        self.assertIn("exp@8;accuracy-at-most=2\n",
                      self.run_tool(*arguments, "--accuracy-at-most=2").stdout)
        file.write_text('{"tanh": {\n"accuracy-at-most": "one"}}')
        self.assertIn(":2: tanh.accuracy-at-most: --accuracy-at-most=one: expected an error in ulp",
                      self.run_tool(*arguments, status=2).stderr)

    def test_libraries_promise(self):
        """What their rows state is no less than what --accuracy measures."""
        for module in "sleef", "libmvec":
            listed = self.run_tool("list", "kernels", f"{module}:tanh", f"--baseline={module}",
                                   env=environment()).stdout
            rows = dict(re.findall(r"(?m)^  (\S+) .*; at most (\S+) ulp", listed))
            if not rows:
                self.skipTest(f"{module} is not installed")
            document = self.run_json("tanh", "--accuracy", "--isa=all", "--type=f32,f64",
                                     "--sizes=20000", f"--baseline={module}", "--variants=exp")
            results = kernels(document, module=module, status="ok")
            self.assertTrue(results)
            for result in results:
                self.assertLessEqual(result["accuracy"]["max_ulp"],
                                     float(rows[result["id"].partition("@")[0]]) + 0.001)
