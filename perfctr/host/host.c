/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "hash.h"
#include "perfctr_private.h"

/* The chosen word of "always [madvise] never". */
static void read_bracketed(const char *root, const char *path, char *word, size_t size)
{
    char text[256];
    word[0] = '\0';
    if (file_read(root, path, text, sizeof text) <= 0)
        return;
    const char *const open = strchr(text, '[');
    if (open)
        snprintf(word, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
}

static bool memory_line(char *text, void *context)
{
    uint64_t kib;
    if (sscanf(text, "MemTotal: %" SCNu64 " kB", &kib) != 1)
        return true;
    *(uint64_t *)context = kib * 1024;
    return false;
}

static bool os_line(char *text, void *context)
{
    struct host *const host = context;
    static const char key[] = "PRETTY_NAME=";
    if (strncmp(text, key, sizeof key - 1) != 0)
        return true;
    const char *name = text + sizeof key - 1;
    size_t length = strlen(name);
    if (length >= 2 && (*name == '"' || *name == '\'')) {
        name++;
        length -= 2;
    }
    snprintf(host->os, sizeof host->os, "%.*s", (int)length, name);
    return false;
}

static void read_frequency(struct host *host, const char *root)
{
    const char *const cpufreq = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    file_read(root, cpufreq, host->governor, sizeof host->governor);
    const int64_t no_turbo =
        file_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    const int64_t boost = file_number(root, "/sys/devices/system/cpu/cpufreq/boost");
    const int turbo = no_turbo >= 0 ? no_turbo == 0 : (int)boost;
    if (turbo >= 0)
        snprintf(host->turbo, sizeof host->turbo, "%s", turbo ? "on" : "off");
}

static bool exists(const char *root, const char *path)
{
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", root, path);
    return access(full, F_OK) == 0;
}

static bool container_line(char *text, void *context)
{
    struct host *const host = context;
    static const char *const marks[][2] = {{"/docker", "docker"},
                                           {"libpod", "podman"},
                                           {"kubepods", "kubernetes"},
                                           {"/lxc", "lxc"}};
    for (size_t k = 0; k < ARRAY_LEN(marks) && !host->container[0]; k++)
        if (strstr(text, marks[k][0]))
            snprintf(host->container, sizeof host->container, "%s", marks[k][1]);
    return !host->container[0];
}

static void read_container(struct host *host, const char *root)
{
    static const char key[] = "container=";
    char environment[4096];
    const ssize_t n = file_read(root, "/proc/1/environ", environment, sizeof environment);
    for (ssize_t i = 0; i < n; i += (ssize_t)strlen(environment + i) + 1)
        if (!strncmp(environment + i, key, sizeof key - 1))
            snprintf(host->container, sizeof host->container, "%s",
                     environment + i + sizeof key - 1);
    if (host->container[0])
        return;
    if (exists(root, "/run/.containerenv"))
        snprintf(host->container, sizeof host->container, "podman");
    else if (exists(root, "/.dockerenv"))
        snprintf(host->container, sizeof host->container, "docker");
    else
        file_lines(root, "/proc/1/cgroup", container_line, host);
}

#if defined __x86_64__
static uint64_t ticks_read(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined __aarch64__
static uint64_t ticks_read(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\nmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#endif

/* The closest pair of several readings of both clocks: the others were interrupted. */
static void clocks_read(int64_t *ns, uint64_t *ticks)
{
    int64_t best = INT64_MAX;
    for (int k = 0; k < 20; k++) {
        const int64_t begin = clock_now();
        const uint64_t now = ticks_read();
        const int64_t end = clock_now();
        if (end - begin < best) {
            best = end - begin;
            *ns = begin + best / 2;
            *ticks = now;
        }
    }
}

static double tsc_measure(void)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int64_t ns0 = 0, ns1 = 0;
    uint64_t ticks0 = 0, ticks1 = 0;
    clocks_read(&ns0, &ticks0);
    nanosleep(&pause, NULL);
    clocks_read(&ns1, &ticks1);
    return ns1 > ns0 ? (double)(ticks1 - ticks0) / (double)(ns1 - ns0) : 0;
}

static void hash_add(uint64_t *hash, const char *key, const char *value)
{
    char text[192];
    snprintf(text, sizeof text, "%s=%s\n", key, value);
    *hash = hash_bytes(*hash, text, strlen(text));
}

static void hash_number(uint64_t *hash, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    hash_add(hash, key, text);
}

static void host_fingerprint(struct host *host)
{
    uint64_t hash = HASH_FIRST;
    hash_add(&hash, "cpu", host->cpu);
    hash_number(&hash, "family", (uint64_t)host->family);
    hash_number(&hash, "model", (uint64_t)host->model);
    hash_number(&hash, "stepping", (uint64_t)host->stepping);
    hash_add(&hash, "microcode", host->microcode);
    hash_number(&hash, "cpus", (uint64_t)host->cpus);
    hash_number(&hash, "cores", (uint64_t)host->cores);
    hash_number(&hash, "smt", (uint64_t)host->smt);
    FOR_EACH (const struct cache, cache, host->cache, host->caches) {
        char text[96];
        snprintf(text, sizeof text, "%d%c %" PRIu64 " %u %u %u", cache->level,
                 cache->type, cache->bytes, cache->line, cache->ways, cache->sharing);
        hash_add(&hash, "cache", text);
    }
    /* Firmware and kernel take a few megabytes more or less from boot to boot. */
    hash_number(&hash, "gib", (host->memory + (UINT64_C(1) << 29)) >> 30);
    hash_add(&hash, "virtualisation", host->virtualisation);
    hash_add(&hash, "governor", host->governor);
    hash_add(&hash, "turbo", host->turbo);
    snprintf(host->fingerprint, sizeof host->fingerprint, "%016" PRIx64, hash);
}

void host_read(struct host *host, const char *root)
{
    char text[64];
    *host = (struct host){.family = -1,
                          .model = -1,
                          .stepping = -1,
                          .cpus = -1,
                          .cores = -1,
                          .sockets = -1,
                          .numa_nodes = -1,
                          .smt = -1,
                          .load = {-1, -1, -1}};
    host_read_cpu(host, root);
    host_read_virtualisation(host, root);
    read_container(host, root);
    file_lines(root, "/proc/meminfo", memory_line, &host->memory);
    file_read(root, "/proc/sys/kernel/osrelease", host->kernel, sizeof host->kernel);
    if (file_lines(root, "/etc/os-release", os_line, host) < 0)
        file_lines(root, "/usr/lib/os-release", os_line, host);
    read_frequency(host, root);
    read_bracketed(root, "/sys/kernel/mm/transparent_hugepage/enabled", host->thp,
                   sizeof host->thp);
    read_bracketed(root, "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
                   host->thp_shmem, sizeof host->thp_shmem);
    host->aslr = (int)file_number(root, "/proc/sys/kernel/randomize_va_space");
    /* -1 is also a level, the most permissive. */
    host->perf_paranoid = (int)file_number(root, "/proc/sys/kernel/perf_event_paranoid");
    host->nmi_watchdog = (int)file_number(root, "/proc/sys/kernel/nmi_watchdog");
    file_read(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
              host->clocksource, sizeof host->clocksource);
    if (file_read(root, "/proc/loadavg", text, sizeof text) > 0)
        sscanf(text, "%lf %lf %lf", &host->load[0], &host->load[1], &host->load[2]);
    host->tsc_ghz = root[0] ? 0 : tsc_measure();
    host_read_pmu(host, root, &perf_system_linux);
    host_fingerprint(host);
}
