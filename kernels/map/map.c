/* SPDX-License-Identifier: Apache-2.0 */
#include "map.h"

#include "kernels.h"
#include "matrix_op.h"
#include "split_rules.h"
#include "vector_input.h"

static int map_layout(const struct simdbench_shape *shape, uint32_t type,
                      struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    static const uint32_t role[] = {SIMDBENCH_IN, SIMDBENCH_IN, SIMDBENCH_OUT};
    for (int i = 0; i < 3; i++) {
        const int status =
            operand_plain(operand[i], type, role[i], (uint64_t)shape->dim[0]);
        if (status < 0)
            return status;
    }
    return 3;
}

/* In the type itself, as a result in double would be rounded twice. */
#define MAPPED(t)                                \
    static t mapped_##t(char function, t x, t y) \
    {                                            \
        switch (function) {                      \
        case 'a':                                \
            return x + y;                        \
        case 's':                                \
            return x - y;                        \
        case 'm':                                \
            return x * y;                        \
        default:                                 \
            return x / y;                        \
        }                                        \
    }

MAPPED(float)
MAPPED(double)

static int map_reference(const struct simdbench_operands *operands, const char *semiring,
                         const uint64_t *index, uint64_t n, void *value, double *slack)
{
    static const char *const known[] = {"add", "sub", "mul", "div"};
    const void *const x = operands->operand[0]->data, *const y =
                                                          operands->operand[1]->data;
    size_t f = 0;
    while (f < ARRAY_LEN(known) && (!semiring || strcmp(semiring, known[f]) != 0))
        f++;
    if (f == ARRAY_LEN(known))
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        if (operands->operand[0]->type == SIMDBENCH_F32)
            ((float *)value)[i] =
                mapped_float(*known[f], ((const float *)x)[at], ((const float *)y)[at]);
        else
            ((double *)value)[i] = mapped_double(*known[f], ((const double *)x)[at],
                                                 ((const double *)y)[at]);
        slack[i] = 0;
    }
    return 0;
}

static void map_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                     double *bytes)
{
    *ops = (double)shape->dim[0];
    *bytes = 3 * *ops * (double)type_bytes(type);
}

const struct simdbench_op map_op = {
    .size = sizeof map_op,
    .name = "map",
    .summary = "z = f(x, y), element by element: add, sub, mul, div",
    .shape_help = "N",
    .default_shapes = "1k,64k,1M,16M",
    .parse = vector_parse,
    .format = vector_format,
    .layout = map_layout,
    .fill = matrix_fill,
    .reference = map_reference,
    .work = map_work,
    .inputs = VECTOR_INPUTS,
    .lists = SHAPE_SUITE("2048 32768 524288 16777216"),
};

const struct op_row map_row = {
    .op = &map_op,
    .examples = OP_LIST("--semiring=add,div --sizes=1k..16M*4"),
    .threads_sizes = "1Ki..4Mi*4",
    .split = split_by_elements,
};
