/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = |x|, element by element: an op that scripts/check.sh newcomer adds to a copy of
 * simdbench.
 *
 * Shape: dim = {n}; operands x IN, y OUT.
 *
 * Rules: the sign bit of each element is cleared, that of a NaN or a zero, too. All bits
 * are right, so nothing is allowed to be off.
 */
#pragma once

#include "prototypes.h"
