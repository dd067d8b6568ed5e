/* SPDX-License-Identifier: Apache-2.0 */
/* Inside module `openblas`: the row of op conv. */
#pragma once

#include "blas.h"

extern const struct simdbench_kernel conv_im2col;
