/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `mkl`: Intel's oneMKL in one thread. sgemm and dgemm, row-major, are baselines
 * of op gemm, the vector functions of VML are such of op tanh, with a row for each
 * accuracy that VML has. Option library=FILE loads that libmkl_rt, which loads what it
 * needs from its own folder.
 */
#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include "blas.h"
#include "library.h"

/* As MKL's manual has them. */
enum { SEQUENTIAL = 1, LP64 = 0 };
/* Mode EP keeps half of the digits, less than the op allows. */
enum { VML_LA = 1, VML_HA = 2 };

static struct {
    void *handle;
    int (*set_threading)(int layer);
    int (*set_interface)(int layer);
    void (*version_string)(char *text, int size);
    void (*f32_tanh)(int n, const float *x, float *y, int64_t mode);
    void (*f64_tanh)(int n, const double *x, double *y, int64_t mode);
    char version[64];
    const struct core *core; /* NULL: one that is not known here */
} mkl;

/* ---- kernels that it chose ---- */

/* libmkl_NAME.so has the kernels for a kind of CPU, libmkl_vml_NAME.so those of VML. CPUs
 * of AMD have `def`: its gemm has kernels for AVX2, its VML has SSE2. */
static const struct core {
    const char *name, *gemm, *vml;
} cores[] = {{"avx10", "avx512", "avx512"}, {"avx512", "avx512", "avx512"},
             {"avx2", "avx2", "avx2"},      {"avx", "avx", "avx"},
             {"mc3", "sse2", "sse2"},       {"def", "avx2", "sse2"}};

/* Sets mkl.core if the object is one of those for gemm. */
static int find_core(struct dl_phdr_info *object, size_t size, void *unused)
{
    const char *slash = strrchr(object->dlpi_name, '/');
    for (size_t i = 0; slash && i < sizeof cores / sizeof *cores; i++) {
        char name[32];
        int n = snprintf(name, sizeof name, "/libmkl_%s.so", cores[i].name);
        if (strncmp(slash, name, (size_t)n) == 0)
            mkl.core = &cores[i];
    }
    return 0;
}

static const char *gemm_isa(void)
{
    return !mkl.core ? NULL : blas_cpu_has(mkl.core->gemm) ? mkl.core->gemm : "sse2";
}

/* ---- tanh ---- */

static int tanh_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    if (operands->operand[0]->count > INT_MAX)
        return refuse(error, error_size, -ENOTSUP, "oneMKL takes up to %d elements",
                      INT_MAX);
    return 0;
}

static void tanh_choice(const struct simdbench_operands *operands, const void *state,
                        struct simdbench_choice *choice)
{
    choice->implementation = mkl.core ? mkl.core->name : "VML";
    choice->isa = mkl.core ? mkl.core->vml : NULL;
}

/* With the error that it promises. */
#define TANH_ROW(element, type_, variant_, mode, ulp_)                                   \
    static void element##_##variant_##_run(const struct simdbench_operands *operands,    \
                                           void *state)                                  \
    {                                                                                    \
        mkl.element##_tanh((int)operands->operand[0]->count, operands->operand[0]->data, \
                           operands->operand[1]->data, mode);                            \
    }                                                                                    \
    static const struct simdbench_kernel element##_##variant_ = {                        \
        .size = sizeof element##_##variant_,                                             \
        .type = type_,                                                                   \
        .op = "tanh",                                                                    \
        .isa = "lib",                                                                    \
        .variant = #variant_,                                                            \
        .prepare = tanh_prepare,                                                         \
        .run = element##_##variant_##_run,                                               \
        .choice = tanh_choice,                                                           \
        .max_ulp = ulp_,                                                                 \
    };

TANH_ROW(f32, SIMDBENCH_F32, ha, VML_HA, 1)
TANH_ROW(f32, SIMDBENCH_F32, la, VML_LA, 4)
TANH_ROW(f64, SIMDBENCH_F64, ha, VML_HA, 1)
TANH_ROW(f64, SIMDBENCH_F64, la, VML_LA, 4)

/* ---- module ---- */

static int load(const char *file, char *error, size_t error_size)
{
    const struct library library = {
        file, "oneMKL is what scripts/setup peers fetches, or library=FILE"};
    static const struct symbol symbols[] = {
        {"MKL_Set_Threading_Layer", &mkl.set_threading},
        {"MKL_Set_Interface_Layer", &mkl.set_interface},
        {"MKL_Get_Version_String", &mkl.version_string},
        {"cblas_sgemm", &blas.sgemm},
        {"cblas_dgemm", &blas.dgemm},
        {"vmsTanh", &mkl.f32_tanh},
        {"vmdTanh", &mkl.f64_tanh},
    };
    blas.brand = "oneMKL";
    return library_load(&library, &mkl.handle, symbols, SYMBOLS(symbols), error,
                        error_size);
}

/* "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build ...": the number. */
static void tell_version(void)
{
    char text[256] = "";
    mkl.version_string(text, sizeof text - 1);
    const char *number = strstr(text, "Version ");
    number = number ? number + strlen("Version ") : text;
    snprintf(mkl.version, sizeof mkl.version, "oneMKL %.*s", (int)strcspn(number, "- "),
             number);
}

static int mkl_open(const struct simdbench_option *const *options, size_t n, char *error,
                    size_t error_size)
{
    const char *file = "libmkl_rt.so.3";
    const float one = 1;
    float product;
    int status = library_options(NULL, options, n, NULL, &file, error, error_size)
                     ?: load(file, error, error_size);
    if (status < 0)
        return status;
    mkl.set_threading(SEQUENTIAL);
    mkl.set_interface(LP64);
    tell_version();
    /* The first call loads the kernels. */
    blas.sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, 1, 1, 1, 1, &one, 1, &one, 1, 0,
               &product, 1);
    dl_iterate_phdr(find_core, NULL);
    return 0;
}

static int mkl_describe(struct simdbench_description *description)
{
    description->version = mkl.version;
    description->core = mkl.core ? mkl.core->name : NULL;
    description->isa = gemm_isa();
    return 0;
}

static int mkl_set_threads(uint32_t threads)
{
    return threads == 0 ? -EINVAL : threads > 1 ? -ENOTSUP : 0;
}

static const struct simdbench_kernel *const kernels[] = {
    &blas_sgemm, &blas_dgemm, &f32_ha, &f32_la, &f64_ha, &f64_la, NULL};

MODULE(.name = "mkl", .kernels = kernels, .open = mkl_open, .describe = mkl_describe,
       .set_threads = mkl_set_threads)
