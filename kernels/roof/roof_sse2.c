/* SPDX-License-Identifier: Apache-2.0 */
#include "roof_legacy.h"

#define VECTOR 16
#define LANES(size) (VECTOR / (size))
#define CLOBBERS XMM_CLOBBERS
#define ZERO(i) "pxor %%xmm" #i ", %%xmm" #i "\n\t"
#define ONES(i) "pcmpeqd %%xmm" #i ", %%xmm" #i "\n\t"
/* Only aligned memory can be an operand of a legacy instruction. */
#define XOR_MEMORY(at, i) "movdqu " at ", %%xmm8\n\tpxor %%xmm8, %%xmm" #i "\n\t"
#define XOR(i, j) "pxor %%xmm" #j ", %%xmm" #i "\n\t"
#define LOAD(at, i) "movups " at ", %%xmm" #i "\n\t"
#define STORE(i, at) "movups %%xmm" #i ", " at "\n\t"
#define STREAM(i, at) "movntps %%xmm" #i ", " at "\n\t"
#define LEAVE ""

#include "roof_body.h"

MIXES(f32, sse2, "ps")
MIXES(f64, sse2, "pd")
MEMORY(f32, sse2)
MEMORY(f64, sse2)

/* Integers: as gemm finds their maxima. */
REGISTERS(i32, sse2, add_max, 0, LOAD_ALL, ROWS_PAIRS, SLOW_MAX("paddd", "maxps"))
REGISTERS(i64, sse2, add_max, 0, LOAD_ALL, ROWS_PAIRS, SLOW_MAX("paddq", "maxpd"))
