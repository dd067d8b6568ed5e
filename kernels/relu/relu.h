/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rectifier y = relu(x), element by element.
 *
 * Shape: dim = {n} ("1000"): operands x IN, y OUT; or dim = {n, 1} ("inplace1000", layout
 * "inplace"): operands x IN, y INOUT, and y = relu(y).
 *
 * The rule, equal in all kernels and in the reference: x < 0 ? 0 : x. So a NaN passes
 * through with its payload (as in PyTorch and NumPy), and -0 may stay -0: kernels of this
 * project return -0, libraries may return either zero. That is x86's max(0, x) with x as
 * the second operand. Denormals count.
 */
#ifndef SIMDBENCH_RELU_H
#define SIMDBENCH_RELU_H

#include <stddef.h>
#include <stdint.h>

#include "prototypes.h"
#include "simdbench.h"

#endif
