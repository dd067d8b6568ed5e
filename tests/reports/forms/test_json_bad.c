/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are not what the reader expects: whatever bytes come, it names the
 * field. */
#include "bad_json.h"
#include "effort.h"
#include "fuzz_json.h"
#include "mutate_json.h"
#include "sample_run.h"
#include "sample_study.h"
#include "unit.h"

TEST(bad_inputs)
{
    static const struct bad_edit edits[] = {
        {"", "\"schema_version\":\t1", "\"schema_version\":\t2",
         "schema_version: 2 is not supported; this program reads 1"},
        {"", "\"schema_version\":\t1", "\"schema_version\":\t\"1\"",
         "schema_version: expected a whole number"},
        {"", "\"schema_version\":\t1", "\"schema_version\":\t1.5", "schema_version: "},
        {"", "\"schema_version\":\t1", "\"schema_version\":\t1e30", "schema_version: "},
        {"", "\"schema_version\"", "\"schema_versiom\"", "schema_version: missing"},
        {"", "\"name\":\t\"simdbench\"", "\"name\":\t\"other\"", "tool.name: expected"},
        {"", "\"compiler\":\t\"\"", "\"compiler\":\t7",
         "tool.compiler: expected a string"},
        {"", "\"commit\"", "\"version\"", "tool.version: this key is there twice"},
        {"", "\"argv\":\t[]", "\"argv\":\t[\"a\", null]", "argv[1]: expected a string"},
        {"", "\"argv\":\t[]", "\"argv\":\t{}", "argv: expected an array"},
        {"", "\"seed\":\t\"\"", "\"seed\":\t18446744073709551615",
         "seed: expected a string"},
        {"", "\"interrupted\":\tfalse", "\"interrupted\":\t0",
         "interrupted: expected true"},
        {"", "\"align\":\t64", "\"align\":\t1e999",
         "settings.align: number out of range"},
        {"", "\"identity\"", "\"identita\"", "host.identity: missing"},
        {"", "\"isas\":\t[]", "\"isas\":\t[[]]", "host.isas[0]: expected a string"},
        {"", "\"state\":\tnull", "\"state\":\tfalse",
         "host.pmu.state: expected a string"},
        {"", "\"results\"", "\"resultz\"", "results: missing; expected an array"},
        {"results", "\"id\"", "\"ID\"", "results[0].id: missing; expected a string"},
        {"results", "\"group\":\t1", "\"group\":\t7",
         "results[1].group: groups must ascend"},
        {"results", "\"group\":\t1", "\"group\":\t-1", "results[0].group: "},
        {"results", "\"group\":\t1", "\"group\":\t1e17", "results[0].group: "},
        {"results", "\"threads\":\t1", "\"threads\":\t2147483648",
         "results[0].threads: expected a whole number from 0 to 2147483647"},
        {"results", "\"threads\":\t1", "\"threads\":\t0.5", "results[0].threads: "},
        {"results", "\"module\":\t\"openblas\"", "\"module\":\t[]",
         "results[0].module: expected a string or null"},
        {"results", "\"role\":\t\"baseline\"", "\"role\":\t\"boss\"",
         "results[0].role: expected kernel, baseline or roof"},
        {"results", "\"settings\":\t{", "\"settings\":\t{\"a\": 1",
         "results[0].settings.a: expected a string"},
        {"results", "\"settings\":\t{", "\"settings\":\t{\"a\": \"1\", \"a\": \"1\"",
         "results[0].settings.a: this key is there twice"},
        {"results", "\"status\":\t\"ok\"", "\"status\":\t\"great\"",
         "results[0].status: unknown status"},
        {"results", "\"status\":\t\"ok\"", "\"status\":\t\"failed\"",
         "results[0].reason: missing; a case that is failed has one"},
        {"results", "\"notes\":\t[", "\"notes\":\t[3, ", "results[0].notes[0]: expected"},
        {"results", "\"work\"", "\"werk\"", "results[0].work: missing"},
        {"results", "\"ops\":\t4194304", "\"ops\":\t\"4194304\"",
         "results[0].work.ops: expected a number"},
        {"results", "\"iterations\":\t100", "\"iterations\":\t1e16",
         "results[0].iterations: expected a whole number"},
        {"results", "\"voided\":\t1", "\"voided\":\t4294967296", "results[0].voided: "},
        {"results", "\"samples_ns\":\t[", "\"samples_ns\":\t[-1, ",
         "results[0].samples_ns[0]: expected a number from 0 up"},
        {"results", "\"samples_ns\":\t[", "\"samples_ns\":\t[1, 2, \"3\", ",
         "results[0].samples_ns[2]: expected a number"},
        {"results", "\"samples_ns\":\t[", "\"samples_ns\":\t[1e999, ",
         "results[0].samples_ns[0]: number out of range"},
        {"results", "\"samples_ns\":\t[", "\"samples_ns\":\t[null, ",
         "results[0].samples_ns[0]: expected a number"},
        {"results", "\"samples_ns\":\t[", "\"samples_ns\":\t[1, ",
         "results[0].rounds: fewer entries than samples_ns"},
        {"results", "\"rounds\":\t[", "\"rounds\":\t[4294967295, ",
         "results[0].rounds[1]: rounds must ascend"},
        {"results", "12],\n\t\t\t\"apart\"", "12, 13],\n\t\t\t\"apart\"",
         "results[0].rounds: more entries than samples_ns"},
        {"results", "\"rounds\":\t[0", "\"rounds\":\t[0.5", "results[0].rounds[0]: "},
        {"results", "\"ops\":\t4194304", "\"ops\":\t-1",
         "results[0].work.ops: expected a number from 0 up"},
        {"results", "\"prepare_ns\":\t", "\"prepare_ns\":\t-1, \"x\":\t",
         "results[0].prepare_ns: expected a number from 0 up"},
        {"results", "\"overhead_ns\":\t", "\"overhead_ns\":\t-1e300, \"x\":\t",
         "results[0].overhead_ns: expected a number from 0 up"},
        {"results", "\"median_ns\":\t", "\"median_ns\":\t-5, \"x\":\t",
         "results[0].summary.median_ns: expected a number from 0 up"},
        {"results", "\"median_ns\":\t", "\"median_ns\":\t1e999, \"x\":\t",
         "results[0].summary.median_ns: number out of range"},
        {"results", "\"median_ns\":\t", "\"median_ns\":\t5, \"x\":\t",
         "results[0].summary.median_ns: 5, but samples_ns give "},
        {"results", "\"min_ns\":\t", "\"min_ns\":\t5, \"x\":\t",
         "results[0].summary.min_ns: 5, but samples_ns give "},
        {"results", "\"mad_ns\":\t", "\"mad_ns\":\t-1, \"x\":\t",
         "results[0].summary.mad_ns: expected a number from 0 up"},
        {"results", "\"ci_ns\":\t[", "\"ci_ns\":\t[1, 2], \"y\": [",
         "results[0].summary.ci_ns: 1, but samples_ns give "},
        {"results", "\"ci_ns\":\t[", "\"ci_ns\":\t[-1, 2], \"y\": [",
         "results[0].summary.ci_ns: the first end is below 0"},
        {"results", "\"ci_level\":\t", "\"ci_level\":\t2, \"y\":\t",
         "results[0].summary.ci_level: expected a number up to 1"},
        {"results", "\"summary\":\t{", "\"summary\":\tnull, \"y\":\t{",
         "results[0].summary: missing, but there are samples_ns"},
        {"results", "\"gbps\":\t", "\"gbps\":\t-1, \"x\":\t",
         "results[0].rates.gbps: expected a number from 0 up"},
        {"results", "\"ghz\":\t", "\"ghz\":\t-1, \"x\":\t",
         "results[0].clock.ghz: expected a number from 0 up"},
        {"results", "\"ratios\":\t[",
         "\"ratios\":\t[{\"baseline\": \"b\", \"speedup\": -2, \"ci\": null}, ",
         "results[0].ratios[0].speedup: expected a number from 0 up"},
        {"page-faults", "\"value\":\t", "\"value\":\t-1, \"x\":\t",
         "results[0].counters.page-faults.value: expected a number from 0 up"},
        {"results", "\"median_ns\":\t", "\"median_ns\":\ttrue, \"x\":\t",
         "results[0].summary.median_ns: expected a number"},
        {"results", "\"ci_ns\":\t[", "\"ci_ns\":\t[1, ",
         "results[0].summary.ci_ns: expected two numbers or null"},
        {"results", "\"ci_ns\":\t[", "\"ci_ns\":\t[2, 1], \"y\": [",
         "results[0].summary.ci_ns: the first end is above the second"},
        {"results", "\"gops\":\t", "\"gops\":\t{}, \"x\":\t",
         "results[0].rates.gops: expected a number"},
        {"results", "\"limit\":\tnull", "\"limit\":\t{}", "results[0].limit.id: missing"},
        {"results", "\"ratios\":\t[", "\"ratios\":\t[{}, ",
         "results[0].ratios[0].baseline: missing"},
        {"results", "\"ratios\":\t[", "\"ratios\":\t[7, ",
         "results[0].ratios[0]: expected an object"},
        {"results", "\"ratios\":\t[",
         "\"ratios\":\t[{\"baseline\": \"b\", \"speedup\": 1, \"unpaired\": 2}, ",
         "results[0].ratios[0].unpaired: expected true or false"},
        {"results", "\"layout\":\tnull", "\"layout\":\t8",
         "results[0].layout: expected a string or null"},
        {"results", "\"unranked\":\tnull", "\"unranked\":\ttrue",
         "results[0].unranked: expected a string or null"},
        {"results", "\"source\":\tnull", "\"source\":\t[]", "results[0].source: "},
        {"results", "\"source\":\tnull", "\"source\":\t\"b.json\"",
         "results[0].source: 'sources' has none of this name"},
        {"results", "\"gops\":\t", "\"gops\":\t1e301, \"x\":\t",
         "results[0].rates.gops: expected a number up to 1e+300"},
        {"results", "\"ci_ns\":\t[", "\"ci_ns\":\t[1, 1e301], \"y\": [",
         "results[0].summary.ci_ns[1]: expected a number up to 1e+300"},
        {"results", "\"implementation\":\tnull", "\"implementation\":\t{}",
         "results[0].implementation: "},
        {"results", "\"workspace_bytes\":\t0", "\"workspace_bytes\":\t-1",
         "results[0].workspace_bytes: expected a number from 0 up"},
        {"results", "\"workspace_bytes\":\t0", "\"workspace_bytes\":\tnull",
         "results[0].workspace_bytes: expected a number"},
        {"results", "\"accuracy\":\tnull", "\"accuracy\":\t1.5",
         "results[0].accuracy: expected an object"},
        {"results", "\"accuracy\":\tnull",
         "\"accuracy\":\t{\"max_ulp\": 1, \"mean_ulp\": \"x\"}",
         "results[0].accuracy.mean_ulp: expected a number"},
        {"", "\"sources\":\t[]", "\"sources\":\t{}", "sources: expected an array"},
        {"", "\"sources\":\t[]", "\"sources\":\t[{}]", "sources[0].name: missing"},
        {"", "\"sources\":\t[]", "\"sources\":\t[{\"name\": \"b\", \"fingerprint\": 7}]",
         "sources[0].fingerprint: expected a string or null"},
        {"results", "\"page-faults\":\t{", "\"page-faults\":\t{\"absent\": 4, ",
         "results[0].counters.page-faults.absent: expected"},
        {"page-faults", "\"samples\":\t[", "\"samples\":\t[{}, ",
         "results[0].counters.page-faults.samples[0]: expected a number"},
        {"results", "\"clock\":\t{", "\"clock\":\t[], \"x\":\t{",
         "results[0].clock: expected an object"},
        {"", "\"cpu\":\t\"x\"", "\"cpu\":\t\"\\u0000\"", "zero byte in a string"},
        {"", "\"cpu\":\t\"x\"", "\"cpu\":\t\"\n\"", "control character in a string"},
        {"", "\"cpu\":\t\"x\"", "\"cpu\":\t\"\xff\"", "invalid UTF-8"},
        {"", "\"cpu\":\t\"x\"", "\"cpu\":\t\"\xed\xa0\x80\"", "invalid UTF-8"},
        {"", "\"cpu\":\t\"x\"", "\"cpu\":\t\"\\ud800\"", "this is no JSON"},
        {"", "\"cpu\":\t\"x\"", "\"cpu\":\t\"x", "byte "},
        {"", "\"align\":\t64", "\"align\":\t064", "malformed number"},
        {"", "\"align\":\t64", "\"align\":\t64.", "malformed number"},
        {"", "\"align\":\t64", "\"align\":\t-", "malformed number"},
        {"", "\"align\":\t64", "\"align\":\tNaN", "this is no JSON"},
        {"", "\"align\":\t64", "\"align\":\t+64", "this is no JSON"},
        {"", "\"align\":\t64", "\"align\":\t64,", "this is no JSON"},
        {"", "\"align\":\t64",
         "\"x\":\t[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
         "nested too deep"},
        {"", "{", "\xef\xbb\xbf{", "byte 0, line 1: byte outside of a string"},
        {"findings", "]\n}", "]\n}}", "more text after the end"},
        {"findings", "]\n}", "]\n} x", "more text after the end"},
        {"findings", "]\n}", "]\n}{}", "more text after the end"},
        {"findings", "]\n}", "]\n", "this is no JSON"}};
    struct run *run = sample_run_small();
    char *good = sample_text(run, FORMAT_JSON, NULL);
    check_edits(good, edits, ARRAY_LEN(edits));
    free(good);
    run_free(run);
}

/* The name of a case is short, and tells it from the others. */
TEST(bad_names)
{
    static const char *const names[] = {"id",    "op",     "type",  "isa",
                                        "shape", "layout", "module"};
    struct run *run = sample_run_small();
    char *good = sample_text(run, FORMAT_JSON, NULL);
    char letters[5000];

    memset(letters, 'x', sizeof letters);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const int most = i ? MODEL_NAME_MAX : 16 * MODEL_NAME_MAX;
        for (int more = 0; more < 2; more++) {
            struct error error = {.text = ""};
            struct run *read = NULL;
            char key[20], *value, message[80];
            snprintf(key, sizeof key, "\"%s\":\t", names[i]);
            assert_true(
                asprintf(&value, "%s\"%.*s\", \"y\":\t", key, most + more, letters) > 0);
            char *text = edit(good, "results", key, value);
            const int code = run_read_json(&read, text, strlen(text), &error);
            snprintf(message, sizeof message,
                     "results[0].%s: %d bytes; a name has at most %d", names[i], most + 1,
                     most);
            assert_int_equal(code, more ? -EINVAL : 0);
            assert_string_equal(error.text, more ? message : "");
            run_free(read);
            free(text);
            free(value);
        }
    }
    free(good);
    run_free(run);
}

TEST(two_cases_of_one_id)
{
    struct run *run = sample_run_small(), *read = NULL;
    struct error error = {.text = ""};
    char *text;

    assert_true(run->n_results > 2);
    for (size_t i = 0; i < 3; i++)
        string_set(&run->results[i].id, i == 1 ? "other" : "same");
    text = sample_text(run, FORMAT_JSON, NULL);
    assert_int_equal(run_read_json(&read, text, strlen(text), &error), -EINVAL);
    assert_string_equal(error.text, "results[2].id: results[0] has this id already");
    free(text);
    /* A roof stands in each group that it limits, but once; a case may measure it too. */
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].group = i;
    run->results[0].is_roof = run->results[2].is_roof = true;
    run->results[0].is_baseline = run->results[2].is_baseline = false;
    for (size_t i = 0; i < 2; i++) {
        text = sample_text(run, FORMAT_JSON, NULL);
        assert_int_equal(run_read_json(&read, text, strlen(text), &error), 0);
        run_free(read);
        free(text);
        run->results[2].is_roof = false;
    }
    run->results[2].is_roof = true;
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].group = 0;
    text = sample_text(run, FORMAT_JSON, NULL);
    assert_int_equal(run_read_json(&read, text, strlen(text), &error), -EINVAL);
    free(text);
    run_free(run);
}

/* An arm of a study stands once in each group of arms that take turns with it. */
TEST(arms_of_one_id)
{
    struct run *run = sample_study_run(), *read = NULL;
    struct error error = {.text = ""};

    struct result *const last = &run->results[run->n_results - 1];
    string_set(&last->id, run->results[0].id);
    for (size_t i = 0; i < 2; i++) {
        last->group += i;
        char *const text = sample_text(run, FORMAT_JSON, NULL);
        if (run_read_json(&read, text, strlen(text), &error) != (i ? 0 : -EINVAL))
            fail_msg("%s", error.text);
        free(text);
    }
    run_free(read);
    run_free(run);
}

TEST(bad_bytes)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } rows[] = {
        {"", 0, "byte 0, line 1: this is no JSON"},
        {" \n", 2, "this is no JSON"},
        {"\0", 1, "byte 0, line 1: zero byte"},
        {"{}\0", 3, "byte 2, line 1: zero byte"},
        {"{}", 2, "schema_version: missing"},
        {"[]", 2, "document: expected an object"},
        {"null", 4, "document: expected an object"},
        {"7", 1, "document: expected an object"},
        {"\"\\", 2, "string without an end"},
        {"\x1b[0m", 4, "control character"},
        {"{\"a\": 1\v}", 9, "control character"},
        {"{\"a\":1, \"a\":2}", 14, "a: this key is there twice"},
        {"{\"schema_version\": 1e999}", 25, "schema_version: number out of range"}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct error error = {.text = ""};
        struct run *run;
        char *exact = malloc(rows[i].size + !rows[i].size);
        assert_non_null(exact);
        memcpy(exact, rows[i].bytes, rows[i].size);
        assert_int_equal(run_read_json(&run, exact, rows[i].size, &error), -EINVAL);
        if (!strstr(error.text, rows[i].message))
            fail_msg("row %zu gives '%s', not '%s'", i, error.text, rows[i].message);
        free(exact);
    }
}

TEST(deep_nesting_is_no_crash)
{
    static char deep[1000000];
    struct error error;
    struct run *run;
    memset(deep, '[', sizeof deep);
    assert_int_equal(run_read_json(&run, deep, sizeof deep, &error), -EINVAL);
    assert_non_null(strstr(error.text, "nested too deep"));
}

TEST(unknown_fields_are_ignored)
{
    struct run *run = sample_run_small(), *read;
    char *good = sample_text(run, FORMAT_JSON, NULL), *again;
    char *a = edit(good, "", "{", "{\"new\": {\"x\": [1, null]}, ");
    char *b = edit(a, "results", "\"id\"", "\"newer\": true, \"id\"");
    char *c = edit(b, "host", "{", "{\"caches\": [1, 2], \"gone\": null, ");
    assert_int_equal(run_read_json(&read, c, strlen(c), NULL), 0);
    again = sample_text(read, FORMAT_JSON, NULL);
    assert_string_equal(again, good);
    free(a);
    free(b);
    free(c);
    free(good);
    free(again);
    run_free(run);
    run_free(read);
}

/* Files written before these fields joined; ratios have none of them here. */
TEST(older_files_are_read)
{
    static const char *const added[] = {"layout", "implementation",  "unranked",
                                        "source", "workspace_bytes", "accuracy",
                                        "sources"};
    struct run *run = sample_run_small(), *read;
    char *good = sample_text(run, FORMAT_JSON, NULL), *old = strdup(good), *again;
    struct error error = {.text = ""};
    assert_non_null(old);
    for (size_t i = 0; i < ARRAY_LEN(added); i++) {
        char key[32], *at = old;
        snprintf(key, sizeof key, "\"%s\":\t", added[i]);
        assert_non_null(strstr(old, key));
        while ((at = strstr(at, key))) {
            char *next = strchr(at, '\n');
            memmove(at, next, strlen(next) + 1);
        }
    }
    for (char *at = old; (at = strstr(at, ",\n\t\t\t\t\t\"unpaired\":\tfalse"));)
        memmove(at, at + 24, strlen(at + 24) + 1);
    if (run_read_json(&read, old, strlen(old), &error))
        fail_msg("%s", error.text);
    again = sample_text(read, FORMAT_JSON, NULL);
    assert_string_equal(again, good);
    free(old);
    free(good);
    free(again);
    run_free(run);
    run_free(read);
}

/* ---- mutations: the same ones in each run; the fuzz lane has others ---- */

TEST(mutations)
{
    struct run *run = sample_run_small();
    char *good = sample_text(run, FORMAT_JSON, NULL);
    size_t length = strlen(good), room = length + 64;
    char *text = malloc(room);
    uint64_t seed = 7;
    assert_non_null(text);
    for (size_t i = 0; i < effort_of(6000); i++) {
        size_t size = length;
        uint8_t *exact;
        memcpy(text, good, length);
        for (uint64_t n = 1 + mutate_random(&seed) % 3; n; n--)
            size = mutate_bytes(text, size, room, &seed);
        exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, text, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    free(text);
    free(good);
    run_free(run);
}
