/* SPDX-License-Identifier: Apache-2.0 */
#include "tanh_methods.h"
#include "vector/vector_avx512.h"

#define VECTORS 4
#define FEW VECTORS
#define FUSED
#define INTERVALS_f32 32
#define INTERVALS_f64 -1
#define FLOOR_f32 _mm512_floor_ps

INLINE vector_f32 lane_f32(const f32 *table, bits_f32 index)
{
    return _mm512_permutex2var_ps(load_f32(table), (__m512i)index, load_f32(table + 16));
}

#define T f64
#include "tanh_body.h"
#define T f32
#include "tanh_body.h"
