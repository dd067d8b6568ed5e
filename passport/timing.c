/* SPDX-License-Identifier: Apache-2.0 */
/* Other processes and interrupts make a sample longer, never shorter. So the least of
 * many short samples is the one that nothing disturbed; it is believed when others come
 * as low. The clock of a core moves with the work of its neighbours, so what is compared
 * takes turns within a millisecond. */
#include "passport_private.h"

#include <limits.h>
#include <math.h>

enum { SAMPLES_MIN = 10, SAMPLES_MAX = 200, SAME = 3, TURNS_MAX = 20000 };
static const double sample_units = 12000, same_share = 0.001;

struct least {
    double value;
    unsigned n; /* samples that come as low */
};

static void take(struct least *least, double time)
{
    if (least->n == 0 || time < least->value * (1 - same_share))
        *least = (struct least){.value = time, .n = 1};
    else if (time <= least->value * (1 + same_share))
        *least = (struct least){.value = fmin(time, least->value), .n = least->n + 1};
}

static uint64_t turns_for(const struct timer *timer, unsigned char *code)
{
    double once = INFINITY;
    for (unsigned i = 0; i < 3; i++)
        once = fmin(once, timer->time(timer->context, code, 1));
    const uint64_t few = once > 0 ? (uint64_t)(sample_units / once) + 1 : TURNS_MAX;
    if (few < 2)
        return 1;
    /* One turn is mostly what is around it. */
    for (unsigned i = 0; i < 3; i++)
        once = fmin(once, timer->time(timer->context, code, few) / (double)few);
    const double turns = once > 0 ? sample_units / once + 1 : TURNS_MAX;
    return turns > TURNS_MAX ? TURNS_MAX : (uint64_t)turns;
}

double timing_ratio(const struct timer *timer, const struct lengths *a,
                    const struct lengths *b)
{
    struct least least[4] = {{.n = 0}};
    const uint64_t turns_a = turns_for(timer, a->more),
                   turns_b = turns_for(timer, b->more);
    for (unsigned i = 0, same = 0; i < SAMPLES_MAX && (i < SAMPLES_MIN || same < SAME);
         i++) {
        take(&least[0], timer->time(timer->context, a->less, turns_a));
        take(&least[1], timer->time(timer->context, b->less, turns_b));
        take(&least[2], timer->time(timer->context, a->more, turns_a));
        take(&least[3], timer->time(timer->context, b->more, turns_b));
        same = UINT_MAX;
        for (unsigned k = 0; k < ARRAY_LEN(least); k++)
            same = least[k].n < same ? least[k].n : same;
    }
    return (least[2].value - least[0].value) / (double)turns_a /
           ((least[3].value - least[1].value) / (double)turns_b);
}
