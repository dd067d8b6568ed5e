/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that a history shows: found, and told as text and as JSON. */
#include <cjson/cJSON.h>

#include "random.h"
#include "reports.h"
#include "unit.h"

enum { RUNS = 100, STEP = 80 };

static char *copy(const char *text)
{
    char *const made = strdup(text);
    assert_non_null(made);
    return made;
}

static void add_entry(struct history *history, const char *id, const char *host,
                      size_t run, double median)
{
    struct history_entry *const entry =
        array_grow(&history->entries, history->n++, sizeof *entry);
    char text[40];
    assert_non_null(entry);
    snprintf(text, sizeof text, "2024-05-%02zuT00:00:00Z", run % 28 + 1);
    entry->started_at = copy(text);
    snprintf(text, sizeof text, "c%zu", run);
    entry->commit = copy(text);
    entry->id = copy(id);
    entry->fingerprint = copy(host);
    entry->cpu = copy("Example CPU 9000");
    entry->label = copy("");
    entry->status = copy(!(median > 0) ? "noisy" : run % 2 ? "unchecked" : "ok");
    entry->reason = copy("");
    entry->median_ns = median > 0 ? median : 1e9;
    entry->change = entry->compared = NAN;
}

/* Two hosts: only the second one got slower, by 5%. One run in ten is not ok. */
static struct history make_history(void)
{
    struct history history = {.n = 0};
    uint64_t seed = 5;
    for (size_t host = 0; host < 2; host++)
        for (size_t run = 0; run < RUNS; run++) {
            const double slower = host == 1 && run >= STEP ? 1.05 : 1;
            add_entry(&history, "gemm/a@<b>\33", host ? "two" : "one", run,
                      run % 10 == 3 ? 0 : 100 * slower * exp(0.005 * normal(&seed)));
        }
    history_find_changes(&history);
    return history;
}

TEST(test_finds)
{
    struct history history = make_history();
    assert_int_equal(history.n_changes, 1);
    const struct history_change *const change = history.changes;
    assert_int_equal(change->at, RUNS + STEP);
    assert_int_equal(change->before, STEP - 8);
    assert_int_equal(change->after, RUNS - STEP - 2);
    assert_true(fabs(change->change - 0.05) < 0.01);
    assert_true(change->ci.known && change->ci.lo > 0.04 && change->ci.hi < 0.06);
    assert_true(change->ci.lo < change->change && change->change < change->ci.hi);
    history_free(&history);
    assert_null(history.changes);
}

TEST(test_many_runs)
{
    struct history history = {.n = 0};
    uint64_t seed = 6;
    /* The last of HISTORY_RUNS count; what was before them does not. */
    for (size_t run = 0; run < HISTORY_RUNS + 100; run++)
        add_entry(&history, "a", "one", run,
                  (run < 100 ? 50 : 100) * exp(0.005 * normal(&seed)));
    history_find_changes(&history);
    assert_int_equal(history.n_changes, 0);
    history_free(&history);
}

/* Inlined, gcc takes the text for a variable of this function. */
__attribute__((noinline)) static char *text_of(int (*write)(const struct history *,
                                                            FILE *, struct error *),
                                               const struct history *history)
{
    char *text = NULL;
    size_t size = 0;
    struct error error;
    FILE *const file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(write(history, file, &error), 0);
    fclose(file);
    return text;
}

static int write_table(const struct history *history, FILE *file, struct error *error)
{
    return history_write_text(history, &(struct text_page){.file = file}, error);
}

TEST(test_told)
{
    struct history history = make_history();
    char *const text = text_of(write_table, &history);
    const char *const line = strstr(text, "\n  since commit c80 (2024-05-25): +");
    assert_non_null(line);
    assert_non_null(strstr(line, ", 72 runs before, 18 after\n"));
    const char *const answer = strstr(line, "cases: 1 slower than before, 0 faster\n");
    assert_non_null(answer);
    assert_non_null(strstr(answer, "% longer since c80 of 2024-05-25 on "));
    assert_null(strchr(text, '\33'));
    free(text);
    string_set(&history.entries[RUNS + STEP].label, "v\33 2");
    char *const labelled = text_of(write_table, &history);
    assert_non_null(strstr(labelled, "  since v\\x1b 2 (2024-05-25): +"));
    free(labelled);
    /* Runs that are not compared, or of no known machine, do not show that nothing
     * changed. */
    for (size_t i = 0; i < RUNS / 2; i++)
        string_set(&history.entries[i].status, "noisy");
    for (size_t i = RUNS / 2; i < RUNS; i++)
        *history.entries[i].fingerprint = '\0';
    char *const unknown = text_of(write_table, &history);
    assert_non_null(strstr(unknown, " 0 faster; too few runs of 2 to see one\n"));
    free(unknown);
    /* One machine needs no name. */
    for (size_t i = 0; i < history.n; i++)
        string_set(&history.entries[i].fingerprint, "one");
    char *const alone = text_of(write_table, &history);
    assert_non_null(strstr(alone, "of 2024-05-25\n"));
    free(alone);
    history_free(&history);
}

static int write_json(const struct history *history, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    history_json(history, &json);
    return json_end(&json, file, error);
}

TEST(test_json)
{
    struct history history = make_history();
    char *const text = text_of(write_json, &history);
    cJSON *const root = cJSON_Parse(text);
    const cJSON *const cases = cJSON_GetObjectItem(root, "cases");
    assert_int_equal(cJSON_GetArraySize(cases), 2);
    const cJSON *const one = cJSON_GetArrayItem(cases, 0);
    const cJSON *const two = cJSON_GetArrayItem(cases, 1);
    assert_string_equal(cJSON_GetObjectItem(two, "fingerprint")->valuestring, "two");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(two, "runs")), RUNS);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(one, "changes")), 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(one, "seen")));
    const cJSON *const change =
        cJSON_GetArrayItem(cJSON_GetObjectItem(two, "changes"), 0);
    assert_int_equal(cJSON_GetObjectItem(change, "run")->valueint, STEP);
    assert_true(cJSON_GetObjectItem(change, "change")->valuedouble ==
                history.changes[0].change);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(change, "ci")), 2);
    cJSON_Delete(root);
    free(text);
    history_free(&history);
}
