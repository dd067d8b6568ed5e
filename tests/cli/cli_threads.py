# SPDX-License-Identifier: Apache-2.0
"""--threads, what it puts into a run, and simdbench threads."""
import json
import os

from cli_tool import *

ALLOWED = len(os.sched_getaffinity(0))


class Threads(Case):
    def setUp(self):
        super().setUp()
        self.env = environment(XDG_CONFIG_HOME=str(self.folder / "config"))

    def tool(self, *arguments, **more):
        return self.run_tool(*arguments, env=self.env, **more)

    def results(self, *arguments, **more):
        return kernels(self.run_json(*arguments, env=self.env, **more))

    def write_thresholds(self, **ops):
        """For this host, whatever its fingerprint is."""
        folder = self.folder / "config" / "simdbench"
        folder.mkdir(parents=True)
        name = self.run_json(*SMALL)["host"]["fingerprint"]
        hosts = {name: {op: [{"threads": n, "ops": least} for n, least in rows]
                        for op, rows in ops.items()}}
        (folder / "threads.json").write_text(
            json.dumps({"schema_version": 1, "hosts": hosts}), encoding="utf-8")

    def test_plan(self):
        """Each number of threads is a group of its own, with limits of its own."""
        text = self.tool(*SMALL, "--threads=1,2,4..8,2", "--dry-run").stdout
        groups = re.findall(r"(?m)^group \d+: gemm f32 8x8x8(?:, (\d+) threads)?,", text)
        self.assertEqual(groups, ["", "2", "4", "8"])
        self.assertIn("  gemm/maxplus-f32/scalar/add@8x8x8\n", text)
        self.assertIn("  gemm/maxplus-f32/scalar/add@8x8x8;threads=4\n", text)
        self.assertIn("  roof/f32/scalar/add_max@registers;threads=8\n", text)
        text = self.tool("gemm", "--threads=all", "--sizes=8", "--dry-run").stdout
        self.assertEqual(f", {ALLOWED} threads," in text, ALLOWED > 1)

    def test_runs_on_what_was_asked_for(self):
        for op, size in (("gemm", "64"), ("relu", "1000"), ("tanh", "1000"),
                         ("gemm_backward", "64")):
            for result in self.results(op, f"--sizes={size}", "--isa=scalar", "--threads=1,2",
                                       "--baseline=none", *SHORT):
                with self.subTest(id=result["id"]):
                    self.assertIn(result["status"], ("ok", "noisy"), result["reason"])
                    self.assertEqual(result["threads_used"], result["threads"])
                    self.assertEqual(result["settings"].get("threads"),
                                     None if result["threads"] == 1 else "2")

    def test_conv(self):
        for result in self.results("conv", "--shape=n1c16h9w9k16r3s3p1q1", "--isa=auto",
                                   "--threads=2", "--baseline=none", *SHORT):
            self.assertIn(result["status"], ("ok", "noisy"), result["reason"])

    def test_conv_by_images(self):
        """A row that reorders no weights."""
        for images in (1, 2):
            (result,) = self.results("conv", f"--shape=n{images}c4h5w6k4r3s3", "--isa=scalar",
                                     "--threads=2", "--baseline=none", *SHORT)
            self.assertIn(result["status"], ("ok", "noisy"), result["reason"])
            self.assertEqual(result["threads_used"], images)

    def test_more_than_there_are_cpus(self):
        (result,) = self.results(*SMALL, "--threads=3", "--cpu=0")
        self.assertIn("3 threads take turns on 1 CPU", result["notes"])

    def test_no_more_than_there_is_to_do(self):
        (result,) = self.results("gemm", "--isa=scalar", "--sizes=4x4x4", "--baseline=none",
                                 "--threads=7", *SHORT)
        self.assertEqual(result["threads_used"], 1)
        self.assertIn("used 1 threads, the case asked for 7", result["notes"])

    def test_register_limits_grow(self):
        """Each thread does all of it."""
        work = {r["threads"]: r["work"]["ops"] for r in self.results(
            "roof", "--sizes=registers", "--isa=scalar", "--variants=add_max",
            "--threads=1,2", *SHORT)}
        self.assertEqual(work[2], 2 * work[1])

    def test_memory_limits_do_not(self):
        work = {r["threads"]: r["work"]["bytes"] for r in self.results(
            "roof", "--sizes=16Ki", "--isa=scalar", "--variants=copy", "--threads=1,3",
            *SHORT)}
        self.assertEqual(work[3], work[1])

    def test_one_threaded_library_is_not_ranked(self):
        module = MODULES / "third.so"
        rows = self.results("third", f"--plugin={module}", f"--baseline={module},name=x",
                            "--isa=scalar", "--sizes=8", "--layout=plain", "--threads=2",
                            *SHORT)
        libraries = [r for r in rows if r["role"] == "baseline" and r["status"] == "ok"]
        for library in libraries:
            self.assertEqual(library["threads_used"], 1)
            self.assertEqual(library["unranked"], "used 1 threads, the case asked for 2")

    def test_plugin_is_told(self):
        rows = self.results("relu", f"--plugin={MODULES / 'shares.so'}", "--sizes=1000",
                            "--threads=1,3", "--variants=shares", "--baseline=none", *SHORT)
        said = {r["threads"]: r["implementation"] for r in rows if r["module"]}
        self.assertEqual(said, {1: "told 1, asked for 1", 3: "told 3, asked for 3"})
        for row in rows:
            self.assertIn(row["status"], ("ok", "noisy"), row["reason"])

    def test_in_process(self):
        (result,) = self.results(*SMALL, "--threads=2", "--in-process")
        self.assertIn(result["status"], ("ok", "noisy"), result["reason"])

    def test_thresholds(self):
        self.write_thresholds(gemm=[(2, 5000), (3, None)])
        used = {size: self.results("gemm", "--isa=scalar", f"--sizes={size}", *more,
                                   "--threads=3", "--baseline=none", *SHORT)[0]
                for size, more in (("8", ()), ("16", ()), ("24", ("--threads-threshold=off",)))}
        self.assertEqual([r["threads_used"] for r in used.values()], [1, 2, 3])
        self.assertTrue([n for n in used["8"]["notes"]
                         if "1 of 3 threads" in n and "from 5000 operations" in n], used["8"])
        self.assertTrue([n for n in used["16"]["notes"] if "2 of 3 threads" in n
                         and "at no size" in n], used["16"])
        self.assertFalse([n for n in used["24"]["notes"] if "of 3 threads" in n])

    def test_broken_thresholds(self):
        self.write_thresholds()
        path = self.folder / "config" / "simdbench" / "threads.json"
        for text in ("", "{", "[]", '{"schema_version": 2}'):
            path.write_text(text, encoding="utf-8")
            stderr = self.tool(*SMALL, "--threads=2", status=2).stderr
            self.assertIn(str(path), stderr)
            self.assertIn("--threads-threshold=off", stderr)
            self.tool(*SMALL, "--threads=2", "--threads-threshold=off")
            self.tool(*SMALL)

    def test_measured_and_kept(self):
        path = self.folder / "run.json"
        text = self.tool("threads", "gemm", "--isa=scalar", "--sizes=4,24", "--threads=2",
                         f"--json={path}", *SHORT).stdout
        self.assertRegex(text, r"2 threads: .* for the first call of a cold team, .* empty")
        self.assertIn("gemm/maxplus-f32/scalar/add@24x24x24", text)
        self.assertIn("roof/f32/scalar/add_max@registers", text)
        self.assertRegex(text, r"(?m)^2 threads(: at no size| from \d+ operations)")
        ids = [r["id"] for r in kernels(self.load(path))]
        self.assertEqual(ids, ["gemm/maxplus-f32/scalar/add@4x4x4",
                               "gemm/maxplus-f32/scalar/add@4x4x4;threads=2",
                               "gemm/maxplus-f32/scalar/add@24x24x24",
                               "gemm/maxplus-f32/scalar/add@24x24x24;threads=2"])
        self.tool("threads", "relu", "--isa=scalar", "--sizes=64", "--threads=2", *SHORT)
        saved = self.folder / "config" / "simdbench" / "threads.json"
        (host,) = json.loads(saved.read_text(encoding="utf-8"))["hosts"].values()
        self.assertEqual({op: [r["threads"] for r in rows] for op, rows in host.items()},
                         {"gemm": [2], "relu": [2]})
        for rows in host.values():
            self.assertTrue(rows[0]["ops"] is None or rows[0]["ops"] > 0)

    def test_threads_needs_an_op(self):
        self.assertIn("threads needs an op", self.tool("threads", status=2).stderr)
        self.assertIn("no such", self.tool("threads", "gem", status=2).stderr)

    def test_op_as_it_is_spoken(self):
        text = self.tool("threads", "gemm-backward", "--isa=scalar", "--sizes=8",
                         "--threads=2", "--dry-run").stdout
        self.assertIn("  gemm_backward/f32/scalar/rows@8x8x8;threads=2\n", text)

    def test_nowhere_to_keep_them(self):
        env = {k: v for k, v in environment().items()
               if k not in ("HOME", "XDG_CONFIG_HOME")}
        done = self.run_tool("threads", "relu", "--isa=scalar", "--sizes=64", "--threads=2",
                             *SHORT, env=env, status=2)
        self.assertIn("no place for the thresholds", done.stderr)
