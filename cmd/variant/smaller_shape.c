/* SPDX-License-Identifier: Apache-2.0 */
/* The same work on operands that are near: where data lies makes the difference. */
#include "variant/variant.h"

/* A kernel that uses each element so often is not measured by its first cache. */
#define REUSE 8.0
/* Cores learn all branches of a call on so many elements by heart. */
#define FEW 512.0

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

/* The second cache is near, too, where a shape must not become smaller. */
static bool is_near(const struct plan_group *group, const struct shape_info *info,
                    double target, bool few)
{
    return info->bytes <= target ||
           (info->bytes <= (few ? 4 * target : 0.25 * cache_bytes(2)) &&
            4 * info->bytes <= group->shape.bytes);
}

/* Own kernels take any shape, others may not: whether the case is right there. */
static int check_shape(const struct variant *base, const struct case_name *name,
                       const char *shape, struct error *error)
{
    struct variant variant;
    if (!variant_offer(base)->worker->info.path)
        return 0;
    variant_begin(&variant, &base->request, &base->how, name);
    variant_set_shape(&variant, shape);
    variant.run = run_new();
    int status = variant_open(&variant, error);
    if (status == 0) {
        variant_leave_roofs(&variant);
        const struct run_arm arm = variant_arm(&variant);
        status = run_arm_check(&arm, error);
    }
    variant_close(&variant);
    run_free(variant.run);
    return status;
}

/* A kernel that fails may do with less of one dimension alone. The first reason stays. */
char *smaller_shape(const struct variant *base, const struct case_name *name, bool few,
                    struct error *why)
{
    const struct plan_group *const group = variant_group(base);
    const double target = few ? FEW * type_bytes(group->type) : target_bytes(group);
    char failed[sizeof group->shape.text] = "";
    if (group->shape.bytes <= target) {
        error_set(why, -ENOENT,
                  few ? "its operands have few elements already"
                      : "its operands are near the core already");
        return NULL;
    }
    for (int only = -1; only < SIMDBENCH_MAX_DIMS && !interrupted_by; only++) {
        struct shape_info info = group->shape;
        struct error error = {.text = ""};
        while (info.bytes > target &&
               shape_smaller_alike(&base->catalog, group, only, &info))
            continue;
        if (!is_near(group, &info, target, few) || !strcmp(info.text, failed))
            continue;
        if (check_shape(base, name, info.text, &error) == 0)
            return must_have(strdup(info.text));
        if (!failed[0])
            invalid(why, "at %s: %.200s", info.text, error.text);
        snprintf(failed, sizeof failed, "%s", info.text);
    }
    if (!failed[0])
        error_set(why, -ENOENT,
                  few ? "no smaller shape has few elements"
                      : "no smaller shape has operands that fit into a near cache");
    return NULL;
}

void smaller_shapes(const struct variant *base, bool alike, struct text_list *shapes)
{
    const struct plan_group *const group = variant_group(base);
    struct shape_info info = group->shape;
    while (alike ? shape_smaller_alike(&base->catalog, group, -1, &info)
                 : shape_smaller(&base->catalog, group, &info))
        text_list_add(shapes, info.text);
}
