# SPDX-License-Identifier: Apache-2.0
"""What a stranger's project file and study can do: nothing beyond what they may measure,
until the user trusts them."""
import json
import os
import re
import subprocess
import threading
import unittest

from cli_compare import Compare
from cli_study import STUDY
from cli_tool import BINARY, MODULES, SMALL, Case, environment

PRECIOUS = "precious\n"
QUIET = ["gemm", "--isa=scalar", "--sizes=8", "--time-per-case=2ms", "--rounds=6"]


class ProjectCase(Case):
    def setUp(self):
        super().setUp()
        self.env = environment(XDG_STATE_HOME=str(self.new_folder()))
        del self.env["SIMDBENCH_PROJECT"]
        self.top = self.folder / "clone"
        self.top.mkdir()
        self.file = self.top / ".simdbench.json"
        self.victim = self.folder / "victim"
        self.victim.write_text(PRECIOUS)
        self.mark = self.folder / "executed"
        self.evil = self.top / "evil.sh"
        self.evil.write_text(f"#!/bin/sh\ntouch {self.mark}\n")
        self.evil.chmod(0o755)

    def write(self, **sections):
        self.file.write_text(json.dumps(sections))

    def here(self, *arguments, **more):
        return self.run_tool(*arguments, env=self.env, cwd=self.top, **more)

    def trust(self):
        self.here("trust")

    def unharmed(self, *allowed):
        """Nothing was made or changed, but for names in the clone, and nothing ran."""
        self.assertEqual(self.victim.read_text(), PRECIOUS)
        self.assertFalse(self.mark.exists())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["clone", "victim"])
        self.assertEqual({p.name for p in self.top.iterdir()} - set(allowed),
                         {".simdbench.json", "evil.sh"} - set(allowed))

    def left_out(self, done, *options):
        """One line names them, and the command that trusts."""
        lines = [line for line in done.stderr.splitlines() if "do not count" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], rf"^simdbench: {re.escape(str(self.file))} is not trusted, ")
        for option in options:
            self.assertIn(option, lines[0])
        self.assertIn("`simdbench trust`", lines[0])


class Untrusted(ProjectCase):
    def test_output_replaces_nothing(self):
        for path in str(self.victim), "../victim", ".simdbench.json", "new":
            self.write(**{"global": {"output": path}})
            before = self.file.read_text()
            for command in (["list", "settings"], ["list"], ["doctor", "--wait=no"],
                            ["new-plugin", "mine"], ["list", "isas"], QUIET,
                            ["gemm", "--dry-run", "--baseline=none"]):
                with self.subTest(path=path, command=command):
                    done = self.here(*command)
                    self.left_out(done, "--output")
                    self.assertTrue(done.stdout)
                    self.assertEqual(self.file.read_text(), before)
                    self.unharmed("mine")
                    for made in (self.top / "mine").glob("*"):
                        made.unlink()

    def test_files_of_a_run(self):
        for section in ({"json": str(self.victim)}, {"markdown": "../victim"},
                        {"format": f"csv:{self.victim}"}, {"format": ["html:../victim", "junit:x"]},
                        {"history": "../h.sqlite"}, {"history": "h.sqlite"}):
            with self.subTest(section=section):
                self.write(gemm=section)
                self.left_out(self.here(*QUIET, "--baseline=none"), f"--{[*section][0]}")
                self.unharmed()

    def test_files_of_a_study(self):
        study = self.new_folder() / "mine.json"
        study.write_text(json.dumps({**STUDY, "work": {**STUDY["work"], "module": "study"}}))
        self.write(study={"json": str(self.victim), "strict": True})
        done = self.here("study", study, "--quick", "--claim=half")
        self.left_out(done, "--json", "--strict")
        self.unharmed()

    def test_no_code_runs(self):
        for section in ({"plugin": "./evil.sh"}, {"plugin": str(self.evil)},
                        {"baseline": "./evil.sh"}, {"baseline": ["openblas", str(self.evil)]},
                        {"plugin": "evil.so"}, {"in-process": True}):
            self.write(**{"global": section})
            for command in (["list"], ["list", "kernels"], ["gemm", "--dry-run"], QUIET,
                            ["nosuchop", "--help"]):
                with self.subTest(section=section, command=command):
                    self.left_out(self.here(*command), f"--{[*section][0]}")
                    self.unharmed()
        run = self.run_json(*SMALL, env=self.env, cwd=self.top)
        self.assertIs(run["settings"]["in_process"], False)
        (self.folder / "run.json").unlink()

    def test_names_of_modules_count(self):
        self.write(gemm={"baseline": "none", "sizes": 24})
        done = self.here("gemm", "--dry-run")
        self.assertIn("24x24x24", done.stdout)
        self.assertNotIn("openblas", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_what_decides_or_waits(self):
        """Neither a status nor a time is a stranger's to choose."""
        for name, value in (("isa-fallback", "off"), ("cpu", "0"), ("wait", "no"),
                            ("timeout", "1ms"), ("time-per-case", "1440min"),
                            ("shapes", "./list"), ("node", "other"), ("format", "json")):
            with self.subTest(name=name):
                self.write(**{"global": {name: value}})
                self.left_out(self.here("gemm", "--baseline=none", "--dry-run"), f"--{name}")
        for name in "dry-run", "project", "help":
            self.write(gemm={name: True if name != "project" else "x"})
            self.assertIn("no such option here",
                          self.here("gemm", "--dry-run", status=2).stderr)

    def test_list_settings(self):
        self.write(**{"global": {"output": "/x", "quiet": True}, "gemm": {"plugin": "./evil.sh"},
                      "ab": {"sizes": "8"}})
        text = self.here("list", "settings").stdout
        self.assertRegex(text, r"(?m)--output=/x .*:1  does not count: not trusted$")
        self.assertRegex(text, r"(?m)--plugin=./evil.sh .*:1  does not count: not trusted$")
        self.assertRegex(text, r"(?m)ab +--sizes=8 .*:1  does not count: not trusted$")
        self.assertRegex(text, r"(?m)--quiet .*\.simdbench\.json:1$")
        self.assertIn("not trusted: `simdbench trust` does", text)
        self.trust()
        text = self.here("list", "settings").stdout
        self.assertRegex(text, r"(?m)--output=/x .*does not count: a project file writes")
        self.assertRegex(text, r"(?m)--plugin=./evil.sh .*:1$")
        self.assertIn("trusted by `simdbench trust`", text)

    def test_fifo(self):
        os.mkfifo(self.file)
        done = self.here("list", "isas")
        self.assertIn(f"{self.file} is no regular file and is not read", done.stderr)
        done = self.here("list", "isas", "--project=.simdbench.json", status=2)
        self.assertEqual(done.stderr, "simdbench: .simdbench.json: is no regular file\n")
        self.here("trust", ".simdbench.json", status=2)
        self.file.unlink()
        self.file.mkdir()
        self.assertIn("is no regular file", self.here("list", "isas").stderr)

    def test_links(self):
        """They could lead to what others write, as in /proc."""
        other = self.new_folder() / "other.json"
        other.write_text('{"gemm": {"sizes": "24"}}')
        for target in other, f"/proc/{os.getpid()}/cmdline", "/dev/zero", "nowhere":
            with self.subTest(target=target):
                self.file.symlink_to(target)
                done = self.here("gemm", "--dry-run", "--baseline=none")
                self.assertIn(f"{self.file} is a link and is not read", done.stderr)
                self.assertNotIn("24x24x24", done.stdout)
                self.file.unlink()

    def test_written_by_all(self):
        self.write(gemm={"sizes": 24})
        self.file.chmod(0o666)
        done = self.here("gemm", "--dry-run", "--baseline=none")
        self.assertIn("can be written by every user", done.stderr)
        self.assertNotIn("24x24x24", done.stdout)

    def test_large(self):
        with open(self.file, "wb") as file:
            file.truncate(1 << 40)
        self.assertIn("too large", self.here("list", "isas", status=2).stderr)

    @unittest.skipIf(os.geteuid(), "only root gives files away")
    def test_race(self):
        """What was looked at is what is read, however fast files change places."""
        self.write(gemm={"sizes": 8})
        theirs = self.folder / "theirs.json"
        theirs.write_text('{"gemm": {"sizes": 24}}')
        os.chown(theirs, 65534, -1)
        saved, stop = self.folder / "saved.json", threading.Event()
        os.link(self.file, saved)

        def flip():
            while not stop.is_set():
                for source in theirs, saved:
                    new = self.top / "new"
                    os.link(source, new)
                    os.rename(new, self.file)
                    new.unlink(missing_ok=True)

        thread = threading.Thread(target=flip)
        thread.start()
        try:
            shown = [self.here("gemm", "--dry-run", "--baseline=none", "--isa=scalar").stdout
                     for _ in range(60)]
        finally:
            stop.set()
            thread.join()
        self.assertFalse([text for text in shown if "24x24x24" in text])


class Trusted(ProjectCase):
    def test_until_it_changes(self):
        self.write(gemm={"format": "json"})
        self.assertIn("trusted until it changes", self.here("trust").stdout)
        done = self.here(*SMALL)
        self.assertEqual((done.stdout[0], done.stderr), ("{", ""))
        self.file.write_text(self.file.read_text() + " ")
        done = self.here(*SMALL)
        self.assertNotEqual(done.stdout[0], "{")
        self.assertIn("has changed since you trusted it", done.stderr)
        self.assertIn("changed or gone", self.here("trust", "--list").stdout)
        self.trust()
        self.assertEqual(self.here(*SMALL).stdout[0], "{")
        self.assertIn(f"{self.file}: trusted", self.here("trust", "--list").stdout)
        self.here("trust", "--revoke")
        self.assertNotEqual(self.here(*SMALL).stdout[0], "{")
        self.here("trust", "--revoke", status=2)
        self.assertIn("No file is trusted", self.here("trust", "--list").stdout)

    def test_here_alone(self):
        """The same bytes elsewhere are another file."""
        self.write(gemm={"format": "json"})
        self.trust()
        other = self.new_folder()
        (other / ".simdbench.json").write_text(self.file.read_text())
        done = self.run_tool(*SMALL, env=self.env, cwd=other)
        self.assertIn("is not trusted", done.stderr)

    def test_nothing_to_trust(self):
        self.assertIn("no project file", self.here("trust", status=2).stderr)
        self.here("trust", "/nowhere", status=2)

    def test_named(self):
        """--project and the environment name a file that is trusted."""
        self.write(gemm={"format": "json"})
        self.assertEqual(self.here(*SMALL, f"--project={self.file}").stdout[0], "{")
        self.env["SIMDBENCH_PROJECT"] = str(self.file)
        self.assertEqual(self.here(*SMALL).stdout[0], "{")
        for no in "--project=no", "--no-project":
            done = self.here(*SMALL, no)
            self.assertNotEqual(done.stdout[0], "{")
            self.assertEqual(done.stderr, "")

    def test_outputs_below(self):
        (self.top / "out").mkdir()
        self.write(gemm={"json": "out/run.json", "format": "csv:run.csv"},
                   **{"global": {"output": "text", "history": "./h.sqlite"}})
        self.trust()
        below = self.top / "a"
        below.mkdir()
        done = self.run_tool(*SMALL, env=self.env, cwd=below)
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        run = self.load(self.top / "out/run.json")
        self.assertIn("--history=", run["settings"]["project_options"])
        for name in "run.csv", "h.sqlite", "text":
            self.assertTrue((self.top / name).stat().st_size, name)
        self.assertEqual(list(below.iterdir()), [])
        self.assertIn("gemm/", self.here("history").stdout)

    def test_outputs_elsewhere(self):
        os.symlink(self.folder, self.top / "up")
        os.symlink(self.victim, self.top / "away")
        os.link(self.victim, self.top / "same")
        os.mkfifo(self.top / "pipe")
        os.symlink(self.victim, self.top / "h.sqlite-journal")
        made = {p.name for p in self.top.iterdir()}
        for path, why in ((str(self.victim), "below its own"), ("../victim", "below its own"),
                          ("up/victim", "below its own"), ("up/new", "below its own"),
                          ("away", "below its own"), ("same", "below its own"),
                          ("pipe", "below its own"), ("no/such", "below its own"),
                          ("out/../../victim", "below its own"), ("h.sqlite", "below its own"),
                          (".simdbench.json", "the project file itself"),
                          ("./.simdbench.json", "the project file itself")):
            for option, value in (("output", path), ("json", path), ("history", path),
                                  ("format", f"html:{path}")):
                with self.subTest(path=path, option=option):
                    self.write(gemm={option: value})
                    self.trust()
                    before = self.file.read_text()
                    done = self.here(*SMALL, status=2)
                    self.assertIn(f"{self.file}:1: gemm.{option}: ", done.stderr)
                    self.assertIn(why, done.stderr)
                    self.assertEqual(self.file.read_text(), before)
                    self.unharmed(*made)

    def test_where_nothing_is_measured(self):
        """Trust is no reason to run code or to write files there."""
        self.write(**{"global": {"plugin": "./evil.sh", "output": "text", "baseline": "./evil.sh"}})
        self.trust()
        for command in (["list"], ["list", "kernels"], ["gemm", "--dry-run"], ["doctor"],
                        ["nosuchop", "--help"], ["list", "settings"], ["trust", "--list"]):
            with self.subTest(command=command):
                self.assertTrue(self.here(*command).stdout)
                self.unharmed()
        self.here(*QUIET, status=2)
        self.assertTrue(self.mark.exists())

    def test_told(self):
        """Table, Markdown, page and JSON say what a file has set, and which one."""
        self.write(gemm={"sizes": 8, "quiet": True})
        told = f"settings: --sizes=8 --quiet from {self.file}"
        saved = self.folder / "run.json"
        text = self.here("gemm", "--isa=scalar", "--baseline=none", *SMALL[4:],
                         f"--json={saved}", f"--markdown={saved}.md",
                         f"--format=html:{saved}.html").stdout
        self.assertIn(told, text)
        self.assertIn("--sizes=8", (self.folder / "run.json.md").read_text())
        self.assertIn(str(self.file),
                      (self.folder / "run.json.md").read_text().replace("\\", ""))
        self.assertIn(str(self.file), (self.folder / "run.json.html").read_text())
        self.assertIn(told, self.run_tool("report", saved).stdout)
        self.assertNotIn("settings: ", self.run_tool(*SMALL).stdout)


class TrustedGate(ProjectCase):
    def runs(self):
        """Two, as Compare makes them: the second one is 40% slower."""
        Compare.make_base(self)
        self.folder, folder = self.new_folder(), self.folder
        pair = [Compare.write(self, "base.json", self.base),
                Compare.write(self, "head.json", Compare.head(self, 1.4))]
        self.folder = folder
        return pair

    def test_compare(self):
        pair = self.runs()
        for section in "compare", "global":
            self.write(**{section: {"threshold": "90%"}})
            done = self.here("compare", *pair, status=1)
            self.left_out(done, "--threshold")
            self.assertIn("REGRESSED", done.stdout)
        self.trust()
        saved = self.folder / "c.json"
        done = self.here("compare", *pair, f"--json={saved}", f"--markdown={saved}.md")
        told = f"settings of this comparison: --threshold=90% from {self.file}"
        self.assertIn(told, done.stdout)
        self.assertIn("settings of this comparison", (self.folder / "c.json.md").read_text())
        self.assertEqual(self.load(saved)["gate"]["settings"], f"--threshold=90% from {self.file}")
        self.here("compare", *pair, "--project=no", status=1)

    def test_ab(self):
        """A gate takes nothing of a stranger: sizes and rounds decide it as well."""
        self.write(ab={"sizes": 3000, "rounds": 1, "threshold": "90%", "processes": 8})
        builds = [f"{MODULES}/pace.so", f"{MODULES}/pace_again.so", "twice"]
        done = self.here("ab", *builds, "--dry-run")
        self.left_out(done, "--threshold", "--processes", "--sizes", "--rounds")
        self.assertNotIn("@3000", done.stdout)
        saved = self.folder / "ab.json"
        done = self.here("ab", *builds, f"--project={self.file}", f"--json={saved}")
        self.assertEqual(self.load(saved)["gate"]["threshold"], 0.9)
        self.assertIn(f"settings: --sizes=3000 --rounds=1 --threshold=90% --processes=8 from "
                      f"{self.file}", done.stdout)
        self.assertEqual(self.load(saved)["settings"]["project"], str(self.file))


class TrustedStudy(ProjectCase):
    def study(self, module, *arguments, folder=None, **more):
        folder = folder or self.top
        path = folder / "mine.json"
        claims = [{**STUDY["claims"][0], "of": ["bad", "good"]}]
        path.write_text(json.dumps({**STUDY, "work": {**STUDY["work"], "module": module},
                                    "claims": claims, "account": None}).replace(
                                        ', "account": null', ""))
        return self.here("study", path, "--quick", "--quiet", *arguments, **more)

    def test_modules_elsewhere(self):
        outside = self.folder / "outside.sh"
        outside.write_text(self.evil.read_text())
        outside.chmod(0o755)
        os.symlink(outside, self.top / "inside.sh")
        for module in "../outside.sh", str(outside), "./inside.sh", f"{MODULES}/pace.so":
            with self.subTest(module=module):
                done = self.study(module, status=2)
                self.assertIn("not in the folder of the study: `simdbench trust`", done.stderr)
                self.assertFalse(self.mark.exists())
                self.study(module, "--dry-run")
                self.assertFalse(self.mark.exists())

    def test_trusted(self):
        path = self.top / "mine.json"
        self.study(f"{MODULES}/pace.so", status=2)
        self.here("trust", path)
        self.assertIn("CONFIRMED", self.study(f"{MODULES}/pace.so").stdout)
        path.write_text(path.read_text() + "\n")
        self.assertEqual(subprocess.run(
            [BINARY, "study", path, "--quick"], capture_output=True, env=self.env,
            check=False).returncode, 2)

    def test_of_the_studys_folder(self):
        """A file name alone is of the study's folder, where a link may lead out of it."""
        folder = self.new_folder()
        os.symlink(MODULES / "pace.so", folder / "pace.so")
        self.assertIn("not in the folder",
                      self.study("pace.so", folder=folder, status=2).stderr)
