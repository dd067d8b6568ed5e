# SPDX-License-Identifier: Apache-2.0
"""The default suite, and what becomes of runs in a database."""
import csv
import io
import re
import signal
import sqlite3
import subprocess

import html_rules
from cli_tool import BINARY, SHORT, SMALL, Case, environment, kernels

CASE = "gemm/maxplus-f32/scalar/add@8x8x8"


class All(Case):
    def ops(self):
        """Those with a suite."""
        text = self.run_tool("list", "shapes").stdout
        return sorted(re.findall(r"(?m)^  (\w+) --shapes=suite:", text))

    def plan(self, *arguments, **more):
        return self.run_tool("all", "--dry-run", "--baseline=none", *arguments, **more)

    def test_four_of_each(self):
        groups = re.findall(r"(?m)^group \d+: (\w+) f32 (?:inplace)?(\S+?)(?:b\d+)?,",
                            self.plan("--isa=scalar").stdout)
        for op in self.ops():
            self.assertEqual(len({shape for name, shape in groups if name == op}), 4, op)
        self.assertEqual(sorted({op for op, shape in groups}), self.ops())

    def test_baselines_stay_with_their_ops(self):
        text = self.run_tool("all", "--dry-run", "--quiet").stdout
        modules = set(re.findall(r"(?m)^  (\w+):(\w+)/", text))
        self.assertLessEqual(modules, {
            ("openblas", "gemm"), ("sleef", "tanh"), ("libmvec", "tanh"), *(
                ("onednn", op) for op in ("conv", "relu", "tanh", "softmax", "log_softmax",
                                          "maxpool"))})

    def test_run(self):
        path = self.folder / "run.json"
        done = self.run_tool("all", "--isa=scalar", "--baseline=none", *SHORT,
                             "--filter=*@64x64x64",
                             *(f"--filter={op}/*@2048" for op in ("relu", "tanh", "map")),
                             "--filter=reduce/*@64x64", "--filter=transpose/*@32x32",
                             "--filter=*softmax/*@32x64", "--filter=maxpool/*@n1c4h28w28r2s2",
                             "--filter=conv/*h14w14k16r3*", f"--json={path}")
        document = self.load(path)
        self.assertEqual(document["settings"]["op"], "all")
        self.assertEqual(sorted({r["op"] for r in kernels(document)}), self.ops())
        self.assertEqual({r["status"] for r in kernels(document)} - {"ok"}, set())
        for op in self.ops():
            self.assertRegex(done.stdout, rf"(?m)^{op}/\S+@")

    def test_duration_comes_first(self):
        done = self.run_tool(*SMALL)
        self.assertNotIn("about", done.stderr)
        done = self.plan("--isa=scalar")
        self.assertNotIn("about", done.stderr)
        with subprocess.Popen([BINARY, "all", "--isa=scalar", "--baseline=none"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, env=environment()) as process:
            line = process.stderr.readline()
            process.send_signal(signal.SIGINT)
        self.assertRegex(line, r"^simdbench: this will take about \d+ s on a quiet machine$")
        self.assertEqual(process.returncode, 130)


class History(Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "h.sqlite"
        self.option = f"--history={self.path}"
        done = self.run_tool("history", self.option, status=2)
        if "without SQLite" in done.stderr:
            self.skipTest("this build has no SQLite")

    def append(self, *arguments, **more):
        return self.run_tool(*SMALL, "--filter=*add@*", self.option, *arguments, **more)

    def rows(self, *arguments):
        text = self.run_tool("history", self.option, "--format=csv", *arguments).stdout
        return list(csv.DictReader(io.StringIO(text)))

    def test_three_runs(self):
        medians = []
        for label in ("one", "two", "three"):
            path = self.folder / f"{label}.json"
            self.append(f"--label={label}", f"--json={path}")
            document = self.load(path)
            self.assertEqual(document["settings"]["label"], label)
            medians += [r["summary"]["median_ns"] for r in kernels(document, id=CASE)]
        rows = self.rows(CASE)
        self.assertEqual([row["label"] for row in rows], ["one", "two", "three"])
        self.assertEqual([float(row["median_ns"]) for row in rows], medians)
        self.assertEqual(rows[0]["change"], "")
        self.assertAlmostEqual(float(rows[2]["change"]), medians[2] / medians[1] - 1)
        self.assertEqual({row["fingerprint"] for row in rows},
                         {document["host"]["fingerprint"]})
        table = self.run_tool("history", CASE, env=environment(SIMDBENCH_HISTORY=self.path))
        self.assertIn(f"{CASE} on {rows[0]['fingerprint']}", table.stdout)
        self.assertEqual(table.stdout.count("~"), 2)
        self.assertEqual(len(table.stdout.splitlines()), 7)
        with sqlite3.connect(self.path) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM runs").fetchone(), (3,))
        # A saved run gets a label as it is kept, in place of its own.
        self.run_tool("report", path, self.option, "--label=four")
        self.assertEqual([row["label"] for row in self.rows(CASE)], ["one", "two", "three", "four"])

    def test_narrow(self):
        self.append("--label=2f0c19a48e11", "--sizes=8,128")
        text = self.assert_narrow("history", self.option)
        self.assertRegex(text, r"\n  date, UTC .*\n  20\d\d-\d\d-\d\d \d\d:\d\d  ")

    def test_unknown_cases(self):
        self.append()
        self.assertEqual(len(self.rows("gemm/*/add@8*")), 1)
        for word, near in (("gemm/maxplus-f32/scalar/adt@8x8x8", CASE), ("scalar/add@", CASE)):
            done = self.run_tool("history", word, self.option, status=2)
            self.assertIn(f"did you mean {CASE}?", done.stderr)
        done = self.run_tool("history", "qqq", self.option, status=2)
        self.assertRegex(done.stderr, r"has no case 'qqq'\n$")

    def test_no_file(self):
        self.assertIn("history needs a database", self.run_tool("history", status=2).stderr)
        done = self.run_tool("history", CASE, self.option, status=2)
        self.assertIn("h.sqlite': No such file", done.stderr)
        self.assertFalse(self.path.exists())

    def test_files_beside_the_table(self):
        self.append()
        table = self.run_tool("history", self.option).stdout
        page, rows = self.folder / "h.html", self.folder / "h.csv"
        done = self.run_tool("history", self.option, f"--format=html:{page}",
                             f"--format=csv:{rows}")
        self.assertEqual(done.stdout, table)
        self.assertEqual(rows.read_text(), self.run_tool("history", self.option,
                                                         "--format=csv").stdout)
        document = html_rules.page(page.read_bytes())
        self.assertEqual([case["id"] for case in document["cases"]], [CASE])
        self.assertEqual(len(document["cases"][0]["runs"]), 1)
        self.assertEqual(page.read_text(), self.run_tool("history", self.option,
                                                         "--format=html").stdout)
        markdown = self.run_tool("history", self.option, "--format=markdown").stdout
        self.assertRegex(markdown, r"(?s)^# simdbench history\n\n\*\*1 case: .*\*\*\n\n## gemm/")
        self.assertRegex(markdown, r"\n\| date \| commit \| time \| .*\n\| :-- \| :-- \| --: ")
        before = self.path.read_bytes()
        done = self.run_tool("history", self.option, f"--format=html:{self.path}", status=2)
        self.assertIn("one file", done.stderr)
        done = self.run_tool("history", self.option, "--format=junit", status=2)
        self.assertIn("known: table, markdown, csv, json, html", done.stderr)
        self.assertEqual(self.path.read_bytes(), before)

    def test_locked_by_another(self):
        """It is a file that cannot be used, and no matter of CPUs."""
        self.append()
        with sqlite3.connect(self.path, isolation_level=None) as database:
            database.execute("BEGIN EXCLUSIVE")
            for words in ["history", self.option], [*SMALL, self.option]:
                done = self.run_tool(*words, status=2)
                self.assertIn("h.sqlite': another process keeps it locked", done.stderr)

    def test_refused_before_measuring(self):
        self.path.write_text("precious")
        done = self.append("--time-per-case=60s", status=2)
        self.assertIn("not a database", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.path.read_text(), "precious")
        for path in ("no/such/h.sqlite", ".", "/dev/full"):
            done = self.run_tool(*SMALL, f"--history={path}", status=2, cwd=self.folder)
            self.assertIn(path, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_json_failure_does_not_lose_history(self):
        done = self.append("--json=/dev/full", status=2)
        self.assertIn("/dev/full", done.stderr)
        self.assertEqual(len(self.rows(CASE)), 1)

    def test_dry_run_writes_nothing(self):
        self.append("--dry-run")
        self.assertEqual(list(self.folder.iterdir()), [])
