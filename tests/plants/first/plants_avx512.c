/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of relu for AVX-512. */
#include <immintrin.h>

#include "plants.h"

INLINE void rectify_all(const float *x, float *y, ptrdiff_t n)
{
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < n; i += 16)
        _mm512_storeu_ps(y + i,
                         _mm512_max_ps(_mm512_loadu_ps(x + i), _mm512_setzero_ps()));
}

/* Sound. */
RUN(p51)
{
    rectify_all(in(operands, 0), out(operands), size(operands));
}

/* One element first, as if the second one were aligned. */
RUN(p31)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    if (n == 0)
        return;
    y[0] = x[0] > 0 ? x[0] : 0;
    rectify_all(x + 1, y + 1, n - 16);
    for (ptrdiff_t i = n - 15; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}
