/* SPDX-License-Identifier: Apache-2.0 */
/* The same work on operands that are near: where data lies makes the difference. */
#include "explain_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIMENSIONS_MAX = SIMDBENCH_MAX_DIMS, STEPS_MAX = 128 };
/* A kernel that uses each element so often is not measured by its first cache. */
#define REUSE 8.0

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
    for (const char *at = text; *at && n < DIMENSIONS_MAX;) {
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

/* About half, with the same remainder: tails stay as they are. */
static uint64_t half(const struct dimension *dimension)
{
    const uint64_t value = dimension->value;
    const uint64_t step = value >= 64 ? 16 : 8;
    return value >= 16                     ? value / 2 / step * step + value % step
           : dimension->outer && value > 1 ? value / 2
                                           : value;
}

static char *with_value(const char *text, const struct dimension *dimension,
                        uint64_t value)
{
    char *changed = NULL;
    must(asprintf(&changed, "%.*s%" PRIu64 "%s", (int)(dimension->at - text), text, value,
                  dimension->at + dimension->length));
    return changed;
}

/* Outer dimensions first, then the largest. */
static struct dimension *choose(struct dimension *dimensions, size_t n)
{
    struct dimension *best = NULL;
    for (size_t i = 0; i < n; i++) {
        struct dimension *const other = &dimensions[i];
        if (other->dead || half(other) >= other->value)
            continue;
        if (!best || other->outer > best->outer ||
            (other->outer == best->outer && other->value > best->value))
            best = other;
    }
    return best;
}

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

/* One dimension less; false if none can be. */
static bool shrink(const struct variant *base, char **text, struct shape_info *info)
{
    const struct plan_group *const group = variant_group(base);
    const bool image = !strcmp(group->op, "conv");
    struct dimension dimensions[DIMENSIONS_MAX];
    const size_t n = find_dimensions(*text, image, dimensions);
    for (struct dimension *at; (at = choose(dimensions, n));) {
        struct shape_info smaller;
        struct error error;
        char *const changed = with_value(*text, at, half(at));
        at->dead = true;
        if (catalog_shape(&base->catalog, group->op, group->type, changed, NULL, &smaller,
                          &error) == 0 &&
            !strcmp(smaller.layout, info->layout) && smaller.bytes < info->bytes) {
            free(*text);
            *text = changed;
            *info = smaller;
            return true;
        }
        free(changed);
    }
    return false;
}

char *smaller_shape(const struct variant *base, const char **why)
{
    const struct plan_group *const group = variant_group(base);
    const double target = target_bytes(group);
    struct shape_info info = group->shape;
    if (info.bytes <= target) {
        *why = "its operands are near the core already";
        return NULL;
    }
    char *text = must_have(strdup(info.text));
    for (int i = 0; i < STEPS_MAX && info.bytes > target; i++)
        if (!shrink(base, &text, &info))
            break;
    if (info.bytes <= target)
        return text;
    *why = "no smaller shape has operands that fit into a near cache";
    free(text);
    return NULL;
}

void smaller_shapes(const struct variant *base, struct text_list *shapes)
{
    struct shape_info info = variant_group(base)->shape;
    char *text = must_have(strdup(info.text));
    for (int i = 0; i < STEPS_MAX && shrink(base, &text, &info); i++)
        text_list_add(shapes, text);
    free(text);
}
