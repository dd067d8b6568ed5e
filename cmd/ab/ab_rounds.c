/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of the arms in turn. */
#include "ab_private.h"

#include <math.h>

/* Rounds have up to this much more calls, so that nothing periodic stays in step. */
#define JITTER 0.2
/* Learning takes this many batches of those that are looked at, and the first one so much
 * longer than those behind them. One that takes hardly longer is not looked at again. */
enum { LEARNING = 4, LOOK_BATCHES = LEARNING + 2, LOOKS = 3 };
#define LEARNING_RATIO 1.25
#define LEARNING_NONE 1.1

uint32_t ab_rounds_of(const struct ab *ab, double call_ns, bool moved)
{
    const double most = moved ? AB_MOVED_ROUNDS : AB_ROUNDS;
    const double least = moved ? AB_MOVED_LEAST : AB_ROUNDS_LEAST;
    return ab->how.rounds
               ? ab->how.rounds
               : (uint32_t)fmin(fmax(most * AB_BATCH_NS / call_ns, least), most);
}

/* Takes the least cost that any arm had: the loop is the same code, noise only adds, and
 * an unequal subtraction would look like a change. */
int ab_overhead(struct ab_group *group, struct error *error)
{
    struct ab *ab = group->ab;
    double least = INFINITY;
    bool each = ab->request.what->settings.cold;
    for (size_t c = 0; c < group->state.n_cases; c++)
        each |= group->state.cases[c].resets;
    for (int i = 0; i < ARMS; i++) {
        if (!ab->workers[i])
            continue;
        const struct overhead_call call = {.cold = each, .number = UINT64_MAX};
        struct overhead_reply told;
        FREED_BY(json_delete) cJSON *reply = NULL;
        int status = worker_ask(ab->workers[i], overhead_call(&call), ab->how.timeout_ns,
                                &reply, error);
        overhead_reply_read(reply, &told);
        least = fmin(least, told.ns);
        if (status < 0)
            return status;
    }
    group->overhead_ns = least;
    group->overhead_known = true;
    return 0;
}

int ab_run_batch(struct ab_group *group, size_t c, int which, uint64_t copy,
                 uint64_t calls, struct batch *batch)
{
    const bool learns = group->cases[c].first_ratio > LEARNING_RATIO;
    struct runner runner = ab_runner(group, c, which);
    int status = 0;
    runner.copy = copy;
    for (int i = learns ? 0 : LEARNING; i <= LEARNING && status == 0; i++) {
        const struct batch_call call =
            runner_call(&runner, i < LEARNING ? group->state.cases[c].iterations : calls);
        status = runner_batch(&runner, &call, batch);
        cJSON_Delete(batch->reply);
    }
    return status;
}

/* Predictors of branches learn a short call by heart, anew behind other code, and builds
 * that do other work at other speeds. Then times are of what they have learned. The least
 * of some looks counts, as the first batch of one may have been disturbed. */
static int look_at_learning(struct ab_group *group, size_t c)
{
    double first = INFINITY, ns[LOOK_BATCHES];
    struct batch batch;
    int status = 0;
    for (int look = 0; look < LOOKS && first > LEARNING_NONE && status == 0; look++) {
        double slower = 1;
        for (int i = 0; i < (ARM_HEAD + 1) * LOOK_BATCHES && status == 0; i++) {
            status = ab_run_batch(group, c, i / LOOK_BATCHES, 0,
                                  group->state.cases[c].iterations, &batch);
            ns[i % LOOK_BATCHES] = batch.ns;
            if (i % LOOK_BATCHES == LEARNING + 1)
                slower = fmax(slower, ns[0] / fmin(ns[LEARNING], batch.ns));
        }
        first = status == 0 ? fmin(first, slower) : first;
    }
    group->cases[c].first_ratio = isfinite(first) ? first : 1;
    return status;
}

void ab_note_learning(struct ab_group *group, size_t c)
{
    const struct case_settings *const settings = &group->state.plan->settings;
    struct result *const result = ab_result(group, c);
    char note[200];
    if (group->cases[c].first_ratio <= LEARNING_RATIO || !result->comparison ||
        !comparison_is_open(result->comparison, group->ab->request.threshold))
        return;
    snprintf(note, sizeof note,
             "the first batch behind another build takes %.1f times as long as later "
             "ones: four go before each timed one%s",
             group->cases[c].first_ratio,
             settings->sets > 1 || settings->threads > 1
                 ? ""
                 : "; --inputs=auto, with more to learn, may decide");
    note_once(result, note);
}

static int calibrate(struct ab_group *group, size_t c, bool *matter)
{
    const struct runner runners[ARMS] = {ab_runner(group, c, ARM_BASE),
                                         ab_runner(group, c, ARM_HEAD),
                                         ab_runner(group, c, ARM_CONTROL)};
    group->cases[c].first_ratio = 1;
    return runners_calibrate(runners, ARMS, AB_BATCH_NS)
               ?: (group->state.cases[c].iterations > 1 ? look_at_learning(group, c) : 0)
               ?: runner_look_at_data(&runners[ARM_BASE], matter)
               ?: runner_look_at_data(&runners[ARM_HEAD], matter);
}

/* All cases of a group, and both builds, find the same data: if these matter, those of
 * the first call in each. */
int ab_calibrate(struct ab_group *group)
{
    bool matter = false;
    int status = 0;
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++)
        if (ab_is_left(group, c) && !group->state.cases[c].iterations)
            status = calibrate(group, c, &matter);
    if (!matter)
        return status;
    group_reset_data(&group->state);
    group->overhead_known = false;
    for (size_t c = 0; c < group->state.n_cases; c++)
        group->state.cases[c].iterations = 0;
    return status ?: ab_calibrate(group);
}

/* The extra work of head. */
static double more_of(const struct ab *ab, int turn)
{
    return turn == ARM_HEAD          ? ab->extra_work
           : turn == ARMS + ARM_HEAD ? ab->extra_work + ab->built_work
                                     : 0;
}

/* A batch of each; `ns` per call. `whole` is false if there is evidence against any of
 * them. */
static int run_round(struct ab_group *group, size_t c, const int *order, int turns,
                     uint64_t calls, double ns[TURN_MOVED], bool *whole)
{
    const struct ab *ab = group->ab;
    const int64_t steal = group_steal(&group->state);
    *whole = true;
    for (int i = 0; i < turns; i++) {
        const int turn = order[i]; /* behind all arms come base and head as built */
        const uint64_t copy = turn < ARMS ? group->cases[c].best[turn] : 0;
        struct batch batch;
        const double work = 1 + more_of(ab, turn);
        int status = ab_run_batch(group, c, turn % ARMS, copy,
                                  (uint64_t)llround((double)calls * work), &batch);
        if (status)
            return status;
        ns[turn] = batch.ns / (double)calls - group->overhead_ns;
        group->cases[c].shorter += ns[turn] <= 0;
        *whole &= !batch.void_ && ns[turn] > 0;
    }
    *whole &= group_steal(&group->state) == steal;
    return 0;
}

/* As many rounds as batches in one are a block, in which each is first, second and so on
 * once. */
static void turn(int *order, int turns, uint32_t round, uint64_t *random)
{
    const int first = order[0];
    if (round % (uint32_t)turns == 0) {
        order_shuffle(order, (size_t)turns, random);
        return;
    }
    memmove(order, order + 1, (size_t)(turns - 1) * sizeof *order);
    order[turns - 1] = first;
}

static struct trial trial_of(const struct ab_group *group, const double *ns, int turns)
{
    const bool moved = turns > ARMS;
    return (struct trial){.process = group->process,
                          .base_ns = ns[ARM_BASE],
                          .head_ns = ns[ARM_HEAD],
                          .control_ns = ns[ARM_CONTROL],
                          .built_base_ns = moved ? ns[ARMS + ARM_BASE] : 0,
                          .built_head_ns = moved ? ns[ARMS + ARM_HEAD] : 0};
}

int ab_take_rounds(struct ab_group *group, size_t c)
{
    struct ab_case *entry = &group->cases[c];
    const bool moved = ab_is_moved(entry);
    const int turns = moved ? TURN_MOVED : ARMS;
    const uint32_t wanted = ab_rounds_of(group->ab, group->state.cases[c].call_ns, moved);
    int order[TURN_MOVED] = {0, 1, 2, 3, 4};
    uint64_t random =
        ab_random(group->ab, group->state.number, group->process, 2 + (uint64_t)c);
    /* Times of other places are not to be mixed with these. */
    if (!moved && !entry->unmoved && !group->ab->request.as_built)
        return 0;
    /* Void rounds run again, at most as many again. */
    for (uint32_t round = 0; entry->n_trials < wanted && round < 2 * wanted; round++) {
        double ns[TURN_MOVED];
        bool whole;
        turn(order, turns, round, &random);
        const double jitter = JITTER * 0x1p-53 * (double)(random_next(&random) >> 11);
        const uint64_t calls =
            (uint64_t)llround((double)group->state.cases[c].iterations * (1 + jitter));
        int status = run_round(group, c, order, turns, calls, ns, &whole);
        if (status)
            return status;
        if (whole)
            entry->trials[entry->n_trials++] = trial_of(group, ns, turns);
        else
            entry->voided++;
        entry->lost += !whole;
    }
    return 0;
}
