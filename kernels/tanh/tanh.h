/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hyperbolic tangent y = tanh(x), element by element.
 *
 * Shape: dim = {n}; operands x IN, y OUT.
 *
 * Rules: tanh(-x) = -tanh(x) to the bit; +-0 stays itself; +-infinity gives +-1; a NaN
 * gives a NaN; no result is beyond +-1; denormals count. Kernels of this project are
 * within 2 ulp of the exact value everywhere, but for rows `taylor`, which are there to
 * be compared with: they are off by up to 1.35e-7. The reference allows TANH_SLACK_ULP,
 * which is what libraries promise at their loosest; the error that a kernel has is
 * measured and reported.
 *
 * Rows `auto` run another row of their instruction set, study rows left out: of those
 * whose stated error is within operands->most_ulp, the fastest at this size on this
 * machine.
 */
#pragma once

#include "fastest.h"
#include "prototypes.h"
#include "simdbench.h"

#define TANH_SLACK_ULP 4
