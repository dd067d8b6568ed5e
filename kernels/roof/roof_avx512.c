/* SPDX-License-Identifier: Apache-2.0 */
#define VECTOR 64
#define LANES(size) (VECTOR / (size))
#define CLOBBERS                                                                         \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",      \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", \
        "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
        "xmm28", "xmm29", "xmm30", "xmm31"
#define ZERO(i) "vpxorq %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
#define ONES(i) "vpternlogd $0xff, %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
#define XOR_MEMORY(at, i) "vpxorq " at ", %%zmm" #i ", %%zmm" #i "\n\t"
#define XOR(i, j) "vpxorq %%zmm" #j ", %%zmm" #i ", %%zmm" #i "\n\t"
#define LOAD(at, i) "vmovups " at ", %%zmm" #i "\n\t"
#define STORE(i, at) "vmovups %%zmm" #i ", " at "\n\t"
#define STREAM(i, at) "vmovntps %%zmm" #i ", " at "\n\t"
#define LEAVE "vzeroupper\n\t"

#include "roof_body.h"
#include "roof_registers.h"

#define LOAD_ONE(size, i) LOAD(#i "*" TEXT(size) "(%[data])", i)
#define LOAD_LAST LOAD("(%[y])", 31)

#define ADD(s, t) "vadd" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#define MULTIPLY(s, t) "vmul" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
/* As in roof_avx2.c: t = t / 2 + 1/2 needs no copy. */
#define FMA(s, t) "vfmadd213" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#define MAX(s, t, a) "vmax" s " %%zmm" #t ", %%zmm" #a ", %%zmm" #a "\n\t"

#define MIXES(type, s)                                                                   \
    REGISTERS(type, avx512, add_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(ADD, MAX, s))      \
    REGISTERS(type, avx512, mul_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(MULTIPLY, MAX, s)) \
    REGISTERS(type, avx512, fma_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(FMA, MAX, s))      \
    REGISTERS(type, avx512, fma, 0.5, LOAD_ALL, 16, SIXTEEN(FMA, s))                     \
    FMA_STUDIES(type, avx512, 16, SIXTEEN, s)

MIXES(f32, "ps")
MIXES(f64, "pd")
MEMORY(f32, avx512)
MEMORY(f64, avx512)

/* Integers. */
#define INTEGER_ADD(s, t) "vpadd" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#define INTEGER_MAX(s, t, a) "vpmaxs" s " %%zmm" #t ", %%zmm" #a ", %%zmm" #a "\n\t"
REGISTERS(i32, avx512, add_max, 0.5, LOAD_ALL, 16,
          SIXTEEN_PAIRS(INTEGER_ADD, INTEGER_MAX, "d"))
REGISTERS(i64, avx512, add_max, 0.5, LOAD_ALL, 16,
          SIXTEEN_PAIRS(INTEGER_ADD, INTEGER_MAX, "q"))
