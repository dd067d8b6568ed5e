# SPDX-License-Identifier: Apache-2.0
"""Numbers for other programs: `report --query`, the examples of docs/formats.md, and the node."""
import importlib.util
import re
import shutil
import subprocess
import sys

from cli_tool import BINARY, PATIENCE, SHORT, SMALL, SOURCE, Case, environment, kernels

RELU = ["relu", "--isa=scalar", "--sizes=4096", "--baseline=none", "--precision=50%", *SHORT]


class Query(Case):
    def test_numbers_are_those_of_the_run(self):
        document = self.run_json(*RELU)
        results = {r["id"]: r for r in document["results"] if r["status"] == "ok"}
        name, = (i for i in results if "/max@" in i)
        path = self.folder / "run.json"
        for value, expected in (
                ("median_ns", results[name]["summary"]["median_ns"]),
                ("gops", results[name]["rates"]["gops"]),
                ("share", results[name]["limit"]["share"])):
            done = self.run_tool("report", path, f"--query={name}", f"--value={value}")
            self.assertEqual(float(done.stdout), expected)
        done = self.run_tool("report", path, "--query=*/max@*", f"--json={self.folder}/again")
        self.assertEqual(float(done.stdout), results[name]["summary"]["median_ns"])
        self.assertTrue((self.folder / "again").exists())

    def test_several_are_a_line_each(self):
        document = self.run_json(*RELU)
        done = self.run_tool("report", self.folder / "run.json", "--query=*")
        self.assertEqual(len(done.stdout.splitlines()), len(document["results"]))

    def test_nothing(self):
        self.run_json(*RELU)
        path = self.folder / "run.json"
        done = self.run_tool("report", path, "--query=no/*", status=5)
        self.assertEqual(done.stdout, "")
        self.assertIn("no case matches", done.stderr)
        done = self.run_tool("report", path, "--query=*/max@*", "--value=speedup", status=5)
        self.assertEqual(done.stdout, "")
        self.assertIn("no speedup", done.stderr)


class Node(Case):
    def test_who_says_it(self):
        for more, env, expected in (
                (["--node=mine"], {"SLURMD_NODENAME": "n3"}, "mine"),
                ([], {"SLURMD_NODENAME": "n3"}, "n3"),
                ([], {"SLURMD_NODENAME": ""}, subprocess.check_output(
                    ["uname", "-n"], text=True).strip())):
            document = self.run_json(*SMALL, *more, env=environment(**env))
            self.assertEqual(document["host"]["node"], expected)
            self.assertNotIn("node", document["host"]["identity"])

    def test_reports_of_several_files(self):
        paths = [self.folder / f"{name}.json" for name in ("n1", "n2")]
        for path in paths:
            self.run_tool(*SMALL, f"--json={path}", f"--node=node-{path.stem}")
        done = self.run_tool("report", *paths, f"--json={self.folder}/both.json")
        self.assertIn("merged n2.json: this machine (node node-n2,", done.stdout)
        self.assertEqual(self.load(self.folder / "both.json")["sources"][0]["node"], "node-n2")


class Consumers(Case):
    """The examples of docs/formats.md, as they stand there, where the program is installed."""
    def setUp(self):
        super().setUp()
        self.run_tool(*RELU, f"--json={self.folder}/run.json",
                      f"--format=csv:{self.folder}/run.csv")
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "simdbench").symlink_to(BINARY)
        self.env = environment(PATH=f"{programs}:/usr/bin:/bin")

    def example(self, language, command):
        text = (SOURCE / "docs/formats.md").read_text(encoding="utf-8")
        code = re.search(rf"```{language}\n(.*?)```", text, re.S)[1]
        done = subprocess.run([*command, code], cwd=self.folder, env=self.env, text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = kernels(self.load(self.folder / "run.json"), status="ok")
        self.assertTrue(measured)
        for result in measured:
            self.assertIn(result["id"] if language != "bash" else "relu", done.stdout)

    def test_shell_and_jq(self):
        if not shutil.which("jq", path="/usr/bin:/bin"):
            self.skipTest("jq is not installed")
        self.example("bash", ["bash", "-euc"])

    def test_pandas(self):
        if not importlib.util.find_spec("pandas"):
            self.skipTest("python3-pandas is not installed")
        self.example("python", [sys.executable, "-c"])

    def test_r(self):
        if not shutil.which("Rscript"):
            self.skipTest("r-base-core is not installed")
        self.example("r", ["Rscript", "-e"])
