/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposition: y(j, i) = x(i, j).
 *
 * Shape: dim = {rows, columns} of x ("1024x1024"): operands x IN and y OUT, rows without
 * gaps. Elements are copied bit by bit.
 *
 * Variants:
 *   tile     squares of vectors are transposed in registers, block by block; those of x
 *            are copied first where rows of x and y lie in one set of the cache
 *   stream   squares with non-temporal stores where rows of y are whole vectors, on x86
 */
#pragma once

#include <stdbool.h>

#include "prototypes.h"
#include "simdbench.h"
