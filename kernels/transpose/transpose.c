/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"

#include "kernels.h"
#include "matrix_op.h"

static int transpose_reference(const struct simdbench_operands *operands,
                               const char *semiring, const uint64_t *index, uint64_t n,
                               void *value, double *slack)
{
    const struct simdbench_operand *const x = operands->operand[0];
    const uint64_t rows = (uint64_t)operands->shape->dim[0],
                   columns = (uint64_t)operands->shape->dim[1];
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        answer_set(operands->operand[1], i, value,
                   operand_float(x, at % rows * columns + at / rows));
        slack[i] = 0;
    }
    return 0;
}

const struct simdbench_op transpose_op = {
    .size = sizeof transpose_op,
    .name = "transpose",
    .summary = "transposition of a matrix",
    .shape_help = "ROWSxCOLUMNS, or N for NxN",
    .default_shapes = "256x256,1024x1024,4096x4096",
    .parse = matrix_parse,
    .format = matrix_format,
    .layout = matrix_layout,
    .fill = matrix_fill,
    .reference = transpose_reference,
    .work = matrix_work,
    .inputs = "normal, uniform:LO..HI",
    .lists = SHAPE_SUITE("32x32 256x256 1024x1024 4096x4096"),
};

const struct op_row transpose_row = {
    .op = &transpose_op,
    .examples = OP_LIST("--sizes=1024x1024,1000x3000"),
};
