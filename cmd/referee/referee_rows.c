/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that were accepted, and those that are known, as rows of an ordinary run:
 * there they have their limit, and their intervals at operands that stay as they are. */
#include "referee_private.h"

#include <limits.h>
#include <math.h>

#include "explain/explain.h"
#include "output/output.h"

static void make_request(const struct referee *referee, const struct text_list *shapes,
                         struct request *request)
{
    char text[PATH_MAX + 8];
    const char *const file = referee->options->files.item[0];
    request_copy(&referee->options->request, request);
    free(request->op);
    request->op = must_have(strdup(op_of(referee)->name));
    text_list_free(&request->sizes);
    text_list_free(&request->shapes);
    text_list_add_all(&request->shapes, shapes);
    text_list_add(&request->baselines, "none");
    text_list_add(&request->isas, "all");
    snprintf(text, sizeof text, "%s%s", strchr(file, '/') ? "" : "./", file);
    text_list_add(&request->plugins, text);
    for (size_t i = 0; i < referee->accepted.n; i++) {
        snprintf(text, sizeof text, "%s,as=candidate", referee->accepted.item[i]);
        if (i)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%zu", i + 1);
        text_list_add(&request->plugins, text);
    }
}

/* The name that make_request() gave each candidate; empty of one that was rejected. */
static struct text_list names_of(const struct run *verdicts)
{
    struct text_list names = {.n = 0};
    size_t n = 0;
    for (size_t i = 0; i < verdicts->n_judgements; i++) {
        char name[64] = "";
        if (!verdicts->judgements[i].reason && n++)
            snprintf(name, sizeof name, "candidate%zu", n);
        text_list_add(&names, verdicts->judgements[i].reason ? ""
                              : *name                        ? name
                                                             : "candidate");
    }
    return names;
}

/* The later checks of a run may find what all others did not. */
static void take_back(struct referee *referee, const struct run *run,
                      const struct run *verdicts, const struct text_list *names)
{
    for (size_t i = 0; i < verdicts->n_judgements; i++) {
        referee->judgement = &verdicts->judgements[i];
        for (size_t r = 0; r < run->n_results && !referee->judgement->reason; r++)
            if (text_same(run->results[r].module.name, names->item[i]) &&
                status_is_bad(run->results[r].status))
                reject(referee, "wrong", "%s", run->results[r].reason);
    }
}

/* ---- why it is not faster ---- */

/* A row below this share of its limit is explained. */
#define NEAR_LIMIT 0.77

/* The shape at which it falls behind most of what is known; NULL: nowhere. */
static const struct judged_time *slower_at(const struct judgement *judgement)
{
    const struct judged_time *slowest = NULL;
    FOR_EACH (const struct judged_time, time, judgement->time, judgement->n_times)
        if (time->best_ci.known && time->best_ci.hi < 1 &&
            time->to_best < (slowest ? slowest->to_best : 1))
            slowest = time;
    return slowest;
}

/* The candidate's row that is to be explained. */
static const struct result *row_to_explain(const struct judgement *judgement,
                                           const char *name, const struct run *run)
{
    const struct judged_time *const slower = slower_at(judgement);
    const struct result *row = NULL;
    double least = NEAR_LIMIT;
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const double share = result->summary.limit.share;
        if (!text_same(result->module.name, name) || !status_has_time(result->status))
            continue;
        if (slower ? strcmp(result->shape, slower->shape) != 0
                   : !(share > 0 && share < least))
            continue;
        row = result;
        least = share;
    }
    return row;
}

/* At its best place the code would be behind all the same, as far as anybody knows. */
static bool explains_little(const struct explained_finding *finding,
                            const struct judged_time *slower)
{
    return slower && !strcmp(finding->cause, "placement") &&
           !(slower->to_best >= 1 - finding->share);
}

void judgement_explain(struct judgement *judgement, const char *shape,
                       const struct explanation *found)
{
    const struct judged_time *const slower = slower_at(judgement);
    size_t i = 0;
    while (found && i < found->n_findings && explains_little(&found->findings[i], slower))
        i++;
    if (!found || i == found->n_findings)
        return;
    judgement->cause = must_have(strdup(found->findings[i].cause));
    string_set(&judgement->cause_text, found->findings[i].text);
    string_set(&judgement->cause_shape, shape);
    judgement->cause_share = fmax(found->findings[i].share, 0); /* of a NaN: 0 */
}

/* A cause that cannot be looked for is none; only an interruption ends the run. */
static int explain_accepted(const struct options *options, const struct run *run,
                            struct run *verdicts, const struct text_list *names,
                            struct error *error)
{
    struct error why = {.text = ""};
    for (size_t i = 0; i < verdicts->n_judgements && !interrupted_by; i++) {
        struct judgement *const judgement = &verdicts->judgements[i];
        const struct result *const row =
            judgement->reason ? NULL : row_to_explain(judgement, names->item[i], run);
        FREED_BY(run_delete) struct run *explained = NULL;
        if (row && explain_case(options, row->id, &explained, &why) == 0)
            judgement_explain(judgement, row->shape,
                              explained->n_results ? explained->results[0].explanation
                                                   : NULL);
    }
    return interrupted_by ? error_set(error, -EINTR, "interrupted") : 0;
}

int rows_measure(struct referee *referee, const struct text_list *shapes,
                 struct run *verdicts, struct run **run, struct error *error)
{
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    FREED_BY(plan_free) struct plan plan = {.n_groups = 0};
    struct options options = *referee->options;
    struct live live;
    int status = 0;
    how_copy(&referee->options->how, &options.how);
    how_set_cpus(&options.how, &referee->cpu, 1);
    options.how.unlocked = true;
    if (referee->accepted.n) {
        make_request(referee, shapes, &options.request);
        status = plan_prepare(&options.request, &options.how, &catalog, &plan, error);
    }
    *run = status == 0
               ? run_describe(&options, referee->accepted.n ? &catalog : NULL, &plan)
               : NULL;
    if (status == 0 && referee->accepted.n) {
        live_begin(&live, referee->options, true);
        status = run_plan(&options.how, &catalog, &plan, &live.watcher, *run, error);
        referee->printed = live.begun && live.table;
        progress_end();
    }
    FREED_BY(text_list_free) struct text_list names = names_of(verdicts);
    if (status == 0)
        take_back(referee, *run, verdicts, &names);
    if (status == 0)
        status = explain_accepted(&options, *run, verdicts, &names, error);
    if (referee->accepted.n)
        request_free(&options.request);
    how_free(&options.how);
    return status;
}
