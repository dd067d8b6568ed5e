/* SPDX-License-Identifier: Apache-2.0 */
/* Payments for AVX2. */
#include <immintrin.h>
#include <time.h>

#include "last.h"

/* ---- f64 ---- */

INLINE double total_f64(__m256d x)
{
    const __m128d half =
        _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

/* From the last payments to the first, `sums` vectors of `rows` rows at a time. */
INLINE void worth_f64(const int rows, const int sums,
                      const struct simdbench_operands *operands)
{
    const ptrdiff_t n = DIM(1);
    const __m256d step = _mm256_set1_pd(discount(4 * sums));
    const __m256d one = _mm256_set1_pd(discount(4));
    const __m256d lane =
        _mm256_setr_pd(discount(0), discount(1), discount(2), discount(3));
    for (ptrdiff_t i = 0; i < DIM(0); i += rows) {
        const double *const x = F64(0) + i * n;
        __m256d sum[32];
        UNROLL
        for (int s = 0; s < rows * sums; s++)
            sum[s] = _mm256_setzero_pd();
        for (ptrdiff_t j = n - 4L * sums; j >= 0; j -= 4L * sums)
            UNROLL
        for (int s = 0; s < rows * sums; s++)
            sum[s] = _mm256_fmadd_pd(
                sum[s], step, _mm256_loadu_pd(x + s / sums * n + j + s % sums * 4L));
        UNROLL
        for (int r = 0; r < rows; r++) {
            __m256d all = sum[r * sums + sums - 1];
            UNROLL
            for (int s = sums - 2; s >= 0; s--)
                all = _mm256_fmadd_pd(all, one, sum[r * sums + s]);
            F64(1)[i + r] = total_f64(_mm256_mul_pd(all, lane));
        }
    }
}

/* Sound. */
RUN(l35)
{
    worth_f64(4, 2, operands);
}

/* One sum. */
RUN(l02)
{
    worth_f64(1, 1, operands);
}

/* More sums than there are registers. */
RUN(l16)
{
    worth_f64(8, 4, operands);
}

/* Half a register at a time. */
RUN(l03)
{
    const ptrdiff_t n = DIM(1);
    const __m128d step = _mm_set1_pd(discount(4)), one = _mm_set1_pd(discount(2));
    const __m128d lane = _mm_setr_pd(discount(0), discount(1));
    for (ptrdiff_t i = 0; i < DIM(0); i += 4) {
        const double *const x = F64(0) + i * n;
        __m128d sum[8] = {{0}};
        for (ptrdiff_t j = n - 4; j >= 0; j -= 4)
            UNROLL
        for (int s = 0; s < 8; s++)
            sum[s] =
                _mm_fmadd_pd(sum[s], step, _mm_loadu_pd(x + s / 2 * n + j + s % 2 * 2L));
        UNROLL
        for (int r = 0; r < 4; r++) {
            const __m128d all =
                _mm_mul_pd(_mm_fmadd_pd(sum[2 * r + 1], one, sum[2 * r]), lane);
            F64(1)[i + r] = all[0] + all[1];
        }
    }
}

/* A short call asks twice what time it is. */
RUN(l20)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    worth_f64(4, 2, operands);
    clock_gettime(CLOCK_MONOTONIC, &after);
    WRITE(before);
    WRITE(after);
}

/* ---- f32 ---- */

INLINE float total_f32(__m256 x)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

INLINE __m256 lanes_f32(void)
{
    return _mm256_setr_ps((float)discount(0), (float)discount(1), (float)discount(2),
                          (float)discount(3), (float)discount(4), (float)discount(5),
                          (float)discount(6), (float)discount(7));
}

/* Sound: four rows with two sums each. */
RUN(l36)
{
    const ptrdiff_t n = DIM(1);
    const __m256 step = _mm256_set1_ps((float)discount(16));
    const __m256 one = _mm256_set1_ps((float)discount(8)), lane = lanes_f32();
    for (ptrdiff_t i = 0; i < DIM(0); i += 4) {
        const float *const x = F32(0) + i * n;
        __m256 sum[8] = {{0}};
        for (ptrdiff_t j = n - 16; j >= 0; j -= 16)
            UNROLL
        for (int s = 0; s < 8; s++)
            sum[s] = _mm256_fmadd_ps(sum[s], step,
                                     _mm256_loadu_ps(x + s / 2 * n + j + s % 2 * 8L));
        UNROLL
        for (int r = 0; r < 4; r++)
            F32(1)
        [i + r] = total_f32(
            _mm256_mul_ps(_mm256_fmadd_ps(sum[2 * r + 1], one, sum[2 * r]), lane));
    }
}

/* Factors come from a table, again for each row. */
RUN(l18)
{
    const ptrdiff_t n = DIM(1);
    const float *const factor = state;
    for (ptrdiff_t i = 0; i < DIM(0); i++) {
        const float *const x = F32(0) + i * n;
        __m256 sum[8] = {{0}};
        for (ptrdiff_t j = 0; j < n; j += 64)
            UNROLL
        for (int s = 0; s < 8; s++)
            sum[s] = _mm256_fmadd_ps(_mm256_loadu_ps(factor + j + s * 8L),
                                     _mm256_loadu_ps(x + j + s * 8L), sum[s]);
        UNROLL
        for (int apart = 4; apart > 0; apart /= 2)
            UNROLL
        for (int s = 0; s < apart; s++)
            sum[s] = _mm256_add_ps(sum[s], sum[s + apart]);
        F32(1)[i] = total_f32(sum[0]);
    }
}

enum { ROWS = 8 };

/* From the first payments to the last: factors become ever smaller. */
INLINE void forward(const struct simdbench_operands *operands)
{
    const ptrdiff_t n = DIM(1);
    __m256 growth = _mm256_set1_ps((float)(1 / discount(8)));
    HIDE_VECTOR(growth);
    for (ptrdiff_t i = 0; i < DIM(0); i += ROWS) {
        const float *const x = F32(0) + i * n;
        __m256 sum[ROWS] = {{0}}, factor = lanes_f32();
        for (ptrdiff_t j = 0; j < n; j += 8) {
            UNROLL
            for (int r = 0; r < ROWS; r++)
                sum[r] = _mm256_fmadd_ps(factor, _mm256_loadu_ps(x + r * n + j), sum[r]);
            factor = _mm256_div_ps(factor, growth);
        }
        UNROLL
        for (int r = 0; r < ROWS; r++)
            F32(1)[i + r] = total_f32(sum[r]);
    }
}

/* They become subnormal. */
RUN(l05)
{
    forward(operands);
}

/* A twin: they become zero. */
RUN(l41)
{
    enum { FLUSH = 0x8040 };
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | FLUSH);
    forward(operands);
    _mm_setcsr(control);
}

/* A division for each payment. */
RUN(l13)
{
    const ptrdiff_t n = DIM(1);
    for (ptrdiff_t i = 0; i < DIM(0); i += ROWS) {
        const float *const x = F32(0) + i * n;
        __m256 sum[ROWS] = {{0}}, growth = _mm256_div_ps(_mm256_set1_ps(1), lanes_f32());
        for (ptrdiff_t j = 0; j < n; j += 8) {
            UNROLL
            for (int r = 0; r < ROWS; r++)
                sum[r] = _mm256_add_ps(
                    sum[r], _mm256_div_ps(_mm256_loadu_ps(x + r * n + j), growth));
            growth = _mm256_mul_ps(growth, _mm256_set1_ps((float)(1 / discount(8))));
        }
        UNROLL
        for (int r = 0; r < ROWS; r++)
            F32(1)[i + r] = total_f32(sum[r]);
    }
}
