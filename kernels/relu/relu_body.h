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
 * FEW(x, y, n)           fewer elements than a line has; if not defined, one by one
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

/* The asm keeps compilers from a vector loop, with all its tests, for so few. */
INLINE void NAME(few)(const TYPE *x, TYPE *y, size_t n)
{
#ifdef FEW
    FEW(x, y, n);
#else
    for (size_t i = 0; i < n; i++) {
        TYPE value = x[i] < 0 ? 0 : x[i];
        __asm__("" : "+x"(value));
        y[i] = value;
    }
#endif
}

/* The first vector may reach beyond the boundary where the second begins: from there on
 * no store but the last crosses a line. */
INLINE void NAME(ordinary)(const TYPE *x, TYPE *y, size_t n, enum relu_form form)
{
    size_t i = LANES - (uintptr_t)y / sizeof(TYPE) % LANES;
    if (n < LANES) {
        NAME(few)(x, y, n);
        return;
    }
    STORE(y, NAME(rectify)(LOAD(x), form));
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES) {
        VEC v[UNROLL];
        EACH(v[u] = NAME(rectify)(LOAD(x + i + u * LANES), form));
        EACH(STORE(y + i + u * LANES, v[u]));
    }
    for (; i + LANES <= n; i += LANES)
        STORE(y + i, NAME(rectify)(LOAD(x + i), form));
    if (i < n)
        STORE(y + n - LANES, NAME(rectify)(LOAD(x + n - LANES), form));
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
    NAME(few)(x, y, i);
    for (; i + UNROLL * LANES <= end; i += UNROLL * LANES) {
        VEC v[UNROLL];
        EACH(v[u] = NAME(rectify)(LOAD(x + i + u * LANES), RELU_MAX));
        EACH(STREAM(y + i + u * LANES, v[u]));
    }
    for (; i < end; i += LANES)
        STREAM(y + i, NAME(rectify)(LOAD(x + i), RELU_MAX));
    _mm_sfence();
    NAME(few)(x + end, y + end, n - end);
}

#undef LINE
#undef INLINE
