/* SPDX-License-Identifier: Apache-2.0 */
/* Counters beside events of somebody else. */
#include <string.h>

#include <linux/perf_event.h>
#include <unistd.h>

#include "pmu_guest.h"

static const char *const instructions[] = {"instructions"};

/* An event of somebody else on this CPU or, if it is not pinned, in this thread. */
static void strangers_open(int *fd, bool pinned)
{
    for (size_t k = 0; k < MANY; k++) {
        struct perf_event_attr attr = {.size = sizeof attr,
                                       .type = PERF_TYPE_RAW,
                                       .config = 8,
                                       .pinned = pinned,
                                       .exclude_kernel = 1};
        fd[k] = perf_system_linux.open(&attr, pinned ? -1 : 0, pinned ? 0 : -1, -1, 0);
    }
}

static void strangers_close(const int *fd)
{
    for (size_t k = 0; k < MANY; k++)
        close(fd[k]);
}

/* Strangers hold all counters but the one that only counts cycles. */
int strangers(void)
{
    int fd[MANY];
    strangers_open(fd, true);
    struct counters *const counters = open_names(basic, 2, COUNTERS_PINNED);
    CHECK(exact_count(counters, 0, LOOPS));
    CHECK(counters_passes(counters) == 2);
    counters_select(counters, 1);
    region(counters, LOOPS);
    CHECK(absent(counters, 1, "could not hold the group"));
    strangers_close(fd);
    counters_select(counters, 1);
    CHECK(exact_count(counters, 1, LOOPS));
    counters_close(counters);
    return 0;
}

int starved(void)
{
    int fd[MANY];
    struct counters *const counters = open_names(instructions, 1, COUNTERS_MULTIPLEX);
    CHECK(exact_count(counters, 0, LOOPS));
    strangers_open(fd, true);
    usleep(1000); /* the change takes effect at a switch */
    region(counters, 200 * LOOPS);
    CHECK(absent(counters, 0, "none of the time"));
    strangers_close(fd);
    counters_close(counters);
    return 0;
}

/* Takes turns with others: long regions are scaled, short ones refused unless whole. */
int scaled(void)
{
    int fd[MANY];
    const uint64_t turns = 300 * LOOPS;
    struct counters *const counters = open_names(instructions, 1, COUNTERS_MULTIPLEX);
    struct count count;
    size_t refused = 0;
    strangers_open(fd, false);
    region(counters, turns);
    CHECK(near_count(counters, 0, turns));
    for (int k = 0; k < 8; k++) {
        region(counters, 30 * LOOPS);
        CHECK(counters_get(counters, 0, &count));
        refused += strstr(count.absent, "too short to scale") != NULL;
        CHECK(count.absent[0] ? count.value == 0
                              : count.value / 1000 == 60 * LOOPS / 1000);
    }
    CHECK(refused > 0);
    strangers_close(fd);
    counters_close(counters);
    return 0;
}
