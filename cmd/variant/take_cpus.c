/* SPDX-License-Identifier: Apache-2.0 */
#include "variant/variant.h"

static bool is_taken(const struct plan *plan, int cpu)
{
    bool taken = false;
    for (size_t i = 0; i < plan->n_cpu; i++)
        taken |= plan->cpu[i] == cpu;
    return taken;
}

int take_cpus(const struct how *how, uint32_t threads, struct taken_cpus *cpus,
              struct error *error)
{
    int order[CPUS_MAX];
    size_t others = 0;
    struct error why;
    *cpus = (struct taken_cpus){.plan.most_threads = threads, .other_cpu = -1};
    const int status = plan_take_cpus(how, &cpus->plan, error);
    if (status < 0 || how->n_cpu || how->unlocked)
        return status;
    for (size_t i = 0, n = cpu_order(order); i < n; i++)
        if (!is_taken(&cpus->plan, order[i]))
            order[others++] = order[i];
    if (others && cpu_lock_take(order, others, 1, 0, true, &cpus->other, &why) == 0)
        cpus->other_cpu = order[0];
    return 0;
}

void give_cpus_back(struct taken_cpus *cpus)
{
    plan_free(&cpus->plan);
    cpu_lock_free(cpus->other);
}
