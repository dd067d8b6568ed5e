/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of map for one element type T on one instruction set. */
#include "map.h"

/* One vector of z, of vectors of x and y. */
typedef VEC OF(operation)(VEC x, VEC y);

INLINE VEC OF(sum)(VEC x, VEC y)
{
    return x + y;
}

INLINE VEC OF(difference)(VEC x, VEC y)
{
    return x - y;
}

INLINE VEC OF(product)(VEC x, VEC y)
{
    return x * y;
}

INLINE VEC OF(quotient)(VEC x, VEC y)
{
    return x / y;
}

/* Elements [i, n), by single vectors. */
INLINE void OF(rest)(OF(operation) * f, const T *x, const T *y, T *z, ptrdiff_t i,
                     ptrdiff_t n)
{
    for (; i + LANES <= n; i += LANES)
        STORE(z + i, f(LOAD(x + i), LOAD(y + i)));
    if (i < n)
        OF(store_first)(
            z + i, f(OF(load_first)(x + i, n - i), OF(load_first)(y + i, n - i)), n - i);
}

INLINE void OF(map)(OF(operation) * f, const struct simdbench_operands *operands)
{
    enum { UNROLL = 4 };
    const T *const x = operands->operand[0]->data, *const y = operands->operand[1]->data;
    T *const z = operands->operand[2]->data;
    const ptrdiff_t n = (ptrdiff_t)operands->operand[2]->count;
    ptrdiff_t i = 0;
    for (; i + UNROLL * LANES <= n; i += UNROLL * LANES)
        for (int k = 0; k < UNROLL; k++)
            STORE(z + i + k * LANES, f(LOAD(x + i + k * LANES), LOAD(y + i + k * LANES)));
    OF(rest)(f, x, y, z, i, n);
}

#ifdef HAS_STREAM
/* Whole lines of z go past the caches. */
INLINE void OF(map_stream)(OF(operation) * f, const struct simdbench_operands *operands)
{
    enum { LINE = 64 / sizeof(T) };
    const T *const x = operands->operand[0]->data, *const y = operands->operand[1]->data;
    T *const z = operands->operand[2]->data;
    const ptrdiff_t n = (ptrdiff_t)operands->operand[2]->count;
    ptrdiff_t i, head = (ptrdiff_t)(-((uintptr_t)z / sizeof(T)) % LINE);
    head = head < n ? head : n;
    OF(rest)(f, x, y, z, 0, head);
    for (i = head; i + LINE <= n; i += LINE)
        for (int k = 0; k < LINE; k += LANES)
            STREAM(z + i + k, f(LOAD(x + i + k), LOAD(y + i + k)));
    _mm_sfence();
    OF(rest)(f, x, y, z, i, n);
}
#define IF_STREAM(...) __VA_ARGS__
#else
#define IF_STREAM(...)
#endif

#define MAP_ROW(function, name)            \
    KERNEL_FUNCTION(map, function, direct) \
    {                                      \
        OF(map)(OF(name), operands);       \
    }                                      \
    IF_STREAM(                             \
        KERNEL_FUNCTION(map, function, stream) { OF(map_stream)(OF(name), operands); })

MAP_ROW(add, sum)
MAP_ROW(sub, difference)
MAP_ROW(mul, product)
MAP_ROW(div, quotient)

#undef T
