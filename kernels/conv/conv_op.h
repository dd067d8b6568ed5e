/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the op conv: named lists of convolutions, each distinct layer of a network
 * once; and how threads share the work. */
#pragma once

#include "split_rules.h"

extern const struct simdbench_shape_list *const conv_shape_lists[]; /* ends with NULL */
extern const struct split_rule conv_split[];
