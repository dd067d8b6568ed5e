# SPDX-License-Identifier: Apache-2.0
"""`simdbench capture`: what programs ask of functions, and calls that are kept to replay them."""
import json
import subprocess
from pathlib import Path

from cli_programs import SOURCE, ProgramCase
from cli_tool import SHORT, kernels


class Captures(ProgramCase):
    def test_capture(self):
        """Sizes, callers and times of calls, and a declaration that measures them."""
        saved, path = self.folder / "sum.json", self.folder / "capture.json"
        done = self.run_tool(
            "capture", "--function=libsum:sum", f"--save={saved}", f"--json={path}",
            "--prototype=float (const float x[n], size_t n)", "--", self.program, "calls",
            "50", env=self.environment())
        self.assertEqual(done.stdout, self.alone("calls", "50").stdout)
        function = self.function(json.loads(path.read_text(encoding="utf-8")))
        self.assertEqual((function["calls"], function["calls_exact"]), (50, True))
        self.assertEqual([(s["shape"], s["calls"]) for s in function["shapes"]],
                         [("1024", 1)])
        self.assertEqual(len(function["captured"]), 50)
        for call in function["captured"]:
            self.assertEqual(call["arguments"][1], hex(1024))
            self.assertGreater(call["ns"], 0)
        self.assertEqual(function["shapes"][0].get("time") is None,
                         "no time is known" in done.stderr)
        self.assertIn("n, rsi: 1024 in 100%", done.stderr)
        self.assertRegex(done.stderr, r"called from 100% program(\+0x| \w+\+)")
        op = json.loads(saved.read_text(encoding="utf-8"))["ops"][0]
        self.assertEqual((op["name"], op["sizes"], op["kernels"]),
                         ("sum", "1024", {"lib": "sum"}))
        rows = kernels(self.run_json("call", saved, "--quiet", *SHORT))
        self.assertEqual([row["shape"] for row in rows], ["1024"])

    def test_time_of_the_cpu(self):
        """A call that waits runs for less than it lasts."""
        counted = Path("/proc/self/schedstat")
        if not counted.exists() or counted.read_text(encoding="ascii").startswith("0 "):
            self.skipTest("the system does not count how long threads run")
        call, = self.function(self.captured("pauses", functions=("pauses",)),
                              "pauses")["captured"]
        self.assertLess(call["ns"], 0.25e9)

    def test_low_addresses(self):
        """An array of a program at a fixed place has an address that is a small number."""
        fixed = self.folder / "fixed"
        subprocess.run(["gcc", "-O1", "-no-pie", "-fno-pie", "-o", fixed, SOURCE,
                        f"-L{self.built}/good", "-lsum", "-ldl", "-lpthread"], check=True)
        said = self.run_tool("capture", "--function=libsum:sum", "--prototype=float (const float "
                             "x[n], size_t n)", "--", fixed, "calls", "5",
                             env=self.environment()).stderr
        self.assertRegex(said, r"x, rdi: a pointer, a multiple of \d+ in 100%")

    def test_never_called(self):
        said = self.run_tool("capture", "--function=libsum:picky", "--", self.program, "calls",
                             "5", env=self.environment(), status=5).stderr
        self.assertIn("never called: picky\n", said)

    def replay(self, saved, prototype, *words, function="sum", kept=3, rest=""):
        """Captured calls; what the report says of those that are kept."""
        return self.run_tool(
            "capture", f"--function=libsum:{function}", f"--replay={kept}", f"--save={saved}",
            f"--prototype=float ({prototype}){rest}", "--", self.program, *words,
            env=self.environment()).stderr

    def test_replay(self):
        """The declaration measures with what the arrays held."""
        saved = self.folder / "sum.json"
        self.assertIn("operands of 3 calls are kept\n",
                      self.replay(saved, "const float x[n], size_t n"))
        document = json.loads(saved.read_text(encoding="utf-8"))
        self.assertEqual(document["ops"][0]["calls"], "./sum.calls")
        document["ops"][0]["kernels"]["lib"] = "picky"
        saved.write_text(json.dumps(document), encoding="utf-8")
        row, = kernels(self.run_json("call", saved, "--quiet", *SHORT))
        self.assertEqual(row["status"], "unchecked", row.get("reason"))
        self.assertTrue(row["id"].endswith("@1024;inputs=3"), row["id"])
        row, = kernels(self.run_json("call", saved, "--quiet", "--input=uniform", *SHORT,
                                     status=4))
        self.assertEqual(row["status"], "failed")
        document["ops"][0]["inputs"] = {"x": "uniform"}
        saved.write_text(json.dumps(document), encoding="utf-8")
        row, = kernels(self.run_json("call", saved, "--quiet", *SHORT, status=4))
        self.assertEqual(row["status"], "failed")

    def test_replay_of_many_shapes(self):
        """A dot in the name of a folder is no suffix."""
        folder = self.folder / "a.b"
        folder.mkdir()
        said = self.replay(folder / "sum", "const float x[n], size_t n", "shapes", kept=1)
        self.assertIn("operands of 64 calls are kept; for 2 calls of other shapes there was no "
                      "room (64 shapes, 64 MiB)", said)
        self.assertEqual({path.name for path in folder.iterdir()}, {"sum", "sum.calls"})

    def test_replay_of_other_calls(self):
        """Sizes that are not as the prototype says."""
        saved = self.folder / "sum.json"
        self.assertIn("operands of 0 calls are kept; 10 calls were not as the prototype says (n was 1024, "
                      "not 5)",
                      self.replay(saved, "const float x[5], size_t n = 5"))
        self.assertNotIn("calls", json.loads(saved.read_text(encoding="utf-8"))["ops"][0])

    def test_replay_of_integers(self):
        """An integer that is no size is what each kept call had, in all sets."""
        saved = self.folder / "stepped.json"
        self.assertIn("operands of 8 calls are kept, with the values of step; predictors of "
                      "branches may learn so few by heart: --replay=10 keeps more\n",
                      self.replay(saved, "const float x[n], size_t n, unsigned step = 0",
                                  "steps", function="stepped", kept=8))
        row, = kernels(self.run_json("call", saved, "--quiet", *SHORT))
        self.assertEqual(row["status"], "unchecked", row.get("reason"))
        self.assertTrue(row["id"].endswith("@1024;inputs=8"), row["id"])
        calls = saved.with_suffix(".calls")
        calls.write_bytes(calls.read_bytes().replace(b"calls 2", b"calls 1", 1))
        self.assertIn("capture --replay of this version writes it",
                      self.run_tool("call", saved, status=2).stderr)

    def test_replay_beyond_arrays(self):
        """An integer of a later call leads beyond the array of all."""
        saved = self.folder / "nth.json"
        self.assertIn("operands of 10 calls are kept, with the values of at\n",
                      self.replay(saved, "const float x[n], size_t n, unsigned at = 0",
                                  "steps", function="nth", kept=10))
        row, = kernels(self.run_json("call", saved, "--quiet", *SHORT, status=4))
        self.assertEqual(row["status"], "wrong", row)
        self.assertIn("beyond the end of x", row["reason"])

    def test_capture_one_call(self):
        """It is captured, not traced."""
        function = self.function(self.captured("calls", "1", functions=("libsum:sum",)))
        self.assertEqual([call["arguments"][1] for call in function["captured"]], [hex(1024)])

    def test_capture_nested(self):
        """Calls within a captured call, and in a handler, run as without us."""
        document = self.captured("nested", functions=("outer", "sum_sse2"))
        outer = self.function(document, "outer")
        self.assertGreaterEqual(outer["calls"], 50)
        self.assertGreater(max(call["ns"] or 0 for call in outer["captured"]), 0)

    def test_capture_calls_without_end(self):
        """Later calls are captured, of a function in which a thread ended. Those of another
        thread at that very moment may be missed: three of them."""
        leaving = self.function(self.captured("leave", functions=("leaving",)), "leaving")
        self.assertIn(leaving["calls"], range(4, 8))

    def test_capture_threads(self):
        """Calls of several threads at once are counted and go on."""
        done = self.run_tool("capture", "--function=sum", "--", self.program, "threads",
                             env=self.environment())
        self.assertEqual(done.stdout, self.alone("threads").stdout)
        self.assertIn("sum -> sum_sse2 (libsum.so): called at least", done.stderr)

    def test_replay_of_places(self):
        """A range tells its length, and a place in an array where that one begins."""
        for name, prototype, rest in (
                ("ends", "const float x[n], const float *end = x + n", " for n"),
                ("inside", "const float *middle = x + 512, unsigned n", " for const float x[n]")):
            saved = self.folder / f"{name}.json"
            said = self.replay(saved, prototype, "ranges", function=f"sum_{name}", rest=rest)
            self.assertIn("operands of 3 calls are kept", said)
            row, = kernels(self.run_json("call", saved, "--quiet", *SHORT))
            self.assertEqual(row["status"], "unchecked", row.get("reason"))
            self.assertIn("@1024", row["id"])
        said = self.replay(saved, "const float x[5], const float *end = x + 5", "ranges",
                           function="sum_ends")
        self.assertIn("(end was 4096, not 20 bytes into its array)", said)

    def test_replay_without_a_file(self):
        error = self.run_tool("capture", "--function=sum", "--replay=2", "--", "true",
                              status=2).stderr
        self.assertIn("--save=FILE.json has to say where", error)
