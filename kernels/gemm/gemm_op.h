/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the ops gemm and gemm_argmax: the right results, in the plain order of loops,
 * by the rules of gemm.h; and the share of the work of each thread.
 */
#pragma once

#include "split_rules.h"

/* reference() of struct simdbench_op. Besides the three tropical semirings it knows
 * plustimes, for floats. -EINVAL for any other. */
int gemm_reference(const struct simdbench_operands *operands, const char *semiring,
                   const uint64_t *index, uint64_t n, void *value, double *slack);
extern const struct split_rule gemm_split[];
