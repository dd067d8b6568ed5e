/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of op tanh over two arrays. */
#pragma once

#include "lay_out.h"

static inline void vectors_bind(struct operands *v, uint32_t type, void *x, void *y,
                                uint64_t n)
{
    const struct simdbench_shape shape = {
        .size = sizeof shape, .rank = 1, .dim = {(int64_t)n}};
    lay_out(v, op_find("tanh"), &shape, type, 2);
    v->operand[0].data = x;
    v->operand[1].data = y;
}
