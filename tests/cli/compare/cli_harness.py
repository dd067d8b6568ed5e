# SPDX-License-Identifier: Apache-2.0
"""`simdbench ab --harness`: programs that print what harnesses print, with times that are
made up."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from cli_tool import BINARY, PATIENCE, SOURCE, Case, environment

__all__ = ["Harnesses", "GoogleBenchmark", "FailingHarnesses", "Commits", "ForeignJson",
           "Relink"]

QUICK = ["--processes=8", "--quiet"]

# Two cases of Google Benchmark. $1 is the time of the first one, $2 how it behaves.
GBENCH = r"""#!/bin/sh
# benchmark_list_tests
time=$1 how=$2 filter=.
for word; do
    case $word in
        --benchmark_list_tests) printf 'BM_sort/64\nBM_map<int>/1/real_time\n%s' "$3"; exit ;;
        --benchmark_filter=*) filter=${word#*=} ;;
    esac
done
row() {
    echo "$1" | grep -qE "$filter" || return
    printf '%s{"name": "%s", "run_name": "%s", "run_type": "iteration", "iterations": 9,
"real_time": %s, "cpu_time": %s, "time_unit": "us"%s}' "$comma" "$1" "$1" "$2" "$3" "$4"
    comma=,
}
case $how in
    crash) kill -SEGV $$ ;;
    hang) sleep 1000 ;;
    junk) echo 'BM_sort/64  12 us'; exit ;;
    huge) head -c 20000000 /dev/zero | tr '\0' x; exit ;;
    status) echo 'cannot open data' >&2; exit 3 ;;
    zero) time=0 ;;
    error) more=', "error_occurred": true, "error_message": "no data"' ;;
esac
echo '{"context": {"date": "2024-01-01", "executable": "./bench"}, "benchmarks": ['
[ "$how" = forgets ] || row BM_sort/64 999 "$time" "$more"
row 'BM_map<int>/1/real_time' 7.5 999
echo ']}'
"""


class HarnessCase(Case):
    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def compare(self, old, new, *more, status=0, **options):
        return self.run_json("ab", old, new, *more, *QUICK, status=status, **options)

    def by_id(self, document):
        return {r["id"]: r for r in document["results"]}

    def verdicts(self, document):
        return {r["id"]: r["comparison"]["verdict"] for r in document["results"]}


class GoogleBenchmark(HarnessCase):
    def setUp(self):
        super().setUp()
        self.bench = self.script("bench", GBENCH)

    def test_recognised_and_judged(self):
        document = self.compare(f"{self.bench} 10", f"{self.bench} 11", status=1)
        self.assertEqual(document["gate"]["harness"], "google-benchmark")
        results = self.by_id(document)
        self.assertEqual(self.verdicts(document), {"BM_sort/64": "REGRESSED",
                                                   "BM_map<int>/1/real_time": "SAME"})
        # CPU time, but for the case that asks for real time.
        self.assertEqual(results["BM_sort/64"]["comparison"]["base_ns"], 10000)
        self.assertEqual(results["BM_sort/64"]["comparison"]["head_ns"], 11000)
        self.assertEqual(results["BM_map<int>/1/real_time"]["comparison"]["base_ns"], 7500)
        self.assertEqual((results["BM_sort/64"]["op"], results["BM_sort/64"]["shape"]),
                         ("BM_sort", "64"))
        trials = results["BM_sort/64"]["comparison"]["trials"]
        self.assertEqual(len(set(trials["process"])), 8)
        self.assertEqual([a["name"] for a in document["gate"]["arms"]],
                         ["base", "head", "control"])

    def test_improvement_and_threshold(self):
        document = self.compare(f"{self.bench} 10", f"{self.bench} 9")
        self.assertEqual(self.verdicts(document)["BM_sort/64"], "IMPROVED")
        document = self.compare(f"{self.bench} 10", f"{self.bench} 11", "--threshold=15%")
        self.assertEqual(self.verdicts(document)["BM_sort/64"], "SAME")

    def test_filter(self):
        for more in (["*map*"], ["--filter=*map*"]):
            document = self.compare(f"{self.bench} 10", f"{self.bench} 11", *more)
            self.assertEqual(list(self.verdicts(document)), ["BM_map<int>/1/real_time"])
        done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", "x*", status=2)
        self.assertIn("no case of BASE and HEAD matches 'x*'", done.stderr)

    def test_case_of_one_build(self):
        document = self.compare(f"{self.bench} 1 ok 'BM_old\n'", f"{self.bench} 1 ok BM_new")
        verdicts = self.verdicts(document)
        self.assertEqual((verdicts["BM_old"], verdicts["BM_new"]), ("GONE", "NEW"))

    def test_reports(self):
        outputs = {"table": "", "markdown": "", "junit": "", "annotations": "", "csv": "",
                   "html": "", "bmf": "", "gbench": ""}
        formats = [f"--format={name}:{self.folder / name}" for name in outputs]
        self.compare(f"{self.bench} 10", f"{self.bench} 11", *formats, status=1)
        text = {name: (self.folder / name).read_text() for name in outputs}
        self.assertRegex(text["table"], r"google-benchmark: 2 cases, 1 regressed, 1 the same")
        self.assertIn("placement: code of a harness cannot be tried", text["table"])
        self.assertIn("- harness: google-benchmark", text["markdown"])
        self.assertRegex(text["junit"], "(?s)BM_sort/64.*<failure")
        self.assertRegex(text["annotations"], "::error .*BM_sort/64")
        self.assertIn('name="harness" value="google-benchmark"', text["junit"])
        self.assertIn("BM_sort/64", text["html"])
        again = self.run_tool("report", self.folder / "run.json").stdout
        self.assertEqual(again.splitlines()[:4], text["table"].splitlines()[:4])

    def test_plan_without_measuring(self):
        done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", "--dry-run")
        self.assertEqual(done.stdout.splitlines()[1:],
                         ["BM_sort/64", "BM_map<int>/1/real_time"])
        done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", "--time=1ms",
                             status=2)
        self.assertRegex(done.stderr, r"--time=0.001s: 2 cases need .* s, for 8 processes")
        done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", "--processes=8")
        self.assertRegex(done.stderr, "google-benchmark: 2 cases, 8 processes of base, head "
                                      r"and control each, .* a process: .* s")
        self.assertRegex(done.stderr, r"changes of about .*% should be found in .* s")

    def test_other_choices_are_refused(self):
        for option in ("--isa=avx2", "--sizes=64", "--prove", "--as-built", "--threads=1,2"):
            done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", option, status=2)
            self.assertIn(option.partition("=")[0], done.stderr)


# How each prints two cases, of 250 ns and of $1 ns.
FORMATS = {
    "go": r"""
        filter=.; for word; do case $word in -test.bench=*) filter=${word#*=};; esac; done
        case $filter in *Sub*|.) echo "BenchmarkMap/Sub-2  100  250.0 ns/op  8 B/op";; esac
        case $filter in '^BenchmarkSort$'|.) echo "BenchmarkSort     100  $1 ns/op";; esac
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
        echo '|    100.0% |  250.00 | 1,000.0 | 0.1% |  0.01 | `map`'
        echo "|     50.0% |    $1 | 1,000.0 | 0.1% |  0.01 | :wavy_dash: \`sort\` (Unstable)" """,
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
                "divan": {"d::inner::map", "d::sort::t=2"}, "nanobench": {"map", "sort"}, "checkasm": {"put_w8_c", "put_w8_avx2"}}
        for name, ids in want.items():
            bench = self.script(name, f"#!/bin/sh\n{FORMATS[name]}\n")
            done = self.run_tool("ab", f"{bench} 1", f"{bench} 1", f"--harness={name}",
                                 "--dry-run")
            self.assertEqual(set(done.stdout.splitlines()[1:]), ids)

    def test_marks(self):
        for mark, name in (("test.benchtime", "go"), ("CRITERION_HOME", "criterion"),
                           ("NANOBENCH_ENDLESS", "nanobench")):
            bench = self.script("marked", f"#!/bin/sh\n# {mark}\n{FORMATS[name]}\n")
            document = self.compare(f"{bench} 9", f"{bench} 9")
            self.assertEqual(document["gate"]["harness"], name)

    def test_regex(self):
        bench = self.script("bench", '#!/bin/sh\necho "mul: took $1 us"; echo "add: took 3 s"\n'
                                     'echo "sub: took 3 weeks"; echo other\n')
        pattern = "--pattern=^([a-z]+): took ([0-9.]+) ([a-z]+)$"
        document = self.compare(f"{bench} 2.5", f"{bench} 3", "--harness=regex", pattern,
                                status=1)
        results = self.by_id(document)
        self.assertEqual(results["mul"]["comparison"]["base_ns"], 2500)
        self.assertEqual(results["add"]["comparison"]["base_ns"], 3e9)
        self.assertEqual(results["mul"]["comparison"]["verdict"], "REGRESSED")
        self.assertRegex(results["sub"]["reason"], "its unit is none of")
        for wrong, why in (("([a-z]+", "[Uu]nmatched"), ("([a-z]+) 1", "a group for the name")):
            done = self.run_tool("ab", bench, bench, "--harness=regex", f"--pattern={wrong}",
                                 status=2)
            self.assertRegex(done.stderr, why)
        done = self.run_tool("ab", bench, bench, "--harness=regex", status=2)
        self.assertIn("needs --pattern", done.stderr)

    def test_command(self):
        """A whole program, whose time is that of the system: head never does more than base."""
        arms = []
        for base in ("/bin/true", "/bin/true | :"):
            document = self.compare(base, "/bin/true", "--harness=command", "--threshold=100%",
                                    "--measure=wall")
            (result,) = document["results"]
            self.assertEqual((result["id"], result["status"]), ("command", "ok"))
            self.assertGreater(result["comparison"]["base_ns"], 1000)
            self.assertRegex(result["notes"][0], r"peak memory [\d.]+ .?B, before [\d.]+ .?B; "
                                                 r"\d+ page faults, before \d+$")
            arms.append([arm["path"] for arm in document["gate"]["arms"]])
        self.assertEqual(arms, [["/bin/true", "/bin/true", "/bin/true (a copy)"],
                                ["/bin/true | :", "/bin/true", "/bin/true | : (again)"]])

    def test_folders(self):
        for build, time_ns in (("old", 5), ("new", 6)):
            (self.folder / build).mkdir()
            (self.folder / build / "time").write_text(str(time_ns))
        bench = self.script("bench", '#!/bin/sh\necho "case $(cat time)"\n')
        document = self.compare(bench, bench, "--harness=regex", "--pattern=(case) (.*)",
                                f"--cwd-old={self.folder / 'old'}",
                                f"--cwd-new={self.folder / 'new'}", status=1)
        self.assertAlmostEqual(document["results"][0]["comparison"]["change"], 0.2)

    def test_unknown_harness(self):
        done = self.run_tool("ab", "/bin/true", "/bin/true", "--harness=gobench", status=2)
        self.assertRegex(done.stderr, r"--harness=gobench: no such harness.*google-benchmark")
        done = self.run_tool("ab", "./nowhere", "./nowhere", "--harness=command", status=2)
        self.assertRegex(done.stderr, "BASE=./nowhere: .*no program")


class FailingHarnesses(HarnessCase):
    def setUp(self):
        super().setUp()
        self.bench = self.script("bench", GBENCH)

    def broken(self, how, reason, *more):
        document = self.compare(f"{self.bench} 10", f"{self.bench} 10 {how}", *more,
                                status=4)
        result = self.by_id(document)["BM_sort/64"]
        self.assertEqual((result["status"], result["comparison"]["verdict"]),
                         ("failed", "UNUSABLE"), result)
        self.assertRegex(result["reason"], f"^head: {reason}")
        self.assertEqual(result["comparison"]["trials"]["process"], [])
        return self.by_id(document)["BM_map<int>/1/real_time"]

    def test_crash(self):
        self.broken("crash", r"ended by signal 11 \(")

    def test_hang(self):
        self.broken("hang", r"took longer than 0.3 s \(--timeout\)", "--timeout=300ms")

    def test_junk(self):
        self.broken("junk", "its output cannot be read: ")

    def test_huge_output(self):
        self.broken("huge", "printed more than 16 MiB")

    def test_exit_status(self):
        self.broken("status", "ended with exit status 3: cannot open data")

    def test_time_of_nothing(self):
        self.assertEqual(self.broken("zero", "its time is no positive number")["status"], "ok")

    def test_rounds_without_a_time_are_void(self):
        """One of them is measured again; a build that never tells a time fails."""
        bench = self.script("bench", '#!/bin/sh\necho >>calls\ntime=5\n'
                                     '[ "$(wc -l <calls)" = "$1" ] && time=0\n'
                                     'echo "case ${2:-$time}"\n')
        regex = ["--harness=regex", "--pattern=(case) (.*)"]
        document = self.compare(f"{bench} 20", f"{bench} 20", *regex, cwd=self.folder)
        comparison = document["results"][0]["comparison"]
        self.assertEqual(comparison["verdict"], "SAME")
        self.assertGreaterEqual(comparison["voided"], 1)
        self.assertEqual(set(comparison["trials"]["head_ns"]), {5})
        for never in ("0", "nan", "-3"):
            document = self.compare(f"{bench} 0", f"{bench} 0 {never}", *regex, status=4,
                                    cwd=self.folder)
            self.assertEqual(document["results"][0]["reason"],
                             "head: its time is no positive number")

    def test_error_of_one_case(self):
        self.assertEqual(self.broken("error", "no data")["status"], "ok")

    def test_case_that_both_skip(self):
        """It tells nothing about head, so that the gate passes."""
        document = self.compare(*2 * [f"{self.bench} 10 error ''"], "--strict")
        result = self.by_id(document)["BM_sort/64"]
        self.assertEqual((result["status"], result["reason"]),
                         ("skipped", "both builds skip it: no data"))
        self.assertIsNone(result["comparison"])
        self.assertEqual(document["gate"]["same"], 1)
        document = self.compare(*2 * [f"{self.bench} 10 crash ''"], status=4)
        self.assertEqual(self.by_id(document)["BM_sort/64"]["status"], "failed")

    def test_case_without_a_time_in_both(self):
        """Times that are made by hand may be none."""
        document = self.compare(*2 * [f"{self.bench} 10 zero ''"], "--strict")
        result = self.by_id(document)["BM_sort/64"]
        self.assertEqual((result["status"], result["reason"]),
                         ("skipped", "both builds skip it: they tell no time for it"))
        self.assertEqual(document["gate"]["same"], 1)

    def test_words_of_a_program_that_prints_nothing(self):
        """Google Benchmark ends well if it cannot read its filter."""
        mute = self.script("mute", GBENCH.replace("case $how in", "case $how in\n    mute) echo "
                                                  "'bad filter' >&2; exit;;"))
        document = self.compare(f"{mute} 10", f"{mute} 10 mute", status=4)
        self.assertRegex(self.by_id(document)["BM_sort/64"]["reason"],
                         "^head: its output cannot be read: .*; it said: bad filter$")

    def test_threads_on_one_cpu(self):
        wide = self.script("wide", GBENCH.replace('"iterations": 9', '"iterations": 9, '
                                                  '"threads": 4'))
        document = self.compare(f"{wide} 10", f"{wide} 10")
        for result in document["results"]:
            self.assertEqual(result["notes"],
                             ["it runs 4 threads on 1 CPU: --threads=4 gives it more"])

    def test_case_that_vanishes(self):
        self.assertEqual(self.broken("forgets", "its output has no such case")["status"], "ok")

    def test_no_case(self):
        silent = self.script("silent", "#!/bin/sh\n# benchmark_list_tests\nexit 0\n")
        done = self.run_tool("ab", f"{self.bench} 1", silent, status=2)
        self.assertRegex(done.stderr, r"HEAD=.*silent: harness google-benchmark: it lists no case")

    def test_too_many_cases(self):
        many = self.script("many", "#!/bin/sh\n# benchmark_list_tests\nseq 200000\n")
        done = self.run_tool("ab", many, many, status=2)
        self.assertIn("its output has more than 5000 cases", done.stderr)

    def test_names_are_escaped(self):
        evil = self.script("evil", GBENCH)
        document = self.compare(f"{evil} 1 ok 'BM_\x1b[31mred'", f"{evil} 1", "--filter=*sort*")
        self.assertEqual(len(document["results"]), 1)
        done = self.run_tool("ab", f"{evil} 1 ok 'BM_\x1b[31mred'", f"{evil} 1", *QUICK)
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_children_do_not_stay(self):
        bench = self.script("bench", '#!/bin/sh\nsleep 1000 & echo $! >>pids\necho "case 5"\n')
        self.compare(bench, bench, "--harness=regex", "--pattern=(case) (.*)",
                     cwd=self.folder)
        for pid in (self.folder / "pids").read_text().split():
            self.assertFalse(self.runs(pid), pid)

    def runs(self, pid):
        """Is it there, and no zombie that its new parent has yet to see?"""
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                return file.read().rpartition(")")[2].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def test_interrupted(self):
        bench = self.script("bench", '#!/bin/sh\ntouch began\necho "case 5"\nsleep 1\n')
        out = self.folder / "run.json"
        process = subprocess.Popen(
            [BINARY, "ab", bench, bench, "--harness=regex", "--pattern=(case) (.*)",
             "--processes=1000", f"--json={out}"], env=environment(), cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "processes of base" in line:
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertTrue(json.loads(out.read_text())["interrupted"])


class Commits(HarnessCase):
    def git(self, *arguments):
        return subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=m",
             *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def setUp(self):
        super().setUp()
        self.git("init", "-q")
        for number in (5, 6):
            (self.folder / "time").write_text(f"{number}\n")
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

    def test_what_fails(self):
        done = self.commits("--build=echo no compiler >&2; exit 1", "HEAD~1", "HEAD", status=2)
        self.assertRegex(done.stderr, "--build, of BASE=HEAD~1: .*no compiler")
        done = self.commits(self.BUILD, "HEAD~1", "v9", status=2)
        self.assertRegex(done.stderr, "HEAD=v9: .*no such commit")
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
        (folder / "times").write_text("".join(f"{16 * i} {t}\n"
                                              for i, t in enumerate(times)))
        return self.script(f"{name}/bench", f"#!/bin/sh\necho case {times[0]}\n")

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
        document = self.compare(
            self.folder / old / "bench", self.folder / new / "bench", *self.ASK,
            "--relink=make -s pad PAD={pad} OUT={out}", f"--cwd-old={self.folder / old}",
            f"--cwd-new={self.folder / new}")
        comparison = document["results"][0]["comparison"]
        self.assertEqual((comparison["verdict"], comparison["change"]), ("PLACED", 0))
        self.assertLess(comparison["base_ns"], 116)


class ForeignJson(HarnessCase):
    """The file of --benchmark_out."""

    def foreign(self, name, factor, host="box", repetitions=8):
        rows = [{"name": "BM_copy/1024", "run_name": "BM_copy/1024", "run_type": "iteration",
                 "iterations": 100, "real_time": 900.0, "threads": 1,
                 "cpu_time": factor * (100 + i / 100), "time_unit": "ns",
                 "items_per_second": 1024e9 / (factor * (100 + i / 100))}
                for i in range(repetitions)]
        rows += [{"name": "BM_copy/1024_mean", "run_name": "BM_copy/1024",
                  "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1.0,
                  "cpu_time": 1.0, "time_unit": "ns"},
                 {"name": "BM_wait/manual_time", "run_type": "iteration", "real_time": 2.0,
                  "cpu_time": 7.0, "time_unit": "us"},
                 {"name": "BM_few_median", "run_name": "BM_few", "run_type": "aggregate",
                  "aggregate_name": "median", "real_time": 1.0, "cpu_time": 3.0,
                  "time_unit": "ms"},
                 {"name": "BM_bad", "run_name": "BM_bad", "run_type": "iteration",
                  "error_occurred": True, "error_message": "no data"}]
        path = self.folder / name
        path.write_text(json.dumps({"context": {"date": "2024-01-31T12:00:00+01:00",
                                                "host_name": host, "executable": "./b",
                                                "num_cpus": 4},
                                    "benchmarks": rows}))
        return path

    def test_report(self):
        theirs = self.foreign("theirs.json", 1)
        out = self.folder / "ours.json"
        done = self.run_tool("report", theirs, f"--json={out}")
        self.assertIn("BM_copy@1024  1024 op a call", done.stdout)
        self.assertNotIn("is the fastest", done.stdout)
        results = self.by_id(json.loads(out.read_text()))
        copy = results["BM_copy/1024"]
        self.assertAlmostEqual(copy["summary"]["median_ns"], 100.035)
        self.assertEqual(copy["work"]["ops"], 1024)  # rates are per CPU time
        self.assertEqual(results["BM_wait/manual_time"]["summary"]["median_ns"], 2000)
        self.assertEqual(results["BM_few"]["summary"]["median_ns"], 3e6)
        self.assertEqual((results["BM_bad"]["status"], results["BM_bad"]["reason"]),
                         ("failed", "no data"))
        done = self.run_tool("report", theirs, "--query=BM_copy*")
        self.assertAlmostEqual(float(done.stdout), 100.035)

    def test_other_files(self):
        """What else benchmark programs write."""
        go = "goos: linux\ngoarch: amd64\npkg: x\ncpu: Fast CPU 9\n" + "".join(
            f"BenchmarkSort/n=2-8 \t 100 \t {250 + i}.0 ns/op\t 8 B/op\n" for i in range(7))
        folder = self.folder / "criterion" / "sort" / "new"
        folder.mkdir(parents=True)
        (folder / "benchmark.json").write_text('{"full_id": "sort 64"}')
        (folder / "sample.json").write_text(json.dumps(
            {"iters": [1, 2, 3, 4, 5, 6, 7], "times": [253 * i for i in range(1, 8)]}))
        (folder / "estimates.json").write_text('{"median": {"point_estimate": 253.0}}')
        nano = {"name": "sort", "batch": 2, "median(elapsed)": 506e-9,
                "measurements": [{"elapsed": (503 + i) * 1e-9} for i in range(7)]}
        files = {"go.txt": (go, "BenchmarkSort/n=2", 7),
                 "hyperfine.json": (json.dumps({"results": [
                     {"command": "sort x", "median": 1, "times": [253e-9] * 6}]}), "sort x", 6),
                 "medians.json": (json.dumps({"results": [
                     {"command": "sort x", "median": 253e-9}]}), "sort x", 0),
                 "nanobench.json": (json.dumps({"results": [nano]}), "sort", 7)}
        files.update({f"{name}.txt": (subprocess.run(["sh", "-c", text, "sh", "253"], check=True,
                                                     env={"CRITERION_HOME": "."}, cwd=self.folder,
                                                     capture_output=True, text=True).stdout,
                                      case, 1)
                      for name, text, case in (
                          ("criterion", FORMATS["criterion"] + "\n", "sort 64"),
                          ("divan", FORMATS["divan"].replace("$*", "sample-size=1"),
                           "d::sort::t=2"),
                          ("catch2", FORMATS["catch2"], 'a "b"/sort'),
                          ("nanobench", FORMATS["nanobench"], "sort"))
                      for text in [text.replace("case $* in *sort*", "case sort in *sort*")]})
        for name, (text, _, _) in files.items():
            (self.folder / name).write_text(text)
        files[folder / "sample.json"] = files[self.folder / "criterion"] = ("", "sort 64", 7)
        files[folder / "estimates.json"] = ("", "sort 64", 0)
        for name, (_, case, samples) in files.items():
            with self.subTest(name=name):
                out = self.folder / "out.json"
                self.run_tool("report", self.folder / name, f"--json={out}")
                document = json.loads(out.read_text())
                result = self.by_id(document)[case]
                self.assertAlmostEqual(result["summary"]["median_ns"], 253)
                self.assertEqual(len(result["samples_ns"]), samples)
                self.assertRegex(document["started_at"], r"^20\d\d-\d\d-\d\dT")
                told = name == "go.txt"
                self.assertEqual(document["host"]["fingerprint"],
                                 "Fast CPU 9, linux, amd64" if told else None)
                database = self.new_folder() / "runs.sqlite"
                done = self.run_tool("report", self.folder / name, f"--history={database}")
                self.assertEqual("not told" in self.run_tool(
                    "history", f"--history={database}").stdout, not told)
                self.assertEqual("changes are not looked for" in done.stderr, not told)
        slow = self.folder / "slow.txt"
        slow.write_text(go.replace(" 25", " 35"))
        done = self.run_tool("compare", self.folder / "go.txt", slow, status=1)
        self.assertRegex(done.stdout, r"BenchmarkSort/n=2 .* REGRESSED")

    def test_files_that_are_none(self):
        for name, text, why in (
                ("many.txt", "BenchmarkX 1 5 ns/op\n" * 5001, "more than 5000 results"),
                ("prose.txt", "a text\n", "no JSON, and no text of Go, criterion, divan"),
                ("a.json", '{"results": [{"command": "", "times": [1]}]}', "without a name"),
                ("b.json", '{"results": [{"command": "x", "times": [0]}]}', "positive"),
                ("f.json", '{"results": [{"command": "x", "times": [1e299]}]}', "positive"),
                ("g.json", '{"results": [{"name": "x", "batch": 1e-300, "median(elapsed)": 1}]}',
                 "positive"),
                ("h.json", json.dumps({"results": [{"command": "x" * 4001, "times": [1]}]}),
                 "more than 4000 bytes"),
                ("c.json", '{"results": [{"command": "x"}]}', "median"),
                ("d.json", '{"iters": [1], "times": [-1]}', "positive"),
                ("e.json", '{"iters": [], "times": []}', "no samples")):
            (self.folder / name).write_text(text)
            self.assertIn(why, self.run_tool("report", self.folder / name, status=2).stderr)

    def test_compare(self):
        base, head = self.foreign("base.json", 1), self.foreign("head.json", 1.5)
        done = self.run_tool("compare", base, head, status=1)
        self.assertRegex(done.stdout, r"BM_copy/1024 .*\+50.00%.* REGRESSED")
        other = self.foreign("other.json", 1.5, host="other")
        done = self.run_tool("compare", base, other, status=4)  # BM_bad
        self.assertRegex(done.stdout, r"BM_copy/1024 .*\+50.00%.* UNUSABLE")

    def test_history(self):
        database = self.folder / "runs.sqlite"
        self.run_tool("report", self.foreign("base.json", 1), f"--history={database}")
        done = self.run_tool("history", f"--history={database}", "BM_copy*")
        self.assertIn("BM_copy/1024", done.stdout)

    def test_history_of_regressions_alone(self):
        """Each run counts once, however many cases it has."""
        database = self.folder / "runs.sqlite"
        gates = []
        for day in range(9):
            runs = []
            for name, factor in (("base", 1), ("head", 1.5 if day else 0.5)):
                path = self.foreign(name, factor)
                text = json.loads(path.read_text())
                text["context"]["date"] = f"2024-02-0{day + 1}T00:00:00Z"
                text["benchmarks"] = [dict(row, run_name=f"BM_{case}", name=f"BM_{case}")
                                      for case in "ab" for row in text["benchmarks"][:8]]
                path.write_text(json.dumps(text))
                runs.append(path)
            self.run_tool("compare", *runs, f"--history={database}", status=1 if day else 0)
            gates.append(self.run_tool("history", f"--history={database}").stdout)
        self.assertIn("gates: 0 runs found more regressions than improvements, 1 the other way "
                      "(sign test p = 1)", gates[0])
        self.assertIn("gates: 8 runs found more regressions than improvements, 1 the other way "
                      "(sign test p = 0.039)", gates[8])
        self.assertNotIn("false alarms", gates[8])
        self.run_tool("compare", *runs, f"--history={database}", status=1)  # the same run
        self.assertIn("gates: 8 runs", self.run_tool("history", f"--history={database}").stdout)
        for day in range(10, 20):
            text["context"]["date"] = f"2024-02-{day}T00:00:00Z"
            runs[1].write_text(json.dumps(text))
            self.run_tool("compare", *runs, f"--history={database}", status=1)
        text = self.run_tool("history", f"--history={database}").stdout
        self.assertRegex(text, "(?s)gates: 18 runs .* or these are false alarms")
        document = json.loads(self.run_tool("history", f"--history={database}",
                                            "--format=json").stdout)
        self.assertEqual((document["gates"]["slower"], document["gates"]["faster"]), (18, 1))

    def test_what_is_wrong(self):
        path = self.folder / "bad.json"
        for row, where in (({"name": "a"}, r"benchmarks\[0\]"), (1, r"benchmarks\[0\]"),
                           ({"name": "a", "cpu_time": 1, "time_unit": "h"}, "time_unit"),
                           ({"cpu_time": 1, "time_unit": "ns"}, "without a name")):
            path.write_text(json.dumps({"benchmarks": [row]}))
            done = self.run_tool("report", path, status=2)
            self.assertRegex(done.stderr, where)

    def test_time_of_nothing(self):
        """Other cases of the file go on."""
        path = self.foreign("zero.json", 1)
        text = json.loads(path.read_text())
        text["benchmarks"].append({"name": "BM_zero", "cpu_time": 0.0, "time_unit": "ns"})
        path.write_text(json.dumps(text))
        rows = {row["id"]: row for row in self.run_json("report", path)["results"]}
        self.assertEqual((rows["BM_zero"]["status"], rows["BM_zero"]["reason"]),
                         ("failed", "its time is no positive number"))
        self.assertEqual(rows["BM_copy/1024"]["status"], "ok")

    def test_numbers_that_are_none(self):
        """Python and Google Benchmark write them without quotes. Ours has none."""
        path = self.foreign("nan.json", 1)
        text = json.loads(path.read_text())
        for row, word in zip(text["benchmarks"], ("NaN", "Infinity", "-Infinity", "inf", "-nan")):
            row.update(counter=word, label='"NaN", inf\\')
        text["benchmarks"].append({"name": "BM_nan", "cpu_time": "NaN", "time_unit": "ns"})
        text = json.dumps(text)
        for word in ("NaN", "Infinity", "-Infinity", "inf", "-nan"):
            text = text.replace(f': "{word}"', f": {word}")
        path.write_text(text)
        rows = {row["id"]: row for row in self.run_json("report", path)["results"]}
        self.assertEqual(rows["BM_nan"]["reason"], "its time is no positive number")
        self.assertEqual(rows["BM_copy/1024"]["status"], "ok")
        path.write_text('{"schema_version": 1, "x": NaN}')
        self.assertIn("no JSON", self.run_tool("report", path, status=2).stderr)
