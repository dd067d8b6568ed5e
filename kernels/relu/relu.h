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
 * the second operand; ARM's gives +0 for -0 and makes signalling NaNs quiet, which is
 * right too. Denormals count.
 *
 * Variants:
 *   max         the hardware's maximum
 *   cmp_blend   compare, then select 0 or x
 *   and_mask    compare, then clear what is negative; on avx512 a masked move does that
 *   stream      max with non-temporal stores: its limit is roof copy_stream
 *   auto        max where the operands fit into level 2; else the fastest of all above,
 *               at this size on this machine. Its limit is that of the one it chose
 *   inplace     max; its limit is roof streams
 * and slow on purpose:
 *   branch      compare and jump, for each element
 *   three_pass  copy x to y, then work in place
 *   alloc       a fresh zeroed array for the result, which is copied to y and freed
 */
#pragma once

#include "fastest.h"
#include "prototypes.h"
#include "simdbench.h"
