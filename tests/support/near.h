/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <math.h>

/* NaN is near nothing. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
