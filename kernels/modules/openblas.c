/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `openblas`: sgemm and dgemm, row-major, as baselines of op gemm, and sgemm after
 * im2col as one of op conv.
 * Option coretype=NAME makes OpenBLAS use the kernels of that core instead of those that
 * it chooses itself, which for a CPU newer than the library may be far from the best.
 *
 * The library is found when the module opens, not when it is linked: so the module exists
 * on machines without it, and its environment can be set first.
 */
#include "openblas.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#include "library.h"

struct openblas blas;

/* ---- core types ---- */

/* What each core's gemm kernels use; cores that are not here use SSE. Sandy Bridge to
 * Excavator use AVX (and some FMA) but no AVX2, so no bundle of simdbench's. */
static const struct {
    const char *core, *isa;
} cores[] = {
    {"Sandybridge", "avx"},   {"Bulldozer", "avx"},
    {"Piledriver", "avx"},    {"Steamroller", "avx"},
    {"Excavator", "avx"},     {"Haswell", "avx2"},
    {"Zen", "avx2"},          {"SkylakeX", "avx512"},
    {"Cooperlake", "avx512"}, {"Sapphirerapids", "avx512"},
};

static const char *core_isa(const char *core)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        if (strcasecmp(cores[i].core, core) == 0)
            return cores[i].isa;
    }
    return "sse2";
}

/* OpenBLAS takes any core that it is told to, and dies of an illegal instruction later.
 */
static bool cpu_has(const char *isa)
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

/* ---- kernels ---- */

static int gemm_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    (void)state;
    for (uint32_t i = 0; i < operands->shape->rank; i++) {
        if (operands->shape->dim[i] > INT_MAX) {
            snprintf(error, error_size, "OpenBLAS takes dimensions up to %d", INT_MAX);
            return -ENOTSUP;
        }
    }
    for (uint32_t i = 0; i < operands->count; i++) {
        if (operands->operand[i]->ld > INT_MAX) {
            snprintf(error, error_size, "OpenBLAS takes rows up to %d apart", INT_MAX);
            return -ENOTSUP;
        }
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

/* Matrix i of a batch: this OpenBLAS has no call for all of them. */
static void *matrix(const struct simdbench_operand *operand, int64_t i)
{
    const int64_t size = operand->type == SIMDBENCH_F32 ? 4 : 8;

    return (char *)operand->data + i * operand->stride * size;
}

static void sgemm_run(const struct simdbench_operands *operands, void *state)
{
    const struct simdbench_operand *const *operand =
        (const struct simdbench_operand *const *)operands->operand;
    const int64_t *dim = operands->shape->dim;
    (void)state;
    for (int64_t i = 0; i < matrices(operands); i++)
        blas.sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)dim[0], (int)dim[1],
                   (int)dim[2], 1, matrix(operand[0], i), leading(operand[0]),
                   matrix(operand[1], i), leading(operand[1]), 0, matrix(operand[2], i),
                   leading(operand[2]));
}

static void dgemm_run(const struct simdbench_operands *operands, void *state)
{
    const struct simdbench_operand *const *operand =
        (const struct simdbench_operand *const *)operands->operand;
    const int64_t *dim = operands->shape->dim;
    (void)state;
    for (int64_t i = 0; i < matrices(operands); i++)
        blas.dgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)dim[0], (int)dim[1],
                   (int)dim[2], 1, matrix(operand[0], i), leading(operand[0]),
                   matrix(operand[1], i), leading(operand[1]), 0, matrix(operand[2], i),
                   leading(operand[2]));
}

static const struct simdbench_kernel sgemm = {
    .size = sizeof sgemm,
    .type = SIMDBENCH_F32,
    .op = "gemm",
    .semiring = "plustimes",
    .isa = "lib",
    .variant = "sgemm",
    .roof = "fma",
    .prepare = gemm_prepare,
    .run = sgemm_run,
};

static const struct simdbench_kernel dgemm = {
    .size = sizeof dgemm,
    .type = SIMDBENCH_F64,
    .op = "gemm",
    .semiring = "plustimes",
    .isa = "lib",
    .variant = "dgemm",
    .roof = "fma",
    .prepare = gemm_prepare,
    .run = dgemm_run,
};

/* ---- module ---- */

static int load(char *error, size_t error_size)
{
    static const struct library library = {"libopenblas.so.0",
                                           "install OpenBLAS, e.g. package libopenblas0"};
    static const struct symbol symbols[] = {
        {"cblas_sgemm", &blas.sgemm},
        {"cblas_dgemm", &blas.dgemm},
        {"openblas_get_config", &blas.config},
        {"openblas_get_corename", &blas.core},
        {"openblas_set_num_threads", &blas.set_threads},
    };
    int status = library_load(&library, &blas.handle, symbols,
                              sizeof symbols / sizeof *symbols, error, error_size);
    if (status < 0)
        return status;
    /* "OpenBLAS 0.3.21 NO_AFFINITY ...": the first two words. */
    const char *config = blas.config();
    size_t first = strcspn(config, " ");
    size_t words = first + (config[first] == ' ');
    words += strcspn(config + words, " ");
    snprintf(blas.version, sizeof blas.version, "%.*s", (int)words, config);
    return 0;
}

static int openblas_open(const struct simdbench_option *const *options, size_t n,
                         char *error, size_t error_size)
{
    const char *core = NULL;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i]->name, "coretype") != 0) {
            snprintf(error, error_size, "there is no option '%s', only coretype=NAME",
                     options[i]->name);
            return -EINVAL;
        }
        core = options[i]->value;
    }
    if (core && !cpu_has(core_isa(core))) {
        snprintf(error, error_size, "coretype=%s needs %s, which this CPU lacks", core,
                 core_isa(core));
        return -EINVAL;
    }
    /* One thread until set_threads says otherwise: none is started by loading. */
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) < 0 ||
        (core && setenv("OPENBLAS_CORETYPE", core, 1) < 0))
        return -errno;
    int status = load(error, error_size);
    if (status < 0)
        return status;
    if (core && strcasecmp(core, blas.core()) != 0) {
        snprintf(error, error_size,
                 "%s does not know coretype=%s and would take %s instead", blas.version,
                 core, blas.core());
        return -EINVAL;
    }
    return 0;
}

/* OpenBLAS takes older kernels for CPUs that are newer than itself. */
static const char *wider_core(const char *isa)
{
    if (strcmp(isa, "avx512") != 0 && cpu_has("avx512"))
        return "coretype=SkylakeX";
    if (strcmp(isa, "avx512") != 0 && strcmp(isa, "avx2") != 0 && cpu_has("avx2"))
        return "coretype=Haswell";
    return NULL;
}

static int openblas_describe(struct simdbench_description *description)
{
    description->version = blas.version;
    description->core = blas.core();
    description->isa = core_isa(blas.core());
    description->detail = blas.config();
    description->advice = wider_core(description->isa);
    return 0;
}

static int openblas_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    blas.set_threads((int)threads);
    return 0;
}

static const struct simdbench_kernel *const kernels[] = {&sgemm, &dgemm, &conv_im2col,
                                                         NULL};

static const struct simdbench_module module = {
    .size = sizeof module,
    .abi = SIMDBENCH_ABI,
    .name = "openblas",
    .kernels = kernels,
    .open = openblas_open,
    .describe = openblas_describe,
    .set_threads = openblas_set_threads,
};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    return &module;
}
