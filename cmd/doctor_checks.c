/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "doctor.h"

static const double gib = 1024.0 * 1024 * 1024;
static const char not_told[] = "not told";

/* The next check, with its value. */
__attribute__((format(printf, 3, 4))) static struct check *
add(struct checks *checks, const char *name, const char *format, ...)
{
    /* The last place is overwritten rather than passed: there is room for all. */
    struct check *const check = &checks->check[checks->n];
    if (checks->n + 1 < ARRAY_LEN(checks->check))
        checks->n++;
    *check = (struct check){0};
    snprintf(check->name, sizeof check->name, "%s", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->value, sizeof check->value, format, arguments);
    va_end(arguments);
    return check;
}

static void warn(struct check *check, const char *why, const char *advice)
{
    snprintf(check->why, sizeof check->why, "%s", why);
    snprintf(check->advice, sizeof check->advice, "%s", advice);
}

static const char *or_not_told(const char *text)
{
    return text[0] ? text : not_told;
}

void checks_isas(struct checks *checks)
{
    for (size_t i = 0; i < isa_count(); i++) {
        char reason[200] = "";
        const bool here = isa_available(i, reason, sizeof reason);
        char name[24];
        snprintf(name, sizeof name, "ISA %s", isa_get(i)->name);
        struct check *const check = add(checks, name, "%s", here ? "available" : reason);
        if (!here && strstr(reason, "XCR0"))
            warn(
                check, "the CPU has it but the system withholds it",
                "boot without noxsave, clearcpuid= or a CPU mask of the virtual machine");
    }
}

static void check_cpu(struct checks *checks, const struct host *host)
{
    add(checks, "CPU", "%s (family %d model %d stepping %d%s%s)", or_not_told(host->cpu),
        host->family, host->model, host->stepping,
        host->microcode[0] ? ", microcode " : "", host->microcode);
    struct check *const check =
        add(checks, "topology", "CPUs: %d, cores: %d, sockets: %d, NUMA nodes: %d",
            host->cpus, host->cores, host->sockets, host->numa_nodes);
    if (host->numa_nodes > 1)
        warn(check, "memory of another node is slower",
             "numactl --cpunodebind=0 --membind=0 simdbench ...");
}

static void check_allowed(struct checks *checks, const struct host *host,
                          const struct vitals *vitals)
{
    char text[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < vitals->n_cpu && used + 24 < sizeof text;) {
        size_t last = i;
        while (last + 1 < vitals->n_cpu && vitals->cpu[last + 1] == vitals->cpu[last] + 1)
            last++;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", used ? "," : "",
                                 vitals->cpu[i]);
        if (last > i)
            used += (size_t)snprintf(text + used, sizeof text - used, "-%d",
                                     vitals->cpu[last]);
        i = last + 1;
    }
    struct check *const check = add(checks, "allowed CPUs", "%s", or_not_told(text));
    if (vitals->n_cpu == 1 && host->cpus > 1)
        warn(check, "this process may use one CPU only, shared with whoever else may",
             "taskset -p $$");
}

static void check_memory(struct checks *checks, const struct host *host,
                         const struct vitals *vitals)
{
    char text[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < host->caches && used < sizeof text; i++) {
        const struct cache *const cache = &host->cache[i];
        const double kib = (double)cache->bytes / 1024;
        const bool large = cache->bytes >= 1024 * 1024;
        used += (size_t)snprintf(text + used, sizeof text - used, "%sL%d%s %.4g %s",
                                 used ? ", " : "", cache->level,
                                 cache->type == 'd'   ? "d"
                                 : cache->type == 'i' ? "i"
                                                      : "",
                                 large ? kib / 1024 : kib, large ? "MiB" : "KiB");
        if (cache->sharing > 1 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " for %u CPUs",
                                     cache->sharing);
    }
    add(checks, "caches", "%s", or_not_told(text));

    const double available = (double)vitals->memory_available;
    if (!vitals->memory_available) {
        add(checks, "memory", "%.1f GiB", (double)host->memory / gib);
        return;
    }
    struct check *const check = add(checks, "memory", "%.1f GiB, %.1f available",
                                    (double)host->memory / gib, available / gib);
    if (available < gib)
        warn(check, "little is left: large sizes will not fit", "free -h");
}

static void check_counters(struct checks *checks, const struct host *host)
{
    static const char *const names[] = {
        [PMU_OK] = "counters work",
        [PMU_NO_HARDWARE] = "none",
        [PMU_FORBIDDEN] = "forbidden",
        [PMU_UNKNOWN] = "unknown",
    };
    struct check *const pmu = add(checks, "PMU", "%s%s%s%s", names[host->pmu],
                                  host->pmu_name[0] ? " (events of " : "", host->pmu_name,
                                  host->pmu_name[0] ? ")" : "");
    if (host->pmu != PMU_OK)
        warn(pmu, host->pmu_reason[0] ? host->pmu_reason : "hardware counters are absent",
             "");

    /* -1 is a real setting too ("all is allowed") and as harmless. */
    struct check *const paranoid =
        add(checks, "perf_event_paranoid",
            host->perf_paranoid < 0 ? "-1 or not told" : "%d", host->perf_paranoid);
    if (host->perf_paranoid > 2)
        warn(paranoid, "ordinary users may not count",
             "sudo sysctl kernel.perf_event_paranoid=2");
    struct check *const watchdog = add(checks, "NMI watchdog", "%s",
                                       host->nmi_watchdog < 0 ? not_told
                                       : host->nmi_watchdog   ? "on"
                                                              : "off");
    if (host->nmi_watchdog > 0)
        warn(watchdog, "it takes one counter", "sudo sysctl kernel.nmi_watchdog=0");
}

static void check_clocks(struct checks *checks, const struct host *host,
                         const struct vitals *vitals)
{
    struct check *const timer =
        add(checks, "timer", "%.3g ns steps, %.3g ns a reading, clock source %s",
            vitals->resolution_ns, vitals->cost_ns, or_not_told(host->clocksource));
    if (vitals->cost_ns > 200 || vitals->resolution_ns > 1000)
        warn(timer, "it is slow or coarse: batches must be longer",
             "echo tsc | sudo tee "
             "/sys/devices/system/clocksource/clocksource0/current_clocksource");

    if (!(vitals->ghz > 0) || !(vitals->ghz_imul > 0)) {
        add(checks, "clock", "%s", not_told);
        return;
    }
    const double apart = fabs(vitals->ghz / vitals->ghz_imul - 1);
    struct check *const probe =
        add(checks, "clock", "%.3f GHz by adds, %.3f by multiplies, %.1f%% apart",
            vitals->ghz, vitals->ghz_imul, 100 * apart);
    if (apart > 0.02)
        warn(probe, "the clock moves, or somebody shares this CPU",
             "simdbench doctor, again, when the machine is quiet");
    if (!(host->tsc_ghz > 0)) {
        add(checks, "clock / TSC", "%s", not_told);
        return;
    }
    struct check *const tsc = add(checks, "clock / TSC", "%.2f (TSC %.3f GHz)",
                                  vitals->ghz / host->tsc_ghz, host->tsc_ghz);
    if (vitals->ghz < 0.9 * host->tsc_ghz)
        warn(tsc, "the core runs below its nominal clock: governor, power or heat limit",
             "sudo cpupower frequency-info");
}

static void check_frequency(struct checks *checks, const struct host *host)
{
    struct check *const governor =
        add(checks, "governor", "%s", or_not_told(host->governor));
    if (host->governor[0] && strcmp(host->governor, "performance") != 0)
        warn(governor, "the clock follows the load",
             "sudo cpupower frequency-set -g performance");
    struct check *const turbo = add(checks, "turbo", "%s", or_not_told(host->turbo));
    if (strcmp(host->turbo, "on") == 0)
        warn(turbo, "the clock depends on heat and on other cores",
             strcmp(host->vendor, "GenuineIntel") == 0
                 ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                 : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
    struct check *const smt = add(checks, "SMT", "%s",
                                  host->smt < 0 ? not_told
                                  : host->smt   ? "on"
                                                : "off");
    if (host->smt > 0)
        warn(smt, "two CPUs share one core: keep the other one idle",
             "echo off | sudo tee /sys/devices/system/cpu/smt/control");
}

static void check_pages(struct checks *checks, const struct host *host)
{
    struct check *const thp = add(checks, "huge pages", "%s", or_not_told(host->thp));
    if (strcmp(host->thp, "never") == 0)
        warn(thp, "--pages=2m cannot have them",
             "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    add(checks, "ASLR", "%s",
        host->aslr < 0    ? not_told
        : host->aslr == 0 ? "off: each process has the same addresses"
                          : "on: each process draws its addresses anew");
}

static void check_company(struct checks *checks, const struct host *host,
                          const struct vitals *vitals)
{
    struct check *const machine =
        add(checks, "virtualisation", "%s%s%s", or_not_told(host->virtualisation),
            host->container[0] ? ", container: " : "", host->container);
    if (host->virtualisation[0] && strcmp(host->virtualisation, "none") != 0)
        warn(machine,
             "the host may take CPU time and hide counters; trust ratios within a run",
             "");
    struct check *const load = add(checks, "load", "%.2f %.2f %.2f", host->load[0],
                                   host->load[1], host->load[2]);
    if (host->load[0] > 0.5)
        warn(load, "something else is running or ran a moment ago", "top");
    if (vitals->stolen_s < 0) {
        add(checks, "steal", "%s", not_told);
        return;
    }
    struct check *const steal = add(checks, "steal", "%.0f ms in %.0f ms",
                                    1e3 * vitals->stolen_s, 1e3 * vitals->watched_s);
    if (vitals->stolen_s > 0)
        warn(steal, "the host takes CPU time away from this machine",
             "simdbench doctor, again, or another machine");
}

void checks_host(struct checks *checks, const struct host *host,
                 const struct vitals *vitals)
{
    check_cpu(checks, host);
    check_allowed(checks, host, vitals);
    check_memory(checks, host, vitals);
    check_counters(checks, host);
    check_clocks(checks, host, vitals);
    check_frequency(checks, host);
    check_pages(checks, host);
    check_company(checks, host, vitals);
    add(checks, "system", "%s, kernel %s", or_not_told(host->os),
        or_not_told(host->kernel));
    add(checks, "fingerprint", "%s", or_not_told(host->fingerprint));
}

size_t checks_warnings(const struct checks *checks)
{
    size_t n = 0;
    for (size_t i = 0; i < checks->n; i++)
        n += checks->check[i].why[0] != '\0';
    return n;
}
