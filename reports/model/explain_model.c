/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "text/text.h"

struct explanation *result_explanation(struct result *result)
{
    struct explanation *const old = result->explanation;
    if (old)
        return old;
    struct explanation *const made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
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

struct explained_loop *explanation_add_loop(struct explanation *explanation,
                                            const char *where)
{
    struct explained_loop *const loop = NAMED_ADD(explanation, loops, n_loops, where);
    if (loop)
        loop->share = loop->iterations = loop->trips = NAN;
    return loop;
}

int loop_add_count(struct explained_loop *loop, const char *name, double value)
{
    struct explained_count *const count = NAMED_ADD(loop, counts, n_counts, name);
    if (!count)
        return -ENOMEM;
    count->value = value;
    return 0;
}

double loop_count(const struct explained_loop *loop, const char *name)
{
    for (size_t i = 0; i < loop->n_counts; i++)
        if (text_same(loop->counts[i].name, name))
            return loop->counts[i].value;
    return NAN;
}

struct explained_line *loop_add_line(struct explained_loop *loop, const char *text)
{
    return NAMED_ADD(loop, lines, n_lines, text);
}

struct explained_bound *explanation_add_bound(struct explanation *explanation,
                                              const char *name)
{
    struct explained_bound *const bound = NAMED_ADD(explanation, bounds, n_bounds, name);
    if (bound)
        bound->cycles = NAN;
    return bound;
}

struct explained_finding *explanation_add_finding(struct explanation *explanation,
                                                  const char *cause)
{
    struct explained_finding *const finding =
        NAMED_ADD(explanation, findings, n_findings, cause);
    if (finding)
        finding->share = NAN;
    return finding;
}

static struct explained_evidence *unknown_evidence(struct explained_evidence *evidence)
{
    if (evidence)
        evidence->value = evidence->threshold = evidence->factor = NAN;
    return evidence;
}

struct explained_evidence *finding_add_evidence(struct explained_finding *finding,
                                                const char *what)
{
    return unknown_evidence(NAMED_ADD(finding, evidence, n_evidence, what));
}

struct explained_evidence *finding_add_against(struct explained_finding *finding,
                                               const char *what)
{
    return unknown_evidence(NAMED_ADD(finding, against, n_against, what));
}

struct explained_exclusion *explanation_add_exclusion(struct explanation *explanation,
                                                      const char *cause)
{
    struct explained_exclusion *const exclusion =
        NAMED_ADD(explanation, excluded, n_excluded, cause);
    if (exclusion)
        unknown_evidence(&exclusion->why);
    return exclusion;
}

struct explained_unknown *explanation_add_unknown(struct explanation *explanation,
                                                  const char *cause)
{
    return NAMED_ADD(explanation, unknown, n_unknown, cause);
}

struct explained_ratio *explanation_add_ratio(struct explanation *explanation,
                                              const char *name)
{
    struct explained_ratio *const ratio = NAMED_ADD(explanation, ratios, n_ratios, name);
    if (ratio)
        ratio->ratio = NAN;
    return ratio;
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

static void evidence_free(const struct explained_evidence *list, size_t n)
{
    FOR_EACH (const struct explained_evidence, evidence, list, n)
        FREE_EACH(evidence->what, evidence->text, evidence->unit, evidence->source,
                  evidence->of);
}

static void loop_free(struct explained_loop *loop)
{
    FREE_EACH(loop->where, loop->source, loop->mix);
    FOR_EACH (struct explained_count, count, loop->counts, loop->n_counts)
        free(count->name);
    FOR_EACH (struct explained_line, line, loop->lines, loop->n_lines)
        FREE_EACH(line->text, line->source, line->form);
    FREE_EACH(loop->counts, loop->lines);
}

static void finding_free(struct explained_finding *finding)
{
    FREE_EACH(finding->cause, finding->text, finding->confidence, finding->refute,
              finding->experiment, finding->remedy);
    evidence_free(finding->evidence, finding->n_evidence);
    evidence_free(finding->against, finding->n_against);
    FREE_EACH(finding->evidence, finding->against);
}

void explanation_free(struct explanation *explanation)
{
    if (!explanation)
        return;
    executed_clear(&explanation->executed);
    free(explanation->not_traced);
    FOR_EACH (struct explained_loop, loop, explanation->loops, explanation->n_loops)
        loop_free(loop);
    FOR_EACH (struct explained_bound, bound, explanation->bounds, explanation->n_bounds)
        FREE_EACH(bound->name, bound->text);
    FOR_EACH (struct explained_finding, finding, explanation->findings,
              explanation->n_findings)
        finding_free(finding);
    FOR_EACH (struct explained_exclusion, exclusion, explanation->excluded,
              explanation->n_excluded) {
        free(exclusion->cause);
        evidence_free(&exclusion->why, 1);
    }
    FOR_EACH (struct explained_unknown, unknown, explanation->unknown,
              explanation->n_unknown)
        FREE_EACH(unknown->cause, unknown->missing, unknown->why);
    FOR_EACH (struct explained_ratio, ratio, explanation->ratios, explanation->n_ratios)
        FREE_EACH(ratio->name, ratio->text, ratio->reaches, ratio->absent);
    FREE_EACH(explanation->loops, explanation->bounds, explanation->findings,
              explanation->excluded, explanation->unknown, explanation->ratios,
              explanation);
}
