/* SPDX-License-Identifier: Apache-2.0 */
/* Module openblas, each configuration in a process of its own: it is one per process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

enum { SKIP = 77 };

static const struct simdbench_module *table_of(void)
{
    char path[4096];
    if (module_find("openblas", path, sizeof path, NULL) < 0)
        _exit(SKIP);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct simdbench_module *(*entry)(uint32_t);
    if (!handle)
        _exit(100);
    *(void **)&entry = dlsym(handle, "simdbench_module");
    return entry(SIMDBENCH_ABI);
}

/* Opens with coretype=`core`, or without options for NULL. */
static int open_core(const struct simdbench_module *table, const char *core, char *error,
                     size_t error_size)
{
    const struct simdbench_option option = {sizeof option, 0, "coretype", core};
    const struct simdbench_option *const options[] = {&option};
    int status = table->open(options, core ? 1 : 0, error, error_size);
    if (status == -ENOENT)
        _exit(SKIP);
    return status;
}

/* Runs `body` in a child, which exits with 0 if all is well. */
static void in_child(int (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIP)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
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
        operands.operand[i] = (struct simdbench_operand){
            .size = sizeof operands.operand[i],
            .type = kernel->type,
            .role = i < 2 ? SIMDBENCH_IN : SIMDBENCH_OUT,
            .count = (uint64_t)(rows[i] * (columns[i] + PAD)),
            .ld = columns[i] ? columns[i] + PAD : 0,
            .data = memory[i],
        };
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

static int products_body(void)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {3, 5, 0},  {0, 5, 3},   {5, 0, 3},
                                        {7, 9, 5}, {1, 33, 8}, {33, 17, 29}};
    const struct simdbench_module *table = table_of();
    char error[400] = "";
    if (open_core(table, NULL, error, sizeof error) < 0)
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

static int describe_body(void)
{
    const struct simdbench_module *table = table_of();
    struct simdbench_description description = {.size = sizeof description};
    char error[400] = "";
    if (open_core(table, "nehalem", error, sizeof error) < 0)
        return 1;
    table->describe(&description);
    if (strncmp(description.version, "OpenBLAS ", 9) != 0 ||
        !strpbrk(description.version, "0123456789"))
        return 2;
    if (strcmp(description.core, "Nehalem") != 0)
        return 3;
    if (strcmp(description.isa, "sse2") != 0)
        return 4;
    return !strstr(description.detail, "OpenBLAS");
}

static int unknown_core_body(void)
{
    const struct simdbench_module *table = table_of();
    char error[400] = "";
    if (open_core(table, "Cray1", error, sizeof error) != -EINVAL)
        return 1;
    return !strstr(error, "does not know coretype=Cray1");
}

static int unavailable_core_body(void)
{
    const struct simdbench_module *table = table_of();
    char error[400] = "";
    if (isa_available((size_t)isa_find("avx512"), NULL, 0))
        return SKIP;
    if (open_core(table, "SkylakeX", error, sizeof error) != -EINVAL)
        return 1;
    return !strstr(error, "needs avx512");
}

static int load_body(void)
{
    char path[4096];
    struct module module;
    struct error error = {""};
    if (!op_find("gemm") || module_find("openblas", path, sizeof path, NULL) < 0)
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

static int unknown_option_body(void)
{
    const struct simdbench_module *table = table_of();
    const struct simdbench_option option = {sizeof option, 0, "cores", "3"};
    const struct simdbench_option *const options[] = {&option};
    char error[400] = "";
    if (table->open(options, 1, error, sizeof error) != -EINVAL)
        return 1;
    return !strstr(error, "'cores'");
}

static void test_load(void **state)
{
    (void)state;
    in_child(load_body);
}

static void test_products(void **state)
{
    (void)state;
    in_child(products_body);
}

static void test_describe(void **state)
{
    (void)state;
    in_child(describe_body);
}

static void test_unknown_core(void **state)
{
    (void)state;
    in_child(unknown_core_body);
}

static void test_unavailable_core(void **state)
{
    (void)state;
    in_child(unavailable_core_body);
}

static void test_unknown_option(void **state)
{
    (void)state;
    in_child(unknown_option_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_unknown_core),
        cmocka_unit_test(test_unavailable_core),
        cmocka_unit_test(test_unknown_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
