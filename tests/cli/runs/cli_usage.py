# SPDX-License-Identifier: Apache-2.0
"""Help, plans, and every way to ask for what cannot be."""

import shlex

from cli_tool import BINARY, SOURCE, Case, plain


class Help(Case):
    def test_version(self):
        text = self.run_tool("--version").stdout
        self.assertRegex(text, r"^simdbench \d+\.\d+\.\d+")
        self.assertRegex(text, r"(clang|gcc|GCC)")
        self.assert_golden("version.txt", plain(text))

    def test_help(self):
        self.assert_golden("help.txt", self.run_tool("--help").stdout)
        self.assertEqual(self.run_tool("help").stdout, self.run_tool("--help").stdout)

    def test_help_gemm(self):
        self.assert_golden("help_gemm.txt", self.run_tool("gemm", "--help").stdout)

    def test_help_report(self):
        self.assert_golden("help_report.txt", self.run_tool("report", "--help").stdout)

    def test_examples_are_on_the_first_screen(self):
        """The manual has them in its end, as manuals do."""
        for command in ("explain", "ab", "call", "audit", "gemm"):
            with self.subTest(command=command):
                text = self.run_tool(command, "--help").stdout.split("\n")
                self.assertLess(text.index("Examples:"), 12)
                page = self.run_tool("man", command).stdout
                self.assertLess(page.index(".SH OPTIONS"), page.index(".SH EXAMPLES"))

    def test_ops_as_they_are_spoken(self):
        for op in ("gemm_backward", "gemm_argmax"):
            spoken = op.replace("_", "-")
            for arguments in (["--help"], ["--dry-run", "--seed=1", "--baseline=none"]):
                with self.subTest(op=op, arguments=arguments):
                    text = self.run_tool(op, *arguments).stdout
                    self.assertIn(f"simdbench {op} " if arguments == ["--help"] else f"{op}/",
                                  text)
                    self.assertEqual(self.run_tool(spoken, *arguments).stdout, text)
            self.assertEqual(self.run_tool("help", spoken).stdout,
                             self.run_tool(op, "--help").stdout)

    def test_list(self):
        text = self.run_tool("list").stdout
        for word in ("gemm", "avx512", "scalar"):
            self.assertIn(word, text)


class Mistakes(Case):
    def refused(self, arguments):
        """Runs it where a file would show; returns the message."""
        folder = self.new_folder()
        if "gemm" in arguments and "--json" not in arguments:
            arguments = [*arguments, f"--markdown={folder}/run.md"]
        done = self.run_tool(*arguments, status=2, cwd=folder)
        self.assertEqual(done.stdout, "")
        self.assertEqual(list(folder.iterdir()), [])
        return done.stderr

    def test_mistakes(self):
        """The command lines of the golden file, and what it says of them."""
        text = ""
        for line in (SOURCE / "tests/golden/mistakes.txt").read_text().splitlines():
            if line.startswith("$ simdbench"):
                text += f"{line}\n{plain(self.refused(shlex.split(line)[2:]))}\n"
        self.assertGreater(text.count("$ "), 25)
        self.assert_golden("mistakes.txt", text)

    def test_a_file_in_place_of_a_command(self):
        folder = self.new_folder()
        run, study = folder / "run.json", SOURCE / "studies/burn-conv.json"
        self.run_tool("relu", "--isa=scalar", "--sizes=64", "--baseline=none",
                      "--time-per-case=1ms", "--quiet", f"--json={run}")
        for name in ("lib.so", "lib.so.1", "mix.o", "mix.a", "mix.c", "notes.txt", "reluy"):
            (folder / name).write_text("x")
        (folder / "dir.so.1").mkdir()
        for name in ("mix.cpp", "dir.so.1/notes.txt"):
            (folder / name).write_text("x")
        (folder / "mix.cpp").chmod(0o755)
        (folder / "relux").mkdir()
        missing = "this is a file, and a command is missing: simdbench "
        for word, message in (
                (run, f"{missing}report {run}"), (study, f"{missing}study {study}"),
                (folder / "lib.so", f"{missing}call {folder}/lib.so"),
                ("lib.so", f"{missing}call ./lib.so (its functions), or simdbench all "
                           f"--plugin=./lib.so"),
                ("lib.so.1", f"{missing}call ./lib.so.1"), ("mix.o", f"{missing}call ./mix.o"),
                ("mix.a", f"{missing}call ./mix.a"),
                (BINARY, f"prove --function=NAME -- {BINARY} (which code it runs), or simdbench "
                         f"ab {BINARY} OTHER"),
                ("mix.c", "mix.c: this is source text"),
                ("notes.txt", "notes.txt: no command takes this file"),
                ("./relux", "./relux: this is a folder"),
                ("relux", "--plugin=FILE.so may bring an op, and simdbench call LIB.so "),
                ("reluy", "may bring an op; if the file is meant: simdbench ./reluy\n"),
                ("mix.cpp", "mix.cpp: this is source text"),
                ("dir.so.1/notes.txt", "notes.txt: no command takes this file"),
                ("libz.so.1:crc32", "simdbench call libz.so.1:crc32 'PROTOTYPE'"),
                ("no.sqlite", "no.sqlite: No such file or directory")):
            with self.subTest(word=word):
                self.assertIn(message, self.run_tool(word, status=2, cwd=folder).stderr)
        self.run_tool(*f"report {run}".split())

    def test_files_of_another_kind(self):
        """The message names the file, what it is, and the command that reads it."""
        folder = self.new_folder()
        study = SOURCE / "studies/burn-conv.json"
        declared = folder / "declared.json"
        empty, other, run = folder / "empty.json", folder / "other.json", folder / "run.json"
        empty.touch()
        source, archive = folder / "mix.c", folder / "mix.a"
        archive.write_text("x")
        source.write_text("int mix;")
        other.write_text('{"a": 1}')
        run.write_text('{"schema_version": 1, "tool": {"name": "simdbench"}}')
        declared.write_text('{"functions": 1, "ops": [{"prototype": "void f(int)"}]}')
        for words, message in (
                (["audit", "missing.json"], "missing.json: No such file or directory"),
                (["call", empty], f"{empty}: the file is empty"),
                (["call", source], f"{source}: this is source text"),
                (["call", f"{source}:mix", "void (int)"], f"{source}:mix: this is source text"),
                (["ab", source, source], f"{source}: this is source text"),
                (["judge", folder], "--candidate=./new.so; mix.json declares it"),
                (["explain", "./libmix.so:mix"], "./libmix.so:mix: its prototype is missing"),
                (["audit", other], f"{other}: a: unknown key; known are functions and ops"),
                (["report", other], f"{other}: schema_version: missing: this is no run"),
                (["report", study], f"this is a study, and not a saved run; simdbench study {study}"),
                (["compare", run, study], f"simdbench study {study} reads it"),
                (["study", declared], f"a declaration of functions, and not a study; simdbench "
                                      f"call {declared} reads it"),
                (["call", run], f"{run}: this is a saved run, and not a declaration of functions; "
                                f"simdbench report {run} reads it"),
                (["ab", run, run], f"{run}: this is a saved run, and not a build; simdbench "
                                   f"compare A.json B.json reads two"),
                (["explain", run], f"{run}: this is a saved run, and not a case"),
                (["explain", other], f"{other}: a file, and not a case"),
                (["gemm", "--plugin", source], f"{source}: this is source text"),
                (["gemm", "--plugin", run], f"{run}: this is a saved run, and not a declaration"),
                (["gemm", f"--plugin={archive},as=x"], f"{archive}: a plug-in is a shared object"),
                (["./missing.so"], "./missing.so: No such file or directory"),
                (["audit", "./missing.so"], "cannot read module './missing.so'"),
                (["history", "bench.db"], "simdbench history --history=bench.db"),
                (["call", "/bin/sh"], "/bin/sh: no names of functions are in it")):
            with self.subTest(words=words):
                status = 5 if words[0] == "call" and words[1] == "/bin/sh" else 2
                done = self.run_tool(*map(str, words), status=status, cwd=folder)
                self.assertIn(message, done.stderr)
                self.assertNotIn("--plugin", done.stderr)

    def test_unknown_event(self):
        """What is near depends on the machine."""
        self.assertIn("no-such-event", self.refused(["gemm", "--events=no-such-event"]))

    def test_unwritable(self):
        for path in ("/dev/full", "/proc/run.json", "no/such/run.json", "."):
            for option in ("--json=", "--markdown=", "--format=csv:"):
                with self.subTest(path=path, option=option):
                    done = self.run_tool("gemm", "--sizes=8", "--isa=scalar", "--rounds=6",
                                         "--baseline=none", "--time-per-case=1ms",
                                         f"{option}{path}", status=2, cwd=self.folder)
                    self.assertIn(path, done.stderr)
                    self.assertEqual(list(self.folder.iterdir()), [])

    def test_old_file_survives(self):
        path = self.folder / "run.json"
        path.write_text("precious")
        self.run_tool("gemm", "--sizes=1M", f"--json={path}", status=2)
        self.assertEqual(path.read_text(), "precious")
        self.run_tool("call", "libz.so.1:nothing*", f"--output={path}", status=5)
        self.assertEqual(path.read_text(), "precious")
        self.assertEqual(list(self.folder.iterdir()), [path])


class Plan(Case):
    def test_nothing_is_written(self):
        done = self.run_tool("gemm", "--dry-run", "--sizes=8", "--seed=1",
                             f"--json={self.folder}/run.json")
        self.assertTrue(done.stdout.startswith("seed 1\ngroup 1: gemm f32 8x8x8, 1024 op"))
        self.assertEqual(list(self.folder.iterdir()), [])
