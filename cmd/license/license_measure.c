/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "license_private.h"
#include "measure/measure.h"
#include "op_row.h"
#include "process/process.h"

#define TIME_PER_CASE_NS 20000000
static const char *const wide_isa = "avx512";

/* The widest instruction set below avx512 that is here. */
static const char *narrow_isa(void)
{
    size_t at = (size_t)isa_find(wide_isa);
    while (at-- > 0)
        if (isa_available(at, NULL, 0))
            return isa_get(at)->name;
    return NULL;
}

static int choose(const struct op_row *row, const char *narrow, struct request *request,
                  struct error *error)
{
    request_init(request);
    request->op = must_have(strdup(row->op->name));
    const struct {
        struct text_list *list;
        const char *text;
    } words[] = {
        {&request->isas, narrow},
        {&request->isas, wide_isa},
        {&request->types, "f32"},
        {&request->baselines, "none"},
        {&request->semirings, row->license.semiring},
        {&request->variants, row->license.variant},
        {&request->layouts, row->license.layout},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].text)
            text_list_add(words[i].list, words[i].text);
    return sizes_expand(row->license.sizes, &request->sizes, error);
}

/* The same plan and run as those of `simdbench OP`. */
static int measure_op(int64_t wait_ns, const struct op_row *row, const char *narrow,
                      struct license_net *net, struct error *error)
{
    FREED_BY(request_free) struct request request = {0};
    struct how how;
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    FREED_BY(run_delete) struct run *run = must_have(run_new());
    how_init(&how);
    how.quiet = true;
    how.wait_ns = wait_ns;
    how.time_per_case_ns = TIME_PER_CASE_NS;
    how.seed = (uint64_t)clock_now();
    int rc = choose(row, narrow, &request, error)
                 ?: plan_prepare(&request, &how, &catalog, &plan, error)
                 ?: run_plan(&how, &catalog, &plan, NULL, run, error)
                 ?: license_take_net(run, wide_isa, narrow, net);
    plan_free(&plan);
    catalog_free(&catalog);
    return rc;
}

static const struct op_row *row_of_turn(int turn)
{
    const struct op_row *const *row = op_rows();
    while (*row && (*row)->license.turn != turn)
        row++;
    return *row;
}

int license_measure_net(int64_t wait_ns, struct license *license, bool progress,
                        struct error *error)
{
    const char *const narrow = narrow_isa();
    const int wide = isa_find(wide_isa);
    char reason[200] = "";
    if (wide < 0 || !isa_available((size_t)wide, reason, sizeof reason)) {
        snprintf(license->net_skip, sizeof license->net_skip, "no %s here: %s", wide_isa,
                 wide < 0 ? "another architecture" : reason);
        return 0;
    }
    const struct op_row *row;
    while (license->n_nets < LICENSE_NETS &&
           (row = row_of_turn((int)license->n_nets + 1))) {
        struct license_net *const net = &license->net[license->n_nets++];
        struct error why = {.text = ""};
        net->op = row->op->name;
        if (progress)
            fprintf(stderr, "simdbench license: %s with %s and %s\n", net->op, narrow,
                    wide_isa);
        const int rc = measure_op(wait_ns, row, narrow, net, &why);
        if (rc == -ENOMEM || rc == -EINTR || rc == -CPUS_BUSY)
            return error_set(error, rc, "%s: %.400s", net->op, why.text);
        if (rc < 0)
            snprintf(net->skip, sizeof net->skip, "%.255s", why.text);
    }
    return 0;
}
