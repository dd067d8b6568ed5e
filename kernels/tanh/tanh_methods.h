/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for tanh_body.h. */
#pragma once

#include <stdbool.h>

#include "tanh.h"
#include "tanh/tanh_tables.h"
#include "vector/vector.h"

#define EACH for (int k = 0; k < count; k++)

/* Its last place is 1: what is added is rounded to an integer. */
#define MAGIC ((T)1.5 * (T)((uint64_t)1 << SIGNIFICAND))
/* Bits after the point, and those of the number 1. */
#define SIGNIFICAND (sizeof(T) == 4 ? 23 : 52)
#define BITS_OF_1_f32 (UINT32_C(127) << 23)
#define BITS_OF_1_f64 (UINT64_C(1023) << 52)

/* TABLE(row) is tanh_f32_row where T is f32, LANE_TABLE(_end) is tanh_f32_lane8_end where
 * the table has 8 intervals. */
#define TABLE(name) TABLE_OF(T, name)
#define TABLE_OF(type, name) TABLE_JOINED(type, name)
#define TABLE_JOINED(type, name) tanh_##type##_##name
#define LANE_TABLE(name) LANE_TABLE_OF(T, OF(INTERVALS), name)
#define LANE_TABLE_OF(type, intervals, name) LANE_TABLE_JOINED(type, intervals, name)
#define LANE_TABLE_JOINED(type, intervals, name) tanh_##type##_lane##intervals##name

/* A row of kernels.def. */
#define TANH_KERNEL(variant, vectors)                      \
    KERNEL_FUNCTION(tanh, , variant)                       \
    {                                                      \
        (void)state;                                       \
        OF(each)(operands, OF(variant##_method), vectors); \
    }
