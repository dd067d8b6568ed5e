# SPDX-License-Identifier: Apache-2.0
"""`simdbench prove`: what runs inside programs that know nothing of it, and that these do
what they do without it."""
import json
import os
import platform
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

from cli_tool import BINARY, PATIENCE, Case, environment

SOURCE = Path(__file__).with_name("watched.c")
LIBRARY = SOURCE.with_name("watched_library.c")


@unittest.skipUnless(platform.machine() == "x86_64", "the tracer is for x86-64")
class ProgramCase(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.built = Path(cls.enterClassContext(
            tempfile.TemporaryDirectory(prefix="simdbench-")))
        for name, planted in ("good", []), ("planted", ["-DPLANTED"]):
            library = cls.built / name / "libsum.so"
            library.parent.mkdir()
            subprocess.run(["gcc", "-O1", *planted, "-shared", "-fPIC", "-o",
                            library, LIBRARY], check=True)
        cls.program = cls.built / "program"
        for name, options in (("program", [f"-L{cls.built}/good", "-lsum"]),
                              ("opener", ["-DOPENER"])):
            subprocess.run(["gcc", "-O1", "-Wl,-z,lazy", "-o", cls.built / name, SOURCE,
                            *options, "-ldl", "-lpthread"], check=True)

    def setUp(self):
        super().setUp()
        self.need_tracing()

    def environment(self, library="good"):
        return environment(LD_LIBRARY_PATH=str(self.built / library))

    def alone(self, *words, library="good"):
        """The program without us."""
        return subprocess.run([self.program, *words], text=True, capture_output=True,
                              check=False, env=self.environment(library), timeout=PATIENCE)

    def prove(self, *words, options=("--function=sum",), library="good", status=0,
              program=None):
        """Of the program with these words: what is as without us, and the document."""
        path = self.folder / "prove.json"
        done = self.run_tool("prove", *options, f"--json={path}", "--", program or self.program,
                             *words, status=status, env=self.environment(library))
        return done, json.loads(path.read_text(encoding="utf-8"))

    def function(self, document, name="sum"):
        found = [f for f in document["functions"] if f["name"] == name and f["calls"]]
        self.assertEqual(len(found), 1, document["functions"])
        return found[0]

    def captured(self, *words, functions):
        """The program does what it does without us; what was captured."""
        path = self.folder / "capture.json"
        done = self.run_tool("capture", *(f"--function={name}" for name in functions),
                             f"--json={path}", "--", self.program, *words,
                             env=self.environment())
        self.assertEqual(done.stdout, self.alone(*words).stdout)
        return json.loads(path.read_text(encoding="utf-8"))

    def looping(self):
        """A process that calls all the time, until a file is there."""
        stop = self.folder / "stop"
        process = subprocess.Popen([self.program, "loop", stop], text=True,
                                   stdout=subprocess.PIPE, env=self.environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.assertEqual(process.stdout.readline(), f"ready {process.pid}\n")
        return process, stop


class ForeignPrograms(ProgramCase):
    # ---- what executed ----

    def test_dispatcher(self):
        """The target that it chose, its width, its arguments."""
        rule = "libsum:sum: bits>=128, scalar<=20%, target=sum_sse2, isa>=sse2, called>=10"
        done, document = self.prove(options=[f"--expect={rule}"])
        self.assertEqual(done.stdout, self.alone().stdout)
        function = self.function(document)
        self.assertEqual((function["target"], function["calls"], function["calls_exact"]),
                         ("sum_sse2", 10, True))
        self.assertGreaterEqual(len(function["traced"]), 2)
        for call in function["traced"]:
            self.assertEqual((call["isa"], call["bits"]), ("sse2", 128))
            self.assertEqual(call["arguments"][1], hex(1024))
            self.assertTrue(call["whole"])
            self.assertGreater(call["instructions"], 1024)
        self.assertEqual([r["verdict"] for r in document["rules"]], ["kept"])
        self.assertEqual(document["program"]["status"], 0)
        self.assertIn("sum -> sum_sse2", done.stderr)

    def test_arguments_of_a_function_that_jumps_on(self):
        """It goes to another file before it reads them, at its first call through the loader."""
        for name, text, more in (
                ("far", "int far(int x, int y) { return x * y; }", ["-shared", "-fPIC"]),
                ("near", "int far(int, int); int near(int x, int y) { return far(x, y); }",
                 ["-shared", "-fPIC", "-lfar"]),
                ("main", "int near(int, int); int main(void) { int a = near(5, 7); return a - near(7, 5); }",
                 ["-lnear", "-lfar"])):
            source = self.folder / f"{name}.c"
            source.write_text(text)
            made = self.folder / (f"lib{name}.so" if "-shared" in more else name)
            subprocess.run(["gcc", "-O2", "-Wl,-z,lazy", "-o", made, source, f"-L{self.folder}",
                            *more], check=True)
        _, document = self.prove(options=["--function=near"], library=self.folder,
                                 program=self.folder / "main")
        self.assertEqual([call["arguments"] for call in self.function(document, "near")["traced"]],
                         [[], ["0x7", "0x5"]])

    def test_planted_fallback(self):
        """Scalar code where vectors were expected fails, with the sentence."""
        done, document = self.prove(options=["--expect=sum: bits>=128, scalar<=20%"],
                                    library="planted", status=1)
        self.assertEqual(self.function(document)["target"], "sum_scalar")
        self.assertIn("bits>=128 was expected, but bits is 32", done.stderr)
        self.assertIn("scalar<=20% was expected, but scalar is 99.9% of", done.stderr)
        self.assertEqual(done.stdout, self.alone(library="planted").stdout)

    def test_code_of_another_file(self):
        """A resolver gets a stub of a program at a fixed address for another file's function."""
        source = {name: self.folder / f"{name}.c" for name in ("far", "near", "main")}
        source["far"].write_text("int far(int x) { return x * x + 3; }\n")
        source["near"].write_text("""
            int far(int);
            static int (*choose(void))(int) { return far; }
            int near(int) __attribute__((ifunc("choose")));
            """)
        source["main"].write_text("""
            int far(int), near(int);
            int (*volatile pointer)(int) = far;
            int main(void) { return near(1) + near(2) + pointer(3) != 4 + 7 + 12; }
            """)
        for name, more in ("far", []), ("near", [f"-L{self.folder}", "-lfar"]):
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o",
                            self.folder / f"lib{name}.so", source[name], *more], check=True)
        for kind in "-no-pie", "-pie":
            program = self.folder / f"fixed{kind}"
            subprocess.run(["gcc", "-O1", f"-f{kind[1:]}", kind, "-o", program, source["main"],
                            f"-L{self.folder}", "-lnear", "-lfar",
                            f"-Wl,-rpath,{self.folder}"], check=True)
            done, document = self.prove(program=program, options=[
                "--expect=near: object=libfar.so, target=far, called=3"])
            self.assertEqual([r["verdict"] for r in document["rules"]], ["kept"], done.stderr)

    def test_unseen_resolver(self):
        """It ran within a traced call: nothing is said of its function."""
        done, document = self.prove("within", options=["--function=outer", "--function=sum",
                                                       "--calls=1"])
        self.assertIn("no resolver was seen of: sum; never called, or chosen", done.stderr)
        self.assertEqual([f["name"] for f in document["functions"] if f["calls"]], ["outer"])

    def test_calls_without_a_loop(self):
        """The whole call counts."""
        source = self.folder / "straight.c"
        source.write_text("""
            __attribute__((noinline)) int g(int x) { return x * 3; }
            __attribute__((noinline)) int h(int x) { return g(x) + g(x + 1) + 1; }
            int main(int n, char **words) { return h(n) + h(n + 1) == 1; }
            """)
        program = self.folder / "straight"
        subprocess.run(["cc", "-O1", "-o", program, source], check=True)
        for rule, status in ("calls=0", 1), ("calls=2", 0):
            done, _ = self.prove(program=program, options=["--function=h",
                                                           f"--expect=h: {rule}"], status=status)
        self.assertIn("kept: h: calls=2", done.stderr)

    def test_call_within_a_traced_call(self):
        """It is counted, and rules about its number hold or break."""
        functions = ["--function=outer", "--function=sum_sse2", "--function=picky",
                     "--calls=1"]
        done, document = self.prove("within", options=[*functions, "--expect=sum_*: called>=1",
                                                       "--expect=sum_*: object=libsum*"])
        self.assertEqual((self.function(document, "sum_sse2")["calls"],
                          self.function(document, "sum_sse2")["traced"]), (3, []))
        self.assertEqual(self.function(document, "outer")["calls"], 4)
        self.assertTrue(self.function(document, "sum_sse2")["calls_exact"])
        self.assertIn("sum_sse2: none of its calls was traced", done.stderr)
        self.assertIn("never called: picky", done.stderr)
        done, _ = self.prove("within", options=[*functions, "--expect=sum_*: called=0"],
                             status=1)
        self.assertIn("called=0 was expected, but called is 3", done.stderr)
        done, _ = self.prove("within", options=[*functions, "--expect=sum_*: bits>=128"],
                             status=5)
        self.assertIn("NOT SEEN: sum_*: bits>=128", done.stderr)

    def test_main(self):
        """It has all other calls in it, so that it is traced only if it is named."""
        done, document = self.prove(options=["--function=program:mai*", "--function=sum"])
        self.assertEqual(self.function(document, "main")["traced"], [])
        self.assertGreater(len(self.function(document)["traced"]), 1)
        self.assertIn("main: none of its calls was traced: it has all others", done.stderr)
        _, document = self.prove("threads", options=["--function=main"])
        self.assertEqual(len(self.function(document, "main")["traced"]), 1)
        self.assertFalse(self.function(document, "main")["calls_exact"])

    def test_loader_within_a_call(self):
        """A call in which it looked up a function is told if there is no other."""
        done, document = self.prove("lazy", options=["--function=looks_up"])
        first, *others = self.function(document, "looks_up")["traced"]
        longest = max(call["instructions"] for call in others)
        self.assertGreater(first["instructions"], longest + 100)
        self.assertIn(f"the longest after its first has {longest:.0f} instr", done.stderr)
        done, _ = self.prove("lazy", options=["--function=looks_up", "--calls=1"])
        self.assertRegex(done.stderr, r"has \d+ instructions, \d+ of them of the loader")

    def test_opened_library(self):
        """A library that is loaded later, after a fork of the same file was not."""
        library = self.built / "good/libsum.so"
        _, document = self.prove("open", library, program=self.built / "opener",
                                 options=["--function=libsum.so:sum"])
        self.assertEqual(self.function(document)["target"], "sum_sse2")

    def test_reports(self):
        """JUnit, annotations and Markdown say the same."""
        files = {name: self.folder / name for name in ("junit", "annotations", "markdown")}
        self.prove(options=["--expect=sum: bits>=512", "--quiet",
                            *(f"--format={name}:{path}" for name, path in files.items())],
                   status=1)
        test = xml.etree.ElementTree.parse(files["junit"]).getroot().findall(".//testcase")
        self.assertEqual([t.get("name") for t in test], ["libsum.so:sum"])
        self.assertIn("bits>=512 was expected", test[0][0].get("message"))
        self.assertRegex(files["annotations"].read_text(encoding="utf-8"),
                         r"(?m)^::error title=.*libsum.*bits>=512 was expected")
        self.assertIn("| libsum.so | 10 | sse2 | 128 |",
                      files["markdown"].read_text(encoding="utf-8"))

    # ---- as without us ----

    def same(self, *words, status=0, processes=1, calls=None):
        done, document = self.prove(*words, status=status)
        alone = self.alone(*words)
        self.assertEqual(done.stdout, alone.stdout)
        self.assertEqual(document["program"]["processes"], processes)
        function = self.function(document)
        self.assertGreater(len(function["traced"]), 0)
        if calls:
            self.assertEqual(function["calls"], calls)
        return function

    def test_threads(self):
        """They run side by side, and one that waits is not interrupted."""
        function = self.same("threads")
        self.assertGreater(function["calls"], 10)
        self.assertFalse(function["calls_exact"])
        for rule, status in (("called>=5", 0), ("called<=5", 1), ("called>=1000000", 5),
                             ("called<=1000000", 5), ("called=1000000", 5)):
            with self.subTest(rule):
                self.prove("threads", options=["--function=sum", f"--expect=sum: {rule}"],
                           status=status)

    def test_suspended(self):
        """The program of test_threads is not interrupted by those who suspend and resume it."""
        program = subprocess.Popen([self.program, "threads"], text=True, stdout=subprocess.PIPE,
                                   env=self.environment())
        tasks = Path(f"/proc/{program.pid}/task")
        # When others have ended, two threads wait: one for the time, one for the other.
        self.wait_for(lambda: program.poll() is not None or len(list(tasks.iterdir())) == 2)
        program.send_signal(signal.SIGSTOP)
        program.send_signal(signal.SIGCONT)
        self.assertIn("\nnot interrupted", program.communicate(timeout=PATIENCE)[0])

    def test_fork(self):
        self.same("fork", processes=2, calls=7)

    def test_exec(self):
        """vfork, then exec in the child."""
        self.same("exec", processes=2, calls=5)

    def test_exec_in_a_call(self):
        """What a traced call turns the program into is watched as well."""
        done, document = self.prove("-c", f"exec {self.program}", program="sh",
                                    options=["--function=sum", "--function=libc:execve"])
        self.assertEqual(done.stdout, self.alone().stdout)
        self.assertEqual(self.function(document)["calls"], 10)
        call, = self.function(document, "execve")["traced"]
        self.assertEqual(call["error"], "another program took its place")

    def test_signals(self):
        """Signals arrive in calls that are traced, and traps of the program are its own."""
        self.same("signals")

    def test_beginning(self):
        """A call whose thread went elsewhere tells nothing of its rest; another one does."""
        for again, rule, status in ((0, "bits>=128", 5), (0, "bits=0", 5), (0, "isa>=avx512", 5),
                                    (0, "isa<scalar", 1), (0, "called>=1", 0),
                                    (1, "bits>=128", 0), (1, "bits=0", 1)):
            with self.subTest(again=again, rule=rule):
                done, document = self.prove("begin", str(again), status=status, options=[
                    "--function=beginning", f"--expect=beginning: {rule}"])
                first = self.function(document, "beginning")["traced"][0]
                self.assertIn("instructions", first)
                self.assertEqual(done.stdout, self.alone("begin", str(again)).stdout)

    def test_status(self):
        self.same("status", status=7, calls=2)

    def test_crash(self):
        function = self.same("crash", status=128 + signal.SIGSEGV)
        self.assertEqual(function["calls"], 3)

    @staticmethod
    def opens(pipe):
        """True, and the reader goes on, if the pipe has one."""
        try:
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    def test_daemon(self):
        """A child that outlives the command goes on, without breakpoints."""
        path, go = self.folder / "done", self.folder / "go"
        os.mkfifo(go)
        done, _ = self.prove("daemon", path, go)
        self.assertEqual(done.stdout, "3 9201\n")
        self.wait_for(lambda: self.opens(go))
        self.wait_for(path.exists)
        self.wait_for(lambda: path.read_text(encoding="utf-8") == "306700\n")

    def test_suspended_daemon(self):
        """It stays suspended, and goes on when somebody continues it."""
        path = self.folder / "done"
        done, _ = self.prove("daemon", path)
        pid = int(done.stdout.split()[-1])
        status = Path(f"/proc/{pid}/status")
        self.wait_for(lambda: "State:\tT (stopped)\n" in status.read_text(encoding="utf-8"))
        os.kill(pid, signal.SIGCONT)
        self.wait_for(path.exists)
        self.wait_for(lambda: path.read_text(encoding="utf-8") == "306700\n")

    # ---- files of one name ----

    # ---- a process that runs already ----

    def test_attached(self):
        """It goes on when we leave, with the code that it had."""
        process, stop = self.looping()
        done = self.run_tool("prove", "--function=sum_sse2", f"--pid={process.pid}",
                             "--time=600s", "--format=json")
        function = self.function(json.loads(done.stdout), "sum_sse2")
        self.assertEqual(len(function["traced"]), 5)
        self.assertIsNone(process.poll())
        stop.touch()
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], "3067 clean\n")
        self.assertEqual(process.returncode, 0)

    def end_tracing(self, number):
        """A signal to simdbench leaves a process that was attached to as it was. It waits for a
        function that nobody calls."""
        process, stop = self.looping()
        tool = subprocess.Popen([BINARY, "prove", "--function=sum_sse2", "--function=sum_scalar",
                                 "--calls=1000", f"--pid={process.pid}",
                                 f"--time={PATIENCE}s"], text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=environment())
        status = Path(f"/proc/{process.pid}/status")
        self.wait_for(lambda: "TracerPid:\t0\n" not in status.read_text(), tool)
        tool.send_signal(number)
        tool.wait(PATIENCE)
        self.wait_for(lambda: "TracerPid:\t0\n" in status.read_text())
        stop.touch()
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], "3067 clean\n")
        self.assertEqual(process.returncode, 0)

    def test_interrupted(self):
        self.end_tracing(signal.SIGTERM)

    def test_killed(self):
        self.end_tracing(signal.SIGKILL)

    def test_own_traps(self):
        """A trap within a function that is traced or captured."""
        self.assertEqual(self.alone("traps").stdout, 5 * "10\n")
        done, _ = self.prove("traps", options=["--function=trapping"])
        self.assertEqual(done.stdout, 5 * "10\n")
        self.captured("traps", functions=("trapping",))

    def test_flags(self):
        """popf, of which a step leaves the flag of steps in the program's hands."""
        self.assertEqual(self.alone("flags").stdout, "9\n")
        done, _ = self.prove("flags", options=["--function=restoring"])
        self.assertEqual(done.stdout, "9\n")
        self.captured("flags", functions=("restoring",))

    # ---- mistakes ----

    def test_nothing(self):
        """No such function, none that is called, no such command."""
        error = self.run_tool("prove", "--function=sum_sse", "--", self.program, status=2,
                              env=self.environment()).stderr
        self.assertIn("no function of the program has that name", error)
        self.assertIn("did you mean sum_sse2", error)
        error = self.run_tool("prove", "--function=libother:sum_sse2", "--", self.program,
                              status=2, env=self.environment()).stderr
        self.assertRegex(error, r"symbols; \S+ has one; a file")
        error = self.run_tool("prove", "--function=sum_scalar", "--", self.program, status=5,
                              env=self.environment()).stderr
        self.assertIn("never called: sum_scalar", error)
        error = self.run_tool("prove", "--function=sum", "--", self.folder / "none",
                              status=2).stderr
        self.assertIn("No such file", error)
        self.run_tool("prove", "--function=sum", status=2)
        self.run_tool("prove", "--", self.program, status=2)
        error = self.run_tool("capture", "--function=sum", "--save=x.json", "--", "true",
                              status=2).stderr
        self.assertIn("--prototype", error)

    def test_rules(self):
        """A typo is pointed at."""
        for rule, marked in (("f*: bitz>=512", "bitz"), ("f: bits>512x", "512x"),
                             ("f: bits", "bits"), ("f: isa>=avx3", "avx3"),
                             ("a::f: object>libx", "libx"), ("bits>=", "=")):
            with self.subTest(rule):
                error = self.run_tool("prove", f"--expect={rule}", "--", "true",
                                      status=2).stderr.splitlines()
                self.assertEqual(len(error), 3, error)
                carets = error[2]
                self.assertEqual(error[1][carets.index("^"):carets.rindex("^") + 1]
                                 or "=", marked)
