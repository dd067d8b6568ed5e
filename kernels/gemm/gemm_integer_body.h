/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of gemm_body.h for integers: it reads elements of A and B and writes C by the
 * rules of gemm.h. INTEGER_LIMIT is L, the limit that elements saturate to.
 *
 * Inside the product each number of C is a sum of an element of A, one of B and 8 L. The
 * zero of an operand becomes 3 L + 1 or its negative, so a sum that is further than 2 L
 * from 8 L contains a zero. Sums lie in [2 L - 2, 14 L + 2] and so are the bits of normal
 * positive floats, whose order is that of the integers: a maximum of floats does where an
 * instruction set has none of integers.
 */

static inline T OF(zero)(enum gemm_form form)
{
    return gemm_form_min(form) ? INTEGER_MOST : -INTEGER_MOST - 1;
}

/* Less than any sum for maxplus, and what the sum of two zeros is. */
static inline T OF(start)(enum gemm_form form)
{
    return INTEGER_BIAS + (gemm_form_min(form) ? 2 * INTEGER_FAR : -2 * INTEGER_FAR);
}

static inline T OF(entry)(T x, enum gemm_form form, bool of_a)
{
    const T least = -INTEGER_LIMIT, most = INTEGER_LIMIT;
    const T near = x < least ? least : x > most ? most : x;
    const T far = gemm_form_min(form) ? INTEGER_FAR : -INTEGER_FAR;

    return (x == OF(zero)(form) ? far : near) + (of_a ? INTEGER_BIAS : 0);
}

INLINE VEC OF(times)(VEC a, VEC b, enum gemm_form form)
{
    return OF(add)(a, b);
}

static inline void OF(read_elements)(T *restrict to, const T *restrict from, ptrdiff_t n,
                                     enum gemm_form form, bool of_a)
{
    for (ptrdiff_t i = 0; i < n; i++)
        to[i] = OF(entry)(from[i], form, of_a);
}

static inline void OF(read_vector)(T *to, const T *from, enum gemm_form form, bool of_a)
{
    OF(read_elements)(to, from, LANES, form, of_a);
}

static inline void OF(read_first)(T *to, const T *from, ptrdiff_t n, enum gemm_form form)
{
    OF(read_elements)(to, from, n, form, false);
}

static inline void OF(write_first)(T *to, const T *from, ptrdiff_t n)
{
    memcpy(to, from, (size_t)n * sizeof(T));
}

/* Sums become elements of C, m rows of n. */
static void OF(finish)(T *c, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, enum gemm_form form)
{
    const bool minimum = gemm_form_min(form);
    const T zero = OF(zero)(form);

    for (ptrdiff_t i = 0; i < m; i++, c += ldc)
        for (ptrdiff_t j = 0; j < n; j++) {
            const T x = c[j] - INTEGER_BIAS;
            const bool far = minimum ? x > 2 * INTEGER_LIMIT : x < -2 * INTEGER_LIMIT;
            c[j] = far ? zero : x;
        }
}
