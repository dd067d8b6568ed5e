/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One kernel of op gemm, max-plus, whose builds differ in their code alone. The tile has
 * TILE_VECTORS vectors in each of four rows: 2 fit into registers, 6 do not. With
 * TILE_CALLS, each vector is a call. How wide a vector is follows from the flags.
 */
#include "modules/library.h"

#include <immintrin.h>
#include <math.h>

#ifndef TILE_VECTORS
#define TILE_VECTORS 2
#endif
#ifdef TILE_CALLS
#define TILE_INLINE __attribute__((noinline))
#else
#define TILE_INLINE inline __attribute__((always_inline))
#endif

#ifdef __AVX__
typedef __m256 vector;
#define SET(a) _mm256_set1_ps(a)
#define LOAD(from) _mm256_loadu_ps(from)
#define STORE(to, a) _mm256_storeu_ps(to, a)
#define ADD(a, b) _mm256_add_ps(a, b)
#define MAX(a, b) _mm256_max_ps(a, b)
#else
typedef __m128 vector;
#define SET(a) _mm_set1_ps(a)
#define LOAD(from) _mm_loadu_ps(from)
#define STORE(to, a) _mm_storeu_ps(to, a)
#define ADD(a, b) _mm_add_ps(a, b)
#define MAX(a, b) _mm_max_ps(a, b)
#endif

enum { ROWS = 4, LANES = sizeof(vector) / sizeof(float), COLUMNS = TILE_VECTORS * LANES };

static TILE_INLINE void best(vector *c, const float *b, float a)
{
    *c = MAX(ADD(LOAD(b), SET(a)), *c);
}

static void tile_run(const struct simdbench_operand *const *operand, int64_t i, int64_t j,
                     int64_t depth)
{
    const float *a = (const float *)operand[0]->data + i * operand[0]->ld;
    const float *b = (const float *)operand[1]->data + j;
    float *c = (float *)operand[2]->data + i * operand[2]->ld + j;
    vector sum[ROWS][TILE_VECTORS];
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < TILE_VECTORS; v++)
            sum[r][v] = SET(-INFINITY);
    for (int64_t l = 0; l < depth; l++, b += operand[1]->ld)
        for (int v = 0; v < TILE_VECTORS; v++)
            for (int r = 0; r < ROWS; r++)
                best(&sum[r][v], b + v * LANES, a[r * operand[0]->ld + l]);
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < TILE_VECTORS; v++)
            STORE(c + r * operand[2]->ld + v * LANES, sum[r][v]);
}

static void run(const struct simdbench_operands *operands, void *state)
{
    const int64_t *dim = operands->shape->dim;
    (void)state;
    for (int64_t i = 0; i < dim[0]; i += ROWS)
        for (int64_t j = 0; j < dim[1]; j += COLUMNS)
            tile_run((const struct simdbench_operand *const *)operands->operand, i, j,
                     dim[2]);
}

static int prepare(const struct simdbench_operands *operands, void **state, char *error,
                   size_t error_size)
{
    const int64_t *dim = operands->shape->dim;
    *state = NULL;
    if (dim[0] % ROWS == 0 && dim[1] % COLUMNS == 0)
        return 0;
    snprintf(error, error_size, "rows are no multiple of %d, or columns of %d", ROWS,
             COLUMNS);
    return -ENOTSUP;
}

static const struct simdbench_kernel kernel = {
    .size = sizeof kernel,
    .type = SIMDBENCH_F32,
    .op = "gemm",
    .semiring = "maxplus",
    .isa = "avx2",
    .variant = "tile",
    .prepare = prepare,
    .run = run,
};

static const struct simdbench_kernel *const kernels[] = {&kernel, NULL};

MODULE(.name = "tile", .kernels = kernels)
