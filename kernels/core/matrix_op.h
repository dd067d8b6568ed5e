/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of ops on matrices of floats, in rows without gaps: shape ROWSxCOLUMNS. */
#pragma once

#include <stdbool.h>

#include "simdbench.h"

/* dim = {rows, columns}, both at least 1. A number alone is a square matrix. */
int matrix_parse(const char *text, struct simdbench_shape *shape, char *error,
                 size_t error_size);
void matrix_format(const struct simdbench_shape *shape, char *text, size_t text_size);
/* Operands x IN and y OUT, both of the shape. */
int matrix_layout(const struct simdbench_shape *shape, uint32_t type,
                  struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS]);
/* Fills all operands of role IN, each with another seed; inputs as VECTOR_INPUTS. */
int matrix_fill(const struct simdbench_operands *operands, uint64_t seed,
                const char *input);
/* An element is one operation, read once and written once. */
void matrix_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                 double *bytes);

/* Sets an operand of `count` elements in one row. -EINVAL if it is no float, -EOVERFLOW.
 */
int operand_plain(struct simdbench_operand *operand, uint32_t type, uint32_t role,
                  uint64_t count);
/* Element `at` of a float operand, in double. */
double operand_float(const struct simdbench_operand *operand, uint64_t at);
/* Stores a right answer as element i of `value`, rounded to the type of the output. */
void answer_set(const struct simdbench_operand *output, uint64_t i, void *value,
                double right);
/* The distance of 1 and the next number: 2^-23 or 2^-52. */
double type_epsilon(uint32_t type);
/* The least positive number: slack that makes zeros of both signs right. */
double type_least(uint32_t type);
