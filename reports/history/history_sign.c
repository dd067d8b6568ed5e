/* SPDX-License-Identifier: Apache-2.0 */
/* Do gates find as many improvements as regressions? Cases of one run share its machine,
 * so that a run counts once, by what it found more of. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "text/text.h"

static int by_run(const void *left, const void *right)
{
    const struct history_entry *const *a = left, *const *b = right;
    const int order = strcmp((*a)->started_at, (*b)->started_at);

    return order ? order : strcmp((*a)->fingerprint, (*b)->fingerprint);
}

/* 1: it seems slower; -1: faster; 0: neither. */
static int direction(const struct history_entry *entry)
{
    return !entry->verdict                        ? 0
           : !strcmp(entry->verdict, "REGRESSED") ? 1
           : !strcmp(entry->verdict, "IMPROVED")  ? -1
                                                  : 0;
}

int history_directions(struct history *history)
{
    const size_t n = history->n;
    FREED_BY(free_memory) const struct history_entry **list =
        malloc((n + 1) * sizeof *list);
    size_t slower = 0, faster = 0;

    if (!list)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        list[i] = &history->entries[i];
    qsort(list, n, sizeof *list, by_run);
    for (size_t first = 0, end; first < n; first = end) {
        int sum = 0;
        for (end = first; end < n && by_run(&list[first], &list[end]) == 0; end++)
            sum += direction(list[end]);
        slower += sum > 0;
        faster += sum < 0;
    }
    history->gates = stats_directions(slower, faster);
    return 0;
}
