/* SPDX-License-Identifier: Apache-2.0 */
/* Times of blocks of code, of many samples. */
#include "passport_private.h"

#include <limits.h>
#include <math.h>

/* Other processes and interrupts make a sample longer, never shorter. So the least of
 * many short samples is the one that nothing disturbed; it is believed when others come
 * as low. The clock of a core moves with the work of its neighbours, so what is compared
 * takes turns within a millisecond. */
enum { SAMPLES_MIN = 10, SAMPLES_MAX = 200, SAME = TIMER_CALLS, TURNS_MAX = 20000 };
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

double timer_least(const struct timer *timer, unsigned char *code, uint64_t turns,
                   unsigned calls)
{
    double least = INFINITY;
    for (unsigned i = 0; i < calls; i++)
        least = fmin(least, timer->time(timer->context, code, turns));
    return least;
}

static uint64_t turns_for(const struct timer *timer, unsigned char *code)
{
    double once = timer_least(timer, code, 1, SAME);
    const uint64_t few = once > 0 ? (uint64_t)(sample_units / once) + 1 : TURNS_MAX;
    if (few < 2)
        return 1;
    /* One turn is mostly what is around it. */
    once = timer_least(timer, code, few, SAME) / (double)few;
    const double turns = once > 0 ? sample_units / once + 1 : TURNS_MAX;
    return turns > TURNS_MAX ? TURNS_MAX : (uint64_t)turns;
}

void timer_both(const struct timer *timer, const struct lengths *a,
                const struct lengths *b, struct times *of_a, struct times *of_b)
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
    *of_a = (struct times){turns_a, least[0].value, least[2].value};
    *of_b = (struct times){turns_b, least[1].value, least[3].value};
}

/* Time of a turn alone. */
static double turn_of(const struct timer *timer, unsigned char *code, uint64_t turns,
                      double call)
{
    return (call - timer_least(timer, code, 1, SAMPLES_MIN)) / (double)(turns - 1);
}

/* Time of one of so many copies by which the blocks differ: what is around them cancels
 * out. A core may bind instructions of a loop to its ports in a way that is not the best
 * one, again and again, and in another loop not. Then one of the blocks contradicts the
 * other: beside its instructions a turn would take less than nothing, or more than a
 * taken branch. The faster one counts. */
double timer_copy(const struct timer *timer, const struct lengths *a,
                  const struct times *times, unsigned copies, double cycle)
{
    const double branch = 2 * cycle, noise = 1.01;
    const double copy = (times->more - times->less) / (double)times->turns / copies;
    if (times->turns < 2)
        return copy;
    const double less = turn_of(timer, a->less, times->turns, times->less);
    const double more = turn_of(timer, a->more, times->turns, times->more);
    return copy * 2 * copies < more - branch ? more / (2 * copies)
           : copy * copies > less * noise    ? less / copies
                                             : copy;
}
