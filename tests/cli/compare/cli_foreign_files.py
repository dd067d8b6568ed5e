# SPDX-License-Identifier: Apache-2.0
"""`simdbench report`, `compare` and `history` with files of other programs."""
import json
import subprocess

from cli_harness import HarnessCase
from cli_harness_formats import FORMATS


class ForeignJson(HarnessCase):
    """The file of --benchmark_out."""

    def foreign(self, name, factor, host="box", repetitions=8):
        rows = [{"name": "BM_copy/1024", "run_name": "BM_copy/1024", "run_type": "iteration",
                 "iterations": 100, "real_time": 900.0, "threads": 1,
                 "cpu_time": factor * (100 + i / 100), "time_unit": "ns",
                 "items_per_second": 1024e9 / (factor * (100 + i / 100))}
                for i in range(repetitions)]
        rows += [{"name": "BM_copy/1024_mean", "run_name": "BM_copy/1024",
                  "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1.0,
                  "cpu_time": 1.0, "time_unit": "ns"},
                 {"name": "BM_wait/manual_time", "run_type": "iteration", "real_time": 2.0,
                  "cpu_time": 7.0, "time_unit": "us"},
                 {"name": "BM_few_median", "run_name": "BM_few", "run_type": "aggregate",
                  "aggregate_name": "median", "real_time": 1.0, "cpu_time": 3.0,
                  "time_unit": "ms"},
                 {"name": "BM_bad", "run_name": "BM_bad", "run_type": "iteration",
                  "error_occurred": True, "error_message": "no data"}]
        path = self.folder / name
        path.write_text(json.dumps({"context": {"date": "2024-01-31T12:00:00+01:00",
                                                "host_name": host, "executable": "./b",
                                                "num_cpus": 4},
                                    "benchmarks": rows}))
        return path

    def test_report(self):
        theirs = self.foreign("theirs.json", 1)
        out = self.folder / "ours.json"
        done = self.run_tool("report", theirs, f"--json={out}")
        self.assertIn("BM_copy@1024  1024 op a call", done.stdout)
        self.assertNotIn("is the fastest", done.stdout)
        results = self.by_id(json.loads(out.read_text()))
        copy = results["BM_copy/1024"]
        self.assertAlmostEqual(copy["summary"]["median_ns"], 100.035)
        self.assertEqual(copy["work"]["ops"], 1024)  # rates are per CPU time
        self.assertEqual(results["BM_wait/manual_time"]["summary"]["median_ns"], 2000)
        self.assertEqual(results["BM_few"]["summary"]["median_ns"], 3e6)
        self.assertEqual((results["BM_bad"]["status"], results["BM_bad"]["reason"]),
                         ("failed", "no data"))
        done = self.run_tool("report", theirs, "--query=BM_copy*")
        self.assertAlmostEqual(float(done.stdout), 100.035)

    def test_other_files(self):
        """Other formats of benchmark programs."""
        go = "goos: linux\ngoarch: amd64\npkg: x\ncpu: Fast CPU 9\n" + "".join(
            f"BenchmarkSort/n=2-8 \t 100 \t {250 + i}.0 ns/op\t 8 B/op\n" for i in range(7))
        folder = self.folder / "criterion" / "sort" / "new"
        folder.mkdir(parents=True)
        (folder / "benchmark.json").write_text('{"full_id": "sort 64"}')
        (folder / "sample.json").write_text(json.dumps(
            {"iters": [1, 2, 3, 4, 5, 6, 7], "times": [253 * i for i in range(1, 8)]}))
        (folder / "estimates.json").write_text('{"median": {"point_estimate": 253.0}}')
        nano = {"name": "sort", "batch": 2, "median(elapsed)": 506e-9,
                "measurements": [{"elapsed": (503 + i) * 1e-9} for i in range(7)]}
        files = {"go.txt": (go, "BenchmarkSort/n=2", 7),
                 "hyperfine.json": (json.dumps({"results": [
                     {"command": "sort x", "median": 1, "times": [253e-9] * 6}]}), "sort x", 6),
                 "pytest.json": (json.dumps({"machine_info": {}, "benchmarks": [
                     {"fullname": "t.py::sort", "stats": {"median": 1, "data": [253e-9] * 6}}]}),
                     "t.py::sort", 6),
                 "pyperf.json": (json.dumps({"metadata": {"name": "sum"}, "benchmarks": [
                     {"runs": [{"metadata": {}}] + 3 * [{"values": [253e-9] * 2}]}]}), "sum", 6),
                 "medians.json": (json.dumps({"results": [
                     {"command": "sort x", "median": 253e-9}]}), "sort x", 0),
                 "nanobench.json": (json.dumps({"results": [nano]}), "sort", 7)}
        files.update({f"{name}.txt": (subprocess.run(["sh", "-c", text, "sh", "253"], check=True,
                                                     env={"CRITERION_HOME": "."}, cwd=self.folder,
                                                     capture_output=True, text=True).stdout,
                                      case, 1)
                      for name, text, case in (
                          ("criterion", FORMATS["criterion"] + "\n", "sort 64"),
                          ("divan", FORMATS["divan"].replace("$*", "sample-size=1"),
                           "d::sort::t=2"),
                          ("catch2", FORMATS["catch2"], 'a "b"/sort'),
                          ("nanobench", FORMATS["nanobench"], "sort"),
                          ("doctest", "echo '[doctest] 2.5'\n" + FORMATS["nanobench"], "sort"))
                      for text in [text.replace("case $* in *sort*", "case sort in *sort*")]})
        for name, (text, _, _) in files.items():
            (self.folder / name).write_text(text)
        files[folder / "sample.json"] = files[self.folder / "criterion"] = ("", "sort 64", 7)
        files[folder / "estimates.json"] = ("", "sort 64", 0)
        for name, (_, case, samples) in files.items():
            with self.subTest(name=name):
                out = self.folder / "out.json"
                self.run_tool("report", self.folder / name, f"--json={out}")
                document = json.loads(out.read_text())
                result = self.by_id(document)[case]
                self.assertAlmostEqual(result["summary"]["median_ns"], 253)
                self.assertEqual(len(result["samples_ns"]), samples)
                self.assertRegex(document["started_at"], r"^20\d\d-\d\d-\d\dT")
                told = name == "go.txt"
                self.assertEqual(document["host"]["fingerprint"],
                                 "Fast CPU 9, linux, amd64" if told else None)
                database = self.new_folder() / "runs.sqlite"
                done = self.run_tool("report", self.folder / name, f"--history={database}")
                self.assertEqual("not told" in self.run_tool(
                    "history", f"--history={database}").stdout, not told)
                self.assertEqual("changes are not looked for" in done.stderr, not told)
        slow = self.folder / "slow.txt"
        slow.write_text(go.replace(" 25", " 35"))
        done = self.run_tool("compare", self.folder / "go.txt", slow)
        self.assertRegex(done.stdout, r"BenchmarkSort/n=2 .* INCONCLUSIVE[^\n]*\n +the files do not")
        slow.write_text(go.replace(" 25", " 65"))
        done = self.run_tool("compare", self.folder / "go.txt", slow, status=1)
        self.assertRegex(done.stdout, r"BenchmarkSort/n=2 .* REGRESSED")

    def test_equal_names_apart(self):
        """Packages, tables, sections and parameters tell equal names apart."""
        files = {
            "go": "".join(f"pkg: ex/{pkg}\nBenchmarkX 9 {ns} ns/op\nBenchmark{pkg} 9 {ns} ns/op\n"
                          for pkg, ns in (("a", 100), ("b", 9000))),
            "nano": "".join(f"| ns/op | op/s | {title}\n|--:|--:|:--\n| {ns} | 1 | `X`\n| 5 | 1 | `only {title}`\n"
                            for title, ns in (("ex/a", 100), ("ex/b", 9000))),
            "catch": "<?xml ?><TestCase name=\"t\">" + "".join(
                f"<Section name=\"{section}\"><BenchmarkResults name=\"X\" ><mean value=\"{ns}\"/>"
                "</BenchmarkResults></Section>" for section, ns in (("ex/a", 100), ("ex/b", 9000))),
            "hyper": json.dumps({"results": [
                {"command": command, "times": [ns * 1e-9], "parameters": {"of": of}}
                for command, of, ns in (("X", "a", 100), ("X", "b", 9000), ("only", "a", 5),
                                        ("only", "a", 6))]}),
            "rows": json.dumps({"results": [
                {"title": f"ex/{of}", "name": name, "median(elapsed)": ns * 1e-9}
                for of, ns in (("a", 100), ("b", 9000)) for name in ("X", f"only {of}")]})}
        for name, text in files.items():
            with self.subTest(name):
                (self.folder / name).write_text(text)
                out = self.folder / "out.json"
                self.run_tool("report", self.folder / name, f"--json={out}")
                found = {i: r["summary"]["median_ns"] for i, r in self.by_id(self.load(out)).items()}
                ids = {"go": "ex/%s/BenchmarkX", "catch": "ex/%s/t/X", "hyper": "X of=%s"}
                one = ids.get(name, "ex/%s/X")
                self.assertAlmostEqual(found.pop(one % "a"), 100)
                self.assertAlmostEqual(found.pop(one % "b"), 9000)
                others = {"go": {"ex/a/Benchmarka", "ex/b/Benchmarkb"}, "hyper": {"only"},
                          "nano": {"ex/a/only ex/a", "ex/b/only ex/b"},
                          "rows": {"ex/a/only a", "ex/b/only b"}}
                self.assertEqual(set(found), others.get(name, set()))

    def test_files_that_are_none(self):
        for name, text, why in (
                ("many.txt", "BenchmarkX 1 5 ns/op\n" * 5001, "more than 5000 results"),
                ("prose.txt", "a text\n", "no JSON object, and no text of Go, criterion"),
                ("jmh.json", '[{"benchmark": "x.y"}]', "no JSON object"),
                ("go.json", '{"Action": "start"}\n{"Action": "run"}\n', "text without -json is read"),
                ("bytes.json", '{"benchmarks": [{"runs": []}], "metadata": {"name": "x", '
                 '"unit": "byte"}}', "unit byte"),
                ("gbench.csv", "name,iterations,real_time\n", "--benchmark_out=FILE"),
                ("checkasm.json", '{"checkasmVersion": "1.3.0"}', "ab compares programs of any"),
                ("a.json", '{"results": [{"command": "", "times": [1]}]}', "without a name"),
                ("b.json", '{"results": [{"command": "x", "times": [0]}]}', "positive"),
                ("f.json", '{"results": [{"command": "x", "times": [1e299]}]}', "positive"),
                ("g.json", '{"results": [{"name": "x", "batch": 1e-300, "median(elapsed)": 1}]}',
                 "positive"),
                ("h.json", json.dumps({"results": [{"command": "x" * 4001, "times": [1]}]}),
                 "more than 4000 bytes"),
                ("p.json", '{"benchmarks": [{"fullname": "x", "stats": 1}]}', "object"),
                ("c.json", '{"results": [{"command": "x"}]}', "median"),
                ("d.json", '{"iters": [1], "times": [-1]}', "positive"),
                ("e.json", '{"iters": [], "times": []}', "no samples")):
            (self.folder / name).write_text(text)
            self.assertIn(why, self.run_tool("report", self.folder / name, status=2).stderr)

    def test_compare(self):
        base, head = self.foreign("base.json", 1), self.foreign("head.json", 1.5)
        done = self.run_tool("compare", base, head)
        self.assertRegex(done.stdout, r"BM_copy/1024 .*\+50.00%.* INCONCLUSIVE")
        self.assertIn("skipped: both runs fail: no data", done.stdout)
        other = self.foreign("other.json", 1.5, host="other")
        done = self.run_tool("compare", base, other)
        self.assertRegex(done.stdout, r"BM_copy/1024 .*\+50.00%.* UNUSABLE")

    def test_history(self):
        database = self.folder / "runs.sqlite"
        self.run_tool("report", self.foreign("base.json", 1), f"--history={database}")
        done = self.run_tool("history", f"--history={database}", "BM_copy*")
        self.assertIn("BM_copy/1024", done.stdout)

    def test_what_is_wrong(self):
        path = self.folder / "bad.json"
        for row, where in (({"name": "a"}, r"benchmarks\[0\]"), (1, r"benchmarks\[0\]"),
                           ({"name": "a", "cpu_time": 1, "time_unit": "h"}, "time_unit"),
                           ({"cpu_time": 1, "time_unit": "ns"}, "without a name")):
            path.write_text(json.dumps({"benchmarks": [row]}))
            done = self.run_tool("report", path, status=2)
            self.assertRegex(done.stderr, where)

    def test_time_of_nothing(self):
        """Other cases of the file go on."""
        path = self.foreign("zero.json", 1)
        text = json.loads(path.read_text())
        text["benchmarks"].append({"name": "BM_zero", "cpu_time": 0.0, "time_unit": "ns"})
        path.write_text(json.dumps(text))
        rows = {row["id"]: row for row in self.run_json("report", path)["results"]}
        self.assertEqual((rows["BM_zero"]["status"], rows["BM_zero"]["reason"]),
                         ("failed", "its time is no positive number"))
        self.assertEqual(rows["BM_copy/1024"]["status"], "ok")

    def test_numbers_that_are_none(self):
        """Python and Google Benchmark write them without quotes. Ours has none."""
        path = self.foreign("nan.json", 1)
        text = json.loads(path.read_text())
        for row, word in zip(text["benchmarks"], ("NaN", "Infinity", "-Infinity", "inf", "-nan")):
            row.update(counter=word, label='"NaN", inf\\')
        text["benchmarks"].append({"name": "BM_nan", "cpu_time": "NaN", "time_unit": "ns"})
        text = json.dumps(text)
        for word in ("NaN", "Infinity", "-Infinity", "inf", "-nan"):
            text = text.replace(f': "{word}"', f": {word}")
        path.write_text(text)
        rows = {row["id"]: row for row in self.run_json("report", path)["results"]}
        self.assertEqual(rows["BM_nan"]["reason"], "its time is no positive number")
        self.assertEqual(rows["BM_copy/1024"]["status"], "ok")
        path.write_text('{"schema_version": 1, "x": NaN}')
        self.assertIn("no JSON", self.run_tool("report", path, status=2).stderr)
