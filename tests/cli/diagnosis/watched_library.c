/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a dispatcher, in which -DPLANTED chooses scalar code. */
#include <stddef.h>

#include <immintrin.h>

float sum_scalar(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

float sum_sse2(const float *x, size_t n)
{
    __m128 sum = _mm_setzero_ps();
    for (size_t i = 0; i + 4 <= n; i += 4)
        sum = _mm_add_ps(sum, _mm_loadu_ps(x + i));
    float part[4];
    _mm_storeu_ps(part, sum);
    return part[0] + part[1] + part[2] + part[3];
}

/* For the data of the program alone. */
float picky(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != (float)(i % 7))
            __builtin_trap();
    return sum_sse2(x, n);
}

float sum_ends(const float *x, const float *end)
{
    return picky(x, (size_t)(end - x));
}

float sum_inside(const float *middle, unsigned n)
{
    return picky(middle - 512, n);
}

/* It takes the integers of the program alone. */
float stepped(const float *x, size_t n, unsigned step)
{
    if (step < 100 || step >= 110)
        __builtin_trap();
    return sum_sse2(x, n) + (float)step;
}

float nth(const float *x, size_t n, unsigned at)
{
    return x[at] + (float)n;
}

typedef float sum_function(const float *x, size_t n);
static sum_function *choose(void)
{
#ifdef PLANTED
    return sum_scalar;
#else
    return sum_sse2;
#endif
}
float sum(const float *x, size_t n) __attribute__((ifunc("choose")));
