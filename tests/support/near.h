/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMDBENCH_NEAR_H
#define SIMDBENCH_NEAR_H

#include <math.h>

/* NaN is near nothing. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#endif
