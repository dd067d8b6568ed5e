/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes of functions that take more than arrays and numbers. */
#include "parsed.h"

TEST(test_planes)
{
    const struct declaration *d =
        parsed("void (const float *const x[k][h][w], inout u8 *y[2][n], size_t k, int h, "
               "int w, size_t n)");
    const int64_t dimension[] = {3, 5, 7, 65};
    struct declared_sizes sizes;
    struct error error;
    assert_int_equal(d->argument[0].role, ARGUMENT_IN);
    assert_int_equal(d->argument[1].role, ARGUMENT_INOUT);
    assert_int_equal(declaration_measure(d, dimension, &sizes, &error), 0);
    assert_int_equal(sizes.planes[0], 3);
    assert_int_equal(sizes.plane[0], 35);
    assert_int_equal(sizes.stride[0], 48);
    assert_int_equal(sizes.count[0], 144);
    assert_int_equal(sizes.bytes[0], 420);
    assert_int_equal(sizes.count[1], 256);
    assert_int_equal(sizes.in_bytes, 550);
    assert_int_equal(declaration_measure(d, (int64_t[]){5000, 1, 1, 1}, &sizes, &error),
                     -EINVAL);
    assert_string_equal(error.text, "x would have 5000 pointers; 0 to 4096 are possible");
}

TEST(test_vectors)
{
    const struct declaration *d = parsed("__m512d f(__m256 x, double g = 2, __m128i)");
    assert_int_equal(d->returned, CTYPE_F64);
    assert_int_equal(d->vector, 64);
    assert_int_equal(d->argument[0].vector, 32);
    assert_int_equal(d->argument[0].type, CTYPE_F32);
    assert_int_equal(d->argument[0].role, ARGUMENT_IN);
    assert_int_equal(value_at(&d->argument[0].count, NULL), 8);
    assert_int_equal(d->argument[2].type, CTYPE_BYTES);
    assert_int_equal(value_at(&d->argument[2].count, NULL), 16);
}

TEST(test_makers)
{
    const struct declaration *d =
        parsed("int (fir *f = from fir_new(taps, t, 1.5) free fir_free, void *g = from "
               "g_new(f), "
               "int *error = -3, double *sum = 0.5) for t, const float taps[t]");
    assert_int_equal(d->n, 5);
    assert_int_equal(d->n_passed, 4);
    assert_int_equal(d->n_dimensions, 1);
    assert_int_equal(d->argument[0].made[0].kind, ARGUMENT_ARRAY);
    assert_int_equal(d->argument[0].made[0].argument, 4);
    assert_int_equal(d->argument[0].made[1].kind, ARGUMENT_INTEGER);
    assert_int_equal(d->argument[1].made[0].kind, ARGUMENT_OPAQUE);
    assert_int_equal(d->argument[1].made[0].argument, 0);
    assert_int_equal(d->argument[2].kind, ARGUMENT_LENGTH);
    assert_int_equal(value_at(&d->argument[2].integer, NULL), -3);
    assert_int_equal(d->argument[3].type, CTYPE_F64);
    assert_true(d->argument[3].number == 0.5);
}

/* Numbers of registers, and behind them of words on the stack. */
TEST(test_places)
{
    struct call_signature signature;
    declaration_signature(
        parsed(
            "long f(double a = 1, double b = 1, double c = 1, double d = 1, double e = "
            "1, double g = 1, double h = 1, double i = 1, double j = 1, long k = 1, "
            "long l = 1, long m = 1, long o = 1, long p = 1, long q = 1, long r = 1)"),
        &signature);
    assert_int_equal(call_place(&signature, 9), 0);
    assert_int_equal(call_place(&signature, 14), 5);
    assert_int_equal(call_place(&signature, 15), 7); /* behind j */
}

/* Memory that a function makes, and how much of it is compared. */
TEST(test_contents)
{
    const struct declaration *const d =
        parsed("long *f(char **a free g length strlen, wchar_t **b length strlen, double "
               "**c = 0 "
               "length 2 * n + (1), u8 **d free g length m, size_t *m, void **e length "
               "4) free h(&) "
               "length n / 2 for n, k");
    assert_true(d->content.is_compared);
    assert_int_equal(d->content.length, DECLARED_WHOLE);
    assert_int_equal(d->content.size, 8);
    assert_int_equal(value_at(&d->content.count, (int64_t[]){7, 1}), 3);
    assert_int_equal(d->n_dimensions, 2);
    assert_int_equal(d->argument[0].content.length, DECLARED_STRLEN);
    assert_int_equal(d->argument[1].content.size, 4);
    assert_int_equal(value_at(&d->argument[2].content.count, (int64_t[]){7, 1}), 15);
    assert_int_equal(d->argument[3].content.length, 4);
    assert_int_equal(d->argument[5].content.size, 1);
    assert_true(declaration_has_outputs(d));
    assert_int_equal(
        parsed("int f(char **a free g length return)")->argument[0].content.length,
        DECLARED_RETURN);
    assert_false(parsed("int f(char **length free g)")->argument[0].content.is_compared);
}
