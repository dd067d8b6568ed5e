/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_perf.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file_tree.h"

struct fake fake;

static struct file *file_of(int fd)
{
    assert_in_range(fd, FIRST_FD, FIRST_FD + fake.files - 1);
    assert_true(fake.file[fd - FIRST_FD].open);
    return &fake.file[fd - FIRST_FD];
}

static int group_files(int leader, int *fd)
{
    int n = 0;
    for (int k = 0; k < fake.files; k++)
        if (fake.file[k].open && fake.file[k].leader == leader)
            fd[n++] = FIRST_FD + k;
    return n;
}

static int fake_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                     unsigned long flags)
{
    int fds[FDS];
    assert_int_equal(cpu, -1);
    assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
    if (fake.refused_errno && attr->config == fake.refused_config &&
        (fake.refused_pid == 0 || fake.refused_pid == pid)) {
        errno = fake.refused_errno;
        return -1;
    }
    if (fake.no_exclude && (attr->exclude_kernel || attr->exclude_hv)) {
        errno = EINVAL;
        return -1;
    }
    if (group_fd >= 0 && attr->type != PERF_TYPE_SOFTWARE &&
        group_files(group_fd, fds) >= fake.capacity) {
        errno = EINVAL;
        return -1;
    }
    assert_true(fake.files < FDS);
    const int fd = FIRST_FD + fake.files++;
    fake.file[fd - FIRST_FD] = (struct file){.attr = *attr,
                                             .pid = pid,
                                             .leader = group_fd < 0 ? fd : group_fd,
                                             .open = true,
                                             .enabled = !attr->disabled};
    fake.open_files++;
    return fd;
}

static uint64_t id_of(int fd)
{
    return (uint64_t)(9000 - 7 * fd);
}

static ssize_t fake_read(int fd, void *buffer, size_t size)
{
    uint64_t *const word = buffer;
    struct file *const leader = file_of(fd);
    int fds[FDS];
    const int n = group_files(fd, fds);
    assert_true(size >= (size_t)(3 + 2 * n) * 8);
    if (fake.read_errno) {
        errno = fake.read_errno;
        return -1;
    }
    const bool fits = n <= fake.available || leader->attr.type == PERF_TYPE_SOFTWARE;
    if (leader->enabled && !fits && leader->attr.pinned)
        return 0;
    const bool awake = fake.asleep == 0 || leader->pid != fake.asleep;
    const double share =
        fake.sharing != 0 && leader->pid == fake.sharing ? 0.5 : fake.share;
    if (leader->enabled && awake) {
        leader->time += fake.read_ns;
        if (fits)
            leader->running += (uint64_t)(share * (double)fake.read_ns);
    }
    const bool jumps = fake.jump_every && ++fake.reads % fake.jump_every == 0;
    word[0] = (uint64_t)n;
    word[1] = leader->time;
    word[2] = leader->running;
    for (int k = 0; k < n; k++) {
        struct file *const file = file_of(fds[k]);
        const uint64_t step = 1000 * file->attr.config;
        if (leader->enabled && awake && !fake.answer)
            file->value = fake.backwards ? file->value - step : file->value + step;
        const int at = fake.reversed ? n - 1 - k : k;
        word[3 + 2 * at] = file->value + (uint64_t)(jumps ? fake.jump : 0);
        word[4 + 2 * at] = id_of(fds[k]);
    }
    return (ssize_t)(3 + 2 * n) * 8 - fake.cut;
}

uint64_t fake_loop(enum proof_loop loop, uint64_t turns, void *context)
{
    /* Time must pass for what the turns count. */
    const int64_t begin = clock_now();
    while (clock_now() - begin < 20000)
        continue;
    for (int leader = 0; leader < fake.files; leader++) {
        int fds[FDS], slot = 0;
        if (!fake.file[leader].open || !fake.file[leader].enabled ||
            fake.file[leader].leader != FIRST_FD + leader)
            continue;
        const int n = group_files(FIRST_FD + leader, fds);
        for (int k = 0; k < n; k++) {
            struct file *const file = file_of(fds[k]);
            if (++slot != fake.dead_slot || file->attr.type == PERF_TYPE_SOFTWARE)
                file->value +=
                    (uint64_t)(fake.answer(file->attr.config, loop) * (double)turns +
                               0.5);
        }
    }
    return turns;
}

static int fake_ioctl(int fd, unsigned long request, unsigned long argument)
{
    struct file *const file = file_of(fd);
    if (request == PERF_EVENT_IOC_ID) {
        *(uint64_t *)argument = id_of(fd);
        return 0;
    }
    assert_int_equal(argument, PERF_IOC_FLAG_GROUP);
    assert_true(request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
    file->enabled = request == PERF_EVENT_IOC_ENABLE;
    fake.switches++;
    return 0;
}

static int fake_close(int fd)
{
    file_of(fd)->open = false;
    fake.open_files--;
    return 0;
}

static void *fake_map(int fd)
{
    struct file *const file = file_of(fd);
    if (!fake.mappable)
        return NULL;
    fake.mapped++;
    file->page = (struct perf_event_mmap_page){.cap_user_rdpmc = 1,
                                               .index = (uint32_t)(fd - FIRST_FD + 1),
                                               .pmc_width = (uint16_t)fake.width,
                                               .offset = 1000000000};
    return &file->page;
}

static void fake_unmap(void *page)
{
    assert_non_null(page);
    fake.mapped--;
}

/* The counter of an event lies below the offset of its page: what it holds is negative.
 */
static uint64_t fake_rdpmc(uint32_t counter)
{
    struct file *const file = &fake.file[counter];
    assert_true((int)counter < fake.files && file->open);
    fake.user_reads++;
    if (fake.locks > 0) {
        fake.locks--;
        file->page.lock += 2;
        return 12345;
    }
    if (file_of(file->leader)->enabled)
        file->value += 1000 * file->attr.config;
    if (fake.off_pmu && fake.user_reads >= fake.off_pmu)
        for (int k = 0; k < fake.files; k++)
            fake.file[k].page.index = 0;
    const uint64_t held = file->value + fake.mismatch - (uint64_t)file->page.offset;
    return fake.width < 64 ? held & ((1ull << fake.width) - 1) : held;
}

static char root[64];
const struct perf_system fake_system = {fake_open,  fake_read, fake_ioctl,
                                        fake_close, fake_map,  fake_unmap,
                                        fake_rdpmc, root,      0};

void fake_file(const char *path, const char *text)
{
    tree_put(root, path, text);
}

int fake_setup(void **state)
{
    fake = (struct fake){
        .capacity = 6, .available = 6, .share = 1, .read_ns = 1000000, .width = 48};
    strcpy(root, "/tmp/simdbench-perf-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    fake_file("/sys/bus/event_source/devices/cpu/type", "4");
    fake_file("/proc/sys/kernel/perf_event_paranoid", "3");
    fake_file("/proc/sys/kernel/nmi_watchdog", "1");
    fake_file("/proc/self/status", "Name:\tx\nSeccomp:\t0\n");
    return 0;
}

void fake_remove(const char *path)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    assert_int_equal(tree_remove(full), 0);
}

void fake_no_pmu(void)
{
    fake_remove("/sys/bus/event_source/devices/cpu");
}

int fake_teardown(void **state)
{
    return tree_remove(root);
}

struct counters *fake_open_events(const struct event *events, size_t n,
                                  enum counters_mode mode)
{
    struct counters *counters = NULL;
    assert_int_equal(counters_open(&counters, events, n, mode, &fake_system, NULL), 0);
    assert_non_null(counters);
    return counters;
}

struct counters *fake_open_mode(size_t n, struct event *events, enum counters_mode mode)
{
    for (size_t k = 0; k < n; k++)
        events[k] = (struct event){.type = PERF_TYPE_RAW, .config = k + 1};
    return fake_open_events(events, n, mode);
}

struct counters *fake_open_raw(size_t n, struct event *events)
{
    return fake_open_mode(n, events, COUNTERS_PINNED);
}

void fake_region(struct counters *counters)
{
    const int switches = fake.switches;
    counters_begin(counters);
    counters_end(counters);
    assert_int_equal(fake.switches, switches);
}

void fake_counts(const struct counters *counters, size_t i, uint64_t value)
{
    struct count count;
    assert_true(counters_get(counters, i, &count));
    assert_string_equal(count.absent, "");
    assert_int_equal(count.value, value);
}

void fake_absent(const struct counters *counters, size_t i, const char *word)
{
    struct count count;
    assert_true(counters_get(counters, i, &count));
    if (!strstr(count.absent, word))
        fail_msg("\"%s\" does not say \"%s\"", count.absent, word);
    assert_int_equal(count.value, 0);
}

void fake_finish(struct counters *counters)
{
    counters_close(counters);
    assert_int_equal(fake.open_files, 0);
    assert_int_equal(fake.mapped, 0);
}
