/* SPDX-License-Identifier: Apache-2.0 */
/* A claim may need something that the machine lacks. */
#include "studies/studies_private.h"

#include <limits.h>
#include <string.h>

struct unmet {
    const char *need, *value; /* "cpus:8", "8" */
    const struct run *run;
    struct need_text *text;
};

__attribute__((format(printf, 2, 3))) static bool lacks(const struct unmet *unmet,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(unmet->text->reason, sizeof unmet->text->reason, format, arguments);
    va_end(arguments);
    return true;
}

static bool lacks_cpus(const struct unmet *unmet)
{
    int cpu[CPUS_MAX];
    const size_t here = cpu_order(cpu);
    return (double)here < study_need_number(unmet->need) &&
           lacks(unmet, "it needs %s CPUs; here are %zu", unmet->value, here);
}

static bool lacks_module(const struct unmet *unmet)
{
    char path[4096];
    struct error error = {.text = ""};
    if (module_find(unmet->value, path, sizeof path, &error) == 0)
        return false;
    /* The folders of this machine do not belong into a report. */
    const char *const folders = strstr(error.text, " (looked in ");
    return lacks(unmet, "%.*s", (int)(folders ? folders - error.text : INT_MAX),
                 error.text);
}

static bool lacks_isa(const struct unmet *unmet)
{
    char why[200];
    return !isa_runs(unmet->value, why, sizeof why) &&
           lacks(unmet, "%.40s: %s", unmet->value, why);
}

static bool lacks_event(const struct unmet *unmet)
{
    struct event event;
    struct error error = {.text = ""};
    if (!unmet->run->pmu_state || strcmp(unmet->run->pmu_state, "ok") != 0) {
        snprintf(unmet->text->type, sizeof unmet->text->type, "simdbench doctor");
        return lacks(unmet, "no hardware counters: %s",
                     unmet->run->pmu_reason ? unmet->run->pmu_reason : "not known why");
    }
    return event_encode(unmet->value, &event, &error) < 0 &&
           lacks(unmet, "%s", error.text);
}

static bool lacks_uarch(const struct unmet *unmet)
{
    const struct uarch *const wanted = uarch_find(unmet->value);
    const struct uarch *const here = uarch_host();
    return (!wanted || strcmp(wanted->name, here->name) != 0) &&
           lacks(unmet, "it needs a CPU of kind %s; here is %s",
                 wanted ? wanted->title : unmet->value, here->title);
}

static bool lacks_memory(const struct unmet *unmet)
{
    const double here = (double)memory_available();
    return here > 0 && here < study_need_number(unmet->need) &&
           lacks(unmet, "it needs %s of memory; %.1f GB are free", unmet->value,
                 here * 1e-9);
}

static bool never(const struct unmet *unmet)
{
    return lacks(unmet, "%s", unmet->value);
}

bool need_unmet(const char *need, const struct run *run, struct need_text *text)
{
    static const struct {
        const char *name;
        bool (*lacks)(const struct unmet *unmet);
    } kinds[] = {{"cpus:", lacks_cpus},   {"module:", lacks_module},
                 {"isa:", lacks_isa},     {"event:", lacks_event},
                 {"uarch:", lacks_uarch}, {"memory:", lacks_memory},
                 {"never:", never}};
    *text = (struct need_text){.reason = ""};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const size_t length = strlen(kinds[i].name);
        const struct unmet unmet = {need, need + length, run, text};
        if (!strncmp(need, kinds[i].name, length))
            return kinds[i].lacks(&unmet);
    }
    return false;
}
