/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops that libraries of tensors have. The inputs are uniform in [-1, 1). `map` and
 * `reduce` have the function in the place of the semiring, and `reduce` of ROWSxCOLUMNS
 * gives one number, that of columnsROWSxCOLUMNS one for each column.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_rows.h"

static const float *in(const struct simdbench_operands *operands, int i)
{
    return operands->operand[i]->data;
}

/* ---- shapes: N, or ROWSxCOLUMNS ---- */

static const char by_columns[] = "columns";

static int parse_dims(const char *text, uint32_t rank, struct simdbench_shape *shape,
                      char *error, size_t error_size)
{
    const char *const help = rank == 1 ? "N" : "ROWSxCOLUMNS";
    const char *at = text;

    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        const size_t digits = strspn(at, "0123456789");
        if (digits == 0 || digits > 9 || at[digits] != (i + 1 < rank ? 'x' : '\0')) {
            snprintf(error, error_size, "'%s' is not %s", text, help);
            return -EINVAL;
        }
        shape->dim[i] = strtol(at, NULL, 10);
        at += digits + 1;
    }
    if (rank == 1 || (shape->dim[0] > 0 && shape->dim[1] > 0))
        return 0;
    snprintf(error, error_size, "'%s' has no element", text);
    return -EINVAL;
}

static int vector_parse(const char *text, struct simdbench_shape *shape, char *error,
                        size_t error_size)
{
    return parse_dims(text, 1, shape, error, error_size);
}

static int matrix_parse(const char *text, struct simdbench_shape *shape, char *error,
                        size_t error_size)
{
    return parse_dims(text, 2, shape, error, error_size);
}

static int reduce_parse(const char *text, struct simdbench_shape *shape, char *error,
                        size_t error_size)
{
    const size_t prefix = strlen(by_columns);
    const bool columns = strncmp(text, by_columns, prefix) == 0;
    const int status =
        parse_dims(text + (columns ? prefix : 0), 2, shape, error, error_size);

    shape->rank += columns;
    return status;
}

static void vector_format(const struct simdbench_shape *shape, char *text,
                          size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

static void matrix_format(const struct simdbench_shape *shape, char *text,
                          size_t text_size)
{
    snprintf(text, text_size, "%s%" PRId64 "x%" PRId64,
             shape->rank == 3 ? by_columns : "", shape->dim[0], shape->dim[1]);
}

/* ---- operands ---- */

static void operand_set(struct simdbench_operand *operand, uint32_t role, int64_t count)
{
    operand->type = SIMDBENCH_F32;
    operand->role = role;
    operand->count = (uint64_t)count;
    operand->ld = count;
}

static int binary_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    if (type != SIMDBENCH_F32)
        return -EINVAL;
    operand_set(operand[0], SIMDBENCH_IN, shape->dim[0]);
    operand_set(operand[1], SIMDBENCH_IN, shape->dim[0]);
    operand_set(operand[2], SIMDBENCH_OUT, shape->dim[0]);
    return 3;
}

static int matrix_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int64_t count = shape->dim[0] * shape->dim[1];

    if (type != SIMDBENCH_F32)
        return -EINVAL;
    operand_set(operand[0], SIMDBENCH_IN, count);
    operand_set(operand[1], SIMDBENCH_OUT, count);
    return 2;
}

static int reduce_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int count = matrix_layout(shape, type, operand);

    if (count > 0)
        operand_set(operand[1], SIMDBENCH_OUT, shape->rank == 3 ? shape->dim[1] : 1);
    return count;
}

static int fill(const struct simdbench_operands *operands, uint64_t seed,
                const char *input)
{
    if (input)
        return -EINVAL;
    for (uint32_t o = 0; o + 1 < operands->count; o++) {
        float *const data = operands->operand[o]->data;
        for (uint64_t i = 0; i < operands->operand[o]->count; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            data[i] = (float)(seed >> 40) * 0x1p-23F - 1;
        }
    }
    return 0;
}

/* ---- references ---- */

static int function_find(const char *name, const char *const *known, int n)
{
    for (int i = 0; name && i < n; i++)
        if (strcmp(name, known[i]) == 0)
            return i;
    return -1;
}

static float mapped(int function, float x, float y)
{
    const float results[] = {x + y, x - y, x * y, x / y};

    return results[function];
}

static int map_reference(const struct simdbench_operands *operands, const char *semiring,
                         const uint64_t *index, uint64_t n, void *value, double *slack)
{
    static const char *const known[] = {"add", "sub", "mul", "div"};
    const int function = function_find(semiring, known, 4);

    if (function < 0)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        ((float *)value)[i] = mapped(function, in(operands, 0)[at], in(operands, 1)[at]);
        slack[i] = 0;
    }
    return 0;
}

/* Kernels may give either zero. */
static int add_relu_reference(const struct simdbench_operands *operands,
                              const char *semiring, const uint64_t *index, uint64_t n,
                              void *value, double *slack)
{
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        const float sum = in(operands, 0)[at] + in(operands, 1)[at];
        ((float *)value)[i] = sum < 0 ? 0 : sum;
        slack[i] = sum <= 0 ? (double)FLT_TRUE_MIN : 0;
    }
    return 0;
}

/* A sum in any order is off by half an epsilon of the sum of magnitudes for each of its
 * elements, at most; a mean is rounded once more. */
static int reduce_reference(const struct simdbench_operands *operands,
                            const char *semiring, const uint64_t *index, uint64_t n,
                            void *value, double *slack)
{
    static const char *const known[] = {"sum", "mean"};
    const int64_t *const dim = operands->shape->dim;
    const bool columns = operands->shape->rank == 3;
    const int64_t step = columns ? dim[1] : 1, count = columns ? dim[0] : dim[0] * dim[1];
    const int function = function_find(semiring, known, 2);

    if (function < 0)
        return -EINVAL;
    const double divisor = function == 1 ? (double)count : 1;
    for (uint64_t i = 0; i < n; i++) {
        const float *x = in(operands, 0) + (index ? index[i] : i);
        double sum = 0, magnitude = 0;
        for (int64_t e = 0; e < count; e++) {
            sum += (double)x[e * step];
            magnitude += fabs((double)x[e * step]);
        }
        ((float *)value)[i] = (float)(sum / divisor);
        slack[i] = (double)FLT_EPSILON * (double)(count + 1) * magnitude / divisor;
    }
    return 0;
}

/* The sum of a row's exponentials stays the same until another row begins. */
static int log_softmax_reference(const struct simdbench_operands *operands,
                                 const char *semiring, const uint64_t *index, uint64_t n,
                                 void *value, double *slack)
{
    const uint64_t columns = (uint64_t)operands->shape->dim[1];
    uint64_t summed = UINT64_MAX;
    double all = 0;

    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i, row = at / columns;
        const float *const x = in(operands, 0) + row * columns;
        if (row != summed) {
            double sum = 0;
            for (uint64_t c = 0; c < columns; c++)
                sum += exp((double)x[c]);
            all = log(sum);
            summed = row;
        }
        const double right = (double)x[at % columns] - all;
        ((float *)value)[i] = (float)right;
        slack[i] = (double)FLT_EPSILON * (4 + (double)columns / 2 + 2 * fabs(right));
    }
    return 0;
}

static int transpose_reference(const struct simdbench_operands *operands,
                               const char *semiring, const uint64_t *index, uint64_t n,
                               void *value, double *slack)
{
    const uint64_t rows = (uint64_t)operands->shape->dim[0],
                   columns = (uint64_t)operands->shape->dim[1];

    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        ((float *)value)[i] = in(operands, 0)[at % rows * columns + at / rows];
        slack[i] = 0;
    }
    return 0;
}

/* ---- work: an element is one operation for each function of it ---- */

static void map_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                     double *bytes)
{
    (void)type;
    *ops = (double)shape->dim[0];
    *bytes = 12 * *ops;
}

static void add_relu_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                          double *bytes)
{
    map_work(shape, type, ops, bytes);
    *ops *= 2;
}

static void matrix_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                        double *bytes)
{
    (void)type;
    *ops = (double)shape->dim[0] * (double)shape->dim[1];
    *bytes = 8 * *ops;
}

static void reduce_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                        double *bytes)
{
    matrix_work(shape, type, ops, bytes);
    *bytes = 4 * (*ops + (shape->rank == 3 ? (double)shape->dim[1] : 1));
}

/* ---- hooks of row `unfused`: its sums ---- */

STUDY_PREPARE(sums_prepare)
{
    const size_t count = operands->operand[0]->count;

    *state = calloc(count + 1, sizeof(float));
    if (*state)
        return 0;
    snprintf(error, error_size, "no memory for %zu sums", count);
    return -ENOMEM;
}

void sums_release(void *state)
{
    free(state);
}

STUDY_CHOICE(sums_choice)
{
    (void)state;
    choice->implementation = "sums in memory";
    choice->workspace_bytes = operands->operand[0]->count * sizeof(float);
}

/* ---- the ops ---- */

/* clang-format off */
#define OP(name_, kind, layout_, format_, work_, summary_, help_, shapes_) \
    static const struct simdbench_op name_##_op = { \
        .size = sizeof(struct simdbench_op), \
        .name = #name_, \
        .summary = summary_, \
        .shape_help = help_, \
        .default_shapes = shapes_, \
        .parse = kind##_parse, \
        .format = format_, \
        .layout = layout_, \
        .fill = fill, \
        .reference = name_##_reference, \
        .work = work_, \
    };

OP(map, vector, binary_layout, vector_format, map_work,
   "z = f(x, y), element by element", "N", "1k,64k,1M")
OP(add_relu, vector, binary_layout, vector_format, add_relu_work,
   "z = max(0, x + y)", "N", "1k,64k,1M")
OP(reduce, reduce, reduce_layout, matrix_format, reduce_work,
   "all elements of a matrix, or each column, to one",
   "ROWSxCOLUMNS or columnsROWSxCOLUMNS",
   "256x256,columns256x256,1024x1024,columns1024x1024")
OP(log_softmax, matrix, matrix_layout, matrix_format, matrix_work,
   "logarithm of softmax over the columns of a matrix", "ROWSxCOLUMNS",
   "256x10,1024x10,4096x10")
OP(transpose, matrix, matrix_layout, matrix_format, matrix_work,
   "rows become columns", "ROWSxCOLUMNS", "256x256,1024x1024")
/* clang-format on */

const struct simdbench_op *const study_ops[] = {
    &map_op, &reduce_op, &log_softmax_op, &transpose_op, &add_relu_op, NULL};
