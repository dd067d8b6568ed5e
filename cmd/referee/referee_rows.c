/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that were accepted, and those that are known, as rows of an ordinary run:
 * there they have their limit, and their intervals at operands that stay as they are. */
#include "referee_private.h"

#include <limits.h>
#include <string.h>

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
    for (size_t i = 0; i < shapes->n; i++)
        text_list_add(&request->shapes, shapes->item[i]);
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

/* The later checks of a run may find what all others did not. */
static void take_back(struct referee *referee, const struct run *run,
                      const struct run *verdicts)
{
    char name[64] = "candidate";
    size_t n = 0;
    for (size_t i = 0; i < verdicts->n_judgements; i++) {
        referee->judgement = &verdicts->judgements[i];
        if (referee->judgement->reason)
            continue;
        if (n++)
            snprintf(name, sizeof name, "candidate%zu", n);
        for (size_t r = 0; r < run->n_results; r++)
            if (text_same(run->results[r].module.name, name) &&
                status_is_bad(run->results[r].status))
                reject(referee, "wrong", "%s", run->results[r].reason);
    }
}

int rows_measure(struct referee *referee, const struct text_list *shapes,
                 const struct run *verdicts, struct run **run, struct error *error)
{
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
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
        if (live.progress)
            progress_show("%s", "");
    }
    if (status == 0)
        take_back(referee, *run, verdicts);
    if (referee->accepted.n)
        request_free(&options.request);
    how_free(&options.how);
    plan_free(&plan);
    catalog_free(&catalog);
    return status;
}
