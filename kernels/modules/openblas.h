/* SPDX-License-Identifier: Apache-2.0 */
/* Inside module `openblas`: the library's functions and the row of op conv. */
#ifndef SIMDBENCH_OPENBLAS_H
#define SIMDBENCH_OPENBLAS_H

#include "simdbench.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

typedef void sgemm_function(int order, int transpose_a, int transpose_b, int m, int n,
                            int k, float alpha, const float *a, int lda, const float *b,
                            int ldb, float beta, float *c, int ldc);
typedef void dgemm_function(int order, int transpose_a, int transpose_b, int m, int n,
                            int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc);

struct openblas {
    void *handle;
    sgemm_function *sgemm;
    dgemm_function *dgemm;
    char *(*config)(void);
    char *(*core)(void);
    void (*set_threads)(int n);
    char version[64];
};

extern struct openblas blas;
extern const struct simdbench_kernel conv_im2col;

#endif
