/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of gemm under their usual names. */
#pragma once

#include "plants.h"

struct matrices {
    const float *a, *b;
    float *c;
    ptrdiff_t m, n, k, lda, ldb, ldc;
};

INLINE struct matrices matrices_of(const struct simdbench_operands *operands)
{
    const int64_t *const dim = operands->shape->dim;
    return (struct matrices){in(operands, 0),
                             in(operands, 1),
                             out(operands),
                             dim[0],
                             dim[1],
                             dim[2],
                             operands->operand[0]->ld,
                             operands->operand[1]->ld,
                             operands->operand[2]->ld};
}
