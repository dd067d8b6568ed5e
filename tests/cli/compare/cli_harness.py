# SPDX-License-Identifier: Apache-2.0
"""`simdbench ab --harness`: a program of Google Benchmark, good and bad, with times that are
made up."""
import json
import signal
import subprocess

from cli_tool import BINARY, PATIENCE, Case, environment

QUICK = ["--processes=8", "--quiet"]

# Two cases of Google Benchmark. $1 is the time of the first one, $2 how it behaves.
GBENCH = r"""#!/bin/sh
# benchmark_list_tests
time=$1 how=$2 filter=.
for word; do
    case $word in
        --benchmark_list_tests) printf 'BM_sort/64\nBM_map<int>/1/real_time\n%s' "${3##--*}"; exit ;;
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
[ "$how" = chatty ] && echo '[info] 2 files' && trap 'echo done' EXIT
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

    def runs(self, pid):
        """Is it there, and no zombie that its new parent has yet to see?"""
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                return file.read().rpartition(")")[2].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

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

    def test_program_that_prints_lines_of_its_own(self):
        document = self.compare(f"{self.bench} 10 chatty", f"{self.bench} 20", status=1)
        self.assertEqual(self.verdicts(document)["BM_sort/64"], "REGRESSED")

    def test_variables_and_names_of_files(self):
        """A command begins with variables; names of files are those of its own folder."""
        (self.folder / "x.time").touch()
        script = self.script("env.sh", '#!/bin/sh\n# benchmark_list_tests\n'
                                       f'test "$1 $LEVEL" = "x.time 3" || exit\n'
                                       f'shift; exec {self.bench} 10 ok "" "$@"\n')
        command = f"LEVEL=3 {script} *.time"
        document = self.compare(command, command, f"--cwd-old={self.folder}",
                                f"--cwd-new={self.folder}")
        self.assertEqual(set(self.verdicts(document).values()), {"SAME"})

    def test_what_may_be_lacking(self):
        none = self.script("none", "#!/bin/sh\n# benchmark-warmup-time\nexit 2\n")
        done = self.run_tool("ab", none, none, status=2)
        self.assertIn("exit status 2; benchmarks with the tag [!benchmark] run if", done.stderr)

    def test_two_harnesses(self):
        other = self.script("other", "#!/bin/sh\n# test.benchtime\n")
        done = self.run_tool("ab", self.bench, other, status=2)
        self.assertIn("is a program of google-benchmark and HEAD=", done.stderr)

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

    def test_cases_of_one_name(self):
        document = self.compare(f"{self.bench} 1 ok 'BM_sort/64\n'", f"{self.bench} 1")
        self.assertEqual(self.verdicts(document), {"BM_sort/64": "SAME",
                                                   "BM_map<int>/1/real_time": "SAME"})

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
        self.assertRegex(done.stderr, r"--time=0.001s: 2 cases need .* s, for 8 processes"
                                      ".*--filter=GLOB")
        done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", "--processes=8")
        self.assertRegex(done.stderr, "google-benchmark: 2 cases, 8 processes of base, head "
                                      r"and control each, .* a process: .* s")
        self.assertRegex(done.stderr, r"changes of about .*% should be found in .* s")

    def test_other_choices_are_refused(self):
        for option in ("--isa=avx2", "--sizes=64", "--prove", "--as-built", "--threads=1,2",
                       "--plugin=./mine.so"):
            done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", option, status=2)
            self.assertIn(option.partition("=")[0], done.stderr)
        done = self.run_tool("ab", "./none", "./none", "--cwd-old=nowhere", status=2)
        self.assertIn("BASE=./none in nowhere: no program", done.stderr)


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
        # On a busy machine base may hang as well, even before its cases are known.
        table = self.folder / "table"
        done = subprocess.run(
            [BINARY, "ab", f"{self.bench} 10", f"{self.bench} 10 hang", "--timeout=300ms",
             f"--format=table:{table}", *QUICK], capture_output=True, text=True, check=False,
            env=environment(), timeout=PATIENCE)
        self.assertIn(done.returncode, (2, 4))
        self.assertIn("took longer than 0.3 s (--timeout)",
                      table.read_text() if done.returncode == 4 else done.stderr)

    def test_hangs_by_chance(self):
        """A process that takes much longer than others of its side runs again."""
        bench = self.script("at_times", f"""#!/bin/sh
            # benchmark_list_tests
            echo >>"$0.calls"
            [ "$(wc -l <"$0.calls")" != 20 ] || sleep 1000
            exec {self.bench} "$@"
            """)
        table = self.folder / "table"
        document = self.compare(f"{bench} 10", f"{self.bench} 12", f"--format=table:{table}", status=1)
        self.assertEqual(self.verdicts(document)["BM_sort/64"], "REGRESSED")
        # On a busy machine others may take as long.
        self.assertRegex(table.read_text(), r"\d process(es)? of (base|control) hung and ran again")

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
        bench = self.script("bench", '#!/bin/sh\necho >>calls\ntime=5.000\n'
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

    def test_line_that_is_no_case(self):
        """A program may print a line of its own before its cases."""
        bench = self.script("banner", GBENCH.replace("printf 'BM_sort", "printf 'Suite 1.0\\nBM_sort")
                            .replace("case $how in", "case $filter in *Suite*) echo 'Failed to match"
                                     " any benchmarks against regex: x' >&2; exit;; esac\ncase $how in"))
        document = self.compare(*2 * [f"{bench} 10"], "--strict")
        result = self.by_id(document)["Suite 1.0"]
        self.assertRegex(f"{result['status']}: {result['reason']}",
                         "skipped: both builds skip it: .*; it said: Failed to match any")
        self.assertEqual(document["gate"]["same"], 2)
        # Behind a case that was found it may be a case.
        bench.write_text(bench.read_text().replace(r"Suite 1.0\nBM_sort/64", r"BM_sort/64\nSuite 1.0"))
        document = self.compare(*2 * [f"{bench} 10"], status=4)
        self.assertEqual(self.by_id(document)["Suite 1.0"]["status"], "failed")

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

    def test_parameters_of_the_shell(self):
        """They are not those of simdbench; what stands in quotes is the program's."""
        bench = self.script("bench", '#!/bin/sh\necho "case_$1 5"\n')
        for word, name in (("$#", "case_0"), ("${#}", "case_0"), ("'$#'", "case_$#"),
                           ("\\$#", "case_$#")):
            document = self.compare(f"{bench} {word}", f"{bench} {word}", "--harness=regex",
                                    "--pattern=^(case_[^ ]*) (.*)")
            self.assertEqual([result["id"] for result in document["results"]], [name])

    def test_case_that_vanishes(self):
        self.assertEqual(self.broken("forgets", "its output has no such case")["status"], "ok")

    def test_no_case(self):
        silent = self.script("silent", "#!/bin/sh\n# benchmark_list_tests\nexit 0\n")
        done = self.run_tool("ab", f"{self.bench} 1", silent, status=2)
        self.assertRegex(done.stderr, r"HEAD=.*silent: harness google-benchmark: it lists no case")

    def test_filter_of_nothing(self):
        self.bench.write_text(GBENCH)
        done = self.run_tool("ab", f"{self.bench} 1", f"{self.bench} 1", "none*", status=2)
        self.assertIn("matches 'none*'; --dry-run without a filter lists them", done.stderr)
        done = self.run_tool("ab", "--harness=go", "true", "true", "none*", status=2)
        self.assertIn("it lists no case whose name begins as the filter does", done.stderr)

    def test_program_for_another_machine(self):
        """A shell would take it for a script."""
        arm = self.script("arm", "")
        arm.write_bytes(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x02\0\xb7\0\x01\0\0\0"
                        + b"\0" * 999 + b"benchmark_list_tests")
        done = self.run_tool("ab", arm, arm, status=2)
        self.assertIn("it is a program for another kind of machine", done.stderr)

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
        """Nor those of a process that is ended itself, and theirs."""
        for last, status in (('echo "case 5"', 0), ("exec yes", 2)):
            bench = self.script("bench", "#!/bin/sh\n"
                                "setsid sh -c 'setsid sleep 1000 & echo $! $$ >>pids; wait' &\n"
                                "until [ -s pids ]; do :; done\n" + last + "\n")
            self.run_tool("ab", bench, bench, "--harness=regex", "--pattern=(case) (.*)",
                          *QUICK, cwd=self.folder, status=status)
            pids = self.folder / "pids"
            for pid in pids.read_text().split():
                self.assertFalse(self.runs(pid), pid)
            pids.unlink()

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
