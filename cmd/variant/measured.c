/* SPDX-License-Identifier: Apache-2.0 */
#include "costs/costs.h"
#include "variant/variant.h"

#include <math.h>
#include <sched.h>

double measured_counter(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->samples.n_counters; i++)
        if (!strcmp(result->samples.counters[i].name, name) &&
            !result->samples.counters[i].absent && !result->samples.counters[i].doubt)
            return result->samples.counters[i].value;
    return NAN;
}

double measured_metric(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->n_metrics; i++)
        if (!strcmp(result->metrics[i].name, name) &&
            !metric_is_doubted(result, &result->metrics[i]))
            return result->metrics[i].value;
    return NAN;
}

double *measured_rates(const int *cpu, size_t n)
{
    double *const rates = must_have(calloc(core_rate_count() + 1, sizeof *rates));
    FREED_BY(free_memory) bool *alone =
        must_have(calloc(core_rate_count() + 1, sizeof *alone));
    struct error error;
    cpu_set_t before;
    struct host host;
    sched_getaffinity(0, sizeof before, &before);
    cpus_pin(cpu, n, &error);
    const int here = sched_getcpu();
    core_rates_measure(rates, alone);
    const bool stayed = sched_getcpu() == here;
    sched_setaffinity(0, sizeof before, &before);
    if (stayed && !clock_script()) {
        host_read(&host, "");
        struct costs *const costs = costs_open(host.fingerprint);
        costs_of_core(costs, here, rates, alone);
        costs_close(costs);
    }
    return rates;
}
