/* SPDX-License-Identifier: Apache-2.0 */
/* The same op with less work, or on less: a shape whose numbers are smaller. */
#include "plan/plan.h"

#include <ctype.h>
#include <inttypes.h>

struct dimension {
    const char *at; /* its first digit */
    size_t length;
    uint64_t value;
    bool outer; /* a batch, rows and columns of an image: no part of the inner loop */
    bool dead;  /* cannot be smaller */
};

static size_t find_dimensions(const char *text, bool image, struct dimension *dimensions)
{
    size_t n = 0;
    for (const char *at = text; *at && n < SIMDBENCH_MAX_DIMS;) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *end;
        const char before = at > text ? at[-1] : ' ';
        const uint64_t value = strtoull(at, &end, 10);
        dimensions[n++] = (struct dimension){.at = at,
                                             .length = (size_t)(end - at),
                                             .value = value,
                                             .outer = before == 'b' ||
                                                      (image && strchr("nhw", before))};
        at = end;
    }
    return n;
}

/* The largest power of two that divides a number, but no more than 64. */
static uint64_t grain(uint64_t value)
{
    enum { MOST = 64 };
    const uint64_t power = value & (~value + 1);
    return power < MOST ? power : MOST;
}

/* About half, with the same remainder, so that tails stay as they are; 8 or more. With
 * `least`, so many or more, and a multiple of the same power of two: kernels without
 * tails rely on it. */
static uint64_t half(const struct dimension *dimension, uint64_t least)
{
    const uint64_t value = dimension->value, kept = least ? grain(value) : 0;
    const uint64_t usual = value >= 64 ? 16 : 8, step = kept > usual ? kept : usual;
    if (value < 16 || (least && dimension->outer))
        return dimension->outer && value > 1 ? value / 2 : value;
    const uint64_t less = value / 2 / step * step + value % step;
    return less && less >= least ? less : value;
}

/* Outer dimensions first, then the largest. */
static struct dimension *choose(struct dimension *dimensions, size_t n, uint64_t least,
                                int only)
{
    struct dimension *best = NULL;
    for (size_t i = 0; i < n; i++) {
        struct dimension *const other = &dimensions[i];
        if (other->dead || half(other, least) >= other->value ||
            (only >= 0 && (size_t)only != i))
            continue;
        if (!best || other->outer > best->outer ||
            (other->outer == best->outer && other->value > best->value))
            best = other;
    }
    return best;
}

double shape_work(const struct shape_info *info)
{
    return info->ops > 0 ? info->ops : info->bytes;
}

/* A dimension may be none of the work's, but of the operands'. */
static bool is_less(const struct shape_info *info, const struct shape_info *old)
{
    const double work = shape_work(info), before = shape_work(old);
    return work < before || (work == before && info->bytes < old->bytes);
}

static bool smaller(const struct catalog *catalog, const struct plan_group *group,
                    uint64_t least, int only, struct shape_info *info)
{
    const struct shape_info old = *info;
    struct dimension dimensions[SIMDBENCH_MAX_DIMS];
    const size_t n = find_dimensions(old.text, !strcmp(group->op, "conv"), dimensions);
    for (struct dimension *at; (at = choose(dimensions, n, least, only));) {
        struct error error;
        char text[sizeof old.text + 24];
        snprintf(text, sizeof text, "%.*s%" PRIu64 "%s", (int)(at->at - old.text),
                 old.text, half(at, least), at->at + at->length);
        at->dead = true;
        if (catalog_shape(catalog, group->op, group->type, text,
                          old.layout[0] ? old.layout : NULL, info, &error) == 0 &&
            !strcmp(info->layout, old.layout) && is_less(info, &old))
            return true;
        *info = old;
    }
    return false;
}

bool shape_smaller(const struct catalog *catalog, const struct plan_group *group,
                   struct shape_info *info)
{
    return smaller(catalog, group, 0, -1, info);
}

bool shape_smaller_alike(const struct catalog *catalog, const struct plan_group *group,
                         int only, struct shape_info *info)
{
    enum { WIDEST_BYTES = 64 };
    const uint64_t size = type_bytes(group->type);
    const uint64_t least = size < WIDEST_BYTES ? WIDEST_BYTES / size : 1;
    return smaller(catalog, group, least, only, info);
}

bool shape_shrink(const struct catalog *catalog, const struct plan_group *group,
                  double most_work, struct shape_info *info)
{
    *info = group->shape;
    while (shape_work(info) > most_work)
        if (!shape_smaller(catalog, group, info))
            break;
    return shape_work(info) < shape_work(&group->shape);
}
