/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_model.h"

#include <math.h>

#include "model.h"
#include "text/text.h"

static const struct fields counted_fields =
    FIELDS(FIELD(TEXT, explained_count, name), FIELD(NUMBER, explained_count, value));
static const struct fields line_fields =
    FIELDS(FIELD(TEXT, explained_line, text), FIELD(NAME, explained_line, source),
           FIELD(SPAN, explained_line, executed), FIELD(NAME, explained_line, form),
           FIELD(RATE, explained_line, throughput), FIELD(RATE, explained_line, latency));
static const struct fields loop_fields = FIELDS(
    FIELD(TEXT, explained_loop, where), FIELD(NAME, explained_loop, source),
    FIELD(NAME, explained_loop, mix), FIELD(SPAN, explained_loop, share),
    FIELD(SPAN, explained_loop, iterations), FIELD(SPAN, explained_loop, trips),
    FIELD_LIST_AS("counts", KEYED, explained_loop, counts, n_counts, counted_fields),
    FIELD_LIST_AS("code", LIST, explained_loop, lines, n_lines, line_fields));
static const struct fields bound_fields =
    FIELDS(FIELD(TEXT, explained_bound, name), FIELD(NAME, explained_bound, text),
           FIELD(SPAN, explained_bound, cycles), FIELD(BOOL, explained_bound, limits),
           FIELD(BOOL, explained_bound, refuted));
static const struct fields evidence_fields =
    FIELDS(FIELD(TEXT, explained_evidence, what), FIELD(NAME, explained_evidence, text),
           FIELD(NAME, explained_evidence, unit), FIELD(NAME, explained_evidence, source),
           FIELD(NUMBER, explained_evidence, value),
           FIELD(NUMBER, explained_evidence, threshold),
           FIELD(BOOL, explained_evidence, at_least), FIELD(NAME, explained_evidence, of),
           FIELD(NUMBER, explained_evidence, factor), FIELD(CI, explained_evidence, ci));
static const struct fields ratio_of_fields =
    FIELDS(FIELD(TEXT, explained_ratio, name), FIELD(NAME, explained_ratio, text),
           FIELD(NAME, explained_ratio, reaches), FIELD(NAME, explained_ratio, absent),
           FIELD(SPAN, explained_ratio, ratio), FIELD(CI, explained_ratio, ci));
#define EVIDENCE(name) \
    FIELD_LIST_AS(#name, LIST, explained_finding, name, n_##name, evidence_fields)
static const struct fields finding_fields = FIELDS(
    FIELD(TEXT, explained_finding, cause), FIELD(NAME, explained_finding, text),
    FIELD(TEXT, explained_finding, confidence), FIELD(NUMBER, explained_finding, share),
    FIELD(NAME, explained_finding, refute), FIELD(NAME, explained_finding, experiment),
    FIELD(NAME, explained_finding, remedy), EVIDENCE(evidence), EVIDENCE(against));
static const struct fields exclusion_fields = FIELDS(
    FIELD(TEXT, explained_exclusion, cause), FIELD(BOOL, explained_exclusion, counter),
    FIELD_PART_OF(explained_exclusion, why, evidence_fields));
static const struct fields unknown_fields =
    FIELDS(FIELD(TEXT, explained_unknown, cause), FIELD(NAME, explained_unknown, missing),
           FIELD(NAME, explained_unknown, why));
static const struct fields executed_fields =
    FIELDS(FIELD(TEXT, executed, mode), FIELD(SPAN, executed, instructions),
           FIELD(SPAN, executed, steps), FIELD(SPAN, executed, seconds),
           FIELD(SPAN, executed, windows), FIELD(SPAN, executed, system_calls),
           FIELD(SPAN, executed, threads), FIELD(SPAN, executed, share_scalar),
           FIELD(SPAN, executed, share_sse), FIELD(SPAN, executed, share_avx),
           FIELD(SPAN, executed, share_avx512), FIELD(SPAN, executed, share_fma),
           FIELD(SPAN, executed, widest_bits), FIELD(BOOL, executed, mixes_sse_avx),
           FIELD(NAME, executed, modules), FIELD(NAME, executed, producer));
static const struct fields residual_fields =
    FIELDS(FIELD_AS("cycles", SPAN, explanation, residual_cycles),
           FIELD_AS("share", SPAN, explanation, residual_share));
#define LIST_OF(name, list, fields) \
    FIELD_LIST_AS(name, LIST, explanation, list, n_##list, fields)
const struct fields explanation_findings =
    FIELDS(LIST_OF("findings", findings, finding_fields));
const struct fields explanation_fields =
    FIELDS(FIELD(NAME, explanation, not_traced), FIELD(SPAN, explanation, cycles),
           FIELD(SPAN, explanation, seconds),
           FIELD_PART_AS("executed", KNOWN, explanation, executed, executed_fields),
           LIST_OF("loops", loops, loop_fields), LIST_OF("bounds", bounds, bound_fields),
           LIST_OF("excluded", excluded, exclusion_fields),
           LIST_OF("unknown", unknown, unknown_fields),
           LIST_OF("experiments", ratios, ratio_of_fields),
           FIELD_GROUP("residual", residual_fields));

struct explanation *result_explanation(struct result *result)
{
    struct explanation *const old = result->explanation;
    if (old)
        return old;
    struct explanation *const made = must_have(calloc(1, sizeof *made));
    made->executed = (struct executed){.instructions = NAN,
                                       .steps = NAN,
                                       .seconds = NAN,
                                       .windows = NAN,
                                       .system_calls = NAN,
                                       .threads = NAN,
                                       .share_scalar = NAN,
                                       .share_sse = NAN,
                                       .share_avx = NAN,
                                       .share_avx512 = NAN,
                                       .share_fma = NAN,
                                       .widest_bits = NAN};
    made->cycles = made->residual_cycles = made->residual_share = made->seconds = NAN;
    return result->explanation = made;
}

/* A function that adds an entry, whose numbers are unknown, to a list of its owner. */
#define ADDS(function, entry, owner, list, unknown)                      \
    struct entry *function(struct owner *to, const char *name)           \
    {                                                                    \
        struct entry *const added = NAMED_ADD(to, list, n_##list, name); \
        unknown = NAN;                                                   \
        return added;                                                    \
    }

/* clang-format off */
ADDS(explanation_add_loop, explained_loop, explanation, loops,
     added->share = added->iterations = added->trips)
ADDS(explanation_add_bound, explained_bound, explanation, bounds, added->cycles)
ADDS(explanation_add_finding, explained_finding, explanation, findings, added->share)
ADDS(explanation_add_exclusion, explained_exclusion, explanation, excluded,
     added->why.value = added->why.threshold = added->why.factor)
ADDS(explanation_add_ratio, explained_ratio, explanation, ratios, added->ratio)
ADDS(finding_add_evidence, explained_evidence, explained_finding, evidence,
     added->value = added->threshold = added->factor)
ADDS(finding_add_against, explained_evidence, explained_finding, against,
     added->value = added->threshold = added->factor)
/* clang-format on */

void loop_add_count(struct explained_loop *loop, const char *name, double value)
{
    struct explained_count *const count = NAMED_ADD(loop, counts, n_counts, name);
    count->value = value;
}

double loop_count(const struct explained_loop *loop, const char *name)
{
    for (size_t i = 0; i < loop->n_counts; i++)
        if (text_same(loop->counts[i].name, name))
            return loop->counts[i].value;
    return NAN;
}

const struct explained_ratio *explanation_ratio(const struct explanation *explanation,
                                                const char *name)
{
    FOR_EACH (const struct explained_ratio, ratio, explanation->ratios,
              explanation->n_ratios)
        if (text_same(ratio->name, name))
            return ratio;
    return NULL;
}

void explanation_free(struct explanation *explanation)
{
    if (!explanation)
        return;
    fields_free(&explanation_fields, explanation);
    fields_free(&explanation_findings, explanation);
    free(explanation);
}
