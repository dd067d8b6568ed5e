/* SPDX-License-Identifier: Apache-2.0 */
#include "blas.h"

#include <limits.h>

#include "library.h"

struct blas blas;

bool blas_cpu_has(const char *isa)
{
    if (strcmp(isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (strcmp(isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx") == 0)
        return __builtin_cpu_supports("avx");
    return true;
}

static int gemm_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    for (uint32_t i = 0; i < operands->shape->rank; i++) {
        if (operands->shape->dim[i] > INT_MAX)
            return refuse(error, error_size, -ENOTSUP, "%s takes dimensions up to %d",
                          blas.brand, INT_MAX);
    }
    for (uint32_t i = 0; i < operands->count; i++) {
        if (operands->operand[i]->ld > INT_MAX)
            return refuse(error, error_size, -ENOTSUP, "%s takes rows up to %d apart",
                          blas.brand, INT_MAX);
    }
    return 0;
}

/* A leading dimension must be positive even where there are no rows. */
static int leading(const struct simdbench_operand *operand)
{
    return operand->ld > 1 ? (int)operand->ld : 1;
}

static int64_t matrices(const struct simdbench_operands *operands)
{
    return operands->shape->rank == 4 ? operands->shape->dim[3] : 1;
}

/* Matrix i of a batch: the C interface has no call for all of them. */
static void *matrix(const struct simdbench_operand *operand, int64_t i)
{
    const int64_t size = operand->type == SIMDBENCH_F32 ? 4 : 8;

    return (char *)operand->data + i * operand->stride * size;
}

/* Row `name` of one type, which calls the function of that name. */
#define BLAS_ROW(name, type_)                                                          \
    static void name##_run(const struct simdbench_operands *operands, void *state)     \
    {                                                                                  \
        const struct simdbench_operand *const a = operands->operand[0],                \
                                              *const b = operands->operand[1],         \
                                              *const c = operands->operand[2];         \
        const int64_t *dim = operands->shape->dim;                                     \
        for (int64_t i = 0; i < matrices(operands); i++)                               \
            blas.name(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)dim[0], (int)dim[1], \
                      (int)dim[2], 1, matrix(a, i), leading(a), matrix(b, i),          \
                      leading(b), 0, matrix(c, i), leading(c));                        \
    }                                                                                  \
    const struct simdbench_kernel blas_##name = {                                      \
        .size = sizeof blas_##name,                                                    \
        .type = type_,                                                                 \
        .op = "gemm",                                                                  \
        .semiring = "plustimes",                                                       \
        .isa = "lib",                                                                  \
        .variant = #name,                                                              \
        .roof = "fma",                                                                 \
        .prepare = gemm_prepare,                                                       \
        .run = name##_run,                                                             \
    };

BLAS_ROW(sgemm, SIMDBENCH_F32)
BLAS_ROW(dgemm, SIMDBENCH_F64)
