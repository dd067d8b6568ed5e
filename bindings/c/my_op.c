/* SPDX-License-Identifier: Apache-2.0 */
/* A module with an operation of its own, y = x * x + 1, and one kernel for it. */
#include "simdbench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Numbers from -1 to 1, the same for the same seed. */
static int op_fill(const struct simdbench_operands *operands, uint64_t seed,
                   const char *input)
{
    float *x = (float *)operands->operand[0]->data;
    if (input)
        return -EINVAL;
    for (uint64_t i = 0; i < operands->operand[0]->count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)(seed >> 40) / 8388608.0f - 1.0f;
    }
    return 0;
}

/* The exact results, and how far a kernel's may be from them. */
static int op_reference(const struct simdbench_operands *operands, const char *semiring,
                        const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const float *x = (const float *)operands->operand[0]->data;
    float *y = (float *)value;
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const double one = x[index ? index[i] : i];
        y[i] = (float)(one * one + 1);
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
    *bytes = 8.0 * (double)shape->dim[0];
}

static const struct simdbench_op op = {
    .size = sizeof op,
    .name = "my_op",
    .summary = "y = x * x + 1",
    .shape_help = "N, a number of elements",
    .default_shapes = "1000,100000",
    .parse = op_parse,
    .format = op_format,
    .layout = op_layout,
    .fill = op_fill,
    .reference = op_reference,
    .work = op_work,
};

static void loop_run(const struct simdbench_operands *operands, void *state)
{
    const float *x = (const float *)operands->operand[0]->data;
    float *y = (float *)operands->operand[1]->data;
    (void)state;
    for (int64_t i = 0; i < operands->shape->dim[0]; i++)
        y[i] = x[i] * x[i] + 1;
}

static const struct simdbench_kernel loop = {
    .size = sizeof loop,
    .type = SIMDBENCH_F32,
    .op = "my_op",
    .isa = "avx2",
    .variant = "loop",
    .roof = "copy",
    .run = loop_run,
};

static const struct simdbench_op *const ops[] = {&op, NULL};
static const struct simdbench_kernel *const kernels[] = {&loop, NULL};

static const struct simdbench_module module = {
    .size = sizeof module,
    .abi = SIMDBENCH_ABI,
    .name = "my_op",
    .ops = ops,
    .kernels = kernels,
};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    return &module;
}
