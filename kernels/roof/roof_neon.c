/* SPDX-License-Identifier: Apache-2.0 */
#define R(s, i) "v" #i "." s
#include "roof_arm.h"

/* Memory goes through pairs of registers, 0 and 16 to 7 and 23: only pairs are stored
 * past the caches. */
#define VECTOR 32
#define LANES(size) (16 / (size))
#define CLOBBERS V_CLOBBERS
#define SECOND_0 "16"
#define SECOND_1 "17"
#define SECOND_2 "18"
#define SECOND_3 "19"
#define SECOND_4 "20"
#define SECOND_5 "21"
#define SECOND_6 "22"
#define SECOND_7 "23"
#define BYTES(i) "v" i ".16b"
#define EOR(i, j) "eor " BYTES(i) ", " BYTES(i) ", " BYTES(j) "\n\t"
#define ZERO(i) "movi " BYTES(#i) ", #0\n\tmovi " BYTES(SECOND_##i) ", #0\n\t"
#define ONES(i) "movi " BYTES(#i) ", #255\n\tmovi " BYTES(SECOND_##i) ", #255\n\t"
#define XOR_MEMORY(at, i) "ldp q24, q25, " at "\n\t" EOR(#i, "24") EOR(SECOND_##i, "25")
#define XOR(i, j) EOR(#i, #j) EOR(SECOND_##i, SECOND_##j)
#define PAIR(op, i, at) op " q" #i ", q" SECOND_##i ", " at "\n\t"
#define LOAD(at, i) PAIR("ldp", i, at)
#define STORE(i, at) PAIR("stp", i, at)
#define STREAM(i, at) PAIR("stnp", i, at)
#define LEAVE ""

#include "roof_body.h"

#define FMAS(type, s) REGISTERS(type, neon, fma, 0.5, LOAD_ALL, 16, SIXTEEN(FMA, s))

MIXES(f32, neon, "4s")
FMAS(f32, "4s")
MIXES(f64, neon, "2d")
FMAS(f64, "2d")
MEMORY(f32, neon)
MEMORY(f64, neon)

/* Integers: as gemm finds their maxima. */
#define INTEGER_SUM(s, t) THREE("add", s, t, 31, 31)
#define INTEGER_MAX(s, t, a) THREE("smax", s, a, a, t)
REGISTERS(i32, neon, add_max, 0.5, LOAD_ALL, 16,
          SIXTEEN_PAIRS(INTEGER_SUM, INTEGER_MAX, "4s"))
REGISTERS(i64, neon, add_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(INTEGER_SUM, MAX, "2d"))
