/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <strings.h>

#include "perfctr_private.h"

/* libpfm4 spells out every modifier ("skx::X:Y:e=0:i=0:c=0:u=1:k=0"): those that are off
 * say nothing, and the privilege levels are always the same. */
static void string_shorten(const char *full, char *string, size_t size)
{
    static const char *const dropped[] = {"u=", "k=", "h=", "mg=", "mh=", "hv="};
    const char *const colons = strstr(full, "::");
    size_t n = 0;
    if (colons)
        n = (size_t)snprintf(string, size, "%.*s:", (int)(colons - full) + 1, full);
    for (const char *part = colons ? colons + 2 : full; *part;) {
        const size_t length = strcspn(part, ":");
        const char *const equals = memchr(part, '=', length);
        bool keep = !(equals && part + length == equals + 2 && equals[1] == '0');
        for (size_t k = 0; k < ARRAY_LEN(dropped); k++)
            keep = keep && strncmp(part, dropped[k], strlen(dropped[k])) != 0;
        if (keep && n < size)
            n += (size_t)snprintf(string + n, size - n, "%s%.*s",
                                  part == colons + 2 || part == full ? "" : ":",
                                  (int)length, part);
        part += length + (part[length] == ':');
    }
    if (n < size)
        snprintf(string + n, size - n, ":u");
}

int libpfm_encode(const char *name, struct event *event, struct error *error)
{
    int code = pfm_initialize();
    if (code != PFM_SUCCESS)
        return error_set(error, -ENOENT, "libpfm4: %s", pfm_strerror(code));

    FREED_BY(free_memory) char *full = NULL;
    struct perf_event_attr attr = {.size = 0};
    pfm_perf_encode_arg_t argument = {
        .size = sizeof argument, .attr = &attr, .fstr = &full};
    code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    if (code == PFM_SUCCESS && !attr.exclude_kernel)
        code = invalid(error, "only user space is counted, drop the modifier");
    else if (code == PFM_SUCCESS)
        string_shorten(full, event->string, sizeof event->string);
    else if (code == PFM_ERR_NOTFOUND || code == PFM_ERR_NOTSUPP)
        code = error_set(error, -ENOENT, "no such event on this CPU");
    else if (code == PFM_ERR_UMASK)
        code = invalid(error, "it needs a unit mask (EVENT.UMASK)");
    else if (code == PFM_ERR_ATTR || code == PFM_ERR_ATTR_VAL)
        code = invalid(error, "it has no such unit mask or modifier");
    else
        code = invalid(error, "libpfm4: %s", pfm_strerror(code));
    event->type = attr.type;
    event->config = attr.config;
    event->config1 = attr.config1;
    event->config2 = attr.config2;
    return code;
}

static void event_list(const char *pmu, int index, event_each_fn *each, void *context)
{
    pfm_event_info_t event = {.size = sizeof event};
    /* The kernel's constants repeat what the short names below them say. */
    if (pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS ||
        !strncmp(event.name, "PERF_COUNT_", strlen("PERF_COUNT_")))
        return;

    char name[2 * EVENT_NAME_SIZE];
    bool umasks = false;
    for (int k = 0; k < event.nattrs; k++) {
        pfm_event_attr_info_t umask = {.size = sizeof umask};
        if (pfm_get_event_attr_info(index, k, PFM_OS_NONE, &umask) != PFM_SUCCESS ||
            umask.type != PFM_ATTR_UMASK)
            continue;
        umasks = true;
        snprintf(name, sizeof name, "%s::%s:%s", pmu, event.name, umask.name);
        each(name, umask.desc ? umask.desc : event.desc, context);
    }
    if (!umasks) {
        snprintf(name, sizeof name, "%s::%s", pmu, event.name);
        each(name, event.desc, context);
    }
}

void libpfm_each(const char *only, event_each_fn *each, void *context)
{
    if (pfm_initialize() != PFM_SUCCESS)
        return;
    for (int k = 0; k < PFM_PMU_MAX; k++) {
        pfm_pmu_info_t pmu = {.size = sizeof pmu};
        if (pfm_get_pmu_info((pfm_pmu_t)k, &pmu) != PFM_SUCCESS ||
            (only && strcasecmp(only, pmu.name)) || (!only && !pmu.is_present))
            continue;
        /* Uncore and energy PMUs cannot count for a thread. */
        if (pmu.type != PFM_PMU_TYPE_CORE && strcmp(pmu.name, "perf") != 0)
            continue;
        for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
            event_list(pmu.name, i, each, context);
    }
}

struct search {
    const char *event; /* with its PMU, or without one */
    bool found;
};

static void search_compare(const char *name, const char *description, void *context)
{
    struct search *const search = context;
    search->found |= event_same(search->event, name) ||
                     event_same(search->event, strstr(name, "::") + 2);
}

bool libpfm_foreign(const char *event, char *pmu_name, char *cpu, size_t size)
{
    struct search search = {.event = event};
    for (int k = 0; !search.found && k < PFM_PMU_MAX; k++) {
        pfm_pmu_info_t pmu = {.size = sizeof pmu};
        if (pfm_initialize() != PFM_SUCCESS ||
            pfm_get_pmu_info((pfm_pmu_t)k, &pmu) != PFM_SUCCESS || pmu.is_present)
            continue;
        libpfm_each(pmu.name, search_compare, &search);
        snprintf(pmu_name, size, "%s", pmu.name);
        snprintf(cpu, size, "%s", pmu.desc);
    }
    return search.found;
}

void libpfm_pmu(char *name, size_t size)
{
    name[0] = '\0';
    if (pfm_initialize() != PFM_SUCCESS)
        return;
    for (int k = 0; k < PFM_PMU_MAX && !name[0]; k++) {
        pfm_pmu_info_t pmu = {.size = sizeof pmu};
        /* ix86arch is what all Intel CPUs have in common. */
        if (pfm_get_pmu_info((pfm_pmu_t)k, &pmu) == PFM_SUCCESS && pmu.is_present &&
            pmu.type == PFM_PMU_TYPE_CORE && strcmp(pmu.name, "ix86arch") != 0)
            snprintf(name, size, "%s", pmu.name);
    }
}
