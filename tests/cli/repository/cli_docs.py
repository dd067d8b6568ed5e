# SPDX-License-Identifier: Apache-2.0
"""The commands that README.md and the pages of docs/ show are read by simdbench, in a folder with
the files that the pages name: those that would measure are planned, and no option, kernel, study,
event or word is unknown."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from cli_harness import GBENCH
from cli_tool import BINARY, PATIENCE, SHORT, SOURCE, Case, compile_library, environment

# Their commands run as printed in cli_call_file.py and cli_modules.py.
ELSEWHERE = {"functions.md", "plugin.md"}
MIX = "void (inout float dst[n], const float src[n], size_t n)"
CASES = "'relu/f32/avx2/max@64' 'relu/f32/scalar/max@64'"
# Words that stand for something of the reader's, each with what it may stand for.
MEANT = [(r"\bPROTOTYPE\b", MIX), (r"\bCOMMAND\b", "gemm"), (r"\b(FILE|RUN)\.json\b", "mix.json"),
         (r"\bexplain (A B|CASE_A CASE_B)", f"explain {CASES}"), (r"\bOP\b", "gemm"),
         (r"\bMNEMONIC\b", "vaddps"), (r"\bDIR\b", "plugin"), (r"\bOLD\.so\b", "./old.so"),
         (r"\bNEW\.so\b", "./new.so"), (r"scripts/run ", "simdbench "),
         (r"libz\.so\.1:crc32 '[^']*'", f"./libmix.so:mix_avx2 '{MIX}'"),
         # Another test builds commits: cli_harness_builds.py.
         (r"--harness=go .*", "./old_bench ./new_bench"),
         (r"make pad [^']*", '(cat ./*_bench; echo "# {pad}") >{out}; chmod +x {out}'),
         (r"=crc32_z", "=mix_c"), (r"\btrust FILE", "trust mine.json"),
         (r"--variants=mine", "--variants=max"),
         (r"(--pid=)\d+", r"\g<1>2000000000")]
# It stands for the program: nothing is measured, traced or written.
PROGRAM = """\
#!/bin/bash
words=()
for word; do
    [[ $word != -- ]] || break
    [[ $1 == report || $word != --output=* ]] && words+=("$word")
done
case " $* " in
    *" --help "* | *' --version '*) ;;
    ' doctor '* | ' license '* | ' selftest '* | ' judge '*) words+=(--output=no/such/file) ;;
    ' prove '*--pid* | ' capture '*--pid*) ;;
    ' prove '* | ' capture '*) words+=(-- true) ;;
    ' report '* | ' compare '* | ' history '* | ' list '* | ' man '*) ;;
    ' trust '* | ' completion '*) ;;
    ' new-plugin '*) rm -rf mine plugin ;;
    *) words+=(--dry-run) ;;
esac
exec "$BINARY" "${words[@]}"
"""
# They end so, after all that was typed has been read.
ENDS = {"doctor": "no/such/file", "license": "no/such/file", "selftest": "no/such/file",
        "judge": "no/such/file", "prove": "no function of the program|never called|no process",
        "capture": "no function of the program|no process"}
# A library that this machine lacks.
ABSENT = ("there is no library|is not built: scripts/setup peers|: cannot open shared object|"
          "which is not installed [(]Debian: ")
LIBRARY = """\
#include <stddef.h>
#define MIX(name) void name(float *y, const float *x, size_t n) \\
    { for (size_t i = 0; i < n; i++) y[i] += x[i]; }
float dot(const float *x, const float *y, size_t n) __asm__("_ZN5audio3dotIfEEfPKT_S3_m");
float dot(const float *x, const float *y, size_t n) { return x[0] + y[n - 1]; }
void __m_MOD_saxpy(int *n, float *a, float *x, float *y) { y[0] = *a * x[*n - 1]; }
MIX(mix) MIX(mix_c) MIX(mix_sse2) MIX(mix_avx2) MIX(mix_new) MIX(scan) MIX(crc)
"""
# The module of `new-plugin --op=own` gets kernels of other ops, too.
KERNELS = """\
#define FAST .size = sizeof loop, .type = SIMDBENCH_F32, .isa = "avx2", .variant = "fast", \\
    .run = loop_run
static const struct simdbench_kernel relu = {FAST, .op = "relu"};
static const struct simdbench_kernel gemm = {FAST, .op = "gemm", .semiring = "maxplus"};
static const struct simdbench_kernel *const kernels[] = {&relu, &gemm, &loop"""
RUNS = ("run other ours theirs before after v1 v2 v3 a b roofs gemm fleet/one nodes/one "
        "output/1/2/3/SimdbenchCheck_4/run").split()
LIBRARIES = "libmix other libscan new base/libmix head/libmix old/libmix new/libmix".split()
MODULES = "mine old new base head pad0 pad40 old/mine new/mine my_gemm".split()
GO = "pkg: x\ncpu: Fast CPU 9\n" + 3 * "BenchmarkSort-8 \t 100 \t 250.0 ns/op\n"
HYPERFINE = {"results": [{"command": "gzip", "times": [1, 1.1, 1.2], "exit_codes": [0, 0, 0]}]}


def shown(text):
    """The commands of a page: lines of blocks, with what continues them, and words in text."""
    text = re.sub(r"\\\n\s*", "", text)
    command = r"(?:simdbench|scripts/run) .*"
    lines = re.findall(rf"(?m)^(?: {{4,}}|\$ )({command})$|^ .*; ({command})$", text)
    fenced = "\n".join(re.findall(r"(?s)```(?:sh|bash)\n(.*?)```", text))
    lines += re.findall(rf"(?m)^()({command})$", fenced)
    words = re.findall(r"`((?:simdbench|scripts/run)\s[^`]*)`", text)
    for line in dict.fromkeys(["".join(pair) for pair in lines] + words):
        yield re.sub(r"\s+", " ", line)


def is_whole(command):
    """False of the name of a command, and of a way to write many."""
    return not re.search(r"\.\.\. |\[OP|=NAME|simdbench worker|simdbench -v", command) and \
        not re.fullmatch(r"simdbench (ab|audit|call|compare|explain|judge|study|report|prove|"
                         r"capture|threads|history|doctor instructions)", command)


class Docs(Case):
    def setUp(self):
        super().setUp()
        if not re.search(r"\bavx2\b", Path("/proc/cpuinfo").read_text()):
            self.skipTest("the pages name cases for AVX2")
        # The program has the name of a command in a folder of PATH.
        self.path = self.new_folder()
        self.script(self.path / "simdbench", PROGRAM)
        self.make_runs()
        self.make_code()

    def script(self, path, text):
        path.write_text(text)
        path.chmod(0o755)

    def make_runs(self):
        for name in RUNS:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        run = self.folder / "run.json"
        self.run_tool("all", "--isa=avx2", "--baseline=none", "--variants=max,fma", *SHORT,
                      "--filter=gemm/maxplus-f32/*@64x*", "--filter=relu/f32/*@2048", "--prove",
                      "--quiet", f"--json={run}", f"--history={self.folder}/bench.sqlite")
        for name in RUNS[1:]:
            shutil.copy(run, self.folder / f"{name}.json")
        (self.folder / "go.txt").write_text(GO)
        (self.folder / "speed.json").write_text(json.dumps(HYPERFINE))
        for name in "old", "new":
            sort = self.folder / name / "target/criterion/sort/new"
            sort.mkdir(parents=True)
            (sort / "benchmark.json").write_text('{"full_id": "sort 64"}')
            (sort / "sample.json").write_text('{"iters": [1, 2, 3], "times": [9, 18, 27]}')

    def make_code(self):
        for name in "base", "head":
            (self.folder / name).mkdir()
        (self.folder / "mix.c").write_text(LIBRARY)
        self.run_tool("new-plugin", self.folder / "own", "--op=own")
        mine = (self.folder / "own/own.c").read_text()
        (self.folder / "mine.c").write_text(re.sub(r".*kernels\[\] = \{&loop", KERNELS, mine))
        mix = compile_library(self.folder, "libmix.so", self.folder / "mix.c")
        mine = compile_library(self.folder, "mine.so", self.folder / "mine.c",
                               self.folder / "mix.c", f"-I{SOURCE}/kernels")
        for name in LIBRARIES[1:]:
            shutil.copy(mix, self.folder / f"{name}.so")
        for name in MODULES[1:]:
            shutil.copy(mine, self.folder / f"{name}.so")
        for name in "mix", "scan", "crc", "poly":
            op = {"name": name, "prototype": MIX, "library": "./libmix.so", "reference": "mix_c",
                  "tails": "1..9",
                  "kernels": {"scalar": "mix_c", "avx2": "mix_avx2", "lib": "mix"}}
            (self.folder / f"{name}.json").write_text(json.dumps({"functions": 1, "ops": [op]}))
        for name in "mine", "my_gemm", "study":
            shutil.copy(SOURCE / "studies/burn-conv.json", self.folder / f"{name}.json")
        for name in "old_bench", "new_bench", "old/old_bench", "new/new_bench":
            self.script(self.folder / name, GBENCH)
        self.script(self.folder / "gzip", "#!/bin/sh\ncat")
        (self.folder / ".simdbench.json").write_text("{}")
        (self.folder / "my_layers.txt").write_text("n1c64h56w56k64r3s3p1q1")
        for name in "old", "new":
            (self.folder / "build" / name).mkdir(parents=True)
            (self.folder / "build" / name / "simdbench").symlink_to(BINARY)
        identity = ["-c", "user.name=x", "-c", "user.email=x@x"]
        for words in ["init", "--quiet"], [*identity, "commit", "--quiet", "--allow-empty", "-mx"]:
            subprocess.run(["git", *words], cwd=self.folder, check=True)

    def run_shown(self, command):
        for pattern, meaning in MEANT:
            command = re.sub(pattern, meaning, command)
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder, text=True, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=PATIENCE,
            env=environment(PATH=f"{self.path}:{os.environ['PATH']}", BINARY=str(BINARY),
                            GITHUB_STEP_SUMMARY=str(self.folder / "summary")))

    def complaint(self, command):
        """Says what is wrong with a command, or nothing."""
        done = self.run_shown(command)
        end = ENDS.get(command.split()[1])
        if end and " --help" not in command:
            return "" if re.search(end, done.stderr) else done.stderr or "it does not end so"
        # A library whose package is absent is nowhere; one that is elsewhere has a wrong path.
        gone = re.search(r": /usr/lib/(?:[^ ]*/)?([^ /]+): No such file", done.stderr)
        if done.returncode == 0 or re.search(ABSENT, done.stderr) or \
                gone and not any(Path("/usr/lib").rglob(gone[1])):
            return ""
        return f"status {done.returncode}: {done.stderr}"

    def texts(self):
        """Each page, and the examples of each command's help."""
        for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
            if page.name not in ELSEWHERE:
                yield page.name, page.read_text(encoding="utf-8")
        commands = re.findall(r"(?m)^  ([a-z][\w-]*)  ", self.run_tool("--help").stdout)
        self.assertGreater(len(commands), 30)
        for command in commands:
            text = self.run_tool(command, "--help").stdout
            yield f"{command} --help", re.sub(r"(?m)^  simdbench", "    simdbench", text)

    def test_docs(self):
        seen = {}
        for name, text in self.texts():
            for script in re.findall(r"\bscripts/[\w.-]*\w", text):
                self.assertTrue((SOURCE / script).exists(), f"{name}: {script}")
            for command in filter(is_whole, shown(text)):
                seen.setdefault(command, name)
        self.assertGreater(len(seen), 200)
        for command, name in seen.items():
            with self.subTest(text=name, command=command):
                self.assertEqual(self.complaint(command), "")

    def test_mistakes_are_seen(self):
        """A page that was forgotten when the program changed has such commands."""
        for command in (
                "gem", "gemm --izas=avx2", "gemm --variants=no_such", "gemm --sizes=64..x",
                "gemm --events=no-such-event", "study burn-cnov", "study burn-conv --claim=77",
                "audit missing.json", "call missing.json", "ab ./missing.so ./new.so gemm",
                "call ./libmix.so:mix_avx3 'PROTOTYPE'", "explain relu/f32/avx2/no_such@64",
                "list evnts", "license --fast", "doctor --quick", "doctor instrucions vpermd",
                "selftest --gate=2", "judge mix.json --candidat=./new.so", "prove -- COMMAND",
                "prove --expect='x: bits=>2' -- COMMAND", "capture --function=x --svae=x -- true",
                "report run.json --by=hsot", "history --history=missing.sqlite",
                "conv --shapes=resnet51", "gemm --baseline=no_such", "new-plugin x --lang=cobol"):
            with self.subTest(command=command):
                self.assertNotEqual(self.complaint(f"simdbench {command}"), "")
