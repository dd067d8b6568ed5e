/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of the fresh plants: operands, inputs, and each element of the right answer. */
#include <math.h>

#include "fresh_op.h"

/* ---- inputs ---- */

VALUE(integers)
{
    return floor(u * 0x1p32) - 0x1p31;
}

VALUE(keys)
{
    return floor(u * BINS * WIDTH);
}

VALUE(ascending)
{
    return floor(u * 1000) + (i ? fresh_get(operands->operand[o], (int64_t)i - 1) : 0);
}

/* Operand 0: anywhere in the table, which is 0, 1, 2... */
VALUE(table)
{
    return o == 0 ? floor(u * (double)operands->operand[1]->count) : (double)i;
}

/* A quiet beginning, and silence. */
VALUE(faint)
{
    const struct simdbench_operand *const x = operands->operand[o];
    const double least = x->type == SIMDBENCH_F64 ? 1e-307 : 1e-37;
    return i < (uint64_t)x->ld ? least * (u + 1) : 0;
}

/* ---- ops ---- */

AT(axpy_at)
{
    return 1.5 * X(i) + Z(i);
}
OP(axpy, "1.5 x + z", 1, "4096", 0, fresh_both_signs, m, {SIMDBENCH_IN, m, 0, 0},
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(zip_at)
{
    return i % 2 ? Z(i / 2) : X(i / 2);
}
OP(zip, "the elements of two vectors in turns", 1, "1024", 0, fresh_both_signs, m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, 2 * m, 0, 0})

AT(prefix_at)
{
    double sum = 0;
    for (int64_t j = 0; j <= i; j++)
        sum += X(j);
    return sum;
}
OP(prefix, "running sums", 1, "2048", 0, fresh_both_signs, m, {SIMDBENCH_IN, m, 0, 0},
   {SIMDBENCH_OUT, m, 0, 0})

AT(hist_at)
{
    int64_t count = 0;
    for (int64_t j = 0; j < operands->shape->dim[0]; j++)
        count += (int64_t)X(j) / WIDTH == i;
    return (double)count;
}
OP(hist, "how many integers are in each bin", 1, "8192", 0, keys, m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, BINS, 0, 0})

AT(smooth_once)
{
    const int64_t last = operands->shape->dim[0] - 1;
    return i == 0 || i >= last ? X(i) : 0.25 * X(i - 1) + 0.5 * X(i) + 0.25 * X(i + 1);
}
AT(smooth_at)
{
    const int64_t last = operands->shape->dim[0] - 1;
    if (i == 0 || i >= last)
        return X(i);
    return 0.25 * smooth_once(operands, i - 1) + 0.5 * smooth_once(operands, i) +
           0.25 * smooth_once(operands, i + 1);
}
OP(smooth, "a filter of three elements, twice", 1, "4096", 0, fresh_both_signs, 2 * m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(heat_at)
{
    const int64_t h = operands->shape->dim[0], w = operands->shape->dim[1];
    if (i < w || i >= (h - 1) * w || i % w == 0 || i % w == w - 1)
        return X(i);
    return 0.2 * (X(i) + X(i - w) + X(i + w) + X(i - 1) + X(i + 1));
}
OP(heat, "the mean of five neighbours on a grid", 2, "34x66", 0, fresh_both_signs, m *n,
   {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m *n, n, 0})

AT(decay_at)
{
    const int64_t c = operands->shape->dim[1];
    double sum = 0;
    for (int64_t j = i % c; j <= i; j += c)
        sum = 0.9 * sum + X(j);
    return sum;
}
OP(decay, "a filter with an echo, of many channels", 2, "64x64", SIMDBENCH_JOINT, faint,
   m *n, {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m *n, n, 0})

AT(scale_at)
{
    const int64_t n = operands->shape->dim[1], row = i / n * n;
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += X(row + j);
    return X(i) / sum;
}
OP(scale, "rows over their sums", 2, "8x512", 0, fresh_positive, 2 * m * n,
   {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m *n, n, 0})

AT(matvec_at)
{
    const int64_t n = operands->shape->dim[1];
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += Z(i * n + j) * X(j);
    return sum;
}
OP(matvec, "a matrix times a vector", 2, "32x128", 0, fresh_both_signs, m *n,
   {SIMDBENCH_IN, n, 0, 0}, {SIMDBENCH_CONST, m *n, n, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(distance_at)
{
    const int64_t n = operands->shape->dim[1], k = operands->shape->dim[2];
    double sum = 0;
    for (int64_t l = 0; l < k; l++) {
        const double difference = X(i / n * k + l) - Z(l * n + i % n);
        sum += difference * difference;
    }
    return sum;
}
OP(distance, "squared distances of all points to all others", 3, "48x48x64", 0,
   fresh_both_signs, 2 * m * n * k, {SIMDBENCH_IN, m *k, k, 0},
   {SIMDBENCH_IN, k *n, n, 0}, {SIMDBENCH_OUT, m *n, n, 0})

AT(fir_at)
{
    double sum = 0;
    for (int64_t t = 0; t < TAPS; t++)
        sum += Z(t) * X(i + t * CHANNELS);
    return sum;
}
OP(fir, "a filter of 16 taps, of eight channels", 1, "192", 0, fresh_both_signs,
   TAPS *CHANNELS *m, {SIMDBENCH_IN, (m + TAPS) * CHANNELS, CHANNELS, 0},
   {SIMDBENCH_IN, TAPS, 0, 0}, {SIMDBENCH_OUT, m *CHANNELS, CHANNELS, 0})

AT(scan_at)
{
    const unsigned char *const text = operands->operand[0]->data;
    int64_t count = 0;
    for (int64_t j = 0; j < 4 * operands->shape->dim[0]; j++)
        count += text[j] == '\n';
    return (double)count;
}
OP(scan, "how many lines a text has", 1, "4096", 0, integers, 4 * m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, 1, 0, 0})

AT(hash_at)
{
    const uint32_t *const text = operands->operand[0]->data;
    uint32_t hash = 0;
    for (int64_t j = 0; j < operands->shape->dim[0]; j++)
        hash = hash * FACTOR + text[j];
    return (int32_t)hash;
}
OP(hash, "a polynomial of integers", 1, "4096", 0, integers, m, {SIMDBENCH_IN, m, 0, 0},
   {SIMDBENCH_OUT, 1, 0, 0})

/* Element i of both, in order: the least t such that t are taken of x and the rest of z.
 */
AT(merge_at)
{
    const int64_t n = operands->shape->dim[0];
    int64_t low = i + 1 > n ? i + 1 - n : 0, high = i + 1 < n ? i + 1 : n;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (X(middle) <= Z(i - middle))
            low = middle + 1;
        else
            high = middle;
    }
    const double x = low ? X(low - 1) : -INFINITY;
    return i + 1 - low ? fmax(x, Z(i - low)) : x;
}
OP(merge, "two ascending vectors in one", 1, "32768", SIMDBENCH_JOINT, ascending, 2 * m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, 2 * m, 0, 0})

AT(filter_at)
{
    for (int64_t j = 0; j < operands->shape->dim[0]; j++)
        if (X(j) > 0 && i-- == 0)
            return X(j);
    return 0;
}
OP(filter, "the positive elements, and zeros after them", 1, "65536", 0, fresh_both_signs,
   m, {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(comb_at)
{
    return fmax(X(i), X(i + DELAY * operands->shape->dim[1]));
}
OP(comb, "the larger of two rows that are some apart", 2, "384x8", 0, integers, m *n,
   {SIMDBENCH_IN, (m + DELAY) * n, n, 0}, {SIMDBENCH_OUT, m *n, n, 0})

AT(norm_at)
{
    const int64_t n = operands->shape->dim[1];
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += X(i * n + j) * X(i * n + j);
    return sqrt(sum);
}
OP(norm, "the lengths of rows", 2, "128x32", 0, fresh_both_signs, m *n,
   {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(turn_at)
{
    const int64_t m = operands->shape->dim[0], n = operands->shape->dim[1];
    return X(i % m * n + i / m);
}
OP(turn, "rows become columns", 2, "64x64", 0, fresh_both_signs, m *n,
   {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m *n, m, 0})

AT(slice_at)
{
    double sum = 0;
    for (int64_t j = 0; j < WANTED; j++)
        sum += X(i * FEATURES + j);
    return sum;
}
OP(slice, "the sum of the first eight elements of each row", 1, "256", 0,
   fresh_both_signs, WANTED *m, {SIMDBENCH_CONST, m *FEATURES, FEATURES, m *WANTED},
   {SIMDBENCH_OUT, m, 0, 0})

AT(centre_at)
{
    double sum = 0;
    for (int64_t j = 0; j < operands->shape->dim[0]; j++)
        sum += X(j * RECORD + i);
    return sum / (double)operands->shape->dim[0];
}
OP(centre, "the mean of the first half of records", 1, "4096", 0, fresh_both_signs,
   WANTED *m, {SIMDBENCH_CONST, m *RECORD, RECORD, m *WANTED},
   {SIMDBENCH_OUT, WANTED, 0, 0})

AT(search_at)
{
    return X(i);
}
OP(search, "where keys are in a table", 2, "1024x4096", SIMDBENCH_JOINT, table, m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_CONST, n, 0, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(detile_at)
{
    const int64_t n = operands->shape->dim[1], row = i / n, column = i % n;
    return X((row / TILE * (n / TILE) + column / TILE) * TILE * TILE + row % TILE * TILE +
             column % TILE);
}
OP(detile, "tiles of 8x8 become rows", 2, "32x64", 0, fresh_both_signs, m *n,
   {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m *n, n, 0})

AT(triangle_at)
{
    const int64_t m = operands->shape->dim[0];
    double sum = 0;
    for (int64_t j = 0; j <= i; j++)
        sum += Z(i * m + j) * X(j);
    return sum;
}
OP(triangle, "a lower triangle times a vector", 1, "256", 0, fresh_both_signs,
   m *(m + 1) / 2, {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_IN, m *m, m, m *(m + 1) / 2},
   {SIMDBENCH_OUT, m, 0, 0})

AT(cmul_at)
{
    const int64_t re = i / 2 * 2, im = re + 1;
    return i % 2 ? X(re) * Z(im) + X(im) * Z(re) : X(re) * Z(re) - X(im) * Z(im);
}
OP(cmul, "products of complex numbers", 1, "1024", 0, fresh_both_signs, 4 * m,
   {SIMDBENCH_IN, 2 * m, 0, 0}, {SIMDBENCH_IN, 2 * m, 0, 0}, {SIMDBENCH_OUT, 2 * m, 0, 0})

const struct simdbench_op *const fresh_ops[] = {
    &axpy_op,   &zip_op,      &prefix_op,   &hist_op, &smooth_op, &heat_op,   &decay_op,
    &scale_op,  &matvec_op,   &distance_op, &fir_op,  &scan_op,   &hash_op,   &merge_op,
    &filter_op, &comb_op,     &norm_op,     &turn_op, &slice_op,  &centre_op, &search_op,
    &detile_op, &triangle_op, &cmul_op,     NULL};
