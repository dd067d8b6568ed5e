/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of gemm and conv for AVX2, f32: tiles of two vectors. */
#include <immintrin.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "conv/conv.h"
#include "last.h"
#include "plant_matrices.h"

/* Rows of a tile of gemm, which keeps a register of ones; channels of one of conv. */
enum { ROWS = 4, DEEP = 6, WIDE = 16 };

/* ---- gemm ---- */

enum way {
    SOUND,
    CALL,   /* a function that a pointer points to joins product and sum */
    CHOICE, /* the semiring is looked up for each product */
    STRIDE, /* elements of A and B are found by two strides */
};

struct algebra {
    __m256 (*join)(__m256 one, __m256 sum, __m256 a, __m256 b);
    int times, least; /* instead of plus, instead of max */
};

static __m256 max_plus(__m256 one, __m256 sum, __m256 a, __m256 b)
{
    return product(a, b, one, sum);
}

INLINE __m256 choose(int times, int least, __m256 one, __m256 sum, __m256 a, __m256 b)
{
    HIDE(times);
    HIDE(least);
    __m256 both = a;
    if (times)
        both = _mm256_mul_ps(a, b);
    else
        both = _mm256_fmadd_ps(a, one, b);
    HIDE_VECTOR(both);
    if (least)
        sum = _mm256_min_ps(both, sum);
    else
        sum = _mm256_max_ps(both, sum);
    HIDE_VECTOR(sum);
    return sum;
}

/* Element (i, j) of a matrix. */
INLINE const float *element(const float *data, ptrdiff_t i, ptrdiff_t down, ptrdiff_t j,
                            ptrdiff_t across)
{
    HIDE(i);
    HIDE(j);
    HIDE(across);
    return data + i * down + j * across;
}

/* A tile of C from row i and column j on. */
INLINE void gemm_tile(const enum way way, const struct matrices *s,
                      const struct algebra *algebra, ptrdiff_t i, ptrdiff_t j)
{
    const float *const a = s->a + i * s->lda, *b = s->b + j;
    float *const c = s->c + i * s->ldc + j;
    const int times = algebra->times, least = algebra->least;
    __m256 sum[ROWS][2], one = _mm256_set1_ps(1);
    HIDE_VECTOR(one);
    UNROLL
    for (int r = 0; r < 2 * ROWS; r++)
        sum[r / 2][r % 2] = _mm256_set1_ps(-INFINITY);
    for (ptrdiff_t l = 0; l < s->k; l++, b += s->ldb) {
        const __m256 right[2] = {_mm256_loadu_ps(b), _mm256_loadu_ps(b + 8)};
        UNROLL
        for (int r = 0; r < ROWS; r++) {
            const __m256 left = _mm256_broadcast_ss(
                way == STRIDE ? element(a, r, s->lda, l, 1) : a + r * s->lda + l);
            UNROLL
            for (int v = 0; v < 2; v++) {
                __m256 *const to = &sum[r][v];
                if (way == STRIDE) {
                    const float *const from = element(s->b + j, l, s->ldb, v * 8L, 1);
                    *to = max_plus(one, *to, left, _mm256_loadu_ps(from));
                    HIDE_VECTOR(*to);
                } else if (way == CALL) {
                    *to = algebra->join(one, *to, left, right[v]);
                } else if (way == CHOICE) {
                    *to = choose(times, least, one, *to, left, right[v]);
                } else {
                    *to = max_plus(one, *to, left, right[v]);
                }
            }
        }
    }
    UNROLL
    for (int r = 0; r < 2 * ROWS; r++)
        _mm256_storeu_ps(c + r / 2 * s->ldc + r % 2 * 8L, sum[r / 2][r % 2]);
}

INLINE void gemm(const enum way way, const struct simdbench_operands *operands)
{
    struct algebra plain = {max_plus, 0, 0}, *algebra = &plain;
    const struct matrices s = matrices_of(operands);
    HIDE(algebra);
    for (ptrdiff_t j = 0; j < s.n; j += WIDE)
        for (ptrdiff_t i = 0; i < s.m; i += ROWS)
            gemm_tile(way, &s, algebra, i, j);
}

#define GEMM_KERNEL(name, way) \
    RUN(name)                  \
    {                          \
        gemm(way, operands);   \
    }

/* Sound. */
GEMM_KERNEL(l39, SOUND)
GEMM_KERNEL(l04, CALL)
GEMM_KERNEL(l14, CHOICE)
GEMM_KERNEL(l19, STRIDE)

/* ---- conv ---- */

/* y = weights * x, a tile of 6 x 16; all matrices have rows. */
INLINE void conv_tile(const float *weights, const float *x, ptrdiff_t ldx,
                      ptrdiff_t depth, float *y, ptrdiff_t ldy)
{
    __m256 sum[2 * DEEP] = {{0}};
    for (ptrdiff_t p = 0; p < depth; p++, x += ldx)
        UNROLL
    for (int r = 0; r < 2 * DEEP; r++)
        sum[r] = _mm256_fmadd_ps(_mm256_broadcast_ss(weights + r / 2 * depth + p),
                                 _mm256_loadu_ps(x + r % 2 * 8L), sum[r]);
    UNROLL
    for (int r = 0; r < 2 * DEEP; r++)
        _mm256_storeu_ps(y + r / 2 * ldy + r % 2 * 8L, sum[r]);
}

/* All channels of y at `pixels` pixels. */
INLINE void conv_all(const float *weights, const float *x, ptrdiff_t depth, float *y,
                     ptrdiff_t pixels, ptrdiff_t channels)
{
    for (ptrdiff_t j = 0; j < pixels; j += WIDE)
        for (ptrdiff_t k = 0; k < channels; k += DEEP)
            conv_tile(weights + k * depth, x + j, pixels, depth, y + k * pixels + j,
                      pixels);
}

/* Sound: one tap, so x is a matrix. */
RUN(l40)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    conv_all(F32(1), F32(0), s.c, F32(2), s.h * s.w, s.k);
}

/* The same, with a page for each channel of x, which are more than a TLB holds. No
 * prefetcher brings their lines, either: on an Intel Emerald Rapids huge pages take x0.74
 * of the time, and packed x x0.55. */
RUN(l15)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    conv_all(F32(1), F32(0), s.c, F32(2), s.h * s.w, s.k);
}

/* A twin: what all channels have at 16 pixels is packed. */
RUN(l43)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    const ptrdiff_t pixels = s.h * s.w;
    float *const panel = state;
    for (ptrdiff_t j = 0; j < pixels; j += WIDE) {
        for (ptrdiff_t c = 0; c < s.c; c++)
            memcpy(panel + c * WIDE, F32(0) + c * pixels + j, WIDE * sizeof *panel);
        for (ptrdiff_t k = 0; k < s.k; k += DEEP)
            conv_tile(F32(1) + k * s.c, panel, WIDE, s.c, F32(2) + k * pixels + j,
                      pixels);
    }
}

/* A row for each tap, with what it meets at each pixel of y. */
INLINE void unroll_image(const struct conv_shape *s, const float *x, float *row)
{
    for (ptrdiff_t c = 0; c < s->c; c++)
        for (ptrdiff_t a = 0; a < s->r; a++)
            for (ptrdiff_t e = 0; e < s->s; e++)
                for (ptrdiff_t i = 0; i < s->oh; i++, row += s->ow)
                    memcpy(row, x + (c * s->h + i + a) * s->w + e,
                           (size_t)s->ow * sizeof *row);
}

INLINE void conv_unrolled(const struct conv_shape *s, float *rows,
                          const struct simdbench_operands *operands)
{
    unroll_image(s, F32(0), rows);
    conv_all(F32(1), rows, s->c * s->r * s->s, F32(2), s->oh * s->ow, s->k);
}

/* A twin: there is room for the rows. */
RUN(l42)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    conv_unrolled(&s, state, operands);
}

/* Each call asks the system for that room. */
RUN(l07)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    const size_t bytes = (size_t)(s.c * s.r * s.s * s.oh * s.ow) * sizeof(float);
    float *const rows =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rows == MAP_FAILED)
        return;
    conv_unrolled(&s, rows, operands);
    munmap(rows, bytes);
}
