/* SPDX-License-Identifier: Apache-2.0 */
/* Ops from few lines: operands, an input element, an element of the right answer. */
#pragma once

#include <string.h>

#include "fresh.h"

struct array {
    uint32_t role;
    int64_t count, ld; /* ld 0: count */
    int64_t used;      /* elements that a call needs; 0: count */
};

/* An input element: operand `o`, element i, from u in [0, 1). */
typedef double input_value(const struct simdbench_operands *operands, uint32_t o,
                           uint64_t i, double u);

/* Element i of the answer. */
typedef double answer(const struct simdbench_operands *operands, int64_t i);

/* Numbers with x between them. */
int fresh_parse(uint32_t rank, const char *text, struct simdbench_shape *shape,
                char *error, size_t error_size);

/* The struct that fresh_parse fills. */
void fresh_format(const struct simdbench_shape *shape, char *text, size_t text_size);

/* Operands from arrays; returns n. */
int fresh_lay(const struct array *array, size_t n, uint32_t type,
              struct simdbench_operand *const operand[]);

/* Element i, whatever its type. */
double fresh_get(const struct simdbench_operand *operand, int64_t i);

/* All inputs, by `value`. -EINVAL for an input with a name. */
int fresh_fill(const struct simdbench_operands *operands, uint64_t seed,
               const char *input, input_value *value);

/* Answers, by `right`; integers are exact. -EINVAL for a semiring. */
int fresh_refer(const struct simdbench_operands *operands, const char *semiring,
                const uint64_t *index, uint64_t n, void *value, double *slack,
                answer *right);

/* The bytes of the elements that a call needs. */
double fresh_bytes(const struct array *array, size_t n, uint32_t type);

/* Two of those: u in [-1, 1), and in [0.5, 1.5). */
input_value fresh_both_signs, fresh_positive;

#define AT(name) static double name(const struct simdbench_operands *operands, int64_t i)
#define X(index) fresh_get(operands->operand[0], index)
#define Z(index) fresh_get(operands->operand[1], index)
#define VALUE(name)                                                           \
    static double name(const struct simdbench_operands *operands, uint32_t o, \
                       uint64_t i, double u)

/* m, n, k: the dimensions. `...`: the operands, the last one is the output. */
#define OP(name_, summary_, rank_, default_, flags_, value_, ops_, ...)                 \
    static int name_##_parse(const char *text, struct simdbench_shape *shape,           \
                             char *error, size_t error_size)                            \
    {                                                                                   \
        return fresh_parse(rank_, text, shape, error, error_size);                      \
    }                                                                                   \
    static size_t name_##_arrays(const struct simdbench_shape *shape,                   \
                                 struct array *array)                                   \
    {                                                                                   \
        const int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];          \
        const struct array arrays[] = {__VA_ARGS__};                                    \
        (void)m, (void)n, (void)k;                                                      \
        memcpy(array, arrays, sizeof arrays);                                           \
        return sizeof arrays / sizeof *arrays;                                          \
    }                                                                                   \
    static int name_##_layout(const struct simdbench_shape *shape, uint32_t type,       \
                              struct simdbench_operand *const operand[])                \
    {                                                                                   \
        struct array arrays[SIMDBENCH_MAX_OPERANDS];                                    \
        return fresh_lay(arrays, name_##_arrays(shape, arrays), type, operand);         \
    }                                                                                   \
    static int name_##_fill(const struct simdbench_operands *operands, uint64_t seed,   \
                            const char *input)                                          \
    {                                                                                   \
        return fresh_fill(operands, seed, input, value_);                               \
    }                                                                                   \
    static int name_##_reference(const struct simdbench_operands *operands,             \
                                 const char *semiring, const uint64_t *index,           \
                                 uint64_t n, void *value, double *slack)                \
    {                                                                                   \
        return fresh_refer(operands, semiring, index, n, value, slack, name_##_at);     \
    }                                                                                   \
    static void name_##_work(const struct simdbench_shape *shape, uint32_t type,        \
                             double *ops, double *bytes)                                \
    {                                                                                   \
        const double m = (double)shape->dim[0], n = (double)shape->dim[1],              \
                     k = (double)shape->dim[2];                                         \
        (void)m, (void)n, (void)k;                                                      \
        *ops = ops_;                                                                    \
        struct array arrays[SIMDBENCH_MAX_OPERANDS];                                    \
        *bytes = fresh_bytes(arrays, name_##_arrays(shape, arrays), type);              \
    }                                                                                   \
    static const struct simdbench_op name_##_op = {.size = sizeof(struct simdbench_op), \
                                                   .flags = flags_,                     \
                                                   .name = #name_,                      \
                                                   .summary = summary_,                 \
                                                   .shape_help =                        \
                                                       "numbers with x between",        \
                                                   .default_shapes = default_,          \
                                                   .parse = name_##_parse,              \
                                                   .format = fresh_format,              \
                                                   .layout = name_##_layout,            \
                                                   .fill = name_##_fill,                \
                                                   .reference = name_##_reference,      \
                                                   .work = name_##_work};
