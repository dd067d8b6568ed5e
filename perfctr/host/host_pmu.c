/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>

#include "perfctr_private.h"

/* Something to count, which the compiler must not drop. */
static void spin(void)
{
    for (int k = 0; k < 10000; k++)
        __asm__ volatile("" ::: "memory");
}

/* Counts cycles of this thread for a moment: some virtual machines offer a PMU that opens
 * and stays at 0. */
static int pmu_try(const struct perf_system *system)
{
    uint64_t word[3] = {0};
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    const int fd = system->open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    spin();
    const ssize_t got = system->read(fd, word, sizeof word);
    system->close(fd);
    return got == (ssize_t)sizeof word && word[0] > 0 ? 0 : -ENODATA;
}

void host_read_pmu(struct host *host, const char *root, const struct perf_system *system)
{
    const struct event cycles = {.type = PERF_TYPE_HARDWARE,
                                 .config = PERF_COUNT_HW_CPU_CYCLES};
    const int listed = pmu_listed(root);
#ifdef HAVE_PFM
    if (!root[0])
        libpfm_pmu(host->pmu_name, sizeof host->pmu_name);
#endif
    if (root[0]) {
        host->pmu = listed == 0 ? PMU_NO_HARDWARE : PMU_UNKNOWN;
        snprintf(host->pmu_reason, sizeof host->pmu_reason,
                 "not tried: not this machine");
        return;
    }
    const int code = pmu_try(system);
    switch (code) {
    case 0:
        host->pmu = PMU_OK;
        return;
    case -ENODATA:
        host->pmu = PMU_NO_HARDWARE;
        snprintf(host->pmu_reason, sizeof host->pmu_reason,
                 "the PMU opens but counts nothing (a virtual machine?, or others hold "
                 "its counters: type: sudo sysctl kernel.nmi_watchdog=0)");
        return;
    case -ENOENT:
    case -ENODEV:
    case -EOPNOTSUPP:
        host->pmu = PMU_NO_HARDWARE;
        break;
    case -EACCES:
    case -EPERM:
    case -ENOSYS:
        host->pmu = PMU_FORBIDDEN;
        break;
    default:
        host->pmu = PMU_UNKNOWN;
        break;
    }
    /* Permission is refused before the PMU is looked for. */
    if (host->pmu == PMU_FORBIDDEN && listed == 0)
        host->pmu = PMU_NO_HARDWARE;
    perf_reason(host->pmu_reason, sizeof host->pmu_reason, -code, &cycles);
}
