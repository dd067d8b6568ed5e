# SPDX-License-Identifier: Apache-2.0
"""--gate-code: builds whose code is worse, and equal ones."""
import json

from cli_tool import MODULES, SHORT, Case, sanitized

# Times decide nothing here.
QUICK = ["--processes=8", "--rounds=1", "--threshold=100%", "--quiet"]
CASE = "gemm/maxplus-f32/avx2/tile@48x48x48"
WORSE = {"tile_spills": {"spills", "reloads"}, "tile_calls": {"calls"},
         "tile_narrow": {"width", "isa"}}


class GateOfCode(Case):
    def setUp(self):
        super().setUp()
        if not (MODULES / "tile.so").exists():
            self.skipTest("modules of tiles are for x86-64")
        if sanitized():
            self.skipTest("what sanitizers add takes too many steps")
        self.need_tracing()

    def ab(self, head, *more, **options):
        arguments = ["ab", MODULES / "tile.so", MODULES / f"{head}.so", "gemm", "--sizes=48",
                     "--filter=*/tile@*", *QUICK, *more]
        return self.run_tool(*arguments, **options)

    def test_equal_code(self):
        path = self.folder / "ab.json"
        shown = self.ab("tile_again", "--gate-code", f"--json={path}").stdout
        result, = (r for r in self.load(path)["results"] if r["comparison"])
        code = result["comparison"]["code"]
        self.assertEqual((code["verdict"], code["reason"], code["shape"], code["faults"]),
                         ("NO WORSE", None, "48x48x48", []))
        self.assertEqual(code["base_instructions"], code["head_instructions"])
        self.assertIn("code: 1 of 1 case judged by all instructions of a call, 0 worse", shown)

    def test_worse_code(self):
        path, junit = self.folder / "ab.json", self.folder / "ab.xml"
        for head, expected in WORSE.items():
            with self.subTest(head):
                done = self.ab(head, "--gate-code", "--format=annotations",
                               f"--json={path}", f"--format=junit:{junit}", status=1)
                result, = (r for r in self.load(path)["results"] if r["comparison"])
                code = result["comparison"]["code"]
                self.assertEqual(code["verdict"], "WORSE")
                self.assertLessEqual(expected, {fault["what"] for fault in code["faults"]})
                for fault in code["faults"]:
                    self.assertIn(f"{head}.so", fault["where"])
                    self.assertIn(", before ", fault["text"])
                    self.assertIn(fault["text"], junit.read_text(encoding="utf-8"))
                self.assertRegex(done.stdout, rf"(?m)^::error title=[A-Z ]+ {CASE}::.*"
                                              rf"; code at \S+: .* before .* in {head}\.so ")
                again = self.run_tool("report", path).stdout
                self.assertIn(f"CODE IS WORSE: 1 of 1 case: {CASE}\n", again)
                self.assertIn(code["faults"][0]["text"].split(",")[0], again)

    def test_nobody_asked(self):
        path = self.folder / "ab.json"
        self.ab("tile_again", "--prove", f"--json={path}")
        result, = (r for r in self.load(path)["results"] if r["comparison"])
        self.assertIsNone(result["comparison"]["code"])

    def run_of(self, name, *more):
        path = self.folder / f"{name}.json"
        self.run_tool("gemm", f"--plugin={MODULES / name}.so", "--sizes=48", "--baseline=none",
                      "--filter=*/tile@*", "--isa=avx2", *SHORT, f"--json={path}", *more)
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(f"{name}:gemm", "tile:gemm"), encoding="utf-8")
        return path

    def run_elsewhere(self, name, *more):
        """As if on another machine: its times are not judged."""
        path = self.run_of(name, *more)
        document = json.loads(path.read_text(encoding="utf-8"))
        document["host"]["fingerprint"] = "0123456789abcdef"
        document["host"]["identity"]["cpu"] = document["host"]["cpu"] = "another one"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def test_stored_runs(self):
        compare = ("compare", self.run_elsewhere("tile", "--prove", "--seed=1"))
        again = self.run_of("tile_again", "--prove", "--seed=2")
        shown = self.run_tool(*compare, again, "--gate-code").stdout
        self.assertIn("code: 1 of 1 case judged by all instructions of a call, 0 worse; "
                      "instructions for an operation change by +0.00%", shown)
        for head in WORSE:
            with self.subTest(head):
                path = self.run_of(head, "--prove")
                shown = self.run_tool(*compare, path, "--gate-code", status=1).stdout
                self.assertIn("CODE IS WORSE: 1 of 1 case", shown)
                self.assertIn("times were not judged", shown)
        self.assertNotIn("CODE", self.run_tool(*compare, path).stdout)

    def test_not_judged(self):
        base, head = self.run_elsewhere("tile"), self.run_of("tile_spills", "--prove")
        shown = self.run_tool("compare", base, head, "--gate-code").stdout
        self.assertIn("code: 0 of 1 case judged", shown)
        self.assertIn("code not judged: base: nothing was traced (--prove) ", shown)
        self.assertNotIn("CODE IS WORSE", shown)
