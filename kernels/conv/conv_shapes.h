/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named lists of convolutions: each distinct layer of a network once.
 */
#pragma once

#include "simdbench.h"

extern const struct simdbench_shape_list *const conv_shape_lists[]; /* ends with NULL */
