/* SPDX-License-Identifier: Apache-2.0 */
/* Output of harnesses is read, and output that they never print does no harm. */
#include "harness/harness_private.h"
#include "unit.h"

/* Each test reads texts of its own: readers cut them up. */
static struct readings read_with(harness_reader *reader, const char *text, int wanted)
{
    const struct reading_form form = {.tick_ns = 0.5, .threads = 8};
    struct readings readings = {.n = 0};
    struct error error = {.text = ""};
    char *const copy = strdup(text);
    assert_non_null(copy);
    assert_int_equal(reader(copy, &form, &readings, &error), wanted);
    free(copy);
    return readings;
}

static void expect(harness_reader *reader, const char *text, const char *name, double ns)
{
    struct readings readings = read_with(reader, text, 0);
    const struct reading *const found = readings_find(&readings, name);
    if (!found)
        fail_msg("no case '%s' in '%s'", name, text);
    assert_near(found->ns, ns, 1e-9 * ns);
    assert_null(found->reason);
    readings_free(&readings);
}

static void expect_nothing(harness_reader *reader, const char *text)
{
    struct readings readings = read_with(reader, text, 0);
    if (readings.n)
        fail_msg("'%s' in '%s'", readings.entry[0].name, text);
    readings_free(&readings);
}

#define DIVAN                                                                           \
    "Timer precision: 20 ns\n"                                                          \
    "d           fastest   \u2502 slowest \u2502 median   \u2502 mean \u2502 samples\n" \
    "\u251c\u2500 not_now  (ignored) \u2502   \u2502    \u2502     \u2502\n"            \
    "\u251c\u2500 par                \u2502   \u2502    \u2502     \u2502\n"            \
    "\u2502  \u2570\u2500 t=2   158 ns   \u2502 2 ns \u2502 1.5 \u00b5s \u2502 9 ns\n"  \
    "\u251c\u2500 plain    155.5 ns  \u2502 159.9 ns \u2502 156.2 ns \u2502 156 ns\n"   \
    "\u2570\u2500 inner              \u2502   \u2502    \u2502     \u2502\n"            \
    "   \u2502           6.4 GB/s  \u2502 6.3 GB/s \u2502 6.3 GB/s \u2502 6 GB/s\n"     \
    "   \u2570\u2500 ty              \u2502   \u2502    \u2502     \u2502\n"            \
    "      \u2570\u2500 String  1 ns  \u2502 2 ns \u2502 0.334 ns \u2502 0.4 ns\n"

TEST(lines_are_read)
{
    expect(read_go, "goos: linux\nBenchmarkFib/n=20-8   \t 30\t 1.5e3 ns/op\t 8 B/op\r\n",
           "BenchmarkFib/n=20", 1500);
    expect(read_go, "BenchmarkFib-4 30 12 ns/op", "BenchmarkFib-4", 12);
    expect(read_go, "BenchmarkFib-8 \tits own words\n      30\t  12 ns/op\n",
           "BenchmarkFib", 12);
    expect(read_checkasm, " put_avx2:   40.0 +/- 1.2  9.9 ns (2.0x)", "put_avx2", 20);
    expect(read_checkasm, "put_c: 80.0\n", "put_c", 40);
    expect(read_checkasm, "put_w8,avx2,80.125,1.2,3.4\n", "put_w8_avx2", 40.0625);
    expect(read_nanobench, "| us/op | err% | x\n|---|---|---\n| 1,234.5 | 1% | `a b`",
           "a b", 1234500);
    expect(read_nanobench,
           "| ms/op | x\n|---|---\n| 2 | :wavy_dash: `a` (Unstable with ~1.0 iters. "
           "Increase `minEpochIterations` to e.g. 10)",
           "a", 2e6);
    expect(read_nanobench,
           "| relative | us/byte | byte/s | x\n|---|---|---|---\n"
           "| 100.0% | 0.00 | 2,500,000,000.00 | `a`",
           "a", 0.4);
    expect(read_nanobench, "| ns/op | op/s | x\n|---|---|---\n| 5.00 | inf | `a`", "a",
           5);
    expect(read_nanobench,
           "| ns/op | op/s | x\n|---|---|---\n| 5,012,345,678.00 | 0.20 | `a`", "a",
           5012345678);
    expect(read_criterion, "a name\n   time:   [1 ns 2.5 \u00b5s 3 ms]", "a name", 2500);
    expect(read_criterion, "time:   [x   time:   [1 ns 7 ns 9 ns]", "time:   [x", 7);
    expect(read_divan, DIVAN, "d::plain", 156.2);
    expect(read_divan, DIVAN, "d::par::t=2", 1500);
    expect(read_divan, DIVAN, "d::inner::ty::String", 0.334);
    expect(
        read_catch2,
        "<?xml?><TestCase name=\"t\"><BenchmarkResults a=\"x\" name=\"b &amp;&apos; c\">"
        "<mean value=\"7\" lowerBound=\"1\">",
        "t/b &' c", 7);
}

static void expect_step(harness_reader *reader, const char *text, double step_ns)
{
    struct readings readings = read_with(reader, text, 0);
    assert_int_equal(readings.n, 1);
    assert_near(readings.entry[0].step_ns, step_ns, 1e-9 * step_ns);
    readings_free(&readings);
}

TEST(last_digits_are_told)
{
    expect_step(read_checkasm, "put_avx2:   0.9 +/- 0.1", 0.05);
    expect_step(read_checkasm, "put_avx2:   40", 0.5);
    expect_step(read_checkasm, "put,avx2,0.9375,0.1,0.2", 0.00005);
    expect_step(read_checkasm, "put_avx2:   1.50e3", 5);
    expect_step(read_nanobench, "| us/op | err% | x\n|---|---|---\n| 1,234.5 | 1% | `a`",
                100);
    expect_step(read_nanobench, "| ns/op | err% | x\n|---|---|---\n| 0.03 | 1% | `a`",
                0.01);
    expect_step(read_nanobench,
                "| ns/op | op/s | x\n|---|---|---\n| 0.3 | 4,000,000,000.0 | `a`",
                0.25 * 0.1 / 4e9);
    expect_step(
        read_divan,
        "d     fastest  \u2502 slowest \u2502 median   \u2502 mean\n"
        "\u2570\u2500 a  1 ns     \u2502 2 ns    \u2502 0.07 \u00b5s  \u2502 1 ns",
        10);
}

static struct readings read_pattern(const char *expression, const char *line)
{
    regex_t pattern;
    const struct reading_form form = {.pattern = &pattern};
    struct readings readings = {.n = 0};
    struct error error;
    char *const copy = strdup(line);
    assert_non_null(copy);
    assert_int_equal(regcomp(&pattern, expression, REG_EXTENDED), 0);
    assert_int_equal(read_regex(copy, &form, &readings, &error), 0);
    regfree(&pattern);
    free(copy);
    return readings;
}

/* The group of the number may have words behind it. */
TEST(numbers_of_patterns)
{
    static const struct {
        const char *line;
        double ns; /* NaN: it fails; 0: it is no case */
    } rows[] = {
        {"case 100 ns", 100},
        {"case 100ns (3 rounds)", 100},
        {"case   1.5e3", 1500},
        {"case 12.5\u00b10.5 cycles", 12.5},
        {"case 12 lib/src.c", 12},
        {"case 12 a/step", 12},
        {"case 12 us/sample", 12},
        {"case 12 MB/s", NAN},
        {"case 12 MB/s, best of 3", NAN},
        {"case 12 items/second", NAN},
        {"case 12GB/sec", NAN},
        {"case 1,234.5 ns", NAN},
        {"case 1.5x", 0},
        {"case info", 0},
        {"case none", 0},
        {"case  ", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct readings readings = read_pattern("(case) (.*)", rows[i].line);
        const double ns = readings.n ? readings.entry[0].ns : 0;
        if (isnan(ns) != isnan(rows[i].ns) || (!isnan(ns) && ns != rows[i].ns))
            fail_msg("'%s' is %g", rows[i].line, ns);
        assert_true(!isnan(ns) || readings.entry[0].reason);
        readings_free(&readings);
    }
}

/* Commas between cells are none of thousands. */
TEST(cells_of_patterns)
{
    struct readings readings =
        read_pattern("^([^,]+),[0-9]+,([0-9.]+)", "x,1000,123.4,123.3,ns");
    assert_int_equal(readings.n, 1);
    assert_null(readings.entry[0].reason);
    assert_near(readings.entry[0].ns, 123.4, 1e-9);
    readings_free(&readings);
}

/* Tables are as wide as their longest name; the pattern is that of docs/harness.md. */
TEST(names_of_patterns_have_no_padding)
{
    static const char *const lines[] = {
        "Bench.sort  10  avgt  5  12.5 \u00b1 0.1  us/op",
        "Bench.sort         10  avgt  5  12.5 \u00b1 0.1  us/op",
        "Bench.sort \t 10     avgt  5  12.5 \u00b1 0.1  us/op",
        "Bench.sort  10  avgt     12.5          us/op",
    };
    static const char *const patterns[] = {
        "^([^ ].*[^ ]) +avgt[0-9 ]* ([0-9.]+)[^a-z]* (ns|us|ms|s)/op",
        "^(.* )avgt[0-9 ]* ([0-9.]+)[^a-z]* (ns|us|ms|s)/op",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines) * ARRAY_LEN(patterns); i++) {
        struct readings readings =
            read_pattern(patterns[i / ARRAY_LEN(lines)], lines[i % ARRAY_LEN(lines)]);
        assert_int_equal(readings.n, 1);
        assert_string_equal(readings.entry[0].name, "Bench.sort 10");
        assert_near(readings.entry[0].ns, 12500, 1e-6);
        readings_free(&readings);
    }
}

/* A pattern that ends before the decimals would read 12 in 12,9. */
TEST(numbers_are_not_cut)
{
    static const char pattern[] = "(.*) avgt[0-9 ]* ([0-9.]+)[^a-z]* (us)/op";
    static const char *const lines[] = {"x avgt 5 12,9 \u00b1 0,1 us/op",
                                        "x avgt 12,9 us/op"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct readings readings = read_pattern(pattern, lines[i]);
        assert_int_equal(readings.n, 1);
        assert_non_null(strstr(readings.entry[0].reason, "comma"));
        readings_free(&readings);
    }
}

TEST(other_lines_are_not)
{
    static const char *const junk[] = {
        "",
        "\n\n\r\n",
        ":",
        "Benchmark",
        "BenchmarkFib 30 12 MB/s",
        "BenchmarkFib x 12 ns/op",
        "BenchmarkFib 0 12 ns/op",
        "nop: 12.0",
        "name: 12.0 of 13",
        "name 12.0",
        "name,suffix,cycles,stddev,nanoseconds",
        "nop,,1.8523,0.04368,0.0032",
        "name,avx2,12.0",
        "| ns/op | err% | x\n| 1 | 2 | no name |\n| x | 2 | `name` |",
        "| x | `name` |",
        "`name`",
        "time:   [1 ns",
        "x time:   [1 ns 2 parsecs 3 ns]",
        "x time:   [-1.0% +2.0% +3.0%]",
        "time:   [1 ns 2 ns 3 ns]",
    };
    for (size_t i = 0; i < ARRAY_LEN(junk); i++) {
        expect_nothing(read_go, junk[i]);
        expect_nothing(read_checkasm, junk[i]);
        expect_nothing(read_divan, junk[i]);
        expect_nothing(read_nanobench, junk[i]);
        expect_nothing(read_criterion, junk[i]);
        expect_nothing(read_criterion_list, junk[i]);
    }
    static const char *const xml[] = {
        "<?xml",
        "<?xml?><TestCase",
        "<?xml?><TestCase name=",
        "<?xml?><TestCase name=\"t",
        "<?xml?><TestCase name=\"t\"><BenchmarkResults name=\"&amp",
        "<?xml?><TestCase name=\"t\"><BenchmarkResults name=\"b\"><mean value",
        "<?xml?><TestCase name=\"t\"><BenchmarkResults name=\"b\"><mean value=\"x\">",
        "<?xml?><mean value=\"7\">",
    };
    for (size_t i = 0; i < ARRAY_LEN(xml); i++)
        expect_nothing(read_catch2, xml[i]);
    read_with(read_catch2, "no XML", -EINVAL);
    read_with(read_json, "no JSON", -EINVAL);
}

/* Lines of a program around the document look like parts of it. */
TEST(documents_are_found)
{
    static const char *const before[] = {"", "[info] 2 files\n", "{2 files}\n", "{\n",
                                         "t.py .. [100%]"};
    static const char *const behind[] = {"", "\n", "\n}\n", "\ndone {}\n", "\n{\n"};
    for (size_t i = 0; i < ARRAY_LEN(before); i++)
        for (size_t k = 0; k < ARRAY_LEN(behind); k++) {
            char text[400];
            snprintf(
                text, sizeof text,
                "%s{\n\"context\": {\"executable\": \"./a\\\"{\"}, \"benchmarks\": [\n"
                "{\"name\": \"a\", \"cpu_time\": 5, \"time_unit\": \"ns\", \"x\": "
                "NaN}]}%s",
                before[i], behind[k]);
            expect(read_json, text, "a", 5);
        }
}

/* Go tells why a benchmark failed, perhaps behind its name. */
TEST(failures_are_told)
{
    static const struct {
        const char *text, *name, *reason;
    } rows[] = {
        {"--- FAIL: BenchmarkX-8\n    x_test.go:9: no data\nFAIL\n", "BenchmarkX",
         "it fails: x_test.go:9: no data"},
        {"BenchmarkX/a \t--- FAIL: BenchmarkX/a\nBenchmarkY 1 5 ns/op\n", "BenchmarkX/a",
         "it fails"},
        {"--- FAIL: BenchmarkX", "BenchmarkX", "it fails"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct readings readings = read_with(read_go, rows[i].text, 0);
        const struct reading *const found = readings_find(&readings, rows[i].name);
        assert_non_null(found);
        assert_string_equal(found->reason, rows[i].reason);
        assert_true(found->told && !found->no_time);
        readings_free(&readings);
    }
    struct readings readings =
        read_with(read_go,
                  "pkg: a\n--- FAIL: BenchmarkP/b/c\n    x\n--- FAIL: BenchmarkP/b\n"
                  "--- FAIL: BenchmarkP\n--- FAIL: BenchmarkP2\npkg: b\n"
                  "--- FAIL: BenchmarkP\nFAIL\n",
                  0);
    assert_int_equal(readings.n, 3);
    assert_string_equal(readings.entry[0].name, "BenchmarkP/b/c");
    assert_string_equal(readings.entry[0].reason, "it fails: x");
    assert_string_equal(readings.entry[1].name, "BenchmarkP2");
    assert_string_equal(readings.entry[2].section, "b");
    readings_free(&readings);
    expect_nothing(read_go, "--- FAIL: TestX (0.00s)\n    x_test.go:9: no\nFAIL\n");
}

TEST(times_that_cannot_be)
{
    static const char *const texts[] = {"BenchmarkX 1 0 ns/op", "BenchmarkX 1 -5 ns/op",
                                        "BenchmarkX 1 inf ns/op",
                                        "BenchmarkX 1 nan ns/op"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct readings readings = read_with(read_go, texts[i], 0);
        assert_int_equal(readings.n, 1);
        assert_string_equal(readings.entry[0].reason, "its time is no positive number");
        assert_true(readings.entry[0].no_time);
        readings_free(&readings);
    }
}

TEST(names_are_made_unique)
{
    struct readings readings =
        read_with(read_go, "BenchmarkX 1 5 ns/op\nBenchmarkX 1 6 ns/op\n", 0);
    assert_int_equal(readings.n, 2);
    assert_near(readings_find(&readings, "BenchmarkX#2")->ns, 6, 0);
    readings_free(&readings);
    for (unsigned i = 0; i < READINGS_MOST + 10; i++) {
        char name[16];
        const int n = snprintf(name, sizeof name, "%u", i);
        readings_add(&readings, name, (size_t)n, 1);
    }
    assert_int_equal(readings.n, READINGS_MOST + 1);
    readings_free(&readings);
}

TEST(arguments_name_one_case)
{
    const struct slice_length slice = {2500000, 20, 20, "put*"};
    struct text_list words = {.n = 0};
    adapter_words("  --a={case} -t={seconds}s  {ms} {prefix} {us}*{count}",
                  "BM<int>/a b(1)*", CHOICE_EXPRESSION, &slice, &words);
    assert_int_equal(words.n, 5);
    assert_string_equal(words.item[4], "125*20");
    assert_string_equal(words.item[0], "--a=^BM<int>/a b\\(1\\)\\*$");
    assert_string_equal(words.item[1], "-t=0.0025s");
    assert_string_equal(words.item[2], "3"); /* never 0 */
    assert_string_equal(words.item[3], "put*");
    text_list_cut(&words, 0);
    adapter_words("{case}", "BenchmarkA/n=1.5/x", CHOICE_PARTS, &slice, &words);
    assert_string_equal(words.item[0], "^BenchmarkA$/^n=1\\.5$/^x$");
    text_list_cut(&words, 0);
    adapter_words("{case}", "BenchmarkA/n-1-16", CHOICE_PARTS, &slice, &words);
    assert_string_equal(words.item[0], "^BenchmarkA$/^n-1(-16)?$");
    text_list_cut(&words, 0);
    adapter_words("{case}", "sort #2", CHOICE_TITLE, &slice, &words);
    assert_string_equal(words.item[0], "^sort( #2)?$");
    text_list_cut(&words, 0);
    char title[128], cut[128];
    snprintf(title, sizeof title, "%0100d... #2", 0);
    snprintf(cut, sizeof cut, "^%0100d", 0);
    adapter_words("{case} x", title, CHOICE_TITLE, &slice, &words);
    assert_string_equal(words.item[0], cut);
    text_list_cut(&words, 0);
    adapter_words("{case}", "to... #x-", CHOICE_TITLE, &slice, &words);
    assert_string_equal(words.item[0], "^to\\.\\.\\. #x-$");
    text_list_cut(&words, 0);
    adapter_words("{case} {case}", "BM[a]{2}\\)", CHOICE_EXPRESSION, &slice, &words);
    assert_string_equal(words.item[1], "^BM\\[a]\\{2}\\\\\\)$");
    text_list_cut(&words, 0);
    adapter_words("{case}", "d::[a](b)::t=4", CHOICE_NAME, &slice, &words);
    assert_string_equal(words.item[0], "d::[a](b)");
    text_list_free(&words);
}

TEST(programs_are_known_by_their_texts)
{
    static const struct {
        const char *bytes, *name;
    } rows[] = {
        {"..\1 benchmark_list_tests ..", "google-benchmark"},
        {"libbenchmark.so.1", "google-benchmark"},
        {"-test.benchtime", "go"},
        {"CRITERION_HOME", "criterion"},
        {"benchmark-warmup-time", "catch2"},
        {"NANOBENCH_ENDLESS", "nanobench"},
        {"DIVAN_SAMPLE_COUNT", "divan"},
        {"checkasm: all %d tests passed", "checkasm"},
        {"benchmark_list_tests SIMDBENCH_TEST_CLOCK", NULL}, /* that is simdbench */
        {"", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct adapter *const found =
            adapter_find(NULL, rows[i].bytes, strlen(rows[i].bytes));
        if (rows[i].name)
            assert_string_equal(found->name, rows[i].name);
        else
            assert_null(found);
    }
    static const char newer[] = "checkasm: all %d tests passed checkasmVersion";
    const struct adapter *const old = adapter_find("checkasm", "", 0);
    const struct adapter *const new = adapter_find("checkasm", newer, sizeof newer - 1);
    assert_null(strstr(old->run, "--csv"));
    assert_non_null(strstr(new->run, "--csv"));
    assert_true(old > new); /* the older one is understood by both */
}
