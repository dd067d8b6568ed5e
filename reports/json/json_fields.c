/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "json.h"
#include "json_common.h"
#include "text/text.h"

const struct fields case_fields = FIELDS(
    FIELD(TEXT, result, id), FIELD(SIZE, result, group), FIELD(TEXT, result, op),
    FIELD(TEXT, result, type), FIELD(TEXT, result, isa), FIELD(TEXT, result, variant),
    FIELD(TEXT, result, shape), FIELD(NAME, result, layout), FIELD(INT, result, threads),
    FIELD(INT, result, threads_used), FIELD_AS("module", NAME, result, module.name),
    FIELD_AS("module_version", NAME, result, module.version),
    FIELD_AS("module_core", NAME, result, module.core),
    FIELD_AS("module_isa", NAME, result, module.isa),
    FIELD_AS("input_hash", NAME, result, work.input_hash),
    FIELD_AS("implementation", NAME, result, code.implementation),
    FIELD(NAME, result, unranked),
    FIELD_AS("unoptimised", NAME, result, code.unoptimised), FIELD(NAME, result, source));
const struct fields work_fields = FIELDS(FIELD_AS("ops", SPAN, result, work.ops),
                                         FIELD_AS("bytes", SPAN, result, work.bytes));
const struct fields rung_fields =
    FIELDS(FIELD_AS("level", TEXT, result, work.level),
           FIELD_AS("working_set", SPAN, result, work.working_set));
const struct fields measured_fields =
    FIELDS(FIELD_AS("prepare_ns", SPAN, result, samples.prepare_ns),
           FIELD_AS("iterations", U64, result, samples.iterations),
           FIELD_AS("overhead_ns", SPAN, result, samples.overhead_ns),
           FIELD_AS("voided", U32, result, samples.voided),
           FIELD_AS("shared", BOOL, result, samples.shared),
           FIELD_AS("stopped", NAME, result, samples.stopped),
           FIELD_AS("workspace_bytes", AMOUNT, result, samples.workspace_bytes));
const struct fields accuracy_fields =
    FIELDS(FIELD_AS("max_ulp", SPAN, result, accuracy.max_ulp),
           FIELD_AS("mean_ulp", SPAN, result, accuracy.mean_ulp),
           FIELD_AS("worst_input", NUMBER, result, accuracy.worst_input));
const struct fields summary_fields =
    FIELDS(FIELD_AS("median_ns", SPAN, result, summary.median_ns),
           FIELD_AS("min_ns", SPAN, result, summary.min_ns),
           FIELD_AS("mad_ns", SPAN, result, summary.mad_ns),
           FIELD_AS("ci_ns", CI, result, summary.ci_ns),
           FIELD_AS("ci_reason", NAME, result, summary.ci_reason));
const struct fields rate_fields = FIELDS(FIELD_AS("gops", RATE, result, summary.gops),
                                         FIELD_AS("gbps", RATE, result, summary.gbps));
const struct fields limit_fields =
    FIELDS(FIELD(RATE, limit, gops), FIELD(RATE, limit, gbps), FIELD(RATE, limit, share),
           FIELD(BOOL, limit, too_low), FIELD(BOOL, limit, guessed));
const struct fields ratio_fields =
    FIELDS(FIELD(TEXT, ratio, baseline), FIELD(SPAN, ratio, speedup),
           FIELD(BOOL, ratio, unpaired), FIELD(CI, ratio, ci));
const struct fields ratios_fields = FIELDS(FIELD_LIST_AS(
    "ratios", LIST, result, summary.ratios, summary.n_ratios, ratio_fields));
const struct fields counter_fields =
    FIELDS(FIELD(BOOL, counter, asked), FIELD(NAME, counter, event),
           FIELD(NAME, counter, config), FIELD(NAME, counter, scope));
const struct fields count_fields =
    FIELDS(FIELD(SPAN, counter, value), FIELD(SPAN, counter, per_element),
           FIELD(AMOUNT, counter, overhead), FIELD(SPAN, counter, running_share),
           FIELD(AMOUNT, counter, threads), FIELD(BOOL, counter, user_read));
const struct fields absence_fields =
    FIELDS(FIELD(NAME, counter, fix), FIELD_AS("errno", AMOUNT, counter, code),
           FIELD(NAME, counter, errno_name));
const struct fields proof_fields =
    FIELDS(FIELD(NAME, counter, verdict), FIELD(NAME, counter, doubt),
           FIELD(AMOUNT, counter, voided));
const struct fields metric_fields =
    FIELDS(FIELD(NUMBER, metric, value), FIELD(TEXT, metric, unit),
           FIELD(NAME, metric, formula), FIELD(BOOL, metric, asked));

void json_interval(struct json *json, cJSON *parent, const char *name,
                   const char *level_name, const struct interval *interval)
{
    bool known = interval->known && isfinite(interval->lo) && isfinite(interval->hi);

    if (known)
        json_numbers(json, parent, name, (const double[]){interval->lo, interval->hi},
                     NULL, 2);
    else
        json_null(json, parent, name);
    if (level_name)
        json_number(json, parent, level_name, known ? interval->level : NAN);
}

cJSON *json_maybe(struct json *json, cJSON *parent, const char *name, bool known)
{
    if (known)
        return json_object(json, parent, name);
    json_null(json, parent, name);
    return NULL;
}

static double number_of(enum field_kind kind, const void *at)
{
    switch (kind) {
    case FIELD_INT:
        return *(const int *)at;
    case FIELD_U32:
        return *(const uint32_t *)at;
    case FIELD_U64:
        return (double)*(const uint64_t *)at;
    case FIELD_SIZE:
        return (double)*(const size_t *)at;
    case FIELD_RATE:
        return *(const double *)at != 0 ? *(const double *)at : NAN;
    default:
        return *(const double *)at;
    }
}

static const void *at_offset(const char *base, size_t offset)
{
    return base + offset;
}

static void put_list(struct json *json, cJSON *parent, const struct field *field,
                     const char *base)
{
    cJSON *const list = json_array(json, parent, field->name);
    const char *const first = *(char *const *)at_offset(base, field->offset);
    const size_t n = *(const size_t *)at_offset(base, field->length);

    for (size_t i = 0; i < n; i++)
        json_fields(json, json_object(json, list, NULL), field->inner,
                    first + i * field->size);
}

static void put_counts(struct json *json, cJSON *parent, const struct field *field,
                       const char *base)
{
    cJSON *const object = json_object(json, parent, field->name);
    const struct explained_count *const *const list = at_offset(base, field->offset);
    const size_t n = *(const size_t *)at_offset(base, field->length);

    for (size_t i = 0; i < n; i++)
        json_number(json, object, (*list)[i].name, (*list)[i].value);
}

static void put_field(struct json *json, cJSON *parent, const struct field *field,
                      const char *base)
{
    const void *at = base + field->offset;

    if (field->kind == FIELD_LIST || field->kind == FIELD_LATER)
        put_list(json, parent, field, base);
    else if (field->kind == FIELD_COUNTS)
        put_counts(json, parent, field, base);
    else if (field->kind == FIELD_PART)
        json_fields(json, json_object(json, parent, field->name), field->inner, at);
    else if (field->kind == FIELD_ENDS)
        json_interval(json, parent, field->name, NULL, at);
    else if (field->kind == FIELD_CI || field->kind == FIELD_CHANGE_CI)
        json_interval(json, parent, field->name, "ci_level", at);
    else if (field->kind == FIELD_TEXTS)
        json_texts(json, parent, field->name, *(char *const *const *)at,
                   *(const size_t *)at_offset(base, field->length));
    else if (field->kind == FIELD_TEXT)
        json_text(json, parent, field->name, *(char *const *)at ?: "");
    else if (field->kind == FIELD_NAME)
        json_text(json, parent, field->name, *(char *const *)at);
    else if (field->kind == FIELD_BOOL)
        json_bool(json, parent, field->name, *(const bool *)at);
    else
        json_number(json, parent, field->name, number_of(field->kind, at));
}

void json_fields(struct json *json, cJSON *parent, const struct fields *fields,
                 const void *base)
{
    for (size_t i = 0; i < fields->n; i++)
        put_field(json, parent, &fields->field[i], base);
}
