/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files relu_<isa>.c share, whatever the type: the functions that are rows of
 * kernels.def.
 */
#ifndef SIMDBENCH_RELU_ROWS_H
#define SIMDBENCH_RELU_ROWS_H

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "relu.h"

enum relu_form { RELU_MAX, RELU_CMP_BLEND, RELU_AND_MASK };

/* RELU_FENCE() follows non-temporal stores. Those of ARM need none: other threads see
 * them as they see ordinary ones. */

/* Few elements one by one. The asm keeps compilers from a loop of vectors, with all its
 * tests, and from jumps. */
#if defined(__x86_64__)
#define RELU_FENCE _mm_sfence

static inline void few_f32(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __m128 value = _mm_max_ss(_mm_setzero_ps(), _mm_load_ss(x + i));
        __asm__("" : "+x"(value));
        _mm_store_ss(y + i, value);
    }
}

static inline void few_f64(const double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __m128d value = _mm_max_sd(_mm_setzero_pd(), _mm_load_sd(x + i));
        __asm__("" : "+x"(value));
        _mm_store_sd(y + i, value);
    }
}

#elif defined(__aarch64__)
#define RELU_FENCE() ((void)0)

static inline void few_f32(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float value = x[i] < 0 ? 0 : x[i];
        __asm__("" : "+w"(value));
        y[i] = value;
    }
}

static inline void few_f64(const double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value = x[i] < 0 ? 0 : x[i];
        __asm__("" : "+w"(value));
        y[i] = value;
    }
}
#endif

/* A statement for each vector of a turn of the loop, with its number u. */
#define EACH(statement)                                          \
    _Pragma("GCC unroll 16") for (size_t u = 0; u < UNROLL; u++) \
    {                                                            \
        statement;                                               \
    }

/* A statement on x, y and n of the operands. */
#define RELU_ROW(C, type, isa, variant, statement)                                  \
    void relu_##type##_##isa##_##variant(const struct simdbench_operands *operands, \
                                         void *state)                               \
    {                                                                               \
        const C *x = operands->operand[0]->data;                                    \
        C *y = operands->operand[1]->data;                                          \
        const size_t n = operands->operand[1]->count;                               \
        (void)state;                                                                \
        (void)x;                                                                    \
        statement                                                                   \
    }

/* The pathology `alloc`: what a library does that returns its results by value. Without
 * memory there is nothing to show, but still a result. */
#define RELU_ALLOC(C, type)                             \
    C *fresh = calloc(n, sizeof *fresh);                \
    ordinary_##type(x, fresh ? fresh : y, n, RELU_MAX); \
    if (fresh)                                          \
        memcpy(y, fresh, n * sizeof *fresh);            \
    free(fresh);

#define RELU_ROWS(C, type, isa)                                                          \
    RELU_ROW(C, type, isa, max, ordinary_##type(x, y, n, RELU_MAX);)                     \
    RELU_ROW(C, type, isa, inplace, ordinary_##type(y, y, n, RELU_MAX);)                 \
    RELU_ROW(C, type, isa, stream, past_caches_##type(x, y, n);)                         \
    RELU_ROW(C, type, isa, auto,                                                         \
             if (((const struct relu_auto *)state)->stream) past_caches_##type(x, y, n); \
             else ordinary_##type(x, y, n, RELU_MAX);)                                   \
    RELU_ROW(C, type, isa, three_pass, memcpy(y, x, n * sizeof *x);                      \
             ordinary_##type(y, y, n, RELU_MAX);)                                        \
    RELU_ROW(C, type, isa, alloc, RELU_ALLOC(C, type))

#endif
