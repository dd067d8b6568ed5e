/* SPDX-License-Identifier: Apache-2.0 */
/* Loads that may find vectors or floats that the same call stores, at any time before. */
#include "inspect_private.h"

#include <math.h>

static bool has_access(const struct node *node, bool write)
{
    bool has = false;
    FOR_EACH (const struct access, access, node->code.access, node->code.n_accesses)
        has |= access_is_counted(&node->code, access) &&
               (write ? access->write : access->read);
    return has;
}

/* The bytes of all executions: their span grows by as much as those have whose places
 * nobody knows. Windows see a part of a call. */
static struct span whole_span(const struct node *node, struct span known, bool whole)
{
    const struct span all = {.hi = UINT64_MAX};
    double accesses = 0;
    for (unsigned i = 0; i < node->code.n_accesses; i++)
        accesses += access_is_counted(&node->code, &node->code.access[i]);
    if (!known.bytes)
        return all;
    const double missing =
        accesses * (double)node->executed / (double)node->counts.addressed - 1;
    const double more = (double)(known.hi - known.lo) * fmax(missing, whole ? 0 : 1);
    if (more >= (double)known.lo || more >= (double)UINT64_MAX - (double)known.hi)
        return all;
    return (struct span){.lo = known.lo - (uint64_t)more,
                         .hi = known.hi + (uint64_t)more + known.bytes - 1};
}

static bool overlap(struct span a, struct span b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

/* Spans that overlap are one. */
static void join(struct spans *spans, struct span new)
{
    for (size_t i = 0; i < spans->n;) {
        const struct span old = spans->span[i];
        if (!overlap(old, new)) {
            i++;
            continue;
        }
        new.lo = old.lo < new.lo ? old.lo : new.lo;
        new.hi = old.hi > new.hi ? old.hi : new.hi;
        spans->span[i] = spans->span[--spans->n];
    }
    spans->span[spans->n++] = new;
}

bool spans_take(const struct nodes *nodes, bool whole, struct spans *spans)
{
    *spans =
        (struct spans){.span = calloc(nodes->n + 1, sizeof *spans->span), .whole = whole};
    for (uint32_t i = 0; spans->span && i < nodes->n; i++) {
        const struct node *const node = &nodes->node[i];
        if ((node->code.vector || node->code.scalar_float) && has_access(node, true))
            join(spans, whole_span(node, node->stores, whole));
    }
    return spans->span != NULL;
}

bool spans_meet(const struct spans *spans, const struct node *node)
{
    bool meets = false;
    if (!has_access(node, false))
        return false;
    const struct span loads = whole_span(node, node->loads, spans->whole);
    for (size_t i = 0; i < spans->n && !meets; i++)
        meets = overlap(spans->span[i], loads);
    return meets;
}
