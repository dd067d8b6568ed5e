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
#define ONES(i) "mov $-1, " R##i "\n\t"
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
#define ONES(i) "mov " A##i ", #-1\n\tmov " B##i ", #-1\n\t"
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

/* Integers, in general registers: a sum, a comparison and a conditional move. Numbers
 * that are the same in each call will do. */
#if defined(__x86_64__)
#define SUM_AND_MAX(t, a)                              \
    "lea (" INTEGER(15) "," INTEGER(15) "), " INTEGER( \
        t) "\n\t"                                      \
           "cmp " INTEGER(t) ", " INTEGER(a) "\n\t"    \
                                             "cmovl " INTEGER(t) ", " INTEGER(a) "\n\t"
#define LOAD_INTEGER(size, i) "mov " #i "*" TEXT(size) "(%[data]), " INTEGER(i) "\n\t"
/* clang-format off */
#define LOAD_INTEGERS(size) \
    LOAD_INTEGER(size, 8) LOAD_INTEGER(size, 9) LOAD_INTEGER(size, 10) \
    LOAD_INTEGER(size, 11) LOAD_INTEGER(size, 12) LOAD_INTEGER(size, 13) \
    LOAD_INTEGER(size, 14) "mov (%[y]), " INTEGER(15) "\n\t"
#define EIGHT_INTEGERS \
    SUM_AND_MAX(8, 11) SUM_AND_MAX(9, 12) SUM_AND_MAX(10, 13) SUM_AND_MAX(8, 14) \
    SUM_AND_MAX(9, 11) SUM_AND_MAX(10, 12) SUM_AND_MAX(8, 13) SUM_AND_MAX(9, 14)
/* clang-format on */
#define INTEGER_i32(i) "%%r" #i "d"
#define INTEGER_i64(i) "%%r" #i
#elif defined(__aarch64__)
#define SUM_AND_MAX(t, a)                                                                \
    "add " INTEGER(t) ", " INTEGER(17) ", " INTEGER(17) "\n\tcmp " INTEGER(              \
        a) ", " INTEGER(t) "\n\tcsel " INTEGER(a) ", " INTEGER(t) ", " INTEGER(a) ", "   \
                                                                                  "lt\n" \
                                                                                  "\t"
#define LOAD_INTEGER(size, i) "ldr " INTEGER(i) ", [%[data], #" #i "*" TEXT(size) "]\n\t"
/* clang-format off */
#define LOAD_INTEGERS(size) \
    LOAD_INTEGER(size, 2) LOAD_INTEGER(size, 3) LOAD_INTEGER(size, 4) \
    LOAD_INTEGER(size, 5) LOAD_INTEGER(size, 6) LOAD_INTEGER(size, 7) \
    LOAD_INTEGER(size, 8) LOAD_INTEGER(size, 9) "ldr " INTEGER(17) ", [%[y]]\n\t"
#define EIGHT_INTEGERS \
    SUM_AND_MAX(2, 6) SUM_AND_MAX(3, 7) SUM_AND_MAX(4, 8) SUM_AND_MAX(5, 9) \
    SUM_AND_MAX(2, 6) SUM_AND_MAX(3, 7) SUM_AND_MAX(4, 8) SUM_AND_MAX(5, 9)
/* clang-format on */
#define INTEGER_i32(i) "w" #i
#define INTEGER_i64(i) "x" #i
#endif
#define INTEGER(i) INTEGER_i32(i)
REGISTERS(i32, scalar, add_max, 0.5, LOAD_INTEGERS, 8, EIGHT_INTEGERS)
#undef INTEGER
#define INTEGER(i) INTEGER_i64(i)
REGISTERS(i64, scalar, add_max, 0.5, LOAD_INTEGERS, 8, EIGHT_INTEGERS)
