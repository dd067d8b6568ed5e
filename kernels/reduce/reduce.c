/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce.h"

#include <math.h>

#include "kernels.h"
#include "matrix_op.h"

/* ---- shapes ---- */

/* By the rank that says so, from 2 on. */
static const char *const axis[] = {"", "columns", "rows"};

static int reduce_parse(const char *text, struct simdbench_shape *shape, char *error,
                        size_t error_size)
{
    uint32_t which = ARRAY_LEN(axis) - 1;
    while (which > 0 && strncmp(text, axis[which], strlen(axis[which])) != 0)
        which--;
    const int status = matrix_parse(text + strlen(axis[which]), shape, error, error_size);
    if (status < 0) {
        snprintf(error, error_size,
                 "'%s' is no shape: write N, ROWSxCOLUMNS, rowsROWSxCOLUMNS or "
                 "columnsROWSxCOLUMNS, each at least 1",
                 text);
        return status;
    }
    if (which == 0 && !strchr(text, 'x'))
        shape->dim[0] = 1; /* a number alone is an array, not a square */
    shape->rank += which;
    shape->dim[2] = shape->dim[3] = 1;
    return 0;
}

static void reduce_format(const struct simdbench_shape *shape, char *text,
                          size_t text_size)
{
    const char *const name = axis[shape->rank - 2];
    snprintf(text, text_size, "%s", name);
    if (strlen(name) < text_size)
        matrix_format(shape, text + strlen(name), text_size - strlen(name));
}

static uint64_t results(const struct simdbench_shape *shape)
{
    return reduce_columns(shape) ? (uint64_t)shape->dim[1]
           : reduce_rows(shape)  ? (uint64_t)shape->dim[0]
                                 : 1;
}

static int reduce_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int count = matrix_layout(shape, type, operand);
    if (count > 0)
        operand_plain(operand[1], type, SIMDBENCH_OUT, results(shape));
    return count;
}

/* ---- the right answer ---- */

struct reduced {
    double sum, magnitude, squares, most;
};

static struct reduced reduced(const struct simdbench_operand *x, uint64_t first,
                              uint64_t step, uint64_t count)
{
    struct reduced all = {0, 0, 0, -INFINITY};
    for (uint64_t e = 0; e < count; e++) {
        const double value = operand_float(x, first + e * step);
        all.sum += value;
        all.magnitude += fabs(value);
        all.squares += value * value;
        all.most = fmax(all.most, value);
    }
    return all;
}

/* The largest error of a sum of n numbers, in any order: n roundings, each of at most the
 * sum of magnitudes. A sum of millions may then be anything. If the numbers differ by
 * more than the gap between two sums, roundings are random: they add up as a random walk,
 * each as large as the partial sum of its k numbers, whose square is about k variance +
 * (k mean)^2 (Higham and Mary, A new approach to probabilistic rounding error analysis,
 * 2019).
 */
static double rounding(const struct reduced *all, double n, double epsilon)
{
    enum { DEVIATIONS = 8 };
    const double bound = epsilon * (n + 1) * all->magnitude, mean = all->sum / n,
                 variance = all->squares / n - mean * mean;
    if (!(sqrt(variance) > 2 * epsilon * fabs(all->sum)))
        return bound;
    const double walk = sqrt(n * n / 2 * variance + n * n * n / 3 * mean * mean);
    return fmin(bound, DEVIATIONS * epsilon * walk);
}

static int reduce_reference(const struct simdbench_operands *operands,
                            const char *semiring, const uint64_t *index, uint64_t n,
                            void *value, double *slack)
{
    const struct simdbench_operand *const x = operands->operand[0];
    const struct simdbench_shape *const shape = operands->shape;
    const uint64_t columns = (uint64_t)shape->dim[1];
    const uint64_t count = x->count / results(shape);
    const bool mean = semiring && strcmp(semiring, "mean") == 0;
    const bool most = semiring && strcmp(semiring, "max") == 0;
    if (!mean && !most && (!semiring || strcmp(semiring, "sum") != 0))
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        const struct reduced all = reduce_columns(shape)
                                       ? reduced(x, at, columns, count)
                                       : reduced(x, at * count, 1, count);
        const double divisor = mean ? (double)count : 1;
        answer_set(operands->operand[1], i, value, most ? all.most : all.sum / divisor);
        slack[i] = rounding(&all, (double)count, type_epsilon(x->type)) / divisor;
        if (most)
            slack[i] = all.most == 0 ? type_least(x->type) : 0;
    }
    return 0;
}

static void reduce_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                        double *bytes)
{
    matrix_work(shape, type, ops, bytes);
    *bytes = (*ops + (double)results(shape)) * (double)type_bytes(type);
}

const struct simdbench_op reduce_op = {
    .size = sizeof reduce_op,
    .name = "reduce",
    .summary = "sum, mean or maximum of a matrix, of each column or of each row",
    .shape_help = "N, ROWSxCOLUMNS, columnsROWSxCOLUMNS or rowsROWSxCOLUMNS",
    .default_shapes = "256x256,columns256x256,rows256x256,1024x1024,columns1024x1024,"
                      "rows1024x1024",
    .parse = reduce_parse,
    .format = reduce_format,
    .layout = reduce_layout,
    .fill = matrix_fill,
    .reference = reduce_reference,
    .work = reduce_work,
    .inputs = "normal, uniform:LO..HI",
    .lists = SHAPE_SUITE("64x64 256x256 1024x1024 4096x4096"),
};

const struct op_row reduce_row = {
    .op = &reduce_op,
    .examples = OP_LIST("--semiring=sum --sizes=4096x4096,columns4096x4096"),
};
