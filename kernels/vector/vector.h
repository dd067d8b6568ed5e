/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for bodies that are compiled once for each element type on each instruction set.
 * T is the element type: f32, f64, i32 or i64. A file defines it and includes a body,
 * which undefines it at its end:
 *
 *   #include "vector/vector_avx2.h"
 *   #define T f32
 *   #include "gemm_body.h"
 *   #define T f64
 *   #include "gemm_body.h"
 *
 * OF(name) is name_f32 where T is f32: OF(load) is load_f32. Bodies write sums and
 * products of floats, and shifts of their bits, with the operators of C. The files
 * vector_<isa>.h define for each type:
 *
 *   vector_f32                    a register of elements
 *   load, store                   memory of any alignment
 *   splat(x)                      x in all lanes
 *   max(a, b), min(a, b)          b if one is a NaN or both are zeros. (NEON: the number
 *                                 if one is a NaN; either zero)
 *
 * for i32 and i64:
 *
 *   add(a, b)                     a + b; the vector types of x86 do not know their lanes
 *
 *   load_first, store_first       as below; with AVX-512 alone
 *
 * for f32 and f64:
 *
 *   bits_f32                      the same register as unsigned integers
 *   as_bits(v), as_vector(bits)   from one to the other; bits stay as they are
 *   multiply_add(a, b, c)         a * b + c, rounded once where HAS_FMA is defined
 *   if_less(a, b, yes, no)        a < b ? yes : no, in each lane
 *   if_different(a, b, yes, no)   a != b ? yes : no
 *   matches(a, b)                 a bit for each lane where a == b, the first one lowest
 *   magnitude(v)                  |v|
 *   with_sign(v, s)               v >= 0 with the sign of s
 *   sum_lanes(v), max_lanes(v)    of all lanes, a number
 *   evens(a, b), odds(a, b)       every other lane of a, then of b, from the first or
 *                                 from the second one on
 *   following(a, b)               the lanes of a from the second one on, then the first
 *                                 one of b
 *   stream(p, v)                  a non-temporal store to aligned memory; HAS_STREAM is
 *                                 defined where there is one, on x86
 *   load_first(p, n)              the first n elements, less than all; the others are 0
 *   store_first(p, v, n)          these elements alone
 *
 * for f32 alone:
 *
 *   widen(v, wide), narrow(wide)  to and from as many lanes of f64
 *
 * for i32 alone:
 *
 *   any_negative(p)               whether one of p[0] to p[SIGNS_TOGETHER - 1] is
 *
 * and HIDE_VECTOR(v), an empty asm, after which the compiler does not know v.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef float f32;
typedef double f64;
typedef int32_t i32;
typedef int64_t i64;
/* An unsigned integer of the same size. */
typedef uint32_t word_f32;
typedef uint64_t word_f64;

#define OF(name) OF_TYPE(name, T)
#define OF_TYPE(name, type) OF_JOINED(name, type)
#define OF_JOINED(name, type) name##_##type
/* The integer of T's size, and a name for it. */
#define INTEGER_f32 i32
#define INTEGER_f64 i64
#define OF_INTEGER(name) OF_TYPE(name, OF(INTEGER))

/* For #if and for asm; elsewhere sizeof(T) does. */
#define BYTES_f32 4
#define BYTES_f64 8
#define BYTES_i32 4
#define BYTES_i64 8
#define IS_INTEGER_f32 0
#define IS_INTEGER_f64 0
#define IS_INTEGER_i32 1
#define IS_INTEGER_i64 1
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x

#define VEC OF(vector)
#define LANES ((int)(sizeof(VEC) / sizeof(T)))
#define LOAD OF(load)
#define STORE OF(store)
#define STREAM OF(stream)
#define SPLAT OF(splat)
#define MAX OF(max)
#define MIN OF(min)
#define MULTIPLY_ADD OF(multiply_add)
#define IF_LESS OF(if_less)

/* Inlined by every compiler at every level, as the intrinsics are. `unused`: no file
 * calls all of them, and compilers warn of static functions that nobody calls. */
#define INLINE static inline __attribute__((always_inline, unused))

/* load_first and store_first where there are no masks. */
#define FIRST_BY_COPIES(t)                                       \
    INLINE vector_##t load_first_##t(const t *p, ptrdiff_t n)    \
    {                                                            \
        vector_##t v = splat_##t(0);                             \
        memcpy(&v, p, (size_t)n * sizeof *p);                    \
        return v;                                                \
    }                                                            \
    INLINE void store_first_##t(t *p, vector_##t v, ptrdiff_t n) \
    {                                                            \
        memcpy(p, &v, (size_t)n * sizeof *p);                    \
    }
