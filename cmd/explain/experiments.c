/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of conditions that are changed one at a time, in the same rounds as the
 * base. */
#include "conditions.h"
#include "surgery.h"

#include <math.h>

/* Facts that edits tell. */
static const char *const edit_facts[SURGERY_EDITS] = {
    [SURGERY_CHAIN] = "edit_chain",   [SURGERY_GATHER] = "edit_gather",
    [SURGERY_DIVIDE] = "edit_divide", [SURGERY_STORE] = "edit_store",
    [SURGERY_SPILL] = "edit_spill",   [SURGERY_FORWARD] = "edit_forward",
    [SURGERY_CALL] = "edit_call",     [SURGERY_VEX] = "edit_vex",
    [SURGERY_CACHED] = "edit_cached", [SURGERY_WHOLE] = "edit_whole",
};

const struct experiment *experiment_find(const struct experiments *experiments,
                                         const char *name)
{
    for (size_t i = 0; i < experiments->n; i++)
        if (!strcmp(experiments->item[i].name, name))
            return &experiments->item[i];
    return NULL;
}

/* ---- variants ---- */

/* A variant, and of which subject it is; `number`: of the condition. */
struct trial_of {
    struct variant variant;
    struct subject *subject;
    size_t number;
};

static void set_absent(struct experiments *experiments, size_t number, const char *why)
{
    struct experiment *const experiment = &experiments->item[experiments->n++];
    *experiment = (struct experiment){.name = condition_table[number].name,
                                      .reaches = condition_table[number].reaches,
                                      .ratio = NAN};
    snprintf(experiment->absent, sizeof experiment->absent, "%s", why);
}

/* False if this condition cannot be had here; the reason is noted. */
static bool open_trial(const struct situation *at, size_t number, struct trial_of *trial)
{
    struct subject *const subject = trial->subject;
    struct variant *const variant = &trial->variant;
    struct error error = {.text = ""};
    variant_begin(variant, &subject->base.request, &subject->base.how, subject->name);
    for (size_t i = 0; i < number && condition_table[number].kind == OF_LAYOUT; i++)
        variant->how.conditions.layout += condition_table[i].kind == OF_LAYOUT;
    if (condition_table[number].kind == OF_INPUTS)
        variant->how.conditions.values = condition_table[number].name + strlen("input_");
    const char *why = condition_table[number].change(variant, at);
    trial->number = number;
    variant->run = run_new();
    if (!why && variant_open(variant, &error) < 0)
        why = error.text;
    if (!why) {
        variant_leave_roofs(variant);
        variant_add_copies(variant);
        return true;
    }
    if (!experiment_find(&subject->experiments, condition_table[number].name))
        set_absent(&subject->experiments, number, why);
    variant_close(variant);
    run_free(variant->run);
    variant->run = NULL;
    return false;
}

/* ---- ratios ---- */

/* A trial of the same name may be there already: the faster one stays. */
static struct experiment *place_for(struct experiments *experiments, const char *name,
                                    double ratio)
{
    FOR_EACH (struct experiment, other, experiments->item, experiments->n)
        if (!strcmp(other->name, name))
            return other->absent[0] || ratio < other->ratio ? other : NULL;
    return &experiments->item[experiments->n++];
}

/* The loop around calls is subtracted, but of copies, which have the same one: it was
 * measured for each of them, and would add noise. */
static double time_of(const struct result *result, size_t i, bool copies)
{
    return copies ? result->samples.ns[i] / (double)result->samples.iterations
                  : result_per_call(result, i);
}

/* The times of one over those of another one, round by round; into an array with room for
 * the samples of both. */
static size_t pair(const struct result *of, const struct result *over,
                   enum rounds_of part, bool copies, double *ratio)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; result_same_round(of, &i, over, &k); i++, k++) {
        const double mine = time_of(of, i, copies), theirs = time_of(over, k, copies);
        if ((part == ALL_ROUNDS || of->samples.rounds[i] % 2 == part) && mine > 0 &&
            theirs > 0)
            ratio[n++] = mine / theirs;
    }
    return n;
}

/* The reason of a result without a ratio; one without a reference has none to tell. */
static const char *why_none(const struct result *of)
{
    return of->reason && of->status != STATUS_UNCHECKED ? of->reason : "too few rounds";
}

/* A gain that one half of the rounds lacks is none: something else may have begun, or
 * ended, between them. The interval has the medians of both. */
static void look_again(const double *ratio, size_t n, struct interval *ci)
{
    const double first = stats_median(ratio, n / 2),
                 second = stats_median(ratio + n / 2, n - n / 2);
    ci->lo = fmin(ci->lo, fmin(first, second));
    ci->hi = fmax(ci->hi, fmax(first, second));
}

struct experiment experiment_ratio(const char *name, const struct result *of,
                                   const struct result *over, enum rounds_of part)
{
    struct experiment experiment = {.name = name, .reaches = CODE_ONLY, .ratio = NAN};
    FREED_BY(free_memory) double *ratio =
        must_have(calloc(of->samples.n + 1, sizeof *ratio));
    const bool copies = part != ALL_ROUNDS;
    size_t n = pair(of, over, part, copies, ratio);
    if (n < STATS_MIN_SAMPLES)
        n = pair(of, over, ALL_ROUNDS, copies, ratio);
    if (n >= STATS_MIN_SAMPLES) {
        experiment.ratio = stats_median(ratio, n);
        experiment.ci = stats_median_interval(ratio, n, STATS_LEVEL);
        look_again(ratio, n, &experiment.ci);
    }
    if (!experiment.ci.known)
        snprintf(experiment.absent, sizeof experiment.absent, "%s", why_none(of));
    return experiment;
}

/* The second fastest of some copies, as one of them may be fast by chance; NULL: less
 * than two were measured. */
static const struct result *second_fastest(const struct result *copies, size_t n,
                                           size_t step, const struct result *over)
{
    const struct result *best = NULL, *second = NULL;
    double least = INFINITY, next = INFINITY;
    for (size_t i = 0; i < n; i += step) {
        FREED_BY(free_memory) double *ratio =
            must_have(calloc(copies[i].samples.n + 1, sizeof *ratio));
        const size_t pairs = pair(&copies[i], over, CHOOSING, true, ratio);
        const double time = pairs ? stats_median(ratio, pairs) : INFINITY;
        if (time < least) {
            second = best;
            next = least;
            best = &copies[i];
            least = time;
        } else if (time < next) {
            second = &copies[i];
            next = time;
        }
    }
    return second;
}

/* Each edit over the code without it, both at the best of as many places. */
static void take_edits(struct experiments *experiments, const struct result *built)
{
    const struct result *const copies = built + 1;
    const struct result *const plain = second_fastest(copies, PLACES, EDIT_STEP, built);
    for (enum surgery_edit edit = 0; edit < SURGERY_EDITS && plain; edit++) {
        const struct result *const edited = copies + PLACES + edit * EDIT_PLACES;
        const struct result *const best = second_fastest(edited, EDIT_PLACES, 1, built);
        experiments->item[experiments->n++] =
            experiment_ratio(edit_facts[edit], best ? best : edited, plain, JUDGING);
    }
}

/* All in one process: a good place over the code as built; and the place of the latter,
 * which is that of the first copy, over itself: what equal code at equal places differs
 * by. */
static void take_copies(const struct trial_of *trial)
{
    struct subject *const subject = trial->subject;
    struct experiments *const experiments = &subject->experiments;
    const struct result *const built = variant_result(&trial->variant);
    const struct result *const copies = built + 1;
    const struct result *const good = second_fastest(copies, PLACES, 1, built);
    if (!good) {
        set_absent(experiments, trial->number, why_none(copies));
        return;
    }
    subject->best_shift = (unsigned)((good - copies) * LINE_BYTES / PLACES);
    experiments->item[experiments->n++] = experiment_ratio("place", good, built, JUDGING);
    experiments->item[experiments->n++] =
        experiment_ratio("same_place", copies, built, JUDGING);
    take_edits(experiments, built);
}

/* The work of a call of the base over that of the trial. Where nobody knows operations,
 * bytes tell nothing of another shape, but instructions do. */
static double work_ratio(const struct trial_of *trial)
{
    const struct subject *const subject = trial->subject;
    const struct result *const base = variant_result(&subject->base);
    const struct result *const mine = variant_result(&trial->variant);
    if (base->work.ops > 0 && mine->work.ops > 0)
        return base->work.ops / mine->work.ops;
    if (!strcmp(base->shape, mine->shape))
        return 1;
    return subject->trace.instructions_per_op * work_amount(&base->work) /
           variant_instructions(subject->name, &subject->base, mine->shape);
}

/* Other values may end a search early, or take another way: where they make it faster by
 * much, what it executes less is no gain. NaN: unknown. */
static double lighter(const struct trial_of *trial, double ratio)
{
    const double much = 0.8;
    if (condition_table[trial->number].kind != OF_INPUTS || !(ratio <= much))
        return 1;
    const double mine = variant_instructions(trial->subject->name, &trial->variant,
                                             variant_result(&trial->variant)->shape);
    const double base = trial->subject->trace.instructions_per_op *
                        work_amount(&variant_result(&trial->subject->base)->work);
    return base / mine < 1 ? 1 : base / mine;
}

/* Flags of the core say whether arithmetic met such numbers, unless a kernel clears them:
 * no noise gains so much. */
static bool cannot_flush(const struct trial_of *trial, double ratio)
{
    const double noise = 0.5;
    return trial->variant.how.conditions.flush_denormals && ratio > noise &&
           !variant_result(&trial->subject->base)->samples.subnormal;
}

static void take_ratio(const struct trial_of *trial)
{
    struct experiments *const experiments = &trial->subject->experiments;
    const struct condition *const condition = &condition_table[trial->number];
    const struct result *const mine = variant_result(&trial->variant);
    struct experiment made = experiment_ratio(
        condition->name, mine, variant_result(&trial->subject->base), ALL_ROUNDS);
    double times = work_ratio(trial);
    if (!made.absent[0] && cannot_flush(trial, made.ratio))
        snprintf(made.absent, sizeof made.absent,
                 "the calling thread meets no such number");
    else if (!made.absent[0] && isnan(times))
        snprintf(made.absent, sizeof made.absent,
                 "nobody knows the operations of its shapes: say work in its file");
    if (made.absent[0]) {
        if (!experiment_find(experiments, condition->name))
            set_absent(experiments, trial->number, made.absent);
        return;
    }
    const double less = lighter(trial, made.ratio);
    experiments->unweighed |= isnan(less);
    times *= isnan(less) ? 1 : less;
    made.reaches = condition->reaches;
    made.ratio *= times;
    made.ci.lo *= times;
    made.ci.hi *= times;
    struct experiment *const experiment =
        place_for(experiments, condition->name, made.ratio);
    if (experiment)
        *experiment = made;
}

/* ---- all of it ---- */

/* One instruction in 200 goes its rarer way: no fewer such take a tenth of the time. */
static bool may_guess(const struct subject *subject)
{
    return subject->trace.known && 200 * subject->trace.census.share_undecided >= 1;
}

static size_t open_trials(struct subject *subject, int other_cpu, struct trial_of *trials)
{
    struct situation at = {.subject = subject, .other_cpu = other_cpu};
    size_t n = 0;
    for (int few = 0; few <= 1; few++)
        at.smaller[few] = few && !may_guess(subject)
                              ? NULL
                              : smaller_shape(&subject->base, subject->name, few,
                                              &at.why_not_smaller[few]);
    for (size_t i = 0; i < CONDITIONS && !interrupted_by; i++) {
        trials[n] = (struct trial_of){.subject = subject};
        n += open_trial(&at, i, &trials[n]);
    }
    FREE_EACH(at.smaller[0], at.smaller[1]);
    return n;
}

int experiments_run(struct subject *subjects, size_t n, int other_cpu,
                    const struct watcher *watcher, struct error *error)
{
    const size_t most = n * CONDITIONS;
    FREED_BY(free_memory) struct trial_of *trials =
        must_have(calloc(most, sizeof *trials));
    FREED_BY(free_memory) struct run_arm *arms =
        must_have(calloc(most + n, sizeof *arms));
    size_t n_trials = 0, n_arms = 0;
    for (size_t i = 0; i < n; i++)
        n_trials += open_trials(&subjects[i], other_cpu, &trials[n_trials]);
    for (size_t i = 0, results = 0; i < n; i++) {
        arms[n_arms++] = variant_arm(&subjects[i].base);
        subjects[i].base.result += results;
        results += variant_group(&subjects[i].base)->n_cases;
    }
    for (size_t c = 0; c < CONDITIONS; c++)
        for (size_t i = 0; i < n_trials; i++)
            if (trials[i].number == c)
                arms[n_arms++] = variant_arm(&trials[i].variant);
    const int status = run_arms(arms, n_arms, watcher, error);
    for (size_t i = 0; i < n_trials; i++) {
        if (status == 0)
            (condition_table[trials[i].number].kind == OF_COPIES
                 ? take_copies
                 : take_ratio)(&trials[i]);
        variant_close(&trials[i].variant);
        run_free(trials[i].variant.run);
    }
    return status;
}
