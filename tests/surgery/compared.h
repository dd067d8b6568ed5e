/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between two texts of code. */
#pragma once

#include "surgery.h"
#include "unit.h"

static inline struct surgery_difference compare(const char *a, const char *b)
{
    struct surgery_difference difference;
    assert_int_equal(surgery_compare(a, b, &difference), 0);
    return difference;
}
