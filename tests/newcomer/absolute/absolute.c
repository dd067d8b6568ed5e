/* SPDX-License-Identifier: Apache-2.0 */
#include "absolute.h"

#include <errno.h>
#include <math.h>

#include "kernels.h"
#include "split_rules.h"
#include "vector_input.h"

static int absolute_layout(const struct simdbench_shape *shape, uint32_t type,
                           struct simdbench_operand *const operand[])
{
    return vector_layout(shape, type, SIMDBENCH_OUT, operand);
}

static int absolute_reference(const struct simdbench_operands *operands,
                              const char *semiring, const uint64_t *index, uint64_t n,
                              void *value, double *slack)
{
    const struct simdbench_operand *const x = operands->operand[0];
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        if (x->type == SIMDBENCH_F32)
            ((float *)value)[i] = fabsf(((const float *)x->data)[at]);
        else
            ((double *)value)[i] = fabs(((const double *)x->data)[at]);
        slack[i] = 0;
    }
    return 0;
}

const struct simdbench_op absolute_op = {
    .size = sizeof absolute_op,
    .name = "absolute",
    .summary = "absolute value of each element",
    .shape_help = "N elements",
    .default_shapes = "1Ki,1Mi",
    .parse = vector_parse,
    .format = vector_format,
    .layout = absolute_layout,
    .fill = vector_op_fill,
    .reference = absolute_reference,
    .work = vector_work,
    .inputs = VECTOR_INPUTS,
};

const struct op_row absolute_row = {
    .op = &absolute_op,
    .examples = OP_LIST("--isa=all --sizes=1k..1M*10"),
    .threads_sizes = "1Ki..1Mi*4",
    .split = split_by_elements,
};
