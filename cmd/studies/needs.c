/* SPDX-License-Identifier: Apache-2.0 */
/* A claim may need something that the machine lacks. */
#include "studies/studies_private.h"

#include <limits.h>

#define lacks(check, ...) must(asprintf(&(check)->reason, __VA_ARGS__))

static void find_module(struct study_check *check, const char *name)
{
    char path[4096];
    struct error error = {.text = ""};
    if (module_find(name, path, sizeof path, &error) == 0)
        return;
    /* The folders of this machine do not belong into a report. */
    const char *const folders = strstr(error.text, " (looked in ");
    lacks(check, "%.*s", (int)(folders ? folders - error.text : INT_MAX), error.text);
}

static void find_event(struct study_check *check, const char *name, const struct run *run)
{
    struct event event;
    struct error error = {.text = ""};
    if (!text_same(run->pmu_state, "ok")) {
        string_set(&check->type, "simdbench doctor");
        lacks(check, "no hardware counters: %s", run->pmu_reason ?: "not known why");
    } else if (event_encode(name, &event, &error) < 0) {
        lacks(check, "%s", error.text);
    }
}

/* `need`: "cpus:8" */
static void meet(struct study_check *check, const char *need, const struct run *run)
{
    const char *const colon = strchr(need, ':'), *const value = colon ? colon + 1 : "";
    const double number = study_need_number(need),
                 free_bytes = (double)memory_available();
    const struct uarch *const uarch = uarch_find(value), *const here = uarch_host();
    int cpu[CPUS_MAX];
    const size_t cpus = cpu_order(cpu);
    char why[200];
    if (!strncmp(need, "cpus:", 5) && (double)cpus < number)
        lacks(check, "it needs %s CPUs; here are %zu", value, cpus);
    else if (!strncmp(need, "module:", 7))
        find_module(check, value);
    else if (!strncmp(need, "isa:", 4) && !isa_runs(value, why, sizeof why))
        lacks(check, "%.40s: %s", value, why);
    else if (!strncmp(need, "event:", 6))
        find_event(check, value, run);
    else if (!strncmp(need, "uarch:", 6) && !(uarch && !strcmp(uarch->name, here->name)))
        lacks(check, "it needs a CPU of kind %s; here is %s",
              uarch ? uarch->title : value, here->title);
    else if (!strncmp(need, "memory:", 7) && free_bytes > 0 && free_bytes < number)
        lacks(check, "it needs %s of memory; %.1f GB are free", value, free_bytes * 1e-9);
    else if (!strncmp(need, "never:", 6))
        lacks(check, "%s", value);
}

void meet_needs(struct study_check *check, void *context)
{
    for (size_t i = 0; i < check->n_needs && !check->reason; i++)
        meet(check, check->needs[i], context);
}
