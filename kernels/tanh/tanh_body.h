/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods that are alike on all instruction sets, and the loop around all methods, for
 * one type on one instruction set. Define before including:
 *
 *   TYPE  SIGNIFICAND            float or double, and its bits after the point
 *   NAME(x)  TABLE(x)            x with a suffix for the type; with the prefix that it
 *                                has in tanh_tables.h
 *   VECTOR  INTRINSIC(op)        for scalar no INTRINSIC
 *   LANES  VECTORS               elements of a vector, vectors that are worked on
 * together LOAD(p)  STORE(p, v)  SET(c) ADD  SUB  MUL  DIV  FMA(a, b, c) MIN(a, b) the
 * smaller one; b if either is a NaN MAGNITUDE(x)  SIGNED(y, x)   |x|; y >= 0 with the
 * sign of x NAME(power)(b)               2^n for b = MAGIC + n HAS_RATIONAL 1 or 0
 *   HAS_ROWS                     1 or 0; if 1:
 *   NAME(begin)(b)               b without the bits below table row_shift
 *   NAME(row_load)(b, c)         the coefficients of each b in c[]
 *   BY_LANE(x)                   where there is a table for permutations: x after its
 *                                name; then also
 *   INDEX                        type of an index for
 *   NAME(lane_index)(b)          the interval of each b
 *   NAME(lane)(row, index)       its number in that row of the table
 *
 * Those that depend on the type are undefined at the end.
 */

/* To `count` vectors at once: chains of operations that have nothing to do with each
 * other overlap. */
typedef void NAME(values)(VECTOR *x, int count);

#define EACH for (int k = 0; k < count; k++)
/* Its last place is 1: what is added is rounded to an integer. */
#define MAGIC ((TYPE)1.5 * (TYPE)((uint64_t)1 << SIGNIFICAND))

static inline __attribute__((always_inline)) void
NAME(each)(const struct simdbench_operands *operands, NAME(values) * values)
{
    const TYPE *x = operands->operand[0]->data;
    TYPE *y = operands->operand[1]->data;
    const size_t n = operands->operand[0]->count;
    VECTOR v[VECTORS];
    size_t i = 0;

    for (; n - i >= VECTORS * LANES; i += VECTORS * LANES) {
        for (int k = 0; k < VECTORS; k++)
            v[k] = LOAD(x + i + k * LANES);
        values(v, VECTORS);
        for (int k = 0; k < VECTORS; k++)
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
        TYPE part[LANES] = {0};
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
static inline __attribute__((always_inline)) VECTOR
NAME(polynomial)(const TYPE *coefficient, size_t n, VECTOR x)
{
    VECTOR y = SET(coefficient[n - 1]);

    for (size_t i = n - 1; i-- > 0;)
        y = FMA(y, x, SET(coefficient[i]));
    return y;
}

/* With a = n log(2) / 2 + r, r >= 0, s = 2^n = exp(2a - 2r) and w = tanh(r):
 * tanh(a) = ((s - 1) + (s + 1) w) / ((s + 1) + (s - 1) w), which is w itself if n = 0.
 * Above 0.69 that is 1 - (2 - 2w) / (...), where the fraction's error counts less. */
static inline __attribute__((always_inline)) void NAME(exp_method)(VECTOR *x, int count)
{
    VECTOR r[VECTORS], s[VECTORS], w[VECTORS];

    EACH
    {
        const VECTOR a = MIN(SET(TABLE(exp_end)), MAGNITUDE(x[k]));
        const VECTOR b =
            FMA(SUB(a, SET(TABLE(exp_half_step))), SET(TABLE(exp_per_step)), SET(MAGIC));
        const VECTOR n = SUB(b, SET(MAGIC));
        r[k] = FMA(n, SET(-TABLE(exp_step_high)), a);
        r[k] = FMA(n, SET(-TABLE(exp_step_low)), r[k]);
        s[k] = NAME(power)(b);
        w[k] = MUL(r[k], r[k]);
    }
    EACH w[k] =
        MUL(w[k], NAME(polynomial)(TABLE(exp), sizeof TABLE(exp) / sizeof(TYPE), w[k]));
    EACH w[k] = FMA(r[k], w[k], r[k]);
    EACH
    {
        const VECTOR less = SUB(s[k], SET(1)), more = ADD(s[k], SET(1));
        const VECTOR below = FMA(w[k], less, more);
        const VECTOR near0 = FMA(w[k], more, less), near1 = FMA(w[k], SET(2), SET(-2));
        const VECTOR two = SET(2);
        w[k] = DIV(IF_LESS(two, s[k], near1, near0), below);
        w[k] = ADD(w[k], IF_LESS(two, s[k], SET(1), SET(0)));
        x[k] = SIGNED(w[k], x[k]);
    }
}

#if HAS_RATIONAL
/* Good enough for f32, if it is rounded but once, at the end. */
static inline __attribute__((always_inline)) void NAME(rational_method)(VECTOR *x,
                                                                        int count)
{
    VECTOR a[VECTORS], u[VECTORS], p[VECTORS], q[VECTORS];

    EACH a[k] = MIN(SET(TABLE(rational_end)), MAGNITUDE(x[k]));
    EACH u[k] = MUL(a[k], a[k]);
    EACH p[k] = NAME(polynomial)(TABLE(rational_p),
                                 sizeof TABLE(rational_p) / sizeof(TYPE), u[k]);
    EACH q[k] = NAME(polynomial)(TABLE(rational_q),
                                 sizeof TABLE(rational_q) / sizeof(TYPE), u[k]);
    EACH p[k] = FMA(MUL(a[k], u[k]), p[k], a[k]);
    EACH q[k] = FMA(u[k], q[k], SET(1));
    EACH x[k] = SIGNED(DIV(p[k], q[k]), x[k]);
}
#endif

#if HAS_ROWS
/* Each element loads the coefficients of its interval. */
static inline __attribute__((always_inline)) void NAME(row_method)(VECTOR *x, int count)
{
    enum { TERMS = sizeof TABLE(row)[0] / sizeof(TYPE) };

    for (int k = 0; k < count; k++) {
        const VECTOR a = MAGNITUDE(x[k]);
        /* A NaN takes some row, but stays what it is. */
        const VECTOR b = ADD(MIN(a, SET(TABLE(row_end))), SET(TABLE(row_offset)));
        const VECTOR begin = SUB(NAME(begin)(b), SET(TABLE(row_offset)));
        const VECTOR t = SUB(MIN(SET(TABLE(row_end)), a), begin);
        VECTOR c[TERMS];
        NAME(row_load)(b, c);
        VECTOR y = c[TERMS - 1];
        for (int i = TERMS - 1; i-- > 0;)
            y = FMA(y, t, c[i]);
        x[k] = SIGNED(y, x[k]);
    }
}
#endif

#ifdef BY_LANE
/* The numbers of an interval are in one lane each of some registers. */
static inline __attribute__((always_inline)) void NAME(lane_method)(VECTOR *x, int count)
{
    enum { ROWS = sizeof BY_LANE() / sizeof BY_LANE()[0] };
    VECTOR t[VECTORS], y[VECTORS];
    INDEX index[VECTORS];

    EACH t[k] = MIN(SET(BY_LANE(_end)), MAGNITUDE(x[k]));
    EACH index[k] =
        NAME(lane_index)(FMA(t[k], SET(BY_LANE(_scale)), SET(BY_LANE(_offset))));
    EACH t[k] = SUB(t[k], NAME(lane)(0, index[k]));
    EACH y[k] = NAME(lane)(ROWS - 1, index[k]);
    for (int i = ROWS - 1; i-- > 1;)
        EACH y[k] = FMA(y[k], t[k], NAME(lane)(i, index[k]));
    EACH x[k] = SIGNED(y[k], x[k]);
}
#endif

#undef TYPE
#undef NAME
#undef TABLE
#undef SIGNIFICAND
#undef VECTOR
#undef INTRINSIC
#undef HAS_RATIONAL
#undef HAS_ROWS
#undef BY_LANE
#undef INDEX
#undef MAGIC
#undef EACH
