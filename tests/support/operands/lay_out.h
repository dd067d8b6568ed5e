/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "kernels.h"
#include "unit.h"

static inline bool runs_here(const struct simdbench_kernel *kernel, const char *op)
{
    return strcmp(kernel->op, op) == 0 &&
           isa_available((size_t)isa_find(kernel->isa), NULL, 0);
}

/* The `count` operands of an op, as it lays them out; where their data is, and gaps
 * between rows, is up to the test. */
static inline void lay_out(struct operands *operands, const struct simdbench_op *op,
                           const struct simdbench_shape *shape, uint32_t type,
                           uint32_t count)
{
    memset(operands, 0, sizeof *operands);
    operands->shape = *shape;
    operands->view = (struct simdbench_operands){.size = sizeof operands->view,
                                                 .count = count,
                                                 .threads = 1,
                                                 .shape = &operands->shape};
    for (uint32_t i = 0; i < count; i++) {
        operands->operand[i].size = sizeof operands->operand[i];
        operands->view.operand[i] = &operands->operand[i];
    }
    assert_int_equal(op->layout(&operands->shape, type, operands->view.operand), count);
}
