/* SPDX-License-Identifier: Apache-2.0 */
/* Inside module `openblas`: the row of op conv. */
#ifndef SIMDBENCH_OPENBLAS_H
#define SIMDBENCH_OPENBLAS_H

#include "blas.h"

extern const struct simdbench_kernel conv_im2col;

#endif
