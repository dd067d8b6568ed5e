/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>

#include "perfctr_private.h"

struct range {
    uint64_t begin, end;
    uint64_t overlap; /* of the mapping that is being read */
    uint64_t huge;    /* of that mapping */
    uint64_t total;   /* of all before it */
};

static void mapping_finish(struct range *range)
{
    range->total += range->huge < range->overlap ? range->huge : range->overlap;
    range->huge = range->overlap = 0;
}

static bool smaps_line(char *text, void *context)
{
    struct range *const range = context;
    uint64_t begin, end, kib;
    char name[32];
    if (sscanf(text, "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2) {
        mapping_finish(range);
        const uint64_t from = begin > range->begin ? begin : range->begin;
        const uint64_t to = end < range->end ? end : range->end;
        range->overlap = from < to ? to - from : 0;
    } else if (range->overlap > 0 &&
               sscanf(text, "%31[A-Za-z_]: %" SCNu64 " kB", name, &kib) == 2) {
        if (!strcmp(name, "AnonHugePages") || !strcmp(name, "ShmemPmdMapped") ||
            !strcmp(name, "FilePmdMapped"))
            range->huge += kib * 1024;
        else if (!strcmp(name, "KernelPageSize") && kib >= 2048)
            range->huge = range->overlap;
    }
    return true;
}

int64_t pages_huge_at(const char *root, uint64_t begin, uint64_t size)
{
    struct range range = {.begin = begin, .end = begin + size};
    if (file_lines(root, "/proc/self/smaps", smaps_line, &range) < 0)
        return -1;
    mapping_finish(&range);
    return (int64_t)range.total;
}

int64_t pages_huge(const void *data, uint64_t size)
{
    return pages_huge_at("", (uintptr_t)data, size);
}

struct memory {
    const char *root;
    uint64_t available;
};

static bool meminfo_line(char *text, void *context)
{
    return sscanf(text, "MemAvailable: %" SCNu64 " kB", (uint64_t *)context) != 1;
}

struct field {
    const char *name;
    uint64_t value;
};

static bool field_line(char *text, void *context)
{
    struct field *const field = context;
    const size_t length = strlen(field->name);
    if (strncmp(text, field->name, length) != 0 || text[length] != ' ')
        return true;
    field->value = strtoull(text + length + 1, NULL, 10);
    return false;
}

/* A control group has room for its limit less its use; its page cache gives way. */
static void cgroup_limit(struct memory *memory, const char *folder, bool v2)
{
    char path[PATH_MAX + 32], text[32];
    snprintf(path, sizeof path, "%s/%s", folder,
             v2 ? "memory.max" : "memory.limit_in_bytes");
    if (file_read(memory->root, path, text, sizeof text) <= 0 || !strcmp(text, "max"))
        return;
    const uint64_t limit = strtoull(text, NULL, 10);
    snprintf(path, sizeof path, "%s/%s", folder,
             v2 ? "memory.current" : "memory.usage_in_bytes");
    const int64_t said = file_number(memory->root, path);
    uint64_t used = said > 0 ? (uint64_t)said : 0;
    struct field cache = {.name = v2 ? "inactive_file" : "total_inactive_file"};
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    file_lines(memory->root, path, field_line, &cache);
    used -= cache.value < used ? cache.value : used;
    const uint64_t left = limit > used ? limit - used : 0;
    if (left < memory->available)
        memory->available = left;
}

/* A line of /proc/self/cgroup, "0::/path" (v2) or "4:memory:/path" (v1): the limits of
 * the group and of all groups above it hold. */
static bool cgroup_line(char *text, void *context)
{
    struct memory *const memory = context;
    char *const controllers = strchr(text, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return true;
    *path++ = '\0';
    const bool v2 = controllers[1] == '\0';
    if (!v2 && strcmp(controllers + 1, "memory") != 0)
        return true;
    char folder[PATH_MAX];
    const char *const mount = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (;;) {
        const size_t length = strlen(path);
        if (length > 0 && path[length - 1] == '/')
            path[length - 1] = '\0';
        snprintf(folder, sizeof folder, "%s%.3000s", mount, path);
        cgroup_limit(memory, folder, v2);
        char *const slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return true;
}

uint64_t memory_available_at(const char *root)
{
    struct memory memory = {.root = root};
    file_lines(root, "/proc/meminfo", meminfo_line, &memory.available);
    memory.available *= 1024;
    if (memory.available > 0)
        file_lines(root, "/proc/self/cgroup", cgroup_line, &memory);
    return memory.available;
}

uint64_t memory_available(void)
{
    return memory_available_at("");
}
