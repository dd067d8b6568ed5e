/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that use no vectors: they are built without vectorisers. */
#include <stdlib.h>
#include <string.h>

#include "fresh.h"

/* ---- heat, f64 ---- */

/* Sound. */
RUN(f50)
{
    const double *const x = F64(0);
    double *const y = F64(1);
    const ptrdiff_t h = DIM(0), w = DIM(1);
    memcpy(y, x, (size_t)w * sizeof *y);
    for (ptrdiff_t i = 1; i < h - 1; i++) {
        const double *const restrict row = x + i * w;
        double *const restrict to = y + i * w;
        to[0] = row[0];
        for (ptrdiff_t j = 1; j < w - 1; j++)
            to[j] = 0.2 * (row[j] + row[j - w] + row[j + w] + row[j - 1] + row[j + 1]);
        to[w - 1] = row[w - 1];
    }
    memcpy(y + (h - 1) * w, x + (h - 1) * w, (size_t)w * sizeof *y);
}

struct grid {
    const double *cell;
    ptrdiff_t width;
};

static __attribute__((noinline)) double cell_at(const struct grid *grid, ptrdiff_t i,
                                                ptrdiff_t j)
{
    FORGET;
    return grid->cell[i * grid->width + j];
}

/* An accessor that is not inlined gives each neighbour. */
RUN(f01)
{
    const struct grid grid = {F64(0), DIM(1)};
    double *const y = F64(1);
    const ptrdiff_t h = DIM(0), w = DIM(1);
    for (ptrdiff_t i = 0; i < h; i++)
        for (ptrdiff_t j = 0; j < w; j++)
            y[i * w + j] =
                i == 0 || j == 0 || i == h - 1 || j == w - 1
                    ? grid.cell[i * w + j]
                    : 0.2 * (cell_at(&grid, i, j) + cell_at(&grid, i - 1, j) +
                             cell_at(&grid, i + 1, j) + cell_at(&grid, i, j - 1) +
                             cell_at(&grid, i, j + 1));
}

/* ---- prefix, f64 ---- */

/* The sum so far goes through each addition. */
RUN(f02)
{
    const ptrdiff_t n = DIM(0);
    const double *const x = F64(0);
    double *const y = F64(1), sum = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

/* Sound: the sum so far goes through one addition of eight. */
RUN(f51)
{
    const double *const x = F64(0);
    double *const y = F64(1), sum = 0;
    const ptrdiff_t n = DIM(0);
    for (ptrdiff_t i = 0; i < n; i += 8) {
        double left[4], right[4];
        left[0] = x[i];
        right[0] = x[i + 4];
        UNROLL
        for (int j = 1; j < 4; j++) {
            left[j] = left[j - 1] + x[i + j];
            right[j] = right[j - 1] + x[i + 4 + j];
        }
        const double middle = sum + left[3];
        UNROLL
        for (int j = 0; j < 4; j++) {
            y[i + j] = sum + left[j];
            y[i + 4 + j] = middle + right[j];
        }
        sum += left[3] + right[3];
    }
}

/* ---- hash, i32 ---- */

/* Each product waits for the one before. */
RUN(f03)
{
    const ptrdiff_t n = DIM(0);
    const uint32_t *const text = operands->operand[0]->data;
    uint32_t hash = 0;
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < n; i++) {
        hash *= FACTOR;
        HIDE(hash);
        hash += text[i];
    }
    I32(1)[0] = (int32_t)hash;
}

/* Sound: four hashes of every fourth element. */
RUN(f52)
{
    const ptrdiff_t n = DIM(0);
    enum { TWICE = FACTOR * FACTOR, FOURTH = TWICE * TWICE };
    const uint32_t *const text = operands->operand[0]->data;
    uint32_t hash[4] = {0};
    for (ptrdiff_t i = 0; i < n; i += 4)
        UNROLL
    for (int j = 0; j < 4; j++) {
        hash[j] *= FOURTH;
        HIDE(hash[j]);
        hash[j] += text[i + j];
    }
    I32(1)
    [0] = (int32_t)(((hash[0] * FACTOR + hash[1]) * FACTOR + hash[2]) * FACTOR + hash[3]);
}

/* ---- merge, i32 ---- */

/* A branch decides which element is next. */
RUN(f04)
{
    const int32_t *const a = I32(0), *const b = I32(1);
    int32_t *y = I32(2);
    const ptrdiff_t n = DIM(0);
    ptrdiff_t i = 0, j = 0;
    while (i < n && j < n) {
        if (a[i] <= b[j]) {
            *y++ = a[i++];
            FORGET;
        } else {
            *y++ = b[j++];
        }
    }
    memcpy(y, a + i, (size_t)(n - i) * sizeof *y);
    memcpy(y + (n - i), b + j, (size_t)(n - j) * sizeof *y);
}

/* A twin: one half from the front and one from the back, and nothing to be predicted. */
RUN(f53)
{
    const ptrdiff_t n = DIM(0);
    const int32_t *a = I32(0), *b = I32(1), *a_last = a + n - 1, *b_last = b + n - 1;
    int32_t *y = I32(2), *y_last = y + 2 * n - 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t first = *a <= *b, last = *a_last <= *b_last;
        *y++ = *a < *b ? *a : *b;
        *y_last-- = *a_last < *b_last ? *b_last : *a_last;
        HIDE(first);
        HIDE(last);
        a += first;
        b += 1 - first;
        b_last -= last;
        a_last -= 1 - last;
    }
}

/* ---- filter, f32 ---- */

/* A branch decides whether an element stays. */
RUN(f05)
{
    const float *const x = F32(0);
    float *const y = F32(1);
    const ptrdiff_t n = DIM(0);
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (x[i] > 0) {
            y[kept++] = x[i];
            FORGET;
        }
    memset(y + kept, 0, (size_t)(n - kept) * sizeof *y);
}

/* Sound: each element is stored, but the place moves only for those that stay. */
RUN(f54)
{
    const float *const x = F32(0);
    float *const y = F32(1);
    const ptrdiff_t n = DIM(0);
    ptrdiff_t kept = 0;
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < n; i++) {
        y[kept] = x[i];
        kept += x[i] > 0;
    }
    memset(y + kept, 0, (size_t)(n - kept) * sizeof *y);
}

/* ---- hist, i32 ---- */

enum { PARTS = 4 };

static void parts_add(uint32_t (*part)[BINS], int32_t *y)
{
    for (int b = 0; b < BINS; b++)
        y[b] = (int32_t)(part[0][b] + part[1][b] + part[2][b] + part[3][b]);
}

/* The width of a bin is a variable: a division for each element. */
RUN(f06)
{
    const ptrdiff_t n = DIM(0);
    uint32_t part[PARTS][BINS] = {{0}};
    const uint32_t *const x = operands->operand[0]->data;
    uint32_t width = WIDTH;
    HIDE(width);
    for (ptrdiff_t i = 0; i < n; i += PARTS)
        UNROLL
    for (int p = 0; p < PARTS; p++)
        part[p][x[i + p] / width]++;
    parts_add(part, I32(1));
}

/* Sound: the width is a constant. */
RUN(f55)
{
    const ptrdiff_t n = DIM(0);
    uint32_t part[PARTS][BINS] = {{0}};
    const uint32_t *const x = operands->operand[0]->data;
    for (ptrdiff_t i = 0; i < n; i += PARTS)
        UNROLL
    for (int p = 0; p < PARTS; p++)
        part[p][x[i + p] / WIDTH]++;
    parts_add(part, I32(1));
}

/* ---- transpose, f32 ---- */

/* A column after the other, from a page for each row. */
RUN(f07)
{
    const float *const x = F32(0);
    float *y = F32(1);
    const ptrdiff_t m = DIM(0), n = DIM(1);
    for (ptrdiff_t j = 0; j < n; j++)
#pragma GCC unroll 4
        for (ptrdiff_t i = 0; i < m; i++)
            *y++ = x[i * n + j];
}

/* A twin: blocks of 16 rows and 16 columns. */
RUN(f56)
{
    const float *const x = F32(0);
    float *const y = F32(1);
    const ptrdiff_t m = DIM(0), n = DIM(1);
    for (ptrdiff_t i = 0; i < m; i += 16)
        for (ptrdiff_t j = 0; j < n; j += 16)
            for (ptrdiff_t column = j; column < j + 16; column++)
                UNROLL
    for (ptrdiff_t row = i; row < i + 16; row++)
        y[column * m + row] = x[row * n + column];
}

/* ---- search, f64 ---- */

/* The last element that is no greater than a key, `together` keys at a time. */
INLINE void find(const int together, const double *key, const double *table, ptrdiff_t n,
                 double *y)
{
    const double *at[8];
    UNROLL
    for (int t = 0; t < together; t++)
        at[t] = table;
    for (ptrdiff_t left = n; left > 1;) {
        const ptrdiff_t half = left / 2;
        UNROLL
        for (int t = 0; t < together; t++) {
            const double *const middle = at[t] + half;
            ptrdiff_t below = *middle <= key[t];
            HIDE(below);
            at[t] += half & -below;
        }
        left -= half;
    }
    UNROLL
    for (int t = 0; t < together; t++)
        y[t] = (double)(at[t] - table);
}

/* One key after the other: each step waits for memory. The key depends on the last
 * answer, as in a walk over a graph. */
RUN(f08)
{
    const ptrdiff_t n = DIM(0);
    const double *const key = F64(0), *const table = F64(1);
    double *const y = F64(2);
    for (ptrdiff_t i = 0; i < n; i++)
        find(1, key + i, table, DIM(1), y + i);
}

/* A twin: many searches on their way at once. */
RUN(f57)
{
    const ptrdiff_t n = DIM(0);
    const double *const key = F64(0), *const table = F64(1);
    double *const y = F64(2);
    for (ptrdiff_t i = 0; i < n; i += 8)
        find(8, key + i, table, DIM(1), y + i);
}

/* ---- scan, bytes ---- */

/* Sound. */
RUN(f58)
{
    const ptrdiff_t m = DIM(0);
    const unsigned char *const text = operands->operand[0]->data;
    int32_t lines = 0;
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < 4 * m; i++)
        lines += text[i] == '\n';
    I32(1)[0] = lines;
}
