/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perfctr_private.h"

static int linux_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    int fd;
    do {
        fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static int linux_ioctl(int fd, unsigned long request, unsigned long argument)
{
    return ioctl(fd, request, argument);
}

const struct perf_system perf_system_linux = {
    .open = linux_open,
    .read = read,
    .ioctl = linux_ioctl,
    .close = close,
};
