/* SPDX-License-Identifier: Apache-2.0 */
/* All sets, within the time of a study. */

#include <math.h>

#include "studies/studies_private.h"

/* The facts that need no time. */
static void take_facts(const struct variant_trace *trace, const struct variant *base,
                       const double *rates, struct inspect_facts *facts)
{
    double part;
    const double ops = variant_group(base)->shape.ops;
    const struct inspect_census *const census = &trace->census;
    const size_t hot = variant_hot_loop(census, rates, true, false, &part);
    inspect_facts_trace(facts, census, census->n_loops ? &census->loop[hot] : NULL);
    if (!census->whole)
        inspect_fact_set(facts, FACT_call_instructions, trace->instructions_per_op * ops);
    inspect_fact_set(facts, FACT_isa_bits, variant_isa_bits(base));
    inspect_bounds(facts);
}

/* Traces a call of the member, and tells its facts. */
static void member_trace(const struct studying *all, struct member *member)
{
    struct variant_trace trace = {.known = false};
    FREED_BY(variant_close) struct variant base;
    struct error error = {.text = ""};
    variant_begin(&base, &all->options->request, &all->options->how, &member->name);
    int status = variant_open(&base, &error);
    if (status == 0) {
        variant_trace(&member->name, all->rates, &base, &trace);
        if (trace.known)
            take_facts(&trace, &base, all->rates, &member->facts);
        else
            status = error_set(&error, -1, "%s", trace.absent);
    }
    if (status < 0)
        string_set(&member->not_traced, error.text);
    inspect_census_free(&trace.census);
}

/* Short batches, as in explain: then all arms see the same machine. */
#define STUDY_BATCH_NS 200000.0
/* An arm has rounds for so long in each pass, if calls are short. */
#define STUDY_CASE_NS 25e6
enum { PASSES = 3 };

/* ---- one pass ---- */

struct pass {
    struct studying *all;
    struct round_set *set;
    struct run *aside; /* results that nobody keeps */
    unsigned number;
    double ns;      /* allowed time */
    double case_ns; /* and a case, at most */
};

/* A member in processes of its own. */
struct contender {
    struct member *member;
    struct variant variant;
};

/* The run of all keeps one result of each case. */
static bool is_kept(const struct pass *pass, const struct member *member)
{
    if (member->duplicate || pass->set->slope)
        return false;
    for (size_t s = 0; &pass->all->sets.set[s] != pass->set; s++) {
        const struct round_set *const set = &pass->all->sets.set[s];
        for (size_t i = 0; i < set->n && !set->slope; i++)
            if (set->member[i].arm == member->arm && set->member[i].timed &&
                set->member[i].name.settings.threads == member->name.settings.threads &&
                !strcmp(set->member[i].name.shape, member->name.shape))
                return false;
    }
    return true;
}

static struct run *run_of(const struct pass *pass, struct member *member)
{
    if (pass->number)
        return pass->aside;
    if (is_kept(pass, member))
        return pass->all->run;
    return member->aside = run_new();
}

/* Operands of both are the same bytes in the same places. */
static bool same_operands(const struct case_name *a, const struct case_name *b)
{
    return text_same(a->op, b->op) && text_same(a->type, b->type) &&
           text_same(a->shape, b->shape) && text_same(a->layout, b->layout) &&
           text_same(a->settings.input, b->settings.input) &&
           a->settings.align == b->settings.align;
}

/* So they may share them: pages that caches treat differently are no difference then. */
static int shared_memory(const struct contender *earlier, size_t n,
                         const struct case_name *name)
{
    for (size_t i = 0; i < n; i++)
        if (same_operands(&earlier[i].member->name, name))
            return earlier[i].variant.catalog.memory_fd;
    return 0;
}

/* The next one; false if it cannot take part, and the first pass tells why. */
static bool open_contender(const struct pass *pass, struct member *member,
                           struct contender *contenders, size_t n)
{
    struct error error = {.text = ""};
    struct variant *const variant = &contenders[n].variant;
    const struct options *const options = pass->all->options;
    contenders[n].member = member;
    variant_begin(variant, &options->request, &options->how, &member->name);
    for (unsigned i = 0; i < pass->number; i++)
        (void)random_next(&variant->how.seed);
    variant->how.batch_ns = STUDY_BATCH_NS;
    variant->how.time_per_case_ns = (int64_t)pass->case_ns;
    variant->how.rounds_ns = pass->ns;
    variant->how.conditions.memory = shared_memory(contenders, n, &member->name);
    text_list_add_all(&variant->how.events, &pass->all->events);
    text_list_add_all(&variant->how.counters, &pass->all->counters);
    variant->run = run_of(pass, member);
    variant->group = pass->all->groups++;
    const int status = variant_open(variant, &error);
    if (status == 0 && !member->roofs)
        variant_leave_roofs(variant);
    if (status == 0)
        return true;
    if (!pass->number)
        must(asprintf(&member->absent, "arm %s: %s", member->arm->name, error.text));
    variant_close(variant);
    return false;
}

static void take_limit(const struct contender *contender, unsigned pass)
{
    struct member *const member = contender->member;
    const struct result *const result = variant_result(&contender->variant);
    const struct run *const run = contender->variant.run;
    for (size_t i = 0; i < run->n_results && result->summary.limit.id; i++) {
        const struct result *const roof = &run->results[i];
        if (roof->group != result->group ||
            strcmp(roof->id, result->summary.limit.id) != 0)
            continue;
        const bool bytes = result->summary.limit.gbps > 0;
        series_take(&member->limit, roof, pass);
        member->limit_work[0] = bytes ? result->work.bytes : result->work.ops;
        member->limit_work[1] = bytes ? roof->work.bytes : roof->work.ops;
    }
}

/* A failure in a further pass costs its rounds alone. */
static void take_contender(const struct contender *contender, unsigned pass)
{
    struct member *const member = contender->member;
    const struct result *const result = variant_result(&contender->variant);
    const bool good = result->status == STATUS_OK;
    if (good) {
        series_take(&member->series, result, pass);
        take_limit(contender, pass);
    }
    if (pass)
        return;
    member->run = contender->variant.run;
    member->result = contender->variant.result;
    if (!good)
        must(asprintf(&member->absent, "arm %s is %s: %s", member->arm->name,
                      status_name(result->status),
                      result->reason ?: "no reason is known"));
}

/* Results of one run stand one after the other. */
static void list_arms(struct contender *contenders, size_t n, struct run_arm *arms)
{
    for (size_t i = 0; i < n; i++) {
        struct variant *const variant = &contenders[i].variant;
        size_t before = 0;
        for (size_t k = 0; k < i; k++)
            if (contenders[k].variant.run == variant->run)
                before += variant_group(&contenders[k].variant)->n_cases;
        arms[i] = variant_arm(variant);
        arms[i].may_lead = true;
        variant->result += before;
    }
}

/* Sets count as groups. */
static void tell(void *context, const struct progress *progress)
{
    const struct studying *const all = context;
    struct progress mine = *progress;
    mine.group = all->at;
    mine.n_groups = all->sets.n;
    if (all->watcher->progress)
        all->watcher->progress(all->watcher->context, &mine);
}

static int run_pass(const struct pass *pass, struct error *error)
{
    const size_t most = pass->set->n;
    FREED_BY(free_memory) struct contender *contenders =
        must_have(calloc(most, sizeof *contenders));
    FREED_BY(free_memory) struct run_arm *arms = must_have(calloc(most, sizeof *arms));
    size_t n = 0;
    for (size_t i = 0; i < most && !interrupted_by; i++) {
        struct member *const member = &pass->set->member[i];
        if (member->timed && !member->absent)
            n += open_contender(pass, member, contenders, n);
    }
    list_arms(contenders, n, arms);
    const struct watcher watcher = {.context = pass->all, .progress = tell};
    const int status = interrupted_by ? -EINTR
                       : n            ? run_arms(arms, n, &watcher, error)
                                      : 0;
    for (size_t i = 0; i < n; i++) {
        if (status == 0)
            take_contender(&contenders[i], pass->number);
        variant_close(&contenders[i].variant);
    }
    return status;
}

/* ---- all of them ---- */

static size_t timed_members(const struct round_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++)
        n += set->member[i].timed && !set->member[i].absent;
    return n;
}

/* This set has so much of the timed members that are left. */
static double share_of(const struct set_list *sets, size_t number)
{
    size_t members = 0;
    for (size_t i = number; i < sets->n; i++)
        members += timed_members(&sets->set[i]);
    return members ? (double)timed_members(&sets->set[number]) / (double)members : 0;
}

/* A set has its share of the time that is left. Further passes follow as long as another
 * one like the last fits in. */
static int measure_set(struct studying *all, size_t number, struct error *error)
{
    struct round_set *const set = &all->sets.set[number];
    const double share_ns = fmax(all->left_ns, 0) * share_of(&all->sets, number);
    double spent_ns = 0, last_ns = 0;
    int status = 0;
    for (unsigned i = 0; i < PASSES && status == 0 && spent_ns + last_ns <= share_ns;
         i++) {
        const int64_t began = clock_budget();
        struct pass pass = {.all = all,
                            .set = set,
                            .aside = run_new(),
                            .number = i,
                            .ns = share_ns - spent_ns};
        pass.case_ns =
            fmin(STUDY_CASE_NS, pass.ns / PASSES / fmax(1, (double)timed_members(set)));
        status = run_pass(&pass, error);
        run_free(pass.aside);
        last_ns = (double)(clock_budget() - began);
        spent_ns += last_ns;
    }
    all->left_ns -= spent_ns;
    return status;
}

int sets_measure(struct studying *all, struct error *error)
{
    int status = 0;
    /* Traces come first: then what is timed runs alone. */
    FOR_EACH (const struct round_set, set, all->sets.set, all->sets.n)
        FOR_EACH (struct member, member, set->member, set->n)
            if (member->traced && !member->absent && !interrupted_by)
                member_trace(all, member);
    for (all->at = 0; all->at < all->sets.n && status == 0; all->at++)
        status = measure_set(all, all->at, error);
    return interrupted_by ? -EINTR : status;
}
