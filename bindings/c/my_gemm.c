/* SPDX-License-Identifier: Apache-2.0 */
/* A module with one kernel of op gemm: max-plus in plain C, for the compiler to
 * vectorise. */
#include "simdbench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* A batch of matrices has a fourth dimension. */
static int rows_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    (void)state;
    if (operands->shape->rank == 3)
        return 0;
    snprintf(error, error_size, "rows multiplies one matrix, no batch");
    return -ENOTSUP;
}

/* c[i][j] = max over l of a[i][l] + b[l][j]; -infinity if there is no l. */
static void rows_run(const struct simdbench_operands *operands, void *state)
{
    const struct simdbench_operand *a = operands->operand[0], *b = operands->operand[1],
                                   *c = operands->operand[2];
    const int64_t *dim = operands->shape->dim, m = dim[0], n = dim[1], k = dim[2];
    (void)state;
    for (int64_t i = 0; i < m; i++) {
        float *to = (float *)c->data + i * c->ld;
        for (int64_t j = 0; j < n; j++)
            to[j] = -INFINITY;
        for (int64_t l = 0; l < k; l++) {
            const float one = ((const float *)a->data)[i * a->ld + l];
            const float *row = (const float *)b->data + l * b->ld;
            for (int64_t j = 0; j < n; j++)
                to[j] = one + row[j] > to[j] ? one + row[j] : to[j];
        }
    }
}

static struct simdbench_kernel rows;
static const struct simdbench_kernel *const kernels[] = {&rows, NULL};
static struct simdbench_module module;

/* Fields that are not set stay 0: simdbench.h says what that means. */
const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    rows.size = sizeof rows;
    rows.type = SIMDBENCH_F32;
    rows.op = "gemm";
    rows.semiring = "maxplus";
    rows.isa = "avx2";
    rows.variant = "rows";
    rows.roof = "fma_max";
    rows.prepare = rows_prepare;
    rows.run = rows_run;

    module.size = sizeof module;
    module.abi = SIMDBENCH_ABI;
    module.name = "my_gemm";
    module.kernels = kernels;
    return &module;
}
