# SPDX-License-Identifier: Apache-2.0
"""The project file, as it is found; --output and options of one letter."""
import json
import os
import unittest

from cli_tool import SHORT, SMALL, Case, environment


class Project(Case):
    def setUp(self):
        super().setUp()
        self.env = environment()
        del self.env["SIMDBENCH_PROJECT"]
        self.below = self.folder / "a" / "b"
        self.below.mkdir(parents=True)
        self.file = self.folder / ".simdbench.json"

    def write(self, text):
        self.file.write_text(text if isinstance(text, str) else json.dumps(text))

    def plan(self, *arguments, **more):
        return self.run_tool("gemm", "--dry-run", "--baseline=none", *arguments, env=self.env,
                             cwd=self.below, **more).stdout

    def test_found_upwards(self):
        self.write({"gemm": {"sizes": "24", "isa": "scalar"}})
        self.assertIn("gemm f32 24x24x24", self.plan())
        self.assertIn("gemm f32 40x40x40", self.plan("--sizes=40"))
        self.assertNotIn("24x24x24", self.plan("--project=no"))
        self.env["SIMDBENCH_PROJECT"] = "no"
        self.assertNotIn("24x24x24", self.plan())
        self.assertIn("24x24x24", self.plan(f"--project={self.file}"))

    def test_nearest_wins(self):
        self.write({"gemm": {"sizes": "24"}})
        (self.below / ".simdbench.json").write_text('{"gemm": {"sizes": "40"}}')
        self.assertIn("gemm f32 40x40x40", self.plan("--isa=scalar"))

    def test_recorded(self):
        self.write({"global": {"quiet": True}, "gemm": {"sizes": 8, "rounds": 7}})
        run = self.run_json("gemm", "--isa=scalar", "--baseline=none", "--time-per-case=2ms",
                            env=self.env, cwd=self.below)
        self.assertEqual(run["settings"]["project"], str(self.file))
        self.assertEqual(run["settings"]["project_options"], "--sizes=8 --rounds=7 --quiet")
        self.assertEqual(run["settings"]["rounds"], 7)
        self.assertEqual(run["settings"]["sizes"], "8")
        without = self.run_json(*SMALL)
        self.assertNotIn("project", without["settings"])

    def test_list_settings(self):
        self.write('{"gemm": {\n  "sizes": "24",\n  "quiet": false}}')
        self.env["SIMDBENCH_HISTORY"] = "h.sqlite"
        text = self.run_tool("list", "settings", env=self.env, cwd=self.below).stdout
        self.assertRegex(text, rf"(?m)^  gemm +--sizes=24 +{self.file}:2$")
        self.assertRegex(text, rf"(?m)^  gemm +--no-quiet +{self.file}:3$")
        self.assertRegex(text, r"(?m)^   +SIMDBENCH_HISTORY=h.sqlite +environment$")
        only = self.run_tool("list", "settings", "size", env=self.env, cwd=self.below).stdout
        self.assertEqual(only.count("\n"), 1)
        self.assertIn("There is no project file", self.run_tool("list", "settings").stdout)

    def test_bad_file(self):
        self.write('{"global": {},\n "ab": {\n  "threshold": 2}}')
        for command in ["gemm", "--dry-run"], ["doctor"], ["list"]:
            done = self.run_tool(*command, status=2, env=self.env, cwd=self.below)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr, f"simdbench: {self.file}:3: ab.threshold: "
                                          "--threshold=2: expected a percentage, as in 2%\n")
        for command in ["--help"], ["gemm", "--help"], ["--version"], ["man"], \
                ["completion", "bash"], ["list", "isas", "--project=no"]:
            self.run_tool(*command, env=self.env, cwd=self.below)

    @unittest.skipIf(os.geteuid(), "only root gives files away")
    def test_of_another_user(self):
        """Somebody else's file names no plug-in of ours."""
        self.write({"gemm": {"sizes": "24"}})
        os.chown(self.file, 65534, -1)
        done = self.run_tool("gemm", "--dry-run", "--baseline=none", env=self.env,
                             cwd=self.below)
        self.assertIn(f"{self.file} belongs to another user", done.stderr)
        self.assertNotIn("24x24x24", done.stdout)
        self.assertIn("24x24x24", self.plan(f"--project={self.file}"))


class Output(Case):
    def test_same_text(self):
        saved = self.folder / "run.json"
        self.run_tool(*SMALL, f"--json={saved}")
        for command in ["report", saved, "--format=markdown"], ["list", "isas"], ["man"]:
            with self.subTest(command=command):
                text = self.run_tool(*command).stdout
                path = self.folder / "out"
                for option in [f"-o{path}"], ["-o", path], [f"--output={path}"]:
                    self.assertEqual(self.run_tool(*command, *option).stdout, "")
                    self.assertEqual(path.read_text(), text)
                    path.unlink()

    def test_of_a_run(self):
        path = self.folder / "out"
        done = self.run_tool(*SMALL, "-q", "-o", path)
        self.assertEqual(done.stdout, "")
        self.assertIn("gemm/maxplus-f32/scalar/add@8x8x8", path.read_text())

    def test_old_file_survives(self):
        path = self.folder / "out"
        path.write_text("precious")
        for command in ["gemm", "--sizes=1M"], ["report", "/nowhere"], ["list", "isas", "no-such"]:
            self.run_tool(*command, "-o", path, status=2)
            self.assertEqual(path.read_text(), "precious")
        self.assertEqual(list(self.folder.iterdir()), [path])

    def test_refused(self):
        for path in "/dev/full", "/proc/out", "no/such/out", ".":
            done = self.run_tool("list", "isas", "-o", path, status=2, cwd=self.folder)
            self.assertIn(f"--output={path}", done.stderr)
        saved = self.folder / "run.json"
        self.run_tool(*SMALL, f"--json={saved}")
        before = saved.read_bytes()
        done = self.run_tool("report", saved, "-o", saved, status=2)
        self.assertIn("are one file", done.stderr)
        self.run_tool(*SMALL, f"--json={saved}", "-o", saved, status=2)
        self.assertEqual(saved.read_bytes(), before)

    def test_standard_output_itself(self):
        self.assertIn("scalar", self.run_tool("list", "isas", "-o", "/dev/stdout").stdout)

    def test_letters(self):
        for option in ("-V", "-v"):
            self.assertEqual(self.run_tool(option).stdout, self.run_tool("--version").stdout)
        self.assertEqual(self.run_tool("-h").stdout, self.run_tool("--help").stdout)
        self.assertTrue(self.run_tool("gemm", "-n", "-q", "--baseline=none",
                                      *SHORT).stdout.startswith("seed "))
