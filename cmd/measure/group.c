/* SPDX-License-Identifier: Apache-2.0 */
#include "measure_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int group_ready_worker(struct group_state *group, struct worker *worker,
                       struct error *error)
{
    struct session *session = group->session;
    const struct options *options = session->options;
    int status =
        worker_alive(worker) ? 0 : worker_start(worker, options->in_process, error);
    if (status < 0)
        return status;
    cJSON *request = message_new("setup");
    cJSON_AddItemToObject(
        request, "cpus", cJSON_CreateIntArray(session->plan->cpu, (int)group->used_cpus));
    cJSON *events = cJSON_AddArrayToObject(request, "events");
    for (size_t i = 0; i < session->plan->n_events; i++)
        cJSON_AddItemToArray(events, cJSON_CreateString(session->plan->event[i].name));
    cJSON_AddBoolToObject(request, "multiplex", options->multiplex);
    if (options->conditions.keep_heap)
        cJSON_AddTrueToObject(request, "keep_heap");
    proofs_ask(session, request);
    cJSON *reply = NULL;
    status = worker_ask(worker, request, options->timeout_ns, &reply, error);
    proofs_take(group, worker, reply);
    cJSON_Delete(reply);
    return status;
}

int group_map_worker(struct group_state *group, struct worker *worker, bool copy,
                     struct error *error)
{
    const struct options *options = group->session->options;
    const bool huge = copy && options->huge_pages;
    cJSON *request = message_new("map"), *reply = NULL;
    message_add_u64(request, "bytes", group->memory_bytes);
    message_add_u64(request, "block", group->map.bytes);
    cJSON_AddItemToObject(request, "dims", message_dims(&group->plan->shape.shape));
    cJSON_AddItemToObject(request, "operands", message_operands(&group->map));
    cJSON_AddNumberToObject(request, "threads", group->plan->threads);
    if (options->most_ulp > 0)
        cJSON_AddNumberToObject(request, "most_ulp", options->most_ulp);
    cJSON_AddBoolToObject(request, "huge", huge);
    if (copy && !huge)
        cJSON_AddTrueToObject(request, "private");
    int status = worker_ask(worker, request, options->timeout_ns, &reply, error);
    if (status == 0 && huge && group->map.bytes) {
        double got = message_number(reply, "huge_bytes", -1);
        double asked = message_number(reply, "arena_bytes", 0);
        if (got < asked)
            status = error_set(
                error, -EOPNOTSUPP,
                "--pages=2m: smaps shows %.0f of %.0f bytes on 2 MiB pages; try: echo "
                "madvise > /sys/kernel/mm/transparent_hugepage/enabled",
                got, asked);
    }
    cJSON_Delete(reply);
    return status;
}

int group_offsets(struct group_state *group, uint64_t seed, struct error *error)
{
    const struct options *options = group->session->options;
    const bool spread = options->conditions.spread;
    group->map = group->plan->shape.map;
    const int status = operands_offsets(
        &group->map, spread ? OPERANDS_PAGE : options->align, seed, error);
    if (status == 0 && spread)
        operands_spread(&group->map);
    return status;
}

static int open_worker(struct group_state *group, struct worker *worker, bool copy,
                       struct error *error)
{
    const int status = group_ready_worker(group, worker, error);
    return status < 0 ? status : group_map_worker(group, worker, copy, error);
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
    for (size_t i = 0; i < group->n_cases; i++) {
        const struct case_state *entry = &group->cases[i];
        if (!case_is_limit(group, entry) && !group_answers(group, entry) &&
            group->n_answers < ARRAY_LEN(group->answers))
            group->answers[group->n_answers++] =
                (struct answers){.semiring = entry->offer->semiring};
    }
    memcpy(group->again, group->answers, sizeof group->again);
}

/* Gives n answers of each semiring, and their common index, a place from `end` on;
 * returns where they end. */
static uint64_t place_answers(const struct group_state *group, struct answers *list,
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
        list[i] = (struct answers){.semiring = list[i].semiring,
                                   .n = n,
                                   .index = index,
                                   .value = end,
                                   .slack = slack};
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
    const struct options *options = group->session->options;
    const struct plan_group *plan = group->plan;
    int status = group_offsets(group, group->seed + options->conditions.layout, error);
    if (status < 0)
        return status;
    const struct simdbench_operand *output = output_of(group);
    uint64_t end = group->map.bytes > group->block ? group->map.bytes : group->block;
    end = (end + 4095) / 4096 * 4096;
    group->n_answers = 0;
    if (output) {
        find_semirings(group);
        end = place_answers(group, group->answers, output,
                            operands_sample(output, plan->shape.ops, options->check_full,
                                            group->seed, NULL),
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

int group_write_inputs(struct group_state *group, struct worker *owner,
                       struct error *error)
{
    const struct options *options = group->session->options;
    cJSON *reply = NULL;
    int status = enter_worker(group, owner, false, error);
    if (status < 0)
        return status;
    cJSON *request = message_new("fill");
    cJSON_AddStringToObject(request, "op", group->plan->op);
    message_add_u64(request, "seed", group->seed);
    if (group->plan->input)
        cJSON_AddStringToObject(request, "input", group->plan->input);
    if (options->conditions.values)
        cJSON_AddStringToObject(request, "values", options->conditions.values);
    status = worker_ask(owner, request, options->timeout_ns, &reply, error);
    group->refused = status == -EINVAL;
    const char *hash = message_text(reply, "hash");
    for (size_t i = 0; i < group->n_cases && hash && status == 0; i++)
        must(string_set(&case_result(group, &group->cases[i])->input_hash, hash));
    cJSON_Delete(reply);
    return status;
}

/* The op's owner writes the answers that the list has places for. */
static int write_answers(struct group_state *group, struct answers *list, bool full,
                         double ops, uint64_t seed, struct error *error)
{
    struct worker *owner = catalog_op_owner(group->session->catalog, group->plan->op);
    const struct options *options = group->session->options;
    int status = 0;
    for (size_t i = 0; i < group->n_answers && status == 0; i++) {
        struct answers *answers = &list[i];
        cJSON *request = message_new("reference");
        cJSON_AddStringToObject(request, "op", group->plan->op);
        if (answers->semiring)
            cJSON_AddStringToObject(request, "semiring", answers->semiring);
        message_add_u64(request, "seed", seed);
        cJSON_AddBoolToObject(request, "full", full);
        cJSON_AddNumberToObject(request, "ops", ops);
        group_add_answers(answers, request);
        /* A full check of a large shape takes as long as it takes. */
        int64_t timeout = timeout_with(options, group->plan->shape.ops * 20);
        status = worker_tell(owner, request, timeout, error);
        if (status == -ENOTSUP) {
            answers->n = 0; /* the op has nothing to compare for these kernels */
            status = 0;
        }
    }
    return status;
}

int group_write_answers(struct group_state *group, struct error *error)
{
    return write_answers(group, group->answers, group->session->options->check_full,
                         group->plan->shape.ops, group->seed, error);
}

int group_change(struct group_state *group, uint64_t seed, struct error *error)
{
    struct worker *owner = catalog_op_owner(group->session->catalog, group->plan->op);
    const struct options *options = group->session->options;
    const struct simdbench_operand *output = output_of(group);
    cJSON *request = message_new("change");
    cJSON_AddStringToObject(request, "op", group->plan->op);
    message_add_u64(request, "seed", seed);
    if (group->plan->input)
        cJSON_AddStringToObject(request, "input", group->plan->input);
    if (options->conditions.values)
        cJSON_AddStringToObject(request, "values", options->conditions.values);
    const int status = worker_tell(owner, request, options->timeout_ns, error);
    if (status < 0 || !output)
        return status;
    return write_answers(group, group->again, false, again_ops(group, output), seed,
                         error);
}

int group_try_input(struct group_state *group, struct error *error)
{
    struct worker *owner = catalog_op_owner(group->session->catalog, group->plan->op);
    const int status = group_place(group, error);
    return status < 0 ? status : group_write_inputs(group, owner, error);
}

int group_prepare(struct group_state *group, struct error *error)
{
    const struct catalog *catalog = group->session->catalog;
    struct worker *owner = catalog_op_owner(catalog, group->plan->op);
    int status = group_try_input(group, error);
    if (status == 0)
        status = group_write_answers(group, error);
    if (status < 0)
        return status;
    const struct options *options = group->session->options;
    const bool copy = options->huge_pages || options->conditions.fresh_output;
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
        status = group_prepare_case(group, &group->cases[i]);
        if (status)
            return status < 0 ? error_set(error, status, "interrupted") : status;
    }
    return 0;
}
