/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of relu, curve and dot for AVX2. */
#include <immintrin.h>
#include <string.h>
#include <sys/mman.h>

#include "plants.h"

#define ONE _mm256_set1_ps(1)

/* ---- relu ---- */

INLINE void rectify(const float *x, float *y)
{
    _mm256_storeu_ps(y, _mm256_max_ps(_mm256_loadu_ps(x), _mm256_setzero_ps()));
}

INLINE void rectify_all(const float *x, float *y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i += 32) {
        rectify(x + i, y + i);
        rectify(x + i + 8, y + i + 8);
        rectify(x + i + 16, y + i + 16);
        rectify(x + i + 24, y + i + 24);
    }
}

/* Sound. */
RUN(p49)
{
    rectify_all(in(operands, 0), out(operands), size(operands));
}

/* Each call gets new pages for a buffer, and gives them back. */
RUN(p01)
{
    const size_t bytes = (size_t)size(operands) * sizeof(float);
    if (bytes == 0)
        return;
    float *const buffer =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED)
        return;
    rectify_all(in(operands, 0), buffer, size(operands));
    memcpy(out(operands), buffer, bytes);
    munmap(buffer, bytes);
}

/* Three sweeps over memory instead of one. */
RUN(p03)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_setzero_ps());
    FORGET;
    for (ptrdiff_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(y + i,
                         _mm256_add_ps(_mm256_loadu_ps(y + i), _mm256_loadu_ps(x + i)));
    FORGET;
    rectify_all(y, y, n);
}

/* One line of each page after the other, then the next line of each. No prefetcher brings
 * these lines, either: on an Intel Emerald Rapids huge pages take x0.7 of the time, and
 * lines that follow each other x0.27. */
RUN(p08)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t line = 0; line < 1024; line += 16)
        for (ptrdiff_t i = line; i < n; i += 1024) {
            rectify(x + i, y + i);
            rectify(x + i + 8, y + i + 8);
        }
}

/* Lines in the order of a list whose nodes are all over memory. */
RUN(p11)
{
    const uint32_t *const node = state;
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    size_t at = 0;
    for (ptrdiff_t i = 0; i < n; i += 16) {
        rectify(x + 16 * at, y + 16 * at);
        rectify(x + 16 * at + 8, y + 16 * at + 8);
        at = node[at * 16];
    }
}

/* A term far below the result takes part in one of four maxima: too small to be a normal
 * number if scale is. */
INLINE void leak(const float *x, float *y, ptrdiff_t n, float scale)
{
    __m256 part = _mm256_set1_ps(1.5F);
    HIDE_VECTOR(part);
    for (ptrdiff_t i = 0; i < n; i += 32) {
        const __m256 value = _mm256_loadu_ps(x + i);
        const __m256 term =
            _mm256_div_ps(_mm256_mul_ps(value, _mm256_set1_ps(scale)), part);
        _mm256_storeu_ps(y + i,
                         _mm256_max_ps(_mm256_max_ps(value, term), _mm256_setzero_ps()));
        rectify(x + i + 8, y + i + 8);
        rectify(x + i + 16, y + i + 16);
        rectify(x + i + 24, y + i + 24);
    }
}

RUN(p12)
{
    leak(in(operands, 0), out(operands), size(operands), 1e-39F);
}

/* Sound: a scale with which all terms are normal. */
RUN(p60)
{
    leak(in(operands, 0), out(operands), size(operands), 1e-9F);
}

static __attribute__((noinline)) __m256 one_vector(__m256 x)
{
    FORGET;
    return _mm256_max_ps(x, _mm256_setzero_ps());
}

/* A function for each vector. */
RUN(p17)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(y + i, one_vector(_mm256_loadu_ps(x + i)));
}

/* The address of a vector is computed from coordinates and strides each time; here they
 * are those of a plain array. */
RUN(p24)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    ptrdiff_t stride[4] = {8, 32, 128, 512};
    const ptrdiff_t vectors = size(operands) / 8;
    for (int d = 0; d < 4; d++)
        HIDE(stride[d]);
    for (ptrdiff_t i = 0; i < vectors; i++) {
        const ptrdiff_t at = (i & 3) * stride[0] + (i >> 2 & 3) * stride[1] +
                             (i >> 4 & 3) * stride[2] + (i >> 6) * stride[3];
        rectify(x + at, y + at);
    }
}

/* Half a register at a time. */
RUN(p25)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i += 32)
#pragma GCC unroll 8
        for (ptrdiff_t v = i; v < i + 32; v += 4)
            _mm_storeu_ps(y + v, _mm_max_ps(_mm_loadu_ps(x + v), _mm_setzero_ps()));
}

/* (x + |x|) / 2, by a division. */
RUN(p35)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    __m256 two = _mm256_set1_ps(2);
    const ptrdiff_t n = size(operands);
    HIDE_VECTOR(two);
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const __m256 value = _mm256_loadu_ps(x + i);
        const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), value);
        _mm256_storeu_ps(y + i, _mm256_div_ps(_mm256_add_ps(value, magnitude), two));
    }
}

/* A table of thresholds is made anew by each call. */
RUN(p44)
{
    enum { THRESHOLDS = 1024 };
    float threshold[THRESHOLDS];
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < THRESHOLDS; i += 8)
        _mm256_storeu_ps(threshold + i, _mm256_setzero_ps());
    WRITE(threshold);
    for (ptrdiff_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(y + i,
                         _mm256_max_ps(_mm256_loadu_ps(x + i),
                                       _mm256_loadu_ps(threshold + i % THRESHOLDS)));
}

/* ---- curve ---- */

INLINE __m256 clamp(__m256 x)
{
    return _mm256_max_ps(_mm256_min_ps(x, ONE), _mm256_set1_ps(-1));
}

INLINE __m256 horner(__m256 x)
{
    __m256 sum = _mm256_set1_ps(1.0F / CURVE_TERMS);
#pragma GCC unroll 8
    for (int j = CURVE_TERMS - 2; j >= 0; j--)
        sum = _mm256_fmadd_ps(sum, x, _mm256_set1_ps(1.0F / (float)(j + 1)));
    return sum;
}

/* Sound. */
RUN(p57)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i += 16) {
        _mm256_storeu_ps(y + i, horner(clamp(_mm256_loadu_ps(x + i))));
        _mm256_storeu_ps(y + i + 8, horner(clamp(_mm256_loadu_ps(x + i + 8))));
    }
}

/* It asks first if a vector has to be clamped: half of them have to be. */
RUN(p06)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i += 8) {
        __m256 value = _mm256_loadu_ps(x + i);
        const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), value);
        if (_mm256_movemask_ps(_mm256_cmp_ps(magnitude, ONE, _CMP_GT_OQ))) {
            FORGET;
            value = clamp(value);
        }
        _mm256_storeu_ps(y + i, horner(value));
    }
}

/* The power of two vectors is added to them, so small that it changes no bit: no normal
 * number if scale is none. */
INLINE void power(const float *x, float *y, ptrdiff_t n, float scale)
{
    __m256 small = _mm256_set1_ps(scale);
    HIDE_VECTOR(small);
    for (ptrdiff_t i = 0; i < n; i += 16) {
        const __m256 left = clamp(_mm256_loadu_ps(x + i)),
                     right = clamp(_mm256_loadu_ps(x + i + 8));
        const __m256 root =
            _mm256_sqrt_ps(_mm256_mul_ps(_mm256_mul_ps(left, small), left));
        _mm256_storeu_ps(y + i, _mm256_add_ps(horner(left), root));
        _mm256_storeu_ps(y + i + 8, _mm256_add_ps(horner(right), root));
    }
}

RUN(p05)
{
    power(in(operands, 0), out(operands), size(operands), 1e-39F);
}

/* Sound: a scale with which all powers are normal. */
RUN(p59)
{
    power(in(operands, 0), out(operands), size(operands), 1e-25F);
}

/* One element at a time. */
RUN(p26)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i++) {
        const float low = x[i] < 1 ? x[i] : 1, value = low > -1 ? low : -1;
        float sum = 1.0F / CURVE_TERMS;
#pragma GCC unroll 8
        for (int j = CURVE_TERMS - 2; j >= 0; j--)
            sum = __builtin_fmaf(sum, value, 1.0F / (float)(j + 1));
        y[i] = sum;
    }
}

/* Divides by the denominators of the coefficients. */
RUN(p36)
{
    const float *const x = in(operands, 0);
    float *const y = out(operands);
    __m256 one = ONE;
    const ptrdiff_t n = size(operands);
    HIDE_VECTOR(one);
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const __m256 value = clamp(_mm256_loadu_ps(x + i));
        __m256 sum = _mm256_div_ps(one, _mm256_set1_ps(CURVE_TERMS));
#pragma GCC unroll 8
        for (int j = CURVE_TERMS - 2; j >= 0; j--)
            sum = _mm256_fmadd_ps(sum, value,
                                  _mm256_div_ps(one, _mm256_set1_ps((float)(j + 1))));
        _mm256_storeu_ps(y + i, sum);
        HIDE_VECTOR(one);
    }
}

/* ---- dot ---- */

INLINE float total(__m256 sum)
{
    float part[8], all = 0;
    _mm256_storeu_ps(part, sum);
    for (int i = 0; i < 8; i++)
        all += part[i];
    return all;
}

INLINE float eight_sums(const float *a, const float *b, ptrdiff_t n)
{
    __m256 sum[8] = {{0}};
    float last = 0;
    ptrdiff_t i = 0;
    for (; i + 64 <= n; i += 64)
#pragma GCC unroll 8
        for (int v = 0; v < 8; v++)
            sum[v] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + v * 8L),
                                     _mm256_loadu_ps(b + i + v * 8L), sum[v]);
    for (; i + 8 <= n; i += 8)
        sum[0] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), sum[0]);
    for (; i < n; i++)
        last += a[i] * b[i];
#pragma GCC unroll 8
    for (int v = 1; v < 8; v++)
        sum[0] = _mm256_add_ps(sum[0], sum[v]);
    return total(sum[0]) + last;
}

/* Sound. */
RUN(p53)
{
    out(operands)[0] = eight_sums(in(operands, 0), in(operands, 1), size(operands));
}

/* One element first, as if the second one were aligned. */
RUN(p33)
{
    const float *const a = in(operands, 0), *const b = in(operands, 1);
    const ptrdiff_t n = size(operands);
    out(operands)[0] = n ? a[0] * b[0] + eight_sums(a + 1, b + 1, n - 1) : 0;
}

/* One sum. */
RUN(p34)
{
    const float *const a = in(operands, 0), *const b = in(operands, 1);
    __m256 sum = _mm256_setzero_ps();
    const ptrdiff_t n = size(operands);
    for (ptrdiff_t i = 0; i < n; i += 8)
        sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), sum);
    out(operands)[0] = total(sum);
}
