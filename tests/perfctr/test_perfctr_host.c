/* SPDX-License-Identifier: Apache-2.0 */
/* host.c, pages.c and cpus.c on folders that look like other machines. */
#include <sys/mman.h>
#include <unistd.h>

#include "file_tree.h"
#include "perfctr_private.h"
#include "unit.h"

static char root[64];

static void put(const char *path, const char *text)
{
    tree_put(root, path, text);
}

static int setup(void **state)
{
    strcpy(root, "/tmp/simdbench-host-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
    return tree_remove(root);
}
#define TREE_TEST(name) TEST_BETWEEN(name, setup, teardown)

#define TOPOLOGY "/sys/devices/system/cpu/cpu%d/topology/"
#define CPUINFO                                                                       \
    "processor\t: %d\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"    \
    "model name\t: Imaginary Xeon @ 2.00GHz\nstepping\t: 4\nmicrocode\t: 0x2006906\n" \
    "flags\t\t: fpu vme hypervisor avx512f\n\n"

static void put_cache(int index, const char *level, const char *type, const char *size)
{
    char path[128];
    const char *const fields[][2] = {{"level", level},
                                     {"type", type},
                                     {"size", size},
                                     {"coherency_line_size", "64\n"},
                                     {"ways_of_associativity", "11\n"},
                                     {"shared_cpu_list", "0-1,4\n"}};
    for (size_t k = 0; k < ARRAY_LEN(fields); k++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s",
                 index, fields[k][0]);
        put(path, fields[k][1]);
    }
}

static void put_machine(void)
{
    char text[4 * sizeof CPUINFO + 64];
    size_t n = 0;
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[128];
        n += (size_t)snprintf(text + n, sizeof text - n, CPUINFO, cpu);
        snprintf(path, sizeof path, TOPOLOGY "thread_siblings_list", cpu);
        put(path, cpu % 2 ? "1,3\n" : "0,2\n");
        snprintf(path, sizeof path, TOPOLOGY "physical_package_id", cpu);
        put(path, cpu % 2 ? "1\n" : "0\n");
    }
    put("/proc/cpuinfo", text);
    put("/sys/devices/system/cpu/smt/active", "1\n");
    put("/sys/devices/system/node/node0/cpulist", "0,2\n");
    put("/sys/devices/system/node/node1/cpulist", "1,3\n");
    put("/sys/devices/system/node/online", "0-1\n");
    put_cache(0, "1\n", "Data\n", "32K\n");
    put_cache(1, "1\n", "Instruction\n", "32K\n");
    put_cache(2, "3\n", "Unified\n", "2M\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always [never] deny\n");
    put("/proc/meminfo", "MemTotal:       16310000 kB\nMemAvailable:    8000000 kB\n");
    put("/proc/sys/kernel/osrelease", "6.1.0-test\n");
    put("/proc/sys/kernel/randomize_va_space", "2\n");
    put("/proc/sys/kernel/perf_event_paranoid", "3\n");
    put("/proc/sys/kernel/nmi_watchdog", "1\n");
    put("/proc/loadavg", "0.50 1.25 2.00 1/100 4242\n");
    put("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Imaginary Linux 1\"\n");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    put("/sys/bus/event_source/devices/cpu/type", "4\n");
}

TREE_TEST(test_machine)
{
    struct host host;
    put_machine();
    static const char environment[] = "PATH=/bin\0container=lxc\0TERM=x";
    tree_put_bytes(root, "/proc/1/environ", environment, sizeof environment);
    host_read(&host, root);
    assert_string_equal(host.cpu, "Imaginary Xeon @ 2.00GHz");
    assert_string_equal(host.vendor, "GenuineIntel");
    assert_int_equal(host.family, 6);
    assert_int_equal(host.model, 85);
    assert_int_equal(host.stepping, 4);
    assert_string_equal(host.microcode, "0x2006906");
    assert_int_equal(host.cpus, 4);
    assert_int_equal(host.cores, 2);
    assert_int_equal(host.sockets, 2);
    assert_int_equal(host.numa_nodes, 2);
    assert_int_equal(host.smt, 1);
    assert_int_equal(host.caches, 3);
    assert_int_equal(host.cache[0].level, 1);
    assert_int_equal(host.cache[0].type, 'd');
    assert_int_equal(host.cache[0].bytes, 32768);
    assert_int_equal(host.cache[0].line, 64);
    assert_int_equal(host.cache[0].ways, 11);
    assert_int_equal(host.cache[0].sharing, 3);
    assert_int_equal(host.cache[1].type, 'i');
    assert_int_equal(host.cache[2].type, 'u');
    assert_int_equal(host.cache[2].bytes, 2 << 20);
    assert_int_equal(host.memory, UINT64_C(16310000) * 1024);
    assert_string_equal(host.kernel, "6.1.0-test");
    assert_string_equal(host.os, "Imaginary Linux 1");
    assert_string_equal(host.virtualisation, "QEMU");
    assert_string_equal(host.container, "lxc");
    assert_string_equal(host.governor, "performance");
    assert_string_equal(host.turbo, "off");
    assert_string_equal(host.thp, "madvise");
    assert_string_equal(host.thp_shmem, "never");
    assert_int_equal(host.aslr, 2);
    assert_int_equal(host.perf_paranoid, 3);
    assert_int_equal(host.nmi_watchdog, 1);
    assert_true(host.tsc_ghz == 0);
    assert_string_equal(host.clocksource, "tsc");
    assert_true(host.load[0] == 0.5 && host.load[1] == 1.25 && host.load[2] == 2);
    assert_int_equal(host.pmu, PMU_UNKNOWN);
}

TREE_TEST(test_fingerprint)
{
    struct host host, again;
    put_machine();
    host_read(&host, root);
    assert_int_equal(strlen(host.fingerprint), 16);
    put("/proc/loadavg", "9.00 9.00 9.00 1/100 4242\n");
    put("/proc/sys/kernel/osrelease", "6.1.1-test\n");
    put("/proc/meminfo", "MemTotal:       16310004 kB\n");
    host_read(&again, root);
    assert_string_equal(again.fingerprint, host.fingerprint);
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    host_read(&again, root);
    assert_string_not_equal(again.fingerprint, host.fingerprint);
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("/proc/meminfo", "MemTotal:       32620000 kB\n");
    host_read(&again, root);
    assert_string_not_equal(again.fingerprint, host.fingerprint);
}

TREE_TEST(test_arm)
{
    struct host host;
    put("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n"
                         "CPU implementer\t: 0x41\nCPU architecture: 8\n"
                         "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n");
    put("/sys/bus/event_source/devices/software/type", "1\n");
    put("/.dockerenv", "");
    host_read(&host, root);
    assert_string_equal(host.cpu, "Neoverse-N1");
    assert_string_equal(host.vendor, "ARM");
    assert_int_equal(host.model, 0xd0c);
    assert_int_equal(host.stepping, 1);
    assert_int_equal(host.cpus, 1);
    assert_string_equal(host.virtualisation, "none");
    assert_string_equal(host.container, "docker");
    assert_int_equal(host.pmu, PMU_NO_HARDWARE);
}

TREE_TEST(test_nothing)
{
    struct host host;
    host_read(&host, root);
    assert_string_equal(host.cpu, "");
    assert_int_equal(host.cpus, -1);
    assert_int_equal(host.cores, -1);
    assert_int_equal(host.smt, -1);
    assert_int_equal(host.caches, 0);
    assert_int_equal(host.memory, 0);
    assert_string_equal(host.governor, "");
    assert_string_equal(host.turbo, "");
    assert_string_equal(host.container, "");
    assert_int_equal(host.aslr, -1);
    assert_true(host.load[0] == -1);
    assert_int_equal(host.pmu, PMU_UNKNOWN);
    assert_int_equal(strlen(host.fingerprint), 16);
    assert_int_equal(memory_available_at(root), 0);
    assert_int_equal(pages_huge_at(root, 0x1000, 4096), -1);
    assert_int_equal(cpus_steal_at(root, 0), -1);
}

TREE_TEST(test_this_machine)
{
    struct host host;
    host_read(&host, "");
    assert_true(host.cpu[0] && host.kernel[0] && host.virtualisation[0]);
    assert_true(host.cpus >= 1 && host.memory > 1 << 20);
    assert_true(memory_available() > 0 && memory_available() <= host.memory);
    assert_true(host.pmu == PMU_OK ? !host.pmu_reason[0] : strlen(host.pmu_reason) > 20);
    assert_true(host.tsc_ghz > 0.01 && host.tsc_ghz < 10);
}

static int refused_errno;

static int refused_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                        unsigned long flags)
{
    errno = refused_errno;
    return refused_errno ? -1 : 1000;
}

static uint64_t counted;

static ssize_t counted_read(int fd, void *buffer, size_t size)
{
    assert_int_equal(fd, 1000);
    memset(buffer, 0, size);
    memcpy(buffer, &counted, sizeof counted);
    return (ssize_t)size;
}

static int counted_close(int fd)
{
    assert_int_equal(fd, 1000);
    return 0;
}

TREE_TEST(test_pmu)
{
    const struct perf_system system = {
        .open = refused_open, .read = counted_read, .close = counted_close};
    struct host host = {0};
    counted = 12345;
    host_read_pmu(&host, "", &system);
    assert_int_equal(host.pmu, PMU_OK);
    counted = 0;
    host_read_pmu(&host, "", &system);
    assert_int_equal(host.pmu, PMU_NO_HARDWARE);
    assert_non_null(strstr(host.pmu_reason, "counts nothing"));
    refused_errno = ENOENT;
    host_read_pmu(&host, "", &system);
    assert_int_equal(host.pmu, PMU_NO_HARDWARE);
    assert_non_null(strstr(host.pmu_reason, "PMU"));
    refused_errno = EACCES;
    host_read_pmu(&host, "", &system);
    assert_int_equal(host.pmu, pmu_listed("") == 0 ? PMU_NO_HARDWARE : PMU_FORBIDDEN);
}

TREE_TEST(test_smaps)
{
    put("/proc/self/smaps",
        "00200000-00600000 rw-p 00000000 00:00 0                          [heap]\n"
        "Size:               4096 kB\nKernelPageSize:        4 kB\n"
        "AnonHugePages:      2048 kB\nShmemPmdMapped:        0 kB\nVmFlags: rd wr\n"
        "00800000-00c00000 rw-s 00000000 00:01 2  /memfd:AnonHugePages: 9 kB\n"
        "KernelPageSize:        4 kB\nAnonHugePages:         0 kB\n"
        "ShmemPmdMapped:     4096 kB\n"
        "01000000-01400000 rw-p 00000000 00:0f 3  /anon_hugepage (deleted)\n"
        "KernelPageSize:     2048 kB\nAnonHugePages:         0 kB\n"
        "7f0000000000-7f0000001000 r--p 00000000 00:0f 3  /lib/x\n"
        "KernelPageSize:        4 kB\nAnonHugePages:         0 kB\n");
    assert_int_equal(pages_huge_at(root, 0x200000, 0x400000), 0x200000);
    assert_int_equal(pages_huge_at(root, 0x200000, 0x1000), 0x1000);
    assert_int_equal(pages_huge_at(root, 0x800000, 0x400000), 0x400000);
    assert_int_equal(pages_huge_at(root, 0x900000, 0x100000), 0x100000);
    assert_int_equal(pages_huge_at(root, 0x1100000, 0x200000), 0x200000);
    assert_int_equal(pages_huge_at(root, 0x600000, 0x200000), 0);
    assert_int_equal(pages_huge_at(root, 0x7f0000000000, 0x1000), 0);
    assert_int_equal(pages_huge_at(root, 0, UINT64_C(1) << 47), 0x200000 + 0x800000);
}

TREE_TEST(test_small_pages)
{
    enum { SIZE = 8 << 20 };
    char *const small =
        mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(small != MAP_FAILED);
    madvise(small, SIZE, MADV_NOHUGEPAGE);
    memset(small, 1, SIZE);
    assert_int_equal(pages_huge(small, SIZE), 0);
    munmap(small, SIZE);
}

TREE_TEST(test_huge_pages)
{
    enum { SIZE = 8 << 20, HUGE = 2 << 20 };
    struct host host;
    host_read(&host, "");
    if (!host.thp[0] || !strcmp(host.thp, "never"))
        skip();
    char *const data =
        mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(data != MAP_FAILED);
    char *const huge = data + (HUGE - (uintptr_t)data % HUGE) % HUGE;
    madvise(data, SIZE, MADV_HUGEPAGE);
    memset(huge, 1, 2 * HUGE);
    const int64_t bytes = pages_huge(huge, 2 * HUGE);
    munmap(data, SIZE);
    if (bytes == 0)
        skip(); /* memory is too fragmented */
    assert_true(bytes == HUGE || bytes == 2 * HUGE);
}

TREE_TEST(test_memory)
{
    put("/proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable: 8000 kB\n");
    assert_int_equal(memory_available_at(root), 8000 * 1024);
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_int_equal(memory_available_at(root), 8000 * 1024);
    put("/sys/fs/cgroup/a/memory.max", "1000000\n");
    put("/sys/fs/cgroup/a/memory.current", "600000\n");
    assert_int_equal(memory_available_at(root), 400000);
    put("/sys/fs/cgroup/a/memory.stat", "anon 500000\ninactive_file 100000\n");
    assert_int_equal(memory_available_at(root), 500000);
    put("/sys/fs/cgroup/memory.max", "300\n");
    put("/sys/fs/cgroup/memory.current", "400\n");
    assert_int_equal(memory_available_at(root), 0);
    put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/job\n0::/none\n");
    put("/sys/fs/cgroup/memory.max", "max\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7000\n");
    put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "5000\n");
    assert_int_equal(memory_available_at(root), 2000);
}

TREE_TEST(test_steal)
{
    put("/proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 80 9 10\n"
                      "cpu1 1 2 3 4 5 6 7 81 9 10\ncpu12 1 2 3 4 5 6 7 92 9 10\n"
                      "intr 5 5 5 5 5 5 5 5 5 5\n");
    assert_int_equal(cpus_steal_at(root, 0), 80);
    assert_int_equal(cpus_steal_at(root, 1), 81);
    assert_int_equal(cpus_steal_at(root, 12), 92);
    assert_int_equal(cpus_steal_at(root, 2), -1);
}

/* CPUs as they answer to CPUID. */
static bool zen4(uint32_t leaf, uint32_t k, uint32_t r[4])
{
    r[0] = r[2] = r[3] = 0;
    r[1] = 0x6c005040; /* 3072 for data, 64 for code */
    return leaf == 0x80000006;
}

static bool alder_lake(uint32_t leaf, uint32_t k, uint32_t r[4])
{
    static const uint32_t table[][4] = {
        {4, 0, 0, 0},
        {4, 0x00080001, 32, 0x22},    /* code, level 1 */
        {4, 0x00060001, 16, 0x21},    /* data, level 1 */
        {4, 0x00080001, 128, 0x4042}, /* code, level 2 */
        {4, 0x00080007, 256, 0x4043}, /* both, level 2 */
    };
    if (leaf != 0x18 || k >= ARRAY_LEN(table))
        return false;
    memcpy(r, table[k], sizeof table[k]);
    return true;
}

static bool skylake(uint32_t leaf, uint32_t k, uint32_t r[4])
{
    r[0] = 0x76036301;
    r[1] = 0x00f0b5ff;
    r[2] = 0;
    r[3] = 0x00c30000;
    return leaf == 2;
}

static bool skylake_invalid(uint32_t leaf, uint32_t k, uint32_t r[4])
{
    const bool known = skylake(leaf, k, r);
    r[3] |= UINT32_C(1) << 31; /* this register says nothing */
    return known;
}

static bool silent(uint32_t leaf, uint32_t k, uint32_t r[4])
{
    return false;
}

TEST(test_tlb)
{
    assert_int_equal(host_tlb_entries(zen4), 3072);
    assert_int_equal(host_tlb_entries(alder_lake), 2048);
    assert_int_equal(host_tlb_entries(skylake), 1536);
    assert_int_equal(host_tlb_entries(skylake_invalid), 0);
    assert_int_equal(host_tlb_entries(silent), 0);
}

static bool until_two(char *text, void *context)
{
    ++*(int *)context;
    return strcmp(text, "two") != 0;
}

/* Files are read, and those that are not there. */
TREE_TEST(test_files)
{
    char text[8], folder[80];
    int lines = 0;
    put("/task/status", "Name: 7\nSeccomp_filters:\t1\nSeccomp:\t2\n");
    put("/task/lines", "one\ntwo\nthree\n");
    put("/schedstat", "1745090 5095232 3\n");
    assert_int_equal(file_waited(root, "/schedstat"), 5095232);
    assert_int_equal(file_waited(root, "/task/absent"), 0);
    assert_int_equal(file_told(root, "/task/status", "Seccomp"), 2);
    assert_int_equal(file_told(root, "/task/status", "Threads"), -1);
    assert_int_equal(file_told(root, "/task/absent", "Seccomp"), -1);
    assert_int_equal(file_lines(root, "/task/lines", until_two, &lines), 1);
    assert_int_equal(lines, 2);
    assert_int_equal(file_lines(root, "/task/status", until_two, &lines), 0);
    assert_int_equal(file_lines(root, "/task/absent", until_two, &lines), -ENOENT);
    assert_int_equal(file_read(root, "/task/absent", text, sizeof text), -ENOENT);
    assert_string_equal(text, "");
    snprintf(folder, sizeof folder, "%s/task", root);
    assert_int_equal(folder_count(folder), 2);
    assert_int_equal(folder_count("/absent"), 0);
}
