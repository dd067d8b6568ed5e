/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of softmax and log_softmax for one element type T on one instruction set.
 *
 * exp(r) = 1 + r + r^2 p(r) for |r| <= log(2) / 2. p interpolates at the zeros of a
 * Chebyshev polynomial: the relative error is 1.1e-8 in f32, 1.8e-17 in f64.
 */
#include "softmax.h"

#if OF(BYTES) == 4
#define MAGIC 0x1.8p23F /* a sum with it is rounded to a whole number in its low bits */
#define SIGNIFICAND 23
#define ONE_BITS UINT32_C(0x3f800000)
#define WHOLE 0x1p23F /* 2^23 + n has the bits of n in its significand */
#define WHOLE_BITS UINT32_C(0x4b000000)
#define BIAS 127
#define LOWEST (-87.3F) /* exp() of it is normal */
#ifdef HAS_FMA          /* The error is a tenth of that of the difference that x is. */
#define LN2_HIGH 0x1.62e43p-1F
#else
#define LN2_HIGH 0x1.62e4p-1F
#define LN2_LOW 0x1.7f7d1cp-20F
#endif
#define EXP_TERMS 0.5F, 0.16666577F, 0.041666554F, 0.0083632315F, 0.0013926249F
#define LOG_TURNS 1
#else
#define MAGIC 0x1.8p52
#define SIGNIFICAND 52
#define ONE_BITS UINT64_C(0x3ff0000000000000)
#define WHOLE 0x1p52
#define WHOLE_BITS UINT64_C(0x4330000000000000)
#define BIAS 1023
#define LOWEST (-708.3)
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define EXP_TERMS                                                                  \
    0.5, 0.1666666666666666746, 0.04166666666662382856, 0.008333333333330038815,   \
        0.001388888891736307796, 0.0001984126986316847796, 2.48015210640765275e-5, \
        2.755726828167997579e-6, 2.762019864323475049e-7, 2.510047023880852329e-8
#define LOG_TURNS 2
#endif

INLINE VEC OF(exponential)(VEC x)
{
    static const T term[] = {EXP_TERMS};
    x = MAX(SPLAT(LOWEST), x);
    const VEC b = MULTIPLY_ADD(x, SPLAT((T)1.4426950408889634074), SPLAT(MAGIC));
    const VEC n = b - SPLAT(MAGIC);
    VEC r = MULTIPLY_ADD(n, SPLAT(-LN2_HIGH), x);
#ifdef LN2_LOW
    r = MULTIPLY_ADD(n, SPLAT(-LN2_LOW), r);
#endif
    VEC p = SPLAT(term[sizeof term / sizeof *term - 1]);
    for (int i = sizeof term / sizeof *term - 1; i-- > 0;)
        p = MULTIPLY_ADD(p, r, SPLAT(term[i]));
    p = MULTIPLY_ADD(MULTIPLY_ADD(p, r, SPLAT(1)), r, SPLAT(1));
    /* The product with 2^n, which is normal. */
    return OF(as_vector)(OF(as_bits)(p) + (OF(as_bits)(b) << SIGNIFICAND));
}

/* The logarithm of normal numbers from 1 on. The bits give log(x) to 0.03; a turn adds
 * the logarithm of what is left of x, by the series for 1 + d. */
INLINE VEC OF(logarithm)(VEC x)
{
    const OF(bits) bits = OF(as_bits)(x);
    const VEC exponent =
        OF(as_vector)((bits >> SIGNIFICAND) + WHOLE_BITS) - SPLAT(WHOLE + BIAS);
    const VEC fraction =
        OF(as_vector)((bits & (((OF(word))1 << SIGNIFICAND) - 1)) + ONE_BITS);
    VEC y = (exponent + fraction - SPLAT((T)0.957)) * SPLAT((T)0.69314718055994530942);
    for (int i = 0; i < LOG_TURNS; i++) {
        const VEC d = MULTIPLY_ADD(x, OF(exponential)(SPLAT(0) - y), SPLAT(-1));
        VEC series = MULTIPLY_ADD(d, SPLAT((T)0.2), SPLAT((T)-0.25));
        series = MULTIPLY_ADD(d, series, SPLAT((T)(1 / 3.0)));
        series = MULTIPLY_ADD(d, series, SPLAT((T)-0.5));
        y = y + MULTIPLY_ADD(d * d, series, d);
    }
    return y;
}

/* The first n lanes of v, and `other` in the others. */
INLINE VEC OF(first_lanes)(VEC v, ptrdiff_t n, T other)
{
    static const T lane[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return IF_LESS(LOAD(lane), SPLAT((T)n), v, SPLAT(other));
}

/* The last elements of a row, fewer than a vector. Other lanes are so low that they
 * change neither a maximum nor a sum. */
INLINE VEC OF(last)(const T *x, ptrdiff_t n)
{
    return OF(first_lanes)(OF(load_first)(x, n), n, -INFINITY);
}

INLINE T OF(most_of)(const T *x, ptrdiff_t columns)
{
    enum { VECTORS = 4 };
    VEC most[VECTORS];
    ptrdiff_t c = 0;
    for (int k = 0; k < VECTORS; k++)
        most[k] = SPLAT(-INFINITY);
    for (; c + VECTORS * LANES <= columns; c += VECTORS * LANES)
        for (int k = 0; k < VECTORS; k++)
            most[k] = MAX(most[k], LOAD(x + c + k * LANES));
    for (; c + LANES <= columns; c += LANES)
        most[0] = MAX(most[0], LOAD(x + c));
    if (c < columns)
        most[1] = MAX(most[1], OF(last)(x + c, columns - c));
    return OF(max_lanes)(MAX(MAX(most[0], most[1]), MAX(most[2], most[3])));
}

/* A vector of exponentials, which y receives if it is there. */
INLINE VEC OF(terms)(const T *x, T *y, VEC most)
{
    const VEC e = OF(exponential)(LOAD(x) - most);
    if (y)
        STORE(y, e);
    return e;
}

/* The sum of exponentials, which y receives if it is there. Arithmetic hides the time
 * that the next row takes to arrive, whose page no core prefetches by itself. */
INLINE T OF(sum_of)(const T *x, T *y, ptrdiff_t columns, T most, bool last)
{
    enum { VECTORS = 2, LINE = 64 / sizeof(T), FAR = (1 << 16) / sizeof(T) };
    const T *const next = last || columns > FAR ? x : x + columns;
    const VEC all = SPLAT(most);
    VEC sum[VECTORS] = {SPLAT(0), SPLAT(0)};
    ptrdiff_t c = 0;
    for (; c + VECTORS * LANES <= columns; c += VECTORS * LANES) {
        for (int k = 0; k < VECTORS * LANES; k += LINE)
            __builtin_prefetch(next + c + k);
        for (int k = 0; k < VECTORS; k++)
            sum[k] =
                sum[k] + OF(terms)(x + c + k * LANES, y ? y + c + k * LANES : y, all);
    }
    for (; c + LANES <= columns; c += LANES)
        sum[0] = sum[0] + OF(terms)(x + c, y ? y + c : y, all);
    if (c < columns) {
        const VEC e = OF(first_lanes)(OF(exponential)(OF(last)(x + c, columns - c) - all),
                                      columns - c, 0);
        if (y)
            OF(store_first)(y + c, e, columns - c);
        sum[1] = sum[1] + e;
    }
    return OF(sum_lanes)(sum[0] + sum[1]);
}

/* y = x * scale + offset. */
INLINE void OF(linear)(const T *x, T *y, ptrdiff_t columns, T scale, T offset)
{
    const VEC a = SPLAT(scale), b = SPLAT(offset);
    ptrdiff_t c = 0;
    for (; c + LANES <= columns; c += LANES)
        STORE(y + c, MULTIPLY_ADD(LOAD(x + c), a, b));
    if (c < columns)
        OF(store_first)(y + c, MULTIPLY_ADD(OF(load_first)(x + c, columns - c), a, b),
                        columns - c);
}

/* A row that fits into one vector stays in it. Zeros in the lanes that are not of the row
 * become no subnormal numbers, which are slow. */
INLINE void OF(short_row)(const T *x, T *y, ptrdiff_t columns)
{
    const VEC v = OF(last)(x, columns);
    const VEC e =
        OF(first_lanes)(OF(exponential)(v - SPLAT(OF(max_lanes)(v))), columns, 0);
    OF(store_first)(y, e * SPLAT(1 / OF(sum_lanes)(e)), columns);
}

KERNEL_FUNCTION(softmax, , rows)
{
    const ptrdiff_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];
    const T *x = operands->operand[0]->data;
    T *y = operands->operand[1]->data;
    for (ptrdiff_t i = 0; i < rows; i++, x += columns, y += columns) {
        if (columns < LANES) {
            OF(short_row)(x, y, columns);
            continue;
        }
        const T sum = OF(sum_of)(x, y, columns, OF(most_of)(x, columns), i + 1 == rows);
        OF(linear)(y, y, columns, 1 / sum, 0);
    }
}

KERNEL_FUNCTION(log_softmax, , rows)
{
    enum { TOGETHER = 64, HALF_L1 = 1 << 14 };
    const ptrdiff_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];
    const ptrdiff_t fit = 1 + (HALF_L1 - 1) / (columns * (ptrdiff_t)sizeof(T));
    const ptrdiff_t together = fit < TOGETHER ? fit : TOGETHER;
    const T *x = operands->operand[0]->data;
    T *y = operands->operand[1]->data;
    for (ptrdiff_t first = 0; first < rows; first += together) {
        const ptrdiff_t n = rows - first < together ? rows - first : together;
        T most[TOGETHER], sum[TOGETHER];
        for (ptrdiff_t i = 0; i < TOGETHER; i++)
            most[i] = 0, sum[i] = 1;
        for (ptrdiff_t i = 0; i < n; i++) {
            most[i] = OF(most_of)(x + i * columns, columns);
            sum[i] = OF(sum_of)(x + i * columns, NULL, columns, most[i],
                                first + i + 1 == rows);
        }
        for (ptrdiff_t i = 0; i < n; i += LANES)
            STORE(sum + i, OF(logarithm)(LOAD(sum + i)));
        for (ptrdiff_t i = 0; i < n; i++)
            OF(linear)(x + i * columns, y + i * columns, columns, 1, -most[i] - sum[i]);
        x += n * columns;
        y += n * columns;
    }
}

#undef MAGIC
#undef SIGNIFICAND
#undef ONE_BITS
#undef WHOLE
#undef WHOLE_BITS
#undef BIAS
#undef LOWEST
#undef LN2_HIGH
#undef LN2_LOW
#undef EXP_TERMS
#undef LOG_TURNS
#undef T
