/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of relu for one element type on one ISA, included once for each type. The file
 * that includes it defines before:
 *
 * TYPE, NAME(x)          element type; x with the type's name: ordinary_f32
 * VEC, LANES             vector and its number of elements
 * UNROLL                 vectors a turn of the loop
 * LOAD(p), STORE(p, v)   memory of any alignment
 * STREAM(p, v)           non-temporal, at a multiple of the vector's size
 * MAX(v)                 x < 0 ? 0 : x of all lanes, as a maximum
 * CMP_BLEND, AND_MASK    the same by other means, where there are such rows
 * FEW(x, y, n)           fewer elements than a line has
 *
 * x and y are either apart or the same: relu of relu is relu, so vectors may overlap.
 */
#define LINE (64 / sizeof(TYPE))
#define INLINE static inline __attribute__((always_inline))

INLINE VEC NAME(rectify)(VEC v, enum relu_form form)
{
#ifdef CMP_BLEND
    if (form == RELU_CMP_BLEND)
        return CMP_BLEND(v);
#endif
#ifdef AND_MASK
    if (form == RELU_AND_MASK)
        return AND_MASK(v);
#endif
    (void)form;
    return MAX(v);
}

/* All stores but those of the ends, which overlap their neighbours, are to multiples of
 * the vector. The ends are loaded before and stored after the rest: in place, a load from
 * two fresh stores would wait for both. Each load is followed by its store: several loads
 * before several stores lose up to 7% in the first cache, at some distances between x and
 * y. */
INLINE void NAME(ordinary)(const TYPE *x, TYPE *y, size_t n, enum relu_form form)
{
    size_t i = LANES - (uintptr_t)y / sizeof(TYPE) % LANES;
    if (n < LANES) {
        FEW(x, y, n);
        return;
    }
    const VEC first = NAME(rectify)(LOAD(x), form);
    const VEC last = NAME(rectify)(LOAD(x + n - LANES), form);
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES)
        EACH(STORE(y + i + u * LANES, NAME(rectify)(LOAD(x + i + u * LANES), form)));
    for (; i + LANES <= n; i += LANES)
        STORE(y + i, NAME(rectify)(LOAD(x + i), form));
    STORE(y, first);
    STORE(y + n - LANES, last);
}

/* Only whole lines go past the caches: parts of one would be merged in memory. */
INLINE void NAME(past_caches)(const TYPE *x, TYPE *y, size_t n)
{
    size_t i = -((uintptr_t)y / sizeof(TYPE)) % LINE;
    if (n < i + LINE) {
        NAME(ordinary)(x, y, n, RELU_MAX);
        return;
    }
    const size_t end = i + (n - i) / LINE * LINE;
    FEW(x, y, i);
    for (; i + UNROLL * LANES <= end; i += UNROLL * LANES)
        EACH(STREAM(y + i + u * LANES, NAME(rectify)(LOAD(x + i + u * LANES), RELU_MAX)));
    for (; i < end; i += LANES)
        STREAM(y + i, NAME(rectify)(LOAD(x + i), RELU_MAX));
    RELU_FENCE();
    FEW(x + end, y + end, n - end);
}

#undef LINE
#undef INLINE
