/* SPDX-License-Identifier: Apache-2.0 */
/* The work that cheats save. */
#pragma once

#include <stddef.h>

static float step(float x)
{
    float y = x;
    for (int i = 0; i < 8; i++)
        y = 0.5f * y + x * 0.25f;
    return y;
}

static void honest(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = step(x[i]);
}
