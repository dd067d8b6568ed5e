/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_back.h"
#include "sample_run.h"
#include "unit.h"

static void check_round_trip(struct run *run)
{
    run_free(read_back(run));
    run_free(run);
}

TEST(round_trip)
{
    check_round_trip(sample_run());
    check_round_trip(sample_run_plan());
    check_round_trip(sample_run_small());
    check_round_trip(sample_run_hostile());
    check_round_trip(run_new());
}

/* A saved file prints what was printed live, whatever the names in it are. */
TEST(saved_file_prints_the_same)
{
    static const enum format formats[] = {FORMAT_TABLE, FORMAT_MARKDOWN, FORMAT_CSV};
    struct run *runs[] = {sample_run(), sample_run_hostile()};
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        struct run *again = read_back(runs[i]);
        for (size_t f = 0; f < ARRAY_LEN(formats); f++)
            assert_prints_the_same(runs[i], again, formats[f]);
        run_free(again);
        run_free(runs[i]);
    }
}

/* They survive as escapes: a document may be read in a terminal. */
TEST(controls_are_escaped)
{
    static const char hostile[] = "a\xc2\x9b\x7f\xe2\x80\xae\xf3\xa0\x80\x81z";
    struct run *run = sample_run_small();

    string_set(&run->tool_compiler, hostile);
    char *const json = sample_text(run, FORMAT_JSON, NULL);
    assert_non_null(strstr(json, "\"a\\u009b\\u007f\\u202e\\udb40\\udc01z\""));
    free(json);
    struct run *const again = read_back(run);
    assert_string_equal(again->tool_compiler, hostile);
    run_free(again);
    run_free(run);
}

TEST(numbers_survive)
{
    static const double numbers[] = {0.1,
                                     1.0 / 3,
                                     1e300,
                                     5e-324,
                                     123456789.123456789,
                                     0x1.fffffffffffffp995,
                                     4503599627370497.5,
                                     1e15,
                                     1e22,
                                     3};
    struct run *run = sample_run_small(), *again;
    struct result *result = &run->results[0];
    char *json;
    result_clear_samples(result);
    for (uint32_t i = 0; i < ARRAY_LEN(numbers); i++)
        assert_int_equal(result_add_sample(result, i, numbers[i]), 0);
    result->samples.prepare_ns = NAN;
    result->summary.median_ns = INFINITY;
    json = sample_text(run, FORMAT_JSON, NULL);
    assert_null(strstr(json, "nan"));
    assert_null(strstr(json, "inf"));
    assert_int_equal(run_read_json(&again, json, strlen(json), NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        assert_true(again->results[0].samples.ns[i] == numbers[i]);
    assert_true(isnan(again->results[0].samples.prepare_ns));
    free(json);
    run_free(run);
    run_free(again);
}

static const struct metric *find_metric(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->results[0].n_metrics; i++)
        if (!strcmp(run->results[0].metrics[i].name, name))
            return &run->results[0].metrics[i];
    return NULL;
}

TEST(metrics_that_are_known_survive)
{
    struct run *run = sample_run(), *again = read_back(run);
    const struct metric *metric;
    assert_int_equal(run->results[0].n_metrics, 3);
    assert_int_equal(again->results[0].n_metrics, 1);
    metric = find_metric(again, "cycles per element");
    assert_non_null(metric);
    assert_true(metric->asked && metric->value > 0);
    assert_true(metric->value == find_metric(run, "cycles per element")->value);
    assert_string_equal(metric->formula, "probe-ghz * ns / elements");
    run_free(run);
    run_free(again);
}

TEST(every_field_is_read)
{
    struct run *run = sample_run(), *again = read_back(run);
    const struct result *a, *b;
    assert_int_equal(again->n_results, run->n_results);
    assert_string_equal(again->seed, run->seed);
    assert_string_equal(again->argv[2], run->argv[2]);
    assert_int_equal(again->host.n, run->host.n);
    assert_true(again->host.fact[1].identity && !again->host.fact[2].identity);
    assert_int_equal(again->host.fact[4].kind, FACT_BOOL);
    assert_true(again->host.fact[4].number == 1);
    a = &run->results[5];
    b = &again->results[5];
    assert_string_equal(a->id, b->id);
    assert_int_equal(a->group, b->group);
    assert_int_equal(a->samples.iterations, b->samples.iterations);
    assert_int_equal(a->samples.voided, b->samples.voided);
    assert_int_equal(a->samples.n, b->samples.n);
    assert_memory_equal(a->samples.ns, b->samples.ns, a->samples.n * sizeof(double));
    assert_memory_equal(a->samples.rounds, b->samples.rounds,
                        a->samples.n * sizeof(uint32_t));
    assert_memory_equal(a->samples.clock_ghz, b->samples.clock_ghz,
                        a->samples.n_clock * sizeof(double));
    assert_true(a->summary.median_ns == b->summary.median_ns &&
                a->summary.mad_ns == b->summary.mad_ns);
    assert_true(b->summary.ci_ns.known && a->summary.ci_ns.lo == b->summary.ci_ns.lo);
    assert_true(a->summary.ci_ns.level == b->summary.ci_ns.level &&
                a->summary.ghz_ci.hi == b->summary.ghz_ci.hi);
    assert_string_equal(b->limit_id, a->limit_id);
    assert_string_equal(b->summary.limit.id, a->limit_id);
    assert_true(b->summary.limit.too_low &&
                b->summary.limit.share == a->summary.limit.share);
    assert_int_equal(b->summary.n_ratios, 2);
    assert_true(b->summary.ratios[1].speedup == a->summary.ratios[1].speedup);
    assert_string_equal(b->samples.counters[0].event, a->samples.counters[0].event);
    assert_string_equal(b->samples.counters[0].config, "0x5100c0");
    assert_string_equal(b->samples.counters[1].absent, a->samples.counters[1].absent);
    assert_true(b->samples.counters[0].asked && !b->samples.counters[2].asked);
    assert_true(b->samples.counters[2].value == 0 && b->samples.counters[2].n == 5);
    assert_true(b->samples.counters[2].overhead == 0.25 &&
                b->samples.counters[0].overhead == 0);
    assert_string_equal(b->samples.counters[0].scope, "user");
    assert_null(b->samples.counters[2].scope);
    assert_true(b->samples.counters[0].user_read && !b->samples.counters[2].user_read);
    assert_true(b->samples.counters[0].threads == 3 &&
                b->samples.counters[2].threads == 0);
    assert_string_equal(b->samples.counters[1].fix, a->samples.counters[1].fix);
    assert_string_equal(b->samples.counters[1].errno_name, "ENOENT");
    assert_true(b->samples.counters[1].code == 2);
    assert_true(again->results[12].is_roof && again->results[11].is_baseline);
    assert_string_equal(again->results[11].module.options[0].value, "SkylakeX");
    assert_string_equal(again->results[11].module.core, "SkylakeX");
    assert_string_equal(again->results[10].notes[0], run->results[10].notes[0]);
    assert_int_equal(again->results[6].status, STATUS_WRONG);
    assert_string_equal(again->results[6].reason, run->results[6].reason);
    assert_string_equal(again->results[13].settings[0].name, "threads");
    run_free(run);
    run_free(again);
}

/* Those of libraries, choices, accuracy and merged runs. */
TEST(later_fields_are_read)
{
    struct run *run = sample_run(), *again = read_back(run);
    size_t layouts = 0, unranked = 0, sources = 0, unpaired = 0, accurate = 0;
    for (size_t i = 0; i < run->n_results; i++) {
        const struct result *a = &run->results[i], *b = &again->results[i];
        assert_true(a->samples.workspace_bytes == b->samples.workspace_bytes);
        assert_true(!a->code.implementation == !b->code.implementation);
        assert_int_equal(a->accuracy.known, b->accuracy.known);
        if (b->accuracy.known && !isnan(b->accuracy.max_ulp)) {
            assert_true(a->accuracy.max_ulp == b->accuracy.max_ulp &&
                        a->accuracy.mean_ulp == b->accuracy.mean_ulp);
            assert_true(b->accuracy.worst_input == -0.625);
            accurate++;
        }
        layouts += b->layout && !strcmp(b->layout, "nchw16c");
        unranked += b->unranked && !strcmp(b->unranked, a->unranked);
        sources += b->source && !strcmp(b->source, "b.json");
        for (size_t r = 0; r < b->summary.n_ratios; r++)
            unpaired += b->summary.ratios[r].unpaired;
    }
    assert_true(layouts == 2 && unranked == 2 && sources == 2 && unpaired == 1);
    assert_int_equal(accurate, 10);
    assert_int_equal(again->n_sources, 1);
    assert_string_equal(again->sources[0].name, "b.json");
    assert_string_equal(again->sources[0].started_at, run->sources[0].started_at);
    assert_null(again->sources[0].tool_version);
    run_free(run);
    run_free(again);
}

TEST(proofs_are_read)
{
    struct run *run = sample_run();
    struct counter *counters = run->results[5].samples.counters;

    counters[0].voided = 2;
    string_set(&counters[0].verdict, "unproven");
    string_set(&counters[0].doubt, "no loop is known for it");
    string_set(&counters[1].verdict, "dead");
    struct run *again = read_back(run);
    counters = again->results[5].samples.counters;
    assert_string_equal(counters[0].verdict, "unproven");
    assert_string_equal(counters[0].doubt, "no loop is known for it");
    assert_true(counters[0].voided == 2 && counters[2].voided == 0);
    assert_string_equal(counters[1].verdict, "dead");
    assert_true(counters[1].absent && !counters[1].doubt);
    assert_true(!counters[2].verdict && !counters[2].doubt);
    run_free(run);
    run_free(again);
}

/* Files from before counters told how they were counted. */
TEST(older_counters_are_read)
{
    static const char *const later[] = {"scope", "overhead", "user_read", "errno_name",
                                        "errno", "fix",      "threads"};
    struct run *run = sample_run(), *again;
    char *json = sample_text(run, FORMAT_JSON, NULL);
    cJSON *tree = cJSON_Parse(json), *result, *counter;
    cJSON_ArrayForEach (result, cJSON_GetObjectItem(tree, "results")) {
        cJSON_ArrayForEach (counter, cJSON_GetObjectItem(result, "counters")) {
            for (size_t i = 0; i < ARRAY_LEN(later); i++)
                cJSON_DeleteItemFromObject(counter, later[i]);
        }
    }
    free(json);
    json = cJSON_Print(tree);
    assert_int_equal(run_read_json(&again, json, strlen(json), NULL), 0);
    const struct counter *counters = again->results[5].samples.counters;
    assert_true(counters[0].n > 0 && counters[0].overhead == 0 && !counters[0].scope);
    assert_true(counters[1].absent && !counters[1].fix && counters[1].code == 0);
    cJSON_Delete(tree);
    free(json);
    run_free(run);
    run_free(again);
}

TEST(names_that_clash)
{
    struct run *run = sample_run_small();
    struct error error = {.text = ""};
    FILE *file = fopen("/dev/null", "w");
    assert_non_null(file);
    assert_non_null(result_add_counter(&run->results[1], "page-faults"));
    assert_int_equal(run_write_json(run, file, &error), -EEXIST);
    assert_string_equal(error.text,
                        "results[1].counters.page-faults: this key is there twice");
    string_set(&run->results[1].samples.counters[3].name, "x");
    assert_int_equal(run_write_json(run, file, &error), 0);
    facts_text(&run->host, "isas", "x");
    assert_int_equal(run_write_json(run, file, &error), -EEXIST);
    fclose(file);
    run_free(run);
}

TEST(too_many_members)
{
    struct run *run = run_new(), *read;
    for (int n = 1; n <= 1001; n++) {
        char name[16];
        struct error error = {.text = ""};
        snprintf(name, sizeof name, "s%d", n);
        facts_number(&run->settings, name, n);
        if (n < 1000)
            continue;
        char *const json = sample_text(run, FORMAT_JSON, NULL);
        const int code = run_read_json(&read, json, strlen(json), &error);
        assert_int_equal(code, n > 1000 ? -EINVAL : 0);
        assert_non_null(
            strstr(error.text, code ? "settings: more than 1000 members" : ""));
        free(json);
        run_free(read);
    }
    run_free(run);
}

/* ---- files ---- */

static char folder[] = "/tmp/simdbench-test-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static char *in_folder(const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

static int write_json(const void *run, FILE *file, struct error *error)
{
    return run_write_json(run, file, error);
}

static int save(const struct run *run, const char *path, struct error *error)
{
    return file_save(path, write_json, run, error);
}

TEST(save_and_load)
{
    struct run *run = sample_run(), *read;
    char *path = in_folder("run.json"), *link = in_folder("link.json");
    struct error error = {.text = ""};
    struct stat info;
    assert_int_equal(save(run, path, &error), 0);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(save(run, link, &error), 0);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    if (run_load(&read, link, &error))
        fail_msg("%s", error.text);
    assert_int_equal(read->n_results, run->n_results);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(path), 0); /* the folder is empty: no temporary file stays */
    free(path);
    free(link);
    run_free(run);
    run_free(read);
}

/* A run that cannot be written leaves the old file as it was, and nothing beside it. */
TEST(failed_save_keeps_the_file)
{
    struct run *run = sample_run_small(), *read;
    char *path = in_folder("run.json");
    struct error error = {.text = ""};
    assert_int_equal(save(run, path, &error), 0);
    assert_non_null(result_add_counter(&run->results[0], "page-faults"));
    assert_int_equal(save(run, path, &error), -EEXIST);
    assert_non_null(strstr(error.text, "run.json': results[0].counters.page-faults: "));
    assert_int_equal(run_load(&read, path, &error), 0);
    assert_int_equal(read->results[0].samples.n_counters, 3);
    assert_int_equal(unlink(path), 0);
    free(path);
    run_free(run);
    run_free(read);
}

TEST(file_errors)
{
    struct run *run = sample_run(), *read;
    struct error error = {.text = ""};
    assert_int_equal(save(run, "/dev/full", &error), -ENOSPC);
    assert_non_null(strstr(error.text, "/dev/full"));
    assert_int_equal(save(run, "/dev/null", &error), 0);
    assert_int_equal(save(run, folder, &error), -EISDIR);
    assert_int_equal(save(run, "/nowhere/\x1b[1m", &error), -ENOENT);
    assert_string_equal(error.text,
                        "cannot write '/nowhere/\\x1b[1m': No such file or directory");
    assert_int_equal(run_load(&read, "/nowhere/x", &error), -ENOENT);
    assert_null(read);
    assert_int_equal(run_load(&read, folder, &error), -EISDIR);
    assert_int_equal(run_load(&read, "/dev/null", &error), -EINVAL);
    assert_string_equal(error.text, "/dev/null: the file is empty");
    run_free(run);
}

TESTS_BETWEEN(make_folder, remove_folder)
