/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by modules of libraries with the C interface to BLAS: rows of op gemm, and
 * which instruction sets such a library may be told to use. */
#pragma once

#include <stdbool.h>

#include "simdbench.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };

typedef void sgemm_function(int order, int transpose_a, int transpose_b, int m, int n,
                            int k, float alpha, const float *a, int lda, const float *b,
                            int ldb, float beta, float *c, int ldc);
typedef void dgemm_function(int order, int transpose_a, int transpose_b, int m, int n,
                            int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc);

/* The library's functions: set them before a row is prepared. */
struct blas {
    const char *brand; /* for messages: "OpenBLAS" */
    sgemm_function *sgemm;
    dgemm_function *dgemm;
};

extern struct blas blas;
extern const struct simdbench_kernel blas_sgemm, blas_dgemm;

/* True if the CPU has all that kernels for "avx512", "avx2", "avx" use; true for other
 * names. Libraries take any kernels that they are told to, and die of an illegal
 * instruction later. */
bool blas_cpu_has(const char *isa);
