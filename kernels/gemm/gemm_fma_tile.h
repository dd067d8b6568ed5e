/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PRODUCTS by FMA in tiles of two vectors, in asm for x86. The file that includes it
 * defines
 *
 * REGISTER         the constraint of a vector register
 * FMA_OPERANDS(j)  the operands of asm that LINE_ELEMENT and `one` need
 * LOADED           rows that load their element twice, where the form is RELOAD
 *
 * An fma overwrites one of its factors, so each row but the last two needs a copy of its
 * element: a move, which Zen 5 counts among the few vector instructions that it begins in
 * a cycle, or another load, which costs Zen 4 more. LOADED is such that a k-step has as
 * many loads as the core has room for while it computes, two in a cycle. The last two
 * rows overwrite the vectors of B instead, and the very last reads one of them from
 * memory again.
 */
#pragma once

#include "gemm_tile.h"

#define FLOAT_f32 "s"
#define FLOAT_f64 "d"
#define FLOAT_i32 "s"
#define FLOAT_i64 "d"
#define SPREAD(u, r, to) "vbroadcasts" OF(FLOAT) " " LINE_ELEMENT(u, r) ", %[" #to "]\n\t"
#define FMA_INTO(to, b) "vfmadd213p" OF(FLOAT) " %[" #b "], %[one], %[" #to "]\n\t"
#define FMA_PRODUCTS(u, i, j, r)                                                       \
    if (vectors == 1)                                                                  \
        __asm__(SPREAD(u, r, x) FMA_INTO(x, b)                                         \
                : [x] "=&" REGISTER(t[0])                                              \
                : [b] REGISTER(bv[0]), FMA_OPERANDS(j));                               \
    else if (i == rows - 1) {                                                          \
        __asm__(SPREAD(u, r, x) FMA_INTO(b, x) FMA_INTO(x, m)                          \
                : [b] "+" REGISTER(bv[0]), [x] "=&" REGISTER(t[1])                     \
                : [m] "m"(*(const T(*)[LANES])(bu + LANES)), FMA_OPERANDS(j));         \
        t[0] = bv[0];                                                                  \
    } else if (i == rows - 2) {                                                        \
        __asm__(SPREAD(u, r, x) FMA_INTO(c, x) FMA_INTO(x, b)                          \
                : [x] "=&" REGISTER(t[0]), [c] "+" REGISTER(bv[1])                     \
                : [b] REGISTER(bv[0]), FMA_OPERANDS(j));                               \
        t[1] = bv[1];                                                                  \
    } else if (gemm_form_reload(form) && i < LOADED)                                   \
        __asm__(SPREAD(u, r, x) SPREAD(u, r, y) FMA_INTO(x, b) FMA_INTO(y, c)          \
                : [x] "=&" REGISTER(t[0]), [y] "=&" REGISTER(t[1])                     \
                : [b] REGISTER(bv[0]), [c] REGISTER(bv[1]), FMA_OPERANDS(j));          \
    else                                                                               \
        __asm__(SPREAD(u, r, x) "vmovaps %[x], %[y]\n\t" FMA_INTO(x, b) FMA_INTO(y, c) \
                : [x] "=&" REGISTER(t[0]), [y] "=&" REGISTER(t[1])                     \
                : [b] REGISTER(bv[0]), [c] REGISTER(bv[1]), FMA_OPERANDS(j))
