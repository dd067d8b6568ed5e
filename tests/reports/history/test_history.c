/* SPDX-License-Identifier: Apache-2.0 */
#include "history_file.h"

#define FMA "gemm/maxplus-f32/avx512/fma@64x64x64"

static const struct result *find(const struct run *run, const char *id)
{
    for (size_t i = 0; i < run->n_results; i++)
        if (!strcmp(run->results[i].id, id))
            return &run->results[i];
    fail_msg("no case %s", id);
    return NULL;
}

FRESH_TEST(test_reads_what_was_appended)
{
    struct run *const run = sample_run_alone();
    append(run);
    string_set(&run->started_at, "2024-05-07T00:00:00Z");
    facts_text(&run->settings, "label", "v2");
    struct result *const result = (struct result *)(uintptr_t)find(run, FMA);
    const double first = result->summary.median_ns;
    result->summary.median_ns *= 1.25;
    append(run);
    struct history history = read_all(FMA);
    assert_int_equal(history.n, 2);
    const struct history_entry *const entry = history.entries;
    assert_string_equal(entry[0].id, FMA);
    assert_string_equal(entry[0].fingerprint, run->fingerprint);
    assert_string_equal(entry[0].cpu, "Example CPU 9000");
    assert_string_equal(entry[0].commit, "0123abc");
    assert_string_equal(entry[0].label, "");
    assert_string_equal(entry[1].label, "v2");
    assert_string_equal(entry[1].started_at, "2024-05-07T00:00:00Z");
    assert_string_equal(entry[0].status, "ok");
    assert_null(entry[0].verdict);
    assert_true(entry[0].median_ns == first);
    assert_true(entry[0].ci_ns.known && entry[0].ci_ns.lo == result->summary.ci_ns.lo);
    assert_true(entry[0].ci_ns.hi == result->summary.ci_ns.hi);
    assert_true(isnan(entry[0].change));
    assert_true(fabs(entry[1].change - 0.25) < 1e-12);
    history_free(&history);
    run_free(run);
}

FRESH_TEST(test_keeps_all_of_a_run)
{
    struct run *const run = sample_run_alone();
    const struct result *const result = find(run, FMA);
    append(run);
    assert_int_equal(count("SELECT count(*) FROM results"), run->n_results);
    assert_int_equal(count("SELECT count(DISTINCT status) FROM results"), 5);
    assert_query(
        "SELECT reason FROM results JOIN cases ON cases.id = case_id WHERE name = "
        "'gemm/maxplus-f32/neon/fma@128x128x128'",
        "this CPU has no neon");
#define OF_FMA " FROM results JOIN cases ON cases.id = case_id WHERE name = '" FMA "'"
    assert_int_equal(count("SELECT json_array_length(samples_ns)" OF_FMA),
                     result->samples.n);
    assert_int_equal(count("SELECT iterations" OF_FMA), result->samples.iterations);
    assert_query("SELECT limit_name" OF_FMA, "roof/f32/avx512/fma_max@registers");
    assert_int_equal(count("SELECT limit_share * 1e6" OF_FMA),
                     (long)(result->summary.limit.share * 1e6));
    assert_query("SELECT role" OF_FMA, "kernel");
    assert_int_equal(
        count("SELECT count(*) FROM counts WHERE absent IS NOT NULL AND value "
              "IS NOT NULL"),
        0);
    assert_int_equal(count("SELECT count(*) FROM counts WHERE name = 'page-faults' AND "
                           "value = 0") > 0,
                     1);
    assert_query("SELECT json_extract(argv, '$[2]') FROM runs", "--sizes=64..128");
    assert_query("SELECT seed FROM runs", "18446744073709551615");
    assert_query("PRAGMA integrity_check", "ok");
    assert_query("PRAGMA user_version", "1");
    run_free(run);
}

FRESH_TEST(test_order_and_roofs)
{
    struct run *const run = sample_run_alone();
    append(run);
    string_set(&run->started_at, "2023-01-01T00:00:00Z");
    append(run);
    string_set(&run->fingerprint, "ffff");
    append(run);
    struct history history = read_all(FMA);
    assert_int_equal(history.n, 3);
    assert_string_equal(history.entries[0].started_at, "2023-01-01T00:00:00Z");
    assert_string_equal(history.entries[2].fingerprint, "ffff");
    assert_true(isnan(history.entries[2].change)); /* another host */
    history_free(&history);
    history = read_all("*");
    for (size_t i = 0; i < history.n; i++)
        assert_null(strstr(history.entries[i].id, "roof/"));
    history_free(&history);
    /* It stands in three groups. */
    history = read_all("roof/f32/avx512/fma_max@*");
    assert_int_equal(history.n, 3);
    history_free(&history);
    char **ids = NULL;
    size_t n = 0;
    assert_int_equal(history_cases(path, &ids, &n, NULL), 0);
    assert_int_equal(n, count("SELECT count(*) FROM cases"));
    for (size_t i = 0; i < n; i++)
        free(ids[i]);
    free(ids);
    run_free(run);
}

FRESH_TEST(test_merged_results_stay_behind)
{
    struct run *const alone = sample_run_alone(), *const merged = sample_run();
    assert_true(merged->n_results > alone->n_results);
    append(merged);
    assert_int_equal(count("SELECT count(*) FROM results"), alone->n_results);
    assert_int_equal(count("SELECT count(*) FROM cases WHERE name LIKE 'b.json:%'"), 0);
    run_free(alone);
    run_free(merged);
}

static struct run *compared_run(void)
{
    struct run *const run = sample_run_small();
    struct gate *const gate = run_gate(run);
    struct comparison *const comparison = result_comparison(&run->results[0]);
    assert_non_null(gate);
    assert_non_null(comparison);
    string_set(&gate->kind, "paired");
    gate->threshold = 0.02;
    *comparison = (struct comparison){.verdict = VERDICT_REGRESSED,
                                      .processes = 16,
                                      .base_ns = 100,
                                      .head_ns = 105,
                                      .change = 0.05,
                                      .change_ci = {true, 0.04, 0.06, 0.95},
                                      .p = 0.001};
    return run;
}

FRESH_TEST(test_comparisons)
{
    struct run *const run = compared_run();
    append(run);
    struct history history = read_all(run->results[0].id);
    assert_int_equal(history.n, 1);
    assert_string_equal(history.entries[0].verdict, "REGRESSED");
    assert_true(history.entries[0].median_ns == 105);
    assert_true(history.entries[0].compared == 0.05);
    assert_true(history.entries[0].compared_ci.lo == 0.04);
    assert_false(history.entries[0].ci_ns.known);
    history_free(&history);
    assert_query("SELECT gate FROM runs", "paired");
    assert_query("SELECT processes FROM comparisons", "16");
    run_free(run);
}

/* Two files have quartiles; the run that a history keeps has its median, as runs have
 * that nobody compared. */
FRESH_TEST(test_stored_comparisons)
{
    struct run *const run = compared_run();
    string_set(&run->gate->kind, "stored");
    run->results[0].comparison->processes = 0;
    append(run);
    struct history history = read_all(run->results[0].id);
    assert_true(history.entries[0].median_ns == run->results[0].summary.median_ns);
    assert_true(history.entries[0].ci_ns.known);
    assert_true(history.entries[0].compared == 0.05);
    history_free(&history);
    run_free(run);
}

/* ---- text ---- */

typedef int writer(const struct history *history, FILE *file, struct error *error);

static int write_table(const struct history *history, FILE *file, struct error *error)
{
    return history_write_text(history, &(struct text_page){.file = file}, error);
}

static char *written(const struct history *history, writer *write)
{
    char *text = NULL;
    size_t size;
    FILE *const file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(write(history, file, NULL), 0);
    fclose(file);
    return text;
}

FRESH_TEST(test_table_and_csv)
{
    char words[][40] = {FMA,   "aa",    "Some CPU",    "2024-01-01T00:00:00Z",
                        "abc", "v1",    "ok",          "REGRESSED",
                        "",    "noisy", "a \"reason\""};
    const struct history_entry entry = {.id = words[0],
                                        .fingerprint = words[1],
                                        .cpu = words[2],
                                        .started_at = words[3],
                                        .commit = words[4],
                                        .label = words[8],
                                        .status = words[6],
                                        .reason = words[8],
                                        .change = NAN,
                                        .compared = NAN};
    struct history_entry entries[] = {entry, entry, entry};
    entries[0].median_ns = 1000;
    entries[0].ci_ns = (struct interval){true, 990, 1020, 0.95};
    entries[1].label = words[5];
    entries[1].median_ns = 1500;
    entries[1].change = 0.5;
    entries[1].verdict = words[7];
    entries[1].compared = 0.031;
    entries[1].compared_ci = (struct interval){true, 0.025, 0.04, 0.95};
    entries[2].fingerprint = words[4];
    entries[2].cpu = entries[2].commit = words[8];
    entries[2].status = words[9];
    entries[2].reason = words[10];
    entries[2].median_ns = NAN;
    const struct history history = {.entries = entries, .n = 3};
    char *text = written(&history, write_table);
    assert_string_equal(
        text, FMA
        " on aa, Some CPU\n"
        "  date                  commit  label      time    ±95%   change\n"
        "  2024-01-01T00:00:00Z  abc     -      1.000 us  ±2.00%        -\n"
        "  2024-01-01T00:00:00Z  abc     v1     1.500 us       -  ~+50.0%"
        "  REGRESSED +3.10% [+2.50%, +4.00%]\n"
        "\n" FMA " on abc\n"
        "  date                  commit  time  ±95%  change\n"
        "  2024-01-01T00:00:00Z  -          -     -       -"
        "  noisy: a \"reason\"\n"
        "\n2 cases: too few runs to see a change, which takes at least 24, about half of "
        "them on each side; 1 REGRESSED and 0 IMPROVED by their last gates\n");
    free(text);
    /* A gate that a run without one follows is no news. */
    entries[0].verdict = words[7];
    entries[1].verdict = NULL;
    text = written(&history, write_table);
    assert_non_null(strstr(text, "at least 24, about half of them on each side\n"));
    free(text);
    entries[0].verdict = NULL;
    entries[1].verdict = words[7];
    text = written(&history, history_write_csv);
    assert_non_null(strstr(text,
                           FMA ",aa,Some CPU,2024-01-01T00:00:00Z,abc,,ok,,,1000,990,"
                               "1020,0.95,,,,,\r\n"));
    assert_non_null(strstr(text, ",abc,v1,ok,,REGRESSED,1500,,,,0.5,0.031,0.025,0.04,0.95"
                                 "\r\n"));
    assert_non_null(strstr(text, ",noisy,\"a \"\"reason\"\"\",,,,,,,,,,\r\n"));
    free(text);
    FILE *const full = fopen("/dev/full", "w");
    struct error error = {.text = ""};
    assert_non_null(full);
    assert_int_equal(history_write_csv(&history, full, &error), -ENOSPC);
    assert_non_null(strstr(error.text, "No space"));
    fclose(full);
}

FRESH_TEST(test_hostile_strings)
{
    struct run *const run = sample_run_hostile();
    facts_text(&run->settings, "label", SAMPLE_HOSTILE);
    append(run);
    append(run);
    assert_int_equal(count("SELECT count(*) FROM runs"), 2);
    assert_query("PRAGMA integrity_check", "ok");
    assert_int_equal(count("SELECT min(json_valid(argv)) FROM runs"), 1);
    struct history history = read_all("*");
    assert_true(history.n > 0 && history.n % 2 == 0);
    writer *const writers[] = {write_table, history_write_csv};
    for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
        char *const text = written(&history, writers[i]);
        for (const char *c = text; *c; c++)
            assert_true((unsigned char)*c >= 0x20 || *c == '\n' || (i && *c == '\r'));
        assert_null(strchr(text, 0x7f));
        free(text);
    }
    /* The printed id finds it again, though its brackets are a glob as well. */
    struct history again = read_all(history.entries[0].id);
    assert_true(again.n >= 2);
    history_free(&again);
    history_free(&history);
    run_free(run);
}
