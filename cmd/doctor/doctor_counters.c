/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

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
        check_costs(checks, "no counters, not even software events",
                    "docker run --cap-add PERFMON ..., or --security-opt "
                    "seccomp=unconfined");
    else if (refused)
        check_costs(checks, "no counters, not even software events: the kernel refuses",
                    "sudo simdbench ..., or a kernel with perf events (no gVisor, no "
                    "emulator)");
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

void checks_counters(struct checks *checks, const struct host *host,
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
        check_costs(checks,
                    "it takes one counter (3 are left of 4 on Skylake-X with SMT), and a "
                    "group that needs them all counts nothing",
                    "sudo scripts/quiet.sh simdbench ..., or: sudo sysctl "
                    "kernel.nmi_watchdog=0");
    check_limits(checks, vitals);
}
