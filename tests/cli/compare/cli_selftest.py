# SPDX-License-Identifier: Apache-2.0
"""`simdbench selftest`: few gates. What they say is the machine's affair; that they are
counted, kept and cited is not."""
import json
import os
import subprocess
import sys

from cli_tool import MODULES, PATIENCE, SOURCE, Case, environment

FEW = ["selftest", "--gates=1", "--quiet"]
COUNTS = ("regressed", "improved", "same", "placed", "inconclusive", "unusable")


class SelftestCase(Case):
    def setUp(self):
        super().setUp()
        self.env = environment(XDG_CACHE_HOME=str(self.folder))

    def kept(self):
        return list(self.folder.glob("simdbench/*"))


class Selftest(SelftestCase):
    def check(self, document, effects):
        self.assertEqual([e["effect"] for e in document["effects"]], effects)
        for entry in document["effects"]:
            self.assertEqual(entry["gates"], 1)
            self.assertEqual(len(entry["outcomes"]), 1)
            self.assertEqual(sum(entry[k] for k in COUNTS), 1)
            low, high = entry["rate_ci"]
            self.assertTrue(0 <= low <= entry["rate"] <= high <= 1, entry)
            self.assertGreater(entry["seconds_per_gate"], 0)
        self.assertEqual(document["processes"], 16)
        self.assertLess(document["call_ns"], 500e3)
        self.assertRegex(document["case"], "^gemm/maxplus-f32/[a-z0-9]+/add@16x16x16$")

    def test_gates_are_counted_kept_and_cited(self):
        paths = [self.folder / "also.json", self.folder / "again.json"]
        done = self.run_tool(*FEW, "--effects=100%", "--threshold=25%", "--seed=7",
                             "--format=json", *(f"--json={path}" for path in paths), env=self.env)
        document = json.loads(done.stdout)
        self.check(document, [1, 0.5])
        self.assertEqual((document["seed"], document["threshold"]), ("7", 0.25))
        twice = document["effects"][0]  # as much work, however busy the machine is
        self.assertEqual(twice["same"] + twice["improved"], 0, twice)
        self.assertEqual(done.stderr, "")
        kept, = self.kept()
        self.assertEqual(kept.name, f"selftest-{document['host']['fingerprint']}.json")
        for file in (kept, *paths):
            self.assertEqual(json.loads(file.read_text(encoding="utf-8")), document)

        text = self.comparison()
        self.assertIn(f"selftest: {document['summary']}\n", text)
        document["host"]["fingerprint"] = "another"
        for other in (json.dumps(document), "no JSON", ""):
            kept.write_text(other, encoding="utf-8")
            self.assertNotIn("selftest: ", self.comparison())
        kept.unlink()
        kept.mkdir()
        self.assertNotIn("selftest: ", self.comparison())

    def comparison(self):
        module = MODULES / "pace.so"
        path = self.folder / "run.json"
        done = self.run_tool("ab", module, module, "twice", "--sizes=64",
                             "--filter=*/good@*", "--processes=8", "--rounds=1",
                             "--threshold=50%", "--quiet", f"--json={path}", env=self.env)
        cited = self.load(path)["gate"]["selftest"]
        self.assertEqual(f"selftest: {cited}\n" in done.stdout, cited is not None)
        return done.stdout

    def test_without_a_place_to_keep_it(self):
        env = {**self.env, "HOME": "/nowhere/at/all", "XDG_CACHE_HOME": "relative"}
        path = self.folder / "selftest.json"
        done = self.run_tool(*FEW, "--effects=0", f"--json={path}", env=env)
        self.check(json.loads(path.read_text(encoding="utf-8")), [0, 0.5])
        self.assertIn("ab will not cite this: /nowhere", done.stderr)
        self.assertIn("fingerprint", done.stdout)
        self.assertFalse(os.path.exists("relative"))

    def test_competitor_runs_where_it_should(self):
        """That of scripts/bench gate: pinned, and gone with its parent."""
        cpu = max(os.sched_getaffinity(0))
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import bench_gate, os\n"
                "import time\n"
                "with bench_gate.competitor(int(sys.argv[2])) as process:\n"
                "    deadline = time.monotonic() + 300\n"
                "    while (os.sched_getaffinity(process.pid) != {int(sys.argv[2])}\n"
                "           and time.monotonic() < deadline):\n"
                "        time.sleep(0.01)\n"
                "    print(os.sched_getaffinity(process.pid) == {int(sys.argv[2])})\n"
                "print(process.returncode)\n")
        done = subprocess.run([sys.executable, "-B", "-c", code, SOURCE / "scripts/benches",
                               str(cpu)], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "True\n-9\n", done.stderr)


class SelftestUsage(SelftestCase):
    def refuse(self, *arguments, says):
        done = self.run_tool("selftest", *arguments, status=2, env=self.env)
        self.assertRegex(done.stderr, says)
        self.assertEqual((done.stdout, self.kept()), ("", []))

    def test_mistakes(self):
        self.refuse("--gates=0", says="--gates=0: must be from 1")
        self.refuse("--effects=", says="--effects needs a value")
        for text in ("1,", ",1", "x", "1;2", "1%%", "-1", "nan", "1e1", "0x1", "."):
            self.refuse(f"--effects={text}", says=r"--effects=.*: expected percentages")
        self.refuse("--effects=101", says="0% to 100%")
        self.refuse("--effects=1,1.0", says="1 is there twice")
        self.refuse("--effects=" + ",".join(map(str, range(17))), says="more than 16")
        self.refuse("--threshold=2", says="--threshold=2: expected a percentage")
        self.refuse("--format=csv", says="--format=csv")
        self.refuse("--cpu=99999", says="99999")
        self.refuse("extra", says="extra")
        self.refuse("--isa=avx2", says="--isa is no option of selftest")
        self.refuse("--json=/no/such/folder/x.json", says="--json=?.*/no/such/folder")
