# SPDX-License-Identifier: Apache-2.0
"""What is counted, and what is said where it cannot be."""
import json
from pathlib import Path

from cli_tool import MODULES, Case, environment, kernels

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


class Proofs(Case):
    """Events that must show what they count before anybody believes them."""

    def setUp(self):
        super().setUp()
        self.env = environment(XDG_CACHE_HOME=str(self.folder))

    def test_doctor(self):
        """Without a PMU it says so, once, and nothing is proven."""
        here = json.loads(self.run_tool("doctor", "--format=json", env=self.env).stdout)
        works = next(check["ok"] for check in here["checks"] if check["check"] == "PMU")
        status = 0 if works else 5
        found = json.loads(self.run_tool("doctor", "counters", "--format=json",
                                         env=self.env, status=status).stdout)
        self.assertEqual("slots" in found, works)
        self.assertIn("cycles", [row["event"] for row in found["events"]])
        for row in found["events"]:
            with self.subTest(event=row["event"]):
                self.assertEqual(row["verdict"] == "refused", not works)
                self.assertEqual(row["reason"] is None, row["verdict"] == "proven")
                self.assertEqual(row["loop"] is None, row["expected"] is None)
        text = self.run_tool("doctor", "counters", env=self.env, status=status).stdout
        self.assertEqual(text.count("there is no hardware PMU") <= 1, True)
        self.assertRegex(text, r"(?m)^cycles +dependent additions +100000 ")
        self.assertEqual("no PMU: " in text, not works)

    def run_events(self, *arguments):
        return self.run_json("gemm", "--isa=scalar", "--sizes=16", "--baseline=none",
                             "--rounds=6", "--events=minor-faults,cpu-migrations",
                             *arguments, env=self.env)

    def test_verdicts(self):
        """The kernel's own counters can be proven anywhere; what was is kept."""
        for result in self.run_events()["results"]:
            faults = result["counters"]["minor-faults"]
            moves = result["counters"]["cpu-migrations"]
            if "absent" in faults or "absent" in moves:
                self.skipTest(faults.get("absent") or moves["absent"])
            self.assertEqual((faults["verdict"], faults["doubt"]), ("proven", None))
            self.assertEqual((moves["verdict"], moves["doubt"]),
                             ("unproven", "no loop is known for it"))
        path = Path(self.folder) / "simdbench" / "counters.json"
        hosts = json.loads(path.read_text())["hosts"]
        (host,) = hosts.values()
        self.assertEqual({row["verdict"] for row in host["events"].values()}, {"proven"})
        # A dead event stays dead until the host boots again.
        for row in host["events"].values():
            row.update(verdict="dead", reason="opens but reads 0")
        path.write_text(json.dumps({"schema_version": 1, "hosts": hosts}))
        for result in self.run_events()["results"]:
            faults = result["counters"]["minor-faults"]
            self.assertEqual((faults["verdict"], faults["absent"]),
                             ("dead", "opens but reads 0"))

    def test_table(self):
        text = self.run_tool("gemm", "--isa=scalar", "--sizes=16", "--baseline=none",
                             "--rounds=6", "--events=cpu-migrations", env=self.env).stdout
        if "n/a" not in text:
            self.assertIn(" 0?", text)
            self.assertIn("in doubt, marked ?: cpu-migrations: no loop is known for it", text)
