/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of f64 for AVX2. */
#include <immintrin.h>

typedef double element;
typedef __m256d vec;
#define load _mm256_loadu_pd
#define store _mm256_storeu_pd
#define splat _mm256_broadcast_sd
#define square_add(difference, sum) _mm256_fmadd_pd(difference, difference, sum)
#include "fresh_distance.h"

/* Sound. */
RUN(f76)
{
    distance(6, 2, operands);
}

/* More sums than there are registers. */
RUN(f36)
{
    distance(8, 3, operands);
}
