# SPDX-License-Identifier: Apache-2.0
"""Real runs: their JSON, their reports, and how they end."""
import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

from cli_tool import (BINARY, PATIENCE, QEMU, SHORT, SMALL, Case, environment, kernels, measured, sanitized)


class Run(Case):
    def test_the_answer_names_a_command_that_works(self):
        text = self.run_tool("gemm", "--isa=scalar", "--variants=add", "--sizes=8,16",
                             "--baseline=none", *SHORT,
                             env=environment(SIMDBENCH_TEST_CLOCK="1,add=10")).stdout
        command = re.search(r"Why: simdbench (.*)$", text.splitlines()[-1])
        self.assertTrue(command, text)
        plan = self.run_tool(*shlex.split(command[1]), "--dry-run").stdout
        self.assertIn("gemm/maxplus-f32/scalar/add@", plan)

    def test_reports(self):
        """One run: its document, and that saved and live texts are the same."""
        path, markdown = self.folder / "run.json", self.folder / "run.md"
        live = self.run_tool("gemm", "--isa=auto", "--sizes=8,16", *SHORT,
                             f"--json={path}", f"--markdown={markdown}").stdout
        document = self.load(path)
        self.assertTrue(measured(document))
        for result in document["results"]:
            self.assertEqual(result["status"], "ok", result)
            if result["status"] == "ok":
                self.assertGreaterEqual(len(result["samples_ns"]), 6)
                self.assertGreater(result["iterations"], 0)
                self.assertGreater(result["summary"]["median_ns"], 0)
        for result in kernels(document, status="ok", module=None):
            self.assertGreater(result["limit"]["share"], 0)
            self.assertIn("page-faults", result["counters"])

        def report(form):
            return self.run_tool("report", path, f"--format={form}").stdout

        self.assertEqual(report("table"), live)
        self.assertEqual(report("markdown"), markdown.read_text(encoding="utf-8"))
        self.assertEqual(json.loads(report("json")), document)
        rows = list(csv.DictReader(io.StringIO(report("csv"))))
        self.assertEqual([r["id"] for r in rows], [r["id"] for r in document["results"]])
        columns = {line.count("|") for line in report("markdown").splitlines()
                   if line.startswith("|")}
        self.assertEqual(len(columns), 1, "a Markdown table with ragged rows")

    def test_format_json(self):
        live = self.run_tool(*SMALL, "--format=json").stdout
        self.assertEqual(json.loads(live)["schema_version"], 1)

    def test_every_kernel_is_right(self):
        document = self.run_json("gemm", "--isa=all", "--type=f32,f64", "--check=full",
                                 "--semiring=maxplus,minplus,maxtimes", "--sizes=17x5x33",
                                 "--baseline=none", *SHORT)
        self.assertEqual({r["status"] for r in kernels(document)} -
                         {"ok", "skipped"}, set())

    def test_limit_of_what_auto_chose(self):
        """Any row may be the fastest here and now; only stream passes the caches by."""
        document = self.run_json("relu", "--isa=sse2,avx2", "--variants=auto", "--baseline=none",
                                 "--sizes=1000,4Mi", "--layout=separate", *SHORT)
        for result in measured(document):
            chosen = result["implementation"].split(":")[0]
            roof = "copy_stream" if chosen == "stream" else "copy"
            self.assertIn(f"/{result['isa']}/{roof}@", result["limit"]["id"])

    def test_too_short_to_time(self):
        """Nothing to do takes no longer than the loop."""
        if sanitized():
            self.skipTest("its calls are longer")
        document = self.run_json("relu", "--isa=scalar", "--variants=max", "--sizes=0,1000",
                                 "--baseline=none", *SHORT)
        empty, full = kernels(document, layout="separate")
        self.assertEqual(full["status"], "ok")
        self.assertEqual((empty["status"], empty["limit"]), ("short", None), empty)

    def test_quiet(self):
        self.assertEqual(self.run_tool(*SMALL, "--quiet").stderr, "")


class Counters(Case):
    def test_groups(self):
        """With a PMU or without: no failure, one reason, and what needs no PMU."""
        path = self.folder / "run.json"
        done = self.run_tool(*SMALL, "--counters=core,cache,license", f"--json={path}")
        document = self.load(path)
        pmu = document["host"]["pmu"]
        self.assertEqual(done.stdout.count("no PMU:"), 1 if pmu["reason"] else 0)
        if pmu["reason"]:
            self.assertEqual(done.stdout.count(pmu["reason"][:40]), 1, done.stdout)
        for result in kernels(document, status="ok"):
            self.assertIn("cycles", result["counters"])
            self.assertFalse(result["counters"]["cycles"]["asked"])
            metrics = result["metrics"]
            for name in ("probe clock", "cycles per element", "page faults",
                         "context switches"):
                self.assertTrue(metrics[name]["asked"])
                self.assertIn(name, done.stdout)
            cycles = result["clock"]["ghz"] * result["summary"]["median_ns"]
            self.assertAlmostEqual(metrics["cycles per element"]["value"],
                                   cycles / result["work"]["ops"], delta=1e-9 * cycles)
            counted = "value" in result["counters"]["instructions"]
            self.assertEqual("instructions" in metrics, counted, result)
        self.assertEqual(self.run_tool("report", path).stdout, done.stdout)

    def test_notes(self):
        """What this CPU lacks is said once, and not to who wants no hints."""
        quiet = self.run_tool(*SMALL, "--counters=all", "--dry-run", "--quiet")
        self.assertEqual(quiet.stderr, "")
        told = self.run_tool(*SMALL, "--counters=all,license", "--dry-run").stderr
        lines = [line for line in told.splitlines() if "counters: license:" in line]
        listed = self.run_tool("list", "groups", "license").stdout
        self.assertEqual(len(lines), 1 if "note:" in listed else 0, told)

    def test_list_groups(self):
        text = self.run_tool("list", "groups", "--uarch=icx").stdout
        for words in ("Ice Lake", "0x2028", "CORE_POWER.LVL2_TURBO_LICENSE",
                      "IPC = instructions / cycles", "cycles per element"):
            self.assertIn(words, text)
        self.assertIn("no licence events",
                      self.run_tool("list", "groups", "license", "--uarch=spr").stdout)


class Merged(Case):
    def test_report_of_two_files(self):
        ours, theirs, both = (self.folder / f"{n}.json" for n in ("ours", "theirs", "both"))
        self.run_tool(*SMALL, f"--json={ours}")
        self.run_tool(*SMALL, "--sizes=16", f"--json={theirs}")
        text = self.run_tool("report", ours, theirs, f"--json={both}").stdout
        self.assertIn("theirs.json", text)
        document = self.load(both)
        self.assertEqual([(r["source"], r["shape"]) for r in kernels(document)],
                         [(None, "8x8x8"), ("theirs.json", "8x8x8"),
                          ("theirs.json", "16x16x16")])
        for result in kernels(document, source=None, status="ok"):
            self.assertEqual([r["unpaired"] for r in result["ratios"]], [True])

    def test_any_bad_file_is_named(self):
        good, bad = self.folder / "good.json", self.folder / "bad.json"
        self.run_tool(*SMALL, f"--json={good}")
        bad.write_text("{}")
        for files in ((good, bad), (bad, good), (good, self.folder / "bad.json/x")):
            done = self.run_tool("report", *files, status=2)
            self.assertIn("bad.json", done.stderr)
            self.assertEqual(done.stdout, "")


class Terminal(Case):
    def test_colour(self):
        self.assertIn(b"\x1b[", self.on_terminal(*SMALL))

    def test_no_color(self):
        self.assertNotIn(b"\x1b[", self.on_terminal(*SMALL, NO_COLOR="1"))

    def test_narrow_progress(self):
        """A line that is longer than the terminal could not be written over."""
        text = self.on_terminal(*SMALL, stream="stderr", width=20)
        shown = re.findall(rb"\r\x1b\[K(\[1/1\][^\r\n]*)", text)
        self.assertTrue(shown, text)
        self.assertLess(max(map(len, shown)), 20, text)

    def test_pipe(self):
        done = self.run_tool(*SMALL, env=environment(TERM="xterm"))
        self.assertNotIn("\x1b", done.stdout)
        self.assertNotIn("\x1b", done.stderr)

    def test_reader_that_leaves(self):
        process = subprocess.Popen([BINARY, "gemm", "--help"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        process.stdout.close()
        process.stderr.read()
        process.stderr.close()
        self.assertIsNotNone(process.wait(PATIENCE))


class Interrupt(Case):
    def test_interrupt_of_all(self):
        """As a terminal does it: workers get the signal too."""
        path = self.folder / "run.json"
        process = self.long_run("--baseline=none")
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)
        document = self.load(path)
        self.assertTrue(measured(document))
        shapes = {r["shape"] for r in measured(document)}
        self.assertNotIn("512x512x512", shapes)
        self.assertEqual(list(self.folder.iterdir()), [path])
        self.run_tool("report", path)


def old_cpu(case, name="Nehalem"):
    if not QEMU:
        case.skipTest("qemu-user is not installed")
    if sanitized():
        case.skipTest("sanitizers do not run in an emulator")
    return [QEMU, "-cpu", name]


class MissingIsa(Case):
    def test_nothing_to_measure(self):
        has = re.search(r"^flags.*\bavx512f\b", Path("/proc/cpuinfo").read_text(), re.M)
        before = old_cpu(self) if has else []
        done = self.run_tool("gemm", "--isa=avx512", "--sizes=8", "--baseline=none", *SHORT,
                             "--in-process", f"--json={self.folder}/run.json",
                             "--isa-fallback=off", before=before, status=5)
        document = self.load(self.folder / "run.json")
        self.assertEqual(document["settings"]["isa_fallback"], "off")
        self.assertNotIn("isa_measured", document["settings"])
        self.assertNotIn("instead", done.stdout + done.stderr)
        self.assertIn("avx512", (done.stdout + done.stderr).lower())
        for result in document["results"]:
            self.assertEqual(result["status"], "skipped")
            self.assertRegex(result["reason"].lower(), "avx-?512")


class OldCpu(Case):
    def test_isas_are_skipped(self):
        """On an emulated CPU without AVX all that can run runs, and nothing else is tried."""
        document = self.run_json("gemm", "--in-process", "--isa=all", "--sizes=16", *SHORT,
                                 before=old_cpu(self))
        self.assertEqual(document["host"]["isas"], ["scalar", "sse2"])
        for isa, status in (("scalar", "ok"), ("sse2", "ok"),
                            ("avx2", "skipped"), ("avx512", "skipped")):
            results = kernels(document, isa=isa, module=None)
            self.assertTrue(results, isa)
            for result in results:
                self.assertEqual(result["status"], status, result)
                self.assertTrue(status == "ok" or result["reason"])

    def test_the_widest_is_measured_instead(self):
        for cpu, isa in (("Haswell", "avx2"), ("Nehalem", "sse2")):
            with self.subTest(cpu=cpu):
                before = old_cpu(self, cpu)
                arguments = ("gemm", "--in-process", "--isa=avx512", "--sizes=8", *SHORT)
                why = f"this CPU has no AVX-512: measured {isa}, its widest, instead"
                done = self.run_tool(*arguments, f"--json={self.folder}/run.json",
                                     before=before)
                self.assertEqual(done.stderr.count(f"simdbench: {why}\n"), 1, done.stderr)
                self.assertEqual(done.stdout.count(f"note: {why} (gemm/maxplus-f32/{isa}/"), 1)
                document = self.load(self.folder / "run.json")
                settings = document["settings"]
                self.assertEqual((settings["isa"], settings["isa_fallback"],
                                  settings["isa_measured"]), ("avx512", "on", isa))
                own = kernels(document, module=None)
                self.assertEqual({r["isa"] for r in own}, {"avx512", isa})
                for result in own:
                    there = result["isa"] == isa
                    self.assertEqual(result["status"], "ok" if there else "skipped")
                    self.assertEqual(why in result["notes"], there)
                done = self.run_tool(*arguments, "--dry-run", before=before)
                self.assertIn(why, done.stderr)
                self.assertRegex(done.stdout, f"gemm/maxplus-f32/{isa}/add@8x8x8\n")
                done = self.run_tool("threads", *arguments, "--threads=2", "--dry-run",
                                     before=before)
                self.assertIn(why, done.stderr)

    def test_a_core_of_the_environment(self):
        """A core that this CPU lacks ends no run: OpenBLAS would die of it."""
        done = self.run_tool("gemm", "--in-process", "--isa=sse2", "--sizes=8", *SHORT,
                             before=old_cpu(self),
                             env=environment(OPENBLAS_CORETYPE="Haswell"))
        self.assertIn("OPENBLAS_CORETYPE=Haswell needs avx2, which this CPU lacks",
                      done.stderr)
        self.assertIn("gemm/maxplus-f32/sse2/add@8x8x8", done.stdout)
