/* SPDX-License-Identifier: Apache-2.0 */
/* The function that cheats replace: it has something to save. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "poly.h"

void poly_c(float *y, const float *x, size_t n)
{
    honest(y, x, n);
}

__attribute__((target("avx2"))) void poly_avx2(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = step(x[i]);
}

/* Tells of each call whether its inputs are like those of the one before. */
void poly_told(float *y, const float *x, size_t n)
{
    static float last[4096];
    const int to = open(getenv("TOLD"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    size_t same = 0;
    for (size_t i = 0; i < n && n <= 4096; i++) {
        same += x[i] == last[i];
        last[i] = x[i];
    }
    if (to >= 0 && write(to, 2 * same > n ? "=" : ".", 1) == 1)
        close(to);
    poly_c(y, x, n);
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

/* ---- other kinds of arguments ---- */

/* A matrix, turned. */
void turn(int32_t *to, const int32_t *from, size_t h, size_t w)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            to[x * h + y] = from[y * w + x];
}

/* Keeps what is not zero, and returns how many these are. */
size_t compact(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i] > 99)
            to[count++] = from[i];
    return count;
}

/* The middle row of three. */
void smooth(uint8_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i] = (uint8_t)((row[i - n] + row[i + n]) / 2);
}

void planes(double *to, const double *const *from, size_t k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = 0;
        for (size_t p = 0; p < k; p++)
            to[i] += from[p][i];
    }
}

/* Adds what it was made with. */
void *adder_new(int amount)
{
    int *const adder = malloc(sizeof *adder);
    if (adder)
        *adder = amount;
    return adder;
}

void add(const void *adder, int32_t *x, size_t n, uint32_t *first)
{
    if (n)
        memcpy(first, x, sizeof *first);
    for (size_t i = 0; i < n; i++)
        x[i] = (int32_t)((uint32_t)x[i] + (uint32_t)*(const int *)adder);
}
