# SPDX-License-Identifier: Apache-2.0
"""Reads every output format as the programs that it is for.

    python3 tests/formats/formats.py SAMPLE_FORMATS

SAMPLE_FORMATS writes sample runs (tests/formats/sample_formats.c).
"""
import csv
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import format_rules
import html_rules  # adds its rule
from format_rules import RULES

PROGRAM = ""
SAMPLES = ("run", "hostile", "empty", "plan", "cpu-time", "gate", "gate-strict", "gate-stored",
           "gate-code", "gate-hostile", "why", "why-hostile", "study", "study-hostile")
HOSTILE = ("\\n", "%s%n", "<script>", "\\xff")


def written(sample, form, effort="1"):
    return subprocess.run([PROGRAM, sample, form], check=True, capture_output=True,
                          env={**os.environ, "SIMDBENCH_EFFORT": effort},
                          timeout=600).stdout


def read(sample, form):
    return RULES[form](written(sample, form))


def by_variant(cases):
    """{"slow": ...} of {"gemm/maxplus-f32/avx512/slow@64x64x64": ...}"""
    return {name.split("/")[-1].split("@")[0]: value for name, value in cases.items()}


class EveryFormat(unittest.TestCase):
    def test_valid(self):
        for form in RULES:
            for sample in SAMPLES:
                with self.subTest(format=form, sample=sample):
                    read(sample, form)

    def test_hostile_names_are_kept(self):
        """Escaped, not dropped: every document still tells the name."""
        for form in set(RULES) - {"markdown", "benchstat"}:
            for sample in ("hostile", "gate-hostile"):
                with self.subTest(format=form, sample=sample):
                    text = repr(read(sample, form)).replace("\\\\", "\\")
                    for piece in HOSTILE:
                        self.assertIn(piece, text)

    def test_hostile_explanations_are_kept(self):
        text = repr(read("why-hostile", "junit")).replace("\\\\", "\\")
        for piece in HOSTILE:
            self.assertIn(piece, text)

    def test_hostile_claims_are_kept(self):
        for form in ("junit", "annotations"):
            text = repr(read("study-hostile", form)).replace("\\\\", "\\")
            for piece in HOSTILE:
                self.assertIn(piece, text)

    def test_many(self):
        for form in RULES:
            for sample in ("many", "gate-many"):
                with self.subTest(format=form, sample=sample):
                    all_rows = written(sample, form, os.environ.get("SIMDBENCH_EFFORT", "1"))
                    self.assertLess(len(all_rows), 500e6)
                    RULES[form](written(sample, form, "10"))

    def test_markdown_says_that_it_was_cut(self):
        self.assertIn("Cut here", read("many", "markdown")[-300:])
        self.assertNotIn("Cut here", read("run", "markdown"))


class PlainRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = {}
        for row in read("run", "csv"):
            if row["role"] != "roof":
                name = row["id"]
                name += "#2" if name in cls.rows else ""
                cls.rows[name] = row
        cls.ok = {name: float(row["median_ns"]) for name, row in cls.rows.items()
                  if row["status"] == "ok"}

    def test_times_are_those_of_the_run(self):
        self.assertEqual(read("run", "github-action"), self.ok)
        self.assertEqual({name: m["latency"][1] for name, m in read("run", "bmf").items()},
                         self.ok)
        families = read("run", "gbench")
        self.assertEqual({name: f["median"] for name, f in families.items()}, self.ok)
        for name, family in families.items():
            if not self.rows[name]["source"] or len(family["ns"]) > 1:
                self.assertAlmostEqual(statistics.median(family["ns"]) / self.ok[name], 1)
                self.assertEqual(len(family["ns"]), int(self.rows[name]["samples"]))
        medians = sorted(statistics.median(ns) for ns in read("run", "benchstat").values())
        self.assertEqual(len(medians), len(self.ok))
        for ours, theirs in zip(medians, sorted(self.ok.values())):
            self.assertAlmostEqual(ours / theirs, 1)

    def test_bounds_are_those_of_the_run(self):
        for name, measures in read("run", "bmf").items():
            lower, _, upper = measures["latency"]
            if self.rows[name]["ci_lo_ns"]:
                self.assertEqual((lower, upper), (float(self.rows[name]["ci_lo_ns"]),
                                                  float(self.rows[name]["ci_hi_ns"])))

    def test_junit_outcomes(self):
        outcomes = {"ok": "pass", "noisy": "pass", "skipped": "skipped", "wrong": "error",
                    "failed": "error"}
        self.assertEqual({name: outcome for name, (outcome, _) in read("run", "junit").items()},
                         {name: outcomes[row["status"]] for name, row in self.rows.items()})

    def test_annotations(self):
        rows = read("run", "annotations")
        self.assertEqual(sorted((kind, title.split()[0]) for kind, title, _ in rows),
                         [("error", "failed"), ("error", "wrong"), ("notice", "simdbench"),
                          ("warning", "noisy")])
        self.assertIn("SIGSEGV", str(rows))

    def test_gbench_tells_what_has_no_time(self):
        context = format_rules.strict_json(written("run", "gbench"))["context"]
        told = {key[len("unmeasured:"):]: text.split(":")[0]
                for key, text in context.items() if key.startswith("unmeasured:")}
        self.assertEqual(told, {name: row["status"] for name, row in self.rows.items()
                                if row["status"] != "ok"})

    def test_cpu_time_of_one_thread_is_not_above_real_time(self):
        ratios = {1: set(), 2: set()}
        for row in format_rules.strict_json(written("cpu-time", "gbench"))["benchmarks"]:
            if row["run_type"] == "iteration":
                ratios[row["threads"]].add(round(row["cpu_time"] / row["real_time"], 1))
        self.assertEqual(ratios, {1: {0.9, 1.0}, 2: {0.9, 1.1}})

    def test_rounds_of_one_process_are_not_independent(self):
        """Tests of two samples take them to be; the files say that they are not."""
        for sample, expected in (("run", True), ("gate", False)):
            context = format_rules.strict_json(written(sample, "gbench"))["context"]
            self.assertEqual("not independent" in context.get("simdbench_warning", ""), expected)
            self.assertEqual(b"\nsamples: rounds of one process, not independent"
                             in written(sample, "benchstat"), expected)

    def test_nothing_planned_is_told(self):
        self.assertEqual(read("plan", "junit"), {})
        self.assertEqual(read("plan", "gbench"), {})


class Study(unittest.TestCase):
    def test_junit(self):
        cases = read("study", "junit")
        self.assertEqual({name: outcome for name, (outcome, _) in cases.items()
                          if "@" not in name},
                         {"5a": "failure", "5b": "pass", "8": "failure", "9": "failure",
                          "14": "skipped", "15": "failure", "16": "failure", "17": "failure",
                          "18": "failure", "19": "skipped", "A": "skipped"})

    def test_annotations(self):
        told = [(kind, title.split()[-1]) for kind, title, _ in read("study", "annotations")]
        self.assertEqual(told, [
            *[("error", claim) for claim in ("8", "9", "15", "16", "17", "18")],
            ("warning", "5a"), ("warning", "14"), ("notice", "19"), ("notice", "A"),
            ("notice", "study"), ("notice", "simdbench")])


class Gate(unittest.TestCase):
    """Samples: same, improved, slow, slower, unclear, loud, fresh, gone, wrong."""

    def test_junit(self):
        expected = {"same": "pass", "improved": "pass", "slow": "failure",
                    "slower": "failure", "unclear": "pass", "loud": "pass", "fresh": "pass",
                    "gone": "skipped", "wrong": "error"}
        for sample, more in (("gate", {}),
                             ("gate-strict", {"unclear": "failure", "loud": "failure"}),
                             ("gate-stored", {"slow": "pass", "slower": "pass"})):
            cases = by_variant(read(sample, "junit"))
            self.assertEqual({name: case[0] for name, case in cases.items()},
                             {**expected, **more}, sample)
            self.assertEqual(cases["unclear"][1]["verdict"], "INCONCLUSIVE")
            self.assertEqual(cases["slow"][1]["head_ns"], "3380")

    def test_annotations(self):
        def told(sample):
            return [(kind, title.split("@")[0].split("/")[-1]) for kind, title, _ in
                    read(sample, "annotations")]
        self.assertEqual(told("gate"), [
            ("error", "wrong"), ("error", "slower"), ("error", "slow"), ("warning", "loud"),
            ("warning", "unclear"), ("notice", "improved"), ("notice", "fresh"),
            ("notice", "gone"), ("notice", "simdbench")])
        self.assertEqual([kind for kind, _ in told("gate-strict")],
                         5 * ["error"] + 4 * ["notice"])
        self.assertEqual([kind for kind, _ in told("gate-stored")],
                         ["error"] + 4 * ["warning"] + 4 * ["notice"])
        summary = read("gate-stored", "annotations")[-1][2]
        self.assertIn("2 regressed, 1 improved, 1 same, 1 inconclusive, 1 unusable", summary)
        self.assertIn("+3.10%", summary)
        self.assertIn("the hosts differ", summary)

    def test_worse_code(self):
        """Fails, also where times do not."""
        cases = by_variant(read("gate-code", "junit"))
        self.assertEqual({name for name, case in cases.items() if case[0] == "failure"},
                         {"same"})
        self.assertEqual([cases[name][1].get("code") for name in ("same", "improved", "slow")],
                         ["WORSE", "NO WORSE", None])
        errors = [row for row in read("gate-code", "annotations") if row[0] == "error"]
        self.assertEqual([title.split()[:2] for _, title, _ in errors if "same@" in title],
                         [["CODE", "WORSE"]])
        self.assertTrue(any(text.endswith(
            "; code at 64x64x64: hot loops make 31.25 calls per 1000 operations, before 0, in "
            "my.so tile_run+0x40") for _, _, text in errors), errors)

    def test_annotations_are_worst_first_and_count_the_rest(self):
        errors = [row for row in read("gate-many", "annotations") if row[0] == "error"]
        self.assertEqual(len(errors), 10)
        self.assertIn("v9998@", errors[0][1])
        self.assertIn(f"{3333 - 9} more", errors[-1][1])

    def test_trends_follow_head(self):
        values = by_variant(read("gate", "github-action"))
        self.assertEqual(values, {"same": 3213, "improved": 2900, "slow": 3380,
                                  "slower": 4100, "unclear": 3275, "fresh": 1200})
        measures = by_variant(read("gate", "bmf"))
        self.assertEqual(set(measures), set(values))
        low, change, high = measures["slow"]["change-percent"]
        self.assertAlmostEqual(change, 100 * (3380 / 3210 - 1))
        self.assertAlmostEqual((high - low), 1.0)
        self.assertNotIn("change-percent", measures["fresh"])

    def test_both_builds(self):
        """One number a process: rounds of a process are not independent."""
        families = read("gate", "gbench")
        arms = {name.split("/")[-1].replace("@64x64x64", "").replace("@65x64x64", "")
                for name in families}
        both = {f"{name};arm={arm}" for name in ("same", "improved", "slow", "slower",
                                                 "unclear") for arm in ("base", "head")}
        self.assertEqual(arms, both | {"fresh;arm=head", "gone;arm=base"})
        results = read("gate", "benchstat")
        slow = {arm: ns for (arm, name), ns in results.items() if "/variant=slow/" in name}
        self.assertEqual({arm: len(ns) for arm, ns in slow.items()}, {"base": 16, "head": 16})
        self.assertAlmostEqual(statistics.median(slow["head"]) /
                               statistics.median(slow["base"]), 3380 / 3210, delta=0.002)
        self.assertEqual(len(read("gate-stored", "benchstat")), len(results))

    def test_csv(self):
        rows = by_variant({row["id"]: row for row in read("gate", "csv")})
        self.assertEqual({name: row["verdict"] for name, row in rows.items()}, {
            "same": "SAME", "improved": "IMPROVED", "slow": "REGRESSED",
            "slower": "REGRESSED", "unclear": "INCONCLUSIVE", "loud": "UNUSABLE",
            "fresh": "NEW", "gone": "GONE", "wrong": ""})
        self.assertAlmostEqual(float(rows["slow"]["change_lo"]), 3380 / 3210 - 1.004)
        self.assertEqual(rows["slow"]["trials"], "96")
        self.assertEqual((rows["fresh"]["base_ns"], rows["fresh"]["change"]), ("", ""))
        self.assertNotIn("verdict", read("run", "csv")[0])


class Programs(unittest.TestCase):
    """The programs that the formats are for, where they are installed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="simdbench-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def benchstat(self, sample, *options):
        """What benchstat prints for a sample, and its times of it: {name: [column, ...]}"""
        program = shutil.which(os.environ.get("BENCHSTAT", "benchstat"))
        if not program:
            self.skipTest("there is no benchstat: go install "
                          "golang.org/x/perf/cmd/benchstat@latest, or set BENCHSTAT")
        (self.folder / sample).write_bytes(written(sample, "benchstat"))
        done = subprocess.run([program, "-format=csv", *options, sample], cwd=self.folder,
                              check=True, capture_output=True, text=True, timeout=600)
        times = done.stdout.partition("sec/op")[2].partition("geomean")[0]
        return done.stdout, {row[0]: row[1:] for row in csv.reader(times.splitlines()[1:])}

    def test_benchstat_of_a_run(self):
        text, times = self.benchstat("run")
        self.assertIn("samples: rounds of one process, not independent", text)
        ok = [float(r["median_ns"]) for r in read("run", "csv")
              if r["role"] != "roof" and r["status"] == "ok"]
        seconds = sorted(float(row[0]) for row in times.values())
        self.assertEqual(len(seconds), len(ok))
        for theirs, ours in zip(seconds, sorted(ok)):
            self.assertAlmostEqual(theirs * 1e9 / ours, 1, places=3)

    def test_benchstat_of_a_gate(self):
        text, times = self.benchstat("gate", "-col=arm")
        self.assertNotIn("not independent", text)
        for variant, change in (("slow", "+5.31%"), ("slower", "+27.74%"), ("improved", "-9.65%")):
            row, = (row for name, row in times.items() if f"/variant={variant}/" in name)
            self.assertEqual(row[4], change)

    def compared(self, *arguments):
        """What Google Benchmark's compare.py makes of it: {name: relative changes of time}"""
        program = os.environ.get("COMPARE_PY", "/usr/share/benchmark/compare.py")
        if not os.path.exists(program) or not importlib.util.find_spec("scipy"):
            self.skipTest("there is no compare.py: scripts/setup more installs "
                          "libbenchmark-tools and python3-scipy")
        subprocess.run([sys.executable, program, "-d", "out.json", *arguments], cwd=self.folder,
                       check=True, capture_output=True, timeout=600)
        rows = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        return {row["name"]: [m["time"] for m in row["measurements"]] for row in rows
                if row["measurements"] and row["run_type"] == "iteration"}

    def test_compare_py_of_runs(self):
        for name in ("one.json", "two.json"):
            (self.folder / name).write_bytes(written("run", "gbench"))
        changes = self.compared("benchmarks", "one.json", "two.json")
        self.assertEqual(changes, {name: len(family["ns"]) * [0]
                                   for name, family in read("run", "gbench").items()})

    def test_compare_py_of_a_gate(self):
        (self.folder / "gate.json").write_bytes(written("gate", "gbench"))
        changes = {name.split("@")[0].split("/")[-1]: statistics.median(change) for name, change
                   in self.compared("filters", "gate.json", "arm=base", "arm=head").items()}
        self.assertEqual(set(changes), {"same", "improved", "slow", "slower", "unclear"})
        self.assertAlmostEqual(changes["slow"], 3380 / 3210 - 1, delta=0.002)


class Rules(unittest.TestCase):
    """The checks themselves can fail."""

    def test_refuse(self):
        for form, good, bad in (
                ("junit", b'tests="4"', b'tests="5"'),
                ("junit", b"<system-out>", b"<system-out>&"),
                ("junit", b'time="0.', b'time="1e-'),
                ("junit", b'time="0.', b'time="0.0'),
                ("junit", b"<testsuites>", b'<testsuites skipped="0">'),
                ("junit", b' id="0"', b' id="1"'),
                ("junit", b"<system-err/>", b""),
                ("gbench", b'"real_time": 3', b'"real_time": NaN, "a": 3'),
                ("gbench", b'"time_unit": "ns"', b'"time_unit": "h"'),
                ("github-action", b'"unit"', b'"units"'),
                ("bmf", b'"lower_value": ', b'"lower_value": 9'),
                ("benchstat", b" ns/op", b""),
                ("benchstat", b"/variant=", b"/variant "),
                ("annotations", b"title=", b"title=a,b"),
                ("annotations", b"%25", b"%"),
                ("csv", b",ok,", b",ok,,"),
                ("html", b'"use strict"', b'"use strict" '),
                ("html", b"font:", b"font: "),
                ("html", b'"results":[', b'"results":[{"<":0},'),
                ("html", b'href="data:,"', b'href="http://example.org"'),
                ("html", b'"schema_version":1', b'"schema_version":1,"tool":0')):
            with self.subTest(format=form, bad=bad):
                data = written("gate", form)
                self.assertIn(good, data)
                with self.assertRaises((AssertionError, ValueError, SyntaxError)):
                    RULES[form](data.replace(good, bad, 1))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if b"__asan_init" in Path(PROGRAM).read_bytes():
        # Sanitizers look at the writer alone: it writes the same without them.
        RULES.update(dict.fromkeys(RULES, len))
        sys.argv += ["EveryFormat.test_valid", "EveryFormat.test_many"]
    unittest.main(verbosity=2)
