/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The right results of gemm: in the plain order of loops, by the rules of gemm.h.
 */
#pragma once

#include <stdint.h>

#include "simdbench.h"

/* reference() of struct simdbench_op. Besides the three tropical semirings it knows
 * plustimes, for floats. -EINVAL for any other. */
int gemm_reference(const struct simdbench_operands *operands, const char *semiring,
                   const uint64_t *index, uint64_t n, void *value, double *slack);
