/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of figures: what they draw, and that no name can become a command. */
#include "sample_run.h"
#include "unit.h"

static char *script_of(const struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);
    assert_non_null(file);
    gnuplot_write(run, file);
    fclose(file);
    return text;
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

static struct result *add(struct run *run, const char *op, const char *variant,
                          const char *shape, double ops, double bytes)
{
    struct result *const result = run_add_result(run);
    char id[600];
    assert_non_null(result);
    snprintf(id, sizeof id, "%s/f32/avx2/%s@%s", op, variant, shape);
    string_set(&result->id, id);
    string_set(&result->op, op);
    string_set(&result->type, "f32");
    string_set(&result->isa, "avx2");
    string_set(&result->variant, variant);
    string_set(&result->shape, shape);
    result->group = run->n_results;
    result->threads = 1;
    result->work.ops = ops;
    result->work.bytes = bytes;
    result->samples.iterations = 1;
    result->status = STATUS_OK;
    for (uint32_t round = 0; round < 8; round++)
        assert_int_equal(result_add_sample(result, round, 1000 + round), 0);
    return result;
}

static void add_roof(struct run *run, const char *variant, const char *level, double ops,
                     double bytes)
{
    struct result *const result = add(run, "roof", variant, "4096", ops, bytes);
    string_set(&result->work.level, level);
    result->work.working_set = bytes;
}

TEST(test_speed)
{
    struct run *const run = run_new();
    add(run, "gemm", "fma", "64", 524288, 4096);
    add(run, "gemm", "fma", "128", 4194304, 16384);
    add(run, "relu", "max", "64", 64, 512);
    run_summarise(run, GROUP_ALL);
    char *const text = script_of(run);
    assert_non_null(strstr(text, "set multiplot layout 1,2"));
    assert_int_equal(count(text, "\nplot "), 2);
    assert_non_null(strstr(text, "'64' 524288, '128' 4194304"));
    assert_int_equal(count(text, "\n4194304 "), 2);
    assert_non_null(strstr(text, "title 'avx2/fma'"));
    free(text);
    run_free(run);
}

TEST(test_roofline)
{
    struct run *const run = run_new();
    add(run, "gemm", "fma", "64", 50000, 1000);
    add_roof(run, "load", "L1", 0, 200000);
    add_roof(run, "copy", "L1", 0, 100000);
    add_roof(run, "load", "memory", 0, 20000);
    add_roof(run, "fma", "registers", 100000, 0);
    add_roof(run, "add_max", "registers", 50000, 0);
    run_summarise(run, GROUP_ALL);
    char *const text = script_of(run);
    /* The highest of a level, at its median of 1003.5 ns; a point of gemm. */
    assert_non_null(strstr(text, "'L1 199 GB/s'"));
    assert_non_null(strstr(text, "'memory 19.9 GB/s'"));
    assert_non_null(strstr(text, "'fma 99.7 Gop/s'"));
    assert_non_null(strstr(text, "'add_max 49.8 Gop/s'"));
    assert_non_null(strstr(text, "title 'gemm'\n50 49.8"));
    assert_int_equal(count(text, "\nplot "), 1);
    free(text);
    run_free(run);
}

TEST(test_hostile)
{
    struct run *const run = run_new();
    add(run, "a'b`touch x`\n!touch x", "v'\n\"e\n", "%n'`x`", 100, 100);
    add(run, "it", "max", "%s%%", 100, 100);
    run_summarise(run, GROUP_ALL);
    char *const text = script_of(run);
    assert_non_null(strstr(text, "set title 'a''b`touch x`\\n!touch x f32, 1 thread'\n"));
    assert_non_null(strstr(text, "('%%n''`x`' 100)"));
    assert_non_null(strstr(text, "('%%s%%%%' 100)"));
    assert_non_null(strstr(text, "title 'avx2/v''\\n\"e\\n'\n"));
    free(text);
    run_free(run);
}

TEST(test_samples)
{
    struct run *(*const makers[])(void) = {sample_run, sample_run_plan,
                                           sample_run_hostile, run_new};
    for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
        struct run *const run = makers[i]();
        char *const text = script_of(run);
        assert_int_equal(count(text, "unset multiplot"), 1);
        free(text);
        run_free(run);
    }
}
