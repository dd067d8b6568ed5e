/* SPDX-License-Identifier: Apache-2.0 */
/* Each case runs once or some times before anything is measured: how long will it take,
 * and what is to be found in that time? */
#include "harness_private.h"

#include <math.h>

enum { PILOTS = 3, PROCESSES_MOST = 64 };
#define PILOT_NS 3000000000LL
/* A user is told of a first look that takes longer than this. */
#define SILENT_NS 10e9
/* Half the width of the interval of a median of P values is about this many of their
 * standard deviations, over the root of P. */
#define WIDTH_DEVIATIONS 2.9
/* Median of the absolute value over the standard deviation, of a normal variable. */
#define MEDIAN_OF_NORMAL 0.6745

struct pilot {
    double *ns;      /* of each case, the last time; NaN: none */
    double *unit_ns; /* of a process of the unit that begins with the case; 0: none ran */
    double *steps;   /* |ln| of one time over the one before */
    size_t n_steps;
    char **told;    /* words of the harness about each case that head skips; or NULL */
    bool told_left; /* how long it will take */
};
/* Times of a round. */
struct cost {
    size_t units, ran;
    double ran_ns,
        all_ns; /* of the units that ran; of all, if the others are like them */
};

/* A case that both builds skip tells nothing about head. */
static void take_words(struct harness_case *entry, const struct reading *reading,
                       int which, char **told)
{
    char text[600];
    entry->threads =
        reading->threads > entry->threads ? reading->threads : entry->threads;
    if (which == SIDE_BASE && !reading->reason)
        string_set(&entry->skips, NULL);
    if ((!reading->told && !reading->no_time) || !reading->reason)
        return;
    if (which == SIDE_HEAD)
        string_set(told, reading->reason);
    if (which != SIDE_BASE || !*told)
        return;
    snprintf(text, sizeof text, "both builds skip it: %.500s",
             reading->no_time ? "they tell no time for it" : reading->reason);
    string_set(&entry->skips, text);
}

static int run_unit(struct harness *harness, size_t first, int which, struct pilot *pilot,
                    struct error *error)
{
    FREED_BY(readings_free) struct readings readings = {.n = 0};
    FREED_BY(slice_free) struct slice slice = {.text = NULL};
    const int64_t begun = clock_now();
    const int status = unit_run(harness, first, which, 0, &readings, &slice, error);
    for (size_t c = first; status == 0 && c < unit_end(harness, first); c++) {
        const struct reading *const reading =
            readings_find(&readings, harness->cases[c].name);
        const double ns = reading->ns;
        take_words(&harness->cases[c], reading, which, &pilot->told[c]);
        if (ns > 0 && pilot->ns[c] > 0 && which == SIDE_BASE)
            pilot->steps[pilot->n_steps++] = fabs(log(ns / pilot->ns[c]));
        if (which == SIDE_BASE)
            pilot->ns[c] = ns;
    }
    pilot->unit_ns[first] = (double)(clock_now() - begun);
    return status;
}

/* A round of all units, those that did not run yet being like the others. */
static struct cost cost_of(const struct harness *harness, const struct pilot *pilot)
{
    struct cost cost = {.units = 0};
    for (size_t c = 0; c < harness->n_cases; c = unit_end(harness, c)) {
        if (!unit_is_compared(harness, c))
            continue;
        cost.units++;
        cost.ran += pilot->unit_ns[c] > 0;
        cost.ran_ns += (double)(SIDES * harness->n_places) * pilot->unit_ns[c];
    }
    cost.all_ns = cost.ran ? cost.ran_ns * (double)cost.units / (double)cost.ran : 0;
    return cost;
}

/* -ETIME: what ran needs more alone. */
static int check_time(const struct harness *harness, const struct cost *cost,
                      struct error *error)
{
    const double time_ns = (double)harness->request.time_ns;
    const size_t n = harness->plan.n_cases;
    if (!harness->request.time_ns || PROCESSES_LEAST * cost->ran_ns <= time_ns)
        return 0;
    return error_set(error, -ETIME,
                     "--time=%.3gs: %zu case%s %s%.3g s, for %d processes of each build "
                     "of %.3g s together; give more time, or fewer cases: --filter=GLOB",
                     time_ns * 1e-9, n, n == 1 ? " needs" : "s need",
                     cost->ran < cost->units ? "about " : "",
                     PROCESSES_LEAST * cost->all_ns * 1e-9, PROCESSES_LEAST,
                     cost->all_ns * 1e-9);
}

/* Many cases take long before their plan is known. */
static int look_ahead(const struct harness *harness, struct pilot *pilot, int64_t spent,
                      struct error *error)
{
    const struct cost cost = cost_of(harness, pilot);
    const double left = (double)(cost.units - cost.ran) / (double)cost.ran;
    if (spent <= PILOT_NS || !cost.ran)
        return 0;
    if (!pilot->told_left && !harness->request.how->quiet &&
        left * (double)spent > SILENT_NS)
        complain("%s: each of %zu cases runs once in both builds first, about %.2g s "
                 "more; --filter=GLOB chooses fewer",
                 harness->plan.name, harness->plan.n_cases, left * (double)spent * 1e-9);
    pilot->told_left = true;
    return check_time(harness, &cost, error);
}

/* The first time brings the files into memory. */
static int run_all(struct harness *harness, struct pilot *pilot, struct error *error)
{
    const int64_t begun = clock_now();
    int status = 0;
    for (int i = 0; i < PILOTS && status == 0; i++) {
        for (size_t c = 0; c < harness->n_cases && status == 0;
             c = unit_end(harness, c)) {
            if (!unit_is_compared(harness, c))
                continue;
            if (i == 0)
                status = run_unit(harness, c, SIDE_HEAD, pilot, error);
            if (status == 0)
                status = run_unit(harness, c, SIDE_BASE, pilot, error)
                             ?: look_ahead(harness, pilot, clock_now() - begun, error);
        }
        if (clock_now() - begun > PILOT_NS)
            break;
    }
    return status;
}

/* The change that is found with so many processes: the threshold, or twice the floor, and
 * half the interval. */
static double detectable(double deviation, double threshold, double processes)
{
    const double width = WIDTH_DEVIATIONS * deviation / sqrt(processes);
    return fmax(threshold, 2 * width) + width;
}

static void plan_processes(const struct harness *harness, double round_ns,
                           struct harness_plan *plan)
{
    const struct harness_request *const request = &harness->request;
    const double most = (double)request->time_ns / round_ns;
    plan->looks = 2;
    plan->processes = request->processes ? request->processes : GATE_PROCESSES;
    if (!request->time_ns)
        return;
    plan->looks = most < 2 * PROCESSES_LEAST ? 1 : 2;
    plan->processes = (uint32_t)fmin(most / plan->looks, PROCESSES_MOST);
}

static int make_plan(struct harness *harness, const struct pilot *pilot,
                     struct error *error)
{
    struct harness_plan *const plan = &harness->plan;
    const struct cost cost = cost_of(harness, pilot);
    const double processes = (double)(SIDES * harness->n_places * cost.units);
    for (size_t c = 0; c < harness->n_cases; c++)
        plan->n_cases -= harness->cases[c].skips != NULL;
    plan_processes(harness, cost.all_ns, plan);
    plan->slice_ns = cost.units ? cost.all_ns / processes : 0;
    plan->places = harness->n_places;
    plan->seconds = plan->processes * cost.all_ns * 1e-9;
    plan->finer_seconds = 4 * plan->seconds;
    plan->detectable = plan->finer = NAN;
    if (pilot->n_steps) {
        const double deviation =
            stats_median(pilot->steps, pilot->n_steps) / MEDIAN_OF_NORMAL;
        const double threshold = harness->request.threshold;
        plan->detectable = detectable(deviation, threshold, plan->processes);
        plan->finer = detectable(deviation, threshold, 4.0 * plan->processes);
    }
    return check_time(harness, &cost, error);
}

int harness_pilot(struct harness *harness, struct error *error)
{
    const size_t n = harness->n_cases + 1;
    struct pilot pilot = {.ns = must_have(calloc(n, sizeof(double))),
                          .unit_ns = must_have(calloc(n, sizeof(double))),
                          .steps = must_have(calloc(n * PILOTS, sizeof(double))),
                          .told = must_have(calloc(n, sizeof(char *)))};
    int status = run_all(harness, &pilot, error) ?: make_plan(harness, &pilot, error);
    for (size_t c = 0; c < n; c++)
        free(pilot.told[c]);
    FREE_EACH(pilot.ns, pilot.unit_ns, pilot.steps, pilot.told);
    return status;
}
