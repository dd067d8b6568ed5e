/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of command lines, and those that are refused. */
#include "command_line.h"
#include "unit.h"

static void check_list(const struct text_list *list, const char *expected)
{
    char text[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < list->n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                                 list->item[i]);
    assert_string_equal(text, expected);
}

static void check_output(const struct options *options, size_t i, enum format format,
                         const char *file, const char *argument)
{
    assert_int_equal(options->outputs[i].format, format);
    assert_string_equal(options->outputs[i].file, file);
    assert_string_equal(options->outputs[i].argument, argument);
}

TEST(test_defaults)
{
    struct options options = parsed("gemm");
    assert_string_equal(options.command, "gemm");
    assert_true(options.is_op);
    assert_int_equal(options.request.isas.n + options.request.types.n +
                         options.request.semirings.n + options.request.variants.n +
                         options.request.filters.n + options.request.sizes.n +
                         options.request.shapes.n + options.request.shape_lists.n +
                         options.request.layouts.n + options.request.inputs.n +
                         options.request.baselines.n + options.request.plugins.n +
                         options.how.events.n + options.how.counters.n + options.files.n +
                         options.how.n_cpu,
                     0);
    assert_int_equal(options.request.n_threads, 1);
    assert_int_equal(options.request.threads[0], 1);
    assert_int_equal(options.request.settings.align, 64);
    assert_int_equal(options.how.time_per_case_ns, 0);
    assert_int_equal(options.how.timeout_ns, 60000000000);
    assert_int_equal(options.how.rounds, 0);
    assert_int_equal(options.format, FORMAT_TABLE);
    assert_false(options.format_given || options.request.settings.cold ||
                 options.request.settings.huge_pages || options.how.check_full ||
                 options.dry_run || options.how.in_process || options.quiet ||
                 options.request.pathologies || options.seed_given ||
                 options.how.accuracy || options.request.isa_strict);
    assert_int_equal(options.n_outputs, 0);

    struct options other = parsed("gemm");
    assert_true(options.how.seed != other.how.seed);
    options_free(&options);
    options_free(&other);
}

TEST(test_every_option)
{
    static const char *const lines[] = {
        "gemm --isa=avx2,avx512 --type=f32,f64 --semiring=maxplus --sizes=64..128 "
        "--variants=fma,add --filter=a,b --baseline=openblas,coretype=SkylakeX "
        "--plugin=./m.so --events=cycles,instructions --counters=core,tlb --counters=all "
        "--cache=cold --pages=2m "
        "--align=4Ki "
        "--time-per-case=1.5s --rounds=7 --seed=0xFFFFFFFFFFFFFFFF",
        "gemm --isa avx2 --isa avx512 --type f32 --type f64 --semiring=maxplus"};
    struct options o = parsed(lines[0]);
    check_list(&o.request.isas, "avx2 avx512");
    check_list(&o.request.types, "f32 f64");
    check_list(&o.request.semirings, "maxplus");
    check_list(&o.request.sizes, "64 128");
    check_list(&o.request.variants, "fma add");
    check_list(&o.request.filters, "a,b");
    check_list(&o.request.baselines, "openblas,coretype=SkylakeX");
    check_list(&o.request.plugins, "./m.so");
    check_list(&o.how.events, "cycles instructions");
    check_list(&o.how.counters, "core tlb all");
    assert_true(o.request.settings.cold && o.request.settings.huge_pages && o.seed_given);
    assert_int_equal(o.request.settings.align, 4096);
    assert_int_equal(o.how.time_per_case_ns, 1500000000);
    assert_int_equal(o.how.rounds, 7);
    assert_true(o.how.seed == UINT64_MAX);
    options_free(&o);

    o = parsed(lines[1]);
    check_list(&o.request.isas, "avx2 avx512");
    check_list(&o.request.types, "f32 f64");
    options_free(&o);

    o = parsed(
        "relu --cpu 0 --threads 1 --input=normal --check=full --timeout=2min "
        "--json=a.json --markdown b.md --format=csv --dry-run --in-process --quiet "
        "--pathologies --input=zero,uniform:-8..8 --accuracy --isa-fallback=off");
    assert_string_equal(o.command, "relu");
    assert_int_equal(o.how.n_cpu, 1);
    assert_int_equal(o.how.cpu[0], 0);
    check_list(&o.request.inputs, "normal zero uniform:-8..8");
    assert_true(o.how.accuracy && o.request.isa_strict);
    assert_near(o.request.settings.most_ulp, 0, 0);
    assert_true(o.how.check_full && o.dry_run && o.how.in_process && o.quiet &&
                o.request.pathologies);
    assert_int_equal(o.how.timeout_ns, 120000000000);
    assert_int_equal(o.n_outputs, 2);
    check_output(&o, 0, FORMAT_JSON, "a.json", "--json=a.json");
    check_output(&o, 1, FORMAT_MARKDOWN, "b.md", "--markdown=b.md");
    assert_int_equal(o.format, FORMAT_CSV);
    assert_true(o.format_given);
    options_free(&o);

    o = parsed("doctor --output=a.txt --format=html:b.html --json=c.json");
    assert_string_equal(o.output, "a.txt");
    check_output(&o, 0, FORMAT_HTML, "b.html", "--format=html:b.html");
    check_output(&o, 1, FORMAT_JSON, "c.json", "--json=c.json");
    options_free(&o);
}

TEST(test_shapes)
{
    struct options o = parsed("conv --shape=n1c3h8w8k4 --shape 64..128 --sizes=1,2 "
                              "--shapes=burn,./a.txt --shapes=vgg16 --layout=nchw,all");
    check_list(&o.request.shapes, "n1c3h8w8k4 64..128");
    check_list(&o.request.sizes, "1 2");
    check_list(&o.request.shape_lists, "burn ./a.txt vgg16");
    check_list(&o.request.layouts, "nchw all");
    options_free(&o);
}

TEST(test_ulp)
{
    static const struct {
        const char *line;
        double ulp;
    } lines[] = {{"tanh --accuracy-at-most=1", 1},
                 {"tanh --accuracy-at-most=1ulp", 1},
                 {"tanh --accuracy-at-most 0.6ulp", 0.6},
                 {"ab a b tanh --accuracy-at-most=.01", 0.01},
                 {"explain tanh --accuracy-at-most=1000000000", 1e9},
                 {"threads tanh --accuracy-at-most=2 --accuracy-at-most=1.5", 1.5}};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct options o = parsed(lines[i].line);
        assert_near(o.request.settings.most_ulp, lines[i].ulp, 0);
        options_free(&o);
    }
}

TEST(test_outputs)
{
    struct options o = parsed("report run.json --json=a --format csv:b:c --format=json:d "
                              "--format=table:e --format=markdown");
    assert_int_equal(o.n_outputs, 4);
    check_output(&o, 0, FORMAT_JSON, "a", "--json=a");
    check_output(&o, 1, FORMAT_CSV, "b:c", "--format=csv:b:c");
    check_output(&o, 2, FORMAT_JSON, "d", "--format=json:d");
    check_output(&o, 3, FORMAT_TABLE, "e", "--format=table:e");
    assert_int_equal(o.format, FORMAT_MARKDOWN);
    options_free(&o);

    o = parsed("gemm --format=csv:file.csv");
    assert_int_equal(o.format, FORMAT_TABLE);
    assert_false(o.format_given);
    options_free(&o);
}

TEST(test_last_wins)
{
    struct options o = parsed("gemm --rounds=3 --rounds 9 --cache=cold "
                              "--cache=hot --cpu=0 --cpu=0 --seed=1 --seed=2 --sizes=1 "
                              "--sizes=2,3");
    assert_int_equal(o.how.rounds, 9);
    assert_false(o.request.settings.cold);
    assert_int_equal(o.how.n_cpu, 1);
    assert_int_equal(o.how.seed, 2);
    check_list(&o.request.sizes, "1 2 3");
    options_free(&o);
}

TEST(test_words)
{
    static const struct {
        const char *line, *command, *files, *isas, *plugins, *filters, *events;
        enum format format;
    } cases[] = {
        {"report run.json --format=json", "report", "run.json", "", "", "", "",
         FORMAT_JSON},
        {"--format json report -- --odd.json", "report", "--odd.json", "", "", "", "",
         FORMAT_JSON},
        {"--isa avx2 --quiet gemm", "gemm", "", "avx2", "", "", "", FORMAT_TABLE},
        {"list kernels --plugin=x.so,a=b,c= avx512", "list", "kernels avx512", "",
         "x.so,a=b,c=", "", "", FORMAT_TABLE},
        {"doctor --format=json", "doctor", "", "", "", "", "", FORMAT_JSON},
        {"report -", "report", "-", "", "", "", "", FORMAT_TABLE},
        {"gemm --filter=-x --events -y", "gemm", "", "", "", "-x", "-y", FORMAT_TABLE}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct options o = parsed(cases[i].line);
        assert_string_equal(o.command, cases[i].command);
        assert_int_equal(o.is_op, !strcmp(o.command, "gemm"));
        assert_int_equal(o.format, cases[i].format);
        check_list(&o.files, cases[i].files);
        check_list(&o.request.isas, cases[i].isas);
        check_list(&o.request.plugins, cases[i].plugins);
        check_list(&o.request.filters, cases[i].filters);
        check_list(&o.how.events, cases[i].events);
        options_free(&o);
    }
}

TEST(test_short_and_taken_back)
{
    struct options o = parsed("gemm -q -n -oout.txt --accuracy --no-accuracy");
    assert_true(o.quiet && o.dry_run && !o.how.accuracy);
    assert_string_equal(o.output, "out.txt");
    options_free(&o);
    o = parsed("gemm -o a.txt --no-quiet --output=b.txt");
    assert_false(o.quiet);
    assert_string_equal(o.output, "b.txt");
    options_free(&o);
}

#define NAME_16 "nnnnnnnnnnnnnnnn"
#define NAME_64 NAME_16 NAME_16 NAME_16 NAME_16
#define NAME_257 NAME_64 NAME_64 NAME_64 NAME_64 "n"

TEST(test_refuses)
{
    static const struct {
        const char *line, *flag, *reason;
    } known[] = {
        {"gemm --isa=avx521", "--isa=avx521", "did you mean avx512?"},
        {"gemm --isa=quux", "--isa=quux", "auto, all, scalar"},
        {"gemm --isa=avx2,,sse2", "--isa=avx2,,sse2", "empty"},
        {"gemm --counters=licence", "--counters=licence", "did you mean license?"},
        {"gemm --counters=core,", "--counters=core,", "empty"},
        {"gemm --counters=quux", "--counters=quux", "all, core, cache, tlb"},
        {"list groups --uarch=zen6", "--uarch=zen6", "did you mean zen"},
        {"gemm --uarch=icx", "--uarch", "no option of gemm"},
        {"gemm --label=" NAME_257, "--label=nnnn", "257 bytes; a name has at most 256"},
        {"gemm --isa=vsx", "--isa=vsx", "an instruction set of POWER"},
        {"gemm --isa=lib", "--isa=lib", "no such instruction set"},
        {"gemm --isa=", "--isa", "needs a value"},
        {"gemm --isa", "--isa", "needs a value"},
        {"gemm --json --quiet", "--json", "needs a value"},
        {"gemm --sizes=512..64", "--sizes=512..64", "backwards"},
        {"gemm --sizes=0..64", "--sizes=0..64", "twice 0"},
        {"gemm --sizes=99999999999999999999", "--sizes=9999", "2^63-1"},
        {"gemm --threads=0", "--threads=0", "1 to 1024"},
        {"gemm --threads=2,1025", "--threads=1025", "1 to 1024"},
        {"gemm --threads=4..2", "--threads=4..2", "runs backwards"},
        {"gemm --threads=1..100:1", "--threads=65", "more than 64"},
        {"gemm --threads=1,,2", "--threads=1,,2", "an item is empty"},
        {"gemm --threads=-1", "--threads=-1", "negative"},
        {"gemm --threads=two", "--threads=two", "not a whole number"},
        {"gemm --cache=warm", "--cache=warm", "hot|cold"},
        {"gemm --pages=2M", "--pages=2M", "did you mean 2m?"},
        {"gemm --check=ful", "--check=ful", "did you mean full?"},
        {"gemm --format=jsn", "--format=jsn", "did you mean json?"},
        {"gemm --align=0", "--align=0", "power of two"},
        {"gemm --align=48", "--align=48", "power of two"},
        {"gemm --align=4Mi", "--align=4Mi", "2Mi"},
        {"gemm --time-per-case=50", "--time-per-case=50", "no unit"},
        {"gemm --time-per-case=0s", "--time-per-case=0s", "1ms"},
        {"gemm --timeout=999h", "--timeout=999h", "unit"},
        {"gemm --timeout=99999min", "--timeout=99999min", "from 1ms"},
        {"gemm --rounds=0", "--rounds=0", "from 1"},
        {"gemm --rounds=1M", "--rounds=1M", "from 1"},
        {"gemm --seed=x", "--seed=x", "whole number"},
        {"gemm --seed=0x", "--seed=0x", "whole number"},
        {"gemm --seed=-1", "--seed=-1", "whole number"},
        {"gemm --seed=18446744073709551616", "--seed=1844", "2^64-1"},
        {"gemm --cpu=x", "--cpu=x", ""},
        {"gemm --cpu=99999", "--cpu=99999", ""},
        {"gemm --baseline=openblas,blis", "--baseline=openblas,blis",
         "'blis' is not option=value"},
        {"gemm --baseline=,a=b", "--baseline=,a=b", "name is missing"},
        {"gemm --plugin=x.so,=b", "--plugin=x.so,=b", "'=b' is not option=value"},
        {"gemm --quiet=1", "--quiet=1", "takes no value"},
        {"gemm --help=1", "--help=1", "takes no value"},
        {"gemm --version=", "--version=", "takes no value"},
        {"gemm --isas=avx2", "--isas=avx2", "did you mean --isa?"},
        {"gemm --seize=64", "--seize=64", "did you mean --sizes?"},
        {"gemm --in", "--in", "did you mean --input, --inputs, --in-process?"},
        {"gemm --json=a --markdown=a", "--markdown=a", "--json=a names the same file"},
        {"gemm --format=csv:a --json=a", "--json=a", "--format=csv:a names the same"},
        {"gemm --format=csv --format=json", "--format=json", "gets --format=csv already"},
        {"gemm --format=csv:", "--format=csv:", "file is missing"},
        {"gemm --format=:a", "--format=", "no such format"},
        {"gemm --zzzzzz", "--zzzzzz", "see simdbench gemm --help"},
        {"gemm --=5", "--=5", "no such option"},
        {"gemm -v", "-v", "-q and -V"},
        {"gemm -q1", "-q1", "--quiet takes no value"},
        {"gemm -o", "--output", "needs a value"},
        {"report -n x", "--dry-run", "no option of report"},
        {"gemm --no-isa", "--no-isa", "no such option"},
        {"gemm --no-help", "--no-help", "no such option"},
        {"gemm --no-quiet=1", "--no-quiet=1", "no such option"},
        {"gemm extra", "extra", "no further words"},
        {"gemm -- --quiet", "--quiet", "no further words"},
        {"report", "report", "needs a file"},
        {"gemm --accuracy=1", "--accuracy=1", "takes no value"},
        {"tanh --accuracy-at-most", "--accuracy-at-most", "needs a value"},
        {"tanh --accuracy-at-most=0", "--accuracy-at-most=0:", "0.01 to 1e9 ulp"},
        {"tanh --accuracy-at-most=0.009", "--accuracy-at-most=0.009:", "0.01 to"},
        {"tanh --accuracy-at-most=1000000001", "--accuracy-at-most=1000000001", "1e9"},
        {"tanh --accuracy-at-most=ulp", "--accuracy-at-most=ulp", "as in 1ulp or 0.6"},
        {"tanh --accuracy-at-most=.", "--accuracy-at-most=.", "as in 1ulp or 0.6"},
        {"tanh --accuracy-at-most=1.5.2", "--accuracy-at-most=1.5.2", "as in 1ulp"},
        {"tanh --accuracy-at-most=-1", "--accuracy-at-most=-1", "as in 1ulp or 0.6"},
        {"tanh --accuracy-at-most=1u", "--accuracy-at-most=1u", "as in 1ulp or 0.6"},
        {"tanh --accuracy-at-most=1e3", "--accuracy-at-most=1e3", "as in 1ulp or 0.6"},
        {"tanh --accuracy-at-most=inf", "--accuracy-at-most=inf", "as in 1ulp"},
        {"all --accuracy-at-most=1", "--accuracy-at-most", "no option of all"},
        {"gemm --layout=a,", "--layout=a,", "empty"},
        {"report --isa=avx2 a", "--isa", "no option of report"},
        {"ab a b gemm --isa-fallback=on", "--isa-fallback", "no option of ab"},
        {"list kernels x y", "y", "no more words"},
        {"doctor x", "x", "only doctor counters and doctor instructions"},
        {"doctor counters x", "x", "no more words"},
        {"doctor --isa=avx2", "--isa", "as in simdbench doctor instructions 'vpadd*'"},
        {"doctor counters --isa=avx2", "--isa", "chooses forms of instructions"},
        {"ab a b --junit=g.xml", "--junit=g.xml", "--format=junit:FILE writes it"},
        {"ab a b --functions=Makefile", "--functions=Makefile", "ends in .json"},
        {"gemm --format=html:a,json:b", "--format=", "--format=html:a --format=json:b"},
        {"gemm --format=table,json", "--format=", "--format=table --format=json"},
        {"doctor instructions", "instructions", "needs forms"},
        {"doctor --format=csv", "--format=csv", "table, markdown, json, html"},
        {"reprot run.json", "reprot", "did you mean report?"},
        {"gem foo", "gem", "did you mean gemm, "},
        {"mix foo --plugin=mix.json", "foo", "mix takes no further words"},
        {"explain gemm/f32@64 --roof=none", "--roof", "prototype is missing, as in"},
        {"ab a b --harness=command --reset", "--reset", "prototype is missing, as in"},
        {"ab ./a.so:f 'void (int)' --reset", "ab", "needs two builds"},
        {"call libm.so.6 --tolerance=1ulp", "--tolerance", "call LIB lists functions"},
        {"audit mix.json --work=n", "--work", "has keys, such as"},
        {"mix --plugin=mix.json --reset", "--reset", "no option of mix"},
        {"--isa=avx2", "--isa=avx2", "command is missing"},
        {"--", "--", "command is missing"}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct options options;
        struct error error;
        const int rc = parse(known[i].line, &options, &error);
        if (rc >= 0 || !strstr(error.text, known[i].flag) ||
            !strstr(error.text, known[i].reason))
            fail_msg("%s: %d, %s", known[i].line, rc, rc < 0 ? error.text : "");
    }
}
