/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for relu_body.h. */
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "relu.h"
#include "vector/vector.h"

enum relu_form { RELU_MAX, RELU_CMP_BLEND, RELU_AND_MASK };

/* fence() follows non-temporal stores. Those of ARM need none: other threads see them as
 * they see ordinary ones. few() takes few elements one by one: its asm keeps compilers
 * from a loop of vectors, with all its tests, and from jumps. */
#define FEW OF(few)
#if defined(__x86_64__)
#define FENCE _mm_sfence
/* x < 0 ? 0 : x of all lanes. */
#define RECTIFY(v) MAX(SPLAT(0), v)

#define FEW_OF(t, vec, s)                                       \
    static inline void few_##t(const t *x, t *y, size_t n)      \
    {                                                           \
        for (size_t i = 0; i < n; i++) {                        \
            vec v = _mm_max_##s((vec){0}, _mm_load_##s(x + i)); \
            __asm__("" : "+x"(v));                              \
            _mm_store_##s(y + i, v);                            \
        }                                                       \
    }

FEW_OF(f32, __m128, ss)
FEW_OF(f64, __m128d, sd)

#elif defined(__aarch64__)
#define FENCE() ((void)0)
#define RECTIFY OF(positive)

#define FEW_OF(t)                                          \
    static inline void few_##t(const t *x, t *y, size_t n) \
    {                                                      \
        for (size_t i = 0; i < n; i++) {                   \
            t value = x[i] < 0 ? 0 : x[i];                 \
            __asm__("" : "+w"(value));                     \
            y[i] = value;                                  \
        }                                                  \
    }

FEW_OF(f32)
FEW_OF(f64)
#endif

/* A statement for each vector of a turn of the loop, with its number u. */
#define EACH(statement)                                          \
    _Pragma("GCC unroll 16") for (size_t u = 0; u < UNROLL; u++) \
    {                                                            \
        statement;                                               \
    }

/* A row of kernels.def: a statement on x, y and n of the operands. */
#define RELU_ROW(variant, statement)                  \
    KERNEL_FUNCTION(relu, , variant)                  \
    {                                                 \
        const T *x = operands->operand[0]->data;      \
        T *y = operands->operand[1]->data;            \
        const size_t n = operands->operand[1]->count; \
        (void)x;                                      \
        statement                                     \
    }

/* The pathology `alloc`: what a library does that returns its results by value. Without
 * memory there is nothing to show, but still a result. */
#define RELU_ALLOC                                   \
    T *fresh = calloc(n, sizeof *fresh);             \
    OF(ordinary)(x, fresh ? fresh : y, n, RELU_MAX); \
    if (fresh)                                       \
        memcpy(y, fresh, n * sizeof *fresh);         \
    free(fresh);
