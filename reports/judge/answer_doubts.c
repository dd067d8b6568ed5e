/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a run that are no full answer. */
#include "judge/answer_kinds.h"

static bool is_timed_alone(const struct result *result)
{
    return kernel_asked(result) && result->summary.median_ns > 0 &&
           (result->status == STATUS_UNCHECKED ||
            (result->status == STATUS_OK && !(result->type && *result->type)));
}

/* The time is all that is known of functions without a reference, and of cases of other
 * programs. */
static void tell_times(const struct run *run, struct answer *answer)
{
    struct buffer *const text = &answer->text;
    const struct result *first = NULL;
    char time[NUMBER_SIZE];
    size_t n = 0;
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (is_timed_alone(result)) {
            first = first ?: result;
            n++;
        }
    if (!first)
        return;
    text_time(first->summary.median_ns, time);
    buffer_tell(text, "%s takes %s", first->id, time);
    if (n > 1)
        buffer_format(text, ", and %zu more case%s ha%s a time", n - 1, n == 2 ? "" : "s",
                      n == 2 ? "s" : "ve");
    if (first->status == STATUS_UNCHECKED)
        buffer_add(text, strstr(first->reason ?: "", "cannot be ")
                             ? "; unchecked: its results cannot be compared"
                             : "; unchecked: nothing says whether the results are right, "
                               "--reference=FUNCTION would");
    answer_next(answer);
}

/* Counts the cases that were asked for and have no number. */
static void tell_missing(const struct run *run, struct answer *answer)
{
    struct buffer *const text = &answer->text;
    size_t count[STATUS_COUNT] = {0}, cases = 0;
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (kernel_asked(result)) {
            count[result->status]++;
            cases++;
        }
    if (count[STATUS_SUSPECT])
        buffer_format(text,
                      "suspect: %zu of %zu cases are faster than their limit allows: "
                      "they do less than they should, or the limit is not theirs",
                      count[STATUS_SUSPECT], cases);
    answer_next(answer);
    count[STATUS_OK] += count[STATUS_SUSPECT] + count[STATUS_UNCHECKED];
    count[STATUS_SUSPECT] = count[STATUS_UNCHECKED] = 0;
    const char *separator = " ";
    if (cases == count[STATUS_OK])
        return;
    buffer_format(text, "without a number: %zu of %zu cases:", cases - count[STATUS_OK],
                  cases);
    for (int i = STATUS_PENDING; i < STATUS_COUNT; i++)
        if (i != STATUS_OK && count[i]) {
            buffer_format(text, "%s%zu %s", separator, count[i],
                          status_name((enum status)i));
            separator = ", ";
        }
    answer_next(answer);
}

/* Rows that are marked are no full answer: cases without a number, and those whose core
 * was shared. */
void doubts_answer(const struct run *run, struct answer *answer)
{
    size_t shared = 0, cases = 0;
    tell_times(run, answer);
    tell_missing(run, answer);
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (kernel_measured(result)) {
            shared += result->samples.shared;
            cases++;
        }
    if (shared)
        buffer_format(&answer->text,
                      "with a neighbour on the core: %zu of %zu cases, whose times may "
                      "be too long; scripts/quiet.sh, or another CPU by --cpu, may help",
                      shared, cases);
    answer_next(answer);
}
