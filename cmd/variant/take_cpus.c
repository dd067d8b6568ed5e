/* SPDX-License-Identifier: Apache-2.0 */
#include "variant/variant.h"

#include <errno.h>
#include <string.h>

int take_cpus(const struct how *how, size_t threads, struct taken_cpus *cpus,
              struct error *error)
{
    int order[CPUS_MAX];
    struct error why;
    const size_t allowed = cpu_order(order);
    const size_t n = how->n_cpu ? how->n_cpu : allowed;
    *cpus = (struct taken_cpus){.n = threads < n && !how->n_cpu ? threads : n,
                                .other_cpu = -1};
    if (how->n_cpu > CPUS_MAX)
        return invalid(error, "--cpu: more than %d CPUs", CPUS_MAX);
    if (how->n_cpu)
        memcpy(order, how->cpu, n * sizeof *order);
    const int status = how->unlocked ? 0
                                     : cpu_lock_take(order, n, cpus->n, how->wait_ns,
                                                     how->quiet, &cpus->lock, error);
    memcpy(cpus->cpu, order, cpus->n * sizeof *order);
    if (status < 0 || how->n_cpu || how->unlocked || cpus->n == n)
        return status;
    if (cpu_lock_take(order + cpus->n, n - cpus->n, 1, 0, true, &cpus->other, &why) == 0)
        cpus->other_cpu = order[cpus->n];
    return 0;
}

void give_cpus_back(struct taken_cpus *cpus)
{
    cpu_lock_free(cpus->lock);
    cpu_lock_free(cpus->other);
}
