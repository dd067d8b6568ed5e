/* SPDX-License-Identifier: Apache-2.0 */
/* How threads share the work: field `split` of the row. */
#pragma once

#include "split_rules.h"

extern const struct split_rule gemm_split[];
