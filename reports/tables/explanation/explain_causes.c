/* SPDX-License-Identifier: Apache-2.0 */
/* Findings, what was excluded, and what nothing explains. */
#include "explain_writer.h"

#include <math.h>

/* Findings beyond the first few are named alone. */
enum { FINDINGS_IN_FULL = 1, FINDINGS_SHOWN = 2 };

/* ---- findings ---- */

static void put_fact(struct writer *to, const struct explained_evidence *evidence)
{
    buffer_tell(&to->text, "%s ", evidence->what ?: "");
    if (text_same(evidence->unit, "x"))
        put_ratio(to, evidence->value, &evidence->ci);
    else
        put_number(to, evidence->value);
}

static void put_evidence(struct writer *to, const struct explained_evidence *evidence)
{
    const char *const unit = evidence->unit ?: "";
    put_fact(to, evidence);
    if (!*unit || text_same(unit, "x"))
        return;
    buffer_tell(&to->text, "%s%s", *unit == '/' ? "" : " ", unit);
}

static void put_threshold(struct writer *to, const char *word,
                          const struct explained_evidence *evidence)
{
    buffer_format(&to->text, " (%s%s ", word,
                  evidence->at_least ? "at least" : "at most");
    put_number(to, evidence->threshold);
    if (evidence->of && isfinite(evidence->factor)) {
        buffer_format(&to->text, ": %.4g x ", evidence->factor);
        buffer_plain(&to->text, evidence->of);
    }
    buffer_add(&to->text, ")");
}

static void evidence_line(struct writer *to, const char *label, const char *word,
                          const struct explained_evidence *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_comma(to, ", ");
        put_evidence(to, &list[i]);
        put_threshold(to, word, &list[i]);
    }
    if (n)
        explain_end(to, label);
}

/* An experiment may be told by evidence alone: the best of several. */
static bool put_experiment(struct writer *to, const struct explanation *why,
                           const struct explained_finding *finding)
{
    const struct explained_ratio *const ratio =
        explanation_ratio(why, finding->experiment);
    FOR_EACH (const struct explained_evidence, evidence, finding->evidence,
              finding->n_evidence)
        if (text_same(evidence->what, finding->experiment)) {
            put_fact(to, evidence);
            return true;
        }
    if (!ratio || ratio->absent)
        return false;
    buffer_tell(&to->text, "%s ", ratio->name);
    put_ratio(to, ratio->ratio, &ratio->ci);
    return true;
}

static void refute_line(struct writer *to, const struct explanation *why,
                        const struct explained_finding *finding)
{
    if (!finding->refute || !*finding->refute)
        return;
    buffer_tell(&to->text, "%s (", finding->refute);
    if (!finding->experiment || !put_experiment(to, why, finding))
        buffer_add(&to->text, "not run");
    buffer_add(&to->text, ")");
    explain_end(to, "  refute");
}

/* The word of a file, in plain words. */
static const char *plain_confidence(const char *word)
{
    return !word                         ? ""
           : !strcmp(word, "flipped")    ? "shown by an experiment"
           : !strcmp(word, "structural") ? "seen in the code"
           : !strcmp(word, "modelled")   ? "calculated"
                                         : word;
}

static bool is_open(const struct explained_finding *finding)
{
    return text_same(finding->cause, "unexplained");
}

static void put_cause(struct writer *to, const struct explained_finding *finding)
{
    buffer_plain(&to->text, finding->cause ?: "");
    if (is_open(finding))
        return;
    buffer_tell(&to->text, " (%s", plain_confidence(finding->confidence));
    if (isfinite(finding->share)) {
        buffer_add(&to->text, ", ");
        put_percent(to, finding->share);
        buffer_add(&to->text, " of the time");
    }
    buffer_add(&to->text, ")");
}

static void finding_lines(struct writer *to, const struct explanation *why, size_t number)
{
    const struct explained_finding *const finding = &why->findings[number];
    buffer_format(&to->text, "%zu. ", number + 1);
    if (!is_open(finding)) {
        put_cause(to, finding);
        buffer_add(&to->text, ": ");
    }
    buffer_plain(&to->text, finding->text ?: "");
    explain_end(to, number == 0 ? "findings" : "");
    evidence_line(to, "  evidence", "", finding->evidence, finding->n_evidence);
    if (number >= FINDINGS_IN_FULL)
        return;
    evidence_line(to, "  against", "not ", finding->against, finding->n_against);
    refute_line(to, why, finding);
    if (finding->remedy) {
        buffer_plain(&to->text, finding->remedy);
        explain_end(to, "  try");
    }
}

static void findings_lines(struct writer *to, const struct explanation *why)
{
    for (size_t i = 0; i < why->n_findings && i < FINDINGS_SHOWN; i++)
        finding_lines(to, why, i);
    for (size_t i = FINDINGS_SHOWN; i < why->n_findings; i++) {
        put_comma(to, ", ");
        put_cause(to, &why->findings[i]);
    }
    if (to->text.length)
        explain_end(to, "  also");
}

/* ---- the rest ---- */

/* The most likely ones are told in full; JSON has the reasons of the others. */
enum { EXCLUDED_IN_FULL = 8 };

/* 0: something speaks against it. 1: it lacks evidence. 2: nothing of it was seen. */
static int exclusion_kind(const struct explained_exclusion *exclusion)
{
    return exclusion->counter ? 0 : exclusion->why.value != 0 ? 1 : 2;
}

static void put_excluded(struct writer *to, const struct explained_exclusion *exclusion,
                         bool in_full, const char *before)
{
    buffer_add(&to->text, to->text.length ? before : before + 2);
    buffer_plain(&to->text, exclusion->cause ?: "");
    if (!in_full)
        return;
    buffer_add(&to->text, exclusion->counter ? ", as " : ": ");
    put_fact(to, &exclusion->why);
}

static void excluded_line(struct writer *to, const struct explanation *why)
{
    const char *between = "; too little: ";
    size_t n = 0;
    for (int kind = 0; kind < 3; kind++) {
        between = kind == 2 ? "; none at all: " : between;
        FOR_EACH (const struct explained_exclusion, exclusion, why->excluded,
                  why->n_excluded) {
            if (exclusion_kind(exclusion) != kind)
                continue;
            const bool in_full = kind < 2 && n++ < EXCLUDED_IN_FULL;
            put_excluded(to, exclusion, in_full, in_full ? "; " : between);
            between = in_full ? between : ", ";
        }
    }
    if (why->n_excluded)
        explain_end(to, "not it");
}

static void unknown_line(struct writer *to, const struct explanation *why)
{
    FOR_EACH (const struct explained_unknown, unknown, why->unknown, why->n_unknown) {
        put_comma(to, "; ");
        buffer_tell(&to->text, "%s (no %s%s%s)", unknown->cause ?: "",
                    unknown->missing ?: "evidence", unknown->why ? ": " : "",
                    unknown->why ?: "");
    }
    if (why->n_unknown)
        explain_end(to, "not known");
}

static void residual_line(struct writer *to, const struct explanation *why)
{
    if (!isfinite(why->residual_share))
        buffer_add(&to->text, "not known: nothing tells how long it has to take");
    else {
        put_percent(to, why->residual_share);
        buffer_add(&to->text, " of the time");
        if (isfinite(why->residual_cycles)) {
            buffer_add(&to->text, ", ");
            put_number(to, why->residual_cycles);
            buffer_add(&to->text, " cycles of an iteration");
        }
        buffer_add(&to->text, ", that nothing here explains");
    }
    explain_end(to, "residual");
}

static bool is_among(const char *name, const struct explained_evidence *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text_same(name, list[i].what))
            return true;
    return false;
}

/* Findings and what is excluded tell of this experiment already. */
static bool is_told(const struct explanation *why, const char *name)
{
    FOR_EACH (const struct explained_finding, finding, why->findings, why->n_findings)
        if (is_among(name, finding->evidence, finding->n_evidence))
            return true;
    FOR_EACH (const struct explained_exclusion, exclusion, why->excluded, why->n_excluded)
        if (is_among(name, &exclusion->why, 1))
            return true;
    return false;
}

/* Less is what processes differ by. */
static bool changes_nothing(const struct explained_ratio *ratio)
{
    return fabs(ratio->ratio - 1) < 0.02;
}

static void ratios_line(struct writer *to, const struct explanation *why)
{
    const char *before = "; no change: ";
    FOR_EACH (const struct explained_ratio, ratio, why->ratios, why->n_ratios) {
        if (ratio->absent || is_told(why, ratio->name) || changes_nothing(ratio))
            continue;
        put_comma(to, ", ");
        buffer_tell(&to->text, "%s ", ratio->name ?: "");
        put_ratio(to, ratio->ratio, &ratio->ci);
    }
    FOR_EACH (const struct explained_ratio, ratio, why->ratios, why->n_ratios) {
        if (ratio->absent || is_told(why, ratio->name) || !changes_nothing(ratio))
            continue;
        buffer_add(&to->text, to->text.length ? before : before + 2);
        buffer_plain(&to->text, ratio->name ?: "");
        before = ", ";
    }
    if (to->text.length)
        explain_end(to, "experiments");
}

static void cost_line(struct writer *to, const struct explanation *why)
{
    if (isfinite(why->executed.seconds)) {
        buffer_format(&to->text, "trace %.1f s, ", why->executed.seconds);
        put_number(to, why->executed.steps);
        buffer_add(&to->text, " steps");
    }
    if (isfinite(why->seconds)) {
        put_comma(to, "; ");
        buffer_format(&to->text, "experiments %.1f s", why->seconds);
    }
    if (to->text.length)
        explain_end(to, "cost");
}

void explain_causes(struct writer *to, const struct explanation *why)
{
    findings_lines(to, why);
    excluded_line(to, why);
    unknown_line(to, why);
    residual_line(to, why);
    ratios_line(to, why);
    cost_line(to, why);
}
