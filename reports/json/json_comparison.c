/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "json_make.h"
#include "json_value.h"

static const struct field gate_table[] = {
    {"kind", FIELD_TEXT, offsetof(struct gate, kind)},
    {"refused", FIELD_NAME, offsetof(struct gate, refused)},
    {"threshold", FIELD_AMOUNT, offsetof(struct gate, threshold)},
    {"strict", FIELD_BOOL, offsetof(struct gate, strict)},
    {"own_processes", FIELD_BOOL, offsetof(struct gate, own_processes)},
    {"selftest", FIELD_NAME, offsetof(struct gate, selftest)},
    {"seconds", FIELD_AMOUNT, offsetof(struct gate, seconds)},
    {"geomean_change", FIELD_NUMBER, offsetof(struct gate, geomean_change)},
    {"regressed", FIELD_SIZE, offsetof(struct gate, regressed)},
    {"improved", FIELD_SIZE, offsetof(struct gate, improved)},
    {"same", FIELD_SIZE, offsetof(struct gate, same)},
    {"inconclusive", FIELD_SIZE, offsetof(struct gate, inconclusive)},
    {"unusable", FIELD_SIZE, offsetof(struct gate, unusable)},
    {"only_one", FIELD_SIZE, offsetof(struct gate, only_one)},
};
static const struct fields gate_fields = FIELDS(gate_table);

static const struct field arm_table[] = {
    {"name", FIELD_TEXT, offsetof(struct arm, name)},
    {"path", FIELD_TEXT, offsetof(struct arm, path)},
    {"build_id", FIELD_NAME, offsetof(struct arm, build_id)},
    {"version", FIELD_NAME, offsetof(struct arm, version)},
    {"commit", FIELD_NAME, offsetof(struct arm, commit)},
};
static const struct fields arm_fields = FIELDS(arm_table);

static const struct field comparison_table[] = {
    {"reason", FIELD_NAME, offsetof(struct comparison, reason)},
    {"voided", FIELD_U32, offsetof(struct comparison, voided)},
    {"processes", FIELD_U32, offsetof(struct comparison, processes)},
    {"base_ns", FIELD_NUMBER, offsetof(struct comparison, base_ns)},
    {"head_ns", FIELD_NUMBER, offsetof(struct comparison, head_ns)},
    {"change", FIELD_NUMBER, offsetof(struct comparison, change)},
    {"least_change", FIELD_NUMBER, offsetof(struct comparison, least_change)},
    {"floor", FIELD_NUMBER, offsetof(struct comparison, floor)},
    {"delta", FIELD_NUMBER, offsetof(struct comparison, delta)},
    {"detectable", FIELD_NUMBER, offsetof(struct comparison, detectable)},
    {"p", FIELD_NUMBER, offsetof(struct comparison, p)},
    {"significant", FIELD_BOOL, offsetof(struct comparison, significant)},
};
static const struct fields comparison_fields = FIELDS(comparison_table);

static const struct field control_table[] = {
    {"change", FIELD_NUMBER, offsetof(struct comparison, control_change)},
};
static const struct fields control_fields = FIELDS(control_table);

/* Members of "trials", each an array with an entry per trial. */
static const struct field trial_table[] = {
    {"process", FIELD_U32, offsetof(struct trial, process)},
    {"base_ns", FIELD_NUMBER, offsetof(struct trial, base_ns)},
    {"head_ns", FIELD_NUMBER, offsetof(struct trial, head_ns)},
    {"control_ns", FIELD_NUMBER, offsetof(struct trial, control_ns)},
};

/* ---- writing ---- */

void put_gate(struct maker *maker, cJSON *parent, const struct gate *gate)
{
    if (!gate) {
        put(maker, parent, "gate", cJSON_CreateNull());
        return;
    }
    cJSON *const object = put(maker, parent, "gate", cJSON_CreateObject());
    put_fields(maker, object, &gate_fields, gate);
    cJSON *const arms = put(maker, object, "arms", cJSON_CreateArray());
    for (size_t i = 0; i < gate->n_arms; i++) {
        const struct arm *const arm = &gate->arms[i];
        cJSON *const entry = put(maker, arms, NULL, cJSON_CreateObject());
        put_fields(maker, entry, &arm_fields, arm);
        put_texts(maker, entry, "objects", arm->objects, arm->n_objects);
    }
}

static void put_trials(struct maker *maker, cJSON *parent,
                       const struct comparison *comparison)
{
    cJSON *const trials = put(maker, parent, "trials", cJSON_CreateObject());
    const size_t n = comparison->n_trials;
    double *const column = malloc((n ? n : 1) * sizeof *column);

    maker->failed |= !column;
    for (size_t f = 0; column && f < ARRAY_LEN(trial_table); f++) {
        for (size_t i = 0; i < n; i++) {
            const char *const at =
                (const char *)&comparison->trials[i] + trial_table[f].offset;
            column[i] = trial_table[f].kind == FIELD_U32 ? *(const uint32_t *)at
                                                         : *(const double *)at;
        }
        put_numbers(maker, trials, trial_table[f].name, column, NULL, n);
    }
    free(column);
}

void put_comparison(struct maker *maker, cJSON *parent,
                    const struct comparison *comparison)
{
    if (!comparison) {
        put(maker, parent, "comparison", cJSON_CreateNull());
        return;
    }
    cJSON *const object = put(maker, parent, "comparison", cJSON_CreateObject());
    put_text(maker, object, "verdict", verdict_name(comparison->verdict));
    put_fields(maker, object, &comparison_fields, comparison);
    put_interval(maker, object, "ci", "ci_level", &comparison->change_ci);
    cJSON *const control = put(maker, object, "control", cJSON_CreateObject());
    put_fields(maker, control, &control_fields, comparison);
    put_interval(maker, control, "ci", "ci_level", &comparison->control_ci);
    put_trials(maker, object, comparison);
}

/* ---- reading ---- */

static int add_arm(const struct value *entry, void *context)
{
    const struct value objects = value_member(entry, "objects");
    struct arm *const arm = gate_add_arm(context, "", "");

    if (!arm)
        return value_no_memory(entry);
    const int code = value_fields(entry, &arm_fields, arm);
    return code ? code : value_texts(&objects, &arm->objects, &arm->n_objects);
}

int json_read_gate(const struct value *root, struct run *run)
{
    const struct value object = value_member(root, "gate");
    const struct value arms = value_member(&object, "arms");

    if (value_absent(&object))
        return 0;
    if (!run_gate(run))
        return value_no_memory(root);
    int code = value_fields(&object, &gate_fields, run->gate);
    if (!code)
        code = value_array(&arms);
    return code ? code : value_each(&arms, add_arm, run->gate);
}

static int read_time(const struct value *entry, bool may_be_0, double *ns)
{
    const int code = value_number(entry, ns);

    if (code || *ns > 0 || (may_be_0 && *ns == 0))
        return code;
    return VALUE_FAIL(entry, "expected a number %s", may_be_0 ? "from 0 up" : "above 0");
}

/* The four arrays are walked side by side; the first leads. */
struct trials_reader {
    struct comparison *comparison;
    const struct value *columns; /* in the order of trial_table */
    const cJSON *next[ARRAY_LEN(trial_table)];
};

static int add_trial(const struct value *entry, void *context)
{
    struct trials_reader *const from = context;
    struct value cell[ARRAY_LEN(trial_table)];
    struct trial trial = {0};
    double process = 0;

    cell[0] = *entry;
    for (size_t f = 1; f < ARRAY_LEN(trial_table); f++) {
        if (!from->next[f])
            return VALUE_FAIL(&from->columns[f], "fewer entries than process");
        cell[f] = *entry;
        cell[f].json = from->next[f];
        cell[f].place.parent = &from->columns[f].place;
        from->next[f] = from->next[f]->next;
    }
    int code = value_whole(&cell[0], UINT32_MAX, &process);
    trial.process = (uint32_t)process;
    if (!code)
        code = read_time(&cell[1], false, &trial.base_ns);
    if (!code)
        code = read_time(&cell[2], false, &trial.head_ns);
    if (!code)
        code = read_time(&cell[3], true, &trial.control_ns);
    if (code)
        return code;
    code = comparison_add_trial(from->comparison, &trial);
    if (code == -ENOMEM)
        return value_no_memory(entry);
    return code ? VALUE_FAIL(entry, "processes must ascend") : 0;
}

static int read_trials(const struct value *object, struct comparison *comparison)
{
    const struct value trials = value_member(object, "trials");
    struct value columns[ARRAY_LEN(trial_table)];
    struct trials_reader from = {.comparison = comparison, .columns = columns};
    int code = value_object(&trials);

    for (size_t f = 0; !code && f < ARRAY_LEN(trial_table); f++) {
        columns[f] = value_member(&trials, trial_table[f].name);
        code = value_array(&columns[f]);
        from.next[f] = code ? NULL : columns[f].json->child;
    }
    if (!code)
        code = value_each(&columns[0], add_trial, &from);
    for (size_t f = 1; !code && f < ARRAY_LEN(trial_table); f++)
        if (from.next[f])
            code = VALUE_FAIL(&columns[f], "more entries than process");
    return code;
}

static int read_verdict(const struct value *object, struct comparison *comparison)
{
    const struct value verdict = value_member(object, "verdict");
    const int code = value_want(&verdict, cJSON_IsString(verdict.json), "a string");

    if (!code && verdict_find(verdict.json->valuestring, &comparison->verdict))
        return VALUE_FAIL(&verdict, "unknown verdict");
    return code;
}

int json_read_comparison(const struct value *entry, const struct run *run,
                         struct result *result)
{
    const struct value object = value_member(entry, "comparison");
    const struct value control = value_member(&object, "control");
    struct comparison *comparison;

    if (value_absent(&object))
        return 0;
    if (!run->gate)
        return VALUE_FAIL(&object, "a run without a gate compares nothing");
    comparison = result_comparison(result);
    if (!comparison)
        return value_no_memory(entry);
    int code = value_object(&object);
    if (!code)
        code = read_verdict(&object, comparison);
    if (!code)
        code = value_fields(&object, &comparison_fields, comparison);
    if (!code)
        code = value_interval(&object, "ci", &comparison->change_ci);
    if (!code)
        code = value_fields(&control, &control_fields, comparison);
    if (!code)
        code = value_interval(&control, "ci", &comparison->control_ci);
    return code ? code : read_trials(&object, comparison);
}
