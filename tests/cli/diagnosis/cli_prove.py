# SPDX-License-Identifier: Apache-2.0
"""--prove: what rows execute, and that they say so."""
import platform
import re
import subprocess
import unittest

from cli_foreign import FAKE, installed
from cli_tool import (MODULES, SHORT, SMALL, Case, environment, kernels, sanitized,
                      tracing)

BITS = {"scalar": (32, 64), "sse2": (128,), "avx2": (256,), "avx512": (512,)}


class Proof(Case):
    def setUp(self):
        super().setUp()
        self.assertRegex(tracing()["value"], "exact|built without|x86-64 alone|forbids|ptrace")
        self.need_tracing()

    def prove(self, *arguments):
        document = self.run_json(*arguments, "--prove", *SHORT)
        return [r for r in kernels(document) if r["status"] == "ok"]

    def test_own_rows(self):
        """Equal twice; as wide as they say."""
        size = 8 if sanitized() else 24  # sanitizers call functions for each access
        arguments = ("gemm", "--isa=all", f"--sizes={size}", "--baseline=none", "--seed=1")
        first = self.prove(*arguments)
        again = first if sanitized() else self.prove(*arguments)
        self.assertGreater(len(first), 1)
        for one, two in zip(first, again):
            with self.subTest(one["id"]):
                proof = one["proof"]
                self.assertIsNone(proof["absent"])
                self.assertEqual(proof["mode"], "whole")
                self.assertGreater(proof["instructions"], 24)
                self.assertLess(proof["steps"], proof["instructions"])
                shares = [proof["isa"][k] for k in ("scalar", "sse", "avx", "avx512")]
                self.assertAlmostEqual(sum(shares), 1)
                self.assertEqual(two["proof"]["instructions"], proof["instructions"])
                self.assertIsNone(one["base_proof"])
                if not sanitized():
                    self.assertIsNone(proof["doubt"])
                    self.assertIn(proof["main_bits"], BITS[one["isa"]])
                    self.assertIn("simdbench", proof["modules"])

    def test_a_row_that_says_more(self):
        """A library that says avx512 and runs narrower is marked."""
        path = self.folder / "run.json"
        text = self.run_tool("third", f"--plugin={MODULES}/third.so,isa=avx512",
                             "--isa=scalar", "--sizes=1000", "--prove", *SHORT,
                             f"--json={path}").stdout
        rows = [r for r in kernels(self.load(path)) if r["isa"] == "lib"
                and r["status"] == "ok"]
        self.assertTrue(rows)
        for row in rows:
            self.assertRegex(row["proof"]["doubt"], r"^executes .*, avx512 has 512$")
        self.assertRegex(text, r"(?m)^  \S+/lib/\S+\^ ")
        self.assertRegex(text, r"(?m)^not what the row says, marked \^: executes ")
        again = self.run_tool("report", str(path)).stdout
        self.assertEqual(re.findall(r"\S+\^ ", again), re.findall(r"\S+\^ ", text))

    def test_builds(self):
        """Modules without optimisation are named in every run; what is optimised is not."""
        plants = MODULES.parent / "plants/plants.so"
        if not plants.exists() or sanitized():
            self.skipTest("the plants are for x86-64, without sanitizers")
        path = self.folder / "run.json"
        text = self.run_tool("relu", f"--plugin={plants}", "--isa=avx2", "--sizes=2048",
                             "--variants=p16,p49,max", *SHORT, f"--json={path}").stdout
        seen = {r["variant"]: r["unoptimised"] for r in kernels(self.load(path))
                if r["status"] == "ok"}
        if seen:
            self.assertRegex(seen.pop("p16"), "keep nothing in registers|says -O0")
            self.assertEqual(set(seen.values()), {None})
            self.assertIn("p49", seen)
            self.assertRegex(text, r"(?m)^  plants:relu/f32/avx2/p16\S*! ")
            self.assertRegex(text, r"(?m)^built without optimisation, marked !: its ")
            again = self.run_tool("report", str(path), "--format=markdown").stdout
            self.assertIn("built without optimisation", again)

    def test_hand_written_code(self):
        """A library in assembly uses the stack, too."""
        for row in self.prove("gemm", "--isa=scalar", "--sizes=4,16", "--baseline=openblas"):
            self.assertIsNone(row["unoptimised"], row["id"])

    def hostile(self, how, *words, status=0):
        """Row "bad" of a plug-in that behaves so."""
        module = f"{MODULES}/hostile.so"
        arguments = words or ["twice", f"--plugin={module}", "--baseline=none", *SHORT]
        document = self.run_json(*arguments, "--sizes=100", "--prove", status=status,
                                 env=environment(HOSTILE=how))
        rows = {r["variant"]: r for r in kernels(document)}
        self.assertEqual(rows["good"]["status"], "ok")
        self.assertIsNone(rows["good"]["proof"]["absent"])
        return rows["bad"]

    def test_traced_call_is_checked(self):
        """As any call is: a kernel that sees its tracer is not proved by what it does then."""
        row = self.hostile("traced:write-42", status=4)
        self.assertEqual(row["status"], "wrong")
        self.assertRegex(row["reason"], r"^its traced call is wrong: .*is 42, should be ")
        self.assertEqual(row["proof"]["absent"], row["reason"])
        module = f"{MODULES}/hostile.so"
        row = self.hostile("traced:write-42", "ab", module, module, "twice", "--processes=8",
                           "--rounds=1", "--threshold=50%", status=4)
        self.assertRegex(row["reason"], r"^(base|head): its traced call is wrong: ")
        self.assertEqual(row["comparison"]["verdict"], "UNUSABLE")

    @unittest.skipIf(sanitized(), "the time of a call has what sanitizers add")
    def test_more_than_a_core_can_do(self):
        row = self.hostile("traced:more")
        self.assertEqual(row["status"], "ok")
        self.assertRegex(row["proof"]["absent"], "^its traced call executes .* more than any core")

    def test_kernel_that_is_traced_already(self):
        """The kernel did it, and no system forbids it; the next row has a fresh process."""
        row = self.hostile("prepare:traced")
        self.assertEqual(row["proof"]["absent"], "its own code asked to be traced (PTRACE_TRACEME), "
                                                 "so nobody can trace it here")
        row = self.hostile("prepare:traced-by-child")
        self.assertRegex(row["proof"]["absent"], r"^its own code lets process \d+ trace it$")

    def test_absent(self):
        for result in self.prove(*SMALL, "--in-process"):
            self.assertEqual(result["proof"], {"absent": "a process cannot trace itself "
                                                         "(--in-process)"})
        for result in kernels(self.run_json(*SMALL)):
            self.assertIsNone(result["proof"])

    def test_foreign(self):
        if not installed("numpy"):
            self.skipTest("python3-numpy is not installed")
        rows = self.prove("gemm", "--isa=scalar", "--sizes=8", f"--baseline={FAKE}")
        for row in rows:
            self.assertEqual(row["proof"]["absent"],
                             "a foreign worker marks no calls" if row["module"] else None)

    def test_ab(self):
        module = str(MODULES / "pace.so")
        path = self.folder / "ab.json"
        self.run_tool("ab", module, str(MODULES / "pace_again.so"), "twice", "--prove",
                      "--processes=8", "--rounds=3", "--threshold=50%", f"--json={path}")
        for result in kernels(self.load(path)):
            self.assertIsNone(result["proof"]["absent"])
            self.assertIsNone(result["base_proof"]["absent"])
            self.assertGreater(result["base_proof"]["instructions"], 0)

    @unittest.skipUnless(platform.machine() == "x86_64", "spills are those of x86")
    def test_spills_of_many_turns(self):
        """A part of them is seen: the estimate breaks rules, and keeps none."""
        program = self.folder / "spills"
        subprocess.run(["cc", "-O1", "-x", "c", "-o", program, "-"], check=True, text=True, input="""
            typedef float v __attribute__((vector_size(16)));
            __attribute__((noinline)) float sum(int n)
            {
                volatile v slot = {1};
                for (int i = 0; i < n; i++) slot = slot + 1;
                return slot[0];
            }
            int main(int n, char **words) { return sum(n > 1 ? 200000 : 10) < 0; }
            """)
        for words, rule, told in (([], "spills<=2", "kept: sum: spills<=2"),
                                  (["many"], "spills<=2", "but spills is not known"),
                                  (["many"], "spills=0", "but spills is [01]")):
            done = self.run_tool("prove", f"--expect=sum: {rule}", "--", program, *words,
                                 status=0 if told.startswith("kept") else 1)
            self.assertRegex(done.stderr, told)
