# SPDX-License-Identifier: Apache-2.0
"""Output of programs of other harnesses."""
import json
import os
import re
import shutil
import subprocess
import sys

from cli_harness import QUICK, HarnessCase
from cli_tool import BINARY, environment

# The output of each for two cases, of 250 ns and of $1 ns.
FORMATS = {
    "go": r"""
        filter=^; for word; do case $word in -test.bench=*) filter=${word#*=};; esac; done
        case $filter in *Sub*|^) echo "BenchmarkMap/Sub-2  100  250.0 ns/op  8 B/op";; esac
        case $filter in '^BenchmarkSort$'|^) echo "BenchmarkSort     100  $1 ns/op";; esac
        echo PASS""",
    "criterion": r"""
        [ -d "$CRITERION_HOME" ] || exit 9
        case $* in *--list*) echo 'sort 64: benchmark'; echo 'a name of many long words/1: bench'
            exit;; esac
        case $* in *sort*) echo 'Benchmarking sort 64'
            echo "sort 64                 time:   [1.0000 ps $1 ns 900.00 ns]"
            echo "                 change:"
            echo "                        time:   [-1.0% +2.0% +3.0%] (p = 0.03 < 0.05)";; esac
        case $* in *many*) echo 'a name of many long words/1'
            echo "                        time:   [0.2000 µs 0.25000 µs 0.3000 µs]";; esac""",
    "divan": r"""
        echo 'd           fastest   │ slowest │ median   │ mean │ samples'
        case $* in *--exact*d::inner::map*|*sample-size=1*)
            echo '├─ inner              │         │          │      │'
            echo '│  ╰─ map      158 ns │    9 ns │ 0.25 µs  │ 9 ns │ 100';; esac
        case $* in *--exact*d::sort*|*sample-size=1*)
            echo '╰─ sort               │         │          │      │'
            echo "   ╰─ t=2      158 ns │    9 ns │ $1 ns │ 9 ns │ 100";; esac""",
    "catch2": r"""
        echo '<?xml version="1.0"?><Catch><TestCase name="a &quot;b&quot;" tags="[x]">'
        echo '<BenchmarkResults name="map &lt;int&gt;" samples="10">'
        echo '<!-- All values in nano seconds --><mean value="250" lowerBound="1"/>'
        echo '<standardDeviation value="7"/></BenchmarkResults>'
        echo "<BenchmarkResults name='' name=\"sort\"><mean value=\"$1\"/></BenchmarkResults>"
        echo '</TestCase></Catch>'""",
    "nanobench": r"""
        echo '|  relative |   ns/op |    op/s | err% | total | sums'
        echo '|----------:|--------:|--------:|-----:|------:|:-----'
        echo '|    100.0% |  250.00 | 4,000,000.00 | 0.1% |  0.01 | `map`'
        rate=$(awk "BEGIN {printf \"%.6f\", 1e9 / $1}")
        echo "|     50.0% |    $1 | $rate | 0.1% |  0.01 | :wavy_dash: \`sort\` (Unstable)" """,
    "pytest-benchmark": r"""
        case $* in *--benchmark-only*--benchmark-json=/dev/stdout*) ;; *) exit 4;; esac
        printf 't.py ..  [100%%]{\n"benchmarks": [{"fullname": "t.py::sort[1]", "stats": '
        echo "{\"data\": [$1e-9, $1e-9, 1]}}, "
        echo '{"fullname": "t.py::map", "stats": {"data": [2.5e-7]}}]}'
        echo '1 passed in 0.1s'""",
    "checkasm": r"""
        echo 'checkasm: using random seed 1'
        echo ' nop:                 12.0'
        echo '  put_w8_c:           250.0 +/- 1.5      71.4 ns +/- 0.4'
        echo ' - average timing error: 0.1%'
        echo "put_w8_avx2:          $1 ( 2.00x)" """,
}


class Harnesses(HarnessCase):
    def test_formats(self):
        for name, text in FORMATS.items():
            with self.subTest(name=name):
                bench = self.script(name, f"#!/bin/sh\n{text}\n")
                document = self.compare(f"{bench} 100.0", f"{bench} 150.0",
                                        f"--harness={name}", status=1)
                changes = sorted((round(r["comparison"]["change"], 9), r["id"])
                                 for r in document["results"])
                self.assertEqual([c for c, _ in changes], [0, 0.5], changes)
                times = sorted(r["comparison"]["base_ns"] for r in document["results"])
                if name == "checkasm":  # in ticks of the time-stamp counter
                    self.assertAlmostEqual(times[1] / times[0], 2.5)
                else:
                    self.assertEqual([round(t, 6) for t in times], [100, 250])

    def test_names(self):
        want = {"go": {"BenchmarkMap/Sub-2", "BenchmarkSort"},
                "criterion": {"sort 64", "a name of many long words/1"},
                "catch2": {'a "b"/map <int>', 'a "b"/sort'},
                "divan": {"d::inner::map", "d::sort::t=2"}, "nanobench": {"map", "sort"},
                "pytest-benchmark": {"t.py::sort[1]", "t.py::map"},
                "checkasm": {"put_w8_c", "put_w8_avx2"}}
        for name, ids in want.items():
            bench = self.script(name, f"#!/bin/sh\n{FORMATS[name]}\n")
            done = self.run_tool("ab", f"{bench} 1", f"{bench} 1", f"--harness={name}",
                                 "--dry-run")
            self.assertEqual(set(done.stdout.splitlines()[1:]), ids)

    def test_checkasm_with_a_library(self):
        """It prints CSV, and runs the functions alone that may be wanted."""
        bench = self.script("bench", r"""#!/bin/sh
            # checkasmVersion
            case $* in *'--bench --csv --function=put*'*) ;; *) exit 9;; esac
            printf 'put_w4,c,9,9,9\nput_w8,c,250.0000,1,1\nput_w8,avx2,%s,1,1\n' "$1"
            """)
        document = self.compare(f"{bench} 100.5000", f"{bench} 150.7500", "put_w8*", status=1)
        self.assertEqual(document["gate"]["harness"], "checkasm")
        self.assertEqual(self.verdicts(document), {"put_w8_c": "SAME", "put_w8_avx2": "REGRESSED"})
        self.assertAlmostEqual(self.by_id(document)["put_w8_avx2"]["comparison"]["change"], 0.5)

    def test_repetitions_of_go(self):
        """The median of short runs counts; a case that is longer than a slice runs once."""
        bench = self.script("bench", r"""#!/bin/sh
            echo "$*" >>"$0.calls"
            case $* in
                *benchtime=1x*) echo 'BenchmarkShort 1 5 ns/op'
                    echo 'BenchmarkLong 1 40000000 ns/op';;
                *Short*benchtime=400us*)
                    for ns in $1 $1 7777; do echo "BenchmarkShort 9 $ns ns/op"; done;;
                *Long*benchtime=20000us*count=1) echo 'BenchmarkLong 9 40000000 ns/op';;
            esac
            """)
        document = self.compare(f"{bench} 50", f"{bench} 60", "--harness=go", status=1)
        found = {r["id"]: (r["comparison"]["base_ns"], r["comparison"]["head_ns"])
                 for r in document["results"]}
        self.assertEqual(found, {"BenchmarkShort": (50, 60), "BenchmarkLong": (4e7, 4e7)})
        calls = (self.folder / "bench.calls").read_text().splitlines()
        short = [line for line in calls if "Short" in line]
        self.assertRegex(short[0], "count=3$")  # the first one tells what they take
        self.assertTrue(all(line.endswith(short[1].split()[-1]) for line in short[1:]), short)
        # A list runs each case once, those alone that may be wanted.
        self.run_tool("ab", bench, bench, "BenchmarkSho*/n=1", "--harness=go", "--dry-run", status=2)
        listed = (self.folder / "bench.calls").read_text().splitlines()[-1]
        self.assertRegex(listed, r"-test\.bench=\^BenchmarkSho -test\.benchtime=1x")

    def test_case_of_go_that_fails(self):
        """The others are compared, unless the process ends before them."""
        bench = self.script("bench", r"""#!/bin/sh
            case $* in *Sort*|*=^\ *) echo 'BenchmarkSort 9 50.0 ns/op';; esac
            case $* in *Late*|*=^\ *) echo 'BenchmarkLate 9 50.0 ns/op';; esac
            case $* in *Late*) printf '%s\n' '--- FAIL: BenchmarkLate' '    no file';; esac
            case $* in *File*|*=^\ *) printf '%s\n' '--- FAIL: BenchmarkFile' '    no file';; esac
            case $* in *Sort*) echo PASS;; *) echo "$1"; exit 1;; esac
            """)
        document = self.compare(f"{bench} FAIL", f"{bench} FAIL", "--harness=go")
        found = {r["id"]: (r["status"], r["reason"]) for r in document["results"]}
        skipped = ("skipped", "both builds skip it: it fails: no file")
        self.assertEqual(found, {"BenchmarkSort": ("ok", None), "BenchmarkFile": skipped,
                                 "BenchmarkLate": skipped})
        done = self.run_tool("ab", f"{bench} FAIL", f"{bench} panic", "--harness=go", status=2)
        self.assertIn("HEAD=", done.stderr)
        self.assertIn("ended with exit status 1", done.stderr)

    def test_samples_of_criterion(self):
        """Their median counts, not the slope that is printed, nor another case of that name."""
        samples = r"""
            for case in map sort; do
                mkdir -p "$CRITERION_HOME/$case/new" && cd "$CRITERION_HOME/$case/new" || exit 9
                echo "{\"full_id\": \"$case/1\"}" >benchmark.json
                echo "{\"iters\": [1, 2, 4], \"times\": [$2, 90000, $(($2 * 4))]}" >sample.json
            done
            mkdir -p "$CRITERION_HOME/sort_2/new" && cd "$CRITERION_HOME/sort_2/new" || exit 9
            echo '{"full_id": "sort/1", "title": "sort/1 #2"}' >benchmark.json
            echo '{"iters": [1, 2, 4], "times": [7, 14, 28]}' >sample.json"""
        bench = self.script("bench", "#!/bin/sh\n" + FORMATS["criterion"].replace(
            "sort 64", "sort/1") + samples + "\n")
        document = self.compare(f"{bench} 20.0 40", f"{bench} 30.0 50", "--harness=criterion",
                                status=1)
        found = {r["id"]: (r["comparison"]["base_ns"], r["comparison"]["head_ns"])
                 for r in document["results"]}
        self.assertEqual(found, {"sort/1": (40, 50), "a name of many long words/1": (250, 250)})

    def test_numbers_of_few_digits(self):
        """Times of 0.03 and 0.04 may be nearly equal, and equal ones may not be."""
        bench = self.script("bench", '#!/bin/sh\necho "a: $1 ns"; echo "b: $2 ns"\n')
        pattern = "--pattern=^([a-z]+): ([0-9.]+) ns$"
        for base, head, status, verdicts in (
                ("0.03 0.81", "0.04 0.82", 0, ("UNUSABLE", "SAME")),
                ("0.03 0.81", "0.03 0.81", 0, ("UNUSABLE", "SAME")),
                ("0.03 0.81", "0.06 0.85", 1, ("REGRESSED", "REGRESSED"))):
            document = self.compare(f"{bench} {base}", f"{bench} {head}", "--harness=regex",
                                    pattern, status=status)
            found = self.verdicts(document)
            self.assertEqual((found["a"], found["b"]), verdicts)
            notes = [r["notes"] for r in document["results"]]
            self.assertRegex(notes[0][0], "prints times in steps of 33%")
            comparison = document["results"][1]["comparison"]
            self.assertAlmostEqual(comparison["rounding"], 0.01 / 0.81)
            self.assertAlmostEqual(comparison["delta"], 2 * 0.01 / 0.81)
            again = self.run_tool("report", self.folder / "run.json").stdout
            self.assertRegex(again, r"a\s.*" + verdicts[0])

    def test_marks(self):
        for mark, name in (("test.benchtime", "go"), ("CRITERION_HOME", "criterion"),
                           ("NANOBENCH_ENDLESS", "nanobench")):
            bench = self.script("marked", f"#!/bin/sh\n# {mark}\n{FORMATS[name]}\n")
            document = self.compare(f"{bench} 9", f"{bench} 9")
            self.assertEqual(document["gate"]["harness"], name)

    def test_regex(self):
        bench = self.script("bench", '#!/bin/sh\necho "mul: took $1 us"; echo "add: took 3 s"\n'
                                     'echo "sub: took 3 weeks"; echo "neg: took 7 usec"\necho other\n'
                                     'echo "div: took 1,025.5 us"; echo "rem: took 1.5x us"\n')
        pattern = "--pattern=^([a-z]+): took ([0-9.,x]+) ([a-z]+)$"
        document = self.compare(f"{bench} 2.5", f"{bench} 3", "--harness=regex", pattern,
                                status=1)
        results = self.by_id(document)
        self.assertEqual(results["mul"]["comparison"]["base_ns"], 2500)
        self.assertEqual(results["add"]["comparison"]["base_ns"], 3e9)
        self.assertEqual(results["neg"]["comparison"]["base_ns"], 7000)
        self.assertEqual(results["mul"]["comparison"]["verdict"], "REGRESSED")
        self.assertRegex(results["div"]["reason"], "its number has a comma")
        self.assertNotIn("rem", results)
        self.assertRegex(results["sub"]["reason"], "its unit is none of")
        rate = self.script("rate", '#!/bin/sh\necho "copy 12.5 MB/s"\n')
        document = self.compare(rate, rate, "--harness=regex", "--pattern=^([a-z]+) ([0-9.]+)",
                                status=4)
        self.assertRegex(document["results"][0]["reason"], "a rate is no time")
        power = self.script("power", '#!/bin/sh\necho "copy 1.5e+03"\n')
        document = self.compare(power, power, "--harness=regex", "--pattern=^([a-z]+) ([0-9.]+)",
                                status=4)
        self.assertRegex(document["results"][0]["reason"], "before the exponent")
        for wrong, why in (("([a-z]+", "[Uu]nmatched"), ("([a-z]+) 1", "a group for the name")):
            done = self.run_tool("ab", bench, bench, "--harness=regex", f"--pattern={wrong}",
                                 status=2)
            self.assertRegex(done.stderr, why)
        done = self.run_tool("ab", bench, bench, "--harness=regex", status=2)
        self.assertIn("needs --pattern", done.stderr)

    def test_command(self):
        """A whole program, whose time is that of the system. Its peak is known only above that
        of simdbench, which is larger with sanitizers."""
        arms = []
        big = "dd if=/dev/zero of=/dev/null bs=50M count=1"
        for base in ("/bin/true", "/bin/true | :"):
            document = self.compare(base, big, "--harness=command", status=1,
                                    env=environment(SIMDBENCH_TEST_CLOCK="2000,head=3000"))
            (result,) = document["results"]
            self.assertEqual((result["id"], result["status"]), ("command", "ok"))
            self.assertAlmostEqual(result["comparison"]["change"], 0.5)
            found = re.match(r"peak memory (at most )?([\d.]+) MB, before at most ([\d.]+) MB; "
                             r"\d+ page faults, before \d+$", result["notes"][0])
            self.assertGreaterEqual(float(found[2]), 50)
            if not found[1]:
                self.assertGreater(float(found[2]), float(found[3]))
            arms.append([arm["path"] for arm in document["gate"]["arms"]])
        self.assertEqual(arms, [["/bin/true", big, "/bin/true (a copy)"],
                                ["/bin/true | :", big, "/bin/true | : (again)"]])

    def test_same_program(self):
        """Said by the bytes that it loads, wherever its file is; other arguments may be why."""
        shutil.copy("/bin/sleep", self.folder / "other")
        table = self.folder / "table"
        for head, same in ((f"{self.folder / 'other'} 0", True), ("/bin/sleep 0.0", False),
                           ("/bin/true 0", False), ("A=1 /bin/sleep 0", False)):
            document = self.compare("/bin/sleep 0", head, "--harness=command",
                                    f"--format=table:{table}",
                                    env=environment(SIMDBENCH_TEST_CLOCK="2000"))
            self.assertEqual(document["gate"]["equal"], same, head)
            self.assertEqual("placement: both are the same program" in table.read_text(), same)

    def test_same_program_of_two_folders(self):
        """It is no news of an interpreter, whose scripts differ."""
        for name in "old", "new":
            (self.folder / name).mkdir()
            (self.folder / name / "script").touch()
            shutil.copy("/bin/sleep", self.folder / name / "sleep")
        for command, same in ("./sleep 0", True), ("sh script", False):
            document = self.compare(command, command, "--harness=command",
                                    f"--cwd-old={self.folder / 'old'}",
                                    f"--cwd-new={self.folder / 'new'}",
                                    env=environment(SIMDBENCH_TEST_CLOCK="2000"))
            self.assertEqual(document["gate"]["equal"], same, command)
        (self.folder / "ne").mkdir()  # "new" begins with it, and is no part of it
        document = self.compare("./sleep 0", f"{self.folder / 'new/sleep'} 0", "--harness=command",
                                f"--cwd-old={self.folder / 'old'}",
                                f"--cwd-new={self.folder / 'ne'}",
                                env=environment(SIMDBENCH_TEST_CLOCK="2000"))
        self.assertFalse(document["gate"]["equal"])

    def test_command_that_ends_before_its_children(self):
        for command, more, status in (("setsid true & wait", (), 0),
                                      ("setsid sleep 1000 &", (), 4),
                                      ("setsid sleep 1000 &", ("--measure=wall",), 0)):
            document = self.compare(command, "/bin/true", "--harness=command", *more,
                                    status=status, env=environment(SIMDBENCH_TEST_CLOCK="2000"))
            self.assertEqual("ended before 1 of its children" in
                             (document["results"][0]["reason"] or ""), status == 4)

    def need_priority(self):
        raised = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
        if os.cpu_count() < 2 or not os.path.exists("/proc/self/schedstat") or subprocess.run(
                [sys.executable, "-c", raised], capture_output=True, check=False).returncode:
            self.skipTest("needs two CPUs, times of threads, and the right to a priority")
        return ["nice", "-n", str(-os.nice(0))]

    def test_runs_first(self):
        """Before other programs, if a process of each build did without helpers, but for the
        one that criterion asks for its version."""
        as_others = self.need_priority()
        policies = self.folder / "policies"
        for harness, before, others in (("command", "", {"1"}), ("command", "(:)\n", {"0"}),
                                        ("criterion", "(:)\n", {"1"})):
            bench = self.script("bench", f"#!/bin/sh\ncase $* in *--list*) echo 'a: bench'; exit;; esac\n"
                                f"{before}read -r stat </proc/$$/stat\nset -- $stat\nshift 40\n"
                                f"echo $1 >>{policies}\necho 'a   time:   [1 ns 1 ns 1 ns]'\n")
            self.compare(bench, f"{bench} x", f"--harness={harness}",
                         *["--measure=wall"] * (harness == "command"),
                         before=as_others, env=environment(SIMDBENCH_TEST_CLOCK="2000"))
            seen = policies.read_text().split()
            self.assertEqual((seen[:2], set(seen[2:])), (["0", "0"], others))
            policies.unlink()

    def test_long_processes_run_first_beside_others(self):
        """If another program takes the CPU from a process of each build all the time."""
        as_others = self.need_priority()
        cpu = min(os.sched_getaffinity(0))
        policies = self.folder / "policies"
        bench = self.script("bench", f"""#!{sys.executable}
import os, time
with open("{policies}", "a+") as file:
    file.write(f"{{os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK}} ")
    file.seek(0)
    long = len(file.read().split()) <= 2
while long and time.process_time() < 0.15:
    pass
""")
        other = subprocess.Popen([*as_others, sys.executable, "-c", "import os\nos.sched_setaffinity"
                                  f"(0, {{{cpu}}})\nprint(flush=True)\n"
                                  f"while os.getppid() == {os.getpid()}: pass"],
                                 stdout=subprocess.PIPE)
        other.stdout.readline()
        try:
            self.compare(bench, f"{bench} x", "--harness=command", "--measure=wall", f"--cpu={cpu}",
                         before=as_others, env=environment(SIMDBENCH_TEST_CLOCK="2000"))
        finally:
            other.kill()
            other.wait()
            other.stdout.close()
        seen = policies.read_text().split()
        self.assertEqual((seen[:2], set(seen[2:])), (["0", "0"], {"1"}))

    def test_time_of_a_command(self):
        """It is real, so that no verdict is asked for."""
        out = self.folder / "run.json"
        subprocess.run([BINARY, "ab", "/bin/true", "/bin/true", "--harness=command",
                        "--measure=wall", *QUICK, f"--json={out}"], capture_output=True,
                       check=False, env=environment(SIMDBENCH_TEST_CLOCK=""))
        trials = self.load(out)["results"][0]["comparison"]["trials"]
        self.assertGreater(min(trials["base_ns"] + trials["head_ns"]), 1000)

    def test_folders(self):
        for build, time_ns in (("old", "5.00"), ("new", "6.00")):
            (self.folder / build).mkdir()
            (self.folder / build / "time").write_text(time_ns)
        bench = self.script("bench", '#!/bin/sh\necho "case $(cat time)"\n')
        document = self.compare(bench, bench, "--harness=regex", "--pattern=(case) (.*)",
                                f"--cwd-old={self.folder / 'old'}",
                                f"--cwd-new={self.folder / 'new'}", status=1)
        self.assertAlmostEqual(document["results"][0]["comparison"]["change"], 0.2)

    def test_path_of_a_build(self):
        """A program is looked for where the command's own variable says."""
        for build, time_ns in (("old", "5.00"), ("new", "6.00")):
            (self.folder / build).mkdir()
            self.script(f"{build}/timed", f"#!/bin/sh\necho 'case {time_ns}'\n")
        document = self.compare("PATH=old:$PATH timed", f"PATH={self.folder / 'new'}:$PATH timed",
                                "--harness=regex", "--pattern=(case) (.*)", cwd=self.folder,
                                status=1)
        self.assertAlmostEqual(document["results"][0]["comparison"]["change"], 0.2)

    def test_unknown_harness(self):
        done = self.run_tool("ab", "/bin/true", "/bin/true", "--harness=gobench", status=2)
        self.assertRegex(done.stderr, r"--harness=gobench: no such harness.*google-benchmark")
        done = self.run_tool("ab", "./nowhere", "./nowhere", "--harness=command", status=2)
        self.assertRegex(done.stderr, "BASE=./nowhere: .*no program")
