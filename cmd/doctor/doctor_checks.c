/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor_private.h"

/* Reasons read "why; what to type". */
static void check_pmu(struct checks *checks, const struct host *host)
{
    static const char *const names[] = {
        [PMU_OK] = "counters work",
        [PMU_NO_HARDWARE] = "none",
        [PMU_FORBIDDEN] = "forbidden",
        [PMU_UNKNOWN] = "unknown",
    };
    const int why = (int)strcspn(host->pmu_reason, ";");
    const char *fix = host->pmu_reason + why + (host->pmu_reason[why] == ';');
    fix += strspn(fix, " ");
    if (strncmp(fix, "type: ", 6) == 0)
        fix += 6;
    check_add(checks, "PMU", "%s%s%s%s%s%.*s", names[host->pmu],
              host->pmu_name[0] ? " (events of " : "", host->pmu_name,
              host->pmu_name[0] ? ")" : "", why ? ": " : "", why, host->pmu_reason);
    if (host->pmu != PMU_OK)
        check_costs(checks,
                    "no cycles, misses or licences: only time, GHz by the probe and "
                    "software events",
                    fix[0] ? fix : "simdbench doctor, on bare metal");
}

static void check_reads(struct checks *checks, const struct host *host,
                        const struct vitals *vitals)
{
    check_add(checks, "user-space reads", "%s",
              vitals->rdpmc == 0    ? "off"
              : vitals->rdpmc > 0   ? "allowed"
              : host->pmu == PMU_OK ? "not told: the kernel has no switch for them"
                                    : "none: no PMU");
    if (vitals->rdpmc == 0)
        check_costs(checks,
                    "each reading of counters is a system call, about 0.3 us, not 0.03",
                    strcmp(host->vendor, "AuthenticAMD") == 0 ||
                            strcmp(host->vendor, "GenuineIntel") == 0
                        ? "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc"
                        : "sudo sysctl kernel.perf_user_access=1");
}

static void check_paranoid(struct checks *checks, const struct host *host,
                           const struct vitals *vitals)
{
    static const char *const levels[] = {
        "all, for everybody",
        "all but raw tracepoints, for everybody",
        "own processes and their system calls",
        "own processes in user space",
        "nothing",
    };
    const int level = host->perf_paranoid;
    if (!vitals->perf_exists) {
        check_add(checks, "perf_event_paranoid", "not there");
        check_costs(checks, "this kernel has no perf events, or hides them: no counters",
                    "zgrep PERF_EVENTS /proc/config.gz, and a kernel with it");
        return;
    }
    const int index = level < -1 ? 0 : level > 3 ? 4 : level + 1;
    check_add(checks, "perf_event_paranoid", "%d: %s%s", level, levels[index],
              vitals->root ? "; root may all" : "");
    if (level > 2 && !vitals->root)
        check_costs(checks, "ordinary users may not count, not even software events",
                    "sudo sysctl kernel.perf_event_paranoid=2");
}

static void check_seccomp(struct checks *checks, const struct vitals *vitals)
{
    const int code = vitals->perf_errno;
    const bool refused = code == EPERM || code == ENOSYS;
    check_add(checks, "seccomp", "%s%s",
              vitals->seccomp < 0    ? "not told"
              : vitals->seccomp == 2 ? "a filter"
                                     : "no filter",
              refused                ? code == EPERM ? ", perf_event_open: EPERM"
                                                     : ", perf_event_open: ENOSYS"
              : vitals->seccomp == 2 ? " that lets perf_event_open pass"
                                     : "");
    if (refused && vitals->seccomp == 2)
        check_costs(
            checks, "no counters, not even software events",
            "docker run --cap-add PERFMON ..., or --security-opt seccomp=unconfined");
    else if (refused)
        check_costs(
            checks, "no counters, not even software events: the kernel refuses",
            "sudo simdbench ..., or a kernel with perf events (no gVisor, no emulator)");
}

static void check_limits(struct checks *checks, const struct vitals *vitals)
{
    if (vitals->files == UINT64_MAX)
        check_add(checks, "open files", "no limit");
    else
        check_add(checks, "open files", "%.0f", (double)vitals->files);
    if (vitals->files < 256)
        check_costs(checks,
                    "each event takes a descriptor in each thread, each worker some "
                    "more: events will be absent (EMFILE)",
                    "ulimit -n 4096");
}

static void checks_counters(struct checks *checks, const struct host *host,
                            const struct vitals *vitals)
{
    check_pmu(checks, host);
    check_reads(checks, host, vitals);
    check_paranoid(checks, host, vitals);
    check_seccomp(checks, vitals);
    check_add(checks, "NMI watchdog", "%s",
              host->nmi_watchdog < 0 ? "not told"
              : host->nmi_watchdog   ? "on"
                                     : "off");
    if (host->nmi_watchdog > 0)
        check_costs(
            checks,
            "it takes one counter (3 are left of 4 on Skylake-X with SMT), and a group "
            "that needs them all counts nothing",
            "sudo scripts/quiet.sh simdbench ..., or: sudo sysctl kernel.nmi_watchdog=0");
    check_limits(checks, vitals);
}

static const double gib = 1024.0 * 1024 * 1024;

void check_add(struct checks *checks, const char *name, const char *format, ...)
{
    /* The last place is overwritten rather than passed: there is room for all. */
    if (checks->n < ARRAY_LEN(checks->check))
        checks->n++;
    struct check *const check = &checks->check[checks->n - 1];
    *check = (struct check){0};
    snprintf(check->name, sizeof check->name, "%s", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->value, sizeof check->value, format, arguments);
    va_end(arguments);
}

void check_costs(struct checks *checks, const char *costs, const char *advice)
{
    struct check *const check = &checks->check[checks->n - 1];
    snprintf(check->costs, sizeof check->costs, "%s", costs);
    snprintf(check->advice, sizeof check->advice, "%s", advice);
}

const char *or_not_told(const char *text)
{
    return text[0] ? text : "not told";
}

void checks_isas(struct checks *checks)
{
    char advice[120] = "meson configure build -Disas=";
    for (size_t i = 0; i < isa_count(); i++)
        snprintf(advice + strlen(advice), sizeof advice - strlen(advice), "%s%s",
                 i ? "," : "", isa_get(i)->name);
    for (size_t i = 0; i < isa_count(); i++) {
        char reason[200] = "";
        const bool here = isa_available(i, reason, sizeof reason);
        char name[24];
        snprintf(name, sizeof name, "ISA %s", isa_get(i)->name);
        check_add(checks, name, "%s", here ? "available" : reason);
        if (!here && strstr(reason, "XCR0"))
            check_costs(checks,
                        "the CPU has it, the system withholds it: its kernels are "
                        "skipped, and with 512 bits up to half of a kernel's rate",
                        "cat /proc/cmdline, and boot without noxsave, clearcpuid= or a "
                        "CPU mask of the virtual machine");
        if (here && !isa_get(i)->built)
            check_costs(checks, "this build has no kernels of its own for it", advice);
    }
    char here[280] = "";
    for (size_t i = 0; i < isa_addition_count(); i++) {
        if (isa_addition_available(i))
            snprintf(here + strlen(here), sizeof here - strlen(here), "%s%s",
                     here[0] ? ", " : "", isa_addition_name(i));
    }
    check_add(checks, "ISA additions", "%s", here[0] ? here : "none");
}

void checks_tracing(struct checks *checks)
{
    struct error error = {.text = ""};
    double steps = 0;
    const int status = inspect_available(&steps, &error);
    if (status == 0) {
        check_add(checks, "tracing", "exact, %.0f thousand steps a second", steps / 1000);
        return;
    }
    check_add(checks, "tracing", "%s", error.text);
    check_costs(checks, "--prove cannot tell what executes",
                status == -ENOTSUP
                    ? "apt install libzydis-dev, and build simdbench for x86-64 again"
                    : "sysctl kernel.yama.ptrace_scope, and leave out sandboxes");
}

static void check_cpu(struct checks *checks, const struct host *host)
{
    check_add(checks, "CPU", "%s (family %d model %d stepping %d%s%s)",
              or_not_told(host->cpu), host->family, host->model, host->stepping,
              host->microcode[0] ? ", microcode " : "", host->microcode);
    check_add(checks, "topology", "CPUs: %d, cores: %d, sockets: %d, NUMA nodes: %d",
              host->cpus, host->cores, host->sockets, host->numa_nodes);
    if (host->numa_nodes > 1)
        check_costs(checks,
                    "memory of another node is slower, and operands may lie on any",
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
    check_add(checks, "allowed CPUs", "%s", or_not_told(text));
    if (vitals->n_cpu == 1 && host->cpus > 1)
        check_costs(checks,
                    "one CPU only, shared with whoever else may use it: no --threads, "
                    "and no other CPU to go to",
                    "taskset -p $$, and start it without that mask");
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
    check_add(checks, "caches", "%s", or_not_told(text));

    const double available = (double)vitals->memory_available;
    if (!vitals->memory_available) {
        check_add(checks, "memory", "%.1f GiB", (double)host->memory / gib);
        return;
    }
    check_add(checks, "memory", "%.1f GiB, %.1f available", (double)host->memory / gib,
              available / gib);
    if (available < gib)
        check_costs(checks, "large sizes are refused, and swapping voids batches",
                    "free -h, then end what holds it");
}

static void check_pages(struct checks *checks, const struct host *host,
                        const struct vitals *vitals)
{
    check_add(checks, "huge pages", "%s", or_not_told(host->thp));
    if (strcmp(host->thp, "never") == 0)
        check_costs(
            checks,
            "--pages=2m is refused: beyond the reach of the TLB, time includes page "
            "walks",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    check_add(checks, "huge pages, shared", "%s%s", or_not_told(host->thp_shmem),
              strcmp(host->thp_shmem, "never") == 0 ||
                      strcmp(host->thp_shmem, "deny") == 0
                  ? ": --pages=2m copies operands to private memory"
                  : "");
    if (strcmp(host->thp_shmem, "always") == 0 || strcmp(host->thp_shmem, "force") == 0 ||
        strcmp(host->thp_shmem, "within_size") == 0)
        check_costs(
            checks, "--pages=4k may get pages of 2 MiB all the same",
            "echo advise | sudo tee /sys/kernel/mm/transparent_hugepage/shmem_enabled");
    const bool off = vitals->same_addresses || host->aslr == 0;
    check_add(checks, "ASLR", "%s",
              off              ? "off: addresses repeat"
              : host->aslr < 0 ? "not told"
                               : "on");
    if (!off && host->aslr > 0)
        check_costs(checks,
                    "each process draws its addresses anew: identical code differs by up "
                    "to 1% between runs",
                    "scripts/quiet.sh simdbench ..., or: setarch -R simdbench ...");
}

void checks_host(struct checks *checks, const struct host *host,
                 const struct vitals *vitals)
{
    check_cpu(checks, host);
    check_allowed(checks, host, vitals);
    check_memory(checks, host, vitals);
    checks_counters(checks, host, vitals);
    checks_clock(checks, host, vitals);
    check_pages(checks, host, vitals);
    checks_core_share(checks, host, vitals);
    check_add(checks, "system", "%s, kernel %s", or_not_told(host->os),
              or_not_told(host->kernel));
    check_add(checks, "fingerprint", "%s", or_not_told(host->fingerprint));
}
