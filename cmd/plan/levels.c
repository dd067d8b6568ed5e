/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of memory, and working sets that lie in each of them. */
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>

/* A call of a rung moves at least that much for each thread: it takes some 20 us, so that
 * its start, and that of a team, is below 1% of it. */
#define CALL_BYTES (4.0 * (1 << 20))
/* The set beyond all caches is four times larger than they are, so that even a cache that
 * does not replace the oldest lines first holds little of it; but no more than that, and
 * twice as large, where caches are so large that it would take minutes. */
#define BEYOND_MOST (256.0 * (1 << 20))

struct memory_levels levels_of(const struct host *host)
{
    struct memory_levels levels = {.n = 0};
    const uint32_t smt = host->cores > 0 && host->cpus > host->cores
                             ? (uint32_t)(host->cpus / host->cores)
                             : 1;
    for (size_t i = 0; i < host->caches && levels.n < ARRAY_LEN(levels.level); i++) {
        const struct cache *const cache = &host->cache[i];
        if (cache->type == 'i' || !cache->bytes)
            continue;
        const uint32_t sharing = cache->sharing ? cache->sharing : 1;
        const uint32_t all = host->cpus > 0 ? (uint32_t)host->cpus : 1;
        struct memory_level *const level = &levels.level[levels.n++];
        *level = (struct memory_level){
            .bytes = (double)cache->bytes,
            .cores = sharing > smt ? sharing / smt : 1,
            .how_many = all > sharing ? all / sharing : 1,
        };
        snprintf(level->name, sizeof level->name, "L%d", cache->level);
    }
    return levels;
}

struct memory_levels levels_here(void)
{
    struct host host;
    host_read(&host, "");
    return levels_of(&host);
}

double level_bytes(const struct memory_level *level, uint32_t threads)
{
    const uint32_t reached = (threads + level->cores - 1) / level->cores;
    return level->bytes * (reached < level->how_many ? reached : level->how_many);
}

double levels_fit(const struct memory_levels *levels, double working_set)
{
    for (size_t i = 0; i < levels->n && working_set > 0; i++)
        if (working_set <= levels->level[i].bytes)
            return levels->level[i].bytes / working_set;
    return 2;
}

const char *levels_find(const struct memory_levels *levels, uint32_t threads,
                        double working_set)
{
    for (size_t i = 0; i < levels->n; i++)
        if (working_set <= level_bytes(&levels->level[i], threads))
            return levels->level[i].name;
    return levels->n ? "memory" : NULL;
}

/* Each thread's part is whole lines. */
static void add_rung(double bytes, uint32_t threads, struct text_list *shapes)
{
    const uint64_t part = (uint64_t)bytes / threads / 64 * 64;
    const double passes = ceil(CALL_BYTES / (double)part);
    char text[64];
    snprintf(text, sizeof text, passes > 1 ? "%" PRIu64 "x%.0f" : "%" PRIu64,
             part * threads, passes);
    text_list_add(shapes, text);
}

/* Copies work on two buffers: both kinds of working set should be of the same level. */
void levels_rungs(const struct memory_levels *levels, uint32_t threads,
                  struct text_list *shapes)
{
    static const double shares[] = {1.0 / 4, 3.0 / 8};
    double largest = 0;
    FOR_EACH (const struct memory_level, level, levels->level, levels->n) {
        const double bytes = level_bytes(level, threads);
        for (size_t k = 0; k < ARRAY_LEN(shares); k++)
            if (shares[k] * bytes > largest)
                add_rung(shares[k] * bytes, threads, shapes);
        largest = fmax(largest, bytes);
    }
    if (largest > 0)
        add_rung(fmax(2 * largest, fmin(4 * largest, BEYOND_MOST)), threads, shapes);
}

double roof_working_set(const struct simdbench_shape *shape, const char *variant)
{
    const bool two = !strncmp(variant, "copy", strlen("copy"));
    return shape->rank ? (double)shape->dim[0] * (two ? 2 : 1) : 0;
}
