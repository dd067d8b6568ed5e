/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of a case: what a reader of its verdict has to know beside its times. */
#include "harness_private.h"

static double median_of(const struct harness_case *entry, size_t member, int which)
{
    const size_t n = entry->n_rounds;
    FREED_BY(free_memory) double *room = must_have(calloc(n + 1, sizeof *room));
    for (size_t i = 0; i < n; i++)
        room[i] = ((const double *)((const char *)&entry->rounds[i] + member))[which];
    return stats_median(room, n);
}

/* A peak that is not clearly above what the process had before it became the program. */
#define OWN_PEAK 1.1

static void peak_tell(const struct harness_case *entry, int which, struct buffer *text)
{
    const double peak = median_of(entry, offsetof(struct harness_round, peak), which);
    const double own = median_of(entry, offsetof(struct harness_round, own), which);
    char number[NUMBER_SIZE];
    text_scaled(peak, "B", number);
    buffer_format(text, "%s%s", peak > OWN_PEAK * own ? "" : "at most ", number);
}

/* Resources that a whole program took beside its time. Both sides start alike, so that
 * the difference of their faults is theirs. */
static void note_usage(const struct harness *harness, size_t c)
{
    const struct harness_case *const entry = &harness->cases[c];
    const size_t faults = offsetof(struct harness_round, faults);
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    if (harness->adapter->reader || !entry->n_rounds)
        return;
    buffer_add(&text, "peak memory ");
    peak_tell(entry, SIDE_HEAD, &text);
    buffer_add(&text, ", before ");
    peak_tell(entry, SIDE_BASE, &text);
    buffer_format(&text, "; %.0f page faults, before %.0f",
                  median_of(entry, faults, SIDE_HEAD),
                  median_of(entry, faults, SIDE_BASE));
    result_add_note(&harness->run->results[entry->result], buffer_text(&text));
    if (clock_script())
        result_add_note(&harness->run->results[entry->result],
                        "its times are made up (SIMDBENCH_TEST_CLOCK)");
}

/* A case that runs more threads than it has CPUs is slow and noisy. */
static void note_threads(const struct harness *harness, size_t c)
{
    const struct harness_case *const entry = &harness->cases[c];
    const uint32_t cpus = harness->form.threads;
    char text[200];
    if (entry->threads <= cpus)
        return;
    snprintf(text, sizeof text,
             "it runs %u threads on %u CPU%s: --threads=%u gives it more", entry->threads,
             cpus, cpus == 1 ? "" : "s", entry->threads);
    result_add_note(&harness->run->results[entry->result], text);
}

/* The place at which the fastest programs have their code, if it is not the built one. */
static void note_places(const struct harness *harness, size_t c)
{
    const struct harness_case *const entry = &harness->cases[c];
    struct result *const result = &harness->run->results[entry->result];
    const size_t base = entry->best[SIDE_BASE], head = entry->best[SIDE_HEAD];
    char text[200];
    if (harness->n_places < 2 || (!base && !head) || !result->comparison->n_trials)
        return;
    snprintf(text, sizeof text,
             "base is fastest with %zu bytes of padding, head with %zu",
             base * PLACE_BYTES, head * PLACE_BYTES);
    result_add_note(result, text);
}

/* Numbers of few digits hide changes, and equal ones may seem to change by a step. */
static void note_rounding(const struct harness *harness, size_t c)
{
    struct result *const result = &harness->run->results[harness->cases[c].result];
    char text[100];
    if (2 * result->comparison->rounding <= harness->request.threshold)
        return;
    snprintf(text, sizeof text, "its program prints times in steps of %.2g%%",
             100 * result->comparison->rounding);
    result_add_note(result, text);
}

void notes_add(struct harness *harness, size_t c)
{
    note_usage(harness, c);
    note_threads(harness, c);
    note_places(harness, c);
    note_rounding(harness, c);
}
