/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "license_private.h"
#include "measure/measure.h"

/* What is compared: typical shapes from small to large, each a few milliseconds. NULL:
 * the op's default. */
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

static const struct result *fastest(const struct run *run, size_t group, const char *isa)
{
    const struct result *best = NULL;
    for (size_t i = 0; i < run->n_results; i++) {
        const struct result *const result = &run->results[i];
        if (result->group == group && !result->is_roof && result->status == STATUS_OK &&
            strcmp(result->isa, isa) == 0 &&
            (!best || result->median_ns < best->median_ns))
            best = result;
    }
    return best;
}

/* Pairs the rounds in which both have a sample. */
static int compare(const struct result *wide, const struct result *narrow,
                   struct license_point *point)
{
    const size_t most =
        wide->n_samples < narrow->n_samples ? wide->n_samples : narrow->n_samples;
    double *const ns = calloc(2 * most + 1, sizeof *ns);
    size_t n = 0;
    if (!ns)
        return -ENOMEM;
    for (size_t a = 0, b = 0; a < wide->n_samples && b < narrow->n_samples;) {
        if (wide->rounds[a] == narrow->rounds[b]) {
            ns[n] = narrow->samples_ns[b] / (double)narrow->iterations;
            ns[most + n++] = wide->samples_ns[a] / (double)wide->iterations;
        }
        const bool forward = wide->rounds[a] <= narrow->rounds[b];
        b += wide->rounds[a] >= narrow->rounds[b];
        a += forward;
    }
    point->speedup = stats_ratio(ns, ns + most, n, STATS_LEVEL, &point->ci);
    free(ns);
    point->shape = strdup(wide->shape);
    point->wide = strdup(wide->id);
    point->narrow = strdup(narrow->id);
    return point->shape && point->wide && point->narrow ? 0 : -ENOMEM;
}

static int collect(const struct run *run, const char *narrow, struct license_net *net)
{
    const size_t groups = run->n_results ? run->results[run->n_results - 1].group + 1 : 0;
    int rc = 0;
    for (size_t g = 0; g < groups && net->n_points < ARRAY_LEN(net->point); g++) {
        const struct result *const wide = fastest(run, g, wide_isa);
        const struct result *const other = fastest(run, g, narrow);
        if (wide && other && rc == 0)
            rc = compare(wide, other, &net->point[net->n_points++]);
    }
    if (net->n_points == 0)
        snprintf(net->skip, sizeof net->skip, "no shape was measured undisturbed");
    return rc;
}

static int add(struct text_list *list, const char *text)
{
    return text ? text_list_add(list, text) : 0;
}

static int choose(size_t which, const char *narrow, struct options *options,
                  struct error *error)
{
    options_init(options);
    options->is_op = options->quiet = true;
    options->time_per_case_ns = TIME_PER_CASE_NS;
    options->seed = (uint64_t)clock_now();
    options->command = strdup(nets[which].op);
    int rc = options->command ? 0 : -ENOMEM;
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
    for (size_t i = 0; i < ARRAY_LEN(words) && rc == 0; i++)
        rc = add(words[i].list, words[i].text);
    if (rc < 0)
        return error_set(error, rc, "out of memory");
    return nets[which].sizes ? sizes_expand(nets[which].sizes, &options->sizes, error)
                             : 0;
}

/* The same plan and run as those of `simdbench OP`. */
static int measure_op(size_t which, const char *narrow, struct license_net *net,
                      struct error *error)
{
    struct options options;
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    struct run *const run = run_new();
    int rc = choose(which, narrow, &options, error);
    if (rc == 0 && !run)
        rc = error_set(error, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = catalog_make(&options, &catalog, error);
    if (rc == 0)
        rc = plan_make(&options, &catalog, &plan, error);
    if (rc == 0)
        rc = plan_settle(&options, &catalog, &plan, error);
    if (rc == 0)
        rc = run_plan(&options, &catalog, &plan, NULL, run, error);
    if (rc == 0)
        rc = collect(run, narrow, net);
    run_free(run);
    plan_free(&plan);
    catalog_free(&catalog);
    options_free(&options);
    return rc;
}

int license_measure_net(struct license *license, bool progress, struct error *error)
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
        const int rc = measure_op(i, narrow, net, &why);
        if (rc == -ENOMEM || rc == -EINTR)
            return error_set(error, rc, "%s: %.400s", net->op, why.text);
        if (rc < 0)
            snprintf(net->skip, sizeof net->skip, "%.255s", why.text);
    }
    return 0;
}

void license_net_free(struct license_net *net)
{
    for (size_t i = 0; i < net->n_points; i++) {
        free(net->point[i].shape);
        free(net->point[i].wide);
        free(net->point[i].narrow);
    }
}
