/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of f64 for SSE2. */
#include <emmintrin.h>

typedef double element;
typedef __m128d vec;
#define load _mm_loadu_pd
#define store _mm_storeu_pd
#define splat _mm_load1_pd
#define square_add(difference, sum) _mm_add_pd(_mm_mul_pd(difference, difference), sum)
#include "fresh_distance.h"

/* Sound. */
RUN(f75)
{
    distance(2, 4, operands);
}

/* ---- zip ---- */

/* Sound. */
RUN(f80)
{
    const double *const re = F64(0), *const im = F64(1);
    double *const y = F64(2);
    const ptrdiff_t n = DIM(0);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < n; i += 2) {
        const __m128d left = _mm_loadu_pd(re + i), right = _mm_loadu_pd(im + i);
        _mm_storeu_pd(y + 2 * i, _mm_unpacklo_pd(left, right));
        _mm_storeu_pd(y + 2 * i + 2, _mm_unpackhi_pd(left, right));
    }
}

/* Each pair is put together in memory, and read as a vector. */
RUN(f40)
{
    const double *const re = F64(0), *const im = F64(1);
    double *const y = F64(2), pair[2] __attribute__((aligned(16)));
    const ptrdiff_t n = DIM(0);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < n; i++) {
        pair[0] = re[i];
        pair[1] = im[i];
        WRITE(pair);
        _mm_storeu_pd(y + 2 * i, _mm_load_pd(pair));
    }
}

/* ---- decay ---- */

INLINE void decay(const struct simdbench_operands *operands)
{
    const ptrdiff_t n = DIM(0);
    const ptrdiff_t c = DIM(1);
    __m128d divisor = _mm_set1_pd(1 / 0.9);
    HIDE_VECTOR(divisor);
    for (ptrdiff_t j = 0; j < c; j += 16) {
        const double *x = F64(0) + j;
        double *y = F64(1) + j;
        __m128d echo[8] = {{0}};
        for (ptrdiff_t t = 0; t < n; t++, x += c, y += c)
            UNROLL
        for (int v = 0; v < 8; v++) {
            echo[v] = _mm_add_pd(_mm_div_pd(echo[v], divisor), _mm_loadu_pd(x + v * 2L));
            _mm_storeu_pd(y + v * 2L, echo[v]);
        }
    }
}

RUN(f41)
{
    decay(operands);
}

/* A twin: subnormal numbers are zero. */
RUN(f81)
{
    enum { FTZ_AND_DAZ = 0x8040 };
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | FTZ_AND_DAZ);
    FORGET;
    decay(operands);
    FORGET;
    _mm_setcsr(before);
}
