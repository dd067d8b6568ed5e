/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of relu for one element type T on one ISA, included once for each type. The
 * file that includes it has included relu_rows.h and vector_<isa>.h (or defines, where a
 * vector is a pair of registers, vector_<type>, load, store, stream and positive) and
 * defines before:
 *
 * UNROLL                 vectors a turn of the loop
 * CMP_BLEND, AND_MASK    x < 0 ? 0 : x by other means, where there are such rows
 * BRANCH                 statement of row `branch`, where there is one
 *
 * x and y are either apart or the same: relu of relu is relu, so vectors may overlap.
 */
#define LINE (64 / sizeof(T))

INLINE VEC OF(rectify)(VEC v, enum relu_form form)
{
#ifdef CMP_BLEND
    if (form == RELU_CMP_BLEND)
        return CMP_BLEND(v);
#endif
#ifdef AND_MASK
    if (form == RELU_AND_MASK)
        return AND_MASK(v);
#endif
    return RECTIFY(v);
}

/* All stores but those of the ends, which overlap their neighbours, are to multiples of
 * the vector. The ends are loaded before and stored after the rest: in place, a load from
 * two fresh stores would wait for both. Each load is followed by its store: several loads
 * before several stores lose up to 7% in the first cache, at some distances between x and
 * y. */
INLINE void OF(ordinary)(const T *x, T *y, size_t n, enum relu_form form)
{
    size_t i = LANES - (uintptr_t)y / sizeof(T) % LANES;
    if (n < LANES) {
        FEW(x, y, n);
        return;
    }
    const VEC first = OF(rectify)(LOAD(x), form);
    const VEC last = OF(rectify)(LOAD(x + n - LANES), form);
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES)
        EACH(STORE(y + i + u * LANES, OF(rectify)(LOAD(x + i + u * LANES), form)));
    for (; i + LANES <= n; i += LANES)
        STORE(y + i, OF(rectify)(LOAD(x + i), form));
    STORE(y, first);
    STORE(y + n - LANES, last);
}

/* Only whole lines go past the caches: parts of one would be merged in memory. */
INLINE void OF(past_caches)(const T *x, T *y, size_t n)
{
    size_t i = -((uintptr_t)y / sizeof(T)) % LINE;
    if (n < i + LINE) {
        OF(ordinary)(x, y, n, RELU_MAX);
        return;
    }
    const size_t end = i + (n - i) / LINE * LINE;
    FEW(x, y, i);
    for (; i + UNROLL * LANES <= end; i += UNROLL * LANES)
        EACH(STREAM(y + i + u * LANES, OF(rectify)(LOAD(x + i + u * LANES), RELU_MAX)));
    for (; i < end; i += LANES)
        STREAM(y + i, OF(rectify)(LOAD(x + i), RELU_MAX));
    FENCE();
    FEW(x + end, y + end, n - end);
}

RELU_ROW(max, OF(ordinary)(x, y, n, RELU_MAX);)
RELU_ROW(inplace, OF(ordinary)(y, y, n, RELU_MAX);)
RELU_ROW(stream, OF(past_caches)(x, y, n);)
FASTEST_KERNEL(relu)
RELU_ROW(three_pass, memcpy(y, x, n * sizeof *x); OF(ordinary)(y, y, n, RELU_MAX);)
RELU_ROW(alloc, RELU_ALLOC)
#ifdef CMP_BLEND
RELU_ROW(cmp_blend, OF(ordinary)(x, y, n, RELU_CMP_BLEND);)
#endif
#ifdef AND_MASK
RELU_ROW(and_mask, OF(ordinary)(x, y, n, RELU_AND_MASK);)
#endif
#ifdef BRANCH
RELU_ROW(branch, BRANCH)
#endif

#undef LINE
#undef T
