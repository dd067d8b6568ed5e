/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of this process. */
#include "surgery_private.h"

#include <inttypes.h>

#include "files.h"

/* False: out of memory. */
static bool add_region(char *line, void *context)
{
    struct objects *const objects = context;
    char flags[5] = "";
    int name = 0;
    uint64_t lo, hi;
    if (!array_room(&objects->region, objects->n_regions, sizeof *objects->region))
        return false;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &lo, &hi, flags,
               &name) < 3)
        return true;
    const char *const path = line + name;
    objects->region[objects->n_regions++] =
        (struct region){.lo = lo,
                        .hi = hi,
                        .readable = flags[0] == 'r',
                        .writable = flags[1] == 'w',
                        .executable = flags[2] == 'x',
                        .own = !path[0] || !strncmp(path, "/memfd:", 7) ||
                               !strncmp(path, "/dev/", 5) || !strncmp(path, "[anon", 5)};
    return true;
}

int regions_read(struct objects *objects)
{
    const int status = file_lines("", "/proc/self/maps", add_region, objects);
    return status > 0 ? -ENOMEM : status;
}

const struct region *region_at(const struct objects *objects, uint64_t address)
{
    size_t lo = 0, hi = objects->n_regions;
    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        const struct region *const region = &objects->region[middle];
        if (address >= region->lo && address < region->hi)
            return region;
        if (address < region->lo)
            hi = middle;
        else
            lo = middle + 1;
    }
    return NULL;
}
