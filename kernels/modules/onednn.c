/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules `onednn`: oneDNN 2 (Debian: libdnnl2), and `onednn3`: oneDNN 3, f32, as
 * baselines of ops relu, tanh, conv. Option isa=NAME keeps it from using wider
 * instructions than that, library=FILE loads that one.
 *
 * Primitives, their memory objects and reordered weights are made in prepare; run only
 * executes.
 */
#include "onednn.h"

#include <limits.h>

struct dnnl_library dnnl;

/* Names for option isa and what they are to oneDNN; and what it says that it uses: the
 * last of those whose instructions it has all. */
static const struct {
    const char *option, *isa, *core;
    dnnl_cpu_isa_t value;
} levels[] = {
    {"sse41", "sse2", "SSE4.1", dnnl_cpu_isa_sse41},
    {"avx", "avx", "AVX", dnnl_cpu_isa_avx},
    {"avx2", "avx2", "AVX2", dnnl_cpu_isa_avx2},
    {NULL, "avx2", "AVX2 with VNNI", dnnl_cpu_isa_avx2_vnni},
    {"avx512", "avx512", "AVX-512", dnnl_cpu_isa_avx512_core},
    {NULL, "avx512", "AVX-512 with VNNI", dnnl_cpu_isa_avx512_core_vnni},
    {NULL, "avx512", "AVX-512 with VNNI and BF16", dnnl_cpu_isa_avx512_core_bf16},
    {NULL, "avx512", "AVX-512 with AMX", dnnl_cpu_isa_avx512_core_amx},
};

enum { LEVELS = sizeof levels / sizeof *levels };

static const char *runtime_name(unsigned runtime)
{
    static const struct {
        unsigned runtime;
        const char *name;
    } names[] = {
        {DNNL_RUNTIME_NONE, "none"},  {DNNL_RUNTIME_SEQ, "sequential"},
        {DNNL_RUNTIME_OMP, "OpenMP"}, {DNNL_RUNTIME_THREADPOOL, "thread pool"},
        {DNNL_RUNTIME_TBB, "TBB"},    {DNNL_RUNTIME_OCL, "OpenCL"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].runtime == runtime)
            return names[i].name;
    }
    return "SYCL";
}

static int load(const char *file, char *error, size_t error_size)
{
    const struct library library = {file, ONEDNN_ADVICE};
#define SYMBOL(name) {"dnnl_" #name, &dnnl.name},
    static const struct symbol symbols[] = {DNNL_FUNCTIONS(SYMBOL)
#define MAKER(function) SYMBOL(function)
#include "onednn.def"
    };
#undef SYMBOL
    int status = library_load(&library, &dnnl.handle, symbols, SYMBOLS(symbols), error,
                              error_size);
    if (status < 0)
        return status;
    const dnnl_version_t *version = dnnl.version();
    snprintf(dnnl.name, sizeof dnnl.name, "oneDNN %d.%d.%d", version->major,
             version->minor, version->patch);
    snprintf(dnnl.detail, sizeof dnnl.detail, "cpu: %s, gpu: %s, commit %.40s",
             runtime_name(version->cpu_runtime), runtime_name(version->gpu_runtime),
             version->hash ? version->hash : "unknown");
    if (version->cpu_runtime == DNNL_RUNTIME_OMP) {
        /* A function of the OpenMP library that oneDNN is linked with. */
        void *found = dlsym(dnnl.handle, "omp_set_num_threads");
        memcpy(&dnnl.omp_set_num_threads, &found, sizeof found);
    }
    return 0;
}

static int onednn_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    if (!dnnl.omp_set_num_threads)
        return threads == 1 ? 0 : -ENOTSUP;
    dnnl.omp_set_num_threads((int)threads);
    return 0;
}

/* It also takes what the CPU lacks, and then uses what it has. */
static int limit_isa(const char *name, char *error, size_t error_size)
{
    int found = 0;
    while (found < LEVELS &&
           (!levels[found].option || strcmp(levels[found].option, name)))
        found++;
    if (found == LEVELS)
        return refuse(error, error_size, -EINVAL,
                      "isa=%s is not one of sse41, avx, avx2, avx512", name);
    if (dnnl.set_max_cpu_isa(levels[found].value) != dnnl_success)
        return refuse(error, error_size, -EINVAL, "%s cannot be limited to isa=%s",
                      dnnl.name, name);
    if (dnnl.get_effective_cpu_isa() != levels[found].value)
        return refuse(error, error_size, -EINVAL, "isa=%s is more than this CPU has",
                      name);
    return 0;
}

static int onednn_open(const struct simdbench_option *const *options, size_t n,
                       char *error, size_t error_size)
{
    const char *isa = NULL, *file = ONEDNN_FILE;
    int status = library_options("isa", options, n, &isa, &file, error, error_size)
                     ?: load(file, error, error_size);
    if (status == 0 && isa)
        status = limit_isa(isa, error, error_size);
    if (status < 0)
        return status;
    onednn_set_threads(1);
    if (dnnl.engine_create(&dnnl.engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl.stream_create(&dnnl.stream, dnnl.engine, dnnl_stream_default_flags) !=
            dnnl_success ||
        dnnl.primitive_attr_create(&dnnl.attr) != dnnl_success ||
        dnnl.primitive_attr_set_scratchpad_mode(dnnl.attr, dnnl_scratchpad_mode_user) !=
            dnnl_success)
        return refuse(error, error_size, -EIO, "%s finds no CPU to run on", dnnl.name);
    return 0;
}

static void onednn_close(void)
{
    dnnl.primitive_attr_destroy(dnnl.attr);
    dnnl.stream_destroy(dnnl.stream);
    dnnl.engine_destroy(dnnl.engine);
}

static int onednn_describe(struct simdbench_description *description)
{
    const dnnl_cpu_isa_t isa = dnnl.get_effective_cpu_isa();
    description->version = dnnl.name;
    description->detail = dnnl.detail;
    for (size_t i = 0; i < LEVELS; i++) {
        if ((levels[i].value & isa) == levels[i].value) {
            description->core = levels[i].core;
            description->isa = levels[i].isa;
        }
    }
    return 0;
}

#define ROW(op_, variant_, prepare_, ...)                                     \
    &(const struct simdbench_kernel){.size = sizeof(struct simdbench_kernel), \
                                     .type = SIMDBENCH_F32,                   \
                                     .op = #op_,                              \
                                     .isa = "lib",                            \
                                     .variant = #variant_,                    \
                                     .prepare = prepare_,                     \
                                     .run = state_run,                        \
                                     .release = state_release,                \
                                     .choice = state_choice,                  \
                                     __VA_ARGS__},
static const struct simdbench_kernel *const kernels[] = {
#include "onednn.def"
    NULL,
};

MODULE(.name = ONEDNN_MODULE, .kernels = kernels, .open = onednn_open,
       .describe = onednn_describe, .set_threads = onednn_set_threads,
       .close = onednn_close)
