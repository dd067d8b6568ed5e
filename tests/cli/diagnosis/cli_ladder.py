# SPDX-License-Identifier: Apache-2.0
"""roof --ladder, and figures."""
import json
import re
import shutil
import xml.etree.ElementTree as ElementTree

from cli_tool import SHORT, SMALL, Case, environment, kernels, sanitized

KINDS = ["load", "read", "write", "copy"]


class Ladder(Case):
    def test_plan(self):
        """All levels, kinds and sets; rungs are apart for one and several threads."""
        text = self.run_tool("roof", "--ladder", "--threads=1,2", "--dry-run").stdout
        for kind in KINDS:
            self.assertRegex(text, rf"roof/f32/scalar/{kind}@\d+x\d+\n")
            self.assertRegex(text, rf"roof/f32/scalar/{kind}@\d+x\d+;threads=2")
        self.assertIn("roof/f32/scalar/add_max@registers", text)
        self.assertNotIn("copy_stream", text)
        sizes = [int(size) for size in re.findall(r"(?m)^group \d+: roof f32 (\d+)", text)]
        self.assertEqual(sizes, sorted(sizes))
        self.assertGreater(sizes[-1], 64 * sizes[0])
        text = self.run_tool("roof", "--ladder", "--threads=1", "--isa=scalar",
                             "--variants=streams", "--dry-run").stdout
        self.assertNotIn("threads", text)
        self.assertEqual(set(re.findall(r"roof/f32/(\S+)@", text)), {"scalar/streams"})

    def test_run(self):
        path = self.folder / "run.json"
        done = self.run_tool("roof", "--ladder", "--isa=scalar", "--threads=1",
                             "--sizes=registers,4096x16,8192x8", *SHORT, f"--json={path}")
        document = self.load(path)
        rungs = {(r["rung"]["kind"], r["shape"]): r["rung"] for r in kernels(document)
                 if "rung" in r}
        if ("copy", "4096x16") not in rungs:
            self.skipTest("this machine does not tell its caches")
        self.assertEqual(rungs["copy", "4096x16"]["working_set"], 8192)
        self.assertEqual(rungs["load", "4096x16"]["working_set"], 4096)
        self.assertEqual(rungs["add_max", "registers"]["level"], "registers")
        for (kind, shape), rung in rungs.items():
            self.assertIn(rung["level"], ["registers", "L1", "L2"], (kind, shape))
        self.assertRegex(done.stdout, r"(?m)^scalar f32, 1 thread$")
        self.assertRegex(done.stdout, r"(?m)^    buffer  level( +\w+){4}$")
        self.assertRegex(done.stdout, r"(?m)^     4 KiB  L1 ( +([\d.]+ \([\d.]+\)|\w+)){4}$")
        self.assertEqual(self.run_tool("report", path).stdout, done.stdout)
        again = json.loads(self.run_tool("report", path, "--format=json").stdout)
        self.assertEqual([r.get("rung") for r in again["results"]],
                         [r.get("rung") for r in document["results"]])

    def test_noisy_rungs_keep_their_value(self):
        path = self.folder / "run.json"
        self.run_tool("roof", "--ladder", "--isa=scalar", "--threads=1", "--variants=load",
                      "--sizes=4096x16", *SHORT, f"--json={path}")
        document = self.load(path)
        for result in kernels(document):
            if "rung" not in result or not result["summary"]:
                self.skipTest("no rung was measured")
            result.update(status="noisy", reason="made up")
        path.write_text(json.dumps(document), encoding="utf-8")
        self.assertRegex(self.run_tool("report", path).stdout,
                         r"(?m)^     4 KiB  L1 +[\d.]+ noisy$")
        self.assertRegex(self.on_terminal("report", path),
                         rb"\n     4 KiB  L1 +\x1b\[2m[\d.]+ noisy\x1b\[0m\r\n")

    def test_loads(self):
        """A load-only kernel loads every vector, as wide as it says, in each pass."""
        done = self.run_json("roof", "--isa=all", "--variants=load", "--prove",
                             "--sizes=8192,8192x4", *SHORT)
        proofs = {r["id"]: r["proof"] for r in kernels(done)
                  if r["status"] == "ok" and r["proof"]["absent"] is None}
        widths = {"scalar": 8, "sse2": 16, "avx2": 32, "avx512": 64, "neon": 32}
        for name, proof in proofs.items():
            loads = 8192 // widths[name.split("/")[2]] * (4 if "x4" in name else 1)
            with self.subTest(name):
                self.assertGreaterEqual(proof["instructions"], loads)
                # The rest of a pass; sanitizers add theirs to each.
                if not sanitized():
                    self.assertLess(proof["instructions"], 2 * loads + 400)

    def test_mistakes(self):
        done = self.run_tool("gemm", "--ladder", status=2)
        self.assertIn("--ladder is for roof", done.stderr)
        for bad in ("8x", "8x0", "12", "8x8x8"):
            self.assertIn(bad, self.run_tool("roof", f"--shape={bad}", status=2).stderr)


class Figure(Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "run.json"
        self.run_tool(*SMALL, f"--json={self.path}")

    def test_script(self):
        text = self.run_tool("report", self.path, "--format=gnuplot").stdout
        self.assertIn("set terminal svg", text)
        self.assertTrue(text.endswith("unset multiplot\n"))

    def test_svg(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        figure = self.folder / "it's a figure.svg"
        self.run_tool("report", self.path, f"--format=svg:{figure}")
        root = ElementTree.fromstring(figure.read_text(encoding="utf-8"))
        self.assertTrue(root.tag.endswith("svg"))
        self.assertIn("gemm", figure.read_text(encoding="utf-8"))
        printed = self.run_tool("report", self.path, "--format=svg").stdout
        self.assertIn("<svg", printed)

    def test_without_gnuplot(self):
        figure = self.folder / "run.svg"
        figure.write_text("precious")
        done = self.run_tool("report", self.path, f"--format=svg:{figure}", status=2,
                             env=environment(PATH=str(self.folder)))
        self.assertIn("gnuplot-nox", done.stderr)
        self.assertEqual(figure.read_text(), "precious")


class Streams(Case):
    """A page's roofline has slopes of memory, where the operands of its cases lie."""

    def plan(self, *arguments):
        return self.run_tool("gemm", "--isa=all", "--sizes=16,64", "--baseline=none",
                             "--dry-run", *arguments).stdout

    def test_a_page_has_a_stream_for_each_group(self):
        self.assertNotIn("/load@", self.plan())
        for arguments in (("--format=html",), (f"--format=html:{self.folder}/run.html",)):
            text = self.plan(*arguments)
            widest = re.findall(r"gemm/maxplus-f32/(\w+)/", text)[-1]
            self.assertEqual(re.findall(r"roof/f32/(\w+)/load@(\d+)", text),
                             [(widest, "3072"), (widest, "49152")])
