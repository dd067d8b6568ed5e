/* SPDX-License-Identifier: Apache-2.0 */
/* One good table, spoiled as the environment variable TABLES says. */
#include "twice.h"

#include <stddef.h>
#include <string.h>

static struct simdbench_op op, second_op;
static struct simdbench_kernel kernel, second;
static const struct simdbench_op *ops[3] = {&op};
static const struct simdbench_kernel *kernels[3] = {&kernel};
static struct simdbench_module module;

static int tables_open(const struct simdbench_option *const *options, size_t n,
                       char *error, size_t error_size)
{
    if (n == 1 && strcmp(options[0]->name, "depth") == 0 &&
        strcmp(options[0]->value, "3") == 0)
        return 0;
    if (n > 0)
        snprintf(error, error_size, "depth must be 3");
    return -EINVAL;
}

static int relayout(struct simdbench_shape *shape, const char *layout, char *error,
                    size_t error_size)
{
    return -EINVAL;
}

static const char *layout_of(const struct simdbench_shape *shape)
{
    return "row";
}

static int accuracy(const struct simdbench_operands *operands, const uint64_t *index,
                    uint64_t n, struct simdbench_accuracy *found)
{
    return -ENOTSUP;
}

static const struct simdbench_shape_list nameless = {.size = sizeof nameless,
                                                     .shapes = "1 2"};
static const struct simdbench_shape_list *const lists[] = {&nameless, NULL};

static void release(void *state)
{
    abort();
}

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    const char *how = getenv("TABLES");
    op = second_op = twice_op;
    kernel = (struct simdbench_kernel){.size = sizeof kernel,
                                       .type = SIMDBENCH_F32,
                                       .op = "twice",
                                       .isa = "scalar",
                                       .variant = "good",
                                       .run = twice_run};
    second = kernel;
    module = (struct simdbench_module){.size = sizeof module,
                                       .abi = SIMDBENCH_ABI,
                                       .name = "tables",
                                       .ops = ops,
                                       .kernels = kernels};
    if (!how)
        return &module;
    if (strcmp(how, "null") == 0)
        return NULL;
    if (strcmp(how, "size") == 0)
        module.size = 4;
    if (strcmp(how, "abi0") == 0)
        module.abi = 0;
    if (strcmp(how, "module-size") == 0)
        module.size = offsetof(struct simdbench_module, kernels);
    if (strcmp(how, "module-name") == 0)
        module.name = "with space";
    if (strcmp(how, "no-kernels") == 0)
        module.kernels = NULL;
    if (strcmp(how, "kernel-size") == 0)
        kernel.size = offsetof(struct simdbench_kernel, run);
    if (strcmp(how, "kernel-op") == 0)
        kernel.op = "thrice";
    if (strcmp(how, "kernel-type") == 0)
        kernel.type = 99;
    if (strcmp(how, "kernel-isa") == 0)
        kernel.isa = "avx3";
    if (strcmp(how, "kernel-roof") == 0)
        kernel.roof = "sky";
    if (strcmp(how, "kernel-variant") == 0)
        kernel.variant = "a/b";
    if (strcmp(how, "kernel-null") == 0)
        kernel.variant = NULL;
    if (strcmp(how, "kernel-run") == 0)
        kernel.run = NULL;
    if (strcmp(how, "kernel-twice") == 0)
        kernels[1] = &second;
    if (strcmp(how, "op-size") == 0)
        op.size = offsetof(struct simdbench_op, work);
    if (strcmp(how, "op-name") == 0)
        op.name = "";
    if (strcmp(how, "op-own") == 0)
        op.name = "roof";
    if (strcmp(how, "op-twice") == 0)
        ops[1] = &second_op;
    if (strcmp(how, "op-fill") == 0)
        op.fill = NULL;
    if (strcmp(how, "op-layouts") == 0)
        op.layouts = "row,column";
    if (strcmp(how, "op-relayout") == 0)
        op.relayout = relayout;
    if (strcmp(how, "op-accuracy") == 0)
        op.accuracy = accuracy;
    if (strcmp(how, "op-list") == 0)
        op.lists = lists;
    if (strncmp(how, "kernel-layout", 13) == 0)
        kernel.layout = "column";
    if (strcmp(how, "kernel-layout-unknown") == 0) {
        op.layouts = "row,diagonal";
        op.relayout = relayout;
        op.layout_of = layout_of;
    }
    if (strcmp(how, "options") == 0)
        module.open = tables_open;
    if (strcmp(how, "older") == 0) {
        /* What lies behind an older module's structs is not a field of theirs. */
        module.size = offsetof(struct simdbench_module, open);
        module.open = tables_open;
        kernel.size = offsetof(struct simdbench_kernel, release);
        kernel.release = release;
    }
    return &module;
}
