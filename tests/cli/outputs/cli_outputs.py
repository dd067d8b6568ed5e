# SPDX-License-Identifier: Apache-2.0
"""Full disks, closed streams, bad surroundings and bad files."""
import json
import os
import resource
import shlex
import subprocess
import unittest

from cli_robust import LONG, plugin
from cli_tool import BINARY, PATIENCE, SHORT, SMALL, Case, environment, kernels, measured, sanitized


class Outputs(Case):
    def setUp(self):
        super().setUp()
        self.saved = self.folder / "saved.json"
        self.run_tool(*SMALL, f"--json={self.saved}")
        self.place = self.new_folder()

    def save(self, path, **more):
        return self.run_tool("report", self.saved, f"--json={path}", **more)

    def test_links_and_permissions(self):
        target, link = self.place / "target.json", self.place / "link.json"
        target.write_text("old")
        target.chmod(0o664)
        link.symlink_to(target.name)
        if os.geteuid() == 0:
            os.chown(target, 65534, 65534)
        for flag in ("--json", "--markdown"):
            self.run_tool("report", self.saved, f"{flag}={link}")
            self.assertTrue(link.is_symlink())
            self.assertGreater(target.stat().st_size, 3)
            self.assertEqual(target.stat().st_mode & 0o777, 0o664)
            if os.geteuid() == 0:
                self.assertEqual(target.stat().st_uid, 65534)
        self.assertEqual(set(self.place.iterdir()), {target, link})

    def test_link_to_nowhere(self):
        link = self.place / "link.json"
        link.symlink_to("new.json")
        self.save(link)
        self.assertTrue(link.is_symlink())
        self.load(self.place / "new.json")

    def test_longest_name(self):
        path = self.place / ("x" * 250 + ".json")
        self.save(path)
        self.load(path)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_read_only(self):
        """A folder, and a file in a folder that is not."""
        binary = self.place / "simdbench"
        binary.write_bytes(BINARY.read_bytes())
        binary.chmod(0o755)
        self.folder.chmod(0o755)
        old = self.place / "old.json"
        old.write_text("old")
        for mode in (0o755, 0o777):
            self.place.chmod(mode)
            done = subprocess.run([binary, "report", self.saved, f"--json={old}"], user=65534,
                                  group=65534, extra_groups=[], capture_output=True, text=True,
                                  env=environment(), check=False)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "old.json.*Permission denied")
            self.assertEqual(old.read_text(), "old")

    def test_standard_output_as_a_file(self):
        """What was printed before stays, and the document is there once."""
        log = self.place / "log"
        command = f"echo head; {shlex.join(map(str, [BINARY, *LONG[:2]]))} --sizes=8..128 " \
                  "--baseline=none --time-per-case=200ms --json=/dev/stdout"
        subprocess.run(f"({command}) >> {log}", shell=True, check=True, timeout=PATIENCE,
                       env=environment())
        text = log.read_text()
        self.assertTrue(text.startswith("head\n"))
        self.assertIn("gemm", text.partition("\n{")[0])
        self.assertEqual(json.loads("{" + text.partition("\n{")[2])["schema_version"], 1)

    def test_full_device(self):
        for arguments in ([*SMALL], ["report", self.saved], ["list"], ["--help"], ["doctor"],
                          *(["report", self.saved, f"--format={f}"]
                            for f in ("json", "csv", "markdown"))):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([BINARY, *arguments], stdout=full, text=True,
                                      stderr=subprocess.PIPE, env=environment(), check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("No space left on device", done.stderr)
        for flag in ("--json", "--markdown"):
            done = self.run_tool(*SMALL, f"{flag}=/dev/full", status=2)
            self.assertRegex(done.stderr, "/dev/full.*No space left on device")
        second = self.place / "second"
        for reported in ([self.saved], [self.saved, "--by=host"]):
            done = self.run_tool("report", *reported, "--markdown=/dev/full",
                                 f"--format=csv:{second}", status=2)
            self.assertRegex(done.stderr, "/dev/full.*No space left on device")
            self.assertEqual(done.stdout, self.run_tool("report", *reported).stdout)
            self.assertTrue(second.read_text())
            second.unlink()

    def test_full_standard_output_keeps_the_file(self):
        path = self.place / "run.json"
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, *SMALL, f"--json={path}"], stdout=full, text=True,
                                  stderr=subprocess.PIPE, env=environment(), check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(measured(self.load(path)))

    def test_limit_of_file_size(self):
        path = self.place / "old"
        path.write_text("precious")
        for flag in ("--json", "--markdown"):
            done = self.run_tool(
                "report", self.saved, f"{flag}={path}", status=2,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
            self.assertRegex(done.stderr, "old.*File too large")
            self.assertEqual(path.read_text(), "precious")
            self.assertEqual(list(self.place.iterdir()), [path])


class FullDisk(Case):
    def setUp(self):
        super().setUp()
        self.disk = self.new_folder()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.disk],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            self.skipTest(f"no small disk: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)

    def test_old_file_stays(self):
        path = self.disk / "old"
        path.write_text("precious")
        with open(self.disk / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(bytes(4096)):
                    pass
            except OSError:
                pass
        before = set(self.disk.iterdir())
        for arguments in ([*SMALL, f"--json={path}"], [*SMALL, f"--markdown={path}"]):
            done = self.run_tool(*arguments, status=2)
            self.assertRegex(done.stderr, "old.*No space left on device")
            self.assertEqual(path.read_text(), "precious")
            self.assertEqual(set(self.disk.iterdir()), before)

    def test_table_of_a_run_that_cannot_be_saved(self):
        """What was measured is printed, and the failure is told when it happens."""
        path = self.disk / "run.json"
        (self.disk / "filler").write_bytes(bytes(60 << 10))
        done = self.run_tool("gemm", "--isa=scalar", "--sizes=8,16,24,32", "--baseline=none",
                             "--time-per-case=200ms", f"--json={path}", status=2)
        self.assertIn("32x32x32", done.stdout)
        self.assertIn("to be tried again", done.stderr)
        self.assertFalse(path.exists())


class Surroundings(Case):
    def shell(self, redirection, *arguments, status):
        done = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", BINARY, *arguments],
                              capture_output=True, text=True, timeout=PATIENCE, env=environment(),
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_closed_streams(self):
        path = self.folder / "run.json"
        for redirection, status in (("<&-", 0), ("2>&-", 0), (">&-", 2), ("<&- >&- 2>&-", 2)):
            with self.subTest(redirection=redirection):
                path.unlink(missing_ok=True)
                done = self.shell(redirection, *SMALL, f"--json={path}", status=status)
                self.assertTrue(measured(self.load(path)))
                if redirection == ">&-":
                    self.assertIn("Bad file descriptor", done.stderr)
        self.shell(">&-", "--help", status=2)
        self.shell(">&-", "report", path, status=2)

    def test_few_descriptors(self):
        path = self.folder / "run.json"
        for most in (4, 8, 12, 24):
            with self.subTest(most=most):
                done = subprocess.run(
                    [BINARY, *SMALL, f"--json={path}"], capture_output=True, text=True,
                    timeout=PATIENCE, env=environment(), check=False,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
                if sanitized() and done.returncode not in (0, 2):
                    continue  # a sanitizer needs descriptors of its own
                self.assertIn(done.returncode, (0, 2), done.stderr)
                if done.returncode:
                    self.assertIn("Too many open files", done.stderr)
                else:
                    self.load(path)
        self.assertTrue(path.exists())

    def test_locale(self):
        """Neither the user's locale nor one that a module sets writes 0,5 for 0.5."""
        source = self.folder / "source"
        source.write_text('LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\n'
                          'END LC_NUMERIC\nLC_CTYPE\ncopy "POSIX"\nEND LC_CTYPE\n')
        done = subprocess.run(["localedef", "-c", "-i", source, "-f", "ANSI_X3.4-1968",
                               self.folder / "comma"], capture_output=True, check=False)
        if not (self.folder / "comma/LC_NUMERIC").exists():
            self.skipTest(f"no locale: {done.stderr.decode().strip()}")
        env = environment(LC_ALL="comma", LANG="comma", LOCPATH=str(self.folder))
        for more in ([], ["--in-process"]):
            document = self.run_json("twice", plugin(locale="comma"), "--baseline=none",
                                     *SHORT, *more, env=env)
            for result in kernels(document, status="ok"):
                self.assertNotEqual(result["summary"]["median_ns"] % 1, 0)
        text = self.run_tool("report", self.folder / "run.json", env=env).stdout
        self.assertNotRegex(text, r"\d,\d")

    def test_long_command_line(self):
        filters = [f"--filter=*/nothing-{i:05}*" for i in range(3000)]
        document = self.run_json(*SMALL, "--filter=*", *filters)
        self.assertEqual(document["argv"][-2], filters[-1])
        self.run_tool("report", self.folder / "run.json")
