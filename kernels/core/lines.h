/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a tile that is computed in registers: the rows of A in gemm, the pixels of x
 * in conv. Line i = 8 j + r begins at base[j] + r * s1. An address of x86 is a sum with a
 * small multiple of a register, so odd multiples of the distance in registers (s1, s3 =
 * 3 * s1, s5, s7) reach eight lines from one base.
 */
#pragma once

#include "vector/vector.h"

/* An empty asm, after which the compiler does not know x: it would make a pointer for
 * each line and spill them. */
#define HIDE(x) __asm__("" : "+r"(x))

/* LINES_<n>(X, u): X(u, i, i / 8, i % 8) for n lines, written out by the preprocessor. */
/* clang-format off */
#define LINES_2(X, u) X(u, 0, 0, 0) X(u, 1, 0, 1)
#define LINES_3(X, u) LINES_2(X, u) X(u, 2, 0, 2)
#define LINES_4(X, u) LINES_3(X, u) X(u, 3, 0, 3)
#define LINES_5(X, u) LINES_4(X, u) X(u, 4, 0, 4)
#define LINES_6(X, u) LINES_5(X, u) X(u, 5, 0, 5)
#define LINES_7(X, u) LINES_6(X, u) X(u, 6, 0, 6)
#define LINES_9(X, u) LINES_7(X, u) X(u, 7, 0, 7) X(u, 8, 1, 0)
#define LINES_12(X, u) LINES_9(X, u) X(u, 9, 1, 1) X(u, 10, 1, 2) X(u, 11, 1, 3)
#define LINES_14(X, u) LINES_12(X, u) X(u, 12, 1, 4) X(u, 13, 1, 5)
#define LINES_24(X, u) \
    LINES_14(X, u) X(u, 14, 1, 6) X(u, 15, 1, 7) \
    X(u, 16, 2, 0) X(u, 17, 2, 1) X(u, 18, 2, 2) X(u, 19, 2, 3) \
    X(u, 20, 2, 4) X(u, 21, 2, 5) X(u, 22, 2, 6) X(u, 23, 2, 7)
#define LINES_28(X, u) \
    LINES_24(X, u) X(u, 24, 3, 0) X(u, 25, 3, 1) X(u, 26, 3, 2) X(u, 27, 3, 3)
/* clang-format on */

/* r * s1 for r up to 7. */
#define LINE_OFFSET(r, s1, s3, s5, s7) \
    ((r) == 0   ? 0                    \
     : (r) == 1 ? s1                   \
     : (r) == 2 ? 2 * s1               \
     : (r) == 3 ? s3                   \
     : (r) == 4 ? 4 * s1               \
     : (r) == 5 ? s5                   \
     : (r) == 6 ? 2 * s3               \
                : s7)

/* The same as text of x86's asm, which has LINE_OPERANDS: where line r begins. */
#define AT_0 "(%[p])"
#define AT_1 "(%[p],%[s1])"
#define AT_2 "(%[p],%[s1],2)"
#define AT_3 "(%[p],%[s3])"
#define AT_4 "(%[p],%[s1],4)"
#define AT_5 "(%[p],%[s5])"
#define AT_6 "(%[p],%[s3],2)"
#define AT_7 "(%[p],%[s7])"
#define LINE_OPERANDS(j)                                                      \
    [p] "r"(base[j]), [s1] "r"(s1), [s3] "r"(s3), [s5] "r"(s5), [s7] "r"(s7), \
        LINE_MEMORY(j)
/* The memory that asm reads, from base[j] on. */
#define LINE_MEMORY(j) "m"(*(const T(*)[1 << 20]) base[j])
/* Its element u, of type T. */
#define LINE_ELEMENT(u, r) #u "*" TEXT(OF(BYTES)) AT_##r
