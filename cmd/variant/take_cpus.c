/* SPDX-License-Identifier: Apache-2.0 */
#include "variant/variant.h"

#include <errno.h>
#include <string.h>

int take_cpus(const struct options *options, size_t threads, struct taken_cpus *cpus,
              struct error *error)
{
    int order[CPUS_MAX];
    struct error why;
    const size_t allowed = cpu_order(order);
    const size_t n = options->n_cpu ? options->n_cpu : allowed;
    *cpus = (struct taken_cpus){.n = threads < n && !options->n_cpu ? threads : n,
                                .other_cpu = -1};
    if (options->n_cpu > CPUS_MAX)
        return error_set(error, -EINVAL, "--cpu: more than %d CPUs", CPUS_MAX);
    if (options->n_cpu)
        memcpy(order, options->cpu, n * sizeof *order);
    const int status = options->dry_run
                           ? 0
                           : cpu_lock_take(order, n, cpus->n, options->wait_ns,
                                           options->quiet, &cpus->lock, error);
    memcpy(cpus->cpu, order, cpus->n * sizeof *order);
    if (status < 0 || options->n_cpu || options->dry_run || cpus->n == n)
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
