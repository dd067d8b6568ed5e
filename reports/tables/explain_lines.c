/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_lines.h"

#include <math.h>

#include "text/text.h"

/* Findings beyond the first few are named alone. */
enum { FINDINGS_IN_FULL = 1, FINDINGS_SHOWN = 2, BOUNDS_SHOWN = 4 };

struct writer {
    struct buffer text;
    explain_paragraph *paragraph;
    void *context;
};

static void end(struct writer *to, const char *label)
{
    to->paragraph(label, buffer_text(&to->text), to->context);
    buffer_clear(&to->text);
}

static void put_number(struct writer *to, double value)
{
    char text[NUMBER_SIZE] = "unknown";
    if (isfinite(value) && fabs(value) >= 10000)
        text_scaled(value, "", text);
    else if (isfinite(value))
        snprintf(text, sizeof text, "%.4g", value);
    buffer_format(&to->text, "%s", text);
}

static void put_percent(struct writer *to, double share)
{
    if (isfinite(share))
        buffer_format(&to->text, "%.*f%%", share < 0.0995 ? 1 : 0, 100 * share);
    else
        buffer_format(&to->text, "unknown");
}

static void put_ratio(struct writer *to, double ratio, const struct interval *ci)
{
    buffer_format(&to->text, "x%.2f", ratio);
    if (ci->known)
        buffer_format(&to->text, " [%.2f, %.2f]", ci->lo, ci->hi);
}

/* Between the parts of a list. */
static void put_comma(struct writer *to, const char *between)
{
    if (to->text.length)
        buffer_add(&to->text, between);
}

/* ---- what executed ---- */

static void put_share(struct writer *to, const char *name, double share)
{
    if (!(share > 0))
        return;
    buffer_add(&to->text, ", ");
    put_percent(to, share);
    buffer_format(&to->text, " %s", name);
}

static void executed_lines(struct writer *to, const struct explanation *why)
{
    const struct executed *const executed = &why->executed;
    if (!executed->mode) {
        buffer_add(&to->text, "not known: ");
        buffer_plain(&to->text, why->not_traced ?: "the call was not traced");
        end(to, "executed");
        return;
    }
    put_number(to, executed->instructions);
    buffer_add(&to->text, executed_whole(executed)
                              ? " instructions, the whole call"
                              : " instructions in random windows, not the whole call");
    if (executed->widest_bits > 0)
        buffer_format(&to->text, ", at most %.0f bit", executed->widest_bits);
    put_share(to, "scalar", executed->share_scalar);
    put_share(to, "sse", executed->share_sse);
    put_share(to, "avx", executed->share_avx);
    put_share(to, "avx512", executed->share_avx512);
    put_share(to, "fma", executed->share_fma);
    if (executed->mixes_sse_avx)
        buffer_add(&to->text, ", SSE mixed into AVX");
    if (executed->modules) {
        buffer_add(&to->text, "; ");
        buffer_plain(&to->text, executed->modules);
    }
    end(to, "executed");
}

/* ---- the hot loop ---- */

static void put_counts(struct writer *to, const struct explained_loop *loop)
{
    static const struct {
        const char *name, *text;
    } shown[] = {
        {"loads", "loads"},
        {"stores", "stores"},
        {"vector_spills", "spills"},
        {"vector_reloads", "reloads"},
        {"calls", "calls"},
        {"branches", "branches"},
        {"copies", "copies"},
        {"line_splits", "line splits"},
        {"failed_forwards", "failed forwards"},
        {"page_changes", "page changes"},
        {"scalar_stack", "scalar stack accesses"},
    };
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        const double value = loop_count(loop, shown[i].name);
        if (!isfinite(value))
            continue;
        put_comma(to, ", ");
        buffer_format(&to->text, "%s ", shown[i].text);
        put_number(to, value);
    }
}

static void loop_lines(struct writer *to, const struct explained_loop *loop)
{
    put_percent(to, loop->share);
    buffer_add(&to->text, " of all instructions; ");
    put_number(to, loop_count(loop, "instructions"));
    buffer_add(&to->text, " an iteration");
    if (loop->trips > 0) {
        buffer_add(&to->text, ", ");
        put_number(to, loop->trips);
        buffer_add(&to->text, " iterations in a row");
    }
    buffer_add(&to->text, "; ");
    buffer_plain(&to->text, loop->where ?: "");
    if (loop->source) {
        buffer_add(&to->text, ", ");
        buffer_plain(&to->text, loop->source);
    }
    end(to, "hot loop");
    put_counts(to, loop);
    if (to->text.length)
        end(to, "");
    if (loop->mix) {
        buffer_plain(&to->text, loop->mix);
        end(to, "");
    }
    double most = 0;
    FOR_EACH (const struct explained_line, line, loop->lines, loop->n_lines)
        most = fmax(most, line->executed);
    FOR_EACH (const struct explained_line, line, loop->lines, loop->n_lines) {
        buffer_format(&to->text, "%3.0f%%  ", most > 0 ? 100 * line->executed / most : 0);
        buffer_plain(&to->text, line->text ?: "");
        buffer_add(&to->text, line->source ? "  ; " : "");
        buffer_plain(&to->text, line->source ?: "");
        end(to, "");
    }
}

/* ---- bounds ---- */

/* The largest first. */
static const struct explained_bound *next_bound(const struct explanation *why,
                                                const struct explained_bound *last)
{
    const struct explained_bound *next = NULL;
    FOR_EACH (const struct explained_bound, bound, why->bounds, why->n_bounds) {
        const bool later =
            !last || bound->cycles < last->cycles ||
            (bound->cycles == last->cycles && bound > last); /* NaN is never later */
        if (later && bound->cycles > 0 && (!next || bound->cycles > next->cycles))
            next = bound;
    }
    return next;
}

static void bound_lines(struct writer *to, const struct explanation *why)
{
    const struct explained_bound *bound = next_bound(why, NULL);
    if (!bound)
        return;
    buffer_add(&to->text, "cycles of an iteration");
    if (isfinite(why->cycles)) {
        buffer_add(&to->text, "; measured: ");
        put_number(to, why->cycles);
    }
    end(to, "bounds");
    for (int i = 0; bound && i < BOUNDS_SHOWN; i++, bound = next_bound(why, bound)) {
        char name[NUMBER_SIZE];
        text_plain(bound->name, name, sizeof name);
        buffer_format(&to->text, "%8.4g  ", bound->cycles);
        if (why->cycles > 0)
            buffer_format(&to->text, "%3.0f%%  ", 100 * bound->cycles / why->cycles);
        buffer_format(&to->text, "%s: ", name);
        buffer_plain(&to->text, bound->text ?: "");
        buffer_add(&to->text, bound->limits ? "  (limits)" : "");
        end(to, "");
    }
}

/* ---- findings ---- */

static void put_fact(struct writer *to, const struct explained_evidence *evidence)
{
    buffer_plain(&to->text, evidence->what ?: "");
    buffer_add(&to->text, " ");
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
    buffer_add(&to->text, *unit == '/' ? "" : " ");
    buffer_plain(&to->text, unit);
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
        end(to, label);
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
    buffer_plain(&to->text, ratio->name);
    buffer_add(&to->text, " ");
    put_ratio(to, ratio->ratio, &ratio->ci);
    return true;
}

static void refute_line(struct writer *to, const struct explanation *why,
                        const struct explained_finding *finding)
{
    if (!finding->refute || !*finding->refute)
        return;
    buffer_plain(&to->text, finding->refute);
    buffer_add(&to->text, " (");
    if (!finding->experiment || !put_experiment(to, why, finding))
        buffer_add(&to->text, "not run");
    buffer_add(&to->text, ")");
    end(to, "  refute");
}

static void put_cause(struct writer *to, const struct explained_finding *finding)
{
    buffer_plain(&to->text, finding->cause ?: "");
    buffer_add(&to->text, " (");
    buffer_plain(&to->text, finding->confidence ?: "");
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
    put_cause(to, finding);
    buffer_add(&to->text, ": ");
    buffer_plain(&to->text, finding->text ?: "");
    end(to, number == 0 ? "findings" : "");
    evidence_line(to, "  evidence", "", finding->evidence, finding->n_evidence);
    if (number >= FINDINGS_IN_FULL)
        return;
    evidence_line(to, "  against", "not ", finding->against, finding->n_against);
    refute_line(to, why, finding);
    if (finding->remedy) {
        buffer_plain(&to->text, finding->remedy);
        end(to, "  try");
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
        end(to, "  also");
}

/* ---- the rest ---- */

/* Nothing of what it needs was seen. */
static bool is_none(const struct explained_exclusion *exclusion)
{
    return !exclusion->counter && exclusion->why.value == 0;
}

static void excluded_line(struct writer *to, const struct explanation *why)
{
    const char *before = "; none at all: ";
    FOR_EACH (const struct explained_exclusion, exclusion, why->excluded,
              why->n_excluded) {
        if (is_none(exclusion))
            continue;
        put_comma(to, "; ");
        buffer_plain(&to->text, exclusion->cause ?: "");
        buffer_add(&to->text, exclusion->counter ? ", as " : ": ");
        put_fact(to, &exclusion->why);
    }
    FOR_EACH (const struct explained_exclusion, exclusion, why->excluded,
              why->n_excluded) {
        if (!is_none(exclusion))
            continue;
        buffer_add(&to->text, to->text.length ? before : before + 2);
        buffer_plain(&to->text, exclusion->cause ?: "");
        before = ", ";
    }
    if (why->n_excluded)
        end(to, "not it");
}

static void unknown_line(struct writer *to, const struct explanation *why)
{
    FOR_EACH (const struct explained_unknown, unknown, why->unknown, why->n_unknown) {
        put_comma(to, "; ");
        buffer_plain(&to->text, unknown->cause ?: "");
        buffer_add(&to->text, " (no ");
        buffer_plain(&to->text, unknown->missing ?: "evidence");
        buffer_add(&to->text, unknown->why ? ": " : "");
        buffer_plain(&to->text, unknown->why ?: "");
        buffer_add(&to->text, ")");
    }
    if (why->n_unknown)
        end(to, "not known");
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
    end(to, "residual");
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
        buffer_plain(&to->text, ratio->name ?: "");
        buffer_add(&to->text, " ");
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
        end(to, "experiments");
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
        end(to, "cost");
}

void explain_lines(const struct result *result, explain_paragraph *paragraph,
                   void *context)
{
    const struct explanation *const why = result->explanation;
    struct writer to = {.paragraph = paragraph, .context = context};
    executed_lines(&to, why);
    if (why->n_loops)
        loop_lines(&to, &why->loops[0]);
    bound_lines(&to, why);
    findings_lines(&to, why);
    excluded_line(&to, why);
    unknown_line(&to, why);
    residual_line(&to, why);
    ratios_line(&to, why);
    cost_line(&to, why);
    buffer_free(&to.text);
}
