/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that are no ops: what help says of them and how many words they take. */

#include "args.h"

enum {
    REPORT_FILES_MAX = 10000,
    COMPARE_FILES_MAX = 20,
    EXPLAIN_WORDS_MAX = 100,
    DOCTOR_WORDS_MAX = 10000,
    PROVE_WORDS_MAX = 1000000,
};

/* clang-format off */
const struct command_row command_rows[] = {
    {"all", COMMAND_SUITE, "", "measure the default suite: every op in four sizes", 0, 0,
     .examples = {"all", "all --json=run.json --history=bench.sqlite",
      "all --filter='gemm/*' --dry-run"}},
    {"call", COMMAND_CALL, "LIB:FUNCTION 'PROTOTYPE'|FILE.json|LIB",
     "any function of a library: measured and checked from its prototype", 1, 2,
     {"call libz.so.1:crc32 'unsigned long (unsigned long crc = 0, const uint8_t x[n], "
      "unsigned n)' --sizes=64..1Mi*4",
      "call ./libmix.so:mix_avx2,mix_sse2 'void (inout float dst[n], const float src[n], "
      "float gain = 0.5, size_t n)' --reference=mix_c",
      "call mix.json --json=run.json", "call ./libmix.so"}, .needs = "a library"},
    {"audit", COMMAND_AUDIT, "FILE.json|PLUGIN.so|OP [OP]|LIB:FAMILY 'PROTOTYPE'",
     "where does a dispatcher choose worse than it could? which kernel from which size on",
     1, 2,
     {"audit mix.json",
      "audit ./libmix.so:mix 'void (inout float dst[n], const float src[n], size_t n)'",
      "audit mix.json --dispatcher=mix --strict --json=audit.json",
      "audit ./mine.so own --sizes=1..64,1Ki..1Mi*4", "audit relu --sizes=7,64,1000,64Ki"},
     .needs = "a file or an op"},
    {"judge", COMMAND_JUDGE, "FILE.json [OP]",
     "right and fast? a verdict about a function from elsewhere", 1, 2,
     {"judge mix.json --candidate=./new.so",
      "judge mix.json --candidate=./new.so:mix_new --sizes=64,4Ki,1Mi --json=verdict.json",
      "judge mix.json mix --candidate=./new.so --seed=7"}, .needs = "a file"},
    {"report", COMMAND_REPORT, "FILE.json...",
     "print saved runs again, several as one", 1, REPORT_FILES_MAX,
     {"report run.json --format=html:run.html",
      "report ours.json theirs.json --json=both.json",
      "report run.json --query='gemm/*/fma@*' --value=share",
      "report nodes/*.json --by=host"}, .needs = "a file"},
    {"compare", COMMAND_COMPARE, "BASE.json HEAD.json...",
     "what changed between two saved runs, or several beside the first", 2,
     COMPARE_FILES_MAX,
     {"compare before.json after.json",
      "compare before.json after.json --threshold=5% --strict",
      "compare before.json after.json --markdown=changes.md",
      "compare v1.json v2.json v3.json --format=markdown"}, .needs = "two files"},
    {"history", COMMAND_HISTORY, "[CASE]",
     "what earlier runs said of a case, host by host", 0, 1,
     .examples = {"history --history=bench.sqlite 'gemm/*/fma@64x64x64'",
      "history --history=bench.sqlite --format=html:bench.html",
      "history --history=bench.sqlite --format=csv"}},
    {"list", COMMAND_LIST, "[TOPIC [PATTERN]]",
     "what there is: ops, kernels, modules, shapes, events, studies", 0, 2,
     {"list", "list kernels avx512", "list groups --uarch=icx",
      "list ops --plugin=./mine.so"},
     .about = "TOPIC is ops, kernels, isas, modules, shapes, events, roofs, groups, studies or settings; "
     "PATTERN is a part of a name, or a glob."},
    {"ab", COMMAND_AB, "BASE HEAD [OP|'PROTOTYPE']",
     "is one build slower than another? both measured in turns", 2, 3,
     {"ab ./old.so ./new.so gemm --sizes=64..256",
      "ab ./old.so:mix ./new.so 'void (float y[n], const float x[n], size_t n)' --sizes=64",
      "ab build/old/simdbench build/new/simdbench gemm --isa=all --strict",
      "ab ./old_bench ./new_bench 'BM_sort*' --time=30s",
      "ab --harness=go --build=./build.sh --run=./bench.test HEAD~1 HEAD"}, .needs = "two builds",
     .about = "BASE and HEAD are two plug-ins, two libraries (with a prototype, or --functions), two "
     "programs of benchmarks, or two simdbench executables."},
    {"explain", COMMAND_EXPLAIN, "CASE...|OP|BASE.so HEAD.so CASE|LIB:FUNCTION [HEAD.so] 'PROTOTYPE'",
     "why a kernel is as fast as it is, or slower than another one", 1, EXPLAIN_WORDS_MAX,
     {"explain gemm --sizes=64", "explain relu/f32/avx2/max@2048 --asm",
      "explain 'gemm/maxplus-f32/avx2/add@64' 'gemm/maxplus-f32/avx2/fma@64'",
      "explain ./libmix.so:mix 'void (float y[n], const float x[n], size_t n)' --sizes=64",
      "explain relu --plugin=./mine.so --sizes=1Mi --json=why.json"}, .needs = "a case or an op"},
    {"prove", COMMAND_PROVE, "-- COMMAND",
     "which code runs inside any program? a test of dispatch", 0,
     PROVE_WORDS_MAX,
     .examples = {"prove --function='SHA256_*' -- openssl dgst -sha256 file",
      "prove --expect='fvec_*: bits>=512, scalar<=10%' -- ./mytest",
      "prove --function='libz:*' --format=junit:dispatch.xml -- python3 test.py",
      "prove --function='libx264:*' --pid=1234 --time=5s"}},
    {"capture", COMMAND_CAPTURE, "-- COMMAND",
     "what does a program ask of a function? sizes, callers, times", 0,
     PROVE_WORDS_MAX,
     .examples = {"capture --function='inflate' -- git log --oneline -3",
      "capture --function=libz:crc32_z --prototype='unsigned long (unsigned long crc = 0, const "
      "uint8_t x[n], size_t n)' --save=crc.json -- ./mytest",
      "capture --function='libz:*' --pid=1234 --time=5s --json=calls.json"}},
    {"study", COMMAND_STUDY, "NAME|FILE.json|all",
     "are the claims of a report true here? each with a verdict", 1, 1,
     {"study burn-conv", "study trueno --quick --json=study.json",
      "study ./mine.json --expect=confirmed --format=junit:study.xml"}, .needs = "a name or a file"},
    {"threads", COMMAND_THREADS, "OP",
     "from which size on are several threads faster? kept for later", 1, 1,
     {"threads gemm", "threads relu --threads=2,4..16 --sizes=1Ki..16Mi*4",
      "threads conv --format=html:threads.html"}, .needs = "an op"},
    {"selftest", COMMAND_SELFTEST, "",
     "how often is ab right here? gates of which the truth is known", 0, 0,
     .examples = {"selftest", "selftest --gates=50 --threshold=1%",
      "selftest --effects=0,4 --gates=100 --json=selftest.json"}},
    {"doctor", COMMAND_DOCTOR, "[counters|instructions FORM...]",
     "what this machine does to measurements; what counters and instructions tell", 0,
     DOCTOR_WORDS_MAX,
     .examples = {"doctor", "doctor --format=json", "doctor counters",
      "doctor instructions 'vpcompress*' 'vdivps zmm, *' --isa=avx512"}},
    {"license", COMMAND_LICENSE, "", "does wide SIMD cost clock on this machine?", 0, 0,
     .examples = {"license", "license --quick --json=license.json", "license --cpu=0 --rounds=100"}},
    {"new-plugin", COMMAND_NEW_PLUGIN, "DIR",
     "write a plug-in to begin with, in C, C++, Rust or Zig", 1, 1,
     {"new-plugin ./mine", "new-plugin ./mine --op=own --type=u8", "new-plugin ./mine --lang=rust",
      "new-plugin ./mine --link=libz.so.1 --from='uint32_t adler32(uint32_t a = 1, const uint8_t x[n], "
      "size_t n)'"}, .needs = "a folder"},
    {"trust", COMMAND_TRUST, "[FILE]",
     "let a project file or a study run code and write files", 0, 1,
     {"trust", "trust ./study.json", "trust --list", "trust --revoke"},
     .about = "FILE is a study, or a project file: without it, the one in the working folder or the nearest "
     "one above it. Look at it before: `simdbench list settings`. It is trusted as it is now, in "
     "that place; after a change, trust it again. What it names, such as a plug-in, is not looked "
     "at."},
    {"completion", COMMAND_COMPLETION, "bash|zsh|fish",
     "what a shell needs to complete command lines of simdbench", 1, 100,
     {"completion bash", "completion fish --output=simdbench.fish"}, .needs = "a shell",
     .about = "Where `meson install` or a package put the script, a shell finds it by itself. Otherwise: "
     "source <(simdbench completion bash)."},
    {"man", COMMAND_MAN, "[COMMAND]", "a page of the manual, as roff", 0, 1,
     {"man", "man gemm", "man ab --output=simdbench-ab.1"},
     .about = "For a page that is not installed: simdbench man gemm | man -l -."},
    {0},
};
/* clang-format on */

const struct command_row *command_find(const char *name)
{
    for (const struct command_row *row = command_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

void names_ops_and_commands(struct text_list *names)
{
    for (const struct simdbench_op *const *op = op_list(); *op; op++)
        text_list_add(names, (*op)->name);
    args_commands(names);
}

void args_commands(struct text_list *names)
{
    text_list_add(names, "help");
    for (const struct command_row *row = command_rows; row->name; row++)
        text_list_add(names, row->name);
}
