/* SPDX-License-Identifier: Apache-2.0 */
/* The licence events of a CPU, and shares of cycles that come from their counts. */
#include <math.h>

#include "license_private.h"

static size_t license_group(void)
{
    size_t g = 0;
    while (strcmp(counter_group_get(g)->name, "license") != 0)
        g++;
    return g;
}

/* The licence that an event of the group counts, -1 if none. */
static int level_of_event(const char *name)
{
    const char *const digit = strpbrk(name, "0123456789");
    return strstr(name, "LICENSE") && digit ? *digit - '0' : -1;
}

/* Encodes cycles and the licence events of that CPU; false and why if it has none. */
static bool encode(const struct uarch *uarch, struct license_counters *counters,
                   struct event events[LICENSE_LEVELS + 1], char *why, size_t size)
{
    const char *names[COUNTER_GROUP_EVENTS];
    const size_t group = license_group();
    const size_t n = counter_group_events(group, uarch, names);
    if (event_encode("cycles", &events[0], NULL) != 0)
        return false;
    for (size_t i = 0; i < n && counters->n < LICENSE_LEVELS; i++) {
        const int level = level_of_event(names[i]);
        if (level < 0 || level >= LICENSE_LEVELS ||
            uarch_encode(uarch, names[i], &events[counters->n + 1]) != 0)
            continue;
        counters->level[counters->n++] = level;
        snprintf(counters->top, sizeof counters->top, "%s", names[i]);
    }
    const char *const note = counter_group_note(group, uarch);
    if (!counters->n)
        snprintf(why, size, "%s", note ? note : "this CPU has no events for them");
    return counters->n > 0;
}

int license_counters_open(const struct uarch *uarch, const struct perf_system *system,
                          struct license_counters *counters, char *why, size_t size,
                          struct error *error)
{
    struct event events[LICENSE_LEVELS + 1];
    struct count count;
    *counters = (struct license_counters){.n = 0};
    if (!encode(uarch, counters, events, why, size))
        return 0;
    const int rc = counters_open(&counters->perf, events, counters->n + 1,
                                 COUNTERS_PINNED, system, error);
    if (rc != 0)
        return rc;
    counters_begin(counters->perf);
    counters_end(counters->perf);
    for (size_t k = 0; k <= counters->n; k++) {
        const bool answered = counters_get(counters->perf, k, &count);
        if (answered && !count.absent[0])
            continue;
        snprintf(why, size, "%.300s",
                 answered ? count.absent : "they do not fit into one group");
        license_counters_close(counters);
        break;
    }
    return 0;
}

void license_counters_close(struct license_counters *counters)
{
    counters_close(counters->perf);
    *counters = (struct license_counters){.n = 0};
}

void license_levels_make(const struct license_counters *counters, size_t rounds,
                         struct license_class *class)
{
    if (!counters || !counters->perf)
        return;
    for (size_t k = 0; k <= (size_t)counters->level[counters->n - 1]; k++)
        class->level[k] = must_have(calloc(rounds, sizeof *class->level[k]));
    class->top_of_cycles = must_have(calloc(rounds, sizeof *class->top_of_cycles));
}

void license_levels_read(const struct license_counters *counters,
                         struct license_class *class, size_t round)
{
    double value[LICENSE_LEVELS + 1], sum = 0, all = 0;
    for (size_t k = 0; k <= counters->n; k++) {
        struct count count = {0};
        const bool counted = counters_get(counters->perf, k, &count) && !count.absent[0];
        value[k] = counted ? (double)count.value : NAN;
        sum += k ? value[k] : 0;
    }
    /* Without an event for licence 0, all other cycles have it. */
    all = counters->level[0] ? fmax(sum, value[0]) : sum;
    if (counters->level[0])
        class->level[0][round] = (all - sum) / all;
    for (size_t k = 0; k < counters->n; k++)
        class->level[counters->level[k]][round] = value[k + 1] / all;
    class->top_of_cycles[round] = value[counters->n] / value[0];
}
