/* SPDX-License-Identifier: Apache-2.0 */
/* A batch: how it is asked for, its reply, and the evidence against believing it. */
#include "measure/measure.h"

#include <math.h>

struct batch batch_read(cJSON *reply)
{
    struct batch batch = {.reply = reply, .ns = message_number(reply, "ns", 0)};
    batch.cpu_ns = message_number(reply, "cpu_ns", 0);
    batch.process_ns = message_number(reply, "process_ns", batch.cpu_ns);
    const double busy =
        message_number(reply, "threads_busy", batch.process_ns / batch.ns);
    batch.threads = busy < 1.5 ? 1 : (int)lround(busy);
    /* A caller may wait for its helpers. Where a process has several threads, what counts
     * is how long any of them was ready to run and had no CPU. */
    const double waited = message_number(reply, "waited_ns", -1);
    const bool preempted =
        waited < 0 ? batch.ns > batch.cpu_ns * 1.01 : waited > batch.ns * 0.01;
    batch.void_ = preempted || message_number(reply, "major_faults", 0) > 0 ||
                  message_true(reply, "migrated");
    return batch;
}

int64_t group_steal(const struct group_state *group)
{
    int64_t sum = 0;
    for (size_t i = 0; i < group->used_cpus; i++)
        sum += cpus_steal(group->session->plan->cpu[i]);
    return sum;
}
