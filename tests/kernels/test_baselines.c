/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of the modules that ship with simdbench, against the reference of its op.
 * Each module has a process of its own: libraries are one per process. */
#include "kernels.h"
#include "library_child.h"
#include "unit.h"

enum { FAIL = 1 };

/* A trial of one row of an op; a layout or an input of NULL is the op's default. */
struct trial {
    const char *op, *shape, *layout, *input;
};

static const struct trial trials[] = {
    {"relu", "1", NULL, NULL},
    {"relu", "1003", NULL, NULL},
    {"relu", "1003", NULL, "subnormal"},
    {"relu", "1003", "inplace", NULL},
    {"tanh", "1", NULL, NULL},
    {"tanh", "1003", NULL, NULL},
    {"tanh", "1003", NULL, "uniform:-8..8"},
    {"tanh", "1003", NULL, "saturated"},
    {"tanh", "1003", NULL, "zero"},
    {"gemm", "1", NULL, NULL},
    {"gemm", "7x9x5", NULL, NULL},
    {"gemm", "33x17x29", NULL, NULL},
    {"gemm", "b3x7x9x5", NULL, NULL},
    {"gemm", "70x66x130", NULL, NULL},
    {"gemm", "33x17x29", NULL, "special"},
    {"relu", "70001", NULL, NULL},
    {"relu", "300000", NULL, NULL},
    {"map", "1003", NULL, NULL},
    {"add_relu", "1003", NULL, NULL},
    {"reduce", "1x1", NULL, NULL},
    {"reduce", "37x29", NULL, NULL},
    {"reduce", "columns37x29", NULL, NULL},
    {"reduce", "rows37x29", NULL, NULL},
    {"softmax", "1x1", NULL, NULL},
    {"softmax", "37x10", NULL, NULL},
    {"softmax", "5x300", NULL, NULL},
    {"maxpool", "n2c3h9w37r2s2", NULL, NULL},
    {"maxpool", "n1c16h9w38r3s2", NULL, NULL},
    {"log_softmax", "1x1", NULL, NULL},
    {"log_softmax", "37x10", NULL, NULL},
    {"transpose", "1x7", NULL, NULL},
    {"transpose", "37x29", NULL, NULL},
    {"conv", "n2c3h9w7k5r3s3p1q1", "nchw", NULL},
    {"conv", "n2c16h9w20k32r3s3p1q1", "nchw", NULL},
    {"conv", "n1c16h9w20k32r1s1", "nchw", NULL},
    {"conv", "n1c16h9w21k32r1s1u2v2", "nchw", NULL},
    {"conv", "n1c4h12w13k6r5s3p4q2d2", "nchw", NULL},
    {"conv", "n1c2h3w3k2r3s3u3v2p5q6", "nchw", NULL},
    {"conv", "n1c8h11w10k8r3s3u2v2p1q1g4", "nchw", NULL},
    {"conv", "n1c20h9w9k20r3s3p1q1g20", "nchw", NULL},
    {"conv", "n2c3h19w17k20r7s7u2v2p3q3", "nchw8c", NULL},
    {"conv", "n2c20h9w20k24r3s3p1q1", "nchw8c", NULL},
    {"conv", "n1c16h9w21k16r1s1u2v2", "nchw8c", NULL},
    {"conv", "n1c20h9w9k20r3s3p1q1g20", "nchw8c", NULL},
    {"conv", "n2c3h19w17k20r7s7u2v2p3q3", "nchw16c", NULL},
    {"conv", "n2c20h9w20k40r3s3p1q1", "nchw16c", NULL},
    {"conv", "n1c32h9w21k32r1s1u2v2", "nchw16c", NULL},
    {"conv", "n1c32h9w21k32r3s3p2q2d2g2", "nchw16c", NULL},
    {"conv", "n1c20h9w9k20r3s3p1q1g20", "nchw16c", NULL}};

/* One case in memory, with what the reference says. */
struct bench {
    struct operands_map map;
    struct operands operands;
    void *memory, *value;
    double *slack;
    uint64_t n;
};

static void bench_free(struct bench *bench)
{
    free(bench->memory);
    free(bench->value);
    free(bench->slack);
}

static int bench_make(struct bench *bench, const struct simdbench_op *op,
                      const struct trial *trial, const struct simdbench_kernel *kernel)
{
    struct simdbench_shape shape;
    char error[400] = "";
    *bench = (struct bench){.memory = NULL};
    if (op->parse(trial->shape, &shape, error, sizeof error) < 0 ||
        (trial->layout && op->relayout(&shape, trial->layout, error, sizeof error) < 0) ||
        operands_place(op, &shape, kernel->type, 64, 7, &bench->map, NULL) < 0) {
        fprintf(stderr, "%s: %s\n", trial->shape, error);
        return -EINVAL;
    }
    bench->memory = aligned_alloc(4096, bench->map.bytes);
    memset(bench->memory, 0, bench->map.bytes);
    operands_bind(&bench->operands, &bench->map, &shape, 1, bench->memory);
    const struct simdbench_operands *view = &bench->operands.view;
    const struct simdbench_operand *output = view->operand[view->count - 1];
    bench->n = output->count;
    bench->value = calloc(bench->n, type_bytes(output->type));
    bench->slack = calloc(bench->n, sizeof *bench->slack);
    int status = op->fill(view, 11, trial->input);
    if (status == 0)
        status = op->reference(view, kernel->semiring, NULL, bench->n, bench->value,
                               bench->slack);
    return status;
}

/* -ENOTSUP if the row does not take the shape, -EDOM and a sentence if it is wrong. */
static int run_row(struct bench *bench, const struct simdbench_kernel *kernel,
                   struct error *error)
{
    const struct simdbench_operands *view = &bench->operands.view;
    struct simdbench_choice choice = {.size = sizeof choice};
    void *state = NULL;
    int status = kernel->prepare
                     ? kernel->prepare(view, &state, error->text, sizeof error->text)
                     : 0;
    if (status < 0)
        return status;
    for (int call = 0; call < 2 && status == 0; call++) {
        operands_guard(&bench->operands);
        operands_poison(&bench->operands);
        const uint64_t hash = operands_hash(&bench->operands);
        kernel->run(view, state);
        status = operands_compare(view->operand[view->count - 1], NULL, bench->n,
                                  bench->value, bench->slack, error);
        if (status == 0 && operands_damaged(&bench->operands) >= 0)
            status = error_set(error, -EDOM, "wrote outside an operand");
        if (status == 0 && operands_hash(&bench->operands) != hash)
            status = error_set(error, -EDOM, "wrote to an input");
    }
    if (kernel->choice && status == 0) {
        kernel->choice(view, state, &choice);
        if (!choice.implementation || !*choice.implementation)
            status = error_set(error, -EDOM, "does not tell what it chose");
    }
    if (kernel->release)
        kernel->release(state);
    return status;
}

static bool takes(const struct simdbench_kernel *kernel, const struct trial *trial)
{
    return strcmp(kernel->op, trial->op) == 0 &&
           (!kernel->layout || !trial->layout || !strcmp(kernel->layout, trial->layout));
}

static const struct simdbench_op *op_of(const struct module *module,
                                        const struct simdbench_kernel *kernel)
{
    const struct simdbench_op *const *ops = module->table->ops;
    while (*ops && strcmp((*ops)->name, kernel->op) != 0)
        ops++;
    return *ops ? *ops : op_find(kernel->op);
}

/* The number of trials that the row has passed, or a negative errno. A row that takes
 * none because its library lacks the function, or is wrong here, counts as one. */
static int try_row(const struct module *module, const struct simdbench_kernel *kernel)
{
    int passed = 0;
    struct error error = {.text = ""};
    for (size_t i = 0; i < ARRAY_LEN(trials); i++) {
        struct bench bench;
        if (!takes(kernel, &trials[i]))
            continue;
        int status = bench_make(&bench, op_of(module, kernel), &trials[i], kernel);
        if (status == 0)
            status = run_row(&bench, kernel, &error);
        bench_free(&bench);
        if (status < 0 && status != -ENOTSUP) {
            fprintf(stderr, "%s %s %s: %s %s %s: %d %s\n", kernel->op, kernel->isa,
                    kernel->variant, trials[i].shape,
                    trials[i].layout ? trials[i].layout : "",
                    trials[i].input ? trials[i].input : "", status, error.text);
            return status;
        }
        passed += status == 0;
    }
    return passed == 0 && strstr(error.text, "right with this core type") ? 1 : passed;
}

static int load(struct module *module, const char *name, const char *option,
                const char *value, struct error *error)
{
    char path[4096];
    const struct simdbench_option one = {sizeof one, 0, option, value};
    const struct simdbench_option *const options[] = {&one};
    if (module_find(name, path, sizeof path, NULL) < 0)
        return -ENOENT;
    return module_load(module, path, options, option ? 1 : 0, error);
}

/* ---- what children do ---- */

static int passes_all_rows(const char *name)
{
    struct module module;
    struct error error = {.text = ""};
    struct simdbench_description description = {.size = sizeof description};
    int status = load(&module, name, NULL, NULL, &error);
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", name, *error.text ? error.text : "not built");
        return status == -ENOENT ? SKIP : FAIL;
    }
    if (module.table->describe(&description) < 0 ||
        !strpbrk(description.version, "0123456789"))
        return FAIL;
    const int threads = threads_alive();
    for (size_t i = 0; module.table->kernels[i]; i++) {
        const struct simdbench_kernel *kernel = module.table->kernels[i];
        const int isa = isa_find(kernel->isa);
        if (isa >= 0 && !isa_available((size_t)isa, NULL, 0))
            continue;
        if (try_row(&module, kernel) <= 0) {
            fprintf(stderr, "%s: row %zu (%s) passes nothing\n", name, i, kernel->op);
            return FAIL;
        }
    }
    if (threads_alive() != threads) {
        fprintf(stderr, "%s starts threads\n", name);
        return FAIL;
    }
    module_unload(&module);
    return 0;
}

static int refuses(const char *name, const char *option, const char *value,
                   const char *said)
{
    struct module module;
    struct error error = {.text = ""};
    int status = load(&module, name, option, value, &error);
    if (status == -ENOENT)
        return SKIP;
    return status == -EINVAL && strstr(error.text, said) ? 0 : FAIL;
}

static int refuses_option(const char *name)
{
    return refuses(name, "colour", "red", "'colour'");
}

static int onednn_refuses_isa(const char *name)
{
    return refuses(name, "isa", "mmx", "isa=mmx");
}

static int onednn_isa(const char *name)
{
    struct module module;
    struct error error = {.text = ""};
    struct simdbench_description description = {.size = sizeof description};
    int status = load(&module, name, "isa", "sse41", &error);
    if (status == -ENOENT)
        return SKIP;
    if (status == -EINVAL && strstr(error.text, "more than this CPU has"))
        return SKIP;
    if (status < 0)
        return FAIL;
    const bool wrong = module.table->describe(&description) < 0 ||
                       strcmp(description.isa, "sse2") != 0 ||
                       strcmp(description.core, "SSE4.1") != 0 ||
                       try_row(&module, module.table->kernels[0]) <= 0;
    module_unload(&module);
    return wrong ? FAIL : 0;
}

#define BASELINE(name) CHILD(passes_all_rows, name), CHILD(refuses_option, name)

int main(void)
{
    return RUN_CHILDREN(BASELINE("onednn"), BASELINE("onednn3"), BASELINE("mkl"),
                        BASELINE("sleef"), BASELINE("libmvec"), BASELINE("graphblas"),
                        BASELINE("openblas"), BASELINE("blis"), BASELINE("study"),
                        CHILD(onednn_isa, "onednn"), CHILD(onednn_isa, "onednn3"),
                        CHILD(onednn_refuses_isa, "onednn"));
}
