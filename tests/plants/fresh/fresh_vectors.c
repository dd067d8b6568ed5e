/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX2 whose loops are filters, scans and sums. */
#include <immintrin.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fresh.h"

/* ---- scan, bytes ---- */

enum { BLOCK = 256 };

typedef __m256i match(__m256i bytes);

INLINE __m256i newline(__m256i bytes)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
}

/* Newlines in [text, text + bytes), a block of vectors at a time. */
INLINE int32_t scan(const char *text, ptrdiff_t bytes, match *is_wanted)
{
    __m256i lines = _mm256_setzero_si256();
    for (ptrdiff_t i = 0; i < bytes; i += BLOCK) {
        __m256i part = _mm256_setzero_si256();
        UNROLL
        for (int v = 0; v < BLOCK; v += 32)
            part = _mm256_sub_epi8(
                part, is_wanted(_mm256_loadu_si256((const __m256i *)(text + i + v))));
        lines = _mm256_add_epi64(lines, _mm256_sad_epu8(part, _mm256_setzero_si256()));
    }
    int64_t count[4];
    _mm256_storeu_si256((__m256i *)count, lines);
    return (int32_t)(count[0] + count[1] + count[2] + count[3]);
}

/* Sound. */
RUN(f60)
{
    I32(1)[0] = scan(operands->operand[0]->data, 4 * DIM(0), newline);
}

/* Sound: the same, at a shape that is in no cache. */
RUN(f83)
{
    I32(1)[0] = scan(operands->operand[0]->data, 4 * DIM(0), newline);
}

static __m256i line_end(__m256i bytes)
{
    FORGET;
    return newline(bytes);
}

/* A function that a pointer points to looks at each vector. */
RUN(f11)
{
    match *callback = line_end;
    HIDE(callback);
    I32(1)[0] = scan(operands->operand[0]->data, 4 * DIM(0), callback);
}

/* A mark of seven bytes is before the text, which is read from its first byte on. */
RUN(f13)
{
    enum { MARK = 7 };
    const char *const text = operands->operand[0]->data;
    const ptrdiff_t bytes = 4 * DIM(0), blocks = (bytes - MARK) / BLOCK * BLOCK;
    int32_t lines = scan(text + MARK, blocks, newline);
    for (ptrdiff_t i = 0; i < MARK; i++)
        lines += text[i] == '\n';
    ptrdiff_t i = MARK + blocks;
    for (; i + 32 <= bytes; i += 32)
        lines += __builtin_popcount((unsigned)_mm256_movemask_epi8(
            newline(_mm256_loadu_si256((const __m256i *)(text + i)))));
    for (; i < bytes; i++)
        lines += text[i] == '\n';
    I32(1)[0] = lines;
}

/* Half a register at a time. */
RUN(f12)
{
    const ptrdiff_t m = DIM(0);
    const char *const text = operands->operand[0]->data;
    const __m128i wanted = _mm_set1_epi8('\n');
    __m128i lines = _mm_setzero_si128();
    for (ptrdiff_t i = 0; i < 4 * m; i += BLOCK) {
        __m128i part = _mm_setzero_si128();
        UNROLL
        for (int v = 0; v < BLOCK; v += 16)
            part = _mm_sub_epi8(
                part,
                _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(text + i + v)), wanted));
        lines = _mm_add_epi64(lines, _mm_sad_epu8(part, _mm_setzero_si128()));
    }
    I32(1)[0] = (int32_t)(_mm_cvtsi128_si64(lines) + _mm_extract_epi64(lines, 1));
}

/* ---- norm, f32 ---- */

INLINE __m256 some(const float *x, ptrdiff_t count)
{
    const __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(x,
                              _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), place));
}

INLINE __m256 row_squares(const float *x, ptrdiff_t n)
{
    __m256 sum[8] = {{0}};
    const ptrdiff_t first = -((intptr_t)x >> 2) & 7;
    ptrdiff_t i = first < n ? first : n;
    const __m256 head = some(x, i);
    sum[1] = _mm256_mul_ps(head, head);
    for (; i + 64 <= n; i += 64)
        UNROLL
    for (int v = 0; v < 8; v++) {
        const __m256 part = _mm256_loadu_ps(x + i + v * 8L);
        sum[v] = _mm256_fmadd_ps(part, part, sum[v]);
    }
    for (; i < n; i += 8) {
        const __m256 part = some(x + i, n - i);
        sum[0] = _mm256_fmadd_ps(part, part, sum[0]);
    }
    UNROLL
    for (int v = 1; v < 8; v++)
        sum[0] = _mm256_add_ps(sum[0], sum[v]);
    return sum[0];
}

INLINE float length(__m256 squares)
{
    __m128 sum =
        _mm_add_ps(_mm256_castps256_ps128(squares), _mm256_extractf128_ps(squares, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    sum = _mm_add_ss(sum, _mm_movehdup_ps(sum));
    return _mm_cvtss_f32(_mm_sqrt_ss(sum));
}

/* Sound: vectors begin at multiples of their size. */
RUN(f61)
{
    const ptrdiff_t m = DIM(0);
    const ptrdiff_t n = DIM(1);
    for (ptrdiff_t i = 0; i < m; i++)
        F32(1)[i] = length(row_squares(F32(0) + i * n, n));
}

INLINE __m256 short_row(const float *x)
{
    __m256 sum = _mm256_setzero_ps();
    UNROLL
    for (int v = 0; v < 4; v++) {
        const __m256 part = _mm256_loadu_ps(x + v * 8L);
        sum = _mm256_fmadd_ps(part, part, sum);
    }
    return sum;
}

/* A twin: rows of 32. */
RUN(f62)
{
    const float *const x = F32(0);
    float *const y = F32(1);
    const ptrdiff_t m = DIM(0);
    for (ptrdiff_t i = 0; i < m; i++)
        y[i] = length(short_row(x + i * 32));
}

/* Code for SSE ends a sum, in a register whose upper half is in use. */
RUN(f14)
{
    const float *const x = F32(0);
    float *const y = F32(1), part[8] __attribute__((aligned(32)));
    const ptrdiff_t m = DIM(0);
    __m256 used = _mm256_set1_ps(1);
    HIDE_VECTOR(used);
    for (ptrdiff_t i = 0; i < m; i++) {
        _mm256_store_ps(part, short_row(x + i * 32));
        __asm__ volatile("movaps (%2), %x0\n\t"
                         "addps 16(%2), %x0\n\t"
                         "haddps %x0, %x0\n\t"
                         "haddps %x0, %x0\n\t"
                         "sqrtss %x0, %x0\n\t"
                         "movss %x0, %1"
                         : "+x"(used), "=m"(y[i])
                         : "r"(part), "m"(part));
    }
}

/* ---- decay, f32 ---- */

/* 64 channels at a time; `silence` is added to each element. */
INLINE void decay(const struct simdbench_operands *operands, float silence)
{
    const ptrdiff_t n = DIM(0);
    const ptrdiff_t c = DIM(1);
    __m256 more = _mm256_set1_ps(silence), divisor = _mm256_set1_ps(1 / 0.9F);
    HIDE_VECTOR(more);
    HIDE_VECTOR(divisor);
    for (ptrdiff_t j = 0; j < c; j += 64) {
        const float *x = F32(0) + j;
        float *y = F32(1) + j;
        __m256 echo[8] = {{0}};
        for (ptrdiff_t t = 0; t < n; t++, x += c, y += c)
            UNROLL
        for (int v = 0; v < 8; v++) {
            echo[v] = _mm256_add_ps(_mm256_div_ps(echo[v], divisor),
                                    _mm256_add_ps(_mm256_loadu_ps(x + v * 8L), more));
            _mm256_storeu_ps(y + v * 8L, echo[v]);
        }
    }
}

RUN(f15)
{
    decay(operands, 0);
}

/* A twin: silence is not quite zero. */
RUN(f63)
{
    decay(operands, 1e-15F);
}

/* ---- axpy, f64 ---- */

INLINE void axpy(const struct simdbench_operands *operands)
{
    const ptrdiff_t n = DIM(0);
    const double *const x = F64(0), *const z = F64(1);
    double *const y = F64(2);
    for (ptrdiff_t i = 0; i < n; i += 16)
        UNROLL
    for (int v = 0; v < 16; v += 4)
        _mm256_storeu_pd(y + i + v,
                         _mm256_fmadd_pd(_mm256_loadu_pd(x + i + v), _mm256_set1_pd(1.5),
                                         _mm256_loadu_pd(z + i + v)));
}

/* Sound. */
RUN(f64)
{
    axpy(operands);
}

/* Sound: the same, at a shape that is in no cache. */
RUN(f82)
{
    axpy(operands);
}

struct epilogue {
    bool negate, square, clamp, add, scale, round, skip;
};

/* Flags say what is to be done, and are asked for each vector. */
RUN(f16)
{
    const ptrdiff_t n = DIM(0);
    const struct epilogue all = {.add = true, .scale = true}, *wanted = &all;
    const double *const x = F64(0), *const z = F64(1);
    double *const y = F64(2);
    HIDE(wanted);
    for (ptrdiff_t i = 0; i < n; i += 4) {
        __m256d value = _mm256_loadu_pd(x + i);
        FORGET;
        if (wanted->skip)
            continue;
        if (wanted->negate)
            value = _mm256_sub_pd(_mm256_setzero_pd(), value);
        if (wanted->square)
            value = _mm256_mul_pd(value, value);
        if (wanted->clamp)
            value = _mm256_max_pd(value, _mm256_setzero_pd());
        if (wanted->round)
            value = _mm256_round_pd(value, _MM_FROUND_TO_NEAREST_INT);
        if (wanted->scale)
            value = _mm256_mul_pd(value, _mm256_set1_pd(1.5));
        if (wanted->add)
            value = _mm256_add_pd(value, _mm256_loadu_pd(z + i));
        _mm256_storeu_pd(y + i, value);
    }
}

/* A short call reads its settings from the environment, and allocates a descriptor. */
RUN(f34)
{
    struct epilogue *const wanted = malloc(sizeof *wanted);
    const char *const threads = getenv("FRESH_PLANTS_NUMBER_OF_THREADS");
    if (!wanted)
        return;
    wanted->skip = threads && atoi(threads) < 0;
    FORGET;
    if (!wanted->skip)
        axpy(operands);
    free(wanted);
}

/* ---- fir, f32 ---- */

enum border { NO_BORDER, ASK };

/* The filter of 8 * `vectors` elements at a time. */
INLINE void fir(const int vectors, const enum border border,
                const struct simdbench_operands *operands)
{
    const float *const x = F32(0), *const w = F32(1);
    float *const y = F32(2);
    const ptrdiff_t n = DIM(0) * CHANNELS, step = 8L * vectors;
    for (ptrdiff_t i = 0; i < n; i += step) {
        __m256 sum[24];
        UNROLL
        for (int v = 0; v < vectors; v++)
            sum[v] = _mm256_setzero_ps();
#pragma GCC unroll 1
        for (ptrdiff_t t = 0; t < TAPS; t++) {
            const __m256 tap = _mm256_broadcast_ss(w + t);
            UNROLL
            for (int v = 0; v < vectors; v++) {
                ptrdiff_t at = i + t * CHANNELS + v * 8L, most = n + TAPS * CHANNELS;
                if (border == ASK) {
                    HIDE(at);
                    HIDE(most);
                    if (at < 0 || at + 8 > most)
                        continue;
                }
                sum[v] = _mm256_fmadd_ps(_mm256_loadu_ps(x + at), tap, sum[v]);
            }
        }
        UNROLL
        for (int v = 0; v < vectors; v++)
            _mm256_storeu_ps(y + i + v * 8L, sum[v]);
    }
}

/* Sound. */
RUN(f65)
{
    fir(12, NO_BORDER, operands);
}

/* More sums than there are registers. */
RUN(f18)
{
    fir(24, NO_BORDER, operands);
}

/* It asks for each product if a vector is inside. */
RUN(f19)
{
    fir(12, ASK, operands);
}

/* ---- comb, i32 ---- */

/* Sound: both rows are read. */
RUN(f73)
{
    const int32_t *const x = I32(0), *const late = x + DELAY * DIM(1);
    int32_t *const y = I32(1);
    const ptrdiff_t n = DIM(0) * DIM(1);
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < n; i += 8)
        _mm256_storeu_si256(
            (__m256i *)(y + i),
            _mm256_max_epi32(_mm256_loadu_si256((const __m256i *)(x + i)),
                             _mm256_loadu_si256((const __m256i *)(late + i))));
}
