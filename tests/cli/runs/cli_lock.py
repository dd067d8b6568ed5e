# SPDX-License-Identifier: Apache-2.0
"""One measurement at a time on each CPU: runs that start while another one measures."""
import os
import shutil
import signal
import subprocess
import unittest

from cli_tool import BINARY, PATIENCE, SMALL, Case, environment

CPUS = sorted(os.sched_getaffinity(0))
LAST = str(CPUS[-1])


class Lock(Case):
    def setUp(self):
        super().setUp()
        self.locks = self.folder / "locks"
        self.locks.mkdir()
        self.env = environment(SIMDBENCH_LOCKS=str(self.locks))

    def start(self, *arguments, **more):
        process = subprocess.Popen([BINARY, *SMALL, *arguments], text=True, env=self.env,
                                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def hold(self):
        """A run that has the last CPU for as long as the test takes."""
        process = self.start("--rounds=100000", "--sizes=512", "--quiet", f"--cpu={LAST}")
        # It may have to wait for the run that looks.
        held = f"is measured on by another simdbench (pid {process.pid})"
        self.wait_for(lambda: held in self.tool("--wait=no", f"--cpu={LAST}").stderr, process)
        return process

    def tool(self, *arguments):
        return subprocess.run([BINARY, *SMALL, *arguments], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, env=self.env, timeout=PATIENCE)

    def test_no_wait(self):
        process = self.hold()
        busy = f"simdbench: CPU {LAST} is measured on by another simdbench (pid {process.pid})"
        done = self.tool("--wait=no", f"--cpu={LAST}")
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertEqual(done.stderr, f"{busy}: --wait=no does not wait\n")
        # It says that it waits, also if the time is over by then.
        done = self.tool("--wait=0.000001", f"--cpu={LAST}")
        self.assertEqual(done.returncode, 6)
        self.assertEqual(done.stderr.splitlines(),
                         [f"{busy}: waiting, place 1 in the queue; --wait=no does not wait",
                          f"{busy}: waited 1e-06 s (--wait)"])
        self.assertEqual(self.tool(f"--cpu={LAST}", "--dry-run").returncode, 0)

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_another_cpu(self):
        self.hold()
        document = self.run_json(*SMALL, "--wait=5", env=self.env)
        cpu = document["settings"]["cpu_measured"]
        self.assertIn(int(cpu), CPUS)
        self.assertNotEqual(cpu, LAST)
        self.assertIs(document["settings"]["cpu_locked"], True)
        text = self.run_tool("report", self.folder / "run.json").stdout
        self.assertIn(f", measured on CPU {cpu}, fingerprint ", text)
        self.assertIn(f", scheduled {document['settings']['scheduled']}\n", text)

    def test_all_commands(self):
        self.hold()
        pace = str(BINARY.parent / "tests/modules/pace.so")
        for words in (["license", "--quick"], ["all"], ["threads", "gemm"],
                      ["selftest", "--gates=1"], ["ab", BINARY, BINARY, "gemm"],
                      ["tanh", "--accuracy"], ["gemm", "--in-process", "--plugin", pace]):
            cpu = [f"--cpu={','.join(map(str, CPUS))}"]
            with self.subTest(words=words):
                done = subprocess.run([BINARY, *words, *cpu, "--wait=no"], text=True,
                                      capture_output=True, env=self.env, timeout=PATIENCE)
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertIn(f"CPU {LAST} is measured on by", done.stderr)

    def test_modules_are_loaded_before_the_queue(self):
        """And bound at once: nobody waits for what cannot work, or plans it."""
        self.hold()
        module = str(BINARY.parent / "tests/modules/undefined.so")
        case = "undefined:twice/f32/scalar/good@64"
        for words in (["explain", case], ["explain", "twice/f32/scalar/good@64"],
                      ["explain", "twice"], ["twice"]):
            for more in ("--wait=no", "--dry-run"):
                with self.subTest(words=words, more=more):
                    done = subprocess.run(
                        [BINARY, *words, f"--plugin={module}", f"--cpu={LAST}", more],
                        text=True, capture_output=True, env=self.env, timeout=PATIENCE)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn("undefined symbol: nobody_defines_this", done.stderr)
        done = subprocess.run([BINARY, "ab", module, module, "--wait=no", f"--cpu={LAST}"],
                              text=True, capture_output=True, env=self.env, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("undefined symbol: nobody_defines_this", done.stderr)

    def expect_place(self, run, place):
        """It tells each place that it has; one before may just be leaving."""
        lines = []
        while len(lines) < 3 and not any(f"place {place} in the queue" in x for x in lines):
            lines.append(run.stderr.readline())
        self.assertIn(f"waiting, place {place} in the queue", lines[-1])

    def test_waits(self):
        """The lock of a run that is killed is free, and who waits first comes first."""
        holder = self.hold()
        runs = []
        for place in 1, 2:
            run = self.start(f"--cpu={LAST}", stderr=subprocess.PIPE)
            self.expect_place(run, place)
            runs.append(run)
        runs[0].send_signal(signal.SIGINT)
        self.assertEqual(runs[0].wait(PATIENCE), 130)
        self.expect_place(runs[1], 1)
        holder.kill()
        self.assertEqual(runs[1].wait(PATIENCE), 0)
        for run in runs:
            run.stderr.close()

    def test_no_locks(self):
        """Measuring goes on where there can be none, and says so."""
        missing = environment(SIMDBENCH_LOCKS=str(self.folder / "none"))
        document = self.run_json(*SMALL, env=missing)
        self.assertIs(document["settings"]["cpu_locked"], False)
        self.assertIn("not locked against other runs: ", self.run_tool(*SMALL, env=missing).stderr)
        self.assertEqual(self.run_tool(*SMALL, "--quiet", env=missing).stderr, "")
        self.assertEqual(self.run_tool(*SMALL, env=environment(SIMDBENCH_LOCKS="")).stderr, "")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root")
    def test_other_users(self):
        """A folder as /run/lock is: files of one user are locked by another."""
        self.folder.chmod(0o755)
        self.locks.chmod(0o1777)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        self.run_tool(*SMALL, before=nobody, env=self.env)
        file = self.locks / "simdbench-cpus.lock"
        self.assertEqual(file.stat().st_uid, 65534)
        self.assertEqual(file.stat().st_mode & 0o777, 0o666)
        self.hold()
        done = self.run_tool(*SMALL, f"--cpu={LAST}", "--wait=no", before=nobody, status=6,
                             env={**self.env, "HOME": "/nonexistent"})
        self.assertIn(f"CPU {LAST} is measured on by another simdbench (pid ", done.stderr)

    def test_times(self):
        self.assertIn("--wait=soon: ", self.run_tool(*SMALL, "--wait=soon", status=2).stderr)
        self.assertIn("--wait=-1: ", self.run_tool(*SMALL, "--wait=-1", status=2).stderr)
