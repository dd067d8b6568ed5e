# SPDX-License-Identifier: Apache-2.0
"""`report --by=host` of many files, made from one run."""
import csv
import json
import os
import py_compile
import random
import re
import shutil
import subprocess
import time

from cli_tool import BINARY, PATIENCE, SMALL, SOURCE, Case, environment

RECIPES = SOURCE / "docs/recipes"

HOSTS = int(os.environ.get("FLEET_HOSTS", "120"))
SLOW, OTHER, ALONE = "n7", "n8", "n9"


class Fleet(Case):
    def make(self, hosts, *more):
        """Files of hosts whose times differ by 1%: one is slow, one has another kernel, one
        another fingerprint."""
        document = self.run_json(*SMALL, *more)
        chance = random.Random(1)
        self.assertTrue(any(r["summary"] for r in document["results"]))
        for number in range(hosts):
            node = f"n{number}"
            one = json.loads(json.dumps(document))
            one["host"]["node"] = node
            if node == OTHER:
                one["host"]["kernel"] = "5.0-old"
            if node == ALONE:
                one["host"]["fingerprint"] = "0123456789abcdef"
                one["host"]["microcode"] = one["host"]["identity"]["microcode"] = "0xother"
            factor = chance.gauss(1, 0.01) * (2 if node == SLOW else 1)
            for result in one["results"]:
                result["status"], result["reason"] = "ok", None
                summary = result["summary"]
                for name in ("median_ns", "min_ns", "mad_ns"):
                    summary[name] *= factor
                summary["ci_ns"] = [ns * factor for ns in summary["ci_ns"] or []] or None
                result["samples_ns"], result["rounds"] = [], []
            (self.folder / f"host-{node}.json").write_text(json.dumps(one))
        return sorted(self.folder.glob("host-*.json"))

    def test_the_first_cases_of_a_host_stand_for_all(self):
        paths = self.make(8, "--sizes=8,10,12,14")
        text = self.run_tool("report", "--by=host", *paths).stdout
        self.assertEqual(len(re.findall(rf"\n  {SLOW}\s+slow ", text)), 3)
        self.assertRegex(text, rf"\n  {SLOW}\s+and \d+ more case")
        text = self.run_tool("report", "--by=host", "--format=markdown", *paths).stdout
        self.assertEqual(text.count(f"\n| {SLOW} | slow |"), 3)
        self.assertRegex(text, rf"\n\| {SLOW} \|  \|  \|  \| and \d+ more case")

    def test_narrow(self):
        text = self.assert_narrow("report", "--by=host", *self.make(8, "--sizes=128"))
        self.assertRegex(text, r"\n  hosts .*\n +case\n +8 .*\n +gemm/\S+@8x8x8\n")

    def test_many(self):
        paths = self.make(HOSTS)
        before = time.monotonic()
        process = os.posix_spawn(
            BINARY, ["simdbench", "report", "--by=host", "--format=csv",
                     f"--json={self.folder}/fleet.out", f"--format=table:{self.folder}/fleet.txt",
                     f"--output={self.folder}/fleet.csv", *map(str, paths)], environment())
        _, status, usage = os.wait4(process, 0)
        took = time.monotonic() - before
        print(f"{HOSTS} files: {took:.2f} s, {usage.ru_maxrss / 1024:.0f} MB")
        self.assertEqual(status, 0)
        self.assertLess(usage.ru_maxrss, 300 * 1024)

        with open(self.folder / "fleet.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        times = [row for row in rows if row["case"] != "cycle"]
        self.assertEqual({row["node"] for row in times if row["verdict"] == "slow"}, {SLOW})
        self.assertEqual({row["verdict"] for row in times if row["node"] == ALONE},
                         {"not judged"})
        self.assertEqual({row["verdict"] for row in times} - {"slow", "alike", "not judged"},
                         set())
        fleet = json.loads((self.folder / "fleet.out").read_text(encoding="utf-8"))
        self.assertEqual(len(fleet["hosts"]), HOSTS)
        told = {d["fact"]: d["values"] for d in fleet["differences"]}
        self.assertEqual(set(told), {"kernel", "microcode"})
        self.assertEqual(told["kernel"][1], {"value": "5.0-old", "nodes": [OTHER]})
        text = (self.folder / "fleet.txt").read_text(encoding="utf-8")
        self.assertIn(f"{HOSTS} hosts of 2 kinds, {HOSTS} runs", text)
        self.assertRegex(text, rf"\n  {SLOW}\s+slow\s+\+\d+\.\d%\s+1  ")
        self.assertIn(f"5.0-old on {OTHER}\n", text)
        answer = fleet["answer"]
        self.assertEqual(answer[0], f"{HOSTS} hosts, {HOSTS} runs: 1 does otherwise than its kind")
        self.assertRegex(answer[1], rf"^{SLOW} may be slow: \d+\.\d% more time in .*; it has 1 run, and 3 ")
        self.assertTrue(text.endswith("\n\n" + "\n".join(answer) + "\n"), text[-400:])
        markdown = self.run_tool("report", "--by=host", "--format=markdown", *paths).stdout
        self.assertIn(f"\n\n**{HOSTS} hosts, ", markdown)
        self.assertRegex(markdown, rf"(?m)^\| {SLOW} \| slow \| \+\d+\.\d% \| 1 \| ")
        self.assertIn("\n- kernel: ", markdown)

    def test_few_are_not_judged(self):
        done = self.run_tool("report", "--by=host", *self.make(3))
        self.assertIn("no host is judged", done.stdout)
        self.assertIn("too few hosts to judge", done.stdout)

    def test_broken_files_cost_themselves(self):
        paths = self.make(12)
        whole = self.run_tool("report", "--by=host", *paths).stdout
        broken = [self.folder / name for name in ("half.json", "odd.json", "empty.json")]
        broken[0].write_bytes(paths[0].read_bytes()[:-100])
        broken[1].write_text('{"schema_version": "\x1b[31m"}', encoding="utf-8")
        broken[2].touch()
        broken.append(self.folder)  # no file
        broken.append(self.folder / "nowhere.json")
        done = self.run_tool("report", "--by=host", *paths[:5], *broken, *paths[5:], status=1)
        self.assertEqual(done.stdout, whole)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(broken), lines)
        for line, path in zip(lines, broken):
            self.assertRegex(line, rf"^simdbench: left out: .*{re.escape(str(path))}'?: .")
        done = self.run_tool("report", "--by=host", *broken, status=2)
        self.assertEqual(done.stdout, "")
        self.assertIn("none of the files is a run", done.stderr)

    def test_one_run_counts_once(self):
        """By the same path, by a link, as a copy, and written anew."""
        paths = self.make(12)
        whole = self.run_tool("report", "--by=host", *paths).stdout
        again = [paths[3], *(self.folder / name for name in ("link", "hard", "copy", "new"))]
        again[1].symlink_to(paths[3])
        again[2].hardlink_to(paths[3])
        shutil.copy(paths[3], again[3])
        again[4].write_text(json.dumps(json.loads(paths[3].read_text()), indent=1))
        done = self.run_tool("report", "--by=host", *paths, *again)
        self.assertEqual(done.stdout, whole)
        self.assertEqual(done.stderr.splitlines(),
                         [f"simdbench: {path}: the same run as {paths[3].name}, counted once"
                          for path in again])

    def test_refused(self):
        path, = self.make(1)
        for arguments in (["--format=junit"], [f"--format=bmf:{self.folder}/x"], ["--label=x"]):
            done = self.run_tool("report", "--by=host", path, *arguments, status=2)
            self.assertEqual(done.stdout, "")
            self.assertIn("--by=host", done.stderr)


class FleetRecipes(Case):
    def test_array_job(self):
        """As a task of Slurm runs it."""
        job, out = RECIPES / "slurm/array-job", self.folder / "fleet"
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", job], check=True)
        for node in ("n1", "n2"):
            subprocess.run(["bash", job, *SMALL], check=True, capture_output=True, timeout=PATIENCE,
                           env=environment(OUT=str(out), SIMDBENCH=str(BINARY),
                                           SLURMD_NODENAME=node, SLURM_ARRAY_JOB_ID="7",
                                           SLURM_ARRAY_TASK_ID=node[1:]))
        self.assertEqual(sorted(p.name for p in out.iterdir()), ["n1-7-1.json", "n2-7-2.json"])
        done = self.run_tool("report", "--by=host", *out.iterdir())
        self.assertIn("2 hosts of 1 kind, 2 runs", done.stdout)
        self.assertIn("(first run of each):\n  nothing\n", done.stdout)

    def test_kubernetes_job(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        job = yaml.safe_load((RECIPES / "kubernetes/job.yaml").read_text())
        container, = job["spec"]["template"]["spec"]["containers"]
        names = {entry["name"] for entry in container["env"]}
        self.assertEqual(set(re.findall(r"\$\((\w+)\)", str(container["args"]))), names)
        replaced = [a.replace("/fleet/", f"{self.folder}/").replace("$(NODE)", "n1")
                    .replace("$(INDEX)", "0") for a in container["args"]]
        self.run_tool(*replaced, "--dry-run")

    def test_reframe_check(self):
        py_compile.compile(str(RECIPES / "reframe/simdbench_check.py"), doraise=True,
                           cfile=str(self.folder / "check.pyc"))
