# SPDX-License-Identifier: Apache-2.0
"""Kernels with a planted cause: what the tables say is what the modules offer, and all are
right. Whether their causes are found takes times: scripts/bench explain."""
import json

from cli_tool import MODULES, SHORT, SOURCE, Case, kernels


class Plants(Case):
    MODULE, PLANTS, SOUND = "plants", 24, 6

    def setUp(self):
        super().setUp()
        self.path = MODULES.parent / f"plants/{self.MODULE}.so"
        if not self.path.exists():
            self.skipTest("the plants are for x86-64")
        path, = (SOURCE / "tests/plants").glob(f"*/{self.MODULE}.json")
        self.table = json.loads(path.read_text(encoding="utf-8"))

    def check(self, op, wanted, *more):
        """These kernels, and no others, are right at a small shape where they can run. A call that is
        too short to time is checked all the same."""
        document = self.run_json(op, f"--plugin={self.path}", "--isa=all", "--type=all",
                                 "--baseline=none", f"--filter={self.MODULE}:*",
                                 f"--shape={self.table['small'][op]}", *SHORT, *more)
        found = kernels(document)
        self.assertEqual({(r["variant"], r["isa"], r["type"].split("-")[-1]) for r in found},
                         {(k["name"], k["isa"], k.get("type", "f32")) for k in wanted})
        for result in found:
            here = result["isa"] in document["host"]["isas"]
            self.assertIn(result["status"], ("ok",) if here else ("skipped",), result)

    def test_all_are_right(self):
        for op in self.table["small"]:
            with self.subTest(op=op):
                self.check(op, [k for k in self.table["kernels"] if k["op"] == op],
                           "--check=full")

    def test_two_threads_are_right(self):
        threaded = [k for k in self.table["kernels"] if "threads" in k]
        for op in {k["op"] for k in threaded}:
            with self.subTest(op=op):
                two = [k for k in threaded if k["op"] == op]
                self.check(op, two, f"--variants={','.join(k['name'] for k in two)}",
                           "--threads=2", "--threads-threshold=off")

    def test_the_table(self):
        """Each plant has a twin that is sound and computes the same; there are enough."""
        by_name = {k["name"]: k for k in self.table["kernels"]}
        self.assertEqual(len(by_name), len(self.table["kernels"]))
        plants = [k for k in self.table["kernels"] if k["cause"]]
        for plant in plants:
            twin = by_name[plant["twin"]]
            self.assertIsNone(twin["cause"], plant)
            for field in "op", "type", "isa", "threads":
                self.assertEqual(plant.get(field), twin.get(field), plant)
        self.assertGreaterEqual(len(plants), self.PLANTS)
        self.assertGreaterEqual(sum(not k["cause"] and "only" not in k
                                    for k in self.table["kernels"]), self.SOUND)


class FreshPlants(Plants):
    MODULE, PLANTS, SOUND = "fresh", 30, 10


class LastPlants(Plants):
    MODULE, PLANTS, SOUND = "last", 20, 10
