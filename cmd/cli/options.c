/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, in the order of the help text. */

#include "args.h"

#define AT(field) offsetof(struct options, field)
#define RUN "What to run"
#define COMPARE "Compare with"
#define CONDITIONS "Under which conditions"
#define MEASURE "How to measure"
#define OUTPUT "Output"
#define OTHER "Other"
#define REPORTS                                                                    \
    (MEASURERS | COMMAND_REPORT | COMMAND_AB | COMMAND_COMPARE | COMMAND_EXPLAIN | \
     COMMAND_STUDY | COMMAND_JUDGE)
#define GATES (COMMAND_AB | COMMAND_COMPARE)
#define TESTED (COMMAND_AB | COMMAND_COMPARE | COMMAND_SELFTEST)
#define MEASURERS (COMMAND_OP | COMMAND_SUITE | COMMAND_CALL | COMMAND_AUDIT)
#define GATED (MEASURERS | COMMAND_AB)
#define CASES (GATED | COMMAND_THREADS | COMMAND_EXPLAIN)
#define TIMERS (CASES | COMMAND_STUDY)
#define SHAPED                                                                    \
    (COMMAND_OP | COMMAND_CALL | COMMAND_AB | COMMAND_THREADS | COMMAND_EXPLAIN | \
     COMMAND_AUDIT)
#define RECORDED                                                                   \
    (MEASURERS | COMMAND_AB | COMMAND_COMPARE | COMMAND_REPORT | COMMAND_EXPLAIN | \
     COMMAND_STUDY)
#define TRACERS (COMMAND_PROVE | COMMAND_CAPTURE)
#define RUNNERS (MEASURERS | COMMAND_LIST)
/* They have no defaults of a file. */
#define UNSET (COMMAND_COMPLETION | COMMAND_MAN | COMMAND_NEW_PLUGIN | COMMAND_TRUST)

/* clang-format off */
const struct option_row option_rows[] = {
    {"function", "GLOB", RUN, COMMAND_CAPTURE, NULL,
     "Functions to look at, by symbol or C++ name, as in 'crc32*', or in one library as in "
     "'libz:*'. Repeat it for more.", option_add_item, AT(prove.functions), NEEDS_TRUST},
    {"prototype", "TEXT", RUN, COMMAND_CAPTURE, NULL,
     "What the arguments are, as for `call`: 'uint32_t (uint32_t crc, const uint8_t x[n], "
     "size_t n)'. Then shapes are told.", option_set_text, AT(prove.prototype), NEEDS_TRUST},
    {"save", "FILE.json", RUN, COMMAND_CAPTURE, NULL,
     "Write a declaration whose sizes are those that took most time; call FILE.json measures "
     "them.", option_set_text, AT(call.save), TYPED},
    {"replay", "N", RUN, COMMAND_CAPTURE, NULL,
     "Keep what the arrays held in N calls of each shape, beside the declaration of --save: "
     "call FILE.json measures with these inputs.", option_set_count, AT(prove.replay), TYPED},
    {"format", "table|json", OUTPUT, COMMAND_CAPTURE, "table",
     "What is printed, on standard error, as standard output is the program's.",
     option_set_format, 0, WRITES},
    {"function", "GLOB", RUN, COMMAND_PROVE, "those that --expect names",
     "Functions to look at, by symbol or C++ name, as in 'crc32*', or in one library as in "
     "'libz:*'. Repeat it for more.", option_add_item, AT(prove.functions), NEEDS_TRUST},
    {"expect", "RULE", COMPARE, COMMAND_PROVE, NULL,
     "What they must execute, as in 'fvec_*: bits>=512, scalar<=10%': of isa, bits, vector, "
     "scalar, spills, calls, called, object and target. A rule that is broken fails with "
     "status 1. Repeat it for more.", option_add_item, AT(prove.rules), NEEDS_TRUST},
    {"pid", "N", RUN, TRACERS, NULL,
     "A process that runs already, with all its threads, in place of a command.",
     option_set_count, AT(prove.pid), TYPED},
    {"calls", "N", MEASURE, COMMAND_PROVE, "5",
     "How many calls of each function are traced: the first two, then some at random.",
     option_set_count, AT(prove.calls), HARMLESS},
    {"time", "TIME", MEASURE, TRACERS, "30s, and 10s with --pid",
     "How long calls may be held up in all; with --pid how long the process is watched.",
     option_set_duration, AT(time_ns), HARMLESS},
    {"seed", "N", CONDITIONS, TRACERS, "random",
     "Chooses the later calls that are traced.", option_set_seed, 0, HARMLESS},
    {"format", "json|junit|markdown|annotations[:FILE]", OUTPUT, COMMAND_PROVE, "a table",
     "With a file, what else is written; without one, what is printed, on standard error, as "
     "standard output is the program's.", option_add_format, 0, WRITES},
    {"json", "FILE", OUTPUT, TRACERS, NULL, "Short for --format=json:FILE.",
     option_add_output, 0, WRITES},
    {"quiet", NULL, OUTPUT, TRACERS, NULL, "Print no table.", option_set_flag,
     AT(quiet), HARMLESS},

    {"reference", "[LIB:]SYMBOL", RUN, DECLARERS, "the functions have to agree",
     "A function of the same prototype whose results are right.", option_set_text,
     AT(call.reference), NEEDS_TRUST},
    {"tolerance", "TOLERANCE", RUN, DECLARERS, "the same bits",
     "How far results may be from the right ones, as in 4ulp, abs:1e-6 or rel:1e-5.",
     option_set_tolerance, AT(call.tolerance), NEEDS_TRUST},
    {"overread", "BYTES", RUN, DECLARERS, "0",
     "How many bytes behind the end of an array the function may read.", option_set_count,
     AT(call.overread), NEEDS_TRUST},
    {"reset", NULL, RUN, DECLARERS, NULL,
     "Each call finds inout arrays as the first one did: they are written again before it, "
     "outside of the clock. Otherwise a call finds what the one before left.",
     option_set_flag, AT(call.reset), NEEDS_TRUST},
    {"work", "EXPRESSION", RUN, DECLARERS, NULL,
     "Operations of a call, of the names in the prototype, as in '2 * n'; bytes are known "
     "without.", option_set_text,
     AT(call.work), HARMLESS},
    {"roof", "NAME|none", RUN, DECLARERS, "the stream of its arrays",
     "The row of op roof that limits it (`simdbench list kernels roof`).", option_set_text,
     AT(call.roof), HARMLESS},
    {"save", "FILE.json", RUN, DECLARERS, NULL,
     "Keep the declaration and sizes: the same again by call FILE.json, or --plugin=FILE.json.",
     option_set_text, AT(call.save), TYPED},
    {"candidate", "LIB[:FUNCTION]", RUN, COMMAND_JUDGE, "needed",
     "The function that is judged; without a name, each function of the file that the "
     "library has. Repeat it for more.",
     option_add_item, AT(candidates), TYPED},
    {"claim", "ID", RUN, COMMAND_STUDY, "all",
     "Only that claim; repeat it for more.", option_add_item, AT(claims), NEEDS_TRUST},
    {"isa", "LIST", RUN, CASES, "auto; ab: all",
     "Instruction sets: auto is the widest that this machine has, all is every one; "
     "`simdbench list isas` shows them. One takes its rows with additions too "
     "(avx512+vnni), which are what else the CPU must have. One that is missing here is "
     "skipped.",
     option_add_isas, AT(request.isas), HARMLESS},
    {"isa", "LIST", RUN, COMMAND_DOCTOR, "all",
     "For `doctor instructions`: only forms of these sets. scalar: general registers; avx2: "
     "with VEX; avx512: with EVEX or masks.",
     option_add_isas, AT(request.isas), HARMLESS},
    {"isa-fallback", "on|off", RUN, MEASURERS | COMMAND_THREADS | COMMAND_EXPLAIN, "on",
     "If this CPU has none of --isa: on measures its widest set that has such kernels "
     "instead, and says so; off leaves it at skipped cases, exit status 5.",
     option_set_second, AT(request.isa_strict), NEEDS_TRUST},
    {"type", "LIST", RUN, CASES | COMMAND_NEW_PLUGIN, "f32; ab: all",
     "Element types: f32, f64, i32, i64, of plug-ins also f16, bf16, i8, u8, i16, u16, u32, u64 "
     "and bytesK, or all; of `new-plugin` one, for --op=own.",
     option_add_types, AT(request.types), HARMLESS},
    {"semiring", "LIST", RUN, SHAPED, "the op's first; ab: all",
     "What stands for plus and times: maxplus, minplus, maxtimes, or all.", option_add_items,
     AT(request.semirings), HARMLESS},
    {"sizes", "LIST", RUN, SHAPED | COMMAND_JUDGE, "the op's own",
     "Sizes: 64,100 or 64x32x128; 64..512 doubles, 64..512:64 steps, 1k..1M*10 "
     "multiplies, and a range that does not hit its end stops below it. k M G are 1000s, "
     "Ki Mi Gi are 1024s.",
     option_add_sizes, AT(request.sizes), HARMLESS},
    {"shape", "TEXT", RUN, SHAPED | COMMAND_JUDGE, NULL,
     "One shape as the op writes it; repeat it for more.", option_add_item, AT(request.shapes), HARMLESS},
    {"shapes", "NAME|FILE", RUN, SHAPED, NULL,
     "Lists of shapes: by name, as `simdbench list shapes` shows them, or files with a "
     "shape a line.",
     option_add_items, AT(request.shape_lists), NEEDS_TRUST},
    {"layout", "LIST", RUN, SHAPED, "all that have kernels",
     "How operands lie in memory, for ops with several ways (`simdbench list ops`), or all; "
     "each is a comparison of its own.",
     option_add_items, AT(request.layouts), HARMLESS},
    {"variants", "LIST", RUN, SHAPED | COMMAND_SUITE, "all", "Variants: the last part of a kernel's name; what a baseline alone has chooses among its "
     "rows.",
     option_add_items, AT(request.variants), HARMLESS},
    {"accuracy-at-most", "ULP", RUN, SHAPED, NULL,
     "For ops whose rows state errors (tanh): only rows within that, as in 1ulp or 0.6, "
     "libraries too; rows `auto` choose among them.", option_set_ulp, AT(request.settings.most_ulp), HARMLESS},
    {"filter", "GLOB", RUN, CASES, NULL,
     "Only cases whose id matches, as in 'gemm/max*/fma@*'; repeat it for more.", option_add_item,
     AT(request.filters), HARMLESS},
    {"lang", "c|cpp|rust|zig", RUN, COMMAND_NEW_PLUGIN, "c", "The language.", option_set_text,
     AT(lang), HARMLESS},
    {"op", "gemm|own", RUN, COMMAND_NEW_PLUGIN, "gemm",
     "gemm: a kernel to be compared with simdbench's own ones; own: an operation of its own, "
     "with a kernel (not in Zig).",
     option_set_second, AT(own_op), HARMLESS},
    {"from", "PROTOTYPE", RUN, COMMAND_NEW_PLUGIN, NULL,
     "Write a function of one's own in C that takes the place of a library's, and a declaration "
     "that measures both, as for `call`.", option_set_text, AT(from), TYPED},
    {"link", "LIB[:FUNCTION]", RUN, COMMAND_NEW_PLUGIN, NULL,
     "The library that has the function of --from, which it is checked against.",
     option_set_text, AT(link), TYPED},
    {"list", NULL, RUN, COMMAND_TRUST, NULL, "Print which files are trusted.", option_set_flag,
     AT(list_trusted), NEEDS_TRUST},
    {"revoke", NULL, RUN, COMMAND_TRUST, NULL, "Do not trust the file any longer.",
     option_set_flag, AT(revoke), NEEDS_TRUST},
    {"argmax", NULL, RUN, COMMAND_OP, NULL,
     "gemm alone: also the index of the k that won, which is op gemm_argmax.",
     option_set_flag, AT(argmax), HARMLESS},
    {"ladder", NULL, RUN, COMMAND_OP, NULL,
     "roof alone: bandwidth at working sets from the first cache to memory, of loads, reads, "
     "writes and copies, and mixes from registers; on each instruction set, with one and all "
     "threads, unless --isa, --threads, --sizes or --variants say otherwise.",
     option_set_flag, AT(request.ladder), HARMLESS},
    {"pathologies", NULL, RUN, SHAPED, NULL,
     "Include the kernels that are slow on purpose.", option_set_flag, AT(request.pathologies), HARMLESS},

    {"baseline", "NAME[,OPTION=VALUE]", COMPARE, COMMAND_EXPLAIN, "none",
     "A library whose cases are explained too; repeat it for more.", option_add_module,
     AT(request.baselines), BY_NAME},
    {"baseline", "NAME[,OPTION=VALUE]", COMPARE, RUNNERS, "the op's usual ones, if they are there",
     "A library to compare with, or none; repeat it for more, also of the same library "
     "with other options.",
     option_add_module, AT(request.baselines), BY_NAME},
    {"plugin", "FILE.so|FILE.json[,OPTION=VALUE]", COMPARE, RUNNERS | COMMAND_EXPLAIN | COMMAND_AB, NULL,
     "Kernels of your own, or a file that declares functions of a library; repeat it for more. as=NAME among the options names it in ids. "
     "`simdbench new-plugin DIR` writes some to begin with.",
     option_add_module, AT(request.plugins), RUNS_CODE},

    {"harness", "NAME", COMPARE, COMMAND_AB, "that of BASE's file, if it has one",
     "BASE and HEAD are programs (with arguments) of another harness: google-benchmark, go "
     "(a test binary), criterion, divan, catch2, nanobench, checkasm, pytest-benchmark; command "
     "(any program: its own CPU time), regex (any output: --pattern).",
     option_set_text, AT(harness), NEEDS_TRUST},
    {"pattern", "REGEX", COMPARE, COMMAND_AB, NULL,
     "For --harness=regex: an extended regular expression for a line, with a group for the "
     "name of a case, one for its number, and perhaps one for its unit (ns without).",
     option_set_text, AT(pattern), NEEDS_TRUST},
    {"build", "COMMAND", COMPARE, COMMAND_AB, NULL,
     "BASE and HEAD are commits of this repository: each is written to a folder of its own "
     "and built there by this command. The work tree is left alone.",
     option_set_text, AT(build), RUNS_CODE},
    {"run", "COMMAND", COMPARE, COMMAND_AB, NULL,
     "With --build: the benchmark program, as seen from that folder.", option_set_text,
     AT(run), RUNS_CODE},
    {"relink", "COMMAND", COMPARE, COMMAND_AB, NULL,
     "With --harness: a command that links the program {out} with {pad} bytes in front of its "
     "code. It runs for 3 paddings in the folder of each build, which are judged at their best "
     "places.", option_set_text, AT(relink), RUNS_CODE},
    {"cwd-old", "FOLDER", COMPARE, COMMAND_AB, "this one", "Where BASE's program runs.",
     option_set_text, AT(cwd_old), NEEDS_TRUST},
    {"cwd-new", "FOLDER", COMPARE, COMMAND_AB, "this one", "Where HEAD's program runs.",
     option_set_text, AT(cwd_new), NEEDS_TRUST},

    {"functions", "FILE.json", COMPARE, COMMAND_AB | COMMAND_EXPLAIN, NULL,
     "BASE and HEAD are libraries, and the file declares which of their functions are "
     "compared.", option_set_declared, AT(functions), RUNS_CODE},
    {"threshold", "PERCENT", COMPARE, TESTED, "2%",
     "What a change has to exceed to count, as in 5% or 0.5%.", option_set_percent,
     AT(threshold), NEEDS_TRUST},
    {"strict", NULL, COMPARE, GATES, NULL,
     "Fail with status 3 if a case is inconclusive or unusable.", option_set_flag, AT(strict), NEEDS_TRUST},
    {"as-built", NULL, COMPARE, COMMAND_AB, NULL,
     "Judge both builds where their code lies, not at the best of 16 places: a change of "
     "the place counts like one of the code.", option_set_flag, AT(as_built), NEEDS_TRUST},
    {"placement", "pass|fail", COMPARE, COMMAND_AB, "pass",
     "With fail a case that is PLACED fails with status 1: its code is no slower, but as "
     "built it is, by its place.", option_set_second, AT(placement_fails), NEEDS_TRUST},
    {"gate-code", NULL, COMPARE, GATES, NULL,
     "Fail with status 1 also if code is worse, by a trace: in hot loops more vector spills "
     "or calls for an operation, or narrower vectors, or a lesser instruction set. ab traces "
     "(--prove), compare reads two runs with --prove.", option_set_flag, AT(gate_code), NEEDS_TRUST},

    {"expect", "nothing|confirmed", COMPARE, COMMAND_STUDY, "nothing",
     "With confirmed a claim that is refuted or contested fails with status 1.",
     option_set_second, AT(expect_confirmed), NEEDS_TRUST},
    {"relative-to", "ROW", COMPARE, MEASURERS, NULL,
     "A column more: how many times faster each row is than the one of that instruction set or "
     "variant, as in scalar or scalar/mix_c; of several the fastest.",
     option_set_text, AT(relative_to), HARMLESS},
    {"strict", NULL, COMPARE, COMMAND_AUDIT, NULL,
     "Fail with status 1 if the dispatcher chooses worse than it could.", option_set_flag,
     AT(strict), NEEDS_TRUST},
    {"dispatcher", "VARIANT|none", RUN, COMMAND_AUDIT,
     "auto, or kernel lib; of several that with the name of the op, unless it calls no other",
     "The function that chooses one of the others, as `list kernels` names it.",
     option_set_text, AT(dispatcher), HARMLESS},
    {"strict", NULL, COMPARE, COMMAND_STUDY, NULL,
     "With --expect=confirmed, fail with status 3 if a claim is undecided or not measurable.",
     option_set_flag, AT(strict), NEEDS_TRUST},

    {"cpu", "LIST", CONDITIONS, TIMERS | COMMAND_SELFTEST | COMMAND_JUDGE,
     "such as no other run measures on", "CPUs to run on, as in 2 or 0,2-5.",
     option_set_cpu, 0, NEEDS_TRUST},
    {"wait", "SECONDS|no", CONDITIONS,
     TIMERS | COMMAND_SELFTEST | COMMAND_LICENSE | COMMAND_DOCTOR, "as long as it takes",
     "How long to wait for CPUs on which other runs measure: seconds, or a time as in "
     "5min. Then, and with no at once, the run ends with exit status 6.",
     option_set_wait, 0, NEEDS_TRUST},
    {"threads", "LIST", CONDITIONS, GATED | COMMAND_EXPLAIN, "1",
     "Threads that share the work of a call, as in 1,2,4..16 or all; cases are compared "
     "with the same number.",
     option_set_threads, 0, HARMLESS},
    {"threads", "LIST", CONDITIONS, COMMAND_THREADS, "2,4.. up to all CPUs",
     "How many threads, as in 2,4..16 or all, each held against one.", option_set_threads,
     0, HARMLESS},
    {"threads-threshold", "auto|off", CONDITIONS, MEASURERS, "auto",
     "auto runs fewer threads where `simdbench threads` found on this machine that they "
     "are faster.",
     option_set_second, AT(how.all_threads), HARMLESS},
    {"cpu", "LIST", CONDITIONS, COMMAND_LICENSE, "one of each core",
     "CPUs that count as all cores, as in 2 or 0,2-5; the last one is measured alone too.",
     option_set_cpu, 0, NEEDS_TRUST},
    {"cache", "hot|cold", CONDITIONS, CASES, "hot",
     "Whether operands are in the caches when a call begins.", option_set_second, AT(request.settings.cold), HARMLESS},
    {"pages", "4k|2m", CONDITIONS, CASES, "4k",
     "Size of the pages that hold the operands.", option_set_second, AT(request.settings.huge_pages), HARMLESS},
    {"align", "N", CONDITIONS, CASES, "64",
     "Operands begin at a multiple of this: a power of two up to 2Mi.", option_set_align, 0, HARMLESS},
    {"input", "LIST", CONDITIONS, SHAPED | COMMAND_JUDGE, "the op's own",
     "Which values the operands hold: what the op knows (`simdbench list ops`), and for all "
     "ops normal, uniform:LO..HI, zero, sorted, runs, indices:LO..HI and file:PATH. Cases are "
     "compared input by input.",
     option_add_items, AT(request.inputs), HARMLESS},
    {"inputs", "K|auto", CONDITIONS, CASES, "1",
     "Each timed call takes the next of K sets of operands with other values, so that no branch "
     "is learnt by heart; auto: as many as stay in the cache in which one lies.",
     option_set_sets, 0, HARMLESS},
    {"seed", "N", CONDITIONS, TIMERS | COMMAND_SELFTEST | COMMAND_JUDGE, "random, recorded",
     "Fixes inputs, placement and order: decimal or 0x and hexadecimal.", option_set_seed, 0, HARMLESS},

    {"events", "LIST", MEASURE, MEASURERS, NULL,
     "Hardware counters, as in cycles,instructions; `simdbench list events` shows them.",
     option_add_items, AT(how.events), HARMLESS},
    {"multiplex", NULL, MEASURE, MEASURERS, NULL,
     "Count all events in every batch, where they take turns: scaled, so less exact, and in "
     "batches of over 20 ms. Otherwise each batch counts what the PMU can hold.",
     option_set_flag, AT(how.multiplex), HARMLESS},
    {"counters", "LIST", MEASURE, MEASURERS, NULL,
     "Groups of hardware counters and what they come to, or all: core, cache, tlb, license, "
     "vector, frontend; `simdbench list groups` shows what is in them.",
     option_add_counters, AT(how.counters), HARMLESS},
    {"counters", "LIST", MEASURE, COMMAND_EXPLAIN, "core,tlb,frontend, if there is a PMU",
     "Groups of hardware counters that are evidence once they proved themselves, all, or "
     "none: causes are found without them too.",
     option_add_counters, AT(how.counters), HARMLESS},
    {"uarch", "NAME", MEASURE, COMMAND_LIST, "this CPU's",
     "Whose groups `list groups` shows, as in icx.", option_set_uarch, AT(uarch), HARMLESS},
    {"time-per-case", "TIME", MEASURE, MEASURERS | COMMAND_THREADS | COMMAND_JUDGE,
     "up to 100ms", "How long each case is measured: all of that time if it is given.",
     option_set_duration, AT(how.time_per_case_ns), NEEDS_TRUST},
    {"precision", "PERCENT", MEASURE, MEASURERS | COMMAND_THREADS, "1%, unless the time is given",
     "End a group's rounds early, once all its medians are known to within that much.",
     option_set_percent, AT(how.precision), HARMLESS},
    {"rounds", "N", MEASURE, MEASURERS | COMMAND_THREADS, "from the time",
     "How often the cases take turns; below 6 there is no interval.", option_set_count, AT(how.rounds), HARMLESS},
    {"rounds", "N", MEASURE, COMMAND_JUDGE, "24",
     "How often each function takes its turn, each time on new operands.", option_set_count,
     AT(how.rounds), NEEDS_TRUST},
    {"rounds", "N", MEASURE, COMMAND_AB, "24, down to 6 for calls above 0.12ms",
     "How often base, head and control take turns in each process.", option_set_count, AT(how.rounds), HARMLESS},
    {"processes", "N", MEASURE, COMMAND_AB, "16",
     "Fresh processes for each case, and as many again where it is then inconclusive. The "
     "error rates of docs/gate.md hold for 16.", option_set_count, AT(processes), NEEDS_TRUST},
    {"time", "TIME", MEASURE, COMMAND_AB, "what 16 processes take, or 32",
     "With --harness: about how long all of it may take, as in 30s; the more, the smaller the "
     "changes that are found.", option_set_duration, AT(time_ns), NEEDS_TRUST},
    {"slice", "TIME", MEASURE, COMMAND_AB, "20ms",
     "With --harness: how long a process measures a case, if the harness can be told.",
     option_set_duration, AT(slice_ns), NEEDS_TRUST},
    {"measure", "cpu|wall", MEASURE, COMMAND_AB, "cpu",
     "With --harness=command: user and system time of a process and its children, or the time "
     "from its start to its end.", option_set_second, AT(wall), NEEDS_TRUST},
    {"rounds", "N", MEASURE, COMMAND_LICENSE, "40",
     "How often the classes of work take turns; below 6 there is no interval.",
     option_set_count, AT(how.rounds), HARMLESS},
    {"effects", "LIST", MEASURE, COMMAND_SELFTEST, "0,1,2,3,5",
     "By how many percent head does more work than base, as in 0,1.5,4; 0 is equal code.",
     option_set_effects, 0, NEEDS_TRUST},
    {"gates", "N", MEASURE, COMMAND_SELFTEST, "20",
     "Gates for each effect. The more, the narrower the intervals of the rates.",
     option_set_count, AT(gates), NEEDS_TRUST},
    {"quick", NULL, MEASURE, COMMAND_LICENSE, NULL,
     "The clock alone, without the net effect on ops.", option_set_flag, AT(quick), NEEDS_TRUST},
    {"quick", NULL, MEASURE, COMMAND_STUDY, NULL,
     "The study's quick shapes, in a few seconds: wider intervals, more that is undecided.",
     option_set_flag, AT(quick), NEEDS_TRUST},
    {"check", "auto|full", MEASURE, CASES, "auto",
     "full compares every output with the reference, auto a sample of large ones.",
     option_set_second, AT(how.check_full), HARMLESS},
    {"prove", NULL, MEASURE, GATED, NULL,
     "Also trace a call of each case, in a process that is not timed: its instructions, "
     "their sets and widths go to the JSON, and a row that executes others than it says is "
     "marked.",
     option_set_flag, AT(how.prove), HARMLESS},
    {"accuracy", NULL, MEASURE, COMMAND_OP, NULL,
     "Instead of times: the errors of all kernels and baselines, interval by interval.",
     option_set_flag, AT(how.accuracy), NEEDS_TRUST},
    {"timeout", "TIME", MEASURE, TIMERS | COMMAND_JUDGE, "60s",
     "The longest that one call may take; a baseline has less, and is skipped if it takes "
     "more.", option_set_duration, AT(how.timeout_ns), NEEDS_TRUST},
    {"in-process", NULL, MEASURE, RUNNERS | COMMAND_THREADS, NULL,
     "Run kernels in this process, for emulators and debuggers.", option_set_flag,
     AT(how.in_process), NEEDS_TRUST},

    {"format", "NAME[:FILE]", OUTPUT, REPORTS, "table",
     "With a file, what else is written; without one, what is printed. Repeat it for more: "
     "table, markdown, annotations (GitHub), junit, gbench (Google Benchmark), "
     "github-action (github-action-benchmark), bmf (Bencher), benchstat, csv, html (one page "
     "with charts), json, svg (a figure: rooflines of "
     "`roof --ladder`, else speed over size; gnuplot draws it), gnuplot (its script).",
     option_add_format, 0, WRITES},
    {"json", "FILE", OUTPUT, COMMAND_THREADS, NULL, "Also save all samples.",
     option_add_output, 0, WRITES},
    {"json", "FILE", OUTPUT, REPORTS, NULL, "Short for --format=json:FILE.", option_add_output, 0, WRITES},
    {"markdown", "FILE", OUTPUT, REPORTS, NULL, "Short for --format=markdown:FILE.",
     option_add_output, 0, WRITES},
    {"query", "GLOB", OUTPUT, COMMAND_REPORT, NULL,
     "Print bare numbers: one a line for each case whose id matches, as in "
     "'gemm/*/fma@*'; exit status 5 if there is none.",
     option_set_text, AT(query), NEEDS_TRUST},
    {"value", "median_ns|gops|gbps|ghz|share|speedup", OUTPUT, COMMAND_REPORT, "median_ns",
     "Which number --query prints; share is that of the limit, speedup the one over the "
     "fastest fair baseline.",
     option_set_choice, AT(value), NEEDS_TRUST},
    {"by", "host", OUTPUT, COMMAND_REPORT, NULL,
     "Compare the machines of the files: which are slow, and which differ in what they are. "
     "As table, csv or json.",
     option_set_choice, AT(by), NEEDS_TRUST},
    {"history", "FILE.sqlite", OUTPUT, RECORDED, NULL,
     "Also append the run to an SQLite database, which is made if it is not there.",
     option_set_text, AT(history), WRITES},
    {"label", "TEXT", OUTPUT, RECORDED, NULL,
     "What is being measured, recorded with the run: the commit of your code, for one.",
     option_set_name, AT(label), HARMLESS},
    {"node", "TEXT", OUTPUT, MEASURERS | COMMAND_AB | COMMAND_EXPLAIN | COMMAND_STUDY,
     "$SLURMD_NODENAME, or the host's", "Name of this machine, recorded with the run.",
     option_set_name, AT(node), NEEDS_TRUST},
    {"history", "FILE.sqlite", OUTPUT, COMMAND_HISTORY, "$SIMDBENCH_HISTORY",
     "The database that runs were appended to.", option_set_text, AT(history), NEEDS_TRUST},
    {"format", "table|markdown|csv|json|html[:FILE]", OUTPUT, COMMAND_HISTORY, "table",
     "With a file, what else is written; without one, what is printed.", option_add_format, 0, WRITES},
    {"json", "FILE", OUTPUT, COMMAND_DOCTOR | COMMAND_LICENSE | COMMAND_SELFTEST, NULL, "Also save all of it as JSON.",
     option_add_output, 0, WRITES},
    {"format", "table|json[:FILE]", OUTPUT, COMMAND_SELFTEST, "table",
     "With a file, what else is written; without one, what is printed.", option_add_format, 0, WRITES},
    {"format", "table|markdown|json|html[:FILE]", OUTPUT,
     COMMAND_DOCTOR | COMMAND_LICENSE | COMMAND_THREADS, "table",
     "With a file, what else is written; without one, what is printed.", option_add_format, 0, WRITES},
    {"quiet", NULL, OUTPUT, COMMAND_LICENSE | COMMAND_SELFTEST, NULL, "No progress.", option_set_flag,
     AT(quiet), HARMLESS},
    {"asm", NULL, OUTPUT, COMMAND_EXPLAIN, NULL,
     "All instructions of the hot loops, with how often each was executed.", option_set_flag,
     AT(all_code), HARMLESS},
    {"dry-run", NULL, OUTPUT, TIMERS, NULL, "Print the plan and measure nothing.",
     option_set_flag, AT(dry_run), TYPED},
    {"quiet", NULL, OUTPUT, TIMERS | COMMAND_JUDGE, NULL, "No progress and no hints.", option_set_flag,
     AT(quiet), HARMLESS},
    {"verbose", NULL, OUTPUT, TIMERS | COMMAND_JUDGE | COMMAND_REPORT | COMMAND_COMPARE, NULL,
     "All notes below a table on a terminal, with host, seed and versions; files have them anyway.",
     option_set_flag, AT(verbose), HARMLESS},

    {"output", "FILE", OUTPUT, COMMAND_ALL & ~TRACERS, "standard output",
     "Where that goes which would be printed; the file is replaced once all of it is there.",
     option_set_output, AT(output), WRITES},

    {"project", "FILE|no", OTHER, COMMAND_ALL & ~UNSET,
     ".simdbench.json here or above",
     "The file with defaults of options, which is trusted then; no: none, as does "
     "--no-project. `simdbench list settings` shows them.",
     option_set_text, AT(project), TYPED},
    {"help", NULL, OTHER, COMMAND_ALL, NULL, "Print this text.", NULL, 0, TYPED},
    {"version", NULL, OTHER, COMMAND_ALL, NULL, "Print version and build.", NULL, 0, TYPED},
    {0},
};
/* clang-format on */
