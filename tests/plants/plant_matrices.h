/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of gemm under their usual names, and its product for AVX2. */
#pragma once

#include <immintrin.h>

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

/* max(a + b, sum), the sum by a multiplication with one, which other units do. */
INLINE __m256 product(__m256 a, __m256 b, __m256 one, __m256 sum)
{
    return _mm256_max_ps(_mm256_fmadd_ps(a, one, b), sum);
}
