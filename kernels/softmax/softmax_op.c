/* SPDX-License-Identifier: Apache-2.0 */
#include "softmax.h"

#include <float.h>
#include <math.h>

#include "kernels.h"
#include "matrix_op.h"
#include "split_rules.h"

struct row {
    uint64_t number;
    double most, sum;
};

static struct row row_of(const struct simdbench_operands *operands, uint64_t number)
{
    const struct simdbench_operand *const x = operands->operand[0];
    const uint64_t columns = (uint64_t)operands->shape->dim[1], first = number * columns;
    struct row row = {number, -INFINITY, 0};
    for (uint64_t c = 0; c < columns; c++)
        row.most = fmax(row.most, operand_float(x, first + c));
    for (uint64_t c = 0; c < columns; c++)
        row.sum += exp(operand_float(x, first + c) - row.most);
    return row;
}

static int reference(bool logarithm, const struct simdbench_operands *operands,
                     const char *semiring, const uint64_t *index, uint64_t n, void *value,
                     double *slack)
{
    const struct simdbench_operand *const x = operands->operand[0];
    const uint64_t columns = (uint64_t)operands->shape->dim[1];
    const double epsilon = type_epsilon(x->type), adds = (double)columns / 2;
    struct row row = {.number = UINT64_MAX};
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        if (row.number != at / columns)
            row = row_of(operands, at / columns);
        const double in = operand_float(x, at), below = in - row.most;
        const double right = logarithm ? below - log(row.sum) : exp(below) / row.sum;
        answer_set(operands->operand[1], i, value, right);
        slack[i] = logarithm ? epsilon * (24 + adds + 2 * fabs(right) + fabs(in))
                             : epsilon * right * (8 + adds + fabs(below));
        slack[i] += x->type == SIMDBENCH_F32 ? (double)FLT_MIN : DBL_MIN;
    }
    return 0;
}

static int softmax_reference(const struct simdbench_operands *operands,
                             const char *semiring, const uint64_t *index, uint64_t n,
                             void *value, double *slack)
{
    return reference(false, operands, semiring, index, n, value, slack);
}

static int log_softmax_reference(const struct simdbench_operands *operands,
                                 const char *semiring, const uint64_t *index, uint64_t n,
                                 void *value, double *slack)
{
    return reference(true, operands, semiring, index, n, value, slack);
}

/* Whole rows for each thread. */
static bool part_of_rows(struct operands *part, uint32_t index, uint32_t count)
{
    const struct split_range rows = split_range(part->shape.dim[0], 1, index, count);
    const int64_t columns = part->shape.dim[1];
    part->shape.dim[0] = rows.to - rows.from;
    FOR_EACH (struct simdbench_operand, operand, part->operand, 2) {
        const size_t bytes = type_bytes(operand->type);
        operand->data = (char *)operand->data + (size_t)(rows.from * columns) * bytes;
        operand->count = (uint64_t)(part->shape.dim[0] * columns);
    }
    return rows.to > rows.from;
}

static const struct split_rule by_rows[] = {{.part = part_of_rows}, {.part = NULL}};

#define SOFTMAX(name_, summary_)                                        \
    const struct simdbench_op name_##_op = {                            \
        .size = sizeof name_##_op,                                      \
        .name = #name_,                                                 \
        .summary = summary_,                                            \
        .shape_help = "ROWSxCOLUMNS, or N for NxN",                     \
        .default_shapes = "256x10,4096x10,256x256,1024x1024,4096x1024", \
        .parse = matrix_parse,                                          \
        .format = matrix_format,                                        \
        .layout = matrix_layout,                                        \
        .fill = matrix_fill,                                            \
        .reference = name_##_reference,                                 \
        .work = matrix_work,                                            \
        .inputs = "normal, uniform:LO..HI, saturated",                  \
        .lists = SHAPE_SUITE("32x64 256x256 1024x1024 8192x1024"),      \
    };                                                                  \
    const struct op_row name_##_row = {                                 \
        .op = &name_##_op,                                              \
        .libraries = OP_LIST("onednn"),                                 \
        .examples = OP_LIST("--sizes=4096x10,1024x1024 --isa=all"),     \
        .threads_sizes = "256x256,1024x1024,4096x1024",                 \
        .split = by_rows,                                               \
    };

SOFTMAX(softmax, "softmax over the columns of a matrix")
SOFTMAX(log_softmax, "logarithm of softmax over the columns of a matrix")
