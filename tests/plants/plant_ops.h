/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops from few lines, for the file of a module that has them: operands of one type, the
 * last one is the output; inputs from a function of the place and a random number, and
 * the answer from a function of the place.
 */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "simdbench.h"

/* Numbers with x between them. */
static int parse(uint32_t rank, const char *text, struct simdbench_shape *shape,
                 char *error, size_t error_size)
{
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = rank};
    for (uint32_t d = 0; d < rank; d++) {
        char *end;
        errno = 0;
        const long long n = strtoll(text, &end, 10);
        if (errno || end == text || n < 0 || n > 1 << 28 ||
            *end != (d + 1 < rank ? 'x' : '\0')) {
            snprintf(error, error_size, "%" PRIu32 " numbers with x between them", rank);
            return -EINVAL;
        }
        shape->dim[d] = n;
        text = end + 1;
    }
    return 0;
}

static void format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    size_t used = 0;
    for (uint32_t d = 0; d < shape->rank && used < text_size; d++)
        used += (size_t)snprintf(text + used, text_size - used, "%s%" PRId64,
                                 d ? "x" : "", shape->dim[d]);
}

struct array {
    uint32_t role;
    int64_t count, ld; /* ld 0: count */
};

static int lay(const struct array *array, size_t n, uint32_t type,
               struct simdbench_operand *const operand[])
{
    for (size_t o = 0; o < n; o++) {
        operand[o]->type = type;
        operand[o]->role = array[o].role;
        operand[o]->count = (uint64_t)array[o].count;
        operand[o]->ld = array[o].ld ? array[o].ld : array[o].count;
    }
    return (int)n;
}

static double get(const struct simdbench_operand *operand, int64_t i)
{
    switch (operand->type) {
    case SIMDBENCH_F32:
        return (double)((const float *)operand->data)[i];
    case SIMDBENCH_F64:
        return ((const double *)operand->data)[i];
    default:
        return ((const int32_t *)operand->data)[i];
    }
}

static void put(uint32_t type, void *data, uint64_t i, double value)
{
    switch (type) {
    case SIMDBENCH_F32:
        ((float *)data)[i] = (float)value;
        return;
    case SIMDBENCH_F64:
        ((double *)data)[i] = value;
        return;
    default:
        ((int32_t *)data)[i] = (int32_t)value;
    }
}

/* An input element: operand `o`, element i, from u in [0, 1). */
typedef double input_value(const struct simdbench_operands *operands, uint32_t o,
                           uint64_t i, double u);

static int fill(const struct simdbench_operands *operands, uint64_t seed,
                const char *input, input_value *value)
{
    if (input)
        return -EINVAL;
    for (uint32_t o = 0; o + 1 < operands->count; o++)
        for (uint64_t i = 0; i < operands->operand[o]->count; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            put(operands->operand[o]->type, operands->operand[o]->data, i,
                value(operands, o, i, (double)(seed >> 32) * 0x1p-32));
        }
    return 0;
}

/* Element i of the answer. */
typedef double answer(const struct simdbench_operands *operands, int64_t i);

static int refer(const struct simdbench_operands *operands, const char *semiring,
                 const uint64_t *index, uint64_t n, void *value, double *slack,
                 answer *right)
{
    const uint32_t type = operands->operand[0]->type;
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const double exact = right(operands, (int64_t)(index ? index[i] : i));
        put(type, value, i, exact);
        slack[i] = type == SIMDBENCH_I32 ? 0 : 1e-5 * (1 + fabs(exact));
    }
    return 0;
}

static void weigh(const struct simdbench_shape *shape, uint32_t type,
                  int (*layout)(const struct simdbench_shape *shape, uint32_t type,
                                struct simdbench_operand *const operand[]),
                  double *bytes)
{
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    struct simdbench_operand *pointer[SIMDBENCH_MAX_OPERANDS];
    for (int o = 0; o < SIMDBENCH_MAX_OPERANDS; o++)
        pointer[o] = &operand[o];
    const int count = layout(shape, type, pointer);
    *bytes = 0;
    for (int o = 0; o < count; o++)
        *bytes += (double)operand[o].count * (type == SIMDBENCH_F64 ? 8 : 4);
}

/* m, n, k: the dimensions. `...`: the operands, the last one is the output. */
#define OP(name_, summary_, rank_, default_, flags_, value_, ops_, ...)                 \
    static int name_##_parse(const char *text, struct simdbench_shape *shape,           \
                             char *error, size_t error_size)                            \
    {                                                                                   \
        return parse(rank_, text, shape, error, error_size);                            \
    }                                                                                   \
    static int name_##_layout(const struct simdbench_shape *shape, uint32_t type,       \
                              struct simdbench_operand *const operand[])                \
    {                                                                                   \
        const int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];          \
        const struct array arrays[] = {__VA_ARGS__};                                    \
        (void)m, (void)n, (void)k;                                                      \
        return lay(arrays, sizeof arrays / sizeof *arrays, type, operand);              \
    }                                                                                   \
    static int name_##_fill(const struct simdbench_operands *operands, uint64_t seed,   \
                            const char *input)                                          \
    {                                                                                   \
        return fill(operands, seed, input, value_);                                     \
    }                                                                                   \
    static int name_##_reference(const struct simdbench_operands *operands,             \
                                 const char *semiring, const uint64_t *index,           \
                                 uint64_t n, void *value, double *slack)                \
    {                                                                                   \
        return refer(operands, semiring, index, n, value, slack, name_##_at);           \
    }                                                                                   \
    static void name_##_work(const struct simdbench_shape *shape, uint32_t type,        \
                             double *ops, double *bytes)                                \
    {                                                                                   \
        const double m = (double)shape->dim[0], n = (double)shape->dim[1],              \
                     k = (double)shape->dim[2];                                         \
        (void)m, (void)n, (void)k;                                                      \
        *ops = ops_;                                                                    \
        weigh(shape, type, name_##_layout, bytes);                                      \
    }                                                                                   \
    static const struct simdbench_op name_##_op = {.size = sizeof(struct simdbench_op), \
                                                   .flags = flags_,                     \
                                                   .name = #name_,                      \
                                                   .summary = summary_,                 \
                                                   .shape_help =                        \
                                                       "numbers with x between",        \
                                                   .default_shapes = default_,          \
                                                   .parse = name_##_parse,              \
                                                   .format = format,                    \
                                                   .layout = name_##_layout,            \
                                                   .fill = name_##_fill,                \
                                                   .reference = name_##_reference,      \
                                                   .work = name_##_work};

#define AT(name) static double name(const struct simdbench_operands *operands, int64_t i)
#define X(index) get(operands->operand[0], index)
#define Z(index) get(operands->operand[1], index)
#define VALUE(name)                                                           \
    static double name(const struct simdbench_operands *operands, uint32_t o, \
                       uint64_t i, double u)

/* ---- inputs ---- */

VALUE(both_signs)
{
    (void)operands, (void)o, (void)i;
    return 2 * u - 1;
}

VALUE(positive)
{
    (void)operands, (void)o, (void)i;
    return 0.5 + u;
}
