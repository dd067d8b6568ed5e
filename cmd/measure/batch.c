/* SPDX-License-Identifier: Apache-2.0 */
/* A batch: its reply, the evidence against believing it, and how many calls it should
 * have. */
#include "measure/measure.h"

#include <math.h>

enum { CALIBRATION_TRIES = 40, CALIBRATION_PATIENCE = 30 };
#define CALL_NS_LEAST 1e-3 /* no call is as short as that */

int64_t timeout_with(const struct how *how, double more_ns)
{
    return (int64_t)fmin((double)how->timeout_ns + more_ns,
                         (double)WORKER_TIMEOUT_MAX_NS);
}

enum { SHORT_REGION_NS = 10000 };

struct batch batch_read(cJSON *reply)
{
    struct batch batch = {.reply = reply};
    struct batch_reply *const told = &batch.told;
    batch_reply_read(reply, told);
    const double process_ns = isnan(told->process_ns) ? told->cpu_ns : told->process_ns;
    /* The readings around short regions take as long as these. */
    const bool too_short = told->ns < SHORT_REGION_NS * (double)told->regions;
    const double busy = !isnan(told->threads_busy) ? told->threads_busy
                        : too_short                ? 1
                                                   : process_ns / told->ns;
    batch.ns = told->ns;
    batch.threads = busy < 1.5 ? 1 : (int)lround(fmin(busy, CPUS_MAX));
    /* A caller may wait for its helpers. If a process has several threads, what counts is
     * how long any of them was ready to run and had no CPU. */
    const bool preempted = told->waited_ns < 0 ? told->ns > told->cpu_ns * 1.01
                                               : told->waited_ns > told->ns * 0.01;
    batch.void_ = preempted || told->major_faults > 0 || told->migrated;
    return batch;
}

const char *batch_doubt(const struct batch *batch, uint64_t calls)
{
    return !(batch->ns > 0) ? BATCH_STOPPED
           : batch->ns < CALL_NS_LEAST * (double)calls
               ? "the time of a batch does not grow with its calls"
               : NULL;
}

/* The target must be crossed twice, as one batch may have been slowed down by something
 * else. */
bool calibration_next(struct calibration *calibration, double ns, bool disturbed)
{
    const double calls = (double)calibration->calls;
    calibration->call_ns = ns / calls;
    calibration->tries++;
    if (ns >= calibration->shortest_ns) {
        calibration->crossed += !disturbed || calibration->tries > CALIBRATION_PATIENCE;
    } else {
        const double want = ceil(1.1 * calibration->shortest_ns / calibration->call_ns);
        calibration->calls = (uint64_t)fmin(fmax(want, calls + 1), calls * 100);
    }
    return calibration->crossed < 2 && calibration->tries < CALIBRATION_TRIES;
}

void order_shuffle(int *order, size_t n, uint64_t *random)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)(random_next(random) % i);
        const int keep = order[i - 1];
        order[i - 1] = order[k];
        order[k] = keep;
    }
}

int64_t group_steal(const struct group_state *group)
{
    int64_t sum = 0;
    for (size_t i = 0; i < group->used_cpus; i++)
        sum += cpus_steal(group->session->plan->cpu[i]);
    return sum;
}
