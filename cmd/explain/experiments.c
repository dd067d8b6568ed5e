/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that are changed one at a time, each in processes of its own, in the same
 * rounds as the base. */
#include "explain_private.h"
#include "surgery.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Places of a line at which code is tried. */
enum { PLACES = 16, EDIT_PLACES = 4, EDIT_STEP = PLACES / EDIT_PLACES, LINE_BYTES = 64 };

/* The conditions of a subject depend on these. */
struct situation {
    const struct subject *subject;
    int other_cpu;
    char *smaller; /* shape; NULL: none */
    struct error why_not_smaller;
};

/* Changes a variant before it is opened. NULL, or why there is none. */
typedef const char *condition(struct variant *variant, const struct situation *at);

static const struct variant *base_of(const struct situation *at)
{
    return &at->subject->base;
}

/* The parent cannot tell whether another program does what it is asked. */
static bool is_foreign(const struct situation *at)
{
    const char *const path = variant_offer(base_of(at))->worker->info.path;
    return path && module_is_foreign(path);
}

#define FOREIGN "its worker is another program"

static bool has_role(const struct situation *at, uint32_t role, uint64_t bytes)
{
    const struct operands_map *const map = &variant_group(base_of(at))->shape.map;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->operand[i].role == role &&
            map->operand[i].count * type_bytes(map->operand[i].type) >= bytes)
            return true;
    return false;
}

static const char *same(struct variant *variant, const struct situation *at)
{
    (void)variant;
    (void)at;
    return NULL;
}

static const char *smaller(struct variant *variant, const struct situation *at)
{
    if (!at->smaller)
        return at->why_not_smaller.text;
    variant_set_shape(variant, at->smaller);
    return NULL;
}

static const char *huge_pages(struct variant *variant, const struct situation *at)
{
    enum { PAGES_FEW = 32 };
    if (variant->request.settings.huge_pages)
        return "the base has them";
    if (is_foreign(at))
        return FOREIGN;
    variant->request.settings.huge_pages = true;
    return variant_group(base_of(at))->shape.bytes < PAGES_FEW * OPERANDS_PAGE
               ? "its operands lie on few pages"
               : NULL;
}

static const char *page_offset(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.spread = true;
    return variant_group(base_of(at))->shape.map.count < 2 ? "it has no two operands"
           : variant->request.settings.align != 64
               ? "the base has an alignment of its own"
               : NULL;
}

static const char *alignment(struct variant *variant, const struct situation *at)
{
    (void)at;
    const bool aligned = variant->request.settings.align >= 64;
    variant->request.settings.align = 64;
    return aligned ? "the operands of the base are aligned" : NULL;
}

static const char *flush_denormals(struct variant *variant, const struct situation *at)
{
    const uint32_t type = variant_group(base_of(at))->type;
    variant->how.conditions.flush_denormals = true;
    return type != SIMDBENCH_F32 && type != SIMDBENCH_F64 ? "integers have none"
           : variant->request.threads[0] > 1 ? "it reaches the calling thread only"
           : is_foreign(at)                  ? FOREIGN
                                             : NULL;
}

static const char *values(struct variant *variant, const struct situation *at,
                          const char *name)
{
    variant->how.conditions.values = name;
    return has_role(at, SIMDBENCH_IN, 1) ? NULL : "it has no inputs";
}

static const char *zero(struct variant *variant, const struct situation *at)
{
    return values(variant, at, "zero");
}

static const char *constant(struct variant *variant, const struct situation *at)
{
    return values(variant, at, "constant");
}

static const char *sorted(struct variant *variant, const struct situation *at)
{
    return values(variant, at, "sorted");
}

static const char *fresh_output(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.fresh_output = true;
    return !has_role(at, SIMDBENCH_OUT, 2 * OPERANDS_PAGE)
               ? "its output is smaller than two pages"
           : variant->request.settings.cold || variant->request.settings.huge_pages
               ? "the base has pages or caches of its own"
           : is_foreign(at) ? FOREIGN
                            : NULL;
}

static const char *kept_heap(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.keep_heap = true;
    return is_foreign(at) ? FOREIGN : NULL;
}

static const char *cold_caches(struct variant *variant, const struct situation *at)
{
    const bool cold = variant->request.settings.cold;
    variant->request.settings.cold = true;
    return cold ? "the caches of the base are cold" : is_foreign(at) ? FOREIGN : NULL;
}

static const char *one_thread(struct variant *variant, const struct situation *at)
{
    (void)at;
    const bool one = variant->request.threads[0] == 1;
    variant->request.threads[0] = 1;
    return one ? "the base has one" : NULL;
}

/* The row of another instruction set that is the widest below `limit`. */
static const struct offer *other_row(const struct variant *base, int limit)
{
    const struct offer *const mine = variant_offer(base), *best = NULL;
    for (size_t i = 0; i < base->catalog.n_offers; i++) {
        const struct offer *const other = &base->catalog.offers[i];
        const int isa = isa_find(other->isa);
        if (other->worker != mine->worker || strcmp(other->op, mine->op) != 0 ||
            other->type != mine->type || strcmp(other->variant, mine->variant) != 0 ||
            strcmp(other->semiring ?: "", mine->semiring ?: "") != 0 ||
            strcmp(other->layout ?: "", mine->layout ?: "") != 0 || isa < 0 ||
            isa >= limit || !strcmp(other->isa, mine->isa) ||
            !isa_runs(other->isa, NULL, 0))
            continue;
        if (!best || isa > isa_find(best->isa))
            best = other;
    }
    return best;
}

static const char *take_row(struct variant *variant, const struct situation *at,
                            const struct offer *other)
{
    struct case_name name = *at->subject->name;
    if (!other)
        return "no row of another instruction set can run here";
    name.isa = other->isa;
    variant_close(variant);
    variant_begin(variant, &base_of(at)->request, &base_of(at)->how, &name);
    return NULL;
}

static const char *widest_isa(struct variant *variant, const struct situation *at)
{
    return take_row(variant, at, other_row(base_of(at), INT_MAX));
}

static const char *next_isa(struct variant *variant, const struct situation *at)
{
    const struct offer *const widest = other_row(base_of(at), INT_MAX);
    return take_row(variant, at,
                    widest ? other_row(base_of(at), isa_find(widest->isa)) : NULL);
}

/* Operands lie elsewhere, and all else at random addresses. */
static const char *layout(struct variant *variant, const struct situation *at)
{
    (void)at;
    variant->how.conditions.layout++;
    return NULL;
}

/* Copies of its code, beside the code as built. */
static const char *place(struct variant *variant, const struct situation *at)
{
    struct conditions *const conditions = &variant->how.conditions;
    conditions->places = PLACES;
    conditions->edits = EDIT_PLACES;
    /* Subnormal numbers that edits make must not matter. */
    conditions->flush_denormals = true;
    return is_foreign(at)                    ? FOREIGN
           : variant->request.threads[0] > 1 ? "its code is copied for one thread alone"
                                             : NULL;
}

static const char *other_core(struct variant *variant, const struct situation *at)
{
    if (at->other_cpu < 0 || variant->request.threads[0] > 1)
        return "there is no other core that is free";
    how_set_cpus(&variant->how, &at->other_cpu, 1);
    return NULL;
}

#define OPERANDS_ONLY "operands"
#define THREAD_ONLY "the calling thread"
#define CODE_ONLY "copied functions"

/* Facts that edits tell. */
static const char *const edit_facts[SURGERY_EDITS] = {
    [SURGERY_CHAIN] = "edit_chain",   [SURGERY_GATHER] = "edit_gather",
    [SURGERY_DIVIDE] = "edit_divide", [SURGERY_STORE] = "edit_store",
    [SURGERY_SPILL] = "edit_spill",   [SURGERY_FORWARD] = "edit_forward",
    [SURGERY_CALL] = "edit_call",     [SURGERY_VEX] = "edit_vex",
    [SURGERY_CACHED] = "edit_cached",
};

/* The important ones first: there may be no time for all of them. */
static const struct {
    const char *name;
    condition *change;
    const char *reaches;
} conditions[] = {
    {"control", same, NULL},
    {"small_shape", smaller, NULL},
    {"flush_denormals", flush_denormals, THREAD_ONLY},
    {"huge_pages", huge_pages, OPERANDS_ONLY},
    {"input_zero", zero, OPERANDS_ONLY},
    {"kept_heap", kept_heap, "memory of malloc"},
    {"place", place, CODE_ONLY},
    {"fresh_output", fresh_output, OPERANDS_ONLY},
    {"input_constant", constant, OPERANDS_ONLY},
    {"alignment", alignment, OPERANDS_ONLY},
    {"page_offset", page_offset, OPERANDS_ONLY},
    {"one_thread", one_thread, NULL},
    {"other_isa", widest_isa, NULL},
    {"other_isa", next_isa, NULL},
    {"layout", layout, NULL},
    {"other_core", other_core, NULL},
    {"input_sorted", sorted, OPERANDS_ONLY},
    {"cold_caches", cold_caches, OPERANDS_ONLY},
    {"layout", layout, NULL},
    {"layout", layout, NULL},
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
    *experiment = (struct experiment){.name = conditions[number].name,
                                      .reaches = conditions[number].reaches,
                                      .ratio = NAN};
    snprintf(experiment->absent, sizeof experiment->absent, "%s", why);
}

/* False if this condition cannot be had here; the reason is noted. */
static bool open_trial(const struct situation *at, size_t number, struct trial_of *trial)
{
    struct subject *const subject = trial->subject;
    struct variant *const variant = &trial->variant;
    struct error error = {.text = ""};
    variant_begin(variant, &base_of(at)->request, &base_of(at)->how, subject->name);
    for (size_t i = 0; i < number && conditions[number].change == layout; i++)
        variant->how.conditions.layout += conditions[i].change == layout;
    const char *why = conditions[number].change(variant, at);
    trial->number = number;
    variant->run = must_have(run_new());
    if (!why && variant_open(variant, &error) < 0)
        why = error.text;
    if (!why) {
        variant_leave_roofs(variant);
        variant_add_copies(variant);
        return true;
    }
    if (!experiment_find(&subject->experiments, conditions[number].name))
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
    for (size_t i = 0; i < experiments->n; i++) {
        struct experiment *const other = &experiments->item[i];
        if (!strcmp(other->name, name))
            return other->absent[0] || ratio < other->ratio ? other : NULL;
    }
    return &experiments->item[experiments->n++];
}

/* Rounds by which places are chosen, and by which those that were chosen are judged:
 * the fastest of many that are equal looks faster than it is. */
enum rounds_of { CHOOSING, JUDGING, ALL_ROUNDS };

static double sample_of(const struct result *result, size_t i)
{
    return result->samples.ns[i] / (double)result->samples.iterations;
}

/* The times of one over those of another one, round by round; into an array with room for
 * the samples of both. */
static size_t pair(const struct result *of, const struct result *over,
                   enum rounds_of part, double *ratio)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < of->samples.n && k < over->samples.n;) {
        const uint32_t round = of->samples.rounds[i];
        if (round == over->samples.rounds[k] && (part == ALL_ROUNDS || round % 2 == part))
            ratio[n++] = sample_of(of, i) / sample_of(over, k);
        k += over->samples.rounds[k] <= round;
        i += k == over->samples.n || over->samples.rounds[k] > round;
    }
    return n;
}

static struct experiment ratio_of(const char *name, const struct result *of,
                                  const struct result *over)
{
    struct experiment experiment = {.name = name, .reaches = CODE_ONLY, .ratio = NAN};
    double *const ratio = must_have(calloc(of->samples.n + 1, sizeof *ratio));
    size_t n = pair(of, over, JUDGING, ratio);
    if (n < STATS_MIN_SAMPLES)
        n = pair(of, over, ALL_ROUNDS, ratio);
    if (n >= STATS_MIN_SAMPLES) {
        experiment.ratio = stats_median(ratio, n);
        experiment.ci = stats_median_interval(ratio, n, STATS_LEVEL);
    }
    if (!experiment.ci.known)
        snprintf(experiment.absent, sizeof experiment.absent, "%s",
                 of->reason ? of->reason : "too few rounds");
    free(ratio);
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
        double *const ratio = must_have(calloc(copies[i].samples.n + 1, sizeof *ratio));
        const size_t pairs = pair(&copies[i], over, CHOOSING, ratio);
        const double time = pairs ? stats_median(ratio, pairs) : INFINITY;
        free(ratio);
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
            ratio_of(edit_facts[edit], best ? best : edited, plain);
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
        set_absent(experiments, trial->number,
                   copies->reason ? copies->reason : "too few rounds");
        return;
    }
    subject->best_shift = (unsigned)((good - copies) * LINE_BYTES / PLACES);
    experiments->item[experiments->n++] = ratio_of("place", good, built);
    experiments->item[experiments->n++] = ratio_of("same_place", copies, built);
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

static void take_ratio(const struct trial_of *trial)
{
    struct experiments *const experiments = &trial->subject->experiments;
    const struct variant *const base = &trial->subject->base;
    const struct result *const mine = variant_result(&trial->variant);
    const double times = work_ratio(trial);
    struct speedup speedup = {.times = NAN};
    must(result_speedup(variant_result(base), mine, &speedup));
    if (!(speedup.times > 0) || !speedup.ci.known) {
        if (!experiment_find(experiments, conditions[trial->number].name))
            set_absent(experiments, trial->number,
                       mine->reason ? mine->reason : "too few rounds");
        return;
    }
    if (isnan(times)) {
        set_absent(experiments, trial->number,
                   "nobody knows the operations of its shapes: say work in its file");
        return;
    }
    struct experiment *const experiment =
        place_for(experiments, conditions[trial->number].name, times * speedup.times);
    if (!experiment)
        return;
    *experiment = (struct experiment){.name = conditions[trial->number].name,
                                      .reaches = conditions[trial->number].reaches,
                                      .ratio = times * speedup.times,
                                      .ci = {.known = true,
                                             .lo = times * speedup.ci.lo,
                                             .hi = times * speedup.ci.hi,
                                             .level = speedup.ci.level}};
}

/* ---- all of it ---- */

static size_t open_trials(struct subject *subject, int other_cpu, struct trial_of *trials)
{
    struct situation at = {.subject = subject, .other_cpu = other_cpu};
    size_t n = 0;
    at.smaller = smaller_shape(&subject->base, subject->name, &at.why_not_smaller);
    for (size_t i = 0; i < ARRAY_LEN(conditions) && !interrupted_by; i++) {
        trials[n] = (struct trial_of){.subject = subject};
        n += open_trial(&at, i, &trials[n]);
    }
    free(at.smaller);
    return n;
}

int experiments_run(struct subject *subjects, size_t n, int other_cpu,
                    const struct watcher *watcher, struct error *error)
{
    const size_t most = n * ARRAY_LEN(conditions);
    struct trial_of *const trials = must_have(calloc(most, sizeof *trials));
    struct run_arm *const arms = must_have(calloc(most + n, sizeof *arms));
    size_t n_trials = 0, n_arms = 0;
    for (size_t i = 0; i < n; i++)
        n_trials += open_trials(&subjects[i], other_cpu, &trials[n_trials]);
    for (size_t i = 0, results = 0; i < n; i++) {
        arms[n_arms++] = variant_arm(&subjects[i].base);
        subjects[i].base.result += results;
        results += variant_group(&subjects[i].base)->n_cases;
    }
    for (size_t c = 0; c < ARRAY_LEN(conditions); c++)
        for (size_t i = 0; i < n_trials; i++)
            if (trials[i].number == c)
                arms[n_arms++] = variant_arm(&trials[i].variant);
    const int status = run_arms(arms, n_arms, watcher, error);
    for (size_t i = 0; i < n_trials; i++) {
        if (status == 0)
            (conditions[trials[i].number].change == place ? take_copies
                                                          : take_ratio)(&trials[i]);
        variant_close(&trials[i].variant);
        run_free(trials[i].variant.run);
    }
    free(arms);
    free(trials);
    return status;
}
