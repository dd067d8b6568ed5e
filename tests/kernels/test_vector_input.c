/* SPDX-License-Identifier: Apache-2.0 */
/* Named inputs of vector ops: what they hold, and names that are none. */
#include <float.h>

#include "kernels.h"
#include "unit.h"
#include "vector_input.h"

enum { N = 20000 };

/* Numbers as doubles, whatever their type. */
static const double *drawn(uint32_t type, uint64_t seed, const char *input)
{
    static float narrow[N];
    static double wide[N];
    memset(narrow, 0xff, sizeof narrow);
    memset(wide, 0xff, sizeof wide);
    assert_int_equal(
        vector_fill(type == SIMDBENCH_F32 ? (void *)narrow : wide, type, N, seed, input),
        0);
    for (int i = 0; type == SIMDBENCH_F32 && i < N; i++)
        wide[i] = (double)narrow[i];
    return wide;
}

#define EACH_TYPE(type) for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++)

static void check_half_negative(const double *x)
{
    int negative = 0;
    for (int i = 0; i < N; i++)
        negative += signbit(x[i]) != 0;
    assert_in_range(negative, N * 0.47, N * 0.53);
}

TEST(test_normal)
{
    EACH_TYPE(type)
    {
        const double *x = drawn(type, 1, "normal");
        double sum = 0, squares = 0;
        int within_one = 0;
        for (int i = 0; i < N; i++) {
            assert_true(fabs(x[i]) <= 4.25);
            sum += x[i];
            squares += x[i] * x[i];
            within_one += fabs(x[i]) < 1;
        }
        assert_true(fabs(sum / N) < 0.04);
        assert_true(fabs(squares / N - 1) < 0.05);
        assert_in_range(within_one, N * 0.66, N * 0.71);
        check_half_negative(x);
        const double first = x[0], last = x[N - 1];
        x = drawn(type, 1, NULL);
        assert_true(x[0] == first && x[N - 1] == last);
        x = drawn(type, 2, NULL);
        assert_true(x[0] != first && x[N - 1] != last);
    }
}

TEST(test_uniform)
{
    EACH_TYPE(type)
    {
        const double *x = drawn(type, 1, "uniform:-8..8");
        double low = INFINITY, high = -INFINITY;
        int lower = 0;
        for (int i = 0; i < N; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
            lower += x[i] < -4;
        }
        assert_true(low >= -8 && low < -7.99 && high <= 8 && high > 7.99);
        assert_in_range(lower, N * 0.23, N * 0.27);
        x = drawn(type, 1, "uniform:.1..0.1");
        for (int i = 0; i < N; i++)
            assert_true(x[i] == (type == SIMDBENCH_F32 ? (double)0.1f : 0.1));
        x = drawn(type, 1,
                  type == SIMDBENCH_F32 ? "uniform:-3.4e38..3.4e38"
                                        : "uniform:-1.7e308..1.7e308");
        for (int i = 0; i < N; i++)
            assert_true(isfinite(x[i]));
        check_half_negative(x);
    }
}

TEST(test_magnitudes)
{
    EACH_TYPE(type)
    {
        const double least = type == SIMDBENCH_F32 ? (double)FLT_MIN : DBL_MIN;
        const double *x = drawn(type, 3, "saturated");
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i]) >= 32 && fabs(x[i]) <= 1024);
        check_half_negative(x);
        x = drawn(type, 3, "subnormal");
        int large = 0;
        for (int i = 0; i < N; i++) {
            assert_true(fabs(x[i]) > 0 && fabs(x[i]) < least);
            large += fabs(x[i]) > least / 2;
        }
        assert_in_range(large, N * 0.47, N * 0.53);
        check_half_negative(x);
        x = drawn(type, 3, "zero");
        for (int i = 0; i < N; i++)
            assert_true(x[i] == 0);
        check_half_negative(x);
    }
}

TEST(test_special)
{
    EACH_TYPE(type)
    {
        const double largest = type == SIMDBENCH_F32 ? (double)FLT_MAX : DBL_MAX;
        const double least = type == SIMDBENCH_F32 ? (double)FLT_MIN : DBL_MIN;
        const double *x = drawn(type, 4, "special");
        int of[2][6] = {{0}};
        for (int i = 0; i < N; i++) {
            const int kind = isnan(x[i])             ? 0
                             : isinf(x[i])           ? 1
                             : x[i] == 0             ? 2
                             : fabs(x[i]) == largest ? 3
                             : fabs(x[i]) < least    ? 4
                                                     : 5;
            of[signbit(x[i]) != 0][kind]++;
        }
        for (int sign = 0; sign < 2; sign++) {
            for (int kind = 0; kind < 5; kind++)
                assert_in_range(of[sign][kind], N * 0.02, N * 0.03);
            assert_in_range(of[sign][5], N * 0.36, N * 0.39);
        }
    }
}

TEST(test_bits)
{
    EACH_TYPE(type)
    {
        const double *x = drawn(type, 5, "bits:0x1p-40..0x1p40");
        int below_one = 0;
        for (int i = 0; i < N; i++) {
            assert_true(fabs(x[i]) >= 0x1p-40 && fabs(x[i]) <= 0x1p40);
            below_one += fabs(x[i]) < 1;
        }
        assert_in_range(below_one, N * 0.48, N * 0.52);
        check_half_negative(x);
        x = drawn(type, 5, "bits:0..inf");
        int tiny = 0;
        for (int i = 0; i < N; i++) {
            assert_false(isnan(x[i]));
            tiny += fabs(x[i]) < 1e-30;
        }
        /* 1e-30 is 2^-99.66: of 255 powers of two 27 lie below, of 2047 923. */
        assert_in_range(tiny, type == SIMDBENCH_F32 ? N * 0.09 : N * 0.43,
                        type == SIMDBENCH_F32 ? N * 0.13 : N * 0.47);
        x = drawn(type, 5, "bits:inf..inf");
        for (int i = 0; i < N; i++)
            assert_true(isinf(x[i]));
        x = drawn(type, 5, "bits:1..1");
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i]) == 1);
    }
}

TEST(test_wrong)
{
    static const char *const wrong[] = {"",
                                        "other",
                                        "Normal",
                                        "normal ",
                                        "normal:1",
                                        "uniform",
                                        "uniform:",
                                        "uniform:1",
                                        "uniform:..",
                                        "uniform:1..",
                                        "uniform:..1",
                                        "uniform:2..1",
                                        "uniform:1,2",
                                        "uniform:0..inf",
                                        "uniform:nan..1",
                                        "uniform:0..nan",
                                        "uniform: 0..1",
                                        "uniform:0.. 1",
                                        "uniform:0..1x",
                                        "uniform:0..1..2",
                                        "bits:-1..1",
                                        "bits:-0..1",
                                        "bits:1..0",
                                        "bits:0..nan",
                                        "bits",
                                        "bits:1",
                                        "uniform:0..1e999"};
    double x[4] = {1, 1, 1, 1};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        EACH_TYPE(type)
    assert_int_equal(vector_fill(x, type, 4, 1, wrong[i]), -EINVAL);
    assert_int_equal(vector_fill(x, SIMDBENCH_F32, 4, 1, "uniform:0..1e39"), -EINVAL);
    assert_int_equal(vector_fill(x, SIMDBENCH_F32, 4, 1, "bits:0..1e39"), -EINVAL);
    assert_int_equal(vector_fill(x, SIMDBENCH_I32, 4, 1, "normal"), -EINVAL);
    for (int i = 0; i < 4; i++)
        assert_true(x[i] == 1);
    assert_int_equal(vector_fill(x, SIMDBENCH_F64, 3, 1, "uniform:-1e39..-2"), 0);
    assert_true(x[2] <= -2 && x[3] == 1);
    assert_int_equal(vector_fill(NULL, SIMDBENCH_F64, 0, 1, "normal"), 0);
}
