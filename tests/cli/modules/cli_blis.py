# SPDX-License-Identifier: Apache-2.0
"""Baseline blis: on request alone, what it chose, and what is said where it is not."""
import ctypes

from cli_tool import SHORT, Case, environment, kernels

LIBRARY = "libblis.so.4"


def installed():
    try:
        return bool(ctypes.CDLL(LIBRARY))
    except OSError:
        return False


class Blis(Case):
    def setUp(self):
        super().setUp()
        if " blis " not in self.run_tool("list", "modules").stdout:
            self.skipTest("module blis is not built")

    def rows(self, *arguments):
        """Its results, all of them right, and the document."""
        if not installed():
            self.skipTest(f"{LIBRARY} is not installed")
        document = self.run_json("gemm", "--isa=scalar", *arguments, *SHORT)
        theirs = kernels(document, module="blis")
        self.assertTrue(theirs)
        for result in theirs:
            self.assertEqual(result["status"], "ok", result)
            self.assertTrue(result["module_version"].startswith("BLIS "), result)
            self.assertEqual(result["role"], "baseline")
        return theirs, document

    def test_rows(self):
        theirs, document = self.rows("--type=f32,f64", "--sizes=5x7x3,b3x4x9x5",
                                     "--baseline=blis")
        self.assertEqual(sorted((r["variant"], r["shape"]) for r in theirs),
                         [("dgemm", "5x7x3"), ("dgemm", "b3x4x9x5"),
                          ("sgemm", "5x7x3"), ("sgemm", "b3x4x9x5")])
        narrower = theirs[0]["module_isa"] != document["host"]["isas"][-1]
        for result in theirs:
            self.assertEqual("ran " in (result["unranked"] or ""), narrower, result)

    def test_advice_is_taken(self):
        """The narrowest is flagged, with the option that gives the widest, which is not."""
        theirs, document = self.rows("--sizes=8", "--baseline=blis,arch=generic")
        widest = document["host"]["isas"][-1]
        option = {"avx2": "arch=haswell", "avx512": "arch=skx"}.get(widest)
        if not option:
            self.skipTest("this CPU has nothing wider than sse2")
        self.assertEqual(theirs[0]["module_core"], "generic")
        self.assertEqual(theirs[0]["module_isa"], "sse2")
        self.assertIn("ran sse2", theirs[0]["unranked"])
        self.assertTrue(any(n.endswith(f"compare --baseline=blis,{option}")
                            for n in theirs[0]["notes"]), theirs[0])
        theirs, _ = self.rows("--sizes=8", f"--baseline=blis,{option}")
        self.assertEqual(theirs[0]["module_core"], option.partition("=")[2])
        self.assertEqual(theirs[0]["module_isa"], widest)
        self.assertNotIn("ran ", theirs[0]["unranked"] or "")

    def test_unknown_core(self):
        done = self.run_tool("gemm", "--sizes=8", "--baseline=blis,arch=knl", status=2)
        self.assertIn("arch=knl is none of skx, haswell", done.stderr)

    def test_on_request_alone(self):
        text = self.run_tool("gemm", "--sizes=8", "--isa=scalar", "--dry-run").stdout
        self.assertNotIn("blis:", text)

    def test_absent(self):
        (self.folder / LIBRARY).write_bytes(b"no library")
        env = environment(LD_LIBRARY_PATH=str(self.folder))
        done = self.run_tool("gemm", "--sizes=8", "--baseline=blis", status=2, env=env)
        self.assertIn("package libblis4-openmp", done.stderr)
        checks = self.run_tool("doctor", env=env).stdout
        self.assertRegex(checks, r"baseline blis .*-> sudo apt-get install libblis4-openmp")
