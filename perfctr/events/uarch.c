/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <strings.h>

#include "proofs.h"
#include "uarch.h"

static const struct uarch uarchs[] = {
    {"generic", "a CPU without tables here", NULL, GENERIC},
    {"skx", "Intel Skylake-X and -SP", "skx", SKX},
    {"clx", "Intel Cascade Lake, Cooper Lake", "clx", CLX},
    {"icx", "Intel Ice Lake-SP", "icx", ICX},
    {"spr", "Intel Sapphire Rapids", "spr", SPR},
    {"emr", "Intel Emerald Rapids", "emr", EMR},
    {"gnr", "Intel Granite Rapids", "gnr", GNR},
    {"adl", "Intel Alder and Raptor Lake, P cores", "adl_glc", ADL},
    {"zen2", "AMD Zen 2", "amd64_fam17h_zen2", ZEN2},
    {"zen3", "AMD Zen 3", "amd64_fam19h_zen3", ZEN3},
    {"zen4", "AMD Zen 4", "amd64_fam19h_zen4", ZEN4},
    {"zen5", "AMD Zen 5", "amd64_fam1ah_zen5", ZEN5},
    {"n1", "Arm Neoverse N1", "arm_n1", N1},
    {"n2", "Arm Neoverse N2", "arm_n2", N2},
    {"v1", "Arm Neoverse V1", "arm_v1", V1},
    {"v2", "Arm Neoverse V2", "arm_v2", V2},
};

/* The family of ARM is that of host.family, 8; its models are part numbers. */
static const struct {
    const char *vendor;
    int family, first, last; /* models */
    int steppings[2];
    uint32_t bit;
} cpus[] = {
    {"GenuineIntel", 6, 85, 85, {0, 4}, SKX},
    {"GenuineIntel", 6, 85, 85, {5, 15}, CLX},
    {"GenuineIntel", 6, 106, 106, {0, 15}, ICX},
    {"GenuineIntel", 6, 108, 108, {0, 15}, ICX},
    {"GenuineIntel", 6, 143, 143, {0, 15}, SPR},
    {"GenuineIntel", 6, 207, 207, {0, 15}, EMR},
    {"GenuineIntel", 6, 173, 174, {0, 15}, GNR},
    {"GenuineIntel", 6, 151, 151, {0, 15}, ADL},
    {"GenuineIntel", 6, 154, 154, {0, 15}, ADL},
    {"GenuineIntel", 6, 183, 183, {0, 15}, ADL},
    {"GenuineIntel", 6, 186, 186, {0, 15}, ADL},
    {"GenuineIntel", 6, 191, 191, {0, 15}, ADL},
    {"AuthenticAMD", 0x17, 0x30, 0xff, {0, 15}, ZEN2},
    {"AuthenticAMD", 0x19, 0x00, 0x0f, {0, 15}, ZEN3},
    {"AuthenticAMD", 0x19, 0x20, 0x5f, {0, 15}, ZEN3},
    {"AuthenticAMD", 0x19, 0x10, 0x1f, {0, 15}, ZEN4},
    {"AuthenticAMD", 0x19, 0x60, 0xaf, {0, 15}, ZEN4},
    {"AuthenticAMD", 0x1a, 0x00, 0x4f, {0, 15}, ZEN5},
    {"AuthenticAMD", 0x1a, 0x60, 0x7f, {0, 15}, ZEN5},
    {"ARM", 8, 0xd0c, 0xd0c, {0, 15}, N1},
    {"ARM", 8, 0xd49, 0xd49, {0, 15}, N2},
    {"ARM", 8, 0xd40, 0xd40, {0, 15}, V1},
    {"ARM", 8, 0xd4f, 0xd4f, {0, 15}, V2},
};

static const struct raw_event {
    uint32_t set;
    const char *name;
    uint64_t config;
    unsigned kind;
} raw_events[] = {
#define RAW(set, name, config, kind) {set, name, config, KIND_##kind},
#include "raw_events.def"
};

size_t uarch_count(void)
{
    return ARRAY_LEN(uarchs);
}

const struct uarch *uarch_get(size_t i)
{
    return &uarchs[i];
}

const struct uarch *uarch_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(uarchs); i++)
        if (!strcasecmp(name, uarchs[i].name) ||
            (uarchs[i].pfm && !strcasecmp(name, uarchs[i].pfm)))
            return &uarchs[i];
    return NULL;
}

const struct uarch *uarch_of(const struct host *host)
{
    uint32_t bit = GENERIC;
    for (size_t i = 0; i < ARRAY_LEN(cpus); i++)
        if (!strcmp(host->vendor, cpus[i].vendor) && host->family == cpus[i].family &&
            host->model >= cpus[i].first && host->model <= cpus[i].last &&
            host->stepping >= cpus[i].steppings[0] &&
            host->stepping <= cpus[i].steppings[1])
            bit = cpus[i].bit;
    size_t i = 0;
    while (uarchs[i].bit != bit)
        i++;
    return &uarchs[i];
}

const struct uarch *uarch_host(void)
{
    static const struct uarch *found;
    if (!found) {
        struct host host = {.family = -1, .model = -1, .stepping = -1};
        host_read_model(&host, "");
        found = uarch_of(&host);
    }
    return found;
}

int uarch_encode(const struct uarch *uarch, const char *name, struct event *event)
{
    *event = (struct event){.type = PERF_TYPE_RAW};
    for (size_t i = 0; i < ARRAY_LEN(raw_events); i++) {
        if (!(raw_events[i].set & uarch->bit) || !event_same(name, raw_events[i].name))
            continue;
        snprintf(event->name, sizeof event->name, "%s", name);
        snprintf(event->string, sizeof event->string, "%s::%s:u", uarch->name,
                 raw_events[i].name);
        event->config = raw_events[i].config;
        event->kind = raw_events[i].kind;
        return 0;
    }
    return -ENOENT;
}

void uarch_each(const struct uarch *uarch, event_each_fn *each, void *context)
{
    for (size_t i = 0; i < ARRAY_LEN(raw_events); i++) {
        char name[2 * EVENT_NAME_SIZE], description[64];
        if (!(raw_events[i].set & uarch->bit))
            continue;
        snprintf(name, sizeof name, "%s::%s", uarch->name, raw_events[i].name);
        snprintf(description, sizeof description, "built-in encoding: r%llx",
                 (unsigned long long)raw_events[i].config);
        each(name, description, context);
    }
}

/* Zen 2 to 4 count more than 15 a cycle, as floating-point operations may be, in two
 * counters side by side. */
unsigned uarch_takes(const struct uarch *uarch, uint64_t config)
{
    enum { SELECT = 0xff, FLOPS = 0x03 };
    const uint64_t select = (config & SELECT) | (config >> 24 & 0xf00);
    return (uarch->bit & (ZEN2 | ZEN3 | ZEN4)) && select == FLOPS ? 2 : 1;
}

unsigned uarch_kind(const struct uarch *uarch, uint64_t config)
{
    for (size_t i = 0; i < ARRAY_LEN(raw_events); i++)
        if ((raw_events[i].set & uarch->bit) && raw_events[i].config == config)
            return raw_events[i].kind;
    return KIND_none;
}
