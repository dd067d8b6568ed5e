# SPDX-License-Identifier: Apache-2.0
"""The recipes for Slurm and ReFrame, run by a Slurm with eight nodes on this machine, one of
which is slow on purpose.

    SIMDBENCH=build/test/simdbench python3 tests/slurm/slurm_fleet.py [TEST...]

SLURM_REPEAT=N repeats each test of a fleet N times, prints how often it was right, and fails if
nodes were accused that are healthy. Without it times gate nothing but that the slow one is found in
one of three fleets, and under sanitizers not even that.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import slurm_cluster

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.append(str(SOURCE / "tests/cli"))
from cli_tool import BINARY, MODULES, environment, sanitized

RECIPES = SOURCE / "docs/recipes"
REPEAT = int(os.environ.get("SLURM_REPEAT", "1"))
STRICT = "SLURM_REPEAT" in os.environ
NODES, RUNS = 8, 3
# Nodes share the CPUs of one machine: their runs wait for each other.
OPTIONS = [f"--plugin={MODULES}/slow_node.so", "--sizes=100", "--baseline=none",
           "--time-per-case=20ms", "--precision=50%"]


def report(files):
    done = subprocess.run([BINARY, "report", "--by=host", "--format=json", *files], check=True,
                          capture_output=True, text=True, env=environment())
    return json.loads(done.stdout)


def accused(fleet):
    """(node, variant) of what stands out."""
    return {(host["node"], case["id"].rpartition("/")[2].partition("@")[0])
            for case in fleet["cases"] for host in case["hosts"] if host["verdict"] != "alike"}


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if slurm_cluster.missing():
            raise unittest.SkipTest(f"no {', '.join(slurm_cluster.missing())}: "
                                    "scripts/setup more installs slurm-wlm")
        folder = tempfile.TemporaryDirectory(prefix="simdbench-slurm-")
        cls.addClassCleanup(folder.cleanup)
        # The slow node is slow in real time.
        env = environment(SIMDBENCH=str(BINARY), SIMDBENCH_LOCKS=folder.name,
                          SIMDBENCH_TEST_CLOCK="")
        cls.cluster = slurm_cluster.Cluster(Path(folder.name), NODES, env)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="simdbench-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fleet_of_array_jobs(self, number, slow):
        """Each node runs the recipe several times."""
        out = self.folder / f"fleet{number}"
        for node in self.cluster.nodes:
            self.cluster.run(
                "sbatch", "-w", node, f"--array=1-{RUNS}", "-o", f"{self.folder}/%A_%a.log",
                RECIPES / "slurm/array-job", "twice", *OPTIONS,
                OUT=str(out), SLOW_NODE=slow)
        self.cluster.wait_for_jobs()
        files = sorted(out.glob("*.json"))
        self.assertEqual(len(files), NODES * RUNS,
                         "".join(p.read_text() for p in self.folder.glob("*.log")))
        fleet = report(files)
        self.assertEqual({host["node"]: host["runs"] for host in fleet["hosts"]},
                         {node: RUNS for node in self.cluster.nodes})
        return accused(fleet)

    def check_fleets(self, expected):
        """`expected` is what must stand out if that node is slow."""
        right = []
        for number in range(REPEAT if STRICT else 3):
            node = self.cluster.nodes[number % NODES]
            told = self.fleet_of_array_jobs(number, node if expected else "none")
            found = {(node, variant) for variant in expected}
            right.append(told == found if STRICT else told >= found)
            if STRICT or not right[-1]:
                print(f"fleet {number + 1}, {node if expected else 'no node'} slow: "
                      f"{sorted(told)}, {sum(right)} of {len(right)} right", flush=True)
            if not STRICT and (right[-1] or sanitized()):
                return
        self.assertTrue(STRICT and all(right))

    def test_slow_node_is_found(self):
        self.check_fleets(["bad"])

    def test_healthy_nodes_are_not_accused(self):
        self.check_fleets([])

    def test_reframe(self):
        """Its check on each node; the files of all are one fleet."""
        reframe = shutil.which(os.environ.get("REFRAME", "reframe"))
        if not reframe:
            self.skipTest("there is no ReFrame: pip install reframe-hpc, or set REFRAME")
        if " avx2 " not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            self.skipTest("the recipe is for AVX2")
        checks = {"SimdbenchCheck": ["--time-per-case=20ms", "--precision=50%", "--baseline=none"],
                  "SlowNodeCheck": OPTIONS}
        more = [option for check, options in checks.items() for option in (
            "-S", f"{check}.simdbench={BINARY}", "-S", f"{check}.options={' '.join(options)}")]
        slow = self.cluster.nodes[2]
        self.cluster.run(
            reframe, "-C", HERE / "reframe_settings.py", "-c", HERE / "slow_node_check.py",
            "-c", RECIPES / "reframe/simdbench_check.py", "--prefix", self.folder,
            "--report-file", self.folder / "report.json", *more, "--distribute=idle", "-r",
            SLOW_NODE=slow, HOME=str(self.folder), TMPDIR=str(self.folder))
        run, = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["runs"]
        self.assertEqual([case["result"] for case in run["testcases"]], 3 * NODES * ["pass"])
        fleet = report(self.folder.glob("output/**/SlowNodeCheck_*/run.json"))
        self.assertEqual(len(fleet["hosts"]), NODES)
        self.assertIn((slow, "bad"), accused(fleet))


if __name__ == "__main__":
    unittest.main(verbosity=2)
