/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

#include "license.h"

/* What is compared: typical shapes from small to large, each a few milliseconds. */
static const struct {
    const char *op, *options[4];
} nets[LICENSE_NETS] = {
    {"gemm", {"--semiring=maxplus", "--sizes=64..512"}},
    {"relu", {"--variants=auto", "--layout=separate", "--sizes=1k..1M*10"}},
    {"tanh", {"--sizes=1k..100k*10"}},
    {"conv",
     {"--layout=nchw", "--shape=n1c16h14w14k16r3s3", "--shape=n1c16h28w28k16r3s3",
      "--shape=n1c32h28w28k32r3s3"}},
};
static const char *const always[] = {"--baseline=none", "--type=f32",
                                     "--time-per-case=20ms", "--quiet", "--format=json"};
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

/* The same options, plan and run as those of `simdbench OP`. */
static int measure_op(size_t which, const char *narrow, struct license_net *net,
                      struct error *error)
{
    char isas[64];
    const char *argv[3 + ARRAY_LEN(nets[0].options) + ARRAY_LEN(always)];
    int argc = 0;
    struct options options;
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    struct run *run = NULL;

    snprintf(isas, sizeof isas, "--isa=%s,%s", narrow, wide_isa);
    argv[argc++] = "simdbench";
    argv[argc++] = nets[which].op;
    argv[argc++] = isas;
    for (size_t i = 0; i < ARRAY_LEN(nets[0].options) && nets[which].options[i]; i++)
        argv[argc++] = nets[which].options[i];
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        argv[argc++] = always[i];
    int rc = args_parse(argc, (char **)argv, &options, error);
    if (rc != 0)
        return rc;
    rc = catalog_make(&options, &catalog, error);
    if (rc == 0)
        rc = plan_make(&options, &catalog, &plan, error);
    if (rc == 0 && !(run = run_new()))
        rc = error_set(error, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = run_plan(&options, &catalog, &plan, run, error);
    if (rc >= 0)
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
