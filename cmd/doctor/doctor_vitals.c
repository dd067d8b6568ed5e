/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <math.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "doctor_private.h"
#include "files.h"

enum { CLOCK_PROBE_NS = 1000 * 1000, SHARE_PROBES = 8, SHARES_MAX = 8192 };
static const int64_t watch_ns = 1000 * 1000 * 1000;

/* ---- files ---- */

/* CPUs as "2-3"; the kernel writes "(null)" for none at all. */
static void read_cpus(const char *root, const char *path, char *text, size_t size)
{
    file_read(root, path, text, size);
    if (text[0] == '(')
        text[0] = '\0';
}

/* CPUs that the control group of this container may use at once. */
static double read_quota(const char *root)
{
    char text[64];
    double quota, period;
    file_read(root, "/sys/fs/cgroup/cpu.max", text, sizeof text);
    if (sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
        return quota / period;
    quota = (double)file_number(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    period = (double)file_number(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    return quota > 0 && period > 0 ? quota / period : 0;
}

static int read_rdpmc(const char *root)
{
    const int64_t x86 = file_number(root, "/sys/bus/event_source/devices/cpu/rdpmc");
    return (int)(x86 >= 0 ? x86 : file_number(root, "/proc/sys/kernel/perf_user_access"));
}

static int perf_try(void)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    const int fd = perf_system_linux.open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    perf_system_linux.close(fd);
    return 0;
}

void vitals_read(struct vitals *vitals, const char *root)
{
    char path[PATH_MAX];
    struct rlimit limit;
    const int persona = personality(0xffffffff);
    vitals->n_cpu = cpus_allowed(vitals->cpu, ARRAY_LEN(vitals->cpu));
    vitals->memory_available = memory_available();
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             vitals->probed_cpu);
    read_cpus(root, path, vitals->siblings, sizeof vitals->siblings);
    read_cpus(root, "/sys/devices/system/cpu/isolated", vitals->isolated,
              sizeof vitals->isolated);
    read_cpus(root, "/sys/devices/system/cpu/nohz_full", vitals->nohz_full,
              sizeof vitals->nohz_full);
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu%d/cpufreq/energy_performance_preference",
             vitals->probed_cpu);
    file_read(root, path, vitals->preference, sizeof vitals->preference);
    file_read(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
              vitals->sources, sizeof vitals->sources);
    vitals->quota = read_quota(root);
    vitals->root = geteuid() == 0;
    snprintf(path, sizeof path, "%s/proc/sys/kernel/perf_event_paranoid", root);
    vitals->perf_exists = access(path, F_OK) == 0;
    vitals->perf_errno = perf_try();
    vitals->seccomp = file_told(root, "/proc/self/status", "Seccomp");
    vitals->rdpmc = read_rdpmc(root);
    vitals->runs_first = priority_may();
    vitals->same_addresses = persona != -1 && (persona & ADDR_NO_RANDOMIZE);
    vitals->files = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

/* ---- measurements ---- */

static int64_t steal_ticks(const struct vitals *vitals)
{
    int64_t sum = 0;
    for (size_t i = 0; i < vitals->n_cpu; i++) {
        const int64_t ticks = cpus_steal(vitals->cpu[i]);
        if (ticks < 0)
            return -1;
        sum += ticks;
    }
    return vitals->n_cpu ? sum : -1;
}

/* The very best shares are those whose clock was read too low. */
static void judge_core_shares(struct vitals *vitals, double *core_shares)
{
    if (!vitals->probes)
        return;
    stats_sort(core_shares, vitals->probes);
    vitals->core_share = core_shares[vitals->probes * 95 / 100];
    vitals->full_core_share = clock_core_whole(vitals->core_share);
    double sum = 0;
    const bool known = clock_core_split() >= 0;
    for (size_t i = 0; i < vitals->probes; i++) {
        vitals->core_shared +=
            !known && core_shares[i] < CLOCK_CORE_SHARED * vitals->full_core_share;
        sum += fmin(core_shares[i], vitals->full_core_share);
    }
    vitals->lost = 1 - sum / ((double)vitals->probes * vitals->full_core_share);
}

/* The best of many short probes of the clock, as any disturbance makes one look slower.
 * Probes of the core share are kept one by one, as neighbours come and go. */
static void watch(struct vitals *vitals, double *core_shares)
{
    /* Times that are made up need no watching. */
    const int64_t end = clock_now() + (clock_script() ? 0 : watch_ns);
    do {
        vitals->ghz = fmax(vitals->ghz, clock_ghz(CLOCK_PROBE_NS));
        vitals->ghz_imul = fmax(vitals->ghz_imul, clock_ghz_imul(CLOCK_PROBE_NS));
        for (int i = 0; i < SHARE_PROBES && vitals->probes < SHARES_MAX; i++) {
            const double core_share = clock_core_share();
            if (!(core_share > 0))
                continue;
            core_shares[vitals->probes++] = core_share;
            vitals->core_shared += clock_core_split() > 0;
        }
    } while (clock_now() < end);
}

void vitals_measure(struct vitals *vitals)
{
    FREED_BY(free_memory) double *core_shares =
        must_have(calloc(SHARES_MAX, sizeof *core_shares));
    const int64_t before = steal_ticks(vitals), start = clock_now();
    if (vitals->probed_cpu >= 0)
        cpus_pin(&vitals->probed_cpu, 1, NULL);
    watch(vitals, core_shares);
    clock_cost(&vitals->resolution_ns, &vitals->cost_ns);
    if (vitals->n_cpu)
        cpus_pin(vitals->cpu, vitals->n_cpu, NULL);
    vitals->watched_s = (double)(clock_now() - start) / 1e9;
    const int64_t after = steal_ticks(vitals);
    vitals->stolen_s = before < 0 || after < 0
                           ? -1
                           : (double)(after - before) / (double)sysconf(_SC_CLK_TCK);
    judge_core_shares(vitals, core_shares);
}
