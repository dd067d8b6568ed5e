/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "proofs.h"

struct counts {
    const struct event *event;
    const double *count;
    size_t n;
    struct contradiction *found;
    size_t n_found;
};

/* The first event of that kind that has a count, or n. */
static size_t find(const struct counts *counts, enum event_kind kind)
{
    size_t i = 0;
    while (i < counts->n &&
           (counts->event[i].kind != kind || !isfinite(counts->count[i])))
        i++;
    return i;
}

static double count_of(const struct counts *counts, enum event_kind kind)
{
    const size_t i = find(counts, kind);
    return i < counts->n ? counts->count[i] : NAN;
}

/* `a_count` must be at most `most`, which follows from b; NaN is no contradiction. */
static void at_most(struct counts *counts, size_t a, double a_count, size_t b,
                    double most, const char *says)
{
    if (!(a_count > most) || counts->n_found == CONTRADICTIONS_MAX)
        return;
    struct contradiction *const found = &counts->found[counts->n_found++];
    *found = (struct contradiction){.a = a, .b = b};
    snprintf(found->text, sizeof found->text, "%s (%.6g against %.6g)", says, a_count,
             most);
}

static void pair(struct counts *counts, enum event_kind a, enum event_kind b,
                 double times, const char *says)
{
    at_most(counts, find(counts, a), count_of(counts, a), find(counts, b),
            times * count_of(counts, b), says);
}

static double known(double count)
{
    return isfinite(count) ? count : 0;
}

/* Each load or store brings at most the line that it needs, and prefetchers one more. */
static void fills(struct counts *counts)
{
    static const enum event_kind parts[] = {KIND_fills_l2, KIND_fills_l3,
                                            KIND_fills_memory};
    const double loads = count_of(counts, KIND_loads);
    const double stores = count_of(counts, KIND_stores);
    double sum = 0;
    size_t part = counts->n;
    for (size_t k = ARRAY_LEN(parts); k-- > 0;) {
        sum += known(count_of(counts, parts[k]));
        part = find(counts, parts[k]) < counts->n ? find(counts, parts[k]) : part;
    }
    if (part == counts->n) {
        part = find(counts, KIND_fills);
        sum = known(count_of(counts, KIND_fills));
    }
    if (part < counts->n)
        at_most(counts, part, sum, find(counts, KIND_loads), 2 * (loads + stores),
                "more lines are filled than loads and stores can need");
}

size_t counts_contradict(const struct event *events, const double *count, size_t n,
                         double clock_cycles,
                         struct contradiction found[CONTRADICTIONS_MAX])
{
    struct counts counts = {.event = events, .count = count, .n = n, .found = found};
    const size_t cycles = find(&counts, KIND_cycles);
    const double counted = count_of(&counts, KIND_cycles);

    pair(&counts, KIND_branches, KIND_instructions, 1.02,
         "more branches than instructions");
    pair(&counts, KIND_mispredictions, KIND_branches, 1.02,
         "more mispredictions than branches");
    pair(&counts, KIND_instructions, KIND_ops, 2.2,
         "fewer operations than half of the instructions");
    at_most(&counts, cycles, counted, CONTRADICTS_CLOCK, 1.1 * clock_cycles,
            "more cycles than time and clock allow");
    at_most(&counts, cycles, clock_cycles, CONTRADICTS_CLOCK, counted / 0.9,
            "fewer cycles than time and clock make");
    fills(&counts);
    return counts.n_found;
}
