/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `blis`: sgemm and dgemm, row-major, as baselines of op gemm.
 * Option arch=NAME makes BLIS use that sub-configuration instead of the one that it
 * chooses itself, which for a CPU newer than the library may be far from the best.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "blas.h"
#include "library.h"

static struct {
    void *handle;
    int (*arch)(void);
    char *(*arch_name)(int id);
    char *(*version)(void);
    int (*int_bits)(void);
    int (*has_threads)(void);
    int (*has_openmp)(void);
    void (*set_threads)(intptr_t n);
    /* A function of libgomp, if BLIS uses it: ends the team that waits for work. */
    int (*end_team)(int kind);
    intptr_t threads;
    char version_text[64];
} blis;

/* ---- sub-configurations ---- */

/* The instruction sets of each one's gemm kernels, and whether any CPU with these sets
 * may run them: the others use further instructions, some of one family of CPUs alone. */
/* clang-format off */
static const struct {
    const char *name, *isa;
    bool anywhere;
} archs[] = {
    {"skx",          "avx512", true},
    {"haswell",      "avx2",   true},
    {"zen3",         "avx2",   true},
    {"zen2",         "avx2",   true},
    {"zen",          "avx2",   true},
    {"sandybridge",  "avx",    true},
    {"generic",      "sse2",   true},
    {"penryn",       "sse2",   false},
    {"knl",          "avx512", false},
    {"excavator",    "avx",    false},
    {"steamroller",  "avx",    false},
    {"piledriver",   "avx",    false},
    {"bulldozer",    "avx",    false},
};
/* clang-format on */

enum { N_ARCHS = sizeof archs / sizeof *archs };

/* NULL for one that is not known here: newer than this module. */
static const char *arch_isa(const char *name)
{
    for (size_t i = 0; i < N_ARCHS; i++) {
        if (strcmp(archs[i].name, name) == 0)
            return archs[i].isa;
    }
    return NULL;
}

static int check_arch(const char *name, char *error, size_t error_size)
{
    char names[128] = "";
    for (size_t i = 0; i < N_ARCHS && archs[i].anywhere; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                 archs[i].name);
        if (strcmp(archs[i].name, name) != 0)
            continue;
        if (blas_cpu_has(archs[i].isa))
            return 0;
        return refuse(error, error_size, -EINVAL,
                      "arch=%s needs %s, which this CPU lacks", name, archs[i].isa);
    }
    return refuse(error, error_size, -EINVAL, "arch=%s is none of %s", name, names);
}

/* BLIS takes the number of an arch, which differs by version; generic is the last. */
static int ask_for_arch(const char *name)
{
    char number[16];
    int id = 0;
    while (strcmp(blis.arch_name(id), name) != 0) {
        if (strcmp(blis.arch_name(id++), "generic") == 0)
            return -ENOENT;
    }
    snprintf(number, sizeof number, "%d", id);
    return setenv("BLIS_ARCH_TYPE", number, 1) < 0 ? -errno : 0;
}

/* ---- module ---- */

static int load(const char *file, char *error, size_t error_size)
{
    const struct library library = {file, "install BLIS, e.g. package libblis4-openmp"};
    static const struct symbol symbols[] = {
        {"cblas_sgemm", &blas.sgemm},
        {"cblas_dgemm", &blas.dgemm},
        {"bli_arch_query_id", &blis.arch},
        {"bli_arch_string", &blis.arch_name},
        {"bli_info_get_version_str", &blis.version},
        {"bli_info_get_blas_int_type_size", &blis.int_bits},
        {"bli_info_get_enable_threading", &blis.has_threads},
        {"bli_info_get_enable_openmp", &blis.has_openmp},
        {"bli_thread_set_num_threads", &blis.set_threads},
    };
    int status = library_load(&library, &blis.handle, symbols, SYMBOLS(symbols), error,
                              error_size);
    if (status < 0)
        return status;
    if (blis.int_bits() != 8 * sizeof(int))
        return refuse(error, error_size, -ENOTSUP,
                      "%s has BLAS integers of %d bits, not of %zu", library.file,
                      blis.int_bits(), 8 * sizeof(int));
    void *end_team = dlsym(blis.handle, "omp_pause_resource_all");
    memcpy(&blis.end_team, &end_team, sizeof end_team);
    blas.brand = "BLIS";
    snprintf(blis.version_text, sizeof blis.version_text, "BLIS %s", blis.version());
    return 0;
}

/* Ways to split the loops, in the environment, would count more than set_threads. */
static void forget_ways(void)
{
    static const char *const ways[] = {"BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT",
                                       "BLIS_JR_NT", "BLIS_IR_NT"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        unsetenv(ways[i]);
}

static int blis_open(const struct simdbench_option *const *options, size_t n, char *error,
                     size_t error_size)
{
    const char *arch = NULL, *file = "libblis.so.4";
    int status = library_options("arch", options, n, &arch, &file, error, error_size);
    if (status == 0 && arch)
        status = check_arch(arch, error, error_size);
    if (status == 0)
        status = load(file, error, error_size);
    if (status < 0)
        return status;
    forget_ways();
    status = arch ? ask_for_arch(arch) : 0;
    /* Before the arch can be told: this starts BLIS, that does not. */
    blis.threads = 1;
    blis.set_threads(1);
    if (status == -ENOENT || (arch && strcmp(arch, blis.arch_name(blis.arch())) != 0))
        return refuse(error, error_size, -EINVAL,
                      "%s has no arch=%s and would take %s instead", blis.version_text,
                      arch, blis.arch_name(blis.arch()));
    return status;
}

/* BLIS takes older kernels for CPUs that are newer than itself. */
static const char *wider_arch(const char *isa)
{
    if (!isa || strcmp(isa, "avx512") == 0)
        return NULL;
    if (blas_cpu_has("avx512"))
        return "arch=skx";
    return strcmp(isa, "avx2") != 0 && blas_cpu_has("avx2") ? "arch=haswell" : NULL;
}

static int blis_describe(struct simdbench_description *description)
{
    description->version = blis.version_text;
    description->core = blis.arch_name(blis.arch());
    description->isa = arch_isa(description->core);
    description->detail = blis.has_openmp()    ? "OpenMP threads"
                          : blis.has_threads() ? "threads made anew for each call"
                                               : "one thread";
    description->advice = wider_arch(description->isa);
    return 0;
}

static int blis_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    if (threads > 1 && !blis.has_threads())
        return -ENOTSUP;
    /* A team that was larger would stay alive. */
    if (blis.end_team && threads < blis.threads)
        blis.end_team(1);
    blis.threads = (intptr_t)threads;
    blis.set_threads(blis.threads);
    return 0;
}

static const struct simdbench_kernel *const kernels[] = {&blas_sgemm, &blas_dgemm, NULL};

MODULE(.name = "blis", .kernels = kernels, .open = blis_open, .describe = blis_describe,
       .set_threads = blis_set_threads)
