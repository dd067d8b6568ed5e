/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all threads: each runs the loop, and the sum is exact. */
#include <pthread.h>
#include <unistd.h>

#include "pmu_guest.h"

enum { HELPERS = 2 };

struct helper {
    pthread_t thread;
    int order[2], done[2]; /* pipes */
};

static void *help(void *context)
{
    struct helper *const helper = context;
    uint64_t turns;
    while (read(helper->order[0], &turns, sizeof turns) == sizeof turns) {
        loop(turns);
        if (write(helper->done[1], &turns, sizeof turns) != sizeof turns)
            break;
    }
    return NULL;
}

/* The caller and its helpers each run the loop. */
static bool crew_region(struct counters *counters, struct helper *helper, uint64_t turns)
{
    volatile uint64_t wanted = turns;
    bool all = true;
    counters_begin(counters);
    for (size_t k = 0; k < HELPERS; k++)
        all = write(helper[k].order[1], &turns, sizeof turns) == sizeof turns && all;
    loop(wanted);
    for (size_t k = 0; k < HELPERS; k++)
        all = read(helper[k].done[0], &turns, sizeof turns) == sizeof turns && all;
    usleep(1000); /* until they wait again: the way there is counted, too */
    counters_end(counters);
    return all;
}

static int crew_count(struct counters *counters, struct helper *helper, size_t i,
                      unsigned threads, uint64_t turns)
{
    struct count count;
    CHECK(crew_region(counters, helper, 1) && counters_get(counters, i, &count));
    CHECK(count.threads == threads && count.running_share == 1);
    const uint64_t empty = value(counters, i);
    CHECK(crew_region(counters, helper, turns + 1));
    CHECK(value(counters, i) - empty == 2 * threads * turns);
    return 0;
}

static int crew_counts(struct counters *counters, struct helper *helper)
{
    CHECK(crew_region(counters, helper, 1)); /* faults in what it touches */
    for (size_t i = 0; i < 2; i++)
        CHECK(crew_count(counters, helper, i, 1, LOOPS) == 0);
    CHECK(counters_follow_threads(counters) == 0);
    for (uint64_t turns = 1000; turns <= 1000000; turns *= 1000) {
        for (size_t i = 0; i < 2; i++) {
            CHECK(crew_count(counters, helper, i, HELPERS + 1, turns) == 0);
            printf("count threads %s %llu %llu\n", basic[i], (unsigned long long)turns,
                   (unsigned long long)value(counters, i));
        }
    }
    return 0;
}

static int crew_scaled(struct helper *helper)
{
    const uint64_t turns = 300 * LOOPS;
    struct counters *const counters = open_names(fourteen, FOURTEEN, COUNTERS_MULTIPLEX);
    CHECK(counters_follow_threads(counters) == 0);
    CHECK(crew_region(counters, helper, turns));
    for (size_t i = 0; i < FOURTEEN; i++)
        CHECK(near_count(counters, i, (HELPERS + 1) * turns));
    counters_close(counters);
    return 0;
}

int all_threads(void)
{
    struct helper helper[HELPERS];
    struct counters *const counters = open_names(basic, 2, COUNTERS_PINNED);
    for (size_t k = 0; k < HELPERS; k++) {
        CHECK(pipe(helper[k].order) == 0 && pipe(helper[k].done) == 0);
        CHECK(pthread_create(&helper[k].thread, NULL, help, &helper[k]) == 0);
    }
    CHECK(crew_counts(counters, helper) == 0);
    counters_select(counters, 1); /* a pass without events: the PMU is free */
    CHECK(crew_scaled(helper) == 0);
    counters_select(counters, 0);
    for (size_t k = 0; k < HELPERS; k++) {
        close(helper[k].order[1]);
        CHECK(pthread_join(helper[k].thread, NULL) == 0);
    }
    CHECK(counters_follow_threads(counters) == 0);
    CHECK(exact_count(counters, 1, LOOPS));
    counters_close(counters);
    return 0;
}
