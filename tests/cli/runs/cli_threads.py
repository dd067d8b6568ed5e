# SPDX-License-Identifier: Apache-2.0
"""--threads, what it puts into a run, and simdbench threads."""
import json

from cli_tool import *


class Threads(Case):
    def setUp(self):
        super().setUp()
        self.env = environment(XDG_CONFIG_HOME=str(self.folder / "config"))

    def tool(self, *arguments, **more):
        return self.run_tool(*arguments, env=self.env, **more)

    def results(self, *arguments, **more):
        return kernels(self.run_json(*arguments, env=self.env, **more))

    def test_runs_on_what_was_asked_for(self):
        for op, size in (("gemm", "64"), ("relu", "1000"), ("tanh", "1000"),
                         ("gemm_backward", "64")):
            for result in self.results(op, f"--sizes={size}", "--isa=scalar", "--threads=1,2",
                                       "--baseline=none", *SHORT):
                with self.subTest(id=result["id"]):
                    self.assertEqual(result["status"], "ok", result["reason"])
                    self.assertEqual(result["threads_used"], result["threads"])
                    self.assertEqual(result["settings"].get("threads"),
                                     None if result["threads"] == 1 else "2")

    def test_conv_by_images(self):
        """A row that reorders no weights."""
        for images in (1, 2):
            (result,) = self.results("conv", f"--shape=n{images}c4h5w6k4r3s3", "--isa=scalar",
                                     "--variants=naive", "--threads=2", "--baseline=none", *SHORT)
            self.assertEqual(result["status"], "ok", result["reason"])
            self.assertEqual(result["threads_used"], images)

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

    def test_plugin_is_told(self):
        rows = self.results("relu", f"--plugin={MODULES / 'shares.so'}", "--sizes=1000",
                            "--threads=1,3", "--variants=shares", "--baseline=none", *SHORT)
        said = {r["threads"]: r["implementation"] for r in rows if r["module"]}
        self.assertEqual(said, {1: "told 1, asked for 1", 3: "told 3, asked for 3"})
        for row in rows:
            self.assertEqual(row["status"], "ok", row["reason"])

    def test_in_process(self):
        (result,) = self.results(*SMALL, "--threads=2", "--in-process")
        self.assertEqual(result["status"], "ok", result["reason"])

    def test_measured_and_kept(self):
        path = self.folder / "run.json"
        text = self.tool("threads", "gemm", "--isa=scalar", "--sizes=4,24", "--threads=2",
                         f"--json={path}", *SHORT).stdout
        self.assertRegex(text, r"2 threads: .* for the first call of a cold team, .* empty")
        self.assertIn("gemm/maxplus-f32/scalar/add@24x24x24", text)
        self.assertIn("roof/f32/scalar/add_max@registers", text)
        self.assertRegex(text, r"(?m)^gemm: 2 threads(: at no size| from \d+ operations)")
        ids = [r["id"] for r in kernels(self.load(path))]
        self.assertEqual(ids, ["gemm/maxplus-f32/scalar/add@4x4x4",
                               "gemm/maxplus-f32/scalar/add@4x4x4;threads=2",
                               "gemm/maxplus-f32/scalar/add@24x24x24",
                               "gemm/maxplus-f32/scalar/add@24x24x24;threads=2"])
        # Paired by round; one thread has nothing to be compared with.
        rows = kernels(self.load(path))
        ok = {one["id"] for one in rows if one["status"] == "ok"}
        for one in rows:
            both = {one["id"], one["id"].replace(";threads=2", "")}
            self.assertEqual("gain" in one, len(both) == 2 and both <= ok, one["id"])
            if "gain" in one:
                ends = one["gain"]["ci"] or [one["gain"]["times"]] * 2
                self.assertTrue(0 < ends[0] <= one["gain"]["times"] <= ends[1], one["gain"])
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

    def test_nowhere_to_keep_them(self):
        env = {k: v for k, v in environment().items()
               if k not in ("HOME", "XDG_CONFIG_HOME")}
        done = self.run_tool("threads", "relu", "--isa=scalar", "--sizes=64", "--threads=2",
                             *SHORT, env=env, status=2)
        self.assertIn("no place for the thresholds", done.stderr)
