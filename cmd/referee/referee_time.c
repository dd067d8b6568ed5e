/* SPDX-License-Identifier: Apache-2.0 */
/* The speed of the candidate when each call has operands that it has not seen. */
#include "measure/measure.h"
#include "referee_private.h"

#include <math.h>

enum { ROUNDS = 24, TIMED_BYTES = 512 << 10, AUDITS = 10, LONG_AUDITS = 2 };
#define AUDIT_NS 2e7
#define SHORT_AUDIT_NS 2e6
/* Clocks of two processes disagree by less than this. */
#define CLOCK_SHARE 1.15
#define CLOCK_NS 1e6
/* So do the rests of requests. */
enum { REST_ROUNDS = 8 };
#define REST_SHARE 2
#define REST_NS 3e4
/* Interrupts and switches of long passes count, too; to hide as little helps nobody. */
#define REST_OF_PASS 0.01
/* A pass that is made again takes no longer than this share of the first one. */
#define AGAIN_SHARE 1.35

/* The functions that take turns, the candidate first. */
struct arms {
    int k[KNOWN_MAX + 1];
    double *ns[KNOWN_MAX + 1];   /* of each round */
    double *rest[KNOWN_MAX + 1]; /* CPU time of its request beyond that */
    size_t n;
    uint32_t rounds;
};

static void arms_begin(const struct referee *referee, struct arms *arms)
{
    const uint32_t rounds = referee->options->how.rounds;
    *arms = (struct arms){.rounds = rounds ? rounds : ROUNDS};
    arms->k[arms->n++] = CANDIDATE;
    for (size_t i = 0; i < referee->n_known; i++)
        if (referee->known[i].runs)
            arms->k[arms->n++] = (int)i;
    for (size_t i = 0; i < arms->n; i++)
        arms->ns[i] = must_have(calloc(arms->rounds, sizeof(double))),
        arms->rest[i] = must_have(calloc(arms->rounds, sizeof(double)));
}

static void arms_end(struct arms *arms)
{
    for (size_t i = 0; i < arms->n; i++)
        free(arms->ns[i]), free(arms->rest[i]);
}

static int run_round(struct referee *referee, struct stage *stage, struct arms *arms,
                     uint32_t round, struct error *error)
{
    int order[KNOWN_MAX + 1];
    for (size_t i = 0; i < arms->n; i++)
        order[i] = (int)i;
    order_shuffle(order, arms->n, &referee->random);
    int status = stage_draw(referee, stage, error);
    for (size_t i = 0; i < arms->n && status == 0; i++) {
        const int arm = order[i];
        struct repeated told = {.ns = 0};
        status = stage_run(referee, stage, arms->k[arm], &told, error);
        arms->ns[arm][round] = told.ns;
        /* Both are the process's own word; a busy machine adds nothing to CPU time. */
        arms->rest[arm][round] = told.seen_ns - fmin(told.ns, told.cpu_ns);
        if (status == -EDOM && arms->k[arm] == CANDIDATE)
            status = reject(referee, "wrong",
                            "right in the checks, wrong in timed round %u: %s", round + 1,
                            error->text);
    }
    return status;
}

/* Objects are made anew for each call, by functions of the same library. */
static bool makes_objects(const struct declared_op *op)
{
    for (uint32_t i = 0; i < op->declaration.n; i++)
        if (op->declaration.argument[i].kind == ARGUMENT_OPAQUE)
            return true;
    return false;
}

/* False if calls that are made again may have more to do: on what they left, or with an
 * object that they changed. */
static bool repeats_well(const struct referee *referee)
{
    const struct declaration *const declaration = &op_of(referee)->declaration;
    for (uint32_t i = 0; i < declaration->n; i++)
        if (declaration->argument[i].role == ARGUMENT_INOUT ||
            declaration->argument[i].kind == ARGUMENT_OPAQUE)
            return false;
    return true;
}

/* One pass on new operands; then so many on the same ones, which is no more work for
 * each. `again`: what one of these takes by the system's word, as a share of what the
 * first one took by the candidate's. */
static int audit(struct referee *referee, struct stage *stage, double ns, double shortest,
                 struct repeated *told, double *again, struct error *error)
{
    const uint64_t repeat = 1 + (uint64_t)(ns / shortest);
    struct repeated first = {.ns = 0};
    int status = stage_draw(referee, stage, error)
                     ?: stage_run(referee, stage, CANDIDATE, &first, error);
    if (status == -EDOM)
        return reject(referee, "wrong", "right in the checks, wrong later: %s",
                      error->text);
    if (status == 0)
        status = stage_repeat(referee, stage, CANDIDATE, repeat, told, error);
    *again = fmin(told->ns, told->seen_ns) / (double)repeat / fmax(first.ns, 1);
    return status;
}

/* The candidate's process tells how long its calls took, and may lie. Time is no less
 * than CPU time; and this is no less than the system tells, but for what a request needs,
 * which the reference shows, or a single pass if there are objects. So a machine that is
 * busy accuses nobody. */
static int judge_clock(struct referee *referee, struct stage *stage, double pass_ns,
                       struct error *error)
{
    struct repeated whole, one = {.ns = 0}, told = one;
    double again[AUDITS];
    int lies = 0, hidden = 0;
    const double shortest = fmax(pass_ns, 1e3);
    const bool objects = makes_objects(op_of(referee));
    int status =
        stage_repeat(referee, stage, objects ? CANDIDATE : (int)referee->reference,
                     objects ? 1 : 1 + (uint64_t)(AUDIT_NS / shortest), &whole, error);
    const double rest = fmax(0, whole.seen_ns - whole.cpu_ns);
    for (int i = 0; i < AUDITS && status == 0; i++) {
        const bool is_long = i < LONG_AUDITS;
        const double ns = is_long ? AUDIT_NS : SHORT_AUDIT_NS;
        status = audit(referee, stage, ns, shortest, &one, &again[i], error);
        const bool lie = one.ns * CLOCK_SHARE < one.cpu_ns - CLOCK_NS / 20;
        const bool hides =
            is_long && one.cpu_ns * CLOCK_SHARE < one.seen_ns - 2 * rest - CLOCK_NS;
        lies += lie;
        hidden += hides;
        told = lie || hides ? one : told;
    }
    if (status == 0 && !clock_script() && (lies > 1 || hidden == LONG_AUDITS))
        status = reject(referee, "clock",
                        "its process tells times of calls at %.60s that cannot be: %.3g "
                        "ms, and %.3g ms of CPU time, of which it had %.3g ms",
                        stage->info.text, told.ns * 1e-6, told.cpu_ns * 1e-6,
                        told.seen_ns * 1e-6);
    if (status == 0 && !clock_script() && repeats_well(referee) &&
        stats_median(again, AUDITS) > AGAIN_SHARE)
        status = reject(referee, "clock",
                        "its process tells %.3g times less for a pass of calls at %.60s "
                        "than for the same calls when they are made again and again",
                        stats_median(again, AUDITS), stage->info.text);
    return status;
}

/* A request does the same for all functions but for the calls. What the candidate's one
 * needs beyond that is work that it left for later, or time that it does not tell. The
 * least of many is the one that a busy machine disturbed least. */
static int judge_rest(struct referee *referee, const struct stage *stage,
                      const struct arms *arms)
{
    const uint32_t n = arms->rounds;
    double usual = 0;
    for (size_t i = 1; i < arms->n; i++)
        usual = fmax(usual, stats_min(arms->rest[i], n));
    const double rest = stats_min(arms->rest[0], n), told = stats_median(arms->ns[0], n);
    if (clock_script() || n < REST_ROUNDS ||
        rest <= usual * REST_SHARE + REST_NS + told * REST_OF_PASS)
        return 0;
    return reject(referee, "clock",
                  "its process tells %.3g us for a pass at %.60s, and has %.3g us of CPU "
                  "time beside that, where a known function has %.3g us",
                  told * 1e-3, stage->info.text, rest * 1e-3, usual * 1e-3);
}

static void keep_times(struct referee *referee, const struct stage *stage,
                       const struct arms *arms)
{
    double median[KNOWN_MAX + 1], times[KNOWN_MAX + 1];
    struct interval ci[KNOWN_MAX + 1];
    size_t best = 1, reference = 1;
    struct judged_time *const time = LIST_ADD(referee->judgement, time, n_times);
    for (size_t i = 0; i < arms->n; i++) {
        median[i] = stats_median(arms->ns[i], arms->rounds) / (double)stage->turns;
        times[i] =
            stats_ratio(arms->ns[i], arms->ns[0], arms->rounds, STATS_LEVEL, &ci[i]);
        /* The ratios decide which one is best: they are of the same rounds, and told. */
        if (i && times[i] < times[best])
            best = i;
        if (arms->k[i] == (int)referee->reference)
            reference = i;
    }
    *time = (struct judged_time){
        .shape = must_have(strdup(stage->info.text)),
        .reference = must_have(strdup(referee->known[arms->k[reference]].name)),
        .best = must_have(strdup(referee->known[arms->k[best]].name)),
        .ns = median[0],
        .reference_ns = median[reference],
        .best_ns = median[best],
        .to_reference = times[reference],
        .to_best = times[best],
        .reference_ci = ci[reference],
        .best_ci = ci[best]};
}

static int time_shape(struct referee *referee, const char *text, struct error *error)
{
    struct stage stage;
    struct arms arms;
    arms_begin(referee, &arms);
    int status = stage_begin(referee, text, TIMED_BYTES, &stage, error);
    stage.fresh = true;
    for (uint32_t round = 0; round < arms.rounds && status == 0; round++)
        status = run_round(referee, &stage, &arms, round, error);
    if (status == 0 && !referee->judgement->note && stage_repeats(&stage))
        string_set(&referee->judgement->note,
                   "had the same inputs in all calls, so that kept results would "
                   "look fast");
    status = status
                 ?: judge_rest(referee, &stage, &arms)
                 ?: judge_clock(referee, &stage, stats_min(arms.ns[0], arms.rounds), error)
                 /* Many calls later it must still be right. */
                 ?: run_round(referee, &stage, &arms, arms.rounds - 1, error)
                 ?: judge_watch(referee);
    if (status == 0)
        keep_times(referee, &stage, &arms);
    stage_end(&stage);
    arms_end(&arms);
    return status;
}

int judge_time(struct referee *referee, const struct text_list *shapes,
               struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < shapes->n && status == 0; i++)
        status = time_shape(referee, shapes->item[i], error);
    return status;
}
