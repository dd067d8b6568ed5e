/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs from files. Their samples are not paired, and no interval covers the
 * differences between runs that have other causes than code. Roofs are the same code in
 * both runs: their change is the machine's, so they are the control.
 */
#include <math.h>

#include "gate.h"
#include "merge.h"

static const struct fact *find_fact(const struct run *run, const struct fact *like)
{
    for (size_t i = 0; i < run->host.n; i++)
        if (run->host.fact[i].identity && !strcmp(run->host.fact[i].name, like->name))
            return &run->host.fact[i];
    return NULL;
}

static void add_fact(struct buffer *buffer, const struct fact *fact)
{
    if (fact && fact->kind == FACT_TEXT)
        buffer_format(buffer, "'%s'", fact->text);
    else if (fact)
        buffer_format(buffer, "%.10g", fact->number);
    else
        buffer_add(buffer, "unknown");
}

static bool same_fact(const struct fact *a, const struct fact *b)
{
    return a && b && a->kind == b->kind && a->number == b->number &&
           text_same(a->text, b->text);
}

static void add_difference(struct buffer *buffer, const char *name, const struct fact *a,
                           const struct fact *b)
{
    buffer_format(buffer, "%s%s is ", buffer->length ? ", " : "", name);
    add_fact(buffer, a);
    buffer_add(buffer, " and ");
    add_fact(buffer, b);
}

/* Sets `difference` to what the hosts of two runs differ in, unless they have the same
 * fingerprint. */
static void hosts_compare(const struct run *base, const struct run *head,
                          char **difference)
{
    FREED_BY(buffer_free) struct buffer buffer = {.text = NULL};

    if (head->fingerprint && text_same(head->fingerprint, base->fingerprint))
        return;
    FOR_EACH (const struct fact, fact, base->host.fact, base->host.n)
        if (fact->identity && !same_fact(fact, find_fact(head, fact)))
            add_difference(&buffer, fact->name, fact, find_fact(head, fact));
    FOR_EACH (const struct fact, fact, head->host.fact, head->host.n)
        if (fact->identity && !find_fact(base, fact))
            add_difference(&buffer, fact->name, NULL, fact);
    if (!buffer.length && !head->fingerprint && !base->fingerprint)
        buffer_add(&buffer, "neither file tells its machine");
    else if (!buffer.length)
        buffer_format(&buffer, "fingerprint is %s and %s", base->fingerprint ?: "unknown",
                      head->fingerprint ?: "unknown");
    string_set(difference, buffer_text(&buffer));
}

/* ---- exact facts ---- */

/* True if the count is the same in all batches of a run. */
static bool is_exact(const struct counter *counter)
{
    for (size_t i = 1; i < counter->n; i++)
        if (counter->samples[i] != counter->samples[0])
            return false;
    return counter->n >= STATS_MIN_SAMPLES && !counter->absent && counter->value > 0;
}

static const struct counter *same_counter(const struct result *result,
                                          const struct counter *counter)
{
    FOR_EACH (const struct counter, other, result->samples.counters,
              result->samples.n_counters)
        if (text_same(other->name, counter->name) &&
            text_same(other->event, counter->event) &&
            text_same(other->scope, counter->scope))
            return other;
    return NULL;
}

/* A number of instructions that does not vary has no noise, so it decides before times
 * do, unless the verdict of these is that the code is faster. Other counts are of kinds
 * of instructions, which may rise in code that is faster: they are told. */
static void judge_facts(const struct pair *pair, const struct gate *gate)
{
    struct comparison *const c = pair->head->comparison;
    const bool faster = c->verdict == VERDICT_IMPROVED;

    FOR_EACH (const struct counter, head, pair->head->samples.counters,
              pair->head->samples.n_counters) {
        const struct counter *const base = same_counter(pair->base, head);
        if (!base || !is_exact(base) || !is_exact(head) ||
            !(head->value / base->value - 1 > gate->threshold))
            continue;
        FREED_BY(buffer_free) struct buffer text = {.text = NULL};
        buffer_format(&text, "%.60s: %.6g to %.6g a call (%+.2f%%), exact in both runs",
                      head->name, base->value, head->value,
                      100 * (head->value / base->value - 1));
        if (!faster && !gate->equal && text_same(head->name, "instructions")) {
            comparison_set(c, VERDICT_REGRESSED, "%s", buffer_text(&text));
            return;
        }
        result_add_note(pair->head, buffer_text(&text));
    }
}

/* ---- what the machine changed by ---- */

/* Divides the changes of a case by that of the machine, or multiplies them again. */
static void divide(struct comparison *c, double by)
{
    double *const changes[] = {&c->change, &c->change_ci.lo, &c->change_ci.hi,
                               &c->least_change};

    for (size_t i = 0; i < ARRAY_LEN(changes); i++)
        *changes[i] = (1 + *changes[i]) / by - 1;
}

/* ---- cases ---- */

static bool was_left_out(const struct result *result)
{
    return result->status == STATUS_SKIPPED || result->status == STATUS_PENDING;
}

static void say_status(struct comparison *c, enum verdict verdict, const char *run,
                       const struct result *result)
{
    comparison_set(c, verdict, "%s: %s%s%.150s", run, status_name(result->status),
                   result->reason ? ": " : "", result->reason ?: "");
}

static bool is_good(const struct result *result)
{
    return result->status == STATUS_OK && result->summary.median_ns > 0;
}

/* A case of other programs that fails in both for one reason tells nothing about head. */
static bool both_fail(const struct pair *pair)
{
    return stored_are_foreign(pair) && pair->base->status == STATUS_FAILED &&
           pair->head->status == STATUS_FAILED &&
           text_same(pair->base->reason, pair->head->reason);
}

static void say_both_fail(struct result *head)
{
    char text[200];

    snprintf(text, sizeof text, "both runs fail%s%.150s", head->reason ? ": " : "",
             head->reason ?: "");
    result_set_status(head, STATUS_SKIPPED, text);
}

/* Returns true if both have times to compare. */
static bool match_case(const struct pair *pair)
{
    const struct result *const base = pair->base, *const head = pair->head;

    if (both_fail(pair)) {
        say_both_fail(pair->head);
        return false;
    }
    if (was_left_out(base) && was_left_out(head))
        return false;
    struct comparison *const c = result_comparison(pair->head);
    code_proof_free(pair->head->code.base_proof);
    pair->head->code.base_proof = pair->base->code.proof;
    pair->base->code.proof = NULL;
    c->base_share = base->summary.limit.id ? base->summary.limit.share : NAN;
    c->base_ratios = base->summary.ratios;
    c->n_base_ratios = base->summary.n_ratios;
    pair->base->summary.ratios = NULL;
    pair->base->summary.n_ratios = 0;
    if (!is_good(head))
        say_status(c, was_left_out(head) ? VERDICT_GONE : VERDICT_UNUSABLE, "run 2",
                   head);
    else if (!is_good(base))
        say_status(c, was_left_out(base) ? VERDICT_NEW : VERDICT_UNUSABLE, "run 1", base);
    return is_good(base) && is_good(head);
}

static void say_alone(struct result *result, bool is_new)
{
    struct comparison *const c = result_comparison(result);

    if (is_good(result))
        *(is_new ? &c->head_ns : &c->base_ns) = result->summary.median_ns;
    comparison_set(c, is_new ? VERDICT_NEW : VERDICT_GONE, "only run %d has it",
                   is_new ? 2 : 1);
}

static bool can_be_compared(const struct result *result)
{
    return !result->is_roof;
}

/* Decides all kernels, or all baselines: Holm's correction is over each family alone. */
static void decide(const struct pair *pairs, size_t n, bool baselines, double threshold)
{
    FREED_BY(free_memory) struct comparison **list =
        must_have(calloc(n + 1, sizeof *list));
    size_t cases = 0;

    for (size_t i = 0; i < n; i++)
        if (pairs[i].head->is_baseline == baselines)
            list[cases++] = pairs[i].head->comparison;
    comparisons_decide(list, cases, threshold);
}

static void judge_pairs(const struct pair *pairs, size_t n, const struct gate *gate)
{
    for (size_t i = 0; i < n; i++)
        stored_times(&pairs[i], gate);
    for (size_t i = 0; i < n; i++)
        divide(pairs[i].head->comparison, exp(stored_machine(gate)));
    for (int baselines = 0; baselines < 2; baselines++)
        decide(pairs, n, baselines, gate->threshold);
    for (size_t i = 0; i < n; i++)
        divide(pairs[i].head->comparison, exp(-stored_machine(gate)));
    for (size_t i = 0; i < n; i++) {
        struct result *const head = pairs[i].head;
        if (gate->refused)
            comparison_set(head->comparison, VERDICT_UNUSABLE, OTHER_MACHINE);
        else if (!head->is_baseline)
            stored_doubt(gate, &pairs[i]);
        if (!gate->refused)
            judge_stored_place(head);
        judge_facts(&pairs[i], gate);
    }
}

/* Both lists are sorted; a case in one list alone is new or gone. */
static void match_all(struct run *head, struct run *base)
{
    size_t n, m, matched = 0;
    FREED_BY(free_memory) struct result **ours = run_by_id(head, can_be_compared, &n);
    FREED_BY(free_memory) struct result **theirs = run_by_id(base, can_be_compared, &m);
    FREED_BY(free_memory) struct pair *pairs =
        must_have(malloc((head->n_results + 1) * sizeof *pairs));

    for (size_t i = 0, j = 0; i < n || j < m;) {
        const int order = i == n ? 1 : j == m ? -1 : strcmp(ours[i]->id, theirs[j]->id);
        struct result *const alone = order < 0 ? ours[i] : theirs[j];
        if (!order) {
            pairs[matched] = (struct pair){base, head, theirs[j], ours[i]};
            matched += match_case(&pairs[matched]);
        } else if (!was_left_out(alone)) {
            say_alone(alone, order < 0);
        }
        i += order <= 0;
        j += order >= 0;
    }
    judge_pairs(pairs, matched, head->gate);
}

/* Run 2 did not measure the case, so its comparison alone keeps the times of run 1. */
static void forget_measurements(struct result *result)
{
    result->samples.iterations = 0;
    result->samples.n = result->samples.n_clock = 0;
    result->summary.ghz = 0;
    for (size_t i = 0; i < result->samples.n_counters; i++)
        result->samples.counters[i].n = 0;
    for (size_t i = 0; i < result->n_metrics; i++)
        result->metrics[i].value = NAN;
    result_clear_ratios(result);
    string_set(&result->summary.limit.id, NULL);
    result_set_status(result, STATUS_SKIPPED, result->comparison->reason);
}

/* Moves each case that is gone to the last group of its op. */
static void move_gone(struct run *head, struct run *base)
{
    const size_t n = head->n_results;

    results_number(head);
    FOR_EACH (struct result, result, base->results, base->n_results) {
        size_t last = n;
        if (!result->comparison)
            continue;
        while (last && !text_same(head->results[last - 1].op, result->op))
            last--;
        forget_measurements(result);
        result_move(head, result, last ? head->results[last - 1].group : n, false);
    }
    results_sort(head);
}

/* ---- the runs ---- */

static void add_arm(struct gate *gate, const char *name, const char *path,
                    const struct run *run)
{
    struct arm *const arm = gate_add_arm(gate, name, path);
    const char *const cpu = facts_find_text(&run->host, "cpu");
    FREED_BY(buffer_free) struct buffer host = {.text = NULL};

    buffer_format(&host, "%s%s%s", cpu ?: "", cpu && run->fingerprint ? ", " : "",
                  run->fingerprint ?: "");
    arm->version = copy_text(run->tool_version);
    arm->commit = copy_text(run->tool_commit);
    arm->build_id = copy_text(run->tool_build_id);
    arm->started_at = copy_text(run->started_at);
    arm->host = copy_text(buffer_text(&host));
    arm->label = copy_text(facts_find_text(&run->settings, "label"));
    for (size_t i = 0; i < run->n_plugins; i++)
        strings_add(&arm->objects, &arm->n_objects, run->plugins[i]);
    for (size_t i = 0; i < run->n_libraries; i++)
        strings_add(&arm->objects, &arm->n_objects, run->libraries[i]);
}

/* The hash in "PATH BUILD-ID-HASH"; empty if it is not known. The id counts debug
 * information, too. */
static const char *object_build(const char *object)
{
    const char *const space = strrchr(object, ' ');
    const char *const dash = space ? strrchr(space, '-') : NULL;

    return dash ? dash + 1 : space ? space + 1 : "";
}

/* Plug-ins and libraries are compared in their order, whatever their paths. */
static void find_equal(struct gate *gate)
{
    const struct arm *const a = &gate->arms[0], *const b = &gate->arms[1];
    bool same = a->build_id && text_same(a->build_id, b->build_id) &&
                a->n_objects == b->n_objects;

    for (size_t i = 0; same && i < a->n_objects; i++)
        same = *object_build(a->objects[i]) &&
               !strcmp(object_build(a->objects[i]), object_build(b->objects[i]));
    gate->equal = same;
}

/* Beside other programs calls that take turns with them seem slower. */
static void remark_schedules(const struct run *base, const struct run *head,
                             struct gate *gate)
{
    const char *const a = facts_find_text(&base->settings, "scheduled"),
                      *const b = facts_find_text(&head->settings, "scheduled");
    char text[64];
    if (!a || !b || !strcmp(a, b))
        return;
    snprintf(text, sizeof text, "calls of run %d alone ran before other programs",
             strcmp(a, "first") ? 2 : 1);
    string_set(&gate->remark, text);
}

int run_compare(struct run *head, const char *head_path, struct run *base,
                const char *base_path, double threshold, struct error *error)
{
    if (head->gate || base->gate)
        return invalid(error,
                       "%.300s is a comparison already; simdbench report shows it, and "
                       "what is compared here are two runs",
                       base->gate ? base_path : head_path);
    struct gate *const gate = run_gate(head);
    gate->threshold = threshold;
    string_set(&gate->kind, "stored");
    add_arm(gate, "run 1", base_path, base);
    add_arm(gate, "run 2", head_path, head);
    hosts_compare(base, head, &gate->refused);
    if (!gate->refused)
        drift_find(base, head, gate);
    find_equal(gate);
    remark_schedules(base, head, gate);
    match_all(head, base);
    move_gone(head, base);
    gate_count(head);
    return 0;
}
