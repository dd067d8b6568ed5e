/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

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

static bool seccomp_line(char *text, void *context)
{
    return sscanf(text, "Seccomp: %d", (int *)context) != 1;
}

static bool seccomp_filters(void)
{
    int mode = 0;
    file_lines("", "/proc/self/status", seccomp_line, &mode);
    return mode == 2;
}

static void reason_forbidden(char *text, size_t size, const struct event *event)
{
    const int level = (int)file_number("", "/proc/sys/kernel/perf_event_paranoid");
    const int needed = event_in_kernel(event) ? 1 : 2;
    if (level <= needed)
        snprintf(text, size,
                 "access is denied although kernel.perf_event_paranoid is %d: a security "
                 "module? run it as root or with CAP_PERFMON",
                 level);
    else
        snprintf(text, size,
                 "%skernel.perf_event_paranoid is %d; type: sudo sysctl "
                 "kernel.perf_event_paranoid=%d, or give it CAP_PERFMON",
                 event_in_kernel(event) ? "it happens inside the kernel and " : "", level,
                 needed);
}

void perf_reason(char *text, size_t size, int code, const struct event *event)
{
    const bool software = event->type == PERF_TYPE_SOFTWARE;
    const char *why = NULL;
    switch (code) {
    case EACCES:
        reason_forbidden(text, size, event);
        return;
    case EPERM:
    case ENOSYS:
        if (seccomp_filters())
            why = "a seccomp filter forbids perf_event_open; start the container with "
                  "--cap-add PERFMON or --security-opt seccomp=unconfined";
        else if (code == EPERM)
            why = "the kernel refuses (EPERM); run it as root or with CAP_PERFMON";
        else
            why =
                "this kernel has no perf_event_open (CONFIG_PERF_EVENTS=n, gVisor or an "
                "emulator); use one that has it";
        break;
    case ENOENT:
    case ENODEV:
        if (software)
            why = "this kernel does not know the event; see: simdbench list events";
        else if (pmu_listed("") == 0)
            why =
                "there is no hardware PMU (/sys/bus/event_source/devices has neither cpu "
                "nor armv8); use bare metal, or a virtual machine with a PMU (QEMU: "
                "-cpu host,pmu=on)";
        else
            why = "this CPU's PMU does not count the event; see: simdbench list events";
        break;
    case EINVAL:
        why = "the kernel rejects the event (EINVAL): not one that a thread can count in "
              "user space; see: simdbench list events";
        break;
    case EOPNOTSUPP:
        why = "the PMU lacks a feature that the event needs; choose another event";
        break;
    case E2BIG:
        why = "the kernel is too old for this event; update it";
        break;
    case EMFILE:
    case ENFILE:
        why = "too many open files; type: ulimit -n 4096";
        break;
    case EBUSY:
        why = "another process holds the PMU for itself; end that one (perf, a profiler)";
        break;
    default:
        break;
    }
    if (why)
        snprintf(text, size, "%s", why);
    else
        snprintf(text, size, "perf_event_open: %s", strerror(code));
}
