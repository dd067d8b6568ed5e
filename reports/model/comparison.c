/* SPDX-License-Identifier: Apache-2.0 */
#include "comparison.h"

#include <math.h>

#include "text/text.h"

const struct fields gate_fields = FIELDS(
    FIELD(TEXT, gate, kind), FIELD(NAME, gate, refused), FIELD(AMOUNT, gate, threshold),
    FIELD(BOOL, gate, strict), FIELD(BOOL, gate, own_processes), FIELD(BOOL, gate, code),
    FIELD(BOOL, gate, placement), FIELD(NAME, gate, left_out), FIELD(NAME, gate, lacking),
    FIELD(NAME, gate, selftest), FIELD(NAME, gate, settings), FIELD(NAME, gate, harness),
    FIELD(NAME, gate, functions), FIELD(NAME, gate, remark), FIELD(AMOUNT, gate, seconds),
    FIELD(CHANGE, gate, geomean_change), FIELD(SIZE, gate, regressed),
    FIELD(SIZE, gate, improved), FIELD(SIZE, gate, same), FIELD(SIZE, gate, inconclusive),
    FIELD(SIZE, gate, unusable), FIELD(SIZE, gate, only_one), FIELD(BOOL, gate, equal),
    FIELD(CHANGE, gate, drift), FIELD(SPAN, gate, between),
    FIELD(SPAN, gate, between_alone), FIELD(AMOUNT, gate, controls));
static const struct fields arm_fields =
    FIELDS(FIELD(TEXT, arm, name), FIELD(TEXT, arm, path), FIELD(NAME, arm, build_id),
           FIELD(NAME, arm, version), FIELD(NAME, arm, commit), FIELD(NAME, arm, label),
           FIELD(NAME, arm, started_at), FIELD(NAME, arm, host),
           FIELD_ARRAY("objects", TEXTS, arm, objects, n_objects));
const struct fields gate_arms =
    FIELDS(FIELD_LIST_AS("arms", LIST, gate, arms, n_arms, arm_fields));

static const char *const verdict_names[] = {
    [VERDICT_SAME] = "SAME",           [VERDICT_IMPROVED] = "IMPROVED",
    [VERDICT_REGRESSED] = "REGRESSED", [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    [VERDICT_UNUSABLE] = "UNUSABLE",   [VERDICT_NEW] = "NEW",
    [VERDICT_GONE] = "GONE",           [VERDICT_PLACED] = "PLACED",
};
static const char *const equality_names[] = {"unknown", "same", "nearly", "other"};

NAMES(verdict, verdict, verdict_names)

const struct fields ratio_fields =
    FIELDS(FIELD(TEXT, ratio, baseline), FIELD(SPAN, ratio, speedup),
           FIELD(BOOL, ratio, unpaired), FIELD(CI, ratio, ci));
/* NaN, and 0 of a time, is null or missing. */
static const struct fields placement_fields =
    FIELDS(FIELD(NAME, placement, unmoved), FIELD(BOOL, placement, same_data),
           FIELD(AMOUNT, placement, by_place), FIELD(AMOUNT, placement, instructions),
           FIELD(NAME, placement, where), FIELD(NAME, placement, source),
           FIELD(SPAN, placement, base_offset), FIELD(SPAN, placement, head_offset),
           FIELD(SPAN, placement, base_loop), FIELD(SPAN, placement, head_loop),
           FIELD(RATE, placement, base_ns), FIELD(RATE, placement, head_ns),
           FIELD(CHANGE, placement, change), FIELD(CHANGE, placement, least_change),
           FIELD_WORD_AS("code", WORD, placement, equality, equality_names),
           FIELD_AS("ci", CHANGE_CI, placement, ci));
static const struct fields control_fields =
    FIELDS(FIELD_AS("change", CHANGE, comparison, control_change),
           FIELD_AS("ci", CHANGE_CI, comparison, control_ci));
const struct fields comparison_fields =
    FIELDS(FIELD_WORD_AS("verdict", WORD, comparison, verdict, verdict_names),
           FIELD(NAME, comparison, reason), FIELD(U32, comparison, voided),
           FIELD(RATE, comparison, rounding), FIELD(U32, comparison, processes),
           FIELD(SPAN, comparison, base_ns), FIELD(SPAN, comparison, head_ns),
           FIELD(CHANGE, comparison, change), FIELD(CHANGE, comparison, least_change),
           FIELD(SPAN, comparison, floor), FIELD(SPAN, comparison, delta),
           FIELD(SPAN, comparison, detectable), FIELD(SPAN, comparison, p),
           FIELD(BOOL, comparison, significant), FIELD(SPAN, comparison, base_share),
           FIELD_AS("ci", CHANGE_CI, comparison, change_ci),
           FIELD_GROUP("control", control_fields),
           FIELD_MAYBE_OF(comparison, placement, placement_fields),
           FIELD_MAYBE_OF(comparison, code, code_change_fields),
           FIELD_LIST_AS("base_ratios", LATER, comparison, base_ratios, n_base_ratios,
                         ratio_fields));

struct comparison *result_comparison(struct result *result)
{
    if (result->comparison)
        return result->comparison;
    result->comparison = must_have(calloc(1, sizeof *result->comparison));
    result->comparison->base_share = NAN;
    return result->comparison;
}

struct placement *comparison_placement(struct comparison *comparison)
{
    if (comparison->placement)
        return comparison->placement;
    comparison->placement = must_have(malloc(sizeof *comparison->placement));
    *comparison->placement = (struct placement){.base_offset = NAN,
                                                .head_offset = NAN,
                                                .base_loop = NAN,
                                                .head_loop = NAN,
                                                .change = NAN};
    return comparison->placement;
}

const char *equality_name(enum code_equality equality)
{
    return equality ? equality_names[equality] : NULL;
}

bool comparison_is_moved(const struct comparison *comparison)
{
    return comparison->placement && !comparison->placement->unmoved &&
           comparison->placement->base_ns > 0;
}

struct gate *run_gate(struct run *run)
{
    if (run->gate)
        return run->gate;
    run->gate = must_have(calloc(1, sizeof *run->gate));
    run->gate->drift = run->gate->between = run->gate->between_alone = NAN;
    return run->gate;
}

struct arm *gate_add_arm(struct gate *gate, const char *name, const char *path)
{
    struct arm *const arm = NAMED_ADD(gate, arms, n_arms, name);

    arm->path = copy_text(path);
    return arm;
}

bool result_code_is_worse(const struct result *result)
{
    const struct comparison *const comparison = result->comparison;

    return comparison && comparison->code && comparison->code->verdict == CODE_WORSE;
}

size_t run_code_worse(const struct run *run)
{
    size_t n = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        n += result_code_is_worse(result);
    return n;
}

bool comparison_has_change(const struct comparison *comparison)
{
    return comparison->base_ns > 0 && comparison->head_ns > 0;
}

static bool positive(double ns)
{
    return isfinite(ns) && ns > 0;
}

int comparison_add_trial(struct comparison *comparison, const struct trial *trial)
{
    const size_t n = comparison->n_trials;
    if (!positive(trial->base_ns) || !positive(trial->head_ns) ||
        (trial->control_ns != 0 && !positive(trial->control_ns)) ||
        (trial->built_base_ns != 0 && !positive(trial->built_base_ns)) ||
        (trial->built_head_ns != 0 && !positive(trial->built_head_ns)) ||
        (n && comparison->trials[n - 1].process > trial->process))
        return -EINVAL;
    struct trial *const added = LIST_ADD(comparison, trials, n_trials);
    *added = *trial;
    return 0;
}

void comparison_free(struct comparison *comparison)
{
    if (!comparison)
        return;
    fields_free(&comparison_fields, comparison);
    free(comparison->trials);
    free(comparison);
}

void gate_free(struct gate *gate)
{
    if (!gate)
        return;
    fields_free(&gate_fields, gate);
    fields_free(&gate_arms, gate);
    free(gate);
}
