/* SPDX-License-Identifier: Apache-2.0 */
/* The harnesses: how each lists its cases, how it runs one of them shortly, and what its
 * programs have in their files. */
#include "harness_private.h"

#include <ctype.h>

/* clang-format off */
static const struct adapter adapters[] = {
    {.name = "google-benchmark", .mark = "benchmark_list_tests", .other_mark = "libbenchmark.so",
     .list = "--benchmark_list_tests --benchmark_format=console", .list_reader = read_names,
     .run = "--benchmark_filter={case} --benchmark_min_time={seconds} --benchmark_repetitions=1 "
            "--benchmark_format=json",
     .reader = read_json, .one_case = true, .none = "Failed to match any benchmarks"},
    /* -test.list does not tell benchmarks within benchmarks. Short runs of which most are
     * not disturbed are better than a long one. */
    {.name = "go", .mark = "test.benchtime",
     .list = "-test.run=^$ -test.bench=^{prefix} -test.benchtime=1x", .list_reader = read_go,
     .run = "-test.run=^$ -test.bench={case} -test.benchtime={us}us -test.count={count}",
     .reader = read_go, .one_case = true, .choice = CHOICE_PARTS, .repetitions = 50,
     .failed = "\nFAIL\n",
     .hint = "files are looked for in its package's folder: --cwd-old, --cwd-new"},
    /* It starts gnuplot to ask for its version, even with --noplot: `asks`. */
    {.name = "criterion", .mark = "CRITERION_HOME",
     .list = "--bench --list", .list_reader = read_criterion_list,
     .run = "--bench {case} --noplot --sample-size=20 --nresamples=1001 --warm-up-time={seconds} "
            "--measurement-time={seconds}",
     .reader = read_criterion, .one_case = true, .choice = CHOICE_TITLE, .home = "CRITERION_HOME",
     .asks = true},
    /* Names of rows that are threads or arguments are told by a run alone. */
    {.name = "divan", .mark = "DIVAN_SAMPLE_COUNT",
     .list = "--bench --color=never --sample-count=1 --sample-size=1", .list_reader = read_divan,
     .run = "--bench --color=never --exact {case} --sample-count=20 --min-time={seconds}",
     .reader = read_divan, .one_case = true, .choice = CHOICE_NAME},
    {.name = "catch2", .mark = "benchmark-warmup-time",
     .list = "-r xml --benchmark-samples=1 --benchmark-resamples=1 --benchmark-warmup-time=1",
     .list_reader = read_catch2,
     .run = "-r xml --benchmark-samples=10 --benchmark-resamples=10 --benchmark-warmup-time={ms}",
     .reader = read_catch2,
     .hint = "benchmarks with the tag [!benchmark] run if asked: 'PROGRAM \"[!benchmark]\"'"},
    {.name = "nanobench", .mark = "NANOBENCH_ENDLESS",
     .list = "", .list_reader = read_nanobench, .run = "", .reader = read_nanobench},
    /* Its library prints more digits as CSV. A short list has no time to hang. */
    {.name = "checkasm", .mark = "checkasmVersion",
     .list = "--bench --csv --function={prefix} --duration=1", .list_reader = read_checkasm,
     .run = "--bench --csv --function={prefix}", .reader = read_checkasm},
    {.name = "checkasm", .mark = "checkasm: all %d tests passed",
     .list = "--bench", .list_reader = read_checkasm, .run = "--bench", .reader = read_checkasm},
    /* Rounds of 1 ms, so that the document with all of them is not long. */
    {.name = "pytest-benchmark",
     .list = "--benchmark-only --benchmark-enable --benchmark-json=/dev/stdout "
             "--benchmark-warmup=off --benchmark-min-rounds=1 --benchmark-max-time=0.000001",
     .list_reader = read_json,
     .run = "--benchmark-only --benchmark-enable --benchmark-json=/dev/stdout "
            "--benchmark-warmup=off --benchmark-min-time=0.001 --benchmark-max-time={seconds}",
     .reader = read_json,
     .hint = "its command is pytest with this plug-in: 'python3 -m pytest benches'"},
    {.name = "command", .run = ""},
    {.name = "regex", .list = "", .list_reader = read_regex, .run = "", .reader = read_regex},
};
/* clang-format on */

void harness_names(struct text_list *names)
{
    for (size_t i = 0; i < ARRAY_LEN(adapters); i++)
        if (!i || strcmp(adapters[i].name, adapters[i - 1].name) != 0)
            text_list_add(names, adapters[i].name);
}

/* A program that has our own text too is simdbench. */
static const char own_mark[] = "SIMDBENCH_TEST_CLOCK";

static bool contains(const char *bytes, size_t size, const char *mark)
{
    return mark && memmem(bytes, size, mark, strlen(mark));
}

const struct adapter *adapter_find(const char *name, const char *bytes, size_t size)
{
    const struct adapter *found = NULL;
    if (!name && contains(bytes, size, own_mark))
        return NULL;
    FOR_EACH (const struct adapter, adapter, adapters, ARRAY_LEN(adapters)) {
        if (name && strcmp(adapter->name, name) != 0)
            continue;
        if (contains(bytes, size, adapter->mark) ||
            contains(bytes, size, adapter->other_mark))
            return adapter;
        if (name)
            found = adapter;
    }
    return found;
}

/* The last row of a name is that of its oldest version. */
bool adapter_has_versions(const struct adapter *adapter)
{
    return adapter > adapters && !strcmp(adapter[-1].name, adapter->name);
}

/* ---- arguments ---- */

/* Criterion prints that many bytes of a name at least, then "..." if there are more. */
enum { TITLE_LEAST = 97 };

/* The end of a name that is this mark and a number; or that of the whole. */
static const char *numbered_end(const char *name, const char *mark)
{
    const size_t n = strlen(mark);
    const char *const end = name + strlen(name), *at = end;
    while (at > name && isdigit((unsigned char)at[-1]))
        at--;
    return at < end && at > name + n && !memcmp(at - n, mark, n) ? at - n : end;
}

/* The brackets ']' and '}' stand for themselves: POSIX forbids a backslash before them.
 * Filters of Go do not know the number of threads that ends a name, "-8", nor those of
 * criterion that a name is the second one, " #2": each may be a part of the name, too. */
static void add_expression(const char *name, enum choice choice, struct buffer *buffer)
{
    const bool parts = choice == CHOICE_PARTS, title = choice == CHOICE_TITLE;
    const char *const cut =
        title && strlen(name) > TITLE_LEAST ? strstr(name + TITLE_LEAST, "...") : NULL;
    const char *const end = cut ? cut : name + strlen(name);
    const char *const number = parts   ? numbered_end(name, "-")
                               : title ? numbered_end(name, " #")
                                       : end;
    buffer_add(buffer, "^");
    for (const char *at = name; at < end; at++) {
        buffer_add(buffer, at == number ? "(" : "");
        if (parts && *at == '/')
            buffer_add(buffer, "$/^");
        else
            buffer_format(buffer, "%s%c", strchr("\\^$.|?*+()[{", *at) ? "\\" : "", *at);
    }
    buffer_add(buffer, number < end ? ")?" : "");
    buffer_add(buffer, cut ? "" : "$");
}

static void add_choice(const char *name, enum choice choice, struct buffer *buffer)
{
    const char *const threads = strstr(name, "::t=");
    if (choice != CHOICE_NAME)
        add_expression(name, choice, buffer);
    else
        buffer_format(buffer, "%.*s", (int)(threads ? threads - name : 2000), name);
}

static void add_word(const char *word, size_t length, const char *name,
                     enum choice choice, const struct slice_length *slice,
                     struct text_list *words)
{
    FREED_BY(buffer_free) struct buffer buffer = {.text = NULL};
    for (size_t i = 0; i < length; i++) {
        if (!strncmp(word + i, "{case}", 6)) {
            add_choice(name, choice, &buffer);
            i += 5;
        } else if (!strncmp(word + i, "{seconds}", 9)) {
            buffer_format(&buffer, "%.6g", (double)slice->ns * 1e-9);
            i += 8;
        } else if (!strncmp(word + i, "{ms}", 4)) {
            buffer_format(&buffer, "%lld", (long long)((slice->ns + 999999) / 1000000));
            i += 3;
        } else if (!strncmp(word + i, "{us}", 4)) {
            const int64_t part = 1000LL * slice->parts;
            buffer_format(&buffer, "%lld", (long long)((slice->ns + part - 1) / part));
            i += 3;
        } else if (!strncmp(word + i, "{prefix}", 8)) {
            buffer_add(&buffer, slice->prefix);
            i += 7;
        } else if (!strncmp(word + i, "{count}", 7)) {
            buffer_format(&buffer, "%u", slice->count);
            i += 6;
        } else {
            buffer_format(&buffer, "%c", word[i]);
        }
    }
    text_list_add(words, buffer_text(&buffer));
}

void adapter_words(const char *arguments, const char *name, enum choice choice,
                   const struct slice_length *slice, struct text_list *words)
{
    while (*arguments) {
        const size_t length = strcspn(arguments, " ");
        if (length)
            add_word(arguments, length, name, choice, slice, words);
        arguments += length + strspn(arguments + length, " ");
    }
}
