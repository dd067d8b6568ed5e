/* SPDX-License-Identifier: Apache-2.0 */
/*
 * z = f(x, y), element by element.
 *
 * Shape: dim = {n} ("1000"): operands x and y IN, z OUT. The function stands in the place
 * of the semiring: add, sub, mul, div. Results are those of IEEE 754, bit by bit; any NaN
 * equals any NaN.
 *
 * Variants:
 *   direct   loads, the operation, a store
 *   stream   the same with non-temporal stores, on x86
 */
#pragma once

#include "prototypes.h"
#include "simdbench.h"
