# SPDX-License-Identifier: Apache-2.0
"""Help, plans, and every way to ask for what cannot be."""
import re
import time

from cli_tool import Case, environment, plain

__all__ = ["Help", "Mistakes", "Plan"]

# Arguments, and what the message must name beside them.
MISTAKES = [
    (["gem"], ["gem", "gemm"]),
    (["gemm", "--isa=avx3"], ["--isa", "avx3", "avx2"]),
    (["gemm", "--type=f16"], ["--type", "f16"]),
    (["gemm", "--semiring=maxplu"], ["--semiring", "maxplu", "maxplus"]),
    (["gemm", "--variants=fam"], ["--variants", "fam", "fma"]),
    (["gemm", "--filter=nothing*"], ["--filter"]),
    (["gemm", "--sizes="], ["--sizes"]),
    (["gemm", "--sizes=abc"], ["--sizes", "abc"]),
    (["gemm", "--sizes=64.."], ["--sizes", "64.."]),
    (["gemm", "--sizes=512..64"], ["--sizes", "512..64"]),
    (["gemm", "--sizes=64..512:0"], ["--sizes", "64..512:0"]),
    (["gemm", "--sizes=64..512*1"], ["--sizes", "64..512*1"]),
    (["gemm", "--sizes=64,,65"], ["--sizes", "64,,65"]),
    (["gemm", "--sizes=64x"], ["--sizes", "64x"]),
    (["gemm", "--sizes=64x32"], ["64x32"]),
    (["gemm", "--sizes=-1"], ["--sizes", "-1"]),
    (["gemm", "--sizes=99999999999999999999"], ["--sizes", "99999999999999999999"]),
    (["gemm", "--sizes=99999999G"], ["--sizes"]),
    (["gemm", "--sizes=1..100000000:1"], ["--sizes", "1..100000000:1"]),
    (["gemm", "--sizes=3000000000x3000000000x1"], ["--sizes", "3000000000"]),
    (["gemm", "--sizes=1M"], ["--sizes", "1000000", "memory"]),
    (["gemm", "--threads=0"], ["--threads", "0"]),
    (["gemm", "--threads=two"], ["--threads", "two"]),
    (["gemm", "--rounds=0"], ["--rounds", "0"]),
    (["gemm", "--time-per-case=0"], ["--time-per-case", "0"]),
    (["gemm", "--timeout=soon"], ["--timeout", "soon"]),
    (["gemm", "--seed=lucky"], ["--seed", "lucky"]),
    (["gemm", "--align=3"], ["--align", "3"]),
    (["gemm", "--cache=warm"], ["--cache", "warm", "hot"]),
    (["gemm", "--pages=1g"], ["--pages", "1g", "2m"]),
    (["gemm", "--check=some"], ["--check", "some", "full"]),
    (["gemm", "--format=xml"], ["--format", "xml", "json"]),
    (["gemm", "--format=csv", "--format=json"], ["--format=csv", "--format=json"]),
    (["gemm", "--json=run", "--format=csv:run"], ["--json=run", "--format=csv:run"]),
    (["gemm", "--cpu=a"], ["--cpu", "a"]),
    (["gemm", "--cpu=99999"], ["--cpu", "99999"]),
    (["gemm", "--input=no-such"], ["--input", "no-such"]),
    (["gemm", "--layout=nchw"], ["--layout", "nchw", "gemm"]),
    (["gemm", "--shape=64..128"], ["--shape", "64..128"]),
    (["gemm", "--shapes=vgg16"], ["--shapes", "vgg16", "suite"]),
    (["roof", "--shapes=vgg16"], ["--shapes", "vgg16", "roof"]),
    (["conv", "--shapes=vgg61", "--baseline=none"], ["--shapes", "vgg61", "vgg16"]),
    (["conv", "--layout=nchw16", "--baseline=none"], ["--layout", "nchw16", "nchw16c"]),
    (["gemm", "--input=special,specials"], ["--input", "specials", "special"]),
    (["gemm", "--baseline=openblass"], ["--baseline", "openblass"]),
    (["gemm", "--plugin=missing.so"], ["--plugin", "missing.so"]),
    (["gemm", "--counters=cach"], ["--counters", "cach", "cache"]),
    (["list", "groups", "--uarch=skylake"], ["--uarch", "skylake", "skx"]),
    (["list", "groups", "nothing"], ["groups", "nothing"]),
    (["gemm", "--json"], ["--json"]),
    (["gemm", "--quiet=1"], ["--quiet"]),
    (["gemm", "--jsn=x"], ["--jsn", "json"]),
    (["gemm", "extra"], ["extra"]),
    (["report"], ["report"]),
    (["report", "missing.json"], ["missing.json"]),
    (["report", "/dev/null"], ["/dev/null"]),
    ([], ["Usage"]),
]
# Their text depends on the machine: on its memory, CPUs, or events.
UNSTABLE = [
    (["gemm", "--events=no-such-event"], ["--events", "no-such-event"]),
]


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
    def refused(self, arguments, words):
        """Runs it where a file would show; returns the message."""
        folder = self.new_folder()
        if "gemm" in arguments and "--json" not in arguments:
            arguments = [*arguments, f"--markdown={folder}/run.md"]
        started = time.monotonic()
        done = self.run_tool(*arguments, status=2, timeout=20, cwd=folder)
        self.assertLess(time.monotonic() - started, 15)
        self.assertEqual(done.stdout, "")
        self.assertEqual(list(folder.iterdir()), [])
        for word in words:
            self.assertIn(word, done.stderr)
        return done.stderr

    def test_mistakes(self):
        text = ""
        for arguments, words in MISTAKES:
            with self.subTest(arguments=arguments):
                message = self.refused(arguments, words)
                text += f"$ simdbench {' '.join(arguments)}\n{plain(message)}\n"
        self.assert_golden("mistakes.txt", text)

    def test_mistakes_of_this_machine(self):
        for arguments, words in UNSTABLE:
            with self.subTest(arguments=arguments):
                self.refused(arguments, words)

    def test_unwritable(self):
        for path in ("/dev/full", "/proc/run.json", "no/such/run.json", "."):
            for option in ("--json=", "--markdown=", "--format=csv:"):
                with self.subTest(path=path, option=option):
                    done = self.run_tool("gemm", "--sizes=8", "--isa=scalar", "--rounds=6",
                                         "--baseline=none", "--time-per-case=1ms",
                                         f"{option}{path}", status=2, cwd=self.folder)
                    self.assertIn(path, done.stderr)
                    self.assertEqual(list(self.folder.iterdir()), [])

    def test_bad_runs(self):
        for text in ("", "{", "[]", "{}", '{"schema_version": 99}', "null\0",
                     '{"schema_version": 1, "schema_version": 1}'):
            with self.subTest(text=text):
                path = self.folder / "run.json"
                path.write_text(text)
                done = self.run_tool("report", path, status=2)
                self.assertIn("run.json", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_old_file_survives(self):
        path = self.folder / "run.json"
        path.write_text("precious")
        self.run_tool("gemm", "--sizes=1M", f"--json={path}", status=2)
        self.assertEqual(path.read_text(), "precious")
        self.assertEqual(list(self.folder.iterdir()), [path])


class Plan(Case):
    def plan(self, *arguments):
        return self.run_tool("gemm", "--dry-run", "--baseline=none", *arguments).stdout

    def shapes(self, sizes):
        text = self.plan("--isa=scalar", "--variants=add", f"--sizes={sizes}")
        return re.findall(r"gemm/\S+@([0-9x]+)", text)

    def test_golden(self):
        self.assert_golden("plan.txt", self.plan("--isa=scalar", "--sizes=8..32", "--seed=1"))

    def test_sizes(self):
        cube = "{0}x{0}x{0}".format
        for sizes, expected in (
                ("64..512", map(cube, (64, 128, 256, 512))),
                ("64..512:64", map(cube, range(64, 513, 64))),
                ("1..1k*10", map(cube, (1, 10, 100, 1000))),
                ("64,100,128", map(cube, (64, 100, 128))),
                ("64x32x128", ["64x32x128"]),
                ("1Ki,2k", map(cube, (1024, 2000))),
                ("0,1", map(cube, (0, 1))),
                ("7,7x7x7,7", [cube(7)])):
            with self.subTest(sizes=sizes):
                self.assertEqual(self.shapes(sizes), list(expected))

    def test_two_words(self):
        self.assertEqual(self.plan("--isa", "scalar", "--sizes", "8", "--seed", "1"),
                         self.plan("--isa=scalar", "--sizes=8", "--seed=1"))

    def test_nothing_is_written(self):
        self.run_tool("gemm", "--dry-run", "--sizes=8", f"--json={self.folder}/run.json",
                      env=environment(NO_COLOR="1"))
        self.assertEqual(list(self.folder.iterdir()), [])
