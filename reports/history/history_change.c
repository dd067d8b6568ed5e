/* SPDX-License-Identifier: Apache-2.0 */
/* Changes in the history of a case on a host. */
#include <math.h>

#include "history.h"
#include "text/text.h"

enum { SEED = 1 };

size_t history_group_end(const struct history *history, size_t first)
{
    const struct history_entry *const entries = history->entries;
    size_t end = first;

    while (end < history->n && !strcmp(entries[end].id, entries[first].id) &&
           !strcmp(entries[end].fingerprint, entries[first].fingerprint))
        end++;
    return end;
}

/* Runs of files that tell no machine may be of many, so that their changes mean nothing.
 * A function without a reference has a time. */
static bool is_compared(const struct history_entry *entry)
{
    return *entry->fingerprint && entry->median_ns > 0 &&
           (!strcmp(entry->status, "ok") || !strcmp(entry->status, "unchecked"));
}

bool history_seen(const struct history *history, size_t first, size_t end)
{
    size_t n = 0;
    while (end-- > first)
        n += is_compared(&history->entries[end]);
    return n >= CHANGE_VALUES;
}

/* The runs of a case on a host that are compared: the logarithm of the time, and where
 * they stand. */
struct series {
    double x[HISTORY_RUNS];
    size_t entry[HISTORY_RUNS], n;
};

static void collect(const struct history *history, size_t first, size_t end,
                    struct series *series)
{
    series->n = 0;
    for (size_t i = end; i-- > first && series->n < HISTORY_RUNS;) {
        const struct history_entry *const entry = &history->entries[i];
        if (!is_compared(entry))
            continue;
        const size_t place = HISTORY_RUNS - ++series->n;
        series->x[place] = log(entry->median_ns);
        series->entry[place] = i;
    }
    const size_t skipped = HISTORY_RUNS - series->n;
    memmove(series->x, series->x + skipped, series->n * sizeof *series->x);
    memmove(series->entry, series->entry + skipped, series->n * sizeof *series->entry);
}

static void add_change(struct history *history, const struct series *series, size_t first,
                       size_t at, size_t end)
{
    struct interval ci;
    const double shift = stats_shift(series->x + first, at - first, series->x + at,
                                     end - at, STATS_LEVEL, &ci);
    struct history_change *const change = LIST_ADD(history, changes, n_changes);

    must(isnan(shift) ? -ENOMEM : 0);
    ci.lo = expm1(ci.lo);
    ci.hi = expm1(ci.hi);
    *change = (struct history_change){.at = series->entry[at],
                                      .before = at - first,
                                      .after = end - at,
                                      .change = expm1(shift),
                                      .ci = ci};
}

void history_find_changes(struct history *history)
{
    FREED_BY(free_memory) struct series *series = must_have(malloc(sizeof *series));

    for (size_t first = 0, end; first < history->n; first = end) {
        size_t at[HISTORY_RUNS / CHANGE_SEGMENT + 2] = {0};
        end = history_group_end(history, first);
        collect(history, first, end, series);
        const size_t n = stats_change_points(series->x, series->n,
                                             log1p(HISTORY_LEAST_CHANGE), SEED, at + 1);
        at[n + 1] = series->n;
        for (size_t i = 1; i <= n; i++)
            add_change(history, series, at[i - 1], at[i], at[i + 1]);
    }
}
