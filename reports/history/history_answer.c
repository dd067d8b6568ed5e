/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a history in words. */
#include <math.h>

#include "history.h"
#include "text/text.h"

/* Changes that the answer names. */
enum { NAMED = 5 };

/* The last change of the case that stands in [first, end), or NULL. */
static const struct history_change *last_change(const struct history *history,
                                                size_t first, size_t end)
{
    const struct history_change *last = NULL;
    FOR_EACH (const struct history_change, change, history->changes, history->n_changes)
        if (change->at >= first && change->at < end)
            last = change;
    return last;
}

/* The verdict of the last gate on the case in [first, end); NULL: it met none, or a run
 * that measured it later compared nothing. */
static const char *last_verdict(const struct history *history, size_t first, size_t end)
{
    const struct history_entry *entry = NULL;
    while (end-- > first) {
        entry = &history->entries[end];
        if (entry->verdict || entry->median_ns > 0)
            break;
    }
    return entry ? entry->verdict : NULL;
}

static void change_tell(const struct history *history,
                        const struct history_change *change, struct buffer *text)
{
    const struct history_entry *const entry = &history->entries[change->at];
    buffer_plain(text, entry->id);
    buffer_format(text, " takes %.3g%% %s since ", 100 * fabs(change->change),
                  change->change > 0 ? "longer" : "less time");
    buffer_tell(text, "%s of ",
                *entry->label    ? entry->label
                : *entry->commit ? entry->commit
                                 : "the run");
    buffer_plain_n(text, entry->started_at, strcspn(entry->started_at, "T"));
    for (size_t i = 0; i < history->n; i++)
        if (strcmp(history->entries[i].fingerprint, entry->fingerprint) != 0) {
            buffer_tell(text, " on %s", entry->fingerprint);
            break;
        }
}

/* The largest change that is smaller than the one before, by amount and then by place. */
static const struct history_change *next_change(const struct history *history,
                                                const struct history_change *before)
{
    const struct history_change *next = NULL;
    for (size_t first = 0, end; first < history->n; first = end) {
        end = history_group_end(history, first);
        const struct history_change *const last = last_change(history, first, end);
        const double size = last ? fabs(last->change) : 0;
        const bool later = last && (!before || size < fabs(before->change) ||
                                    (size == fabs(before->change) && last > before));
        if (later && (!next || size > fabs(next->change)))
            next = last;
    }
    return next;
}

struct answer history_answer(const struct history *history)
{
    struct answer answer = {.n = 0};
    struct buffer *const text = &answer.text;
    size_t cases = 0, slower = 0, faster = 0, regressed = 0, improved = 0, known = 0;
    for (size_t first = 0, end; first < history->n; first = end) {
        end = history_group_end(history, first);
        const struct history_change *const last = last_change(history, first, end);
        const char *const verdict = last_verdict(history, first, end);
        regressed += verdict && strcmp(verdict, "REGRESSED") == 0;
        improved += verdict && strcmp(verdict, "IMPROVED") == 0;
        cases++;
        known += last || history_seen(history, first, end);
        slower += last && last->change > 0;
        faster += last && last->change < 0;
    }
    buffer_format(text, "%zu case%s: ", cases, cases == 1 ? "" : "s");
    if (known)
        buffer_format(text, "%zu slower than before, %zu faster", slower, faster);
    else
        buffer_format(text,
                      "too few runs to see a change, which takes at least %d, about half "
                      "of them on "
                      "each side",
                      CHANGE_VALUES);
    if (regressed || improved)
        buffer_format(text, "; %zu REGRESSED and %zu IMPROVED by their last gates",
                      regressed, improved);
    else if (known && !slower && !faster)
        buffer_add(text, "; no change was found");
    if (known && known < cases)
        buffer_format(text, "; too few runs of %zu to see one", cases - known);
    answer_next(&answer);
    const struct history_change *change = NULL;
    for (int i = 0; i < NAMED && (change = next_change(history, change)); i++) {
        change_tell(history, change, text);
        answer_next(&answer);
    }
    return answer;
}
