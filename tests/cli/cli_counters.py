# SPDX-License-Identifier: Apache-2.0
"""What is counted, what it costs to count it, and what is said where it cannot be."""

from cli_tool import MODULES, SMALL, Case, kernels

__all__ = ["Counts", "ClockProbe"]

EVENTS = "--events=task-clock,minor-faults,cpu-migrations,cycles"
PROBE_NS = 33e3  # see PROBE_EVERY_NS in cmd/rounds.c
PROBE_EVERY_NS = 2.5e6


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

    def test_overhead_is_subtracted(self):
        """The values of a case are its raw counts without what an empty kernel counts."""
        document, _ = self.counters()
        for result in kernels(document, status="ok"):
            counter = result["counters"]["task-clock"]
            if counter["event"] == "getrusage":
                self.skipTest("perf_event is not available")
            samples = sorted(counter["samples"])
            middle = (samples[(len(samples) - 1) // 2] + samples[len(samples) // 2]) / 2
            raw = middle / result["iterations"]
            self.assertGreater(counter["overhead"], 0)
            self.assertAlmostEqual(counter["value"] / (raw - counter["overhead"]), 1, 6)

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

    def test_multiplex(self):
        """Batches are long enough to scale, and everything is counted in each of them."""
        document, found = self.counters("--multiplex")
        self.assertTrue(document["settings"]["multiplex"])
        for result in document["results"]:
            self.assertFalse(result["samples_ns"] and min(result["samples_ns"]) < 10e6)
        for counters in found:
            self.check("minor-faults", counters["minor-faults"])


class ClockProbe(Case):
    def test_probes_are_few(self):
        """Each case has one, and all together take less than 2% of the time of batches:
        counted, not timed."""
        document = self.run_json(*SMALL[:-2], "--isa=all", "--sizes=8,16", "--rounds=20")
        results = [r for r in document["results"] if r["samples_ns"]]
        probes = sum(len(r["clock"]["samples"]) for r in results)
        time = sum(sum(r["samples_ns"]) for r in results)
        # Time and probes of batches that were thrown away are not in the document; each of
        # them makes room for one probe at most.
        voided = sum(r["voided"] for r in results)
        for result in results:
            self.assertTrue(result["clock"]["samples"], result["id"])
        self.assertLessEqual(probes, max(len(results), time / PROBE_EVERY_NS) + voided + 1)
        self.assertLess((probes - voided) * PROBE_NS, 0.02 * time)
