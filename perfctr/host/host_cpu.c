/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <limits.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#include "perfctr_private.h"

/* Returns the value of "key   : value", or NULL if the line has another key. */
static const char *value_of(const char *text, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(text, key, length) != 0)
        return NULL;
    const char *value = text + length;
    value += strspn(value, " \t");
    if (*value != ':')
        return NULL;
    value++;
    return value + strspn(value, " \t");
}

static void set_text(char *text, size_t size, const char *value)
{
    if (value && !text[0])
        snprintf(text, size, "%s", value);
}

static void set_number(int *number, const char *value)
{
    if (value && *number < 0)
        *number = (int)strtol(value, NULL, 0);
}

/* ARM cores have numbers where x86 has names. */
static const struct {
    int part;
    const char *name;
} arm_parts[] = {
    {0xd03, "Cortex-A53"},  {0xd07, "Cortex-A57"},  {0xd08, "Cortex-A72"},
    {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse-N1"}, {0xd40, "Neoverse-V1"},
    {0xd49, "Neoverse-N2"}, {0xd4f, "Neoverse-V2"},
};

static void read_arm_line(struct host *host, const char *text)
{
    const char *const implementer = value_of(text, "CPU implementer");
    const char *const part = value_of(text, "CPU part");
    set_number(&host->stepping, value_of(text, "CPU revision"));
    set_number(&host->family, value_of(text, "CPU architecture"));
    if (implementer && strtol(implementer, NULL, 16) == 0x41)
        set_text(host->vendor, sizeof host->vendor, "ARM");
    else
        set_text(host->vendor, sizeof host->vendor, implementer);
    if (!part)
        return;
    set_number(&host->model, part);
    if (!strcmp(host->vendor, "ARM"))
        for (size_t k = 0; k < ARRAY_LEN(arm_parts); k++)
            if (arm_parts[k].part == host->model)
                set_text(host->cpu, sizeof host->cpu, arm_parts[k].name);
    char name[96];
    snprintf(name, sizeof name, "%s part %.40s", host->vendor, part);
    set_text(host->cpu, sizeof host->cpu, name);
}

static bool cpuinfo_line(char *text, void *context)
{
    struct host *const host = context;
    if (value_of(text, "processor"))
        host->cpus = host->cpus < 0 ? 1 : host->cpus + 1;
    set_text(host->cpu, sizeof host->cpu, value_of(text, "model name"));
    set_text(host->vendor, sizeof host->vendor, value_of(text, "vendor_id"));
    set_text(host->microcode, sizeof host->microcode, value_of(text, "microcode"));
    set_number(&host->family, value_of(text, "cpu family"));
    set_number(&host->model, value_of(text, "model"));
    set_number(&host->stepping, value_of(text, "stepping"));
    if (!strncmp(text, "CPU ", 4))
        read_arm_line(host, text);
    return true;
}

#define TOPOLOGY "/sys/devices/system/cpu/cpu%d/topology/"
#define CACHE "/sys/devices/system/cpu/cpu0/cache/index%zu/"

static void read_topology(struct host *host, const char *root)
{
    int package[CPUS_MAX];
    int found = 0, cores = 0, sockets = 0;
    for (int cpu = 0; cpu < CPUS_MAX && found < host->cpus; cpu++) {
        char path[128];
        snprintf(path, sizeof path, TOPOLOGY "thread_siblings_list", cpu);
        const int64_t first = file_number(root, path);
        if (first < 0)
            continue;
        found++;
        cores += first == cpu;
        snprintf(path, sizeof path, TOPOLOGY "physical_package_id", cpu);
        const int here = (int)file_number(root, path);
        int k = 0;
        while (k < sockets && package[k] != here)
            k++;
        if (k == sockets)
            package[sockets++] = here;
    }
    if (found > 0) {
        host->cores = cores;
        host->sockets = sockets;
    }
    const int64_t active = file_number(root, "/sys/devices/system/cpu/smt/active");
    if (active >= 0)
        host->smt = active > 0;
    else if (host->cores > 0)
        host->smt = host->cores < host->cpus;
}

static void read_numa(struct host *host, const char *root)
{
    char path[PATH_MAX], end;
    int nodes = 0, node;
    snprintf(path, sizeof path, "%s/sys/devices/system/node", root);
    DIR *const directory = opendir(path);
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory));)
        nodes += sscanf(entry->d_name, "node%d%c", &node, &end) == 1;
    closedir(directory);
    if (nodes > 0)
        host->numa_nodes = nodes;
}

/* Number of CPUs in a list like "0-3,8". */
static uint32_t list_count(const char *text)
{
    uint32_t n = 0;
    while (*text) {
        char *end;
        const long first = strtol(text, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        n += last >= first ? (uint32_t)(last - first + 1) : 0;
        if (*end != ',')
            break;
        text = end + 1;
    }
    return n;
}

static uint64_t bytes_parse(const char *text)
{
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

static void read_caches(struct host *host, const char *root)
{
    for (size_t k = 0; k < ARRAY_LEN(host->cache); k++) {
        char path[128], text[256];
        struct cache cache = {0};
        snprintf(path, sizeof path, CACHE "level", k);
        cache.level = (int)file_number(root, path);
        snprintf(path, sizeof path, CACHE "size", k);
        if (cache.level < 1 || file_read(root, path, text, sizeof text) <= 0)
            break;
        cache.bytes = bytes_parse(text);
        snprintf(path, sizeof path, CACHE "type", k);
        file_read(root, path, text, sizeof text);
        cache.type = text[0] == 'D' ? 'd' : text[0] == 'I' ? 'i' : 'u';
        snprintf(path, sizeof path, CACHE "shared_cpu_list", k);
        file_read(root, path, text, sizeof text);
        cache.sharing = list_count(text);
        snprintf(path, sizeof path, CACHE "coherency_line_size", k);
        const int64_t line = file_number(root, path);
        cache.line = line > 0 ? (uint32_t)line : 0;
        snprintf(path, sizeof path, CACHE "ways_of_associativity", k);
        const int64_t ways = file_number(root, path);
        cache.ways = ways > 0 ? (uint32_t)ways : 0;
        host->cache[host->caches++] = cache;
    }
}

#if defined __x86_64__

/* Virtual machines and containers may hide the caches in sysfs, but not in CPUID. */
static void read_caches_cpuid(struct host *host)
{
    unsigned a, b, c, d;
    unsigned leaf = 4;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d) && (c & 1u << 22))
        leaf = 0x8000001d;
    for (unsigned k = 0; host->caches < ARRAY_LEN(host->cache); k++) {
        static const char types[] = {'d', 'i', 'u'};
        if (!__get_cpuid_count(leaf, k, &a, &b, &c, &d) || (a & 31) == 0 || (a & 31) > 3)
            break;
        const uint32_t line = (b & 0xfff) + 1, parts = (b >> 12 & 0x3ff) + 1;
        const uint32_t ways = (b >> 22) + 1, sharing = (a >> 14 & 0xfff) + 1;
        host->cache[host->caches++] = (struct cache){
            .level = (int)(a >> 5 & 7),
            .type = types[(a & 31) - 1],
            .bytes = (uint64_t)line * parts * ways * ((uint64_t)c + 1),
            .line = line,
            .ways = ways,
            /* These are numbers that could be given out, not CPUs that exist. */
            .sharing = host->cpus > 0 && sharing > (uint32_t)host->cpus
                           ? (uint32_t)host->cpus
                           : sharing,
        };
    }
}

static bool hypervisor_signature(char *text, size_t size)
{
    static const char *const known[][2] = {
        {"KVMKVMKVM", "kvm"},       {"Microsoft Hv", "hyperv"},
        {"VMwareVMware", "vmware"}, {"XenVMMXenVMM", "xen"},
        {"TCGTCGTCGTCG", "qemu"},   {"VBoxVBoxVBox", "virtualbox"},
        {"bhyve bhyve ", "bhyve"},  {" lrpepyh  vr", "parallels"},
        {"ACRNACRNACRN", "acrn"},
    };
    unsigned a, b, c, d;
    __cpuid(1, a, b, c, d);
    if (!(c & 1u << 31))
        return false;
    snprintf(text, size, "unknown");
    /* KVM can pose as Hyper-V, and then has its own name one step further. */
    for (unsigned leaf = 0x40000000; leaf <= 0x40000100; leaf += 0x100) {
        unsigned name[4] = {0};
        __cpuid(leaf, a, name[0], name[1], name[2]);
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            if (!strcmp((const char *)name, known[k][0]))
                snprintf(text, size, "%s", known[k][1]);
    }
    return true;
}

#endif

void host_read_model(struct host *host, const char *root)
{
    file_lines(root, "/proc/cpuinfo", cpuinfo_line, host);
}

void host_read_cpu(struct host *host, const char *root)
{
    host_read_model(host, root);
    read_topology(host, root);
    read_numa(host, root);
    read_caches(host, root);
#if defined __x86_64__
    if (host->caches == 0 && !root[0])
        read_caches_cpuid(host);
#endif
    host->l2_dtlb_entries = root[0] ? 0 : host_tlb_entries(host_cpuid);
}

static bool flags_line(char *text, void *context)
{
    const char *const flags = value_of(text, "flags");
    if (!flags)
        return true;
    *(bool *)context = strstr(flags, " hypervisor") != NULL;
    return false;
}

void host_read_virtualisation(struct host *host, const char *root)
{
    char text[64];
    bool guest = false;
#if defined __x86_64__
    if (!root[0] &&
        hypervisor_signature(host->virtualisation, sizeof host->virtualisation))
        return;
#endif
    file_lines(root, "/proc/cpuinfo", flags_line, &guest);
    if (file_read(root, "/sys/hypervisor/type", text, sizeof text) > 0)
        snprintf(host->virtualisation, sizeof host->virtualisation, "%.31s", text);
    else if (file_read(root, "/sys/class/dmi/id/sys_vendor", text, sizeof text) > 0 &&
             (guest || !strcmp(text, "QEMU")))
        snprintf(host->virtualisation, sizeof host->virtualisation, "%.31s", text);
    else
        snprintf(host->virtualisation, sizeof host->virtualisation, "%s",
                 guest ? "unknown" : "none");
}
