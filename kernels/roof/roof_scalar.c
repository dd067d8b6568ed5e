/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#include "roof_legacy.h"

/* Memory goes through general registers, eight bytes at a time: r8 to r15. */
#define VECTOR 8
#define LANES(size) 1
#define CLOBBERS XMM_CLOBBERS, "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
#define R0 "%%r8"
#define R1 "%%r9"
#define R2 "%%r10"
#define R3 "%%r11"
#define R4 "%%r12"
#define R5 "%%r13"
#define R6 "%%r14"
#define R7 "%%r15"
#define ZERO(i) "xor " R##i ", " R##i "\n\t"
#define XOR_MEMORY(at, i) "xor " at ", " R##i "\n\t"
#define XOR(i, j) "xor " R##j ", " R##i "\n\t"
#define LOAD(at, i) "mov " at ", " R##i "\n\t"
#define STORE(i, at) "mov " R##i ", " at "\n\t"
#define STREAM(i, at) "movnti " R##i ", " at "\n\t"
#define LEAVE ""

#elif defined(__aarch64__)
#define R(s, i) s #i
#include "roof_arm.h"

/* Memory goes through pairs of general registers, 16 bytes at a time: x2 and x10 to x9
 * and x17. */
#define VECTOR 16
#define LANES(size) 1
#define CLOBBERS                                                                     \
    V_CLOBBERS, "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", \
        "x13", "x14", "x15", "x16", "x17", "x19", "x20"
#define A0 "x2"
#define A1 "x3"
#define A2 "x4"
#define A3 "x5"
#define A4 "x6"
#define A5 "x7"
#define A6 "x8"
#define A7 "x9"
#define B0 "x10"
#define B1 "x11"
#define B2 "x12"
#define B3 "x13"
#define B4 "x14"
#define B5 "x15"
#define B6 "x16"
#define B7 "x17"
#define EOR(i, j) "eor " i ", " i ", " j "\n\t"
#define ZERO(i) "mov " A##i ", #0\n\tmov " B##i ", #0\n\t"
#define XOR_MEMORY(at, i) "ldp x19, x20, " at "\n\t" EOR(A##i, "x19") EOR(B##i, "x20")
#define XOR(i, j) EOR(A##i, A##j) EOR(B##i, B##j)
#define PAIR(op, i, at) op " " A##i ", " B##i ", " at "\n\t"
#define LOAD(at, i) PAIR("ldp", i, at)
#define STORE(i, at) PAIR("stp", i, at)
#define STREAM(i, at) PAIR("stnp", i, at)
#define LEAVE ""
#endif

#include "roof_body.h"

#if defined(__x86_64__)
MIXES(f32, scalar, "ss")
MIXES(f64, scalar, "sd")
#elif defined(__aarch64__)
#define PRODUCT_AND_SUM(type, s) \
    REGISTERS(type, scalar, mul_add, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(PRODUCT, ADD, s))
MIXES(f32, scalar, "s")
PRODUCT_AND_SUM(f32, "s")
MIXES(f64, scalar, "d")
PRODUCT_AND_SUM(f64, "d")
#endif
MEMORY(f32, scalar)
MEMORY(f64, scalar)
