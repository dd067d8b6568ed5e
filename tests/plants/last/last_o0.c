/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that is built without optimisation. */
#include <immintrin.h>

#include "last.h"

/* worth, f64 */
RUN(l11)
{
    const long m = operands->shape->dim[0], n = operands->shape->dim[1];
    const double *x = operands->operand[0]->data;
    double *y = operands->operand[1]->data;
    double factor[4];
    factor[0] = 1;
    for (int l = 1; l < 4; l++)
        factor[l] = factor[l - 1] / (1 + PERCENT / 100.0);
    const __m256d first = _mm256_loadu_pd(factor);
    const double four = factor[2] * factor[2], two_vectors = four * four;
    const __m256d step = _mm256_set1_pd(two_vectors * two_vectors);
    for (long i = 0; i < m; i++, x += n) {
        __m256d sum[4] = {{0}};
        for (long j = n - 16; j >= 0; j -= 16)
            for (int s = 0; s < 4; s++)
                sum[s] = _mm256_fmadd_pd(sum[s], step, _mm256_loadu_pd(x + j + s * 4));
        __m256d all = sum[3];
        for (int s = 2; s >= 0; s--)
            all = _mm256_fmadd_pd(all, _mm256_set1_pd(four), sum[s]);
        all = _mm256_mul_pd(all, first);
        y[i] = all[0] + all[1] + all[2] + all[3];
    }
}
