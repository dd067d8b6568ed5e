/* SPDX-License-Identifier: Apache-2.0 */
/* The number of rounds, their end and their worth. */
#include "measure_private.h"

#include <math.h>

/* Rounds that may be cut short have at least so many: fewer give no interval. */
enum { ROUNDS_CUT = STATS_MIN_SAMPLES };
/* But not so many times as long as there is time for: void rounds bring no sample. */
#define LATE 2.5

/* Half of the time is for rounds, however long their arms took to be ready. */
static int64_t began(const struct session *lead)
{
    const int64_t latest = clock_budget() - (int64_t)(lead->plan->rounds_ns / 2);
    return lead->plan->rounds_ns > 0 && latest > lead->started ? latest : lead->started;
}

void pace_choose(struct rounds *all)
{
    const struct session *const lead = all->lead;
    const uint32_t asked = lead->how->rounds;
    struct pace pace = {.wanted = asked,
                        .look = 2 * ROUNDS_MIN,
                        .cases = all->n,
                        .began = began(lead),
                        .stopped = asked ? "rounds" : "time"};
    double round_ns = 0, long_ns = 0, n_long = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct case_state *entry = all->turns[i].entry;
        const double ns = entry->call_ns * (double)(entry->iterations + 1);
        const bool is_long = !is_steady(all->turns[i].group, entry);
        round_ns += ns;
        long_ns += is_long ? ns : 0;
        n_long += is_long;
    }
    const double rounds = lead->plan->case_ns * n_long / long_ns;
    if (!pace.wanted)
        pace.wanted = (uint32_t)fmin(fmax(rounds, ROUNDS_MIN), ROUNDS_MAX);
    double most = 3.0 * pace.wanted;
    if (lead->plan->rounds_ns > 0)
        most = fmin(most, fmax(lead->plan->rounds_ns / round_ns, ROUNDS_CUT));
    pace.wanted = (uint32_t)fmin(pace.wanted, most);
    /* Rounds come before batches that have the core alone. */
    pace.spare = (uint64_t)((most - pace.wanted) * (double)pace.cases);
    pace.alone = pace.wanted < ROUNDS_MIN ? pace.wanted : ROUNDS_MIN;
    all->pace = pace;
}

static struct result *turn_result(const struct turn *turn)
{
    return case_result(turn->group, turn->entry);
}

static bool all_precise(const struct rounds *rounds, double precision)
{
    for (size_t i = 0; i < rounds->n; i++)
        if (rounds->turns[i].entry->active &&
            !result_precise(turn_result(&rounds->turns[i]), precision))
            return false;
    return true;
}

bool pace_late(const struct rounds *rounds, double times)
{
    const double budget = rounds->lead->plan->rounds_ns;
    return budget > 0 && (double)(clock_budget() - rounds->pace.began) > times * budget;
}

/* True if the batches that are left would not give the case its samples alone, even if
 * far more of them had the core than did so far: then the row consists of those with
 * company too, however often they run again. */
static bool is_hopeless(const struct pace *pace, const struct result *result,
                        uint32_t round)
{
    const double alone = (double)result->samples.n;
    const double ran = alone + (double)result->samples.apart.n;
    const double at_most = (alone + 3 + 3 * sqrt(alone + 1)) / ran;
    const uint64_t spare = pace->spare / pace->cases;
    const double left = fmax((double)pace->wanted - round, 0) + (double)spare;
    return ran > 0 && alone + at_most * left < pace->alone;
}

bool pace_again(struct rounds *rounds, const struct turn *turn, uint32_t round)
{
    struct pace *const pace = &rounds->pace;
    if (!pace->spare || pace_late(rounds, 1) ||
        is_hopeless(pace, turn_result(turn), round))
        return false;
    pace->spare--;
    return true;
}

bool pace_ends(struct rounds *rounds, uint32_t ran, uint32_t complete)
{
    struct pace *const pace = &rounds->pace;
    const double precision = rounds->lead->plan->precision;
    size_t least = SIZE_MAX;
    bool enough = complete >= pace->wanted;
    FOR_EACH (const struct turn, turn, rounds->turns, rounds->n) {
        if (!turn->entry->active)
            continue;
        const struct result *const result = turn_result(turn);
        const size_t n = result->samples.n;
        least = n < least ? n : least;
        enough &= n >= pace->alone || is_hopeless(pace, result, ran);
    }
    if (enough)
        return true;
    if (ran >= 3 * pace->wanted)
        return true;
    /* Out of time, whatever the evidence against the batches so far. */
    if (pace_late(rounds, least < ROUNDS_CUT ? LATE : 1))
        return true;
    /* Void rounds run again in any case, at most as many again. */
    if (ran >= 2 * pace->wanted || complete >= pace->wanted) {
        if (pace->spare < pace->cases)
            return true;
        pace->spare -= pace->cases;
    }
    if (!(precision > 0) || least < pace->look)
        return false;
    pace->look *= 2;
    if (!all_precise(rounds, precision))
        return false;
    pace->stopped = "precision";
    return true;
}

/* Answers that are a kernel's own are right if another one has them too. */
static bool is_checked(const struct turn *turn)
{
    const struct group_state *const group = turn->group;
    if (!turn->entry->answered)
        return true;
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active && &group->cases[i] != turn->entry &&
            !case_is_limit(group, &group->cases[i]))
            return true;
    return false;
}

static void judge_case(const struct turn *turn, const struct pace *pace, uint32_t ran)
{
    struct result *result = turn_result(turn);
    char reason[256];
    if (result->samples.n < pace->alone && result->samples.apart.n)
        result_join_apart(result);
    /* Counts follow the times. */
    FOR_EACH (struct counter, counter, result->samples.counters,
              result->samples.n_counters)
        if (!result->samples.shared && counter->n_alone)
            counter->n = counter->n_alone;
    if (!turn->entry->active || (!ran && !result->samples.n))
        return;
    string_set(&result->samples.stopped, ran ? pace->stopped : NULL);
    if (ran && 2 * result->samples.voided > ran) {
        snprintf(reason, sizeof reason,
                 "%u of %u batches were disturbed (preempted, stolen time, migration or "
                 "major faults)",
                 result->samples.voided, ran);
        result_set_status(result, STATUS_NOISY, reason);
    } else if (turn->entry->unseen) {
        result_set_status(
            result, STATUS_UNCHECKED,
            "it writes no array and returns nothing, or a pointer to "
            "memory of its own, so that its results cannot be seen; 'inout "
            "bytes x[SIZE] then make(x)' in place of an object shows them, and "
            "'length' what a pointer leads to");
    } else if (turn->entry->varies) {
        result_set_status(
            result, STATUS_UNCHECKED,
            "its results differ from call to call, so that they cannot be compared");
    } else if (!is_checked(turn)) {
        result_set_status(
            result, STATUS_UNCHECKED,
            "there is no reference, and no other function that agrees with it");
    } else {
        result_set_status(result, STATUS_OK, NULL);
    }
    counters_contradict(turn->group, turn->entry);
}

void pace_judge(struct rounds *rounds, uint32_t ran)
{
    for (size_t i = 0; i < rounds->n; i++)
        judge_case(&rounds->turns[i], &rounds->pace, ran);
}
