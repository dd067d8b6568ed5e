/* SPDX-License-Identifier: Apache-2.0 */
/* One case of two builds, and the workers of its arms. */
#include "ab_private.h"

uint64_t ab_random(const struct ab *ab, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = ab->how.seed;
    const uint64_t parts[] = {a, b, c};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        state = random_next(&state) ^ parts[i];
    return random_next(&state);
}

struct runner ab_runner(struct ab_group *group, size_t c, int which)
{
    const struct ab_arm *const arm = &group->ab->arm[which];
    return (struct runner){.group = &group->state,
                           .entry = &group->state.cases[c],
                           .worker = arm->worker,
                           .number = group->cases[c].number[which],
                           .copy = group->cases[c].best[which],
                           .foreign = group->ab->own_processes &&
                                      !group->state.plan->settings.huge_pages,
                           .name = arm->name,
                           .more = which == ARM_CONTROL ? " (a copy of base)" : NULL};
}
