/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts. Everything happens on logarithms of ratios of times that were taken one right
 * after the other, so that what slows both cancels out. Rounds of a process share its
 * addresses and thus an error that more rounds do not average out; processes are the
 * independent observations.
 */
#include "gate.h"

#include <math.h>

/* A noise floor above this many thresholds makes a case unusable. */
#define FLOOR_LIMIT 2
/* More are hardly worth their time. */
#define PROCESSES_ADVISED 256
enum { ADVICE_MOST = 64 };
/* A change and its interval are only estimates. With this margin, the number of processes
 * that is advised decides five of six cases. */
#define ADVICE_MARGIN 1.5

typedef double value_of(const struct trial *trial);

static double base_time(const struct trial *trial)
{
    return trial->base_ns;
}

static double head_time(const struct trial *trial)
{
    return trial->head_ns;
}

static double built_base_time(const struct trial *trial)
{
    return trial->built_base_ns > 0 ? trial->built_base_ns : NAN;
}

static double built_change(const struct trial *trial)
{
    return trial->built_base_ns > 0 && trial->built_head_ns > 0
               ? log(trial->built_head_ns / trial->built_base_ns)
               : NAN;
}

static double head_change(const struct trial *trial)
{
    return log(trial->head_ns / trial->base_ns);
}

static double control_change(const struct trial *trial)
{
    return trial->control_ns > 0 ? log(trial->control_ns / trial->base_ns) : NAN;
}

/* One value of all rounds, and its median in each process. */
struct view {
    double *rounds, *processes; /* room for all trials each */
    size_t n_rounds, n_processes;
};

static void look(struct view *view, const struct comparison *comparison, value_of *value)
{
    size_t first = 0;

    view->n_rounds = view->n_processes = 0;
    for (size_t i = 0; i < comparison->n_trials; i++) {
        const struct trial *const trial = &comparison->trials[i];
        const double x = value(trial);
        if (!isnan(x))
            view->rounds[view->n_rounds++] = x;
        if (i + 1 < comparison->n_trials && trial[1].process == trial->process)
            continue;
        if (view->n_rounds > first)
            view->processes[view->n_processes++] =
                stats_median(view->rounds + first, view->n_rounds - first);
        first = view->n_rounds;
    }
}

size_t comparison_times(const struct comparison *comparison, bool base, double *ns)
{
    struct view view = {.processes = ns, .rounds = ns + comparison->n_trials};

    look(&view, comparison, base ? base_time : head_time);
    return view.n_processes;
}

static double width(struct interval interval)
{
    return interval.known ? interval.hi - interval.lo : 0;
}

/* Median over processes and the wider of its interval over processes and over rounds. */
static double estimate(const struct view *view, struct interval *interval)
{
    const double level = 1 - GATE_ERROR;
    const double median = stats_median(view->processes, view->n_processes);
    const struct interval pooled =
        stats_median_interval(view->rounds, view->n_rounds, level);

    *interval = stats_median_interval(view->processes, view->n_processes, level);
    if (interval->known && width(pooled) > width(*interval)) {
        *interval = pooled;
        interval->lo = fmin(pooled.lo, median);
        interval->hi = fmax(pooled.hi, median);
    }
    return median;
}

struct interval interval_as_change(struct interval logs)
{
    if (logs.known) {
        logs.lo = expm1(logs.lo);
        logs.hi = expm1(logs.hi);
    }
    return logs;
}

/* Sign test over processes that the change, in the direction of the estimate, does not
 * exceed delta. */
static double sign_test(const struct view *view, double median, double delta)
{
    const double sign = median < 0 ? -1 : 1;
    size_t beyond = 0;

    for (size_t i = 0; i < view->n_processes; i++)
        beyond += sign * view->processes[i] > log1p(delta);
    return stats_sign_p(view->n_processes, beyond);
}

/* The same of the times as built. */
static void derive_placement(const struct comparison *c, struct view *view)
{
    struct placement *const p = c->placement;
    double least_base = INFINITY, least_head = INFINITY;
    struct interval ci;

    p->base_ns = p->head_ns = 0;
    p->change = p->least_change = NAN;
    p->ci = (struct interval){.known = false};
    look(view, c, built_change);
    if (p->unmoved || !view->n_processes)
        return;
    p->change = expm1(estimate(view, &ci));
    p->ci = interval_as_change(ci);
    look(view, c, built_base_time);
    p->base_ns = stats_median(view->processes, view->n_processes);
    p->head_ns = p->base_ns * (1 + p->change);
    for (size_t i = 0; i < c->n_trials; i++) {
        least_base = fmin(least_base, built_base_time(&c->trials[i]));
        least_head = c->trials[i].built_head_ns > 0
                         ? fmin(least_head, c->trials[i].built_head_ns)
                         : least_head;
    }
    p->least_change = least_head / least_base - 1;
}

static void derive(struct comparison *c, struct view *view, double threshold)
{
    struct interval ci;
    double least_base = INFINITY, least_head = INFINITY;

    for (size_t i = 0; i < c->n_trials; i++) {
        least_base = fmin(least_base, c->trials[i].base_ns);
        least_head = fmin(least_head, c->trials[i].head_ns);
    }
    c->least_change = least_head / least_base - 1;
    look(view, c, base_time);
    c->base_ns = stats_median(view->processes, view->n_processes);

    look(view, c, control_change);
    const double control = estimate(view, &ci);
    c->control_change = expm1(control);
    c->control_ci = interval_as_change(ci);
    c->floor = view->n_processes
                   ? fmax(expm1(fmax(width(ci) / 2, fabs(control))), c->rounding)
                   : NAN;
    c->delta = fmax(threshold, 2 * c->floor);

    look(view, c, head_change);
    const double median = estimate(view, &ci);
    c->processes = (uint32_t)view->n_processes;
    c->change = expm1(median);
    c->head_ns = c->base_ns * (1 + c->change);
    c->change_ci = interval_as_change(ci);
    c->detectable = ci.known ? expm1(log1p(c->delta) + width(ci) / 2) : NAN;
    c->p = sign_test(view, median, c->delta);
    if (c->placement)
        derive_placement(c, view);
}

enum verdict comparison_set(struct comparison *c, enum verdict verdict,
                            const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    if (format)
        vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    string_set(&c->reason, format ? text : NULL);
    return c->verdict = verdict;
}

/* Faster by `delta` is as far as slower by `delta`, not 1 - delta. */
static double faster(double delta)
{
    return 1 / (1 + delta) - 1;
}

static bool beyond(struct interval ci, double delta)
{
    return ci.known && (ci.lo > delta || ci.hi < faster(delta));
}

static bool within(struct interval ci, double delta)
{
    return ci.known && ci.lo >= faster(delta) && ci.hi <= delta;
}

/* With how many processes, of which a second look takes twice as many, the interval would
 * lie on one side, and the floor within its limit: both narrow as the root of their
 * number. The step of a clock does not. */
static double processes_to_decide(const struct comparison *c, double threshold)
{
    const double change = fabs(log1p(c->change));
    const double half = ADVICE_MARGIN * fmax(log1p(c->change_ci.hi) - log1p(c->change),
                                             log1p(c->change) - log1p(c->change_ci.lo));
    const double beyond = change - log1p(threshold);
    const double ratio =
        fmax(half / fabs(beyond), beyond > 0 ? (half + 2 * log1p(c->floor)) / change
                                             : c->floor / (FLOOR_LIMIT * threshold));

    return 2 * c->rounding > threshold ? INFINITY
                                       : 16 * ceil(c->processes * ratio * ratio / 32);
}

/* Advice: more processes, or a threshold that has the whole interval. */
static void advise(const struct comparison *c, double processes,
                   char text[static ADVICE_MOST])
{
    const double farther = fmax(c->change_ci.hi, faster(c->change_ci.lo));

    text[0] = '\0';
    if (!c->n_trials)
        return;
    if (processes <= PROCESSES_ADVISED)
        snprintf(text, ADVICE_MOST, "; --processes=%.0f may decide", processes);
    else
        snprintf(text, ADVICE_MOST, "; --threshold=%.1f%% may decide",
                 ceil(1000 * farther) / 10);
}

/* Judges a change whose whole interval lies beyond delta: the shortest trials and Holm's
 * correction have to agree. */
static enum verdict judge_change(struct comparison *c, size_t n_cases)
{
    const bool slower = c->change > 0;
    char advice[ADVICE_MOST] = "";
    const bool witness =
        slower ? c->least_change > c->delta / 2 : c->least_change < faster(c->delta / 2);

    /* A threshold beyond the interval would call the change none. */
    if (c->processes <= PROCESSES_ADVISED)
        advise(c, c->processes, advice);
    if (!witness)
        return comparison_set(c, VERDICT_INCONCLUSIVE,
                              "the shortest trials differ by %+.2f%% only%s",
                              100 * c->least_change, advice);
    if (!c->significant)
        return comparison_set(c, VERDICT_INCONCLUSIVE,
                              "p = %.2g does not hold for %zu cases at once (Holm)%s",
                              c->p, n_cases, advice);
    return comparison_set(c, slower ? VERDICT_REGRESSED : VERDICT_IMPROVED, NULL);
}

/* Marks a case as unusable if its change has no interval or equal code differs too, and
 * returns true then. */
static bool judge_means(struct comparison *c, double threshold)
{
    const bool stored = !c->n_trials;

    if (!c->change_ci.known && stored)
        return comparison_set(c, VERDICT_UNUSABLE, "too few samples for an interval");
    if (!c->change_ci.known)
        return comparison_set(c, VERDICT_UNUSABLE,
                              "%u processes are too few for an interval",
                              (unsigned)c->processes);
    if (!stored && beyond(c->control_ci, threshold))
        return comparison_set(c, VERDICT_UNUSABLE, "a copy of base differs by %+.2f%%",
                              100 * c->control_change);
    return false;
}

static enum verdict judge(struct comparison *c, double threshold, size_t n_cases)
{
    char advice[ADVICE_MOST];

    if (judge_means(c, threshold))
        return c->verdict;
    const double processes = processes_to_decide(c, threshold);
    advise(c, processes, advice);
    if (beyond(c->change_ci, c->delta))
        return judge_change(c, n_cases);
    if (c->floor > FLOOR_LIMIT * threshold)
        return comparison_set(
            c, VERDICT_UNUSABLE,
            "equal code seems to change by %.1f%% here, above %d times the threshold; "
            "with --threshold=%.1f%% changes beyond %.1f%% can be called%s",
            100 * c->floor, FLOOR_LIMIT, ceil(1000 * c->floor / FLOOR_LIMIT) / 10,
            100 * fmax(c->delta, 2 * c->floor),
            processes <= PROCESSES_ADVISED ? advice : "");
    if (within(c->change_ci, c->delta) && beyond(c->change_ci, threshold))
        return comparison_set(c, VERDICT_INCONCLUSIVE,
                              "the interval lies beyond the threshold, but equal code "
                              "seems to change by %.2f%%%s",
                              100 * c->delta / 2, advice);
    if (within(c->change_ci, c->delta))
        return comparison_set(c, VERDICT_SAME, NULL);
    return comparison_set(c, VERDICT_INCONCLUSIVE,
                          "the interval reaches across %s%.2f%%%s",
                          c->change > 0 ? "+" : "-",
                          100 * (c->change > 0 ? c->delta : -faster(c->delta)), advice);
}

struct ranked {
    double p;
    size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *const a = left, *const b = right;

    return (a->p > b->p) - (a->p < b->p);
}

void gate_holm(const double *p, bool *holds, size_t n, double alpha)
{
    FREED_BY(free_memory) struct ranked *order = must_have(calloc(n + 1, sizeof *order));
    bool all = true;

    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){p[i], i};
    qsort(order, n, sizeof *order, compare_ranked);
    for (size_t i = 0; i < n; i++) {
        all = all && order[i].p <= alpha / (double)(n - i);
        holds[order[i].index] = all;
    }
}

bool comparison_is_open(const struct comparison *comparison, double threshold)
{
    if (comparison_is_proven(comparison) && comparison->change_ci.known)
        return false;
    return comparison->verdict == VERDICT_INCONCLUSIVE ||
           (comparison->verdict == VERDICT_UNUSABLE && comparison->n_trials) ||
           ((comparison->verdict == VERDICT_SAME ||
             comparison->verdict == VERDICT_PLACED) &&
            !within(comparison->change_ci, threshold));
}

/* Times of less work than there should be are no change: only the trials remain. */
static void end_suspect(struct result *result)
{
    struct comparison *const c = result->comparison;

    *c = (struct comparison){.trials = c->trials,
                             .n_trials = c->n_trials,
                             .voided = c->voided,
                             .processes = c->processes,
                             .verdict = VERDICT_UNUSABLE,
                             .reason = c->reason,
                             .placement = c->placement,
                             .code = c->code};
    string_set(&c->reason, result->reason);
}

/* The comparisons that have trials; returns their number. */
static size_t collect(struct run *run, struct comparison **list)
{
    size_t n = 0;

    FOR_EACH (struct result, result, run->results, run->n_results) {
        if (!result->comparison || !result->comparison->n_trials)
            continue;
        if (result->status == STATUS_SUSPECT)
            end_suspect(result);
        else
            list[n++] = result->comparison;
    }
    return n;
}

static void derive_all(struct comparison **list, size_t n, double threshold)
{
    for (size_t i = 0; i < n; i++) {
        const size_t rounds = list[i]->n_trials;
        FREED_BY(free_memory) double *room = must_have(malloc(2 * rounds * sizeof *room));
        struct view view = {.rounds = room, .processes = room + rounds};
        derive(list[i], &view, threshold);
    }
}

void comparisons_decide(struct comparison **list, size_t n, double threshold)
{
    FREED_BY(free_memory) double *p = must_have(calloc(n + 1, sizeof *p));
    FREED_BY(free_memory) bool *holds = must_have(calloc(n + 1, sizeof *holds));

    for (size_t i = 0; i < n; i++)
        p[i] = list[i]->p;
    gate_holm(p, holds, n, GATE_ERROR / 2);
    for (size_t i = 0; i < n; i++) {
        list[i]->significant = holds[i];
        judge(list[i], threshold, n);
        judge_as_built(list[i]);
    }
}

void run_judge(struct run *run)
{
    if (!run->gate)
        return;
    FREED_BY(free_memory) struct comparison **list =
        must_have(calloc(run->n_results + 1, sizeof *list));
    const size_t n = collect(run, list);
    derive_all(list, n, run->gate->threshold);
    comparisons_decide(list, n, run->gate->threshold);
    gate_count(run);
}
