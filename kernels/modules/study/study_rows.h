/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `study`: rows that studies contrast, each spoilt in one known way, beside the
 * sound row that it is told from. study.def has them all. Files named after an op are
 * compiled once for each instruction set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simdbench.h"

/* Ops of the module, ending with NULL (study_ops.c). */
extern const struct simdbench_op *const study_ops[];

#define STUDY_RUN(name) void name(const struct simdbench_operands *operands, void *state)

#define STUDY_SYMBOL(op, semiring, isa, variant) STUDY_PASTE(op, semiring, isa, variant)
#define STUDY_PASTE(op, semiring, isa, variant) op##_##semiring##_##isa##_##variant

/* Begins the definition of a row in a file for instruction set ISA. */
#define STUDY_ROW(op, semiring, variant) \
    STUDY_RUN(STUDY_SYMBOL(op, semiring, ISA, variant))

/* ---- hooks of rows ---- */

#define STUDY_PREPARE(name)                                                        \
    int name(const struct simdbench_operands *operands, void **state, char *error, \
             size_t error_size)
#define STUDY_CHOICE(name)                                                  \
    void name(const struct simdbench_operands *operands, const void *state, \
              struct simdbench_choice *choice)
#define STUDY_HOOKS(name)          \
    STUDY_PREPARE(name##_prepare); \
    void name##_release(void *);   \
    STUDY_CHOICE(name##_choice);

#define ROW(op, semiring, isa, variant, hooks, roof, flags) \
    STUDY_RUN(STUDY_SYMBOL(op, semiring, isa, variant));    \
    STUDY_HOOKS(hooks)
#include "study.def"

/* A callback that does nothing, for rows that call one before and after (study.c). */
typedef void study_hook_function(const struct simdbench_operands *operands);
void study_hook(const struct simdbench_operands *operands);

/* ---- blocks of relu and gemm (study_heap.c) ---- */

/* A block has so many rows of A, columns of B and k-steps. */
struct study_tiles {
    ptrdiff_t rows, columns, depth;
};

enum { TILES_ROWS = 256, TILES_COLUMNS = 256, TILES_DEPTH = 512 };

/* Packed blocks: as large for small tiles as for large ones, so that rows with other
 * tiles have the same memory. */
#define STUDY_BLOCK_A (sizeof(float[TILES_ROWS * TILES_DEPTH]))
#define STUDY_BLOCK_B (sizeof(float[TILES_COLUMNS * TILES_DEPTH]))

/* State of rows that keep blocks from call to call. */
struct study_blocks {
    float *a, *b;
};

/* ---- what malloc does with the blocks of a call (study_heap.c) ---- */

/* glibc learns from the largest block that a process has freed: from then on blocks up to
 * its size come from the heap, whose free end goes back to the system once it is twice as
 * large. So the cost of two blocks depends on all that the process did before. This sets
 * what it would have learnt if nothing larger than `largest` bytes was ever freed, unless
 * the process was told to keep its heap. Rows call it before they allocate; heap_look()
 * comes before, outside of timed calls. Freed blocks over HEAP_MOST teach it nothing. */
#define HEAP_MOST ((size_t)32 << 20)
void heap_look(void);
void heap_settle(size_t largest);
