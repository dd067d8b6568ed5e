/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX2 that are built as for a debugger. */
#include <immintrin.h>
#include <math.h>

#include "plants.h"

RUN(p16)
{
    const float *x = operands->operand[0]->data;
    float *y = operands->operand[1]->data;
    const ptrdiff_t n = (ptrdiff_t)operands->operand[0]->count;
    const __m256 zero = _mm256_setzero_ps();
    for (ptrdiff_t i = 0; i < n; i += 32)
        for (ptrdiff_t v = 0; v < 32; v += 8)
            _mm256_storeu_ps(y + i + v, _mm256_max_ps(_mm256_loadu_ps(x + i + v), zero));
}

RUN(p13)
{
    const struct simdbench_operand *a = operands->operand[0], *b = operands->operand[1],
                                   *c = operands->operand[2];
    const int64_t *dim = operands->shape->dim;
    for (int64_t i = 0; i < dim[0]; i++)
        for (int64_t j = 0; j < dim[1]; j += 16) {
            const float *one = (const float *)a->data + i * a->ld;
            const float *row = (const float *)b->data + j;
            __m256 left = _mm256_set1_ps(-INFINITY), right = left;
            for (int64_t l = 0; l < dim[2]; l++, row += b->ld) {
                const __m256 value = _mm256_broadcast_ss(one + l);
                left = _mm256_max_ps(_mm256_add_ps(value, _mm256_loadu_ps(row)), left);
                right =
                    _mm256_max_ps(_mm256_add_ps(value, _mm256_loadu_ps(row + 8)), right);
            }
            float *to = (float *)c->data + i * c->ld + j;
            _mm256_storeu_ps(to, left);
            _mm256_storeu_ps(to + 8, right);
        }
}
