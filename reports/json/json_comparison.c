/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "json.h"
#include "json_common.h"
#include "json_value.h"
#include "judge/judge.h"

/* Members of "trials", each an array with an entry per trial. */
static const struct field trial_table[] = {
    FIELD(U32, trial, process),          FIELD(NUMBER, trial, base_ns),
    FIELD(NUMBER, trial, head_ns),       FIELD(NUMBER, trial, control_ns),
    FIELD(NUMBER, trial, built_base_ns), FIELD(NUMBER, trial, built_head_ns),
};
/* Those behind them are there only if code was moved. */
enum { TRIAL_FIELDS = 4 };

static const struct fields row_fields =
    FIELDS(FIELD(SIZE, gate_row, cases), FIELD(SIZE, gate_row, usable),
           FIELD(CHANGE, gate_row, change), FIELD(CHANGE, gate_row, raw),
           FIELD(SPAN, gate_row, share_before), FIELD(SPAN, gate_row, share_after));
static const struct fields versus_fields =
    FIELDS(FIELD(SPAN, gate_versus, before), FIELD(SPAN, gate_versus, after));

/* ---- writing ---- */

static void put_row(struct json *json, cJSON *list, const struct gate_row *row)
{
    cJSON *const object = json_object(json, list, NULL);

    json_text(json, object, "op", row->op);
    json_text(json, object, "isa", row->isa);
    json_fields(json, object, &row_fields, row);
    json_interval(json, object, "ci", NULL, &row->ci);
    cJSON *const versus = json_array(json, object, "versus");
    FOR_EACH (const struct gate_versus, one, row->versus, row->n_versus) {
        cJSON *const entry = json_object(json, versus, NULL);
        FREED_BY(free_memory) char *label = must_have(strndup(one->label, one->length));
        json_text(json, entry, "baseline", label);
        json_fields(json, entry, &versus_fields, one);
    }
}

/* The head of the report; a reader of the file derives it anew. */
static void put_rows(struct json *json, cJSON *object, const struct run *run)
{
    cJSON *const list = json_array(json, object, "rows");
    struct gate_row *rows;
    size_t n;

    gate_rows(run, &rows, &n);
    for (size_t i = 0; i < n; i++)
        put_row(json, list, &rows[i]);
    gate_rows_free(rows, n);
}

void json_gate(struct json *json, cJSON *parent, const struct run *run)
{
    const struct gate *const gate = run->gate;
    cJSON *const object = json_maybe(json, parent, "gate", gate);

    if (!object)
        return;
    json_fields(json, object, &gate_fields, gate);
    put_rows(json, object, run);
    json_number(json, object, "placed", (double)gate->placed);
    json_fields(json, object, &gate_arms, gate);
}

static void put_trials(struct json *json, cJSON *parent,
                       const struct comparison *comparison)
{
    cJSON *const trials = json_object(json, parent, "trials");
    const size_t n = comparison->n_trials;
    FREED_BY(free_memory) double *column = must_have(calloc(n + 1, sizeof *column));
    const size_t fields =
        comparison_is_moved(comparison) ? ARRAY_LEN(trial_table) : TRIAL_FIELDS;
    for (size_t f = 0; f < fields; f++) {
        for (size_t i = 0; i < n; i++) {
            const char *const at =
                (const char *)&comparison->trials[i] + trial_table[f].offset;
            column[i] = trial_table[f].kind == FIELD_U32 ? *(const uint32_t *)at
                                                         : *(const double *)at;
        }
        json_numbers(json, trials, trial_table[f].name, column, NULL, n);
    }
}

void json_comparison(struct json *json, cJSON *parent,
                     const struct comparison *comparison)
{
    cJSON *const object = json_maybe(json, parent, "comparison", comparison);

    if (!object)
        return;
    struct comparison told = *comparison;
    if (!comparison_has_change(comparison))
        told.change = told.least_change = told.control_change = told.floor = told.delta =
            told.detectable = told.p = NAN;
    json_fields(json, object, &comparison_fields, &told);
    put_trials(json, object, comparison);
}

/* ---- reading ---- */

int json_read_gate(const struct value *root, struct run *run)
{
    const struct value object = value_member(root, "gate");

    if (value_absent(&object))
        return 0;
    return value_fields(&object, &gate_fields, run_gate(run))
               ?: value_fields(&object, &gate_arms, run->gate);
}

/* The times of a trial have a ratio that is finite. */
#define TIME_MIN 1e-100
#define TIME_MAX 1e100

static int read_time(const struct value *entry, bool may_be_0, double *ns)
{
    const int code = value_number(entry, ns);

    if (code || (*ns >= TIME_MIN && *ns <= TIME_MAX) || (may_be_0 && *ns == 0))
        return code;
    return VALUE_FAIL(entry, "expected %sa number from %g to %g", may_be_0 ? "0 or " : "",
                      TIME_MIN, TIME_MAX);
}

/* The arrays are walked side by side; the first leads. */
struct trials_reader {
    struct comparison *comparison;
    const struct value *columns; /* in the order of trial_table */
    const cJSON *next[ARRAY_LEN(trial_table)];
    size_t n; /* of them */
};

static int add_trial(const struct value *entry, void *context)
{
    struct trials_reader *const from = context;
    struct value cell[ARRAY_LEN(trial_table)];
    struct trial trial = {0};
    double process = 0;

    cell[0] = *entry;
    for (size_t f = 1; f < from->n; f++) {
        if (!from->next[f])
            return VALUE_FAIL(&from->columns[f], "fewer entries than process");
        cell[f] = *entry;
        cell[f].json = from->next[f];
        cell[f].place.parent = &from->columns[f].place;
        from->next[f] = from->next[f]->next;
    }
    int code = value_whole(&cell[0], UINT32_MAX, &process);
    trial.process = (uint32_t)process;
    code = code ?: read_time(&cell[1], false, &trial.base_ns)
                ?: read_time(&cell[2], false, &trial.head_ns)
                ?: read_time(&cell[3], true, &trial.control_ns);
    if (from->n > TRIAL_FIELDS)
        code = code ?: read_time(&cell[4], true, &trial.built_base_ns)
                    ?: read_time(&cell[5], true, &trial.built_head_ns);
    if (code)
        return code;
    return comparison_add_trial(from->comparison, &trial)
               ? VALUE_FAIL(entry, "processes must ascend")
               : 0;
}

static int read_trials(const struct value *object, struct comparison *comparison)
{
    const struct value trials = value_member(object, "trials");
    struct value columns[ARRAY_LEN(trial_table)];
    struct trials_reader from = {
        .comparison = comparison, .columns = columns, .n = TRIAL_FIELDS};
    int code = value_object(&trials);

    const struct value built = value_member(&trials, trial_table[TRIAL_FIELDS].name);
    if (!code && !value_absent(&built))
        from.n = ARRAY_LEN(trial_table);
    for (size_t f = 0; !code && f < from.n; f++) {
        columns[f] = value_member(&trials, trial_table[f].name);
        code = value_array(&columns[f]);
        from.next[f] = code ? NULL : columns[f].json->child;
    }
    if (!code)
        code = value_each(&columns[0], add_trial, &from);
    for (size_t f = 1; !code && f < from.n; f++)
        if (from.next[f])
            code = VALUE_FAIL(&columns[f], "more entries than process");
    return code;
}

int json_read_comparison(const struct value *entry, const struct run *run,
                         struct result *result)
{
    const struct value object = value_member(entry, "comparison");

    if (value_absent(&object))
        return 0;
    if (!run->gate)
        return VALUE_FAIL(&object, "a run without a gate compares nothing");
    struct comparison *const comparison = result_comparison(result);
    const int code = value_fields(&object, &comparison_fields, comparison)
                         ?: read_trials(&object, comparison);
    run->gate->placed += !code && comparison->verdict == VERDICT_PLACED;
    return code;
}
