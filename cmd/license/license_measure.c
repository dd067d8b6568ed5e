/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "license_private.h"
#include "measure/measure.h"
#include "process/process.h"

/* Typical shapes from small to large are compared, a few milliseconds each. NULL: the
 * op's default. */
static const struct {
    const char *op, *semiring, *variant, *layout, *sizes;
    const char *shape[3];
} nets[LICENSE_NETS] = {
    {.op = "gemm", .semiring = "maxplus", .sizes = "64..512"},
    {.op = "relu", .variant = "auto", .layout = "separate", .sizes = "1k..1M*10"},
    {.op = "tanh", .sizes = "1k..100k*10"},
    {.op = "conv",
     .layout = "nchw",
     .shape = {"n1c16h14w14k16r3s3", "n1c16h28w28k16r3s3", "n1c32h28w28k32r3s3"}},
};
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

static int choose(size_t which, const char *narrow, struct options *options,
                  struct error *error)
{
    options_init(options);
    options->is_op = options->quiet = true;
    options->time_per_case_ns = TIME_PER_CASE_NS;
    options->seed = (uint64_t)clock_now();
    options->command = must_have(strdup(nets[which].op));
    const struct {
        struct text_list *list;
        const char *text;
    } words[] = {
        {&options->isas, narrow},
        {&options->isas, wide_isa},
        {&options->types, "f32"},
        {&options->baselines, "none"},
        {&options->semirings, nets[which].semiring},
        {&options->variants, nets[which].variant},
        {&options->layouts, nets[which].layout},
        {&options->shapes, nets[which].shape[0]},
        {&options->shapes, nets[which].shape[1]},
        {&options->shapes, nets[which].shape[2]},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].text)
            text_list_add(words[i].list, words[i].text);
    return nets[which].sizes ? sizes_expand(nets[which].sizes, &options->sizes, error)
                             : 0;
}

/* The same plan and run as those of `simdbench OP`. */
static int measure_op(const struct options *given, size_t which, const char *narrow,
                      struct license_net *net, struct error *error)
{
    struct options options;
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    struct run *const run = must_have(run_new());
    int rc = choose(which, narrow, &options, error);
    options.wait_ns = given->wait_ns;
    if (rc == 0)
        rc = plan_prepare(&options, &catalog, &plan, error);
    if (rc == 0)
        rc = run_plan(&options, &catalog, &plan, NULL, run, error);
    if (rc == 0)
        rc = license_take_net(run, wide_isa, narrow, net);
    run_free(run);
    plan_free(&plan);
    catalog_free(&catalog);
    options_free(&options);
    return rc;
}

int license_measure_net(const struct options *given, struct license *license,
                        bool progress, struct error *error)
{
    const char *const narrow = narrow_isa();
    const int wide = isa_find(wide_isa);
    char reason[200] = "";
    if (wide < 0 || !isa_available((size_t)wide, reason, sizeof reason)) {
        snprintf(license->net_skip, sizeof license->net_skip, "no %s here: %s", wide_isa,
                 wide < 0 ? "another architecture" : reason);
        return 0;
    }
    for (size_t i = 0; i < LICENSE_NETS; i++) {
        struct license_net *const net = &license->net[license->n_nets++];
        struct error why = {.text = ""};
        net->op = nets[i].op;
        if (progress)
            fprintf(stderr, "simdbench license: %s with %s and %s\n", net->op, narrow,
                    wide_isa);
        const int rc = measure_op(given, i, narrow, net, &why);
        if (rc == -ENOMEM || rc == -EINTR || rc == -CPUS_BUSY)
            return error_set(error, rc, "%s: %.400s", net->op, why.text);
        if (rc < 0)
            snprintf(net->skip, sizeof net->skip, "%.255s", why.text);
    }
    return 0;
}
