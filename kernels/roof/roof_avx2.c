/* SPDX-License-Identifier: Apache-2.0 */
#define VECTOR 32
#define LANES(size) (VECTOR / (size))
#define CLOBBERS                                                                    \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define ZERO(i) "vpxor %%ymm" #i ", %%ymm" #i ", %%ymm" #i "\n\t"
#define ONES(i) "vpcmpeqd %%ymm" #i ", %%ymm" #i ", %%ymm" #i "\n\t"
#define XOR_MEMORY(at, i) "vpxor " at ", %%ymm" #i ", %%ymm" #i "\n\t"
#define XOR(i, j) "vpxor %%ymm" #j ", %%ymm" #i ", %%ymm" #i "\n\t"
#define LOAD(at, i) "vmovups " at ", %%ymm" #i "\n\t"
#define STORE(i, at) "vmovups %%ymm" #i ", " at "\n\t"
#define STREAM(i, at) "vmovntps %%ymm" #i ", " at "\n\t"
#define LEAVE "vzeroupper\n\t"

#include "roof_body.h"

#define LOAD_ONE(size, i) LOAD(#i "*" TEXT(size) "(%[data])", i)
/* clang-format off */
#define LOAD_ALL(size) \
    LOAD_ONE(size, 0) LOAD_ONE(size, 1) LOAD_ONE(size, 2) LOAD_ONE(size, 3) \
    LOAD_ONE(size, 4) LOAD_ONE(size, 5) LOAD_ONE(size, 6) LOAD_ONE(size, 7) \
    LOAD_ONE(size, 8) LOAD_ONE(size, 9) LOAD_ONE(size, 10) LOAD_ONE(size, 11) \
    LOAD_ONE(size, 12) LOAD_ONE(size, 13) LOAD_ONE(size, 14) LOAD("(%[y])", 15)
/* clang-format on */

/* Two operands and a result: temporaries in 10 to 13, ten maxima in 0 to 9. */
#define OP(op, t) op " %%ymm15, %%ymm15, %%ymm" #t "\n\t"
#define MAX(s, t, a) "vmax" s " %%ymm" #t ", %%ymm" #a ", %%ymm" #a "\n\t"
#define PAIRS(op, s, t, u, a, b) OP(op s, t) OP(op s, u) MAX(s, t, a) MAX(s, u, b)
/* clang-format off */
#define TEN_PAIRS(op, s) \
    PAIRS(op, s, 10, 11, 0, 1) PAIRS(op, s, 12, 13, 2, 3) PAIRS(op, s, 10, 11, 4, 5) \
    PAIRS(op, s, 12, 13, 6, 7) PAIRS(op, s, 10, 11, 8, 9)
/* clang-format on */

/* An FMA overwrites one of its three operands. t = t * y + y with y = 1/2 comes to rest
 * at 1, so no copy is needed to keep t from growing: a copy would be a third instruction
 * where six at once are just enough for two pairs. Ten temporaries in 0 to 9, because an
 * FMA takes four or five cycles and two start in each; each maximum takes the result of
 * four pairs before, which keeps all pipes busy even when another thread shares them. */
/* clang-format off */
#define FMA_PAIRS(s, t, u, from_t, from_u, a, b) \
    FMA(s, t) FMA(s, u) MAX(s, from_t, a) MAX(s, from_u, b)
#define TEN_FMA_PAIRS(s) \
    FMA_PAIRS(s, 0, 1, 6, 7, 10, 11) FMA_PAIRS(s, 2, 3, 8, 9, 12, 13) \
    FMA_PAIRS(s, 4, 5, 0, 1, 14, 10) FMA_PAIRS(s, 6, 7, 2, 3, 11, 12) \
    FMA_PAIRS(s, 8, 9, 4, 5, 13, 14)
/* clang-format on */
#define FMA(s, t) "vfmadd213" s " %%ymm15, %%ymm15, %%ymm" #t "\n\t"
/* clang-format off */
#define FOURTEEN(DO, s) \
    DO(s, 0) DO(s, 1) DO(s, 2) DO(s, 3) DO(s, 4) DO(s, 5) DO(s, 6) DO(s, 7) DO(s, 8) \
    DO(s, 9) DO(s, 10) DO(s, 11) DO(s, 12) DO(s, 13)
/* clang-format on */

#define MIXES(type, s)                                                                   \
    REGISTERS(type, avx2, add_max, 0.5, LOAD_ALL, 20,                                    \
              TEN_PAIRS("vadd", s) TEN_PAIRS("vadd", s))                                 \
    REGISTERS(type, avx2, mul_max, 0.5, LOAD_ALL, 20,                                    \
              TEN_PAIRS("vmul", s) TEN_PAIRS("vmul", s))                                 \
    REGISTERS(type, avx2, fma_max, 0.5, LOAD_ALL, 20, TEN_FMA_PAIRS(s) TEN_FMA_PAIRS(s)) \
    REGISTERS(type, avx2, fma, 0.5, LOAD_ALL, 14, FOURTEEN(FMA, s))                      \
    FMA_STUDIES(type, avx2, 14, FOURTEEN, s)

MIXES(f32, "ps")
MIXES(f64, "pd")
MEMORY(f32, avx2)
MEMORY(f64, avx2)

/* Integers: as gemm finds their maxima. */
#define TWENTY_SUMS(op) TEN_PAIRS(op, "") TEN_PAIRS(op, "")
#undef MAX
#define MAX(s, t, a) "vpmaxsd %%ymm" #t ", %%ymm" #a ", %%ymm" #a "\n\t"
REGISTERS(i32, avx2, add_max, 0.5, LOAD_ALL, 20, TWENTY_SUMS("vpaddd"))
#undef MAX
#define MAX(s, t, a) "vmaxpd %%ymm" #t ", %%ymm" #a ", %%ymm" #a "\n\t"
REGISTERS(i64, avx2, add_max, 0.5, LOAD_ALL, 20, TWENTY_SUMS("vpaddq"))
