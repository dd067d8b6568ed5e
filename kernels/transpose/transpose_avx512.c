/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_avx512.h"

/* Four vectors, of which lane `n` of 128 bits each, become four of lanes of one number.
 */
#define TURN_LANES(s, a, b, c, d, v0, v1, v2, v3)                                       \
    do {                                                                                \
        const vector_f##s even[2] = {SHUFFLE_##s(a, b, 0x88), SHUFFLE_##s(c, d, 0x88)}; \
        const vector_f##s odd[2] = {SHUFFLE_##s(a, b, 0xdd), SHUFFLE_##s(c, d, 0xdd)};  \
        (v0) = SHUFFLE_##s(even[0], even[1], 0x88);                                     \
        (v1) = SHUFFLE_##s(odd[0], odd[1], 0x88);                                       \
        (v2) = SHUFFLE_##s(even[0], even[1], 0xdd);                                     \
        (v3) = SHUFFLE_##s(odd[0], odd[1], 0xdd);                                       \
    } while (0)
#define SHUFFLE_32 _mm512_shuffle_f32x4
#define SHUFFLE_64 _mm512_shuffle_f64x2

INLINE __m512 lanes_apart(const void *p, ptrdiff_t bytes)
{
    const char *const lane = p;
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(p));
    v = _mm512_mask_broadcast_f32x4(v, 0xf0, _mm_loadu_ps((const void *)(lane + bytes)));
    v = _mm512_mask_broadcast_f32x4(v, 0xf00,
                                    _mm_loadu_ps((const void *)(lane + 2 * bytes)));
    return _mm512_mask_broadcast_f32x4(v, 0xf000,
                                       _mm_loadu_ps((const void *)(lane + 3 * bytes)));
}

INLINE void turn_lanes_f32(const vector_f32 *v, vector_f32 *u)
{
    const __m512d t[4] = {
        (__m512d)_mm512_unpacklo_ps(v[0], v[1]), (__m512d)_mm512_unpackhi_ps(v[0], v[1]),
        (__m512d)_mm512_unpacklo_ps(v[2], v[3]), (__m512d)_mm512_unpackhi_ps(v[2], v[3])};
    u[0] = (__m512)_mm512_unpacklo_pd(t[0], t[2]);
    u[1] = (__m512)_mm512_unpackhi_pd(t[0], t[2]);
    u[2] = (__m512)_mm512_unpacklo_pd(t[1], t[3]);
    u[3] = (__m512)_mm512_unpackhi_pd(t[1], t[3]);
}

INLINE void turn_lanes_f64(const vector_f64 *v, vector_f64 *u)
{
    u[0] = _mm512_unpacklo_pd(v[0], v[1]);
    u[1] = _mm512_unpackhi_pd(v[0], v[1]);
}

INLINE void turn_f32(vector_f32 *v)
{
    __m512 u[16];
    for (int four = 0; four < 16; four += 4)
        turn_lanes_f32(v + four, u + four);
    for (int i = 0; i < 4; i++)
        TURN_LANES(32, u[i], u[4 + i], u[8 + i], u[12 + i], v[i], v[4 + i], v[8 + i],
                   v[12 + i]);
}

INLINE void turn_f64(vector_f64 *v)
{
    __m512d t[8];
    for (int two = 0; two < 8; two += 2)
        turn_lanes_f64(v + two, t + two);
    for (int i = 0; i < 2; i++)
        TURN_LANES(64, t[i], t[2 + i], t[4 + i], t[6 + i], v[i], v[2 + i], v[4 + i],
                   v[6 + i]);
}

#define HAS_LANES
#define T f32
#include "transpose_body.h"
#define T f64
#include "transpose_body.h"
