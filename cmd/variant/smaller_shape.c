/* SPDX-License-Identifier: Apache-2.0 */
/* The same work on operands that are near: where data lies makes the difference. */
#include "variant/variant.h"

#include <string.h>

/* A kernel that uses each element so often is not measured by its first cache. */
#define REUSE 8.0

static double cache_bytes(int level)
{
    struct host host;
    host_read(&host, "");
    for (size_t i = 0; i < host.caches; i++)
        if (host.cache[i].level == level && host.cache[i].type != 'i')
            return (double)host.cache[i].bytes;
    return level == 1 ? 32768 : 262144;
}

/* Three quarters of the first cache for what streams, a quarter of the second for what
 * uses its operands again and again. */
static double target_bytes(const struct plan_group *group)
{
    const double elements = group->shape.bytes / (double)type_bytes(group->type);
    return group->shape.ops < REUSE * elements ? 0.75 * cache_bytes(1)
                                               : 0.25 * cache_bytes(2);
}

char *smaller_shape(const struct variant *base, const char **why)
{
    const struct plan_group *const group = variant_group(base);
    const double target = target_bytes(group);
    struct shape_info info = group->shape;
    *why = "its operands are near the core already";
    if (info.bytes <= target)
        return NULL;
    while (info.bytes > target && shape_smaller(&base->catalog, group, &info))
        continue;
    *why = "no smaller shape has operands that fit into a near cache";
    return info.bytes <= target ? must_have(strdup(info.text)) : NULL;
}

void smaller_shapes(const struct variant *base, struct text_list *shapes)
{
    const struct plan_group *const group = variant_group(base);
    struct shape_info info = group->shape;
    while (shape_smaller(&base->catalog, group, &info))
        text_list_add(shapes, info.text);
}
