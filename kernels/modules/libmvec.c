/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `libmvec`: the vector functions of the GNU C library (from 2.35 on), which
 * compilers call for a loop over tanh with -ffast-math, as baselines of op tanh. Their
 * names are those of the vector function ABI: b is SSE, d AVX2, e AVX-512. All of them
 * promise 4 ulp.
 */
#include <gnu/libc-version.h>

#include "library.h"
#include "vector_calls.h"

#define ROWS(ROW)                                      \
    ROW(tanh, f32, sse2, vector, 4, _ZGVbN4v_tanhf)    \
    ROW(tanh, f32, avx2, vector, 4, _ZGVdN8v_tanhf)    \
    ROW(tanh, f32, avx512, vector, 4, _ZGVeN16v_tanhf) \
    ROW(tanh, f64, sse2, vector, 4, _ZGVbN2v_tanh)     \
    ROW(tanh, f64, avx2, vector, 4, _ZGVdN4v_tanh)     \
    ROW(tanh, f64, avx512, vector, 4, _ZGVeN8v_tanh)

ROWS(VECTOR_ROW)

static const struct simdbench_kernel *const kernels[] = {ROWS(VECTOR_KERNEL) NULL};

static int libmvec_open(const struct simdbench_option *const *options, size_t n,
                        char *error, size_t error_size)
{
    static const struct library library = {
        "libmvec.so.1", "it is part of the GNU C library, package libc6, for x86-64"};
    static const struct symbol symbols[] = {ROWS(VECTOR_SYMBOL)};
    void *handle;
    return library_no_options(options, n, error, error_size)
               ?: library_load(&library, &handle, symbols, SYMBOLS(symbols), error,
                               error_size);
}

static int libmvec_describe(struct simdbench_description *description)
{
    static char version[64];
    snprintf(version, sizeof version, "glibc %.40s", gnu_get_libc_version());
    description->version = version;
    return 0;
}

MODULE(.name = "libmvec", .kernels = kernels, .open = libmvec_open,
       .describe = libmvec_describe)
