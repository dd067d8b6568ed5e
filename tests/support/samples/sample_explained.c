/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_explained.h"

#define SET(where, text) string_set(&(where), text)

static struct interval interval(double lo, double hi)
{
    return (struct interval){.known = true, .lo = lo, .hi = hi, .level = 0.95};
}

static void set_executed(struct executed *executed)
{
    SET(executed->mode, "whole");
    SET(executed->modules, "97% plants.so, 3% libm.so.6");
    SET(executed->producer, "clang version 19 -O2 -g");
    executed->instructions = 104663;
    executed->steps = 29375;
    executed->seconds = 1.8;
    executed->windows = executed->system_calls = 0;
    executed->threads = 1;
    executed->share_scalar = 0.0123;
    executed->share_sse = 0;
    executed->share_avx = 0.9877;
    executed->share_avx512 = 0;
    executed->share_fma = 0.326;
    executed->widest_bits = 256;
    executed->mixes_sse_avx = true;
}

static void add_loops(struct explanation *why)
{
    static const struct {
        const char *name;
        double value;
    } counts[] = {{"instructions", 245}, {"loads", 64},
                  {"stores", 17},        {"vector_spills", 17},
                  {"calls", 0},          {"branches", 1},
                  {"copies", 40},        {"vector_reloads", 17.25}};
    struct explained_loop *const loop = explanation_add_loop(why, "plants.so tile+0x80");
    need(loop);
    SET(loop->source, "plants.c:49");
    SET(loop->mix, "80 vmaxps  80 vfmadd213ps  40 vbroadcastss");
    loop->share = 0.88;
    loop->iterations = 384;
    loop->trips = 64;
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        loop_add_count(loop, counts[i].name, counts[i].value);
    for (int i = 0; i < 2; i++) {
        struct explained_line *const line = NAMED_ADD(
            loop, lines, n_lines, i ? "jnz 0x80" : "vmaxps ymm11, ymm14, ymm11");
        need(line);
        line->executed = i ? 384 : 768;
        SET(line->source, i ? NULL : "plants.c:50");
    }
    need(explanation_add_loop(why, "jit"));
}

static void add_bounds(struct explanation *why)
{
    static const struct {
        const char *name, *text;
        double cycles;
    } bounds[] = {{"roof_cycles", "the measured roof that the row names", 51.3},
                  {"load_cycles", "loads", 32},
                  {"dispatch_cycles", "all instructions", 40.8},
                  {"store_cycles", "stores", 32},
                  {"calling_cycles", "calls and returns", 0},
                  {"chain_cycles", "the longest dependency", 430}};
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
        struct explained_bound *const bound = explanation_add_bound(why, bounds[i].name);
        need(bound);
        SET(bound->text, bounds[i].text);
        bound->cycles = bounds[i].cycles;
        bound->limits = i == 0;
        bound->refuted = i == ARRAY_LEN(bounds) - 1;
    }
}

static void set_evidence(struct explained_evidence *evidence, const char *unit,
                         double value, double threshold, bool at_least)
{
    need(evidence);
    SET(evidence->text, "what it is");
    SET(evidence->unit, unit);
    SET(evidence->source, "trace");
    evidence->value = value;
    evidence->threshold = threshold;
    evidence->at_least = at_least;
}

static void add_findings(struct explanation *why)
{
    struct explained_finding *finding = explanation_add_finding(why, "tlb");
    need(finding);
    SET(finding->confidence, "flipped");
    SET(finding->text, "accesses change pages more often than the TLBs can hold");
    SET(finding->refute, "pages of 2 MiB must make it faster");
    SET(finding->experiment, "huge_pages");
    SET(finding->remedy, "use huge pages, block by pages, copy tiles into one buffer");
    finding->share = 0.53;
    struct explained_evidence *const flip = finding_add_evidence(finding, "huge_pages");
    set_evidence(flip, "x", 0.47, 0.85, false);
    flip->ci = interval(0.45, 0.49);
    set_evidence(finding_add_against(finding, "page_share"), "of accesses", 0.5, 0.02,
                 false);

    finding = explanation_add_finding(why, "spills");
    need(finding);
    SET(finding->confidence, "structural");
    SET(finding->text, "more vectors are live than there are registers");
    SET(finding->refute, "a smaller tile must make it faster");
    SET(finding->remedy, "a smaller tile");
    struct explained_evidence *evidence = finding_add_evidence(finding, "vector_reloads");
    set_evidence(evidence, "/iteration", 17.25, 0.5, true);
    evidence = finding_add_evidence(finding, "code_cycles");
    set_evidence(evidence, "cycles/iteration", 51.3, 49.26, true);
    SET(evidence->of, "cycles");
    evidence->factor = 0.6;

    finding = explanation_add_finding(why, "unexplained");
    need(finding);
    SET(finding->confidence, "modelled");
    SET(finding->text, "no cause of this list has enough evidence");
}

static void add_others(struct explanation *why)
{
    struct explained_exclusion *exclusion = explanation_add_exclusion(why, "denormals");
    need(exclusion);
    set_evidence(&exclusion->why, "x", 0.99, 0.88, false);
    SET(exclusion->why.what, "flush_denormals");
    exclusion->why.ci = interval(0.98, 1.01);
    exclusion = explanation_add_exclusion(why, "tlb");
    need(exclusion);
    exclusion->counter = true;
    set_evidence(&exclusion->why, "of accesses", 0.01, 0.02, false);
    SET(exclusion->why.what, "page_share");
    exclusion = explanation_add_exclusion(why, "call");
    need(exclusion);
    set_evidence(&exclusion->why, "/iteration", 0, 0.5, true);
    SET(exclusion->why.what, "calls");
    struct explained_unknown *const unknown =
        NAMED_ADD(why, unknown, n_unknown, "line-splits");
    need(unknown);
    SET(unknown->missing, "alignment");
    SET(unknown->why, "the operands of the base are aligned");
    need(NAMED_ADD(why, unknown, n_unknown, "clock"));
}

static void add_ratios(struct explanation *why)
{
    static const struct {
        const char *name, *reaches, *absent;
        double ratio;
    } ratios[] = {{"control", NULL, NULL, 1},
                  {"huge_pages", "operands", NULL, 0.47},
                  {"alignment", "operands", "the operands of the base are aligned", 0}};
    for (size_t i = 0; i < ARRAY_LEN(ratios); i++) {
        struct explained_ratio *const ratio = explanation_add_ratio(why, ratios[i].name);
        need(ratio);
        SET(ratio->text, "what it changes");
        SET(ratio->reaches, ratios[i].reaches);
        SET(ratio->absent, ratios[i].absent);
        if (ratios[i].absent)
            continue;
        ratio->ratio = ratios[i].ratio;
        ratio->ci = interval(ratios[i].ratio - 0.02, ratios[i].ratio + 0.02);
    }
}

static struct account_row *add_row(struct account_rows *rows, const char *name,
                                   const char *unit, double a, double b)
{
    struct account_row *const row = account_add(rows, name, unit, a, b);
    need(row);
    return row;
}

static void add_account(struct run *run)
{
    struct account *const account = account_new(run->results[0].id, run->results[1].id);
    need(account);
    run->account = account;
    struct account_row *row =
        add_row(&account->factors, "time", "ns an operation", 0.01703, 0.009581);
    row->ratio = 1.779;
    row->ci = interval(1.775, 1.782);
    row = add_row(&account->factors, "instructions", "an operation", 0.1809, 0.1996);
    row->exact = true;
    row = add_row(&account->factors, "cycles", "an instruction", 0.3463, 0.176);
    row->ci = interval(1.952, 1.985);
    row = add_row(&account->factors, "1 / clock", "GHz", 3.675, 3.667);
    row->ratio = 0.998;
    add_row(&account->classes, "spills", NULL, 0.25, 0);
    add_row(&account->counters, "branch misses", NULL, 0.0125, 0);
    add_row(&account->counters, "backend stall share", "%", 40, 20);
    row = add_row(&account->conditions, "huge_pages", NULL, 0.47, 1);
    row->a_ci = interval(0.45, 0.49);
    row->b_ci = interval(0.99, 1.01);
    row->ci = interval(0.45, 0.5);
}

struct run *sample_explained(void)
{
    struct run *const run = sample_run_small();
    struct explanation *why = result_explanation(&run->results[0]);
    need(why);
    set_executed(&why->executed);
    add_loops(why);
    add_bounds(why);
    add_findings(why);
    add_others(why);
    add_ratios(why);
    why->cycles = 82.1;
    why->residual_share = 0.38;
    why->residual_cycles = 30.8;
    why->seconds = 3.5;
    why = result_explanation(&run->results[1]);
    need(why);
    SET(why->not_traced, "this CPU has no tracer here");
    add_account(run);
    return run;
}

struct run *sample_explained_hostile(void)
{
    struct run *const run = sample_explained();
    struct explanation *const why = run->results[0].explanation;
    HOSTILE(&why->executed.mode, &why->executed.modules, &why->executed.producer,
            &why->loops[0].where, &why->loops[0].source, &why->loops[0].mix,
            &why->loops[0].counts[0].name, &why->loops[0].lines[0].text,
            &why->loops[0].lines[0].source, &why->bounds[0].name, &why->bounds[0].text,
            &why->excluded[0].cause, &why->excluded[0].why.what, &why->unknown[0].cause,
            &why->unknown[0].missing, &why->unknown[0].why, &why->ratios[0].name,
            &why->ratios[0].reaches, &why->ratios[2].absent);
    for (size_t i = 0; i < why->n_findings; i++)
        HOSTILE(&why->findings[i].cause, &why->findings[i].text,
                &why->findings[i].confidence, &why->findings[i].refute,
                &why->findings[i].experiment, &why->findings[i].remedy);
    struct explained_evidence *const evidence = &why->findings[0].evidence[0];
    HOSTILE(&evidence->what, &evidence->text, &evidence->unit, &evidence->source,
            &evidence->of);
    HOSTILE(&run->results[1].explanation->not_traced, &run->account->a, &run->account->b,
            &run->account->absent, &run->account->factors.row[0].name,
            &run->account->factors.row[0].unit, &run->account->counters.row[0].name,
            &run->account->conditions.row[0].name);
    return run;
}
