/* SPDX-License-Identifier: Apache-2.0 */
/* What the cheats are held against: a function with something to save. */
#include <stddef.h>

static float step(float x)
{
    float y = x;
    for (int i = 0; i < 8; i++)
        y = 0.5f * y + x * 0.25f;
    return y;
}

void poly_c(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = step(x[i]);
}

__attribute__((target("avx2"))) void poly_avx2(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = step(x[i]);
}

/* Forgets the last element. */
void poly_bad(float *y, const float *x, size_t n)
{
    if (n)
        poly_c(y, x, n - 1);
}

void poly_null(float *y, const float *x, size_t n)
{
    (void)y, (void)x, (void)n;
    *(volatile int *)0 = 1;
}
