/* SPDX-License-Identifier: Apache-2.0 */
#define VECTOR 64
#define LANES(size) (VECTOR / (size))
#define CLOBBERS                                                                         \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",      \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", \
        "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
        "xmm28", "xmm29", "xmm30", "xmm31"
#define ZERO(i) "vpxorq %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
#define XOR_MEMORY(at, i) "vpxorq " at ", %%zmm" #i ", %%zmm" #i "\n\t"
#define XOR(i, j) "vpxorq %%zmm" #j ", %%zmm" #i ", %%zmm" #i "\n\t"
#define LOAD(at, i) "vmovups " at ", %%zmm" #i "\n\t"
#define STORE(i, at) "vmovups %%zmm" #i ", " at "\n\t"
#define STREAM(i, at) "vmovntps %%zmm" #i ", " at "\n\t"
#define LEAVE "vzeroupper\n\t"

#include "roof_body.h"

#define LOAD_ONE(size, i) LOAD(#i "*" TEXT(size) "(%[data])", i)
#define LOAD_FOUR(size, a, b, c, d) \
    LOAD_ONE(size, a) LOAD_ONE(size, b) LOAD_ONE(size, c) LOAD_ONE(size, d)
/* clang-format off */
#define LOAD_ALL(size) \
    LOAD_FOUR(size, 0, 1, 2, 3) LOAD_FOUR(size, 4, 5, 6, 7) \
    LOAD_FOUR(size, 8, 9, 10, 11) LOAD_FOUR(size, 12, 13, 14, 15) \
    LOAD_FOUR(size, 16, 17, 18, 19) LOAD_FOUR(size, 20, 21, 22, 23) \
    LOAD_FOUR(size, 24, 25, 26, 27) LOAD_ONE(size, 28) LOAD_ONE(size, 29) \
    LOAD_ONE(size, 30) LOAD("(%[y])", 31)
/* clang-format on */

/* Sixteen temporaries in 0 to 15 and fifteen maxima in 16 to 30. Fours of one kind and
 * then of the other keep all pipes busy even when another thread shares them. */
/* clang-format off */
#define FOUR_PAIRS(OP, s, t, u, v, w, a, b, c, d) \
    OP(s, t) OP(s, u) OP(s, v) OP(s, w) MAX(s, t, a) MAX(s, u, b) MAX(s, v, c) \
    MAX(s, w, d)
#define SIXTEEN_PAIRS(OP, s) \
    FOUR_PAIRS(OP, s, 0, 1, 2, 3, 16, 17, 18, 19) \
    FOUR_PAIRS(OP, s, 4, 5, 6, 7, 20, 21, 22, 23) \
    FOUR_PAIRS(OP, s, 8, 9, 10, 11, 24, 25, 26, 27) \
    FOUR_PAIRS(OP, s, 12, 13, 14, 15, 28, 29, 30, 16)
#define SIXTEEN_FMAS(s) \
    FMA(s, 0) FMA(s, 1) FMA(s, 2) FMA(s, 3) FMA(s, 4) FMA(s, 5) FMA(s, 6) FMA(s, 7) \
    FMA(s, 8) FMA(s, 9) FMA(s, 10) FMA(s, 11) FMA(s, 12) FMA(s, 13) FMA(s, 14) \
    FMA(s, 15)
/* clang-format on */

#define ADD(s, t) "vadd" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#define MULTIPLY(s, t) "vmul" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
/* As in roof_avx2.c: t = t / 2 + 1/2 needs no copy. */
#define FMA(s, t) "vfmadd213" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#define MAX(s, t, a) "vmax" s " %%zmm" #t ", %%zmm" #a ", %%zmm" #a "\n\t"

#define MIXES(type, s)                                                              \
    REGISTERS(type, avx512, add_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(ADD, s))      \
    REGISTERS(type, avx512, mul_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(MULTIPLY, s)) \
    REGISTERS(type, avx512, fma_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(FMA, s))      \
    REGISTERS(type, avx512, fma, 0.5, LOAD_ALL, 16, SIXTEEN_FMAS(s))

MIXES(f32, "ps")
MIXES(f64, "pd")
MEMORY(f32, avx512)
MEMORY(f64, avx512)

/* Integers. */
#define INTEGER_ADD(s, t) "vpadd" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#undef MAX
#define MAX(s, t, a) "vpmaxs" s " %%zmm" #t ", %%zmm" #a ", %%zmm" #a "\n\t"
REGISTERS(i32, avx512, add_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(INTEGER_ADD, "d"))
REGISTERS(i64, avx512, add_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(INTEGER_ADD, "q"))
