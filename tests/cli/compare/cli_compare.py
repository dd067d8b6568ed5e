# SPDX-License-Identifier: Apache-2.0
"""simdbench compare: two stored runs."""
import copy
import json
import re
import statistics
import subprocess

from cli_tool import BINARY, SMALL, SOURCE, Case, environment


class Compare(Case):
    """Runs made from one real run, so that no test depends on timing."""

    def setUp(self):
        super().setUp()
        self.make_base()

    def make_base(self):
        self.base = self.run_json(*SMALL, "--rounds=20")
        self.kernels = [r for r in self.base["results"] if r["role"] == "kernel"]
        self.assertTrue(self.kernels)
        for result in self.base["results"]:
            n = 40
            per_call = result["summary"]["median_ns"] + result["overhead_ns"]
            # A fixed wave of 0.4% in place of the noise of this machine.
            result["samples_ns"] = [per_call * result["iterations"] *
                                    (1 + 0.0001 * (i * 17 % n)) for i in range(n)]
            result["rounds"] = list(range(n))

    def write(self, name, document):
        path = self.folder / name
        for result in document["results"]:
            calls = [max(s / result["iterations"] - result["overhead_ns"], 0)
                     for s in result["samples_ns"]]
            if calls:
                result["summary"].update(median_ns=statistics.median(calls), min_ns=min(calls),
                                         ci_ns=None, ci_level=None)
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def head(self, factor=1.0, roofs=1.0):
        """The base with own kernels `factor` times slower, of another build."""
        document = copy.deepcopy(self.base)
        document["tool"]["build_id"] = "c0ffee"
        for result in document["results"]:
            by = factor if result["role"] == "kernel" else roofs
            loop = result["overhead_ns"] * result["iterations"]
            result["samples_ns"] = [(s - loop) * by + loop for s in result["samples_ns"]]
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
        out = self.compare(self.head(1.10), status=1)
        self.assertIn("REGRESSED: ", out)
        self.assertIn("+10.00%", out)
        self.assertIn(self.kernels[0]["id"], out)
        self.assertIn("IMPROVED", self.compare(self.head(0.85)))

    def test_history_of_regressions_alone(self):
        """Each run counts once, however many cases it has."""
        database = self.folder / "runs.sqlite"

        def gates(day, factor, *options):
            head = self.head(factor)
            head["started_at"] = f"2024-02-{day:02}T00:00:00Z"
            self.compare(head, f"--history={database}", status=1 if factor > 1 else 0)
            return self.run_tool("history", f"--history={database}", *options).stdout

        self.assertIn("gates: 0 runs found more regressions than improvements, 1 the other way "
                      "(sign test p = 1)", gates(1, 0.5))
        for day in range(2, 10):
            text = gates(day, 1.5)
        self.assertIn("gates: 8 runs found more regressions than improvements, 1 the other way "
                      "(sign test p = 0.039)", text)
        self.assertNotIn("false alarms", text)
        self.assertIn("gates: 8 runs", gates(9, 1.5))  # the same run
        for day in range(10, 20):
            text = gates(day, 1.5)
        self.assertRegex(text, "(?s)gates: 18 runs .* or these are false alarms")
        document = json.loads(gates(19, 1.5, "--format=json"))
        self.assertEqual((document["gates"]["slower"], document["gates"]["faster"]), (18, 1))

    def test_equal_builds(self):
        """The file tells its build, so a slower run of the same one is noise."""
        head = self.head(1.10)
        head["tool"]["build_id"] = self.base["tool"]["build_id"]
        head["settings"]["label"] = "friday"
        out = self.compare(head, "--format=markdown")
        self.assertRegex(out, r"\*\*UNDECIDED: .*; same build: what differs is the noise between "
                              r"the runs, 10\.00%")
        self.assertIn("| label |  | friday |", out)
        self.assertIn(f"| build-id | {self.base['tool']['build_id']} |", out)
        self.assertLess(out.index("| op | ISA |"),
                        out.index("<details>"))

    def test_other_machine(self):
        """It is told first; ops without a usable case are a line and no table."""
        head = self.head()
        head["host"]["fingerprint"] = "0123456789abcdef"
        out = self.compare(head, "--format=markdown")
        self.assertTrue(out.startswith("# simdbench\n\n**NOT JUDGED: the runs are not known to be "
                                       "of one machine: fingerprint is "), out[:200])
        self.assertIn(f"- no usable case: gemm scalar ({len(self.kernels)})\n", out)
        self.assertNotIn("| op | ISA |", out)
        self.assertNotIn("the machine changed", out)

    def test_wrong_kernel(self):
        """In a case that the first run has, or that is new."""
        name = self.kernels[0]["id"]
        for new in (name, "gemm/new"):
            head = self.head()
            for result in head["results"]:
                if result["id"] == name:
                    result.update(id=new, status="wrong", reason="it is off by one")
            out = self.compare(head, "--format=markdown", status=4)
            self.assertRegex(out, rf"\*\*FAILED: 1 of \d+ cases? wrong or failed: {new}")

    def test_side_by_side(self):
        """Several runs, each against the first: exact times give exact numbers."""
        base = self.write("base.json", self.base)
        slow, other = self.head(1.25), self.head()
        slow["settings"]["label"] = "v2|<b>"
        for result in other["results"]:  # no kernel in common, but the same work
            if result["role"] == "kernel":
                result["isa"] = "neon"
                result["id"] = result["id"].replace("/scalar/", "/neon/")
        files = [base, self.write("slow.json", slow), self.write("other.json", other)]
        rows, said = {}, self.run_tool("compare", *files).stdout
        for line in said.splitlines():
            if line.startswith("gemm "):
                name, *cells = re.split("  +", line)
                rows[name] = cells
        n = str(len(self.kernels))
        self.assertEqual(rows["gemm fastest"], [n, "1.000x", "0.800x", "1.000x"])
        self.assertEqual(rows["gemm scalar"], [n, "1.000x", "0.800x", "-"])
        self.assertEqual(rows["gemm neon"], ["0", "-", "-", "-"])
        answer = ["gemm: v2|<b> 0.80, other.json 1.00 times as fast as base.json",
                  "how much of it is the machine's nobody knows, as no library is the same in these "
                  "runs; builds take turns in simdbench ab OLD NEW"]
        self.assertTrue(said.endswith("\n\n" + "\n".join(answer) + "\n"), said)
        data = json.loads(self.run_tool("compare", *files, "--format=json").stdout)
        self.assertEqual(data["answer"], answer)
        self.assertEqual([run["name"] for run in data["runs"]], ["base.json", "v2|<b>", "other.json"])
        cells = {row["name"]: [cell["times"] and round(cell["times"], 9) for cell in row["runs"]]
                 for row in data["rows"]}
        self.assertEqual(cells, {"gemm fastest": [1, 0.8, 1], "gemm scalar": [1, 0.8, None],
                                 "gemm neon": [None] * 3})
        saved = self.folder / "matrix.md"
        text = self.run_tool("compare", *files, "--format=markdown", f"--markdown={saved}").stdout
        self.assertTrue(text.startswith("**gemm: v2"), text)
        self.assertEqual(saved.read_text(encoding="utf-8"), text)
        self.assertIn("| op and ISA | cases | base.json | v2\\|&lt;b&gt; | other.json |\n", text)
        self.assertIn(f"| gemm scalar | {n} | 1.000x | 0.800x | - |\n", text)

    def test_libraries_side_by_side(self):
        """One of another version, or with kernels for another core, is other code."""
        def run(name, factor=1, version="OpenBLAS 0.3.21", core="SkylakeX"):
            document = self.head(factor)
            one = copy.deepcopy(next(r for r in document["results"] if r["role"] == "kernel"))
            one.update(id="openblas/" + one["id"], role="baseline", module="openblas",
                       module_version=version, module_core=core)
            document["results"].append(one)
            return self.write(name, document)

        first, same = run("first.json"), run("same.json", 1.25)
        others = [run("newer.json", 2, version="OpenBLAS 0.3.30"), run("core.json", 2, core="Haswell")]
        said = self.run_tool("compare", first, same, *others).stdout
        self.assertRegex(said, r"\nlibraries, same code +1 +1\.000x +0\.800x +- +-\n")
        self.assertIn("\nlibraries, whose code is the same: same.json 0.80 times as fast as first.json\n"
                      "what libraries differ by is the machine's; ", said)
        said = self.run_tool("compare", first, *others).stdout
        self.assertNotIn("libraries, whose code", said)
        self.assertIn("\nhow much of it is the machine's nobody knows, as no library is the same ", said)

    def test_strict(self):
        # An interval that reaches across what a change must exceed.
        head = self.head(1.06)
        self.assertIn("UNDECIDED", self.compare(head))
        self.assertIn("this fails", self.compare(head, "--strict", status=3))

    def test_outputs(self):
        path, markdown = self.folder / "both.json", self.folder / "both.md"
        shown = self.compare(self.head(1.10), f"--json={path}", f"--markdown={markdown}",
                             status=1)
        both = self.load(path)
        self.assertEqual(both["gate"]["kind"], "stored")
        self.assertEqual(both["gate"]["regressed"], len(self.kernels))
        self.assertEqual(self.run_tool("report", path).stdout, shown)
        self.assertIn("**REGRESSED", markdown.read_text(encoding="utf-8"))
        done = self.run_tool("compare", path, path, status=2)
        self.assertIn("is a comparison already", done.stderr)

    def test_mistakes(self):
        base = self.write("base.json", self.base)
        for arguments, words in (
                ([base], ["compare", "needs"]),
                ([base] * 21, ["compare", str(base)]),
                ([base, base, base, "--format=csv"], ["more than two files", "not csv"]),
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

    def test_pairs_of_runs(self):
        """scripts/bench compare-pairs counts what compare says, here of times that are made
        up: equal ones are no regression, and 20% is one beyond the assumed noise of 3%."""
        said = subprocess.run(
            ["/usr/bin/python3", SOURCE / "scripts/benches/bench_compare_pairs.py", BINARY, "--pairs=2",
             "--slower=5,20", "--isa=scalar", "--baseline=none", "--rounds=20",
             "--filter=gemm/*@64x64x64", "--filter=relu/*@2048"],
            check=True, capture_output=True, text=True,
            env=environment(SIMDBENCH_TEST_CLOCK="1")).stdout
        self.assertRegex(said, r"\n\+0%: 0 of 2 pairs say REGRESSED\n"
                               r"\+5%: 0 of 2 pairs say REGRESSED\n"
                               r"\+20%: 2 of 2 pairs say REGRESSED\n")
