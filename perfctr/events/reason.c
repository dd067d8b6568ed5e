/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>

#include "perfctr_private.h"

int pmu_listed(const char *root)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sys/bus/event_source/devices", root);
    DIR *const directory = opendir(path);
    if (!directory)
        return -1;
    int found = 0;
    for (const struct dirent *entry; !found && (entry = readdir(directory));)
        found = !strncmp(entry->d_name, "cpu", 3) || !strncmp(entry->d_name, "armv", 4);
    closedir(directory);
    return found;
}

bool event_in_kernel(const struct event *event)
{
    return event->type == PERF_TYPE_SOFTWARE &&
           (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
            event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
            event->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static bool seccomp_filters(const char *root)
{
    return file_told(root, "/proc/self/status", "Seccomp") == 2;
}

/* The reason, and what to do about it; a command is something to type. */
struct reason {
    const char *why, *fix;
    bool command;
};

static void reason_write(const struct reason *reason, struct count *count)
{
    snprintf(count->fix, sizeof count->fix, "%s", reason->fix);
    snprintf(count->absent, sizeof count->absent, "%s%s%s", reason->why,
             reason->command  ? "; type: "
             : reason->fix[0] ? "; "
                              : "",
             reason->fix);
}

static void forbidden(const char *root, const struct event *event, struct count *count)
{
    const int level = (int)file_number(root, "/proc/sys/kernel/perf_event_paranoid");
    const bool kernel = event_in_kernel(event);
    const int needed = kernel ? 1 : 2;
    char why[128], fix[64];
    struct reason reason = {.why = why, .fix = fix, .command = level > needed};
    if (level > needed) {
        snprintf(why, sizeof why, "%skernel.perf_event_paranoid is %d",
                 kernel ? "it happens inside the kernel and " : "", level);
        snprintf(fix, sizeof fix, "sudo sysctl kernel.perf_event_paranoid=%d", needed);
    } else {
        snprintf(why, sizeof why,
                 "access is denied although kernel.perf_event_paranoid is %d: a security "
                 "module?",
                 level);
        snprintf(fix, sizeof fix, "run it as root or with CAP_PERFMON");
    }
    reason_write(&reason, count);
    if (reason.command)
        strncat(count->absent, ", or give it CAP_PERFMON",
                sizeof count->absent - strlen(count->absent) - 1);
}

static const struct reason *reason_blocked(const char *root, int code)
{
    static const struct reason seccomp = {
        "a seccomp filter forbids perf_event_open",
        "start the container with --cap-add PERFMON or --security-opt seccomp=unconfined",
        false};
    static const struct reason refused = {"the kernel refuses (EPERM)",
                                          "run it as root or with CAP_PERFMON", false};
    static const struct reason missing = {"this kernel has no perf_event_open "
                                          "(CONFIG_PERF_EVENTS=n, gVisor or an emulator)",
                                          "use one that has it", false};
    if (seccomp_filters(root))
        return &seccomp;
    return code == EPERM ? &refused : &missing;
}

static const struct reason *reason_unknown(const char *root, const struct event *event)
{
    static const struct reason software = {"this kernel does not know the event",
                                           "simdbench list events", true};
    static const struct reason no_pmu = {
        "there is no hardware PMU (/sys/bus/event_source/devices has neither cpu nor "
        "armv8)",
        "use bare metal, or a virtual machine with a PMU (QEMU: -cpu host,pmu=on)",
        false};
    static const struct reason hidden = {
        "no PMU can be found: /sys/bus/event_source/devices is not there",
        "mount sysfs on /sys, as containers usually have it", false};
    static const struct reason other = {"this CPU's PMU does not count the event",
                                        "simdbench list events", true};
    if (event->type == PERF_TYPE_SOFTWARE)
        return &software;
    const int listed = pmu_listed(root);
    return listed < 0 ? &hidden : listed == 0 ? &no_pmu : &other;
}

static const struct reason *reason_plain(int code)
{
    static const struct {
        int code;
        struct reason reason;
    } reasons[] = {
        {EINVAL,
         {"the kernel rejects the event (EINVAL): not one that a thread can count in "
          "user space",
          "simdbench list events", true}},
        {EOPNOTSUPP,
         {"the PMU lacks a feature that the event needs", "choose another event", false}},
        {E2BIG, {"the kernel is too old for this event", "update it", false}},
        {EMFILE, {"too many open files", "ulimit -n 4096", true}},
        {ENFILE,
         {"too many open files in the whole system", "sudo sysctl fs.file-max=1000000",
          true}},
        {EBUSY,
         {"another process holds the PMU for itself", "end that one (perf, a profiler)",
          false}},
    };
    for (size_t k = 0; k < ARRAY_LEN(reasons); k++)
        if (reasons[k].code == code)
            return &reasons[k].reason;
    return NULL;
}

void perf_refused(const char *root, int code, const struct event *event,
                  struct count *count)
{
    const struct reason *reason = NULL;
    count->code = code;
    /* Permission is refused before the PMU is looked for: where there is none, asking for
     * the permission would not help. */
    const bool core = event->type != PERF_TYPE_SOFTWARE && event->type < PERF_TYPE_MAX;
    const bool blocked = code == EACCES || code == EPERM || code == ENOSYS;
    if (code == ENOENT || code == ENODEV || (blocked && core && pmu_listed(root) == 0)) {
        reason = reason_unknown(root, event);
    } else if (code == EACCES) {
        forbidden(root, event, count);
        return;
    } else if (blocked) {
        reason = reason_blocked(root, code);
    }
    if (!reason)
        reason = reason_plain(code);
    if (reason)
        reason_write(reason, count);
    else
        snprintf(count->absent, sizeof count->absent, "perf_event_open: %s",
                 strerror(code));
}

void perf_reason(char *text, size_t size, int code, const struct event *event)
{
    struct count count = {.code = code};
    perf_refused("", code, event, &count);
    snprintf(text, size, "%s", count.absent);
}

void perf_starved(const char *root, const char *how, struct count *count)
{
    /* 0 says that it is off, -1 that nobody knows. */
    const bool watchdog = file_number(root, "/proc/sys/kernel/nmi_watchdog") != 0;
    char why[160];
    const struct reason reason = {
        .why = why,
        .fix = watchdog ? "sudo sysctl kernel.nmi_watchdog=0"
                        : "end other profilers (perf, ...), or ask for fewer events",
        .command = watchdog};
    snprintf(why, sizeof why, "not counted: %s%s", how,
             watchdog ? ", as the NMI watchdog may" : "");
    reason_write(&reason, count);
}

const char *perf_shared(const char *root, const struct event *event)
{
    const bool license =
        strcasestr(event->name, "core_power") || strcasestr(event->string, "core_power");
    if (!license || file_number(root, "/sys/devices/system/cpu/smt/active") != 1)
        return NULL;
    return "licence counters are of a whole core: what its other thread runs is in them; "
           "leave that one idle, or type: echo off | sudo tee "
           "/sys/devices/system/cpu/smt/control";
}
