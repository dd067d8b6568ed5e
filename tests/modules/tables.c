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

#define SPOIL(asked, change)       \
    if (strcmp(how, asked) == 0) { \
        change;                    \
    }

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    const char *how = getenv("TABLES");
    op = second_op = twice_op;
    kernel = second = (struct simdbench_kernel){TWICE_ROW("good", twice_run)};
    module = (struct simdbench_module){.size = sizeof module,
                                       .abi = SIMDBENCH_ABI,
                                       .name = "tables",
                                       .ops = ops,
                                       .kernels = kernels};
    if (!how)
        return &module;
    if (strcmp(how, "null") == 0)
        return NULL;
    SPOIL("size", module.size = 4)
    SPOIL("abi0", module.abi = 0)
    SPOIL("abi1", module.abi = 1)
    SPOIL("abi1-adapts", (module.abi = 1, kernel.flags = SIMDBENCH_ADAPTS))
    SPOIL("module-size", module.size = offsetof(struct simdbench_module, kernels))
    SPOIL("module-name", module.name = "with space")
    SPOIL("no-kernels", module.kernels = NULL)
    SPOIL("kernel-size", kernel.size = offsetof(struct simdbench_kernel, run))
    SPOIL("kernel-op", kernel.op = "thrice")
    SPOIL("kernel-type", kernel.type = 99)
    SPOIL("kernel-isa", kernel.isa = "avx3")
    SPOIL("kernel-roof", kernel.roof = "sky")
    SPOIL("kernel-variant", kernel.variant = "a/b")
    SPOIL("kernel-null", kernel.variant = NULL)
    SPOIL("kernel-run", kernel.run = NULL)
    SPOIL("kernel-twice", kernels[1] = &second)
    SPOIL("op-size", op.size = offsetof(struct simdbench_op, work))
    SPOIL("op-name", op.name = "")
    SPOIL("op-own", op.name = "roof")
    SPOIL("op-twice", ops[1] = &second_op)
    SPOIL("op-fill", (op.fill = NULL, op.flags = SIMDBENCH_JOINT))
    SPOIL("op-layouts", op.layouts = "row,column")
    SPOIL("op-relayout", op.relayout = relayout)
    SPOIL("op-accuracy", op.accuracy = accuracy)
    SPOIL("op-list", op.lists = lists)
    if (strncmp(how, "kernel-layout", 13) == 0)
        kernel.layout = "column";
    if (strcmp(how, "kernel-layout-unknown") == 0) {
        op.layouts = "row,diagonal";
        op.relayout = relayout;
        op.layout_of = layout_of;
    }
    SPOIL("options", module.open = tables_open)
    if (strcmp(how, "older") == 0) {
        /* Bytes behind an older module's structs are no fields of theirs. */
        module.size = offsetof(struct simdbench_module, open);
        module.open = tables_open;
        kernel.size = offsetof(struct simdbench_kernel, release);
        kernel.release = release;
    }
    return &module;
}
