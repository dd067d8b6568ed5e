/* SPDX-License-Identifier: Apache-2.0 */
/* Each case runs once or some times before anything is measured: how long will it take,
 * and what is to be found in that time? */
#include "harness_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { PILOTS = 3, PROCESSES_LEAST = 8, PROCESSES_MOST = 64 };
#define PILOT_NS 3000000000LL
/* Half the width of the interval of a median of P values is about this many of their
 * standard deviations, over the root of P. */
#define WIDTH_DEVIATIONS 2.9
/* Median of the absolute value over the standard deviation, of a normal variable. */
#define MEDIAN_OF_NORMAL 0.6745

struct pilot {
    double *ns;      /* of each case, the last time; NaN: none */
    double *unit_ns; /* of the unit that begins with the case */
    double *steps;   /* |ln| of one time over the one before */
    size_t n_steps;
    char **told; /* words of the harness about each case that head skips; or NULL */
};

/* A case that both builds skip tells nothing about head. */
static void take_words(struct harness_case *entry, const struct reading *reading,
                       int which, char **told)
{
    char text[600];
    entry->threads =
        reading->threads > entry->threads ? reading->threads : entry->threads;
    if (which == SIDE_BASE && !reading->reason)
        must(string_set(&entry->skips, NULL));
    if ((!reading->told && !reading->no_time) || !reading->reason)
        return;
    if (which == SIDE_HEAD)
        must(string_set(told, reading->reason));
    if (which != SIDE_BASE || !*told)
        return;
    snprintf(text, sizeof text, "both builds skip it: %.500s",
             reading->no_time ? "they tell no time for it" : reading->reason);
    must(string_set(&entry->skips, text));
}

static int run_unit(struct harness *harness, size_t first, int which, struct pilot *pilot,
                    struct error *error)
{
    FREED_BY(readings_free) struct readings readings = {.n = 0};
    FREED_BY(slice_free) struct slice slice = {.text = NULL};
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
    pilot->unit_ns[first] = (double)slice.wall_ns;
    return status;
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
                status = run_unit(harness, c, SIDE_BASE, pilot, error);
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

static int plan_processes(const struct harness *harness, double process_ns,
                          struct harness_plan *plan, struct error *error)
{
    const struct harness_request *const request = &harness->request;
    const double time_ns = (double)request->time_ns;
    const double most = time_ns / process_ns;
    plan->looks = 2;
    plan->processes = request->processes ? request->processes : GATE_PROCESSES;
    if (!request->time_ns)
        return 0;
    if (most < PROCESSES_LEAST)
        return error_set(
            error, -ETIME,
            "--time=%.3gs: %zu case%s %.3g s, for %d processes of each "
            "build of %.3g s together; give more time, or fewer cases",
            time_ns * 1e-9, plan->n_cases, plan->n_cases == 1 ? " needs" : "s need",
            PROCESSES_LEAST * process_ns * 1e-9, PROCESSES_LEAST, process_ns * 1e-9);
    plan->looks = most < 2 * PROCESSES_LEAST ? 1 : 2;
    plan->processes = (uint32_t)fmin(most / plan->looks, PROCESSES_MOST);
    return 0;
}

static int make_plan(struct harness *harness, const struct pilot *pilot,
                     struct error *error)
{
    struct harness_plan *const plan = &harness->plan;
    const double processes = (double)(SIDES * harness->n_places);
    size_t units = 0;
    double process_ns = 0;
    for (size_t c = 0; c < harness->n_cases; c = unit_end(harness, c)) {
        if (!unit_is_compared(harness, c))
            continue;
        process_ns += processes * pilot->unit_ns[c];
        units += pilot->unit_ns[c] > 0;
    }
    for (size_t c = 0; c < harness->n_cases; c++)
        plan->n_cases -= harness->cases[c].skips != NULL;
    const int status = plan_processes(harness, process_ns, plan, error);
    plan->slice_ns = units ? process_ns / processes / (double)units : 0;
    plan->places = harness->n_places;
    plan->seconds = plan->processes * process_ns * 1e-9;
    plan->finer_seconds = 4 * plan->seconds;
    plan->detectable = plan->finer = NAN;
    if (pilot->n_steps) {
        const double deviation =
            stats_median(pilot->steps, pilot->n_steps) / MEDIAN_OF_NORMAL;
        const double threshold = harness->request.threshold;
        plan->detectable = detectable(deviation, threshold, plan->processes);
        plan->finer = detectable(deviation, threshold, 4.0 * plan->processes);
    }
    return status;
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
