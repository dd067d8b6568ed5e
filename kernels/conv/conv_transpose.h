/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shuffles of vectors. The file that includes it has included vector_<isa>.h and defines
 * T before, which is f32.
 *
 * conv_transpose()   turns LANES vectors in registers, a square matrix
 * EACH_SECOND(a, b)  the even lanes of a, then the odd lanes of b
 */
#pragma once

#if defined(__AVX512F__)
#define EACH_SECOND(a, b)                                                                \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, \
                            31)
#define PAIR_LOW _mm512_unpacklo_ps
#define PAIR_HIGH _mm512_unpackhi_ps
#define FOUR_LOW(a, b) \
    _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
#define FOUR_HIGH(a, b) \
    _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
#elif defined(__AVX__)
#define EACH_SECOND(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15)
#define PAIR_LOW _mm256_unpacklo_ps
#define PAIR_HIGH _mm256_unpackhi_ps
#define FOUR_LOW(a, b) \
    _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define FOUR_HIGH(a, b) \
    _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#elif defined(__aarch64__)
#define EACH_SECOND(a, b) __builtin_shufflevector(a, b, 0, 2, 5, 7)
#define PAIR_LOW vzip1q_f32
#define PAIR_HIGH vzip2q_f32
#define FOUR_LOW(a, b) (VEC) vzip1q_f64((float64x2_t)(a), (float64x2_t)(b))
#define FOUR_HIGH(a, b) (VEC) vzip2q_f64((float64x2_t)(a), (float64x2_t)(b))
#else
#define EACH_SECOND(a, b) _mm_shuffle_ps(a, b, 0xd8)
#define PAIR_LOW _mm_unpacklo_ps
#define PAIR_HIGH _mm_unpackhi_ps
#define FOUR_LOW(a, b) _mm_castpd_ps(_mm_unpacklo_pd(_mm_castps_pd(a), _mm_castps_pd(b)))
#define FOUR_HIGH(a, b) _mm_castpd_ps(_mm_unpackhi_pd(_mm_castps_pd(a), _mm_castps_pd(b)))
#endif

INLINE void conv_transpose(VEC row[LANES])
{
    VEC pair[LANES];

    /* In each quarter of 4 lanes of 4 rows. */
    for (int i = 0; i < LANES; i += 4) {
        const VEC a = PAIR_LOW(row[i], row[i + 1]), b = PAIR_HIGH(row[i], row[i + 1]);
        const VEC c = PAIR_LOW(row[i + 2], row[i + 3]);
        const VEC d = PAIR_HIGH(row[i + 2], row[i + 3]);
        pair[i] = FOUR_LOW(a, c);
        pair[i + 1] = FOUR_HIGH(a, c);
        pair[i + 2] = FOUR_LOW(b, d);
        pair[i + 3] = FOUR_HIGH(b, d);
    }
    /* Then the quarters. */
#if defined(__AVX512F__)
    for (int i = 0; i < 4; i++) {
        const VEC a = _mm512_shuffle_f32x4(pair[i], pair[i + 4], 0x88);
        const VEC b = _mm512_shuffle_f32x4(pair[i], pair[i + 4], 0xdd);
        const VEC c = _mm512_shuffle_f32x4(pair[i + 8], pair[i + 12], 0x88);
        const VEC d = _mm512_shuffle_f32x4(pair[i + 8], pair[i + 12], 0xdd);
        row[i] = _mm512_shuffle_f32x4(a, c, 0x88);
        row[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
        row[i + 8] = _mm512_shuffle_f32x4(a, c, 0xdd);
        row[i + 12] = _mm512_shuffle_f32x4(b, d, 0xdd);
    }
#elif defined(__AVX__)
    for (int i = 0; i < 4; i++) {
        row[i] = _mm256_permute2f128_ps(pair[i], pair[i + 4], 0x20);
        row[i + 4] = _mm256_permute2f128_ps(pair[i], pair[i + 4], 0x31);
    }
#else
    for (int i = 0; i < 4; i++)
        row[i] = pair[i];
#endif
}
