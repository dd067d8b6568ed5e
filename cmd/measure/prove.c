/* SPDX-License-Identifier: Apache-2.0 */
/* --prove: what each case executes, in fresh workers that are never timed. */
#include "measure_private.h"

#include <errno.h>
#include <string.h>

/* What the row says that it executes: a library may have told it. */
static const char *said_isa(const struct result *result)
{
    return strcmp(result->isa, "lib") != 0 ? result->isa : result->module_isa;
}

/* An avx512 row that executes 256 bits was not what it says; one that executes wider
 * vectors than it says neither. Scalar floats count as plain C. */
static void doubt(const struct result *result, struct code_proof *proof)
{
    const char *isa = said_isa(result);
    const int number = isa ? isa_find(isa) : -1;
    const double said = number < 0 ? 0 : isa_get((size_t)number)->bits;
    const double ran = proof->main_bits < 128 ? 0 : proof->main_bits;
    char text[128], vectors[32];
    if (number < 0 || !(proof->main_bits > 0) || !(ran < said || ran > said))
        return;
    snprintf(vectors, sizeof vectors, "vectors of %.0f bits", ran);
    snprintf(text, sizeof text, "executes %s, %s has %.0f",
             ran > 0 ? vectors : "no vectors", isa, said);
    must(string_set(&proof->doubt, text));
}

static void take_census(const struct inspect_census *census, struct code_proof *proof)
{
    proof->whole = census->whole;
    proof->instructions = (double)census->instructions;
    proof->steps = (double)census->steps;
    proof->seconds = census->seconds;
    proof->system_calls = (double)census->system_calls;
    proof->threads = census->threads;
    proof->share_scalar = census->share_scalar;
    proof->share_sse = census->share_sse;
    proof->share_avx = census->share_avx;
    proof->share_avx512 = census->share_avx512;
    proof->share_fma = census->share_fma;
    proof->share_transitions = census->share_transitions;
    proof->widest_bits = census->widest_bits;
    proof->main_bits = census->main_bits;
    must(string_set(&proof->modules, census->modules));
}

int prove_case(struct worker *worker, uint64_t number, const struct options *options,
               const struct result *result, struct code_proof **out)
{
    const struct inspect_options how = {.seed = options->seed};
    struct inspect_census census;
    struct error error = {.text = ""};
    struct code_proof *proof = must_have(code_proof_new());
    const int status =
        worker_step(worker, number, &how, options->timeout_ns, &census, &error);
    if (status < 0) {
        must(string_set(&proof->absent, error.text));
    } else {
        take_census(&census, proof);
        doubt(result, proof);
        inspect_census_free(&census);
    }
    code_proof_free(*out);
    *out = proof;
    return status == -EINTR ? status : 0;
}

void prove_not(struct code_proof **out, const char *why)
{
    code_proof_free(*out);
    *out = must_have(code_proof_new());
    must(string_set(&(*out)->absent, why));
}

/* ---- a group ---- */

/* The worker that a case is proved in: started for the first case, and again after one
 * that broke it. */
static int ready(struct group_state *group, struct worker *worker, struct error *error)
{
    if (worker_alive(worker))
        return 0;
    const int status = group_ready_worker(group, worker, error);
    return status < 0 ? status
                      : group_map_worker(group, worker,
                                         group->session->options->huge_pages, error);
}

static int prove(struct group_state *group, const struct case_state *entry,
                 struct worker *worker)
{
    const struct options *options = group->session->options;
    struct result *result = case_result(group, entry);
    struct error error = {.text = ""};
    cJSON *reply = NULL;
    int status = ready(group, worker, &error);
    cJSON *request = message_new("prepare");
    message_add_u64(request, "kernel", entry->offer->index);
    cJSON_AddNumberToObject(request, "threads", entry->plan->team);
    if (status == 0)
        status = worker_ask(worker, request, options->timeout_ns, &reply, &error);
    else
        cJSON_Delete(request);
    const uint64_t number = message_u64(reply, "case", UINT64_MAX);
    cJSON_Delete(reply);
    if (status == 0)
        return prove_case(worker, number, options, result, &result->proof);
    prove_not(&result->proof, error.text);
    return status == -EINTR ? status : 0;
}

/* Why a worker's cases cannot be proved at all, or NULL. */
static const char *cannot(const struct group_state *group, const struct worker *worker)
{
    if (group->session->options->in_process)
        return "a process cannot trace itself (--in-process)";
    return worker->info.path && module_is_foreign(worker->info.path)
               ? "a foreign worker marks no calls"
               : NULL;
}

static int prove_all_of(struct group_state *group, const struct worker *of)
{
    const struct worker_info *info = &of->info;
    const char *why = cannot(group, of);
    struct worker *worker =
        worker_new(info->name, info->path, info->options, info->n_options,
                   group->session->catalog->memory_fd);
    int status = 0;
    for (size_t i = 0; i < group->n_cases && status == 0; i++) {
        const struct case_state *entry = &group->cases[i];
        if (!entry->active || entry->offer->worker != of || case_is_limit(group, entry))
            continue;
        session_tell(group->session, group->number, "proof", (uint32_t)i,
                     (uint32_t)group->n_cases);
        if (why)
            prove_not(&case_result(group, entry)->proof, why);
        else
            status = prove(group, entry, worker);
    }
    worker_free(worker);
    return status;
}

int group_prove(struct group_state *group, struct error *error)
{
    const struct catalog *catalog = group->session->catalog;
    struct error why = {.text = ""};
    /* Checks have changed the inputs meanwhile. */
    int status =
        group_write_inputs(group, catalog_op_owner(catalog, group->plan->op), &why);
    if (status < 0 && status != -EINTR)
        return 0; /* every proof says that it was not measured */
    for (size_t w = 0; w < catalog->n_workers && status == 0; w++)
        status = prove_all_of(group, catalog->workers[w]);
    return status < 0 ? error_set(error, status, "interrupted") : 0;
}
