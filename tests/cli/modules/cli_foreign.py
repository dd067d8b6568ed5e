# SPDX-License-Identifier: Apache-2.0
"""Foreign workers: those for NumPy and PyTorch where they are installed, and a fake one
that behaves well or badly."""
import functools
import math
import re
import shutil
import subprocess
from pathlib import Path

from cli_tool import BINARY, PATIENCE, SHORT, SOURCE, Case, environment, kernels

PYTHON = "/usr/bin/python3"  # as in the first line of each baseline
FAKE = SOURCE / "tests/cli/baseline-fake"
SMALL = ["gemm", "--isa=scalar", "--sizes=8", *SHORT]


@functools.cache
def installed(module):
    code = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec('{module}'))"
    return Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", code]).returncode == 0


def results_of(document, module):
    return {r["variant"]: r for r in kernels(document, module=module)}


class Foreign(Case):
    def setUp(self):
        super().setUp()
        if not installed("numpy"):
            self.skipTest("python3-numpy is not installed")

    def fake(self, how, status, *more):
        """Its row `bad` ends with `status`; its row `good` and our own do not notice."""
        document = self.run_json(*SMALL, f"--baseline={FAKE},how={how}", *more,
                                 status=4 if status in ("wrong", "failed") else 0)
        results = results_of(document, "fake")
        self.assertEqual(results["good"]["status"], "ok", results["good"])
        self.assertIn(results["bad"]["status"], status.split(), results["bad"])
        for own in kernels(document, module=None):
            self.assertEqual(own["status"], "ok", own)
        return results["bad"]

    def refused(self, how):
        done = self.run_tool(*SMALL, f"--baseline={FAKE},how={how}", status=2)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_good(self):
        document = self.run_json(*SMALL, f"--baseline={FAKE}", "--rounds=12")
        results = results_of(document, "fake")
        self.assertTrue(results["good"]["id"].startswith("fake:gemm/maxplus-f32/lib/good@"))
        self.assertEqual(results["good"]["module_version"], "fake 1.0")
        for result in results.values():
            self.assertEqual(result["status"], "ok", result)
        for own in kernels(document, module=None, status="ok"):
            self.assertTrue(own["ratios"])

    def test_in_process(self):
        self.fake("well", "ok", "--in-process")

    def test_death(self):
        self.assertIn("signal 11", self.fake("dies", "failed")["reason"])
        self.assertIn("status 3", self.fake("exits", "failed")["reason"])

    def test_hang(self):
        reason = self.fake("hangs", "skipped", "--timeout=20s")["reason"]
        self.assertIn("its first call took more than 5 s: left out", reason)

    def test_reference(self):
        """What a library calls its reference is no opponent."""
        bad = self.fake("reference", "ok")
        self.assertEqual(bad["unranked"], "ran its reference implementation (ref:any)")

    def test_exception(self):
        self.assertEqual(self.fake("raises", "failed")["reason"], "ValueError: first line")

    def test_lies(self):
        """Times and counts that no batch can have."""
        for how, text in (("negative", "in reply to 'batch' 'ns' is -5$"),
                          ("nothing", "the clock did not advance"),
                          ("constant", "does not grow with its calls"),
                          ("huge", r"'ns' is 1e\+300$"),
                          ("counts", "'counts' has more than 10000 entries"),
                          ("note", "'note' has 100000 bytes")):
            with self.subTest(how=how):
                self.assertRegex(self.fake(how, "failed")["reason"], text)

    def test_time_longer_than_its_answer(self):
        self.assertRegex(self.fake("slow", "failed")["reason"], r"'ns' is 1e\+12: it came after")

    def test_wrong_results(self):
        for how, text in (("wrong", r"^1 of 64 checked are wrong: output\[7\]\[7\] is "),
                          ("unwritten", r"output\[0\]\[3\] is never written, should be"),
                          ("outside", "wrote outside operand 2"),
                          ("input", "wrote to an input")):
            with self.subTest(how=how):
                self.assertRegex(self.fake(how, "wrong")["reason"], text)

    def test_wrong_after_the_first_calls(self):
        for how in ("stops", "keeps"):
            with self.subTest(how=how):
                self.assertRegex(self.fake(how, "wrong")["reason"],
                                 r"^right at first, wrong after \d+ batch")

    def test_unsupported_shape(self):
        self.assertEqual(self.fake("unsupported", "skipped")["reason"],
                         "this shape is no good")

    def test_what_an_interpreter_cannot(self):
        for option, text in (("--cache=cold", "caches"), ("--pages=2m", "2 MiB pages")):
            with self.subTest(option=option):
                document = self.run_json(*SMALL, f"--baseline={FAKE}", option)
                for result in results_of(document, "fake").values():
                    self.assertEqual(result["status"], "skipped", result)
                    self.assertIn(text, result["reason"])

    def test_events(self):
        document = self.run_json(*SMALL, f"--baseline={FAKE}", "--events=page-faults,cycles")
        counters = results_of(document, "fake")["good"]["counters"]
        self.assertIn("interpreter", counters["cycles"]["absent"])
        self.assertIn("value", counters["page-faults"])

    def test_nothing_on_stdout(self):
        done = self.run_tool(*SMALL, f"--baseline={FAKE},how=prints")
        self.assertNotIn("printed by the worker", done.stdout)
        self.assertIn("printed by the worker\n", done.stderr)

    def test_what_it_prints(self):
        """It is passed on without what controls a terminal, and not endlessly."""
        done = self.run_tool(*SMALL, f"--baseline={FAKE},how=paints")
        self.assertIn(r"\x1b[31mpainted\x07xxx", done.stderr)
        self.assertNotRegex(done.stderr, r"[^\n\x20-\x7e]")
        self.assertEqual(done.stderr.count("what else it prints is left out"), 1)
        self.assertLess(len(done.stderr), 100000)

    def test_refused(self):
        self.assertRegex(self.refused("protocol"), "speaks protocol 2, not 1")
        self.assertRegex(self.refused("silent"), "without a word, with status 7: ")
        self.assertRegex(self.refused("name"), "kernel 1: op 'ge/mm' is no name")
        self.assertRegex(self.refused("variant"), "kernel 1: variant 'v+' is no name.* 256")
        self.assertRegex(self.refused("version"), "its version has 257 bytes, over 256")
        self.assertRegex(self.refused("kernels"), "'kernels' has more than 10000 entries")

    def test_no_interpreter(self):
        path = self.folder / "baseline-odd"
        path.write_text("#!/does/not/exist\n", encoding="utf-8")
        done = self.run_tool(*SMALL, f"--baseline={path}", status=2)
        self.assertIn("neither a module (.so) nor executable", done.stderr)
        path.chmod(0o755)
        done = self.run_tool(*SMALL, f"--baseline={path}", status=2)
        self.assertRegex(done.stderr, "cannot start .*baseline-odd.*interpreter")

    def measuring(self):
        """A process with a worker of ours and a foreign one, that measures."""
        process = self.long_run(f"--baseline={FAKE}", stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        return process

    def test_parent_that_dies(self):
        process = self.measuring()
        listing = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        workers = [Path(f"/proc/{pid}/stat") for pid in listing.read_text().split()]
        self.assertEqual(len(workers), 2)
        process.kill()
        process.wait(PATIENCE)

        def dead(worker):
            try:
                return worker.read_text().rsplit(")")[1].split()[0] == "Z"
            except OSError:
                return True

        for worker in workers:
            self.wait_for(lambda: dead(worker))

    def test_by_hand(self):
        done = subprocess.run([FAKE], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("simdbench OP --baseline=fake", done.stderr)


class ForeignLibraries(Case):
    """Every row on a tiny shape."""
    rows = {
        "numpy": {"relu": "1000", "tanh": "1000"},
        "torch": {"relu": "1000", "tanh": "1000", "gemm": "5x7x3",
                  "conv": "n2c16h9w9k16r3s3p1q1"},
    }

    def setUp(self):
        super().setUp()
        listing = self.run_tool("list", "ops").stdout
        self.ops = {line.split()[0] for line in listing.splitlines() if line.startswith("  ")}

    def run_rows(self, module, version):
        if not installed(module):
            self.skipTest(f"python3-{module} is not installed")
        for op, shape in self.rows[module].items():
            if op in self.ops:
                with self.subTest(op=op):
                    self.run_op(module, version, [
                        op, f"--sizes={shape}", "--type=all", f"--baseline={module}",
                        *(["--semiring=all"] if op == "gemm" else []), *SHORT])

    def run_op(self, module, version, arguments):
        document = self.run_json(*arguments)
        theirs = kernels(document, module=module)
        self.assertTrue(theirs)
        for result in theirs:
            self.assertIn(result["status"], ("ok", "noisy"), result)  # it has its own clock
            self.assertTrue(result["module_version"].startswith(version), result)
            self.assertTrue(any("interpreter" in n for n in result["notes"]), result)
        # Not those of other layouts, or without a time.
        groups = {result["group"] for result in theirs if result["status"] == "ok"}
        for own in kernels(document, module=None, status="ok"):
            if own["group"] in groups:
                self.assertTrue(any(ratio["baseline"].startswith(f"{module}:")
                                    for ratio in own["ratios"]), own)

    def test_numpy(self):
        self.run_rows("numpy", "NumPy ")

    def test_torch(self):
        self.run_rows("torch", "PyTorch ")

    def test_installed(self):
        """As `meson install` lays it out: the program finds it, and it finds its parts."""
        if not installed("numpy"):
            self.skipTest("python3-numpy is not installed")
        for name in ("baseline-numpy", "baseline_worker.py", "baseline_operands.py"):
            shutil.copy(SOURCE / "scripts" / name, self.folder)
        moved = (self.folder / "baseline-numpy").rename(self.folder / "baseline-elsewhere")
        self.run_tool(*SMALL, "--baseline=elsewhere", "--dry-run",
                      env=environment(SIMDBENCH_MODULES=str(self.folder)))
        link = self.folder / "link"
        link.symlink_to(moved)
        self.run_tool(*SMALL, f"--baseline={link}", "--dry-run")
        self.assertFalse((self.folder / "__pycache__").exists())

    def test_usual_baseline_is_no_narrow_one(self):
        """Unless it is asked for: a library may be older than the CPU."""
        (self.folder / "baseline-openblas").symlink_to(FAKE)
        alone = shutil.copy(BINARY, self.folder / "simdbench")  # it has no modules of its own
        path = self.folder / "run.json"
        for asked, name in ((), "openblas,how=wider"), (("--baseline=openblas",), "openblas"):
            with self.subTest(asked=asked):
                subprocess.run([alone, *SMALL, *asked, f"--json={path}"], check=True,
                               capture_output=True, timeout=PATIENCE,
                               env=environment(SIMDBENCH_MODULES=str(self.folder)))
                theirs = [r for r in self.load(path)["results"] if r["id"].startswith(f"{name}:")]
                self.assertEqual({r["variant"] for r in theirs}, {"good", "bad"})
                told = "openblas by itself takes core FAKE (sse2) on this CPU"
                self.assertEqual([told in r["notes"] for r in theirs], [not asked] * 2, theirs)

    def test_options(self):
        for spec, text in (("numpy,x=1", "takes no option 'x'"),
                           ("torch,capability=avx9", "known are default, avx2, avx512"),
                           ("torch,x=1", r"takes no option 'x' \(known: capability\)")):
            with self.subTest(spec=spec):
                if not installed(spec.split(",")[0]):
                    continue
                done = self.run_tool(*SMALL, f"--baseline={spec}", status=2)
                self.assertRegex(done.stderr, text)

    def test_widest_capability(self):
        """PyTorch keeps to AVX2 unless it is told: rows beside it may have AVX-512."""
        code = ("import importlib.machinery as m, os, sys; sys.path.insert(0, sys.argv[1]); "
                "torch = m.SourceFileLoader('torch', sys.argv[1] + '/baseline-torch')"
                ".load_module(); torch.cpu_has = lambda name: name in sys.argv[2]; "
                "torch.configure({}); print(os.environ.get('ATEN_CPU_CAPABILITY'))")
        for has, wanted in (("avx2 avx512", "avx512"), ("avx2", "avx2"), ("", "None")):
            said = subprocess.run([PYTHON, "-W", "ignore", "-c", code, SOURCE / "scripts", has],
                                  check=True, capture_output=True, text=True,
                                  env=environment()).stdout
            self.assertEqual(said.strip(), wanted)

    def test_too_large_for_memory(self):
        if not installed("torch"):
            self.skipTest("python3-torch is not installed")
        # It is more than all memory, as others that end make more of it available.
        memory = re.search(r"MemTotal: *(\d+)", Path("/proc/meminfo").read_text()).group(1)
        size = math.ceil((int(memory) * 1024 / 4) ** (1 / 3))
        document = self.run_json("gemm", f"--sizes={size}", "--variants=add", "--rounds=1",
                                 "--baseline=torch")
        for result in kernels(document, module="torch"):
            self.assertEqual(result["status"], "skipped")
            self.assertRegex(result["reason"],
                             r"needs a tensor of \S+ GB, over half of the \S+ GB")

    def test_missing_library(self):
        for baseline, module in (("numpy", "numpy"), ("torch", "torch"), (FAKE, "numpy")):
            with self.subTest(baseline=baseline, module=module):
                hidden = self.folder / f"{module}.py"
                hidden.write_text(
                    f"raise ModuleNotFoundError('no {module}', name='{module}')\n",
                    encoding="utf-8")
                done = self.run_tool(*SMALL, f"--baseline={baseline}", status=2,
                                     env=environment(PYTHONPATH=str(self.folder)))
                self.assertIn(f"apt-get install python3-{module}", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                hidden.unlink()
