/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of tanh for one element type T on one instruction set; f64 before f32, whose
 * row `rational` computes in f64. The file that includes it has included tanh_methods.h
 * and vector_<isa>.h and defines before:
 *
 *   VECTORS              vectors that are worked on together
 *   FEW                  the same in rows that need more registers, up to VECTORS
 *   INTERVALS_<type>     intervals of the table for permutations (tanh_<type>_lane<n>),
 *                        0: coefficients are loaded from rows of memory;
 *                        -1: no row `table`
 *   lane_<type>(table, index)   the number of each interval in `index` (if INTERVALS)
 *   row_load_<type>(bits, c)    the coefficients of row `bits >> table row_shift` of
 *                               each lane in c[] (if not)
 *   LIBM_<type>          optional: tanh() of the C library, which becomes row `libm`
 *   FLOOR_<type>(v)      optional: rounds down, for rows `taylor`
 *   FUSED                optional: MULTIPLY_ADD rounds once, for row `corrected`
 */

/* To `count` vectors at once: chains of operations that have nothing to do with each
 * other overlap. */
typedef void OF(values)(VEC *x, int count);

INLINE void OF(each)(const struct simdbench_operands *operands, OF(values) * values,
                     const int vectors)
{
    const T *x = operands->operand[0]->data;
    T *y = operands->operand[1]->data;
    const size_t n = operands->operand[0]->count;
    VEC v[VECTORS];
    size_t i = 0;

    for (; n - i >= (size_t)vectors * LANES; i += (size_t)vectors * LANES) {
        for (int k = 0; k < vectors; k++)
            v[k] = LOAD(x + i + k * LANES);
        values(v, vectors);
        for (int k = 0; k < vectors; k++)
            STORE(y + i + k * LANES, v[k]);
    }
    while (i < n && n >= LANES) {
        /* The last vector may overlap the one before. */
        i = n - i < LANES ? n - LANES : i;
        v[0] = LOAD(x + i);
        values(v, 1);
        STORE(y + i, v[0]);
        i += LANES;
    }
    if (i < n) {
        T part[LANES] = {0};
        for (i = 0; i < n; i++)
            part[i] = x[i];
        v[0] = LOAD(part);
        values(v, 1);
        STORE(part, v[0]);
        for (i = 0; i < n; i++)
            y[i] = part[i];
    }
}

/* The polynomial of those coefficients, lowest first. */
INLINE VEC OF(polynomial)(const T *coefficient, size_t n, VEC x)
{
    VEC y = SPLAT(coefficient[n - 1]);

    for (size_t i = n - 1; i-- > 0;)
        y = MULTIPLY_ADD(y, x, SPLAT(coefficient[i]));
    return y;
}

/* The same in two that do not wait for each other, of even and of odd powers. */
INLINE VEC OF(short_polynomial)(const T *coefficient, size_t n, VEC x)
{
    const VEC square = x * x;
    VEC y[2] = {SPLAT(0), SPLAT(0)};

    for (size_t i = n; i-- > 0;)
        y[i % 2] = i + 2 < n ? MULTIPLY_ADD(y[i % 2], square, SPLAT(coefficient[i]))
                             : SPLAT(coefficient[i]);
    return MULTIPLY_ADD(y[1], x, y[0]);
}

/* 2^n for b = MAGIC + n. */
INLINE VEC OF(power)(VEC b)
{
    return OF(as_vector)((OF(as_bits)(b) << SIGNIFICAND) + OF(BITS_OF_1));
}

/* With a = n log(2) / 2 + r, r >= 0, s = 2^n = exp(2a - 2r) and w = tanh(r):
 * tanh(a) = ((s - 1) + (s + 1) w) / ((s + 1) + (s - 1) w), which is w itself if n = 0.
 * Above 0.69 that is 1 - (2 - 2w) / (...), where the fraction's error counts less. Where
 * multiplications and additions are fused, `corrected` adds what rounding took from the
 * numerator, the denominator and the quotient. */
INLINE void OF(exp_quotient)(const bool corrected, VEC *x, int count)
{
    enum { TERMS = sizeof TABLE(exp) / sizeof(T) };
    const VEC one = SPLAT(1), two = SPLAT(2);
    VEC r[VECTORS], s[VECTORS], w[VECTORS];

    EACH
    {
        const VEC a = MIN(SPLAT(TABLE(exp_end)), OF(magnitude)(x[k]));
        const VEC b = MULTIPLY_ADD(a - SPLAT(TABLE(exp_half_step)),
                                   SPLAT(TABLE(exp_per_step)), SPLAT(MAGIC));
        const VEC n = b - SPLAT(MAGIC);
        r[k] = MULTIPLY_ADD(n, SPLAT(-TABLE(exp_step_high)), a);
        r[k] = MULTIPLY_ADD(n, SPLAT(-TABLE(exp_step_low)), r[k]);
        s[k] = OF(power)(b);
        w[k] = r[k] * r[k];
    }
    EACH w[k] = w[k] * OF(short_polynomial)(TABLE(exp), TERMS, w[k]);
    EACH w[k] = MULTIPLY_ADD(r[k], w[k], r[k]);
    EACH
    {
        const VEC less = s[k] - one, more = s[k] + one;
        const VEC start = IF_LESS(two, s[k], SPLAT(-2), less);
        const VEC slope = IF_LESS(two, s[k], two, more);
        const VEC above = MULTIPLY_ADD(w[k], slope, start);
        const VEC below = MULTIPLY_ADD(w[k], less, more);
        if (corrected) {
            const VEC part = one / below, quotient = above * part;
            const VEC above_lost = MULTIPLY_ADD(w[k], slope, start - above);
            const VEC below_lost = MULTIPLY_ADD(w[k], less, more - below);
            const VEC rest = MULTIPLY_ADD(-quotient, below, above) +
                             MULTIPLY_ADD(-quotient, below_lost, above_lost);
            w[k] = MULTIPLY_ADD(rest, part, quotient);
        } else {
            w[k] = above / below;
        }
        w[k] = w[k] + IF_LESS(two, s[k], one, SPLAT(0));
        x[k] = OF(with_sign)(w[k], x[k]);
    }
}

INLINE void OF(exp_method)(VEC *x, int count)
{
    OF(exp_quotient)(false, x, count);
}

#if OF(BYTES) == 8 && defined(FUSED)
INLINE void OF(corrected_method)(VEC *x, int count)
{
    OF(exp_quotient)(true, x, count);
}

TANH_KERNEL(corrected, FEW)
#endif

#if OF(BYTES) == 8
/* Good enough for f32, if it is rounded but once, at the end. */
INLINE void OF(rational_method)(VEC *x, int count)
{
    VEC a[VECTORS], u[VECTORS], p[VECTORS], q[VECTORS];

    EACH a[k] = MIN(SPLAT(TABLE(rational_end)), OF(magnitude)(x[k]));
    EACH u[k] = a[k] * a[k];
    EACH p[k] =
        OF(polynomial)(TABLE(rational_p), sizeof TABLE(rational_p) / sizeof(T), u[k]);
    EACH q[k] =
        OF(polynomial)(TABLE(rational_q), sizeof TABLE(rational_q) / sizeof(T), u[k]);
    EACH p[k] = MULTIPLY_ADD(a[k] * u[k], p[k], a[k]);
    EACH q[k] = MULTIPLY_ADD(u[k], q[k], SPLAT(1));
    EACH x[k] = OF(with_sign)(p[k] / q[k], x[k]);
}
#else
INLINE void OF(rational_method)(VEC *x, int count)
{
    enum { WIDE = LANES == 1 ? 1 : 2 };

    EACH
    {
        vector_f64 wide[WIDE];
        OF(widen)(x[k], wide);
        rational_method_f64(wide, WIDE);
        x[k] = OF(narrow)(wide);
    }
}
#endif

#if OF(INTERVALS) > 0
/* The numbers of an interval are in one lane each of some registers. */
INLINE void OF(table_method)(VEC *x, int count)
{
    enum { ROWS = sizeof LANE_TABLE() / sizeof LANE_TABLE()[0] };
    VEC t[VECTORS], y[VECTORS];
    OF(bits) index[VECTORS];

    EACH t[k] = MIN(SPLAT(LANE_TABLE(_end)), OF(magnitude)(x[k]));
    EACH index[k] = OF(as_bits)(MULTIPLY_ADD(t[k], SPLAT(LANE_TABLE(_scale)),
                                             SPLAT(LANE_TABLE(_offset)))) >>
                    LANE_TABLE(_shift);
    EACH t[k] = t[k] - OF(lane)(LANE_TABLE()[0], index[k]);
    EACH y[k] = OF(lane)(LANE_TABLE()[ROWS - 1], index[k]);
    for (int i = ROWS - 1; i-- > 1;)
        EACH y[k] = MULTIPLY_ADD(y[k], t[k], OF(lane)(LANE_TABLE()[i], index[k]));
    EACH x[k] = OF(with_sign)(y[k], x[k]);
}
#elif OF(INTERVALS) == 0
/* Each element loads the coefficients of its interval. */
INLINE void OF(table_method)(VEC *x, int count)
{
    enum { TERMS = sizeof TABLE(row)[0] / sizeof(T) };

    EACH
    {
        const VEC a = OF(magnitude)(x[k]), end = SPLAT(TABLE(row_end));
        /* A NaN takes some row, but stays what it is. */
        const VEC b = MIN(a, end) + SPLAT(TABLE(row_offset));
        const OF(bits) bits = OF(as_bits)(b);
        const VEC begin = OF(as_vector)(bits & -((OF(word))1 << TABLE(row_shift)));
        const VEC t = MIN(end, a) - (begin - SPLAT(TABLE(row_offset)));
        VEC c[TERMS];
        OF(row_load)(bits, c);
        VEC y = c[TERMS - 1];
        for (int i = TERMS - 1; i-- > 0;)
            y = MULTIPLY_ADD(y, t, c[i]);
        x[k] = OF(with_sign)(y, x[k]);
    }
}
#endif

#if defined(FLOOR_f32) && OF(BYTES) == 4
/* (e - 1) / (e + 1) with e = exp(2|x|), from the series of 6th order as it stands and
 * ln(2) in one piece. */
INLINE void OF(taylor)(const bool fused, VEC *x, int count)
{
    static const T series[] = {1, 1, 1.F / 2, 1.F / 6, 1.F / 24, 1.F / 120, 1.F / 720};
    const VEC one = SPLAT(1);

    EACH
    {
        const VEC a = MIN(SPLAT(88.37626F), OF(magnitude)(x[k]) * SPLAT(2));
        const VEC n = FLOOR_f32(a * SPLAT(1.442695041F) + SPLAT(0.5F));
        const VEC r = a - n * SPLAT(0.693147181F);
        VEC e = SPLAT(series[6]);
        for (int i = 6; i-- > 0;) {
            if (fused)
                e = MULTIPLY_ADD(e, r, SPLAT(series[i]));
            else
                e = e * r + SPLAT(series[i]);
        }
        e = e * OF(power)(n + SPLAT(MAGIC));
        x[k] = OF(with_sign)((e - one) / (e + one), x[k]);
    }
}

INLINE void OF(taylor_method)(VEC *x, int count)
{
    OF(taylor)(true, x, count);
}

TANH_KERNEL(taylor, VECTORS)
#if defined(__FMA__)
INLINE void OF(taylor_nofma_method)(VEC *x, int count)
{
    OF(taylor)(false, x, count);
}

TANH_KERNEL(taylor_nofma, VECTORS)
#endif
#endif

#if OF(INTERVALS) >= 0
TANH_KERNEL(table, FEW)
#endif
TANH_KERNEL(exp, VECTORS)
#if OF(BYTES) == 4
TANH_KERNEL(rational, VECTORS)
#endif
#if defined(LIBM_f64)
INLINE void OF(libm_method)(VEC *x, int count)
{
    EACH x[k] = OF(LIBM)(x[k]);
}

TANH_KERNEL(libm, VECTORS)
#endif

FASTEST_KERNEL(tanh)

#undef T
