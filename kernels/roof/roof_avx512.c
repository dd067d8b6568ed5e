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
#define LEAVE "vzeroupper\n\t"

#include "roof_body.h"

#define LOAD_ONE(size, i) LOAD(#i "*" TEXT(size) "(%[data])", i)
#define LOAD_ALL(size)                                                                  \
    LOAD_ONE(size, 0)                                                                   \
    LOAD_ONE(size, 1)                                                                   \
    LOAD_ONE(size, 2) LOAD_ONE(size, 3) LOAD_ONE(size, 4) LOAD_ONE(size, 5)             \
        LOAD_ONE(size, 6) LOAD_ONE(size, 7) LOAD_ONE(size, 8) LOAD_ONE(size, 9)         \
            LOAD_ONE(size, 10) LOAD_ONE(size, 11) LOAD_ONE(size, 12) LOAD_ONE(size, 13) \
                LOAD_ONE(size, 14) LOAD_ONE(size, 15) LOAD_ONE(size, 16)                \
                    LOAD_ONE(size, 17) LOAD_ONE(size, 18) LOAD_ONE(size, 19)            \
                        LOAD_ONE(size, 20) LOAD_ONE(size, 21) LOAD_ONE(size, 22)        \
                            LOAD_ONE(size, 23) LOAD("(%[y])", 31)

#define SIXTEEN(M, ...)    \
    M(0, 16, __VA_ARGS__)  \
    M(1, 17, __VA_ARGS__)  \
    M(2, 18, __VA_ARGS__)  \
    M(3, 19, __VA_ARGS__)  \
    M(4, 20, __VA_ARGS__)  \
    M(5, 21, __VA_ARGS__)  \
    M(6, 22, __VA_ARGS__)  \
    M(7, 23, __VA_ARGS__)  \
    M(8, 16, __VA_ARGS__)  \
    M(9, 17, __VA_ARGS__)  \
    M(10, 18, __VA_ARGS__) \
    M(11, 19, __VA_ARGS__) \
    M(12, 20, __VA_ARGS__) \
    M(13, 21, __VA_ARGS__) M(14, 22, __VA_ARGS__) M(15, 23, __VA_ARGS__)

/* Temporaries in 16 to 23, sixteen maxima in 0 to 15. */
#define PAIR(a, t, op, max)                                                           \
    op " %%zmm31, %%zmm31, %%zmm" #t "\n\t" max " %%zmm" #t ", %%zmm" #a ", %%zmm" #a \
       "\n\t"
/* As in roof_avx2.c: t = t / 2 + 1/2 needs no copy. Sixteen temporaries in 0 to 15. */
#define FMA(t, unused, s) "vfmadd213" s " %%zmm31, %%zmm31, %%zmm" #t "\n\t"
#define FMA_PAIR(t, a, s) \
    FMA(t, a, s) "vmax" s " %%zmm" #t ", %%zmm" #a ", %%zmm" #a "\n\t"

#define MIXES(type, s)                                                        \
    REGISTERS(type, avx512, add_max, 0.5, LOAD_ALL, 16,                       \
              SIXTEEN(PAIR, "vadd" s, "vmax" s))                              \
    REGISTERS(type, avx512, mul_max, 0.5, LOAD_ALL, 16,                       \
              SIXTEEN(PAIR, "vmul" s, "vmax" s))                              \
    REGISTERS(type, avx512, fma_max, 0.5, LOAD_ALL, 16, SIXTEEN(FMA_PAIR, s)) \
    REGISTERS(type, avx512, fma, 0.5, LOAD_ALL, 16, SIXTEEN(FMA, s))

MIXES(f32, "ps")
MIXES(f64, "pd")
MEMORY(f32, avx512)
MEMORY(f64, avx512)
