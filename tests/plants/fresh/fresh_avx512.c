/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX-512. */
#include <immintrin.h>

typedef float element;
typedef __m512 vec;
#define load _mm512_loadu_ps
#define store _mm512_storeu_ps
#define splat(from) _mm512_set1_ps(*(from))
#define square_add(difference, sum) _mm512_fmadd_ps(difference, difference, sum)
#include "fresh_distance.h"

/* Sound. */
RUN(f84)
{
    distance(6, 3, operands);
}

/* ---- norm, f64 ---- */

INLINE __mmask8 first_of(ptrdiff_t count)
{
    return (__mmask8)((1U << (count < 8 ? count : 8)) - 1);
}

INLINE void norms(const struct simdbench_operands *operands, const int align)
{
    const ptrdiff_t n = DIM(1);
    for (ptrdiff_t r = 0; r < DIM(0); r++) {
        const double *const x = F64(0) + r * n;
        const ptrdiff_t odd = align ? -((intptr_t)x >> 3) & 7 : 0,
                        first = odd < n ? odd : n;
        const __m512d head = _mm512_maskz_loadu_pd(first_of(first), x);
        __m512d sum[8] = {_mm512_mul_pd(head, head)};
        ptrdiff_t i = first;
        for (; i + 64 <= n; i += 64)
            UNROLL
        for (int v = 0; v < 8; v++) {
            const __m512d part = _mm512_loadu_pd(x + i + v * 8L);
            sum[v] = _mm512_fmadd_pd(part, part, sum[v]);
        }
        for (; i < n; i += 8) {
            const __m512d part = _mm512_maskz_loadu_pd(first_of(n - i), x + i);
            sum[1] = _mm512_fmadd_pd(part, part, sum[1]);
        }
        UNROLL
        for (int v = 1; v < 8; v++)
            sum[0] = _mm512_add_pd(sum[0], sum[v]);
        F64(1)
        [r] = _mm_cvtsd_f64(
            _mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(_mm512_reduce_add_pd(sum[0]))));
    }
}

/* Sound: vectors begin at multiples of their size. */
RUN(f78)
{
    norms(operands, 1);
}

/* Vectors begin where rows begin, which is anywhere. */
RUN(f38)
{
    norms(operands, 0);
}
