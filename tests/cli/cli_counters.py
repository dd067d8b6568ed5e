# SPDX-License-Identifier: Apache-2.0
"""What is counted, and what is said where it cannot be."""
from cli_tool import MODULES, Case, kernels

__all__ = ["Counts"]

EVENTS = "--events=task-clock,minor-faults,cpu-migrations,cycles"


class Counts(Case):
    def counters(self, *arguments):
        document = self.run_json("gemm", "--isa=scalar", "--sizes=16", "--baseline=none",
                                 "--rounds=6", EVENTS, *arguments)
        return document, [r["counters"] for r in document["results"]]

    def check(self, name, counter):
        """Either a value with all that it takes to judge it, or the reason."""
        self.assertTrue(counter["event"])
        if "absent" in counter:
            self.assertTrue(counter["absent"], name)
            self.assertEqual(counter["errno"] > 0, bool(counter["errno_name"]), counter)
            self.assertIn(counter["fix"] or "", counter["absent"])
            return False
        self.assertIn(counter["scope"], ("user", "user and kernel", None))
        self.assertGreater(counter["running_share"], 0)
        self.assertLessEqual(counter["running_share"], 1)
        self.assertGreaterEqual(counter["overhead"], 0)
        return True

    def test_values_and_absences(self):
        document, found = self.counters()
        self.assertFalse(document["settings"]["multiplex"])
        for counters in found:
            for name in ("task-clock", "minor-faults", "cpu-migrations", "cycles"):
                self.check(name, counters[name])

    def test_threads(self):
        """A value says whose sum it is: of all threads that the library has."""
        for spare in (0, 2):
            document = self.run_json("third", f"--plugin={MODULES / 'third.so'},spare={spare}",
                                     "--isa=scalar", "--baseline=none", "--rounds=6",
                                     "--shape=1000", "--events=minor-faults", "--counters=core")
            found = [r for r in kernels(document) if r["module"]]
            self.assertTrue(found)
            for result in found:
                counter = result["counters"]["minor-faults"]
                if self.check("minor-faults", counter) and counter["samples"]:
                    self.assertEqual(counter["threads"], 1 + spare, counter)
