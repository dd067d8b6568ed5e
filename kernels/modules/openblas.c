/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `openblas`: sgemm and dgemm, row-major, as baselines of op gemm, and sgemm after
 * im2col as one of op conv.
 * Option coretype=NAME makes OpenBLAS use the kernels of that core instead of those that
 * it chooses itself, which for a CPU newer than the library may be far from the best.
 * Option library=FILE loads that one.
 *
 * The library is found when the module opens, not when it is linked: so the module exists
 * on machines without it, and its environment can be set first.
 */
#include "openblas.h"

#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "library.h"

#define CORE_VARIABLE "OPENBLAS_CORETYPE"

static struct {
    void *handle;
    char *(*config)(void);
    char *(*core)(void);
    void (*set_threads)(int n);
    char version[64];
} openblas;

/* ---- core types ---- */

/* The instruction sets of each core's gemm kernels; cores that are not here use SSE.
 * Sandy Bridge to Excavator use AVX (and some FMA) but no AVX2, so no bundle of
 * simdbench's. */
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

/* ---- module ---- */

/* Builds for SciPy have a prefix before each name. */
/* clang-format off */
#define FUNCTIONS(prefix) \
    { \
        {prefix "cblas_sgemm", &blas.sgemm}, \
        {prefix "cblas_dgemm", &blas.dgemm}, \
        {prefix "openblas_get_config", &openblas.config}, \
        {prefix "openblas_get_corename", &openblas.core}, \
        {prefix "openblas_set_num_threads", &openblas.set_threads}, \
    }
/* clang-format on */

static int load(const char *file, char *error, size_t error_size)
{
    const struct library library = {file, "install OpenBLAS, e.g. package libopenblas0"};
    static const struct symbol plain[] = FUNCTIONS(""), scipy[] = FUNCTIONS("scipy_");
    char why[512];
    int status = library_load(&library, &openblas.handle, plain, SYMBOLS(plain), error,
                              error_size);
    if (status < 0 &&
        (!openblas.handle || library_load(&library, &openblas.handle, scipy,
                                          SYMBOLS(scipy), why, sizeof why) < 0))
        return status;
    blas.brand = "OpenBLAS";
    /* "OpenBLAS 0.3.21 NO_AFFINITY ...": the first two words. */
    const char *config = openblas.config();
    size_t first = strcspn(config, " ");
    size_t words = first + (config[first] == ' ');
    words += strcspn(config + words, " ");
    snprintf(openblas.version, sizeof openblas.version, "%.*s", (int)words, config);
    return 0;
}

static int openblas_open(const struct simdbench_option *const *options, size_t n,
                         char *error, size_t error_size)
{
    const char *core = NULL, *file = "libopenblas.so.0";
    int status = library_options("coretype", options, n, &core, &file, error, error_size);
    if (status < 0)
        return status;
    /* The user's environment may name one too: OpenBLAS takes it without a check. */
    const char *const named = core ? core : getenv(CORE_VARIABLE);
    if (named && !blas_cpu_has(core_isa(named)))
        return refuse(error, error_size, -EINVAL, "%s=%s needs %s, which this CPU lacks",
                      core ? "coretype" : CORE_VARIABLE, named, core_isa(named));
    /* One thread until set_threads says otherwise: none is started by loading. */
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) < 0 ||
        (core && setenv(CORE_VARIABLE, core, 1) < 0))
        return -errno;
    status = load(file, error, error_size);
    if (status < 0)
        return status;
    if (core && strcasecmp(core, openblas.core()) != 0)
        return refuse(error, error_size, -EINVAL,
                      "%s does not know coretype=%s and would take %s instead",
                      openblas.version, core, openblas.core());
    return 0;
}

/* OpenBLAS takes older kernels for CPUs that are newer than itself, and those that the
 * environment names. */
static const char *wider_core(const char *isa)
{
#define ADVICE(core) getenv(CORE_VARIABLE) ? core " (" CORE_VARIABLE " is set)" : core
    if (strcmp(isa, "avx512") != 0 && blas_cpu_has("avx512"))
        return ADVICE("coretype=SkylakeX");
    if (strcmp(isa, "avx512") != 0 && strcmp(isa, "avx2") != 0 && blas_cpu_has("avx2"))
        return ADVICE("coretype=Haswell");
#undef ADVICE
    return NULL;
}

static int openblas_describe(struct simdbench_description *description)
{
    description->version = openblas.version;
    description->core = openblas.core();
    description->isa = core_isa(openblas.core());
    description->detail = openblas.config();
    description->advice = wider_core(description->isa);
    return 0;
}

static int openblas_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    openblas.set_threads((int)threads);
    return 0;
}

static const struct simdbench_kernel *const kernels[] = {&blas_sgemm, &blas_dgemm,
                                                         &conv_im2col, NULL};

MODULE(.name = "openblas", .kernels = kernels, .open = openblas_open,
       .describe = openblas_describe, .set_threads = openblas_set_threads)
