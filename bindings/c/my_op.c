/* SPDX-License-Identifier: Apache-2.0 */
/* A module with an operation of its own, y = x * x + 1, and one kernel for it. */
#include "simdbench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of x and y. */
typedef float element;
#define ELEMENT SIMDBENCH_F32

/* "1000" */
static int op_parse(const char *text, struct simdbench_shape *shape, char *error,
                    size_t error_size)
{
    char *end;
    const long long n = strtoll(text, &end, 10);
    memset(shape, 0, sizeof *shape);
    shape->size = sizeof *shape;
    shape->rank = 1;
    shape->dim[0] = n;
    if (*text && !*end && n > 0)
        return 0;
    snprintf(error, error_size, "'%.40s' is no number of elements", text);
    return -EINVAL;
}

static void op_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

/* Operands x and y, n elements each. */
static int op_layout(const struct simdbench_shape *shape, uint32_t type,
                     struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    for (int i = 0; i < 2; i++) {
        operand[i]->type = type;
        operand[i]->role = i == 0 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return 2;
}

/* The exact results, and how far a kernel's may be from them. */
static int op_reference(const struct simdbench_operands *operands, const char *semiring,
                        const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const element *x = (const element *)operands->operand[0]->data;
    element *y = (element *)value;
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const element one = x[index ? index[i] : i];
        y[i] = (element)(one * one + 1);
        slack[i] = 2.5e-7;
    }
    return 0;
}

/* Two operations for each element; x is read, y written. */
static void op_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                    double *bytes)
{
    (void)type;
    *ops = 2.0 * (double)shape->dim[0];
    *bytes = 2.0 * sizeof(element) * (double)shape->dim[0];
}

static struct simdbench_op op;

static void loop_run(const struct simdbench_operands *operands, void *state)
{
    const element *x = (const element *)operands->operand[0]->data;
    element *y = (element *)operands->operand[1]->data;
    (void)state;
    for (int64_t i = 0; i < operands->shape->dim[0]; i++)
        y[i] = (element)(x[i] * x[i] + 1);
}

static struct simdbench_kernel loop;

static const struct simdbench_op *const ops[] = {&op, NULL};
static const struct simdbench_kernel *const kernels[] = {&loop, NULL};

static struct simdbench_module module;

/* Fields that are not set stay 0: simdbench.h says what that means. The inputs are those
 * of simdbench, and the limit is the stream of all operands. */
const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    op.size = sizeof op;
    op.name = "my_op";
    op.summary = "y = x * x + 1";
    op.shape_help = "N, a number of elements";
    op.default_shapes = "1000,100000";
    op.inputs = "uniform:-1..1";
    op.parse = op_parse;
    op.format = op_format;
    op.layout = op_layout;
    op.reference = op_reference;
    op.work = op_work;

    loop.size = sizeof loop;
    loop.type = ELEMENT;
    loop.op = "my_op";
    loop.isa = "avx2";
    loop.variant = "loop";
    loop.run = loop_run;

    module.size = sizeof module;
    module.abi = SIMDBENCH_ABI;
    module.name = "my_op";
    module.ops = ops;
    module.kernels = kernels;
    return &module;
}
