# SPDX-License-Identifier: Apache-2.0
"""scripts/quiet.sh on trees of files in place of /sys and /proc, and simdbench doctor."""
import json
import os
import shutil
import signal
import subprocess
import unittest

from cli_tool import PATIENCE, SOURCE, Case, environment

SCRIPT = SOURCE / "scripts/quiet.sh"
CPU = "sys/devices/system/cpu"
NOISY = {
    f"{CPU}/smt/control": "on",
    f"{CPU}/intel_pstate/no_turbo": "0",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "schedutil",
    f"{CPU}/cpu0/cpufreq/energy_performance_preference": "balance_power",
    "proc/sys/kernel/nmi_watchdog": "1",
    "proc/sys/kernel/randomize_va_space": "2",
}
QUIET = {
    f"{CPU}/smt/control": "off",
    f"{CPU}/intel_pstate/no_turbo": "1",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu0/cpufreq/energy_performance_preference": "performance",
    "proc/sys/kernel/nmi_watchdog": "0",
    "proc/sys/kernel/randomize_va_space": "0",
}
# Says that it runs, then notes each signal and ends at the third kind of them.
LISTENER = """
trap 'echo INT >>signals; exit 41' INT
trap 'echo TERM >>signals; exit 42' TERM
trap 'echo HUP >>signals; exit 43' HUP
cp -r "$0" during; : >ready
while :; do sleep 0.05; done
"""


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Quiet(Case):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.tree = self.folder / "tree"
        # Without setarch the tree's randomize_va_space is used.
        stub = self.folder / "bin/setarch"
        stub.parent.mkdir()
        stub.write_text("#!/bin/sh\nexit 1\n")
        stub.chmod(0o755)
        self.env = environment(PATH=f"{stub.parent}:{os.environ['PATH']}")

    def plant(self, files):
        for path, text in files.items():
            path = self.tree / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")

    def read(self, top=None):
        top = top or self.tree
        return {str(p.relative_to(top)): p.read_text().strip()
                for p in top.rglob("*") if p.is_file()}

    def quiet(self, *arguments, status=0, script=SCRIPT, **more):
        done = subprocess.run([script, f"--root={self.tree}", *arguments], text=True,
                              capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              cwd=self.folder, **{"env": self.env, **more})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def start(self, *command):
        return subprocess.Popen([SCRIPT, f"--root={self.tree}", "--smt-off", *command],
                                cwd=self.folder, env=self.env, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, text=True)

    def test_sets_and_restores(self):
        self.plant(NOISY)
        done = self.quiet("--smt-off", "cp", "-r", self.tree, "during")
        self.assertEqual(self.read(self.folder / "during"), QUIET)
        self.assertEqual(self.read(), NOISY)
        self.assertEqual(done.stderr, "quiet: put back: 7\n")

    def test_smt_stays_unless_asked(self):
        self.plant(NOISY)
        self.quiet("cp", "-r", self.tree, "during")
        during = self.read(self.folder / "during")
        self.assertEqual(during, {**QUIET, f"{CPU}/smt/control": "on"})

    def test_boost(self):
        self.plant({f"{CPU}/cpufreq/boost": "1"})
        self.quiet("cp", "-r", self.tree, "during")
        self.assertEqual(self.read(self.folder / "during"), {f"{CPU}/cpufreq/boost": "0"})
        self.assertEqual(self.read(), {f"{CPU}/cpufreq/boost": "1"})

    def test_exit_status(self):
        self.plant(NOISY)
        for status, command in ((0, ["true"]), (3, ["sh", "-c", "exit 3"]),
                                (137, ["sh", "-c", "kill -9 $$"]),
                                (143, ["sh", "-c", "kill -15 $$"]),
                                (127, ["./there-is-no-such-command"])):
            with self.subTest(command=command):
                self.quiet(*command, status=status)
                self.assertEqual(self.read(), NOISY)

    def test_command_keeps_its_words_and_input(self):
        self.plant(NOISY)
        done = self.quiet("printf", "%s.", "a b", "*", "--help")
        self.assertEqual(done.stdout, "a b.*.--help.")
        done = subprocess.run([SCRIPT, f"--root={self.tree}", "--", "cat"], input="given",
                              text=True, capture_output=True, env=self.env, timeout=PATIENCE)
        self.assertEqual(done.stdout, "given")

    def test_signals(self):
        self.plant(NOISY)
        for name, status in (("INT", 41), ("TERM", 42), ("HUP", 43)):
            with self.subTest(signal=name):
                for left in ("ready", "signals"):
                    (self.folder / left).unlink(missing_ok=True)
                shutil.rmtree(self.folder / "during", ignore_errors=True)
                process = self.start("sh", "-c", LISTENER, str(self.tree))
                self.await_file("ready")
                self.assertEqual(self.read(self.folder / "during"), QUIET)
                process.send_signal(getattr(signal, f"SIG{name}"))
                _, stderr = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, status, stderr)
                self.assertEqual((self.folder / "signals").read_text(), f"{name}\n")
                self.assertEqual(self.read(), NOISY)

    def await_file(self, name):
        self.wait_for((self.folder / name).exists)

    def test_only_what_it_changed(self):
        """What is quiet already is not written, what changes meanwhile is not undone."""
        already = f"{CPU}/intel_pstate/no_turbo"
        meanwhile = "proc/sys/kernel/nmi_watchdog"
        self.plant({**NOISY, already: "1", meanwhile: "1"})
        before = (self.tree / already).stat().st_mtime_ns
        done = self.quiet("sh", "-c", f"echo 7 >{self.tree}/{meanwhile}")
        self.assertEqual((self.tree / already).stat().st_mtime_ns, before)
        self.assertEqual(self.read(), {**NOISY, already: "1", meanwhile: "7"})
        self.assertIn("left at 7", done.stderr)
        self.quiet("sh", "-c", f"echo 0 >{self.tree}/{already}")
        self.assertEqual(self.read()[already], "0")

    def test_unwritable(self):
        self.plant(NOISY)
        locked = self.tree / CPU / "cpu1/cpufreq/scaling_governor"
        more = {}
        if os.geteuid() == 0:  # whom no mode keeps out; another may not see our folders
            more = {"script": shutil.copy(SCRIPT, self.folder)}
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, 65534, 65534)
            os.chown(locked, 0, 0)
            more |= {"user": 65534, "group": 65534, "extra_groups": []}
        locked.chmod(0o444)
        done = self.quiet("cp", "-r", self.tree, "during", **more)
        during = self.read(self.folder / "during")
        self.assertEqual(during[f"{CPU}/cpu0/cpufreq/scaling_governor"], "performance")
        self.assertEqual(during[f"{CPU}/cpu1/cpufreq/scaling_governor"], "schedutil")
        self.assertEqual(self.read(), NOISY)
        self.assertIn("governor stays schedutil", done.stderr)
        self.assertIn("scaling_governor: not writable", done.stderr)
        self.assertIn("sudo", done.stderr)

    def test_kernel_refuses(self):
        self.plant(NOISY)
        refusing = self.tree / "proc/sys/kernel/nmi_watchdog"
        refusing.unlink()
        refusing.symlink_to("/proc/version")
        done = self.quiet("true")
        self.assertRegex(done.stderr, r"NMI watchdog stays .*: .*(error|denied|permitted|writable)")
        self.assertIn("put back: 5", done.stderr)

    def test_nothing_there(self):
        self.tree.mkdir()
        done = self.quiet("--smt-off", "echo", "ran")
        self.assertEqual(done.stdout, "ran\n")
        for name in ("SMT", "turbo", "governor", "NMI watchdog", "ASLR"):
            self.assertRegex(done.stderr, f"(?m)^quiet: {name} cannot be set: .")
        self.assertEqual(self.read(), {})

    def test_dry_run(self):
        self.plant(NOISY)
        done = self.quiet("--dry-run", "--smt-off", "touch", "made")
        self.assertEqual(self.read(), NOISY)
        self.assertFalse((self.folder / "made").exists())
        self.assertEqual(done.stdout.count(" -> "), len(NOISY))
        self.assertIn("governor: powersave -> performance in ", done.stdout)
        self.assertTrue(done.stdout.endswith("run: touch made\n"))

    def test_usage(self):
        self.tree.mkdir()
        self.assertIn("--smt-off", self.quiet("--help").stdout)
        for arguments in ([], ["--dry-run"], ["--no-such-option", "true"], ["--root="]):
            with self.subTest(arguments=arguments):
                self.assertIn("--help", self.quiet(*arguments, status=2).stderr)

    def test_command_without_aslr(self):
        if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode:
            self.skipTest("setarch -R is not allowed")
        self.plant(NOISY)
        done = self.quiet("cat", "/proc/self/personality", env=environment())
        self.assertTrue(int(done.stdout, 16) & 0x40000)


class Doctor(Case):
    def test_every_line(self):
        """Also where a baseline cannot start, and without ASLR."""
        module = self.folder / "baseline-broken"
        module.write_text("#!/bin/sh\nexit 1\n")
        module.chmod(0o755)
        before = ["setarch", "-R"]
        allowed = shutil.which("setarch") and not subprocess.run(
            [*before, "true"], capture_output=True).returncode
        text = self.run_tool("doctor", before=before if allowed else (),
                             env=environment(SIMDBENCH_MODULES=str(self.folder))).stdout
        for line in text.splitlines():
            if line:
                self.assertRegex(line, r"  ok$|  costs: .{10,} -> .{5,}$| checks are ok|^To measure ")
        self.assertRegex(text, r"(?m)^baseline broken .*  costs: .* -> .")
        if allowed:
            self.assertRegex(text, r"(?m)^ASLR +off.*  ok$")

    def test_every_object(self):
        document = json.loads(self.run_tool("doctor", "--format=json").stdout)
        checks = document["checks"]
        self.assertEqual(document["answer"][0].split(" ", 1)[0],
                         str(sum(check["ok"] for check in checks)))
        self.assertIn(f" of {len(checks)} checks are ok", document["answer"][0])
        self.assertGreater(len(checks), 30)
        names = [check["check"] for check in checks]
        self.assertEqual(len(names), len(set(names)))
        for check in checks:
            with self.subTest(check=check["check"]):
                self.assertEqual(set(check), {"check", "value", "ok", "costs", "advice"})
                self.assertTrue(check["value"])
                self.assertEqual(check["ok"], check["costs"] is None)
                self.assertEqual(check["ok"], check["advice"] is None)
        for name in ("core sharing", "seccomp", "clocksource", "baseline openblas"):
            self.assertIn(name, names)
