/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a case become a part of its result. */
#include "explain_private.h"
#include "library_files.h"

#include <inttypes.h>

enum { LOOPS_SHOWN = 3, MIX_SHOWN = 10 };

static void set(char **where, const char *text)
{
    string_set(where, text);
}

/* ---- what was executed ---- */

/* The first word of an instruction and how often it stands in an iteration. */
struct word {
    char text[24];
    double times;
};

static int more_often(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    return (x->times < y->times) - (x->times > y->times);
}

/* "80 vmaxps  80 vfmadd213ps  40 vbroadcastss" */
static void add_mix(const struct inspect_census *census, const struct inspect_loop *loop,
                    struct explained_loop *to)
{
    struct word words[256];
    size_t n = 0;
    char text[512] = "";
    for (size_t i = loop->line; i < loop->line + loop->n_lines; i++) {
        const struct inspect_line *const line = &census->line[i];
        struct word word = {.times = (double)line->executed / loop->iterations};
        if (!line->text)
            continue;
        snprintf(word.text, sizeof word.text, "%.*s", (int)strcspn(line->text, " "),
                 line->text);
        size_t k = 0;
        while (k < n && strcmp(words[k].text, word.text) != 0)
            k++;
        if (k == ARRAY_LEN(words))
            continue;
        if (k == n)
            words[n++] = (struct word){.times = 0};
        memcpy(words[k].text, word.text, sizeof word.text);
        words[k].times += word.times;
    }
    qsort(words, n, sizeof *words, more_often);
    for (size_t i = 0, at = 0; i < n && i < MIX_SHOWN && at < sizeof text; i++)
        if (words[i].times >= 0.005)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%.3g %s",
                                   i ? "  " : "", words[i].times, words[i].text);
    set(&to->mix, text[0] ? text : NULL);
}

/* "libmix.so audio::mix+0x20" of "libmix.so _ZN5audio3mixEPf+0x20". */
static char *where_written(const char *where)
{
    const char *const begin = where ? strchr(where, ' ') : NULL;
    const char *const end = begin ? strrchr(begin, '+') : NULL;
    FREED_BY(free_memory) char *symbol =
        end ? must_have(strndup(begin + 1, (size_t)(end - begin - 1))) : NULL;
    FREED_BY(free_memory) char *name = symbol ? symbol_written(symbol) : NULL;
    char *text = NULL;
    if (!name)
        return copy_text(where);
    must(asprintf(&text, "%.*s %s%s", (int)(begin - where), where, name, end));
    return text;
}

static void take_loop(const struct inspect_census *census, size_t number, bool all_code,
                      struct explanation *explanation)
{
    const struct inspect_loop *const loop = &census->loop[number];
    FREED_BY(free_memory) char *where = where_written(loop->where);
    struct explained_loop *const to = explanation_add_loop(explanation, where);
    struct inspect_facts facts = {.fact = {{.known = false}}};
    struct inspect_facts of_call = {.fact = {{.known = false}}};
    set(&to->source, loop->source);
    to->share = loop->share;
    to->iterations = loop->iterations;
    to->trips = loop->trips;
    inspect_facts_trace(&of_call, census, NULL);
    inspect_facts_trace(&facts, census, loop);
    for (int f = 0; f < INSPECT_FACTS; f++)
        if (facts.fact[f].known && !of_call.fact[f].known)
            loop_add_count(to, inspect_fact_name(f), facts.fact[f].value);
    add_mix(census, loop, to);
    for (size_t i = loop->line; all_code && i < loop->line + loop->n_lines; i++) {
        const struct inspect_line *const line = &census->line[i];
        struct explained_line *const copy =
            NAMED_ADD(to, lines, n_lines, line->text ? line->text : "?");
        copy->executed = (double)line->executed;
        set(&copy->source, line->source);
        set(&copy->form, line->form);
        copy->throughput = line->form && line->throughput > 0 ? line->throughput : 0;
        copy->latency = line->form && line->latency > 0 ? line->latency : 0;
    }
}

/* The one that facts are about, and some others. */
static void take_loops(const struct inspect_census *census, size_t hot, bool all_code,
                       struct explanation *explanation)
{
    if (hot < census->n_loops)
        take_loop(census, hot, all_code, explanation);
    for (size_t i = 0; i < census->n_loops && i < LOOPS_SHOWN; i++)
        if (i != hot)
            take_loop(census, i, all_code, explanation);
}

/* ---- what follows ---- */

static void take_bounds(const struct inspect_facts *facts,
                        struct explanation *explanation)
{
    const enum inspect_fact limiting = inspect_limiting_bound(facts);
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++) {
        const enum inspect_fact fact = inspect_bound_list[i];
        if (!facts->fact[fact].known && !facts->fact[fact].refuted)
            continue;
        struct explained_bound *const bound =
            explanation_add_bound(explanation, inspect_fact_name(fact));
        set(&bound->text, inspect_fact_text(fact));
        bound->cycles = facts->fact[fact].value;
        bound->limits = fact == limiting;
        bound->refuted = facts->fact[fact].refuted;
    }
}

static void take_evidence(const struct inspect_facts *facts,
                          const struct inspect_evidence *from,
                          struct explained_evidence *to)
{
    set(&to->what, inspect_fact_name(from->fact));
    set(&to->text, inspect_fact_text(from->fact));
    set(&to->unit, inspect_fact_unit(from->fact));
    set(&to->source, inspect_source_name(inspect_fact_source(from->fact)));
    to->value = from->value;
    to->threshold = from->threshold;
    to->at_least = from->at_least;
    if (from->of != INSPECT_FACTS) {
        set(&to->of, inspect_fact_name(from->of));
        to->factor = from->factor;
    }
    if (inspect_fact_source(from->fact) == INSPECT_RATIO)
        to->ci = (struct interval){.known = true,
                                   .lo = facts->fact[from->fact].low,
                                   .hi = facts->fact[from->fact].high,
                                   .level = STATS_LEVEL};
}

/* "its hot loop of 27 bytes begins 44 bytes into a line of 64 and reaches over its end:
 * at 4 it is fastest" */
static void take_placement(const struct subject *subject, struct explained_finding *to)
{
    enum { LINE = 64, FAR = 4096 };
    const struct inspect_census *const census = &subject->trace.census;
    char text[256];
    if (subject->hot_loop >= census->n_loops)
        return;
    const struct inspect_loop *const loop = &census->loop[subject->hot_loop];
    uint64_t end = loop->address;
    for (size_t i = loop->line; i < loop->line + loop->n_lines; i++) {
        const struct inspect_line *const line = &census->line[i];
        if (line->address >= loop->address && line->address < end + FAR)
            end = line->address + line->length;
    }
    const uint64_t bytes = end - loop->address, at = loop->address % LINE;
    const char *const over =
        at + bytes > LINE && bytes <= LINE ? " and reaches over its end" : "";
    snprintf(text, sizeof text,
             "the place of its code costs time: the hot loop of %" PRIu64
             " bytes begins %" PRIu64 " bytes into a line of %d%s; %" PRIu64
             " bytes into one it is fastest",
             bytes, at, LINE, over, (at + subject->best_shift) % LINE);
    set(&to->text, text);
}

static void take_finding(const struct subject *subject,
                         const struct inspect_finding *from,
                         struct explanation *explanation)
{
    const struct inspect_facts *const facts = &subject->facts;
    struct explained_finding *const to =
        explanation_add_finding(explanation, inspect_cause_name(from->cause));
    set(&to->text, inspect_cause_text(from->cause));
    if (from->cause == CAUSE_placement)
        take_placement(subject, to);
    set(&to->confidence, inspect_confidence_name(from->confidence));
    to->share = from->share;
    for (size_t i = 0; i < from->n_evidence; i++)
        take_evidence(facts, &from->evidence[i], finding_add_evidence(to, ""));
    for (size_t i = 0; i < from->n_against; i++)
        take_evidence(facts, &from->against[i], finding_add_against(to, ""));
    set(&to->refute, inspect_cause_refute(from->cause));
    if (from->experiment != INSPECT_FACTS)
        set(&to->experiment, inspect_fact_name(from->experiment));
    if (from->cause == CAUSE_unexplained && explanation_is_whole(explanation))
        set(&to->text,
            "nothing is left to explain: only a smaller bound makes it faster");
    else
        set(&to->remedy, inspect_cause_remedy(from->cause));
}

static void take_findings(const struct subject *subject,
                          const struct inspect_findings *findings,
                          struct explanation *explanation)
{
    const struct inspect_facts *const facts = &subject->facts;
    explanation->residual_cycles = findings->residual_cycles;
    explanation->residual_share = findings->residual_share;
    for (size_t i = 0; i < findings->n; i++)
        take_finding(subject, &findings->finding[i], explanation);
    FOR_EACH (const struct inspect_exclusion, from, findings->excluded,
              findings->n_excluded) {
        struct explained_exclusion *const to = must_have(
            explanation_add_exclusion(explanation, inspect_cause_name(from->cause)));
        to->counter = from->counter;
        take_evidence(facts, &from->why, &to->why);
    }
    FOR_EACH (const struct inspect_unknown, from, findings->unknown,
              findings->n_unknown) {
        struct explained_unknown *const to = must_have(
            NAMED_ADD(explanation, unknown, n_unknown, inspect_cause_name(from->cause)));
        set(&to->missing, inspect_fact_name(from->missing));
        set(&to->why, facts->fact[from->missing].absent);
    }
}

static void take_ratios(const struct experiments *experiments,
                        struct explanation *explanation)
{
    FOR_EACH (const struct experiment, from, experiments->item, experiments->n) {
        const enum inspect_fact fact = inspect_fact_find(from->name);
        struct explained_ratio *const to = explanation_add_ratio(explanation, from->name);
        set(&to->text, fact == INSPECT_FACTS ? NULL : inspect_fact_text(fact));
        set(&to->reaches, from->reaches);
        set(&to->absent, from->absent[0] ? from->absent : NULL);
        to->ratio = from->ratio;
        to->ci = from->ci;
    }
}

void explain_take(const struct subject *subject, bool all_code)
{
    const struct inspect_facts *const facts = &subject->facts;
    struct explanation *const explanation =
        result_explanation(variant_result(&subject->base));
    const struct inspect_census *const census = &subject->trace.census;
    FREED_BY(free_memory) struct inspect_findings *findings =
        must_have(calloc(1, sizeof *findings));
    set(&explanation->not_traced, subject->trace.known ? NULL : subject->trace.absent);
    if (subject->trace.known) {
        take_executed(census, &explanation->executed);
        take_build(census, &variant_result(&subject->base)->code.unoptimised);
        take_loops(census, subject->hot_loop, all_code, explanation);
    }
    explanation->cycles = inspect_fact_value(facts, FACT_cycles);
    take_bounds(facts, explanation);
    inspect_find(facts, findings);
    take_findings(subject, findings, explanation);
    explain_slow(subject, explanation);
    take_ratios(&subject->experiments, explanation);
    explanation->seconds = subject->seconds;
}
