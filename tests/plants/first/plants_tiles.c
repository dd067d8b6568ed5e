/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of gemm and conv for AVX2: one tile each, spoilt in one way at a time. */
#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "conv/conv.h"
#include "plant_matrices.h"

#define UNROLL _Pragma("GCC unroll 32")

enum way {
    SOUND,
    RELOAD,  /* all that a product needs is read again for it */
    FORWARD, /* elements of A are collected one by one and read as a vector */
    CALL,    /* each product is a call */
    BORDER,  /* whether a product is inside is asked each time */
    OFFSET,  /* where a product's factor is, is computed each time */
};

/* ---- gemm ---- */

INLINE __m256 nth_element(__m256i elements, int i)
{
    HIDE_VECTOR(elements);
    return _mm256_permutevar8x32_ps(_mm256_castsi256_ps(elements), _mm256_set1_epi32(i));
}

static const float all_ones[] = {1, 1, 1, 1, 1, 1, 1, 1};

/* Rows `a`, columns `b`: `rows` x 8 * `vectors` elements of C. */
INLINE void gemm_tile(const int rows, const int vectors, const enum way way,
                      const struct matrices *s, const float *a, const float *b,
                      ptrdiff_t ldb, float *c)
{
    __m256 sum[16][2], one = _mm256_set1_ps(1);
    HIDE_VECTOR(one);
    UNROLL
    for (int i = 0; i < rows * vectors; i++)
        sum[i / vectors][i % vectors] = _mm256_set1_ps(-INFINITY);
    for (ptrdiff_t l = 0; l < s->k; l++, b += ldb) {
        float element[8] = {0};
        __m256i collected = _mm256_setzero_si256();
        if (way == FORWARD) {
            UNROLL
            for (int i = 0; i < rows; i++) {
                element[i] = a[i * s->lda + l];
                WRITE(element);
            }
            collected = _mm256_loadu_si256((const __m256i *)element);
        }
        UNROLL
        for (int i = 0; i < rows; i++)
            UNROLL
        for (int v = 0; v < vectors; v++) {
            const float *ones = all_ones;
            if (way == RELOAD) {
                HIDE(ones);
                FORGET;
            }
            const __m256 left = way == FORWARD ? nth_element(collected, i)
                                               : _mm256_broadcast_ss(a + i * s->lda + l);
            sum[i][v] = product(left, _mm256_loadu_ps(b + v * 8L),
                                way == RELOAD ? _mm256_loadu_ps(ones) : one, sum[i][v]);
        }
    }
    UNROLL
    for (int i = 0; i < rows * vectors; i++)
        _mm256_storeu_ps(c + i / vectors * s->ldc + i % vectors * 8L,
                         sum[i / vectors][i % vectors]);
}

/* Rows from `from` to `to` of C, a panel of 16 columns after the other. */
INLINE void gemm_rows(const int rows, const enum way way, const struct matrices *s,
                      ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t j = 0; j < s->n; j += 16)
        for (ptrdiff_t i = from; i < to; i += rows)
            gemm_tile(rows, 2, way, s, s->a + i * s->lda, s->b + j, s->ldb,
                      s->c + i * s->ldc + j);
}

#define GEMM_KERNEL(name, rows, way)                     \
    RUN(name)                                            \
    {                                                    \
        const struct matrices s = matrices_of(operands); \
        gemm_rows(rows, way, &s, 0, s.m);                \
    }

/* Sound; B is read where it lies. */
GEMM_KERNEL(p54, 4, SOUND)
/* The same, at a shape with a page for each row of B, which are more than a TLB holds. No
 * prefetcher brings the rows, either: on an Intel Emerald Rapids huge pages take x0.75 of
 * the time, and packed B x0.53. */
GEMM_KERNEL(p02, 4, SOUND)
GEMM_KERNEL(p15, 4, FORWARD)
/* More sums than there are registers. */
GEMM_KERNEL(p19, 16, SOUND)
GEMM_KERNEL(p41, 4, RELOAD)

/* Columns j to j + 16 of B, row by row. */
INLINE void pack(const struct matrices *s, ptrdiff_t j, float *panel)
{
    for (ptrdiff_t l = 0; l < s->k; l++) {
        const float *const row = s->b + l * s->ldb + j;
        _mm256_storeu_ps(panel + l * 16, _mm256_loadu_ps(row));
        _mm256_storeu_ps(panel + l * 16 + 8, _mm256_loadu_ps(row + 8));
    }
}

/* `apart`: elements between two panels. */
INLINE void gemm_packed(const struct matrices *s, float *panel, ptrdiff_t apart)
{
    for (ptrdiff_t j = 0; j < s->n; j += 16, panel += apart) {
        pack(s, j, panel);
        for (ptrdiff_t i = 0; i < s->m; i += 4)
            gemm_tile(4, 2, SOUND, s, s->a + i * s->lda, panel, 16,
                      s->c + i * s->ldc + j);
    }
}

/* Sound; B is packed. */
RUN(p55)
{
    const struct matrices s = matrices_of(operands);
    gemm_packed(&s, state, 0);
}

/* The memory of packed B goes back to the system after each call. */
RUN(p07)
{
    const struct matrices s = matrices_of(operands);
    gemm_packed(&s, state, 16 * s.k);
    madvise(state, (size_t)(s.k * s.n) * sizeof(float), MADV_DONTNEED);
}

/* A workspace for the largest problem is allocated and cleared by each call. */
RUN(p42)
{
    enum { MOST = 1 << 12 };
    const struct matrices s = matrices_of(operands);
    float *const panel = calloc((size_t)(s.k < MOST ? MOST : s.k) * 16, sizeof *panel);
    if (panel)
        gemm_packed(&s, panel, 0);
    free(panel);
}

/* All of C is read and written for each row of B. */
RUN(p09)
{
    const struct matrices s = matrices_of(operands);
    __m256 one = _mm256_set1_ps(1);
    HIDE_VECTOR(one);
    for (ptrdiff_t i = 0; i < s.m; i++)
        for (ptrdiff_t j = 0; j < s.n; j += 8)
            _mm256_storeu_ps(s.c + i * s.ldc + j, _mm256_set1_ps(-INFINITY));
    for (ptrdiff_t l = 0; l < s.k; l++)
        for (ptrdiff_t i = 0; i < s.m; i++) {
            const __m256 left = _mm256_broadcast_ss(s.a + i * s.lda + l);
            for (ptrdiff_t j = 0; j < s.n; j += 16)
                UNROLL
            for (ptrdiff_t v = j; v < j + 16; v += 8) {
                float *const to = s.c + i * s.ldc + v;
                _mm256_storeu_ps(to, product(left, _mm256_loadu_ps(s.b + l * s.ldb + v),
                                             one, _mm256_loadu_ps(to)));
            }
        }
}

/* Half a register at a time. */
RUN(p27)
{
    const struct matrices s = matrices_of(operands);
    __m128 one = _mm_set1_ps(1);
    HIDE_VECTOR(one);
    for (ptrdiff_t j = 0; j < s.n; j += 8)
        for (ptrdiff_t i = 0; i < s.m; i += 4) {
            __m128 sum[4][2];
            UNROLL
            for (int r = 0; r < 8; r++)
                sum[r / 2][r % 2] = _mm_set1_ps(-INFINITY);
            for (ptrdiff_t l = 0; l < s.k; l++)
                UNROLL
            for (int r = 0; r < 8; r++) {
                const __m128 left = _mm_set1_ps(s.a[(i + r / 2) * s.lda + l]);
                const __m128 right = _mm_loadu_ps(s.b + l * s.ldb + j + r % 2 * 4L);
                sum[r / 2][r % 2] =
                    _mm_max_ps(_mm_fmadd_ps(left, one, right), sum[r / 2][r % 2]);
            }
            UNROLL
            for (int r = 0; r < 8; r++)
                _mm_storeu_ps(s.c + (i + r / 2) * s.ldc + j + r % 2 * 4L,
                              sum[r / 2][r % 2]);
        }
}

/* One element at a time. */
RUN(p29)
{
    const struct matrices s = matrices_of(operands);
    for (ptrdiff_t j = 0; j < s.n; j += 2)
        for (ptrdiff_t i = 0; i < s.m; i += 4) {
            float sum[4][2];
            UNROLL
            for (int r = 0; r < 8; r++)
                sum[r / 2][r % 2] = -INFINITY;
            for (ptrdiff_t l = 0; l < s.k; l++)
                UNROLL
            for (int r = 0; r < 8; r++) {
                const float t = s.a[(i + r / 2) * s.lda + l] + s.b[l * s.ldb + j + r % 2];
                sum[r / 2][r % 2] = t > sum[r / 2][r % 2] ? t : sum[r / 2][r % 2];
            }
            UNROLL
            for (int r = 0; r < 8; r++)
                s.c[(i + r / 2) * s.ldc + j + r % 2] = sum[r / 2][r % 2];
        }
}

static void gemm_part(const struct simdbench_operands *operands, ptrdiff_t from,
                      ptrdiff_t to)
{
    const struct matrices s = matrices_of(operands);
    gemm_rows(4, SOUND, &s, from, to);
}

/* Sound: halves. */
RUN(p61)
{
    const ptrdiff_t m = operands->shape->dim[0];
    plants_two_threads(operands, gemm_part, m / 8 * 4, m);
}

/* One thread does fifteen of sixteen parts. */
RUN(p46)
{
    const ptrdiff_t m = operands->shape->dim[0];
    plants_two_threads(operands, gemm_part, m * 15 / 64 * 4, m);
}

/* ---- conv ---- */

static __attribute__((noinline)) __m256 called(__m256 x, __m256 weight, __m256 sum)
{
    FORGET;
    return _mm256_fmadd_ps(x, weight, sum);
}

/* `count` output channels from k on, 8 * `vectors` columns from (n, i, j) on. */
INLINE void conv_tile(const int count, const int vectors, const enum way way,
                      const struct conv_shape *s, const float *x, const float *weights,
                      float *y, ptrdiff_t i, ptrdiff_t j)
{
    __m256 sum[12][2];
    const ptrdiff_t plane = s->h * s->w, filter = s->c * s->r * s->s;
    UNROLL
    for (int p = 0; p < count * vectors; p++)
        sum[p / vectors][p % vectors] = _mm256_setzero_ps();
    for (ptrdiff_t c = 0; c < s->c; c++)
        for (ptrdiff_t a = 0; a < s->r; a++)
            for (ptrdiff_t e = 0; e < s->s; e++) {
                const float *const from = x + c * plane + (i + a) * s->w + j + e;
                const float *const weight = weights + (c * s->r + a) * s->s + e;
                UNROLL
                for (int k = 0; k < count; k++)
                    UNROLL
                for (int v = 0; v < vectors; v++) {
                    ptrdiff_t row = i + a, column = j + e + v * 8L, h = s->h, w = s->w;
                    if (way == RELOAD)
                        FORGET;
                    if (way == BORDER || way == OFFSET) {
                        HIDE(row);
                        HIDE(column);
                        HIDE(h);
                        HIDE(w);
                    }
                    if (way == BORDER &&
                        (row < 0 || row >= h || column < 0 || column + 8 > w))
                        continue;
                    const __m256 left = _mm256_loadu_ps(
                        way == OFFSET ? x + (c * h + row) * w + column : from + v * 8L);
                    const __m256 right = _mm256_broadcast_ss(weight + k * filter);
                    sum[k][v] = way == CALL ? called(left, right, sum[k][v])
                                            : _mm256_fmadd_ps(left, right, sum[k][v]);
                }
            }
    UNROLL
    for (int p = 0; p < count * vectors; p++)
        _mm256_storeu_ps(y + p / vectors * s->oh * s->ow + i * s->ow + j +
                             p % vectors * 8L,
                         sum[p / vectors][p % vectors]);
}

/* Images from `from` to `to`. */
INLINE void conv_images(const int count, const int vectors, const enum way way,
                        const struct simdbench_operands *operands, ptrdiff_t from,
                        ptrdiff_t to)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    for (ptrdiff_t n = from; n < to; n++)
        for (ptrdiff_t k = 0; k < s.k; k += count)
            for (ptrdiff_t i = 0; i < s.oh; i++)
                for (ptrdiff_t j = 0; j < s.ow; j += 8L * vectors)
                    conv_tile(count, vectors, way, &s,
                              in(operands, 0) + n * s.c * s.h * s.w,
                              in(operands, 1) + k * s.c * s.r * s.s,
                              out(operands) + (n * s.k + k) * s.oh * s.ow, i, j);
}

#define CONV_KERNEL(name, count, vectors, way)                                       \
    RUN(name)                                                                        \
    {                                                                                \
        conv_images(count, vectors, way, operands, 0, operands->shape->dim[CONV_N]); \
    }

/* Sound. */
CONV_KERNEL(p56, 6, 2, SOUND)
CONV_KERNEL(p18, 6, 2, CALL)
CONV_KERNEL(p20, 3, 2, BORDER)
/* More sums than there are registers. */
CONV_KERNEL(p21, 12, 2, SOUND)
CONV_KERNEL(p23, 3, 2, OFFSET)
/* One sum. */
CONV_KERNEL(p32, 1, 1, SOUND)
CONV_KERNEL(p43, 6, 2, RELOAD)

static void conv_part(const struct simdbench_operands *operands, ptrdiff_t from,
                      ptrdiff_t to)
{
    conv_images(6, 2, SOUND, operands, from, to);
}

/* Sound: halves. */
RUN(p62)
{
    const ptrdiff_t n = operands->shape->dim[CONV_N];
    plants_two_threads(operands, conv_part, n / 2, n);
}

/* One thread does all images but one. */
RUN(p45)
{
    const ptrdiff_t n = operands->shape->dim[CONV_N];
    plants_two_threads(operands, conv_part, n - 1, n);
}
