/* SPDX-License-Identifier: Apache-2.0 */
/* --prove: what each case executes, in fresh workers that are never timed. */
#include "measure_private.h"

#include <math.h>

/* The row says that it executes these: a library may have told it. */
static const char *said_isa(const struct result *result)
{
    return strcmp(result->isa, "lib") != 0 ? result->isa : result->module.isa;
}

/* An avx512 row that executes 256 bits was not what it says; one that executes wider
 * vectors than it says neither. Scalar floats count as plain C. */
static void doubt(const struct result *result, struct code_proof *proof)
{
    const char *isa = said_isa(result);
    const int number = isa ? isa_find(isa) : -1;
    const double said = number < 0 ? 0 : isa_get((size_t)number)->bits;
    const double bits = proof->executed.main_bits, ran = bits < 128 ? 0 : bits;
    char text[128], vectors[32];
    if (number < 0 || !(bits > 0) || !(ran < said || ran > said))
        return;
    snprintf(vectors, sizeof vectors, "vectors of %.0f bits", ran);
    snprintf(text, sizeof text, "executes %s, %s has %.0f",
             ran > 0 ? vectors : "no vectors", isa, said);
    string_set(&proof->doubt, text);
}

void take_executed(const struct inspect_census *census, struct executed *executed)
{
    string_set(&executed->mode, census->whole ? "whole" : "sampled");
    executed->instructions = (double)census->instructions;
    executed->steps = (double)census->steps;
    executed->seconds = census->seconds;
    executed->windows = census->windows;
    executed->system_calls = (double)census->system_calls;
    executed->threads = census->threads;
    executed->share_scalar = census->share_scalar;
    executed->share_sse = census->share_sse;
    executed->share_avx = census->share_avx;
    executed->share_avx512 = census->share_avx512;
    executed->share_fma = census->share_fma;
    executed->share_transitions = census->share_transitions;
    executed->widest_bits = census->widest_bits;
    executed->main_bits = census->main_bits;
    executed->mixes_sse_avx = census->mixes_sse_avx;
    string_set(&executed->modules, census->modules);
    string_set(&executed->producer, census->producer);
}

void take_build(const struct inspect_census *census, char **unoptimised)
{
    char why[128];
    if (inspect_unoptimised(census, why, sizeof why))
        string_set(unoptimised, why);
}

enum { LINE_BYTES = 64, SHORT_JUMP_BYTES = 2 };

/* A loop ends by a jump, which is a short one if the loop is small. */
static double bytes_of(const struct inspect_census *census,
                       const struct inspect_loop *loop)
{
    if (!loop->n_lines || loop->line + loop->n_lines > census->n_lines)
        return 0;
    const struct inspect_line *const first = &census->line[loop->line];
    return (double)(first[loop->n_lines - 1].address - first->address + SHORT_JUMP_BYTES);
}

static void take_loop(const struct inspect_census *census,
                      const struct inspect_loop *from, struct code_loop *loop)
{
    *loop =
        (struct code_loop){.share = from->share,
                           .iterations = from->iterations,
                           .instructions = rint(from->instructions * from->iterations),
                           .calls = rint(from->calls * from->iterations),
                           .spills = rint(from->vector_spills * from->iterations),
                           .reloads = rint(from->vector_reloads * from->iterations),
                           .widest_bits = from->widest_bits,
                           .offset = (double)(from->address % LINE_BYTES),
                           .bytes = bytes_of(census, from),
                           .spills_exact = from->spills_exact};
    string_set(&loop->where, from->where);
    string_set(&loop->source, from->source);
}

static void take_call(const struct inspect_census *census, const char *shape, double ops,
                      struct whole_call *call)
{
    whole_call_clear(call);
    *call = (struct whole_call){.ops = ops,
                                .instructions = (double)census->instructions,
                                .main_bits = census->main_bits,
                                .share_sse = census->share_sse,
                                .share_avx = census->share_avx,
                                .share_avx512 = census->share_avx512};
    string_set(&call->shape, shape);
    for (size_t i = 0; i < census->n_loops; i++)
        take_loop(census, &census->loop[i], LIST_ADD(call, loops, n_loops));
}

/* Sums over loops that are worth while. */
static bool sees_spills(const struct inspect_census *census)
{
    for (size_t i = 0; i < census->n_loops; i++)
        if (census->loop[i].share >= INSPECT_MAIN_SHARE && !census->loop[i].spills_exact)
            return false;
    return true;
}

static void call_not(struct whole_call *call, const char *why)
{
    whole_call_clear(call);
    string_set(&call->absent, why);
}

static struct step_call step_of(const struct prepared *prepared)
{
    return (struct step_call){.number = prepared->number, .places = prepared->places};
}

/* No core executes so many instructions in a nanosecond: a traced call with more was none
 * of those that were timed. */
#define MOST_PER_NS 100

/* A lower bound of the instructions of a call. A sampled call took too many stops before,
 * and each instruction of its windows is a stop. */
static double least_instructions(const struct inspect_census *census)
{
    const double seen = (double)census->instructions;
    return census->whole ? seen : (double)census->steps - seen;
}

int prove_time(double call_ns, struct inspect_census *census, struct error *error)
{
    const double each = least_instructions(census) / call_ns;
    if (!(call_ns > 0) || !(each > MOST_PER_NS))
        return 0;
    inspect_census_free(census);
    return error_set(
        error, -ERANGE,
        "its traced call executes %.3g instructions for each nanosecond that a call "
        "takes, more than any core: it does other work where it is traced",
        each);
}

static int unless_ended(int status)
{
    return status == -EINTR || status == -EDOM ? status : 0;
}

int prove_case(struct worker *worker, const struct prepared *prepared,
               const struct how *how, const struct result *result,
               struct code_proof **out)
{
    const struct inspect_options follow = {.seed = how->seed};
    struct inspect_census census;
    struct error error = {.text = ""};
    struct code_proof *proof = must_have(calloc(1, sizeof *proof));
    const struct step_call step = step_of(prepared);
    int status = worker_step(worker, &step, &follow, how->timeout_ns, &census, &error)
                     ?: prove_time(prepared->call_ns, &census, &error);
    if (status < 0) {
        string_set(&proof->absent, error.text);
    } else {
        take_executed(&census, &proof->executed);
        doubt(result, proof);
        take_build(&census, &proof->unoptimised);
        if (census.whole && sees_spills(&census))
            take_call(&census, result->shape, result->work.ops, &proof->call);
        else
            call_not(&proof->call, census.whole ? "a call is too long to see all spills"
                                                : "a call takes too many steps");
        inspect_census_free(&census);
    }
    code_proof_free(*out);
    *out = proof;
    return unless_ended(status);
}

/* Most work of the first call that is tried with less of it; each has an eighth of that
 * of the one before. The least that has to be. Steps of such a call, of which one with
 * calls in its hot loop needs many. */
#define WORK_FIRST (1 << 17)
#define WORK_LEAST (1 << 11)
enum { CALL_STEPS = 60000 };

int prove_call(struct worker *worker, const struct prepared *prepared,
               const struct how *how, const char *shape, struct whole_call *call)
{
    const struct inspect_options follow = {
        .max_steps = CALL_STEPS, .seed = how->seed, .whole_only = true};
    FREED_BY(inspect_census_free) struct inspect_census census = {.whole = false};
    struct error error = {.text = ""};
    const struct step_call step = step_of(prepared);
    const int status =
        worker_step(worker, &step, &follow, how->timeout_ns, &census, &error);
    if (status < 0) {
        char why[sizeof error.text + 64];
        snprintf(why, sizeof why, "at %s: %s", shape, error.text);
        call_not(call, why);
        return unless_ended(status);
    }
    take_call(&census, shape, prepared->ops, call);
    return 0;
}

bool prove_can(const struct group_state *group, const struct case_state *entry)
{
    const enum status status = case_result(group, entry)->status;
    return !case_is_limit(group, entry) &&
           (entry->active || status == STATUS_NOISY || status == STATUS_SHORT);
}

bool prove_wants_call(const struct code_proof *proof)
{
    return proof && !proof->absent && proof->call.absent;
}

bool prove_smaller(const struct catalog *catalog, struct plan_group *group)
{
    struct shape_info shape;
    const double work = shape_work(&group->shape);
    double most = WORK_FIRST;
    if (work < WORK_LEAST)
        return false;
    while (most >= work)
        most /= 8;
    if (!shape_shrink(catalog, group, most, &shape))
        return false;
    group->shape = shape;
    return true;
}

void prove_not(struct code_proof **out, const char *why)
{
    code_proof_free(*out);
    *out = must_have(calloc(1, sizeof **out));
    string_set(&(*out)->absent, why);
}

/* ---- a group ---- */

/* The worker starts for the first case, and again after one that broke it. */
int prove_ready(struct group_state *group, struct worker *worker, struct error *error)
{
    if (worker_alive(worker))
        return 0;
    const int status = group_ready_worker(group, worker, error);
    return status < 0
               ? status
               : group_map_worker(group, worker, group->plan->settings.huge_pages, error);
}

int prove_prepare(struct worker *worker, const struct prepare_call *call,
                  const struct how *how, struct prepared *prepared, struct error *error)
{
    struct prepare_reply told;
    FREED_BY(json_delete) cJSON *reply = NULL;
    const int status =
        worker_ask(worker, prepare_call(call), how->timeout_ns, &reply, error);
    prepare_reply_read(reply, &told);
    prepared->number = told.number;
    prepared->ops = isnan(told.ops) ? prepared->ops : told.ops;
    return status;
}

int prove_kernel(struct group_state *group, const struct case_state *entry,
                 struct worker *worker, struct prepared *prepared, struct error *error)
{
    const int status = prove_ready(group, worker, error);
    if (status < 0)
        return status;
    const struct prepare_call call = {.kernel = entry->offer->index,
                                      .threads = (int)entry->plan->team};
    return prove_prepare(worker, &call, group->session->how, prepared, error);
}

/* A group is traced with its own shape, with less work where that takes too many steps,
 * and with the first such shape in any case: another run may have that one alone. */
enum stage { STAGE_OWN, STAGE_SMALLER, STAGE_SMALL };

static bool is_wanted(const struct group_state *group, const struct case_state *entry,
                      enum stage stage)
{
    const struct result *const result = case_result(group, entry);
    const struct code_proof *const proof = result->code.proof;
    if (!prove_can(group, entry))
        return false;
    if (stage == STAGE_OWN || result->is_baseline)
        return stage == STAGE_OWN;
    return stage == STAGE_SMALLER
               ? prove_wants_call(proof)
               : proof && proof->call.shape &&
                     strcmp(proof->call.shape, group->plan->shape.text) != 0;
}

/* A kernel that is wrong where it is traced is as wrong as in any other call. */
static int end_wrong(struct group_state *group, struct case_state *entry,
                     const char *reason)
{
    case_end(group, entry, STATUS_WRONG, reason);
    return 0;
}

static int prove(struct group_state *group, struct case_state *entry, enum stage stage,
                 struct worker *worker)
{
    const struct how *how = group->session->how;
    const struct shape_info *const shape = &group->plan->shape;
    struct result *result = case_result(group, entry);
    struct code_proof *const proof = result->code.proof;
    struct error error = {.text = ""};
    struct prepared prepared = {.ops = shape->ops,
                                .call_ns = stage == STAGE_OWN ? entry->call_ns : 0,
                                .places = group_answers(group, entry)};
    int status = prove_kernel(group, entry, worker, &prepared, &error);
    if (status == 0 && stage != STAGE_OWN) {
        struct whole_call *const call =
            stage == STAGE_SMALL ? &proof->small : &proof->call;
        status = prove_call(worker, &prepared, how, shape->text, call);
        return status == -EDOM ? end_wrong(group, entry, call->absent) : status;
    }
    if (status == 0) {
        status = prove_case(worker, &prepared, how, result, &result->code.proof);
        string_set(&result->code.unoptimised, result->code.proof->unoptimised);
        return status == -EDOM ? end_wrong(group, entry, result->code.proof->absent)
                               : status;
    }
    if (stage == STAGE_OWN)
        prove_not(&result->code.proof, error.text);
    return status == -EINTR ? status : 0;
}

const char *prove_cannot(const struct group_state *group, const struct worker *worker)
{
    if (group->session->how->in_process)
        return "a process cannot trace itself (--in-process)";
    return worker->info.path && module_is_foreign(worker->info.path)
               ? "a foreign worker marks no calls"
               : NULL;
}

static bool any_wanted(const struct group_state *group, enum stage stage)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (is_wanted(group, &group->cases[i], stage))
            return true;
    return false;
}

static int prove_all_of(struct group_state *group, const struct worker *of,
                        enum stage stage)
{
    const char *why = prove_cannot(group, of);
    struct worker *worker = worker_twin(of);
    int status = 0;
    for (size_t i = 0; i < group->n_cases && status == 0; i++) {
        struct case_state *entry = &group->cases[i];
        if (entry->offer->worker != of || !is_wanted(group, entry, stage))
            continue;
        session_tell(group->session, group->number, "proof", (uint32_t)i,
                     (uint32_t)group->n_cases);
        if (why)
            prove_not(&case_result(group, entry)->code.proof, why);
        else
            status = prove(group, entry, stage, worker);
    }
    worker_free(worker);
    return status;
}

/* Proofs of two runs are compared, so inputs and places are the same in all runs. */
#define PROOF_SEED 1

int prove_place(struct group_state *group, struct error *error)
{
    const struct catalog *const catalog = group->session->catalog;
    group->seed = PROOF_SEED;
    group->traced = true;
    return group_place(group, error)
               ?: group_write_inputs(group, catalog_op_owner(catalog, group->plan->op),
                                     error);
}

static int prove_at(const struct group_state *own, const struct plan_group *plan,
                    enum stage stage, struct error *error)
{
    const struct catalog *catalog = own->session->catalog;
    struct group_state group = *own;
    group.plan = plan;
    if (!any_wanted(&group, stage))
        return 0;
    int status = prove_place(&group, error) ?: group_write_answers(&group, error);
    for (size_t w = 0; w < catalog->n_workers && status == 0; w++)
        status = prove_all_of(&group, catalog->workers[w], stage);
    return status;
}

int group_prove(struct group_state *group, struct error *error)
{
    const struct catalog *const catalog = group->session->catalog;
    struct plan_group smaller = *group->plan, small = *group->plan;
    int status = prove_at(group, group->plan, STAGE_OWN, error);
    while (status == 0 && any_wanted(group, STAGE_SMALLER) &&
           prove_smaller(catalog, &smaller))
        status = prove_at(group, &smaller, STAGE_SMALLER, error);
    if (status == 0 && prove_smaller(catalog, &small))
        status = prove_at(group, &small, STAGE_SMALL, error);
    /* A shape that cannot be placed ends no case. */
    return status == -EINTR || status == -ENOMEM ? error_set(error, status, "interrupted")
                                                 : 0;
}
