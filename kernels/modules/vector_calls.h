/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that call a vector function of a library, y = f(x), once per vector: the loop of
 * each instruction set, and the row. The last elements go through a vector of their own.
 *
 * VECTOR_ROW(op, type, isa, variant, ulp, function) defines, for the function of that
 * name, which promises that error, the pointer that library_load is to set
 * (VECTOR_SYMBOL) and a kernel (VECTOR_KERNEL). type is f32 or f64; isa is sse2, avx2 or
 * avx512.
 */
#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "simdbench.h"

#define VECTOR_LOOP(type, isa, element, vector, features, load, store)                \
    typedef vector vector_##type##_##isa(vector);                                     \
    __attribute__((target(features), unused)) static void vector_loop_##type##_##isa( \
        const struct simdbench_operands *operands, vector_##type##_##isa *call)       \
    {                                                                                 \
        enum { WIDTH = sizeof(vector) / sizeof(element) };                            \
        const element *x = operands->operand[0]->data;                                \
        element *y = operands->operand[1]->data;                                      \
        const uint64_t n = operands->operand[1]->count, whole = n - n % WIDTH;        \
        for (uint64_t i = 0; i < whole; i += WIDTH)                                   \
            store(y + i, call(load(x + i)));                                          \
        if (whole < n) {                                                              \
            element last[WIDTH] = {0};                                                \
            memcpy(last, x + whole, (n - whole) * sizeof(element));                   \
            store(last, call(load(last)));                                            \
            memcpy(y + whole, last, (n - whole) * sizeof(element));                   \
        }                                                                             \
    }

VECTOR_LOOP(f32, sse2, float, __m128, "sse2", _mm_loadu_ps, _mm_storeu_ps)
VECTOR_LOOP(f64, sse2, double, __m128d, "sse2", _mm_loadu_pd, _mm_storeu_pd)
VECTOR_LOOP(f32, avx2, float, __m256, "avx2", _mm256_loadu_ps, _mm256_storeu_ps)
VECTOR_LOOP(f64, avx2, double, __m256d, "avx2", _mm256_loadu_pd, _mm256_storeu_pd)
VECTOR_LOOP(f32, avx512, float, __m512, "avx512f", _mm512_loadu_ps, _mm512_storeu_ps)
VECTOR_LOOP(f64, avx512, double, __m512d, "avx512f", _mm512_loadu_pd, _mm512_storeu_pd)

#define VECTOR_TYPE_f32 SIMDBENCH_F32
#define VECTOR_TYPE_f64 SIMDBENCH_F64

#define VECTOR_ROW(op_, type_, isa_, variant_, ulp_, function)                         \
    static vector_##type_##_##isa_ *call_##function;                                   \
    static void run_##function(const struct simdbench_operands *operands, void *state) \
    {                                                                                  \
        vector_loop_##type_##_##isa_(operands, call_##function);                       \
    }                                                                                  \
    static const struct simdbench_kernel kernel_##function = {                         \
        .size = sizeof kernel_##function,                                              \
        .type = VECTOR_TYPE_##type_,                                                   \
        .op = #op_,                                                                    \
        .isa = #isa_,                                                                  \
        .variant = #variant_,                                                          \
        .run = run_##function,                                                         \
        .max_ulp = ulp_,                                                               \
    };
#define VECTOR_SYMBOL(op_, type_, isa_, variant_, ulp_, function) \
    {#function, &call_##function},
#define VECTOR_KERNEL(op_, type_, isa_, variant_, ulp_, function) &kernel_##function,
