/* SPDX-License-Identifier: Apache-2.0 */
/* One helper thread, which waits for work in a loop for a while and then sleeps. It lives
 * as long as the process. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plants.h"

enum { TURNS = 20000 };

struct part {
    const struct simdbench_operands *operands;
    plants_part *run;
    ptrdiff_t from, to;
};

static struct {
    bool started;
    atomic_uint posted, done; /* how many parts */
    struct part part;
} helper;

static void part_run(const struct part *part)
{
    part->run(part->operands, part->from, part->to);
}

static void *helper_run(void *unused)
{
    for (unsigned done = 0;; helper.done = ++done) {
        for (int turn = 0; helper.posted == done; turn++) {
            __builtin_ia32_pause();
            if (turn > TURNS)
                syscall(SYS_futex, &helper.posted, FUTEX_WAIT_PRIVATE, done, NULL);
        }
        part_run(&helper.part);
    }
    return NULL;
}

void plants_two_threads(const struct simdbench_operands *operands, plants_part *run,
                        ptrdiff_t cut, ptrdiff_t end)
{
    const struct part other = {operands, run, cut, end};
    pthread_t thread;
    if (operands->threads > 1 && !helper.started)
        helper.started = pthread_create(&thread, NULL, helper_run, NULL) == 0;
    const bool shared = operands->threads > 1 && helper.started;
    if (shared) {
        helper.part = other;
        helper.posted++;
        syscall(SYS_futex, &helper.posted, FUTEX_WAKE_PRIVATE, INT_MAX);
    }
    run(operands, 0, cut);
    if (!shared)
        part_run(&other);
    while (shared && helper.done != helper.posted)
        __builtin_ia32_pause();
}

int plants_two_at_most(uint32_t threads)
{
    return threads > 2 ? -ENOTSUP : 0;
}
