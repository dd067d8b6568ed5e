/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

static void *linux_map(int fd)
{
    void *const page =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    return page == MAP_FAILED ? NULL : page;
}

static void linux_unmap(void *page)
{
    munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

#if defined __x86_64__

static uint64_t linux_rdpmc(uint32_t counter)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
}

#elif defined __aarch64__

/* The number of the register is part of the instruction: the way through the selector
 * register is not for user space, as nobody restores that one. */
/* clang-format off */
#define COUNTER(n) \
    case n: __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); break;

static uint64_t linux_rdpmc(uint32_t counter)
{
    enum { CYCLE_COUNTER = 31 };
    uint64_t value = 0;
    __asm__ volatile("isb" ::: "memory");
    switch (counter) {
    COUNTER(0) COUNTER(1) COUNTER(2) COUNTER(3) COUNTER(4) COUNTER(5) COUNTER(6)
    COUNTER(7) COUNTER(8) COUNTER(9) COUNTER(10) COUNTER(11) COUNTER(12) COUNTER(13)
    COUNTER(14) COUNTER(15) COUNTER(16) COUNTER(17) COUNTER(18) COUNTER(19) COUNTER(20)
    COUNTER(21) COUNTER(22) COUNTER(23) COUNTER(24) COUNTER(25) COUNTER(26) COUNTER(27)
    COUNTER(28) COUNTER(29) COUNTER(30)
    case CYCLE_COUNTER: __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value)); break;
    default: break;
    }
    return value;
}
/* clang-format on */
#undef COUNTER

#endif

const struct perf_system perf_system_linux = {
    .open = linux_open,
    .read = read,
    .ioctl = linux_ioctl,
    .close = close,
    .map = linux_map,
    .unmap = linux_unmap,
    .rdpmc = linux_rdpmc,
    .root = "",
};
