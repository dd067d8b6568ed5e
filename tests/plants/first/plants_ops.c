/* SPDX-License-Identifier: Apache-2.0 */
/* The ops curve, dot and pick, and the kernels of pick. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plants.h"

static int parse(const char *text, struct simdbench_shape *shape, char *error,
                 size_t error_size)
{
    char *end;
    errno = 0;
    const long long n = strtoll(text, &end, 10);
    if (*end || end == text || n < 0 || n > INT32_MAX) {
        snprintf(error, error_size, "'%s' is no number of elements", text);
        return -EINVAL;
    }
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 1, .dim = {n}};
    return 0;
}

static void format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

static void operand_set(struct simdbench_operand *operand, uint32_t type, uint32_t role,
                        int64_t count)
{
    operand->type = type;
    operand->role = role;
    operand->count = (uint64_t)count;
    operand->ld = count;
}

static int curve_layout(const struct simdbench_shape *shape, uint32_t type,
                        struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    operand_set(operand[0], type, SIMDBENCH_IN, shape->dim[0]);
    operand_set(operand[1], type, SIMDBENCH_OUT, shape->dim[0]);
    return 2;
}

static int dot_layout(const struct simdbench_shape *shape, uint32_t type,
                      struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    operand_set(operand[0], type, SIMDBENCH_IN, shape->dim[0]);
    operand_set(operand[1], type, SIMDBENCH_IN, shape->dim[0]);
    operand_set(operand[2], type, SIMDBENCH_OUT, 1);
    return 3;
}

static int pick_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    operand_set(operand[0], type, SIMDBENCH_IN, shape->dim[0]);
    operand_set(operand[1], SIMDBENCH_I32, SIMDBENCH_CONST, shape->dim[0]);
    operand_set(operand[2], type, SIMDBENCH_OUT, shape->dim[0]);
    return 3;
}

/* Numbers in [-1.09, 1.09), of which one in twelve is beyond 1; and an order. */
static int fill(const struct simdbench_operands *operands, uint64_t seed,
                const char *input)
{
    if (input)
        return -EINVAL;
    for (uint32_t o = 0; o + 1 < operands->count; o++) {
        const struct simdbench_operand *const operand = operands->operand[o];
        if (operand->type == SIMDBENCH_I32) {
            plants_shuffle(operand->data, operand->count, seed);
            continue;
        }
        for (uint64_t i = 0; i < operand->count; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            ((float *)operand->data)[i] = 1.09F * ((float)(seed >> 40) * 0x1p-23F - 1);
        }
    }
    return 0;
}

static int curve_reference(const struct simdbench_operands *operands,
                           const char *semiring, const uint64_t *index, uint64_t n,
                           void *value, double *slack)
{
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const double x = fmin(fmax((double)in(operands, 0)[index ? index[i] : i], -1), 1);
        double sum = 0;
        for (int j = CURVE_TERMS - 1; j >= 0; j--)
            sum = sum * x + 1.0 / (j + 1);
        ((float *)value)[i] = (float)sum;
        slack[i] = 1e-5;
    }
    return 0;
}

static int dot_reference(const struct simdbench_operands *operands, const char *semiring,
                         const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const float *const a = in(operands, 0), *const b = in(operands, 1);
    double sum = 0;
    if (semiring)
        return -EINVAL;
    for (ptrdiff_t i = 0; i < size(operands); i++)
        sum += (double)a[i] * (double)b[i];
    for (uint64_t i = 0; i < n; i++) {
        ((float *)value)[i] = (float)sum;
        slack[i] = 1e-5 * (double)(size(operands) + 1);
    }
    return 0;
}

static int pick_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const uint32_t *const order = operands->operand[1]->data;
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        ((float *)value)[i] = in(operands, 0)[order[index ? index[i] : i]];
        slack[i] = 0;
    }
    return 0;
}

static void work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                 double *bytes)
{
    *ops = (double)shape->dim[0];
    *bytes = 8 * *ops;
}

static void curve_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                       double *bytes)
{
    work(shape, type, ops, bytes);
    *ops *= 2 * (CURVE_TERMS - 1);
}

#define OP(name_, summary_, default_, work_)                                            \
    static const struct simdbench_op name_##_op = {.size = sizeof(struct simdbench_op), \
                                                   .name = #name_,                      \
                                                   .summary = summary_,                 \
                                                   .shape_help = "N",                   \
                                                   .default_shapes = default_,          \
                                                   .parse = parse,                      \
                                                   .format = format,                    \
                                                   .layout = name_##_layout,            \
                                                   .fill = fill,                        \
                                                   .reference = name_##_reference,      \
                                                   .work = work_};

OP(curve, "a polynomial of each element", "2048", curve_work)
OP(dot, "the inner product of two vectors", "3072", work)
OP(pick, "the elements of a vector in another order", "4096", work)

const struct simdbench_op *const plants_ops[] = {&curve_op, &dot_op, &pick_op, NULL};

/* ---- pick ---- */

/* Sound: the order is read as it lies in memory. */
RUN(p58)
{
    const uint32_t *const order = operands->operand[1]->data;
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    for (ptrdiff_t i = 0; i < size(operands); i += 4) {
        y[i] = x[order[i]];
        y[i + 1] = x[order[i + 1]];
        y[i + 2] = x[order[i + 2]];
        y[i + 3] = x[order[i + 3]];
    }
}

/* The order is a list whose nodes are all over memory. */
RUN(p04)
{
    const uint32_t *const node = state;
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    size_t at = n ? *(const uint32_t *)operands->operand[1]->data : 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        y[i] = x[at];
        at = node[at * 16];
    }
}
