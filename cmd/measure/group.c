/* SPDX-License-Identifier: Apache-2.0 */
#include "measure_private.h"

#include <math.h>
#include <unistd.h>

int group_ready_worker(struct group_state *group, struct worker *worker,
                       struct error *error)
{
    struct session *session = group->session;
    const struct how *how = session->how;
    int status = worker_alive(worker) ? 0 : worker_start(worker, how->in_process, error);
    if (status < 0)
        return status;
    const struct plan *const plan = session->plan;
    struct setup_call call = {.n_cpu = group->used_cpus,
                              .n_events = plan->n_events,
                              .multiplex = how->multiplex,
                              .keep_heap = how->conditions.keep_heap,
                              .proofs = proofs_known(session)};
    memcpy(call.cpu, plan->cpu, group->used_cpus * sizeof *call.cpu);
    for (size_t i = 0; i < plan->n_events; i++)
        call.event[i] = plan->event[i].name;
    FREED_BY(json_delete) cJSON *reply = NULL;
    status = worker_ask(worker, setup_call(&call), how->timeout_ns, &reply, error);
    proofs_take(group, worker, reply);
    return status;
}

int group_map_worker(struct group_state *group, struct worker *worker, bool copy,
                     struct error *error)
{
    const struct how *how = group->session->how;
    const bool huge = copy && group->plan->settings.huge_pages;
    const struct map_call call = {.bytes = group->memory_bytes,
                                  .block = group->map.bytes,
                                  .dims = group->plan->shape.shape,
                                  .operands = group->map,
                                  .sets = group->map.sets,
                                  .threads = (int)group->plan->settings.threads,
                                  .most_ulp = group->plan->settings.most_ulp,
                                  .huge = huge,
                                  .private = copy && !huge};
    struct map_reply told;
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = worker_ask(worker, map_call(&call), how->timeout_ns, &reply, error);
    map_reply_read(reply, &told);
    if (status == 0 && huge && group->map.bytes && told.huge_bytes < told.arena_bytes)
        status = error_set(
            error, -EOPNOTSUPP,
            "--pages=2m: smaps shows %.0f of %.0f bytes on 2 MiB pages; try: echo "
            "madvise > /sys/kernel/mm/transparent_hugepage/enabled",
            told.huge_bytes, told.arena_bytes);
    return status;
}

int group_offsets(struct group_state *group, uint64_t seed, struct error *error)
{
    const struct how *how = group->session->how;
    const bool spread = how->conditions.spread;
    group->map = group->plan->shape.map;
    group->map.sets = group->plan->settings.sets;
    const int status = operands_offsets(
        &group->map, spread ? OPERANDS_PAGE : group->plan->settings.align, seed, error);
    if (status == 0 && spread)
        operands_spread(&group->map);
    return status;
}

static int open_worker(struct group_state *group, struct worker *worker, bool copy,
                       struct error *error)
{
    return group_ready_worker(group, worker, error)
               ?: group_map_worker(group, worker, copy, error);
}

/* Kernels of an earlier group may have damaged their worker: if it cannot go on, a fresh
 * one can. */
static int enter_worker(struct group_state *group, struct worker *worker, bool copy,
                        struct error *error)
{
    const bool used = worker_alive(worker);
    const int status = open_worker(group, worker, copy, error);
    if (status >= 0 || !used || status == -EINTR || status == -EOPNOTSUPP)
        return status;
    worker_kill(worker);
    return open_worker(group, worker, copy, error);
}

static const struct simdbench_operand *output_of(const struct group_state *group)
{
    for (uint32_t i = 0; i < group->map.count; i++)
        if (operand_is_output(&group->map.operand[i]))
            return &group->map.operand[i];
    return NULL;
}

/* Answers that have no place yet, for each semiring. */
static void find_semirings(struct group_state *group)
{
    FOR_EACH (const struct case_state, entry, group->cases, group->n_cases) {
        if (!case_is_limit(group, entry) && !group_find_answers(group, entry) &&
            group->n_answers < ARRAY_LEN(group->answers))
            group->answers[group->n_answers++] =
                (struct semiring_answers){.semiring = entry->offer->semiring};
    }
    memcpy(group->again, group->answers, sizeof group->again);
}

/* Gives n answers of each semiring, and their common index, a place from `end` on;
 * returns where they end. */
static uint64_t place_answers(const struct group_state *group,
                              struct semiring_answers *list,
                              const struct simdbench_operand *output, uint64_t n,
                              uint64_t end)
{
    uint64_t index = UINT64_MAX;
    if (n < output->count) {
        index = end;
        end += n * sizeof(uint64_t);
    }
    for (size_t i = 0; i < group->n_answers; i++) {
        const uint64_t slack = end + (n * type_bytes(output->type) + 63) / 64 * 64;
        list[i].places = (struct answer_places){n, index, end, slack};
        end = slack + n * sizeof(double);
    }
    return end;
}

/* operands_sample() takes fewer of what costs more: here a sixteenth of the operations,
 * and at most that many outputs. */
enum { AGAIN_SHARE = 16, AGAIN_OUTPUTS_SHARE = 256 };

static double again_ops(const struct group_state *group,
                        const struct simdbench_operand *output)
{
    return fmax(AGAIN_SHARE * group->plan->shape.ops,
                AGAIN_OUTPUTS_SHARE * (double)output->count);
}

int group_place(struct group_state *group, struct error *error)
{
    const struct how *how = group->session->how;
    const struct plan_group *plan = group->plan;
    int status = group_offsets(group, group->seed + how->conditions.layout, error);
    if (status < 0)
        return status;
    const struct simdbench_operand *output = output_of(group);
    uint64_t end = group->map.bytes > group->block ? group->map.bytes : group->block;
    end = (end + 4095) / 4096 * 4096;
    group->n_answers = 0;
    if (output) {
        find_semirings(group);
        end = place_answers(
            group, group->answers, output,
            operands_sample(output, plan->shape.ops, how->check_full, group->seed, NULL),
            end);
        end = place_answers(
            group, group->again, output,
            operands_sample(output, again_ops(group, output), false, group->seed, NULL),
            end);
    }
    group->memory_bytes = (end + 4095) / 4096 * 4096;
    /* Zero first: pages of an earlier group are given back, not reused dirty. */
    int fd = group->session->catalog->memory_fd;
    if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)group->memory_bytes) < 0)
        return error_set(error, -errno,
                         "cannot get %llu bytes of memory for operands: %s",
                         (unsigned long long)group->memory_bytes, strerror(errno));
    return 0;
}

static struct inputs_call inputs_of(const struct group_state *group, uint64_t seed)
{
    return (struct inputs_call){.op = group->plan->op,
                                .seed = seed,
                                .input = group->plan->settings.input,
                                .values = group->session->how->conditions.values};
}

int group_write_inputs(struct group_state *group, struct worker *owner,
                       struct error *error)
{
    const struct how *how = group->session->how;
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = enter_worker(group, owner, false, error);
    if (status < 0)
        return status;
    const struct inputs_call call = inputs_of(group, group->seed);
    struct fill_reply told;
    status = worker_ask(owner, fill_call(&call), how->timeout_ns, &reply, error);
    group->refused = status == -EINVAL;
    fill_reply_read(reply, &told);
    for (size_t i = 0; i < group->n_cases && told.hash && !group->traced && status == 0;
         i++)
        string_set(&case_result(group, &group->cases[i])->work.input_hash, told.hash);
    return status;
}

/* The op's owner writes the answers that the list has places for. */
static int write_answers(struct group_state *group, struct semiring_answers *list,
                         bool full, double ops, uint64_t seed, struct error *error)
{
    struct worker *owner = catalog_op_owner(group->session->catalog, group->plan->op);
    const struct how *how = group->session->how;
    int status = 0;
    for (size_t i = 0; i < group->n_answers && status == 0; i++) {
        struct semiring_answers *answers = &list[i];
        const struct reference_call call = {.op = group->plan->op,
                                            .semiring = answers->semiring,
                                            .seed = seed,
                                            .full = full,
                                            .ops = ops,
                                            .places = answers->places};
        /* A full check of a large shape takes as long as it takes. */
        int64_t timeout = timeout_with(how, group->plan->shape.ops * 20);
        status = worker_tell(owner, reference_call(&call), timeout, error);
        if (status == -ENOTSUP) {
            answers->places.n = 0; /* the op has nothing to compare for these kernels */
            status = 0;
        }
    }
    return status;
}

int group_write_answers(struct group_state *group, struct error *error)
{
    return write_answers(group, group->answers, group->session->how->check_full,
                         group->plan->shape.ops, group->seed, error);
}

int group_change(struct group_state *group, uint64_t seed, struct error *error)
{
    struct worker *owner = catalog_op_owner(group->session->catalog, group->plan->op);
    const struct how *how = group->session->how;
    const struct simdbench_operand *output = output_of(group);
    const struct inputs_call call = inputs_of(group, seed);
    const int status = worker_tell(owner, change_call(&call), how->timeout_ns, error);
    if (status < 0 || !output)
        return status;
    return write_answers(group, group->again, false, again_ops(group, output), seed,
                         error);
}

int group_try_input(struct group_state *group, struct error *error)
{
    struct worker *owner = catalog_op_owner(group->session->catalog, group->plan->op);
    return group_place(group, error) ?: group_write_inputs(group, owner, error);
}

int group_prepare(struct group_state *group, struct error *error)
{
    const struct catalog *catalog = group->session->catalog;
    struct worker *owner = catalog_op_owner(catalog, group->plan->op);
    int status = group_try_input(group, error) ?: group_write_answers(group, error);
    if (status < 0)
        return status;
    const struct how *how = group->session->how;
    const bool copy = group->plan->settings.huge_pages || how->conditions.fresh_output;
    for (size_t w = 0; w < catalog->n_workers; w++) {
        struct worker *worker = catalog->workers[w];
        struct error why = {.text = ""};
        bool needed = false;
        for (size_t i = 0; i < group->n_cases; i++)
            needed |= group->cases[i].active && group->cases[i].offer->worker == worker;
        if (!needed)
            continue;
        status = worker != owner || copy ? enter_worker(group, worker, copy, &why) : 0;
        if (status == -EINTR)
            return error_set(error, status, "interrupted");
        if (status < 0)
            group_end(group, worker,
                      status == -EOPNOTSUPP ? STATUS_SKIPPED : STATUS_FAILED, why.text);
    }
    for (size_t i = 0; i < group->n_cases; i++) {
        if (!group->cases[i].active)
            continue;
        status = i && group->cases[i].plan->copy == 1 ? group_prepare_copies(group) : 0;
        if (status == 0 && group->cases[i].active)
            status = group_prepare_case(group, &group->cases[i]);
        if (status)
            return status < 0 ? error_set(error, status, "interrupted") : status;
    }
    return 0;
}
