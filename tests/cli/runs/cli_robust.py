# SPDX-License-Identifier: Apache-2.0
"""Kernels that misbehave, and signals."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from cli_tool import (BINARY, MODULES, PATIENCE, SHORT, SMALL, SOURCE, Case, environment, kernels,
                      measured, sanitized)

LONG = ["gemm", "--isa=scalar", "--sizes=8..512", "--baseline=none", "--time-per-case=50ms"]
HOSTILE = ["twice", f"--plugin={MODULES}/hostile.so", "--baseline=none", "--sizes=100", *SHORT]
STOPS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT


def plugin(**options):
    words = "".join(f",{name}={value}" for name, value in options.items())
    return f"--plugin={MODULES}/misbehaves.so{words}"


def session(leader):
    """The processes of a session, zombies too: {pid: state}."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader:
            found[int(path.name)] = fields[0]
    return found


def parent_and_tracer(pid):
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0, 0
    return tuple(int(re.search(rf"(?m)^{name}:\s+(\d+)", text).group(1))
                 for name in ("PPid", "TracerPid"))


def ran(pid):
    """Seconds of CPU time that a process had."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) / os.sysconf("SC_CLK_TCK")
    return 0


def pending(pid):
    """The mask of signals that a process has still to take."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"ShdPnd:\s*(\w+)", status).group(1), 16)


class Started(Case):
    """A run that goes on while the test looks at it."""

    def start(self, *arguments, **more):
        process = subprocess.Popen(
            [BINARY, *arguments], start_new_session=True,
            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
               "stdin": subprocess.DEVNULL, "env": environment(), **more})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_alone(self, leader):
        """Nothing of the session is left, but for a moment."""
        self.wait_for(lambda: not session(leader))


class Misbehaving(Started):
    def run_bad(self, how, status=0, **more):
        """No good row needs that long, on any machine; what hangs is killed after 5 s."""
        timeout = "5s" if how in ("stop", "release-hang") else "60s"
        document = self.run_json("twice", plugin(how=how, **more), "--baseline=none", *SHORT,
                                 "--sizes=100,200", f"--timeout={timeout}", status=status)
        results = kernels(document)
        self.assertEqual(len(results), 4)
        for result in results:
            if result["variant"] == "good":
                self.assertEqual(result["status"], "ok", result)
        return [r for r in results if r["variant"] == "bad"]

    def test_cases_that_fail(self):
        """Each costs its case, in every group, and the row beside it notices nothing."""
        for how, reason, more in (
                ("segv", "signal 11.*'check'", {}),
                ("abort", "signal 6.*'batch'", {"after": 20}),
                ("stack", "signal 11|Sanitizer|status", {}),
                ("exit", "exited with status 0 in 'batch'", {"after": 2}),
                ("stop", "5 s .--timeout., killed", {}),
                ("close", "worker", {}),
                ("garbage", "no JSON object in reply to 'check'", {}),
                ("forge", "'check' was not asked", {}),
                ("flood", "endless reply", {}),
                ("kill-group", "signal 9", {}),
                ("child-dies", "signal 6", {}),
                ("prepare-exit", "status 0 in 'prepare'", {})):
            with self.subTest(how=how, **more):
                for result in self.run_bad(how, 4, **more):
                    self.assertEqual(result["status"], "failed")
                    if not sanitized():
                        self.assertRegex(result["reason"], reason)

    def test_cases_that_survive(self):
        for how in "term", "release-hang":
            with self.subTest(how=how):
                for result in self.run_bad(how):
                    self.assertEqual(result["status"], "ok", result)

    def test_copy_of_a_worker(self):
        """A kernel that forks leaves none."""
        for result in self.run_bad("fork"):
            self.assertEqual(result["status"], "ok", result)

    def test_thread_is_noted(self):
        for result in self.run_bad("thread"):
            self.assertIn("2 threads alive", " ".join(result["notes"]))

    def test_what_later_calls_leave_is_noted(self):
        for how, text in (("thread", "2 threads alive"), ("rounding", "rounding"),
                          ("signals", "signal mask")):
            with self.subTest(how=how):
                notes = [note for r in self.run_bad(how, after=100) for note in r["notes"]]
                self.assertIn(text, " ".join(notes))

    def test_load_and_describe(self):
        """Without it there is nothing to run: an error that names the plug-in."""
        for how in ("load-exit", "load-garbage", "load-kill-group", "describe-hang"):
            with self.subTest(how=how):
                done = self.run_tool("twice", plugin(how=how), *SHORT, "--timeout=3s", status=2)
                self.assertIn("misbehaves.so", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_small_stack(self):
        """It grows to what is needed, or a line says why it cannot."""
        for flag, kilobytes, status in ("-s", 96, 2), ("-s", 64, 2), ("-Ss", 96, 0):
            with self.subTest(flag=flag, kilobytes=kilobytes):
                limited = ["bash", "-c", f'ulimit {flag} {kilobytes} && exec "$@"', "bash"]
                done = self.run_tool(*SMALL, before=limited, status=status)
                self.assertRegex(done.stderr, rf"^simdbench: the stack is limited to {kilobytes} kB "
                                 r"and simdbench needs \d+: ulimit -s \d+\n$" if status else "^$")

    def test_nothing_is_left(self):
        for how in ("child-dies", "hang", "kill-parent", "load-child"):
            with self.subTest(how=how):
                process = self.start("twice", plugin(how=how), "--baseline=none", *SHORT,
                                     "--timeout=3s")
                process.wait(PATIENCE)
                if how != "kill-parent":  # it may take what it forked itself along
                    self.assertGreaterEqual(process.returncode, 0)
                self.assert_alone(process.pid)

    def test_parent_is_out_of_reach(self):
        """A kernel that traces, stops or ends simdbench is refused, and goes on."""
        for act in ("attach-parent", "seize-parent", "stop-parent", "kill-parent",
                    "stop-parent-thread", "stop-parent-queue", "stop-parent-pidfd",
                    "stop-parent-proc", "stop-parent-socket", "stop-parent-group",
                    "limit-parent", "fork-attaches"):
            with self.subTest(act):
                document = self.run_json(*HOSTILE, env=environment(HOSTILE=f"run:{act}"))
                self.assertEqual({r["status"] for r in kernels(document)}, {"ok"})

    def test_nothing_is_left_of_a_trace(self):
        """A kernel forks and hangs where it is traced, and simdbench is killed meanwhile."""
        process = self.start(*HOSTILE, "--prove", "--timeout=1000s",
                             env=environment(HOSTILE="traced:fork-hang"))

        def traced_and_forked():
            found = {pid: parent_and_tracer(pid) for pid in session(process.pid)}
            return any(found.get(parent, (0, 0))[1] for parent, _ in found.values())

        self.wait_for(traced_and_forked, process)
        process.kill()
        process.wait()
        self.assert_alone(process.pid)

    def test_no_zombie_and_no_descriptor(self):
        """While one case hangs: who died before is reaped, and a worker has what it needs."""
        process = self.start("twice", plugin(how="segv"), plugin(how="hang"),
                             "--baseline=none", *SHORT, "--timeout=1000s")

        def command(pid):
            with contextlib.suppress(OSError):  # it may have ended meanwhile
                return Path(f"/proc/{pid}/cmdline").read_bytes()
            return b""

        def hangs():
            """What comes before takes a worker less CPU time."""
            return any(b"hang" in command(pid) and ran(pid) > 1
                       for pid in session(process.pid) if pid != process.pid)

        self.wait_for(hangs, process)
        states = session(process.pid)
        self.assertNotIn("Z", states.values())
        for pid in states:
            if pid != process.pid:
                opened = sorted(map(int, os.listdir(f"/proc/{pid}/fd")))
                self.assertEqual(opened, [0, 1, 2, 3, 4])
                self.assertEqual(os.readlink(f"/proc/{pid}/fd/0"), "/dev/null")


class Signals(Started):
    def stop(self, number, moment):
        """Sends a signal `moment` seconds after the start, or when a group was saved."""
        folder = self.new_folder()
        path = folder / "run.json"
        process = self.start(*LONG, f"--json={path}")
        if moment is None:
            self.wait_for(path.exists, process)
        else:
            time.sleep(moment)
        process.send_signal(number)
        status = process.wait(PATIENCE)
        self.assert_alone(process.pid)
        self.assertEqual([p for p in folder.iterdir() if p != path], [])
        document = self.load(path) if path.exists() else None
        if moment is None:
            self.assertTrue(measured(document))
        return status, document

    def test_that_ask_to_stop(self):
        for number in STOPS:
            with self.subTest(signal=number.name):
                status, document = self.stop(number, None)
                self.assertEqual(status, 128 + number)
                self.assertTrue(document["interrupted"])
                self.assertTrue(kernels(document, status="skipped", reason="interrupted"))

    def test_that_kill(self):
        for number in (signal.SIGKILL, signal.SIGSEGV):
            with self.subTest(signal=number.name):
                status, document = self.stop(number, None)
                if not sanitized():
                    self.assertEqual(status, -number)
                self.assertFalse(document["interrupted"])

    def test_at_any_moment(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for moment in (0, 0.02, 0.1):
                with self.subTest(signal=number.name, moment=moment):
                    self.assertIn(self.stop(number, moment)[0], (-number, 128 + number))

    def test_ignored_ones_stay_ignored(self):
        """As with nohup."""
        process = self.start(*SMALL[:-2], "--time-per-case=300ms",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_workers(process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_pipe_by_kill(self):
        """No reader has left, so nothing ends."""
        path = self.folder / "run.json"
        process = self.start(*LONG, f"--json={path}")
        self.wait_for(path.exists, process)
        process.send_signal(signal.SIGPIPE)
        # It is delivered before the next one, and the first that ends a run is its status.
        self.wait_for(lambda: not pending(process.pid), process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)

    def test_children_of_tests(self):
        """They begin with signals as usual, however the tests were started."""
        code = ("import signal, subprocess\n"
                f"for number in {[*map(int, STOPS)]}:\n"
                "    signal.signal(number, signal.SIG_IGN)\n"
                f"signal.pthread_sigmask(signal.SIG_BLOCK, {[*map(int, STOPS)]})\n"
                "import cli_tool\n"
                "subprocess.run(['cat', '/proc/self/status'], check=True)\n")
        text = subprocess.run([sys.executable, "-c", code], cwd=SOURCE / "tests/cli",
                              capture_output=True, text=True, check=True).stdout
        for name in ("SigBlk", "SigIgn"):
            mask = int(re.search(rf"{name}:\s*(\w+)", text).group(1), 16)
            for number in (*STOPS, signal.SIGPIPE):
                self.assertFalse(mask >> number - 1 & 1, f"{name} {number.name}")

    def test_reader_that_leaves(self):
        path = self.folder / "run.json"
        process = self.start(*LONG, f"--json={path}", stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGPIPE)
        self.assertTrue(self.load(path)["interrupted"])
        self.assert_alone(process.pid)
