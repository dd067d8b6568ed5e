# SPDX-License-Identifier: Apache-2.0
"""Kernels with a planted cause: what the table says is what the module offers, and all are
right. Whether their causes are found takes times: scripts/bench explain."""
import json

from cli_tool import MODULES, SHORT, SOURCE, Case, kernels

__all__ = ["Plants"]

MODULE = MODULES / "plants.so"
TABLE = json.loads((SOURCE / "tests/modules/plants.json").read_text(encoding="utf-8"))


class Plants(Case):
    def setUp(self):
        super().setUp()
        if not MODULE.exists():
            self.skipTest("the plants are for x86-64")

    def check(self, op, wanted, *more):
        """These kernels, and no others, are right at a small shape where they can run."""
        document = self.run_json(op, f"--plugin={MODULE}", "--isa=all", "--baseline=none",
                                 "--filter=plants:*", f"--shape={TABLE['small'][op]}", *SHORT,
                                 *more)
        found = kernels(document)
        self.assertEqual({(r["variant"], r["isa"]) for r in found},
                         {(k["name"], k["isa"]) for k in wanted})
        for result in found:
            here = result["isa"] in document["host"]["isas"]
            self.assertIn(result["status"], ("ok", "noisy") if here else ("skipped",), result)

    def test_all_are_right(self):
        for op in TABLE["small"]:
            with self.subTest(op=op):
                self.check(op, [k for k in TABLE["kernels"] if k["op"] == op], "--check=full")

    def test_two_threads_are_right(self):
        for op in "gemm", "conv":
            with self.subTest(op=op):
                two = [k for k in TABLE["kernels"] if k["op"] == op and "threads" in k]
                self.check(op, two, f"--variants={','.join(k['name'] for k in two)}",
                           "--threads=2", "--threads-threshold=off")

    def test_the_table(self):
        """Each plant has a twin that is sound and computes the same; there are enough."""
        by_name = {k["name"]: k for k in TABLE["kernels"]}
        self.assertEqual(len(by_name), len(TABLE["kernels"]))
        plants = [k for k in TABLE["kernels"] if k["cause"]]
        for plant in plants:
            twin = by_name[plant["twin"]]
            self.assertIsNone(twin["cause"], plant)
            for field in "op", "isa", "threads":
                self.assertEqual(plant.get(field), twin.get(field), plant)
        self.assertGreaterEqual(len(plants), 24)
        self.assertGreaterEqual(len(by_name) - len(plants), 6)
