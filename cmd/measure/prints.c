/* SPDX-License-Identifier: Apache-2.0 */
/* Prints of the code of the user's modules. By them two runs know that a case executes
 * the same code on the same data of its file, wherever both lie. They are taken after all
 * batches, in processes that are not timed. */
#include "measure_private.h"

#include "surgery.h"

/* The most time for all prints of a run. */
#define PRINTS_NS INT64_C(1000000000)
/* The most time for one of them. */
#define PRINT_NS INT64_C(200000000)
/* Longer calls are not traced: what their code names has to be all that it reaches. */
enum { PRINT_STEPS = 3000 };

/* Code that a trace found is that of one call; another run may have other operands. So
 * the code is first looked for without one. */
static int ask_for_print(struct group_state *group, const struct case_state *entry,
                         struct worker *worker, const struct prepared *prepared,
                         uint64_t steps)
{
    const struct copies_call call = {.number = prepared->number,
                                     .code = true,
                                     .libc_stays = true,
                                     .whole_only = true,
                                     .steps = steps};
    struct copies_reply told;
    struct error error = {.text = ""};
    FREED_BY(json_delete) cJSON *reply = NULL;
    char print[SURGERY_PRINT];
    const int status =
        worker_ask(worker, copies_call(&call), clock_patience(PRINT_NS), &reply, &error);
    copies_reply_read(reply, &told);
    const bool whole = told.whole && group->plan->settings.sets <= 1;
    if (status == 0 && told.code && told.executed && !told.prepared &&
        (whole || told.closed) && surgery_print(told.code, whole, print))
        string_set(&case_result(group, entry)->code.print, print);
    return status;
}

static int take_print(struct group_state *group, const struct case_state *entry,
                      struct worker *worker)
{
    struct prepared prepared = {.ops = 0};
    struct error error = {.text = ""};
    int status = prove_kernel(group, entry, worker, &prepared, &error)
                     ?: ask_for_print(group, entry, worker, &prepared, 1);
    if (status == 0 && !case_result(group, entry)->code.print)
        status = ask_for_print(group, entry, worker, &prepared, PRINT_STEPS);
    return status;
}

static int take_all_of(struct group_state *group, const struct worker *of)
{
    struct worker *worker = NULL;
    int64_t *const spent_ns = &group->session->prints_ns;
    int status = 0;
    for (size_t i = 0; i < group->n_cases && status != -EINTR; i++) {
        const struct case_state *const entry = &group->cases[i];
        const int64_t began = clock_budget();
        if (entry->offer->worker != of || !entry->active || *spent_ns >= PRINTS_NS)
            continue;
        worker = worker ?: worker_twin(of);
        status = take_print(group, entry, worker);
        *spent_ns += clock_budget() - began;
    }
    if (worker)
        worker_free(worker);
    return status == -EINTR ? status : 0;
}

int group_take_prints(struct group_state *group)
{
    const struct catalog *const catalog = group->session->catalog;
    int status = 0;
    for (size_t w = 0; w < catalog->n_workers && status == 0; w++) {
        const struct worker *const of = catalog->workers[w];
        if (of->info.path && !of->info.is_baseline && !prove_cannot(group, of))
            status = take_all_of(group, of);
    }
    return status;
}
