/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that SSE2, AVX2 and AVX-512 have alike. `m` begins the names of intrinsics:
 * _mm, _mm256 or _mm512. vector.h tells what the functions do. */
#pragma once

#include "vector/vector.h"

#define HAS_STREAM

/* clang-format off */
#define X86_FLOAT(t, m, vec, s) \
    typedef vec vector_##t; \
    typedef word_##t bits_##t __attribute__((vector_size(sizeof(vec)))); \
    INLINE vec load_##t(const t *p) { return m##_loadu_##s(p); } \
    INLINE void store_##t(t *p, vec v) { m##_storeu_##s(p, v); } \
    INLINE void stream_##t(t *p, vec v) { m##_stream_##s(p, v); } \
    INLINE vec splat_##t(t x) { return m##_set1_##s(x); } \
    INLINE vec max_##t(vec a, vec b) { return m##_max_##s(a, b); } \
    INLINE vec min_##t(vec a, vec b) { return m##_min_##s(a, b); } \
    INLINE bits_##t as_bits_##t(vec v) { return (bits_##t)v; } \
    INLINE vec as_vector_##t(bits_##t b) { return (vec)b; } \
    INLINE vec magnitude_##t(vec v) { return m##_andnot_##s(splat_##t((t)-0.0), v); } \
    INLINE vec with_sign_##t(vec v, vec sign) \
    { return m##_or_##s(v, m##_and_##s(splat_##t((t)-0.0), sign)); }

/* SSE2 and AVX2 lack some maxima: those of floats serve, for the bits of positive ones. */
#define X86_INTEGER(t, m, all, si, epi, set, vec, s) \
    typedef all vector_##t; \
    INLINE all load_##t(const t *p) { return m##_loadu_##si((const all *)(const void *)p); } \
    INLINE void store_##t(t *p, all v) { m##_storeu_##si((all *)(void *)p, v); } \
    INLINE all splat_##t(t x) { return m##_set1_##set(x); } \
    INLINE all add_##t(all a, all b) { return m##_add_##epi(a, b); } \
    INLINE all max_##t(all a, all b) { return (all)m##_max_##s((vec)a, (vec)b); } \
    INLINE all min_##t(all a, all b) { return (all)m##_min_##s((vec)a, (vec)b); }
/* clang-format on */
