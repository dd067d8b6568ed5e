/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of ops that work on vectors, element by element, under the names that people
 * type after --input=.
 *
 *   normal          about N(0, 1): a bell within +-4.25
 *   uniform:LO..HI  uniform from LO to HI, both finite
 *   saturated       +-32 to +-1024, half of them negative
 *   subnormal       all subnormals but zero, both signs
 *   zero            zeros of both signs
 *   special         normal, but every fourth or so is a NaN, an infinity, a zero of
 *                   either sign, a subnormal or the largest number
 *   bits:LO..HI     magnitudes uniform over the bit patterns from LO to HI, both signs:
 *                   all powers of two are equally likely. 0 <= LO <= HI <= inf
 */
#pragma once

#include <stdint.h>

#include "simdbench.h"

/* For the field `inputs` of an op; the first is the default. */
#define VECTOR_INPUTS \
    "normal, uniform:LO..HI, saturated, subnormal, zero, special, bits:LO..HI"

/* Writes n floats of that type, the same ones for the same
 * seed. `input` NULL means "normal". LO and HI are rounded to the type. -EINVAL for a
 * name or a range that is none, or beyond the type's numbers, and for another type:
 * nothing is written then. */
int vector_fill(void *data, uint32_t type, uint64_t n, uint64_t seed, const char *input);

/* Fields of ops y = f(x) for floats, whose shape is one number of elements. y has role
 * `out`; one element is one operation. */
int vector_parse(const char *text, struct simdbench_shape *shape, char *error,
                 size_t error_size);
void vector_format(const struct simdbench_shape *shape, char *text, size_t text_size);
int vector_layout(const struct simdbench_shape *shape, uint32_t type, uint32_t out,
                  struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS]);
int vector_op_fill(const struct simdbench_operands *operands, uint64_t seed,
                   const char *input);
void vector_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                 double *bytes);
