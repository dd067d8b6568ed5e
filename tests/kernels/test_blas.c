/* SPDX-License-Identifier: Apache-2.0 */
/* Modules openblas, blis and mkl, each configuration in a process of its own: it is one
 * per process. */
#include <dlfcn.h>
#include <unistd.h>

#include "kernels.h"
#include "library_child.h"
#include "unit.h"

static const struct simdbench_module *table_of(const char *name)
{
    char path[4096];
    if (module_find(name, path, sizeof path, NULL) < 0)
        _exit(SKIP);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct simdbench_module *(*entry)(uint32_t);
    if (!handle)
        _exit(100);
    *(void **)&entry = dlsym(handle, "simdbench_module");
    return entry(SIMDBENCH_ABI);
}

/* Opens with option=value, or without options for NULL. */
static int open_with(const struct simdbench_module *table, const char *option,
                     const char *value, char *error, size_t error_size)
{
    const struct simdbench_option one = {sizeof one, 0, option, value};
    const struct simdbench_option *const options[] = {&one};
    int status = table->open(options, option ? 1 : 0, error, error_size);
    if (status == -ENOENT)
        _exit(SKIP);
    return status;
}

/* One product with rows further apart than they are long; outputs start as NaN. */
static int product_is_wrong(const struct simdbench_kernel *kernel, int64_t m, int64_t n,
                            int64_t k)
{
    enum { PAD = 3, MOST = 64 * 64 };
    static double memory[3][MOST];
    const int64_t rows[] = {m, k, m}, columns[] = {k, n, n};
    const struct simdbench_shape shape = {sizeof shape, 3, {m, n, k}};
    struct operands operands = {
        .view = {.size = sizeof operands.view, .count = 3, .threads = 1, .shape = &shape},
    };
    bool is_f32 = kernel->type == SIMDBENCH_F32;
    for (int i = 0; i < 3; i++) {
        operands.operand[i] =
            (struct simdbench_operand){.size = sizeof operands.operand[i],
                                       .type = kernel->type,
                                       .role = i < 2 ? SIMDBENCH_IN : SIMDBENCH_OUT,
                                       .count = (uint64_t)(rows[i] * (columns[i] + PAD)),
                                       .ld = columns[i] ? columns[i] + PAD : 0,
                                       .data = memory[i]};
        operands.view.operand[i] = &operands.operand[i];
        for (int64_t e = 0; e < MOST; e++) {
            double value = i < 2 ? (double)((e * 7 + i) % 11 - 5) : (double)NAN;
            if (is_f32)
                ((float *)memory[i])[e] = (float)value;
            else
                memory[i][e] = value;
        }
    }
    char error[100];
    void *state = NULL;
    if (kernel->prepare(&operands.view, &state, error, sizeof error) < 0)
        return 1;
    kernel->run(&operands.view, state);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n + PAD; j++) {
            int64_t at = i * (n + PAD) + j;
            double sum = 0,
                   got = is_f32 ? (double)((float *)memory[2])[at] : memory[2][at];
            for (int64_t l = 0; l < k && j < n; l++) {
                int64_t a = i * (k + PAD) + l, b = l * (n + PAD) + j;
                sum += is_f32 ? (double)((float *)memory[0])[a] *
                                    (double)((float *)memory[1])[b]
                              : memory[0][a] * memory[1][b];
            }
            if (j < n ? got != sum : !isnan(got))
                return 1;
        }
    }
    return 0;
}

static int products(const char *name)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {3, 5, 0},  {0, 5, 3},   {5, 0, 3},
                                        {7, 9, 5}, {1, 33, 8}, {33, 17, 29}};
    const struct simdbench_module *table = table_of(name);
    char error[400] = "";
    if (open_with(table, NULL, NULL, error, sizeof error) < 0)
        return 1;
    if (table->set_threads(1) < 0 || table->set_threads(0) != -EINVAL)
        return 2;
    for (size_t i = 0; i < 2; i++) {
        for (size_t s = 0; s < ARRAY_LEN(shapes); s++) {
            if (product_is_wrong(table->kernels[i], shapes[s][0], shapes[s][1],
                                 shapes[s][2]))
                return 10 + (int)s;
        }
    }
    return 0;
}

/* The facts of each module that the bodies below ask for. */
static const struct choice {
    const char *module, *option, *narrow, *core, *library;
    const char *wide;    /* needs AVX-512 */
    const char *unknown; /* what is said of Cray1 */
} choices[] = {{"openblas", "coretype", "prescott", "Prescott", "OpenBLAS ", "SkylakeX",
                "does not know coretype=Cray1"},
               {"blis", "arch", "generic", "generic", "BLIS ", "skx",
                "arch=Cray1 is none of skx, haswell, "}};

static const struct choice *choice_of(const char *module)
{
    return &choices[strcmp(module, choices[0].module) != 0];
}

static int describe(const char *name)
{
    const struct choice *choice = choice_of(name);
    const struct simdbench_module *table = table_of(name);
    struct simdbench_description description = {.size = sizeof description};
    char error[400] = "";
    if (open_with(table, choice->option, choice->narrow, error, sizeof error) < 0)
        return 1;
    table->describe(&description);
    if (strncmp(description.version, choice->library, strlen(choice->library)) != 0 ||
        !strpbrk(description.version, "0123456789"))
        return 2;
    if (strcmp(description.core, choice->core) != 0)
        return 3;
    if (strcmp(description.isa, "sse2") != 0)
        return 4;
    if (!isa_available((size_t)isa_find("avx2"), NULL, 0) ? description.advice != NULL
                                                          : !description.advice)
        return 5;
    return !description.detail || product_is_wrong(table->kernels[0], 9, 17, 5);
}

/* The advice for a CPU with AVX-512 can be followed. */
static int wide(const char *name)
{
    const struct choice *choice = choice_of(name);
    const struct simdbench_module *table = table_of(name);
    struct simdbench_description description = {.size = sizeof description};
    char error[400] = "";
    const bool available = isa_available((size_t)isa_find("avx512"), NULL, 0);
    int status = open_with(table, choice->option, choice->wide, error, sizeof error);
    if (!available)
        return status != -EINVAL || !strstr(error, "needs avx512");
    table->describe(&description);
    return status < 0 || strcmp(description.core, choice->wide) != 0 ||
           strcmp(description.isa, "avx512") != 0 || description.advice ||
           product_is_wrong(table->kernels[0], 33, 17, 29) ||
           product_is_wrong(table->kernels[1], 33, 17, 29);
}

static int unknown_core(const char *name)
{
    const struct choice *choice = choice_of(name);
    const struct simdbench_module *table = table_of(name);
    char error[400] = "";
    if (open_with(table, choice->option, "Cray1", error, sizeof error) != -EINVAL)
        return 1;
    return !strstr(error, choice->unknown);
}

static int load(const char *name)
{
    char path[4096];
    struct module module;
    struct error error = {""};
    if (!op_find("gemm") || module_find(name, path, sizeof path, NULL) < 0)
        return SKIP;
    int status = module_load(&module, path, NULL, 0, &error);
    if (status == -ENOENT)
        return SKIP;
    if (status < 0)
        return 1;
    const bool wrong = strcmp(module.table->kernels[0]->roof, "fma") != 0;
    module_unload(&module);
    return wrong;
}

static int unknown_option(const char *name)
{
    const struct simdbench_module *table = table_of(name);
    char error[400] = "";
    if (open_with(table, "cores", "3", error, sizeof error) != -EINVAL)
        return 1;
    return !strstr(error, "'cores'");
}

/* BLIS: as many threads as it is told, whatever the environment says, and no more stay
 * alive; a build without a team of its own makes and ends them in each call. */
static int threads(const char *name)
{
    static const uint32_t counts[] = {1, 3, 2, 1, 2};
    const struct simdbench_module *table = table_of(name);
    struct simdbench_description description = {.size = sizeof description};
    char error[400] = "";
    const int others = threads_alive() - 1; /* an emulator's */
    setenv("BLIS_NUM_THREADS", "3", 1);
    setenv("BLIS_JC_NT", "2", 1);
    if (open_with(table, NULL, NULL, error, sizeof error) < 0 ||
        product_is_wrong(table->kernels[1], 50, 50, 50) || threads_alive() != others + 1)
        return 1;
    table->describe(&description);
    const bool team = strstr(description.detail, "OpenMP");
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        int status = table->set_threads(counts[i]);
        if (status == -ENOTSUP && counts[i] > 1 && !team)
            continue;
        if (status < 0 || product_is_wrong(table->kernels[1], 50, 50, 50))
            return 2;
        if (threads_alive() != others + (team ? (int)counts[i] : 1))
            return 10 + (int)i;
    }
    return 0;
}

#define BLAS(name)                                                                      \
    CHILD(load, name), CHILD(products, name), CHILD(describe, name), CHILD(wide, name), \
        CHILD(unknown_core, name), CHILD(unknown_option, name)

int main(void)
{
    return RUN_CHILDREN(BLAS("openblas"), BLAS("blis"), CHILD(threads, "blis"),
                        CHILD(load, "mkl"), CHILD(products, "mkl"));
}
