# SPDX-License-Identifier: Apache-2.0
"""`simdbench ab --harness` of commits that it builds, and of programs that it links anew."""
import json
import os
import shutil
import signal
import subprocess
import unittest

from cli_harness import QUICK, HarnessCase
from cli_tool import SOURCE, environment


class Commits(HarnessCase):
    def git(self, *arguments):
        return subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=m",
             *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def setUp(self):
        super().setUp()
        self.git("init", "-q")
        for number in (5, 6):
            (self.folder / "time").write_text(f"{number}.000\n")
            (self.folder / ".gitattributes").write_text("time export-ignore\n")
            self.git("add", ".")
            self.git("commit", "-qm", str(number))
        (self.folder / "time").write_text("changed, and not to be measured\n")

    def commits(self, *more, **options):
        return self.run_tool("ab", "--harness=regex", "--pattern=(case) (.*)",
                             "--run=./bench", *QUICK, *more, cwd=self.folder, **options)

    BUILD = "--build=printf '#!/bin/sh\\necho case %s\\n' $(cat time) >bench; chmod +x bench"

    def test_two_commits(self):
        before = self.git("status", "--porcelain")
        out = self.new_folder() / "run.json"
        places = self.new_folder()
        self.commits(self.BUILD, "HEAD~1", "HEAD", f"--json={out}", status=1,
                     env=environment(TMPDIR=str(places)))
        document = json.loads(out.read_text())
        self.assertAlmostEqual(document["results"][0]["comparison"]["change"], 0.2)
        self.assertEqual([a["commit"] for a in document["gate"]["arms"][:2]],
                         self.git("rev-parse", "HEAD~1", "HEAD").split())
        self.assertEqual(self.git("status", "--porcelain"), before)
        self.assertFalse((self.folder / "bench").exists())
        self.assertEqual(list(places.iterdir()), [])

    def test_submodules(self):
        """Each commit has those that belong to it, also one in another."""
        outer, inner = self.folder / "a part", self.folder / "a part" / "in it"
        inner.mkdir(parents=True)
        for where, number in ((inner, 7), (outer, 8)):
            self.git("-C", where, "init", "-q")
            (where / "number").write_text(f"{number}\n")
            self.git("-C", where, "add", ".")
            self.git("-C", where, "commit", "-qm", "a part")
        self.git("add", "a part")
        self.git("commit", "-qm", "parts")
        (outer / "number").write_text("9\n")
        build = self.BUILD.replace("cat time", "cat time a*/number a*/i*/number | tr -d '\\n'")
        before = self.git("status", "--porcelain")
        for variables in ({}, {"GIT_DIR": ".git"}):
            out = self.new_folder() / "run.json"
            self.commits(build, "HEAD~1", "HEAD", f"--json={out}",
                         env=environment(**variables))
            result = json.loads(out.read_text())["results"][0]
            self.assertAlmostEqual(result["comparison"]["change"], 0.00087 / 6)
        self.assertEqual(self.git("status", "--porcelain"), before)

    def test_servers_of_a_build_stay(self):
        """As those of a compiler's cache do, which other builds use."""
        pids = self.new_folder() / "pids"
        self.commits(self.BUILD + "; setsid sh -c 'echo $$ >server; exec sleep 1000' & "
                     f"until [ -s server ]; do :; done; cat server >>{pids}", "HEAD", "HEAD")
        for pid in pids.read_text().split():
            self.assertTrue(self.runs(pid), pid)
            os.kill(int(pid), signal.SIGKILL)

    def test_what_fails(self):
        done = self.commits("--build=echo no compiler >&2; exit 1", "HEAD~1", "HEAD", status=2)
        self.assertRegex(done.stderr, "--build, of BASE=HEAD~1: .*no compiler")
        done = self.commits("--build=echo 'x.c:3: error: \033[1m'; echo stopped; exit 1", "HEAD~1",
                            "HEAD", status=2)
        self.assertRegex(done.stderr, r"(?s)x.c:3: error: [^\033]*\n.*HEAD~1: .*status 1: stopped")
        done = self.commits(self.BUILD, "HEAD~1", "v9", status=2)
        self.assertRegex(done.stderr, "HEAD=v9: .*no such commit in the repository here\n")
        ask = ("ab", "--harness=regex", "--pattern=(a) (b)")
        for arguments, folder, why in (
                ((self.BUILD, "--run=./none"), self.folder, "--build should have made it there"),
                ((), self.folder, "HEAD~1: no program; a commit needs --build=COMMAND and --run"),
                ((self.BUILD, "--run=./b"), self.new_folder(), "not a git repository"),
                ((self.BUILD, "--run=./b"), self.new_folder() / "shallow", "shallow: git fetch")):
            if folder.name == "shallow":
                self.git("clone", "--quiet", "--depth=1", f"file://{self.folder}", str(folder))
            done = self.run_tool(*ask, *arguments, "HEAD~1", "HEAD", cwd=folder, status=2)
            self.assertIn(why, done.stderr)
        done = self.run_tool("ab", "--harness=regex", "--pattern=(a) (b)", self.BUILD, "HEAD",
                             "HEAD", cwd=self.folder, status=2)
        self.assertIn("--build and --run belong together", done.stderr)


class Relink(HarnessCase):
    """Programs whose times depend on where --relink puts their code."""
    ASK = ["--harness=regex", "--pattern=(case) (.*)"]
    COMMAND = ("--relink=printf '#!/bin/sh\\necho case %s\\n' $(sed -n 's/^{pad} //p' times) >{out};"
               " echo '# {pad}' >>{out}; chmod +x {out}")

    def build(self, name, *times):
        """A folder with a program, and what it takes with 0, 16, 32 and 48 bytes."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "times").write_text("".join(f"{16 * i} {t}.000\n"
                                              for i, t in enumerate(times)))
        return self.script(f"{name}/bench", f"#!/bin/sh\necho case {times[0]}.000\n")

    def relink(self, old, new, *more, **options):
        return self.compare(self.build("old", *old), self.build("new", *new), *self.ASK,
                            self.COMMAND, f"--cwd-old={self.folder / 'old'}",
                            f"--cwd-new={self.folder / 'new'}", *more, **options)

    def test_place_alone(self):
        """Both take 8 where their code lies best."""
        table = self.folder / "table"
        document = self.relink((10, 8, 10, 10), (12, 12, 8, 12), f"--format=table:{table}")
        (result,) = document["results"]
        comparison = result["comparison"]
        self.assertEqual((comparison["verdict"], comparison["base_ns"], comparison["head_ns"]),
                         ("PLACED", 8, 8))
        self.assertAlmostEqual(comparison["placement"]["change"], 0.2)
        self.assertEqual(result["notes"],
                         ["base is fastest with 16 bytes of padding, head with 32"])
        self.assertEqual(document["settings"]["places"], 4)
        self.assertIn("as built it is slower by 20.00% by its place", table.read_text())
        self.assertIn("placement: each build was linked with its code at several places",
                      table.read_text())

    def test_placed_fails_if_asked(self):
        document = self.relink((10, 8, 10, 10), (12, 12, 8, 12), "--placement=fail", status=1)
        self.assertEqual(self.verdicts(document), {"case": "PLACED"})

    def test_slower_everywhere(self):
        document = self.relink((10, 8, 10, 10), (10, 10, 10, 10), status=1)
        self.assertEqual(self.verdicts(document), {"case": "REGRESSED"})
        self.assertAlmostEqual(document["results"][0]["comparison"]["change"], 0.25)

    def test_equal_at_all_places(self):
        document = self.relink((8, 8, 8, 8), (8, 8, 8, 8))
        self.assertEqual(self.verdicts(document), {"case": "SAME"})
        self.assertEqual(document["results"][0].get("notes", []), [])

    def test_one_place_fails(self):
        document = self.relink((8, 8, 8, 8), (8, 8, 8, "x"), status=4)
        self.assertEqual(document["results"][0]["status"], "failed")
        self.assertRegex(document["results"][0]["reason"], "^head: ")

    def test_what_is_refused(self):
        bench = self.build("old", 8, 8, 8, 8)
        for relink, why in (("cp bench {out}", "needs {pad}"), ("true {pad}", "and {out}"),
                            ("cp bench {out}; : {pad}", "{pad} changes nothing: it makes the same "
                             "program for 16 and for 32 bytes"),
                            ("true {pad} {out}", "with 16 bytes: it made no program"),
                            ("echo no linker >&2; exit {pad} {out}", "no linker")):
            done = self.run_tool("ab", bench, bench, *self.ASK, f"--relink={relink}",
                                 cwd=bench.parent, status=2)
            self.assertIn(why, done.stderr)
        done = self.run_tool("ab", f"{bench} | cat", bench, *self.ASK, self.COMMAND, status=2)
        self.assertIn("--relink is for programs, and a shell runs", done.stderr)

    @unittest.skipUnless(all(map(shutil.which, ("make", "cc", "as"))), "no compiler")
    def test_rule_of_the_docs(self):
        """The rule moves code as it says: here a place is a time."""
        page = (SOURCE / "docs/harness.md").read_text()
        rule = page.partition("```make\n")[2].partition("```")[0]
        times = {}
        for name in "ab":
            folder = self.folder / name
            folder.mkdir()
            (folder / "main.c").write_text(
                "#include <stdint.h>\n#include <stdio.h>\n" +
                "__asm__(\".text; .skip 16\");\n" * (name == "b") +
                "int work(int x) { return -x; }\nint main(void)\n{\n"
                "    printf(\"case %d\\n\", 100 + (int)((uintptr_t)work % 64));\n}\n")
            (folder / "Makefile").write_text(
                "OBJECTS = main.o\nCXX = cc\nCFLAGS = -O1 -falign-functions=16\n"
                f"bench: $(OBJECTS)\n\tcc -o $@ $(OBJECTS)\n{rule}")
            subprocess.run(["make", "-s", "-C", folder, "bench"], check=True)
            times[name] = int(subprocess.run([folder / "bench"], check=True, text=True,
                                             capture_output=True).stdout.split()[1])
        old, new = sorted(times, key=times.get)
        self.assertLess(times[old], times[new])
        for relink in ("OUT={out}", "OUT=bench && cp bench {out}"):
            document = self.compare(
                self.folder / old / "bench", self.folder / new / "bench", *self.ASK,
                f"--relink=make -s pad PAD={{pad}} {relink}", f"--cwd-old={self.folder / old}",
                f"--cwd-new={self.folder / new}")
            comparison = document["results"][0]["comparison"]
            self.assertEqual((comparison["verdict"], comparison["change"]), ("PLACED", 0))
            self.assertLess(comparison["base_ns"], 116)
            self.assertAlmostEqual(comparison["placement"]["change"], times[new] / times[old] - 1)
