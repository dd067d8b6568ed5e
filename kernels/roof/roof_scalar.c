/* SPDX-License-Identifier: Apache-2.0 */
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

#include "roof_body.h"

MIXES(f32, scalar, "ss")
MIXES(f64, scalar, "sd")
MEMORY(f32, scalar)
MEMORY(f64, scalar)
