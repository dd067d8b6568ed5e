/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of op gemm against a plain loop and known answers. */
#include <float.h>

#include "kernels.h"
#include "plain_operands.h"
#include "unit.h"

static void reference(struct plain *plain, const char *semiring, const uint64_t *index,
                      uint64_t n, void *value, double *slack)
{
    assert_int_equal(op_find("gemm")->reference(&plain->operands.view, semiring, index, n,
                                                value, slack),
                     0);
}

/* c after one product, as the rules of gemm.h say. */
static double follow(const char *semiring, double t, double c)
{
    return (strcmp(semiring, "minplus") == 0 ? t < c : t > c) ? t : c;
}

static void compare_with_loop(const char *shape, const char *semiring, const char *input)
{
    struct plain single, wide;
    plain_make(&single, "gemm", shape, SIMDBENCH_F32, input, 3);
    plain_make(&wide, "gemm", shape, SIMDBENCH_F64, input, 3);
    const int64_t *dim = single.operands.shape.dim;
    const uint64_t n = (uint64_t)(dim[0] * dim[1]);
    const bool times = strcmp(semiring, "maxtimes") == 0;
    const double zero = times                              ? 0
                        : strcmp(semiring, "minplus") == 0 ? INFINITY
                                                           : -INFINITY;
    float *single_value = malloc(n * sizeof *single_value + 1);
    double *wide_value = malloc(n * sizeof *wide_value + 1);
    double *slack = malloc(n * sizeof *slack + 1);

    reference(&single, semiring, NULL, n, single_value, slack);
    reference(&wide, semiring, NULL, n, wide_value, slack);
    for (int64_t i = 0; i < dim[0]; i++)
        for (int64_t j = 0; j < dim[1]; j++) {
            double c32 = zero, c64 = zero;
            for (int64_t p = 0; p < dim[2]; p++) {
                const float a = f32(&single, 0)[i * dim[2] + p];
                const float b = f32(&single, 1)[p * dim[1] + j];
                const double x = f64(&wide, 0)[i * dim[2] + p];
                const double y = f64(&wide, 1)[p * dim[1] + j];
                c32 = follow(semiring, (double)(float)(times ? a * b : a + b), c32);
                c64 = follow(semiring, times ? x * y : x + y, c64);
            }
            const float rounded = (float)c32;
            assert_memory_equal(&single_value[i * dim[1] + j], &rounded, sizeof rounded);
            assert_memory_equal(&wide_value[i * dim[1] + j], &c64, sizeof c64);
            assert_true(slack[i * dim[1] + j] == (c64 == 0 ? DBL_TRUE_MIN : 0));
        }

    /* Chosen elements are the same ones. */
    uint64_t *index = malloc(n * sizeof *index + 1);
    double *chosen = malloc(n * sizeof *chosen + 1);
    for (uint64_t e = 0; e < n; e++)
        index[e] = n - 1 - e;
    reference(&wide, semiring, index, n, chosen, slack);
    for (uint64_t e = 0; e < n; e++)
        assert_memory_equal(&chosen[e], &wide_value[n - 1 - e], sizeof *chosen);

    free(index);
    free(chosen);
    free(single_value);
    free(wide_value);
    free(slack);
    free(single.memory);
    free(wide.memory);
}

TEST(test_reference)
{
    static const char *const semirings[] = {"maxplus", "minplus", "maxtimes"};
    static const char *const shapes[] = {"1",       "0",       "3x5x0",
                                         "7x11x13", "2x700x3", "30x40x50"};
    for (size_t s = 0; s < ARRAY_LEN(semirings); s++)
        for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
            compare_with_loop(shapes[i], semirings[s], NULL);
            compare_with_loop(shapes[i], semirings[s], "special");
        }
}

/* One row times one column, worked out by hand. */
TEST(test_known)
{
    static const struct {
        const char *semiring;
        float a[3], b[3], c;
    } known[] = {
        {"maxplus", {1, 2, 3}, {3, 1, -4}, 4},
        {"minplus", {1, 2, 3}, {3, 1, -4}, -1},
        {"maxtimes", {1, 2, 3}, {3, 1, -4}, 3},
        {"maxtimes", {-1, -2, -3}, {3, 1, 4}, 0.0f}, /* never under the zero */
        {"maxplus", {NAN, 1, 2}, {0, 0, NAN}, 1},
        {"minplus", {NAN, 1, 2}, {0, 0, NAN}, 1},
        {"maxplus", {NAN, NAN, NAN}, {0, 0, 0}, -INFINITY},
        {"minplus", {NAN, NAN, NAN}, {0, 0, 0}, INFINITY},
        {"maxtimes", {NAN, 0, INFINITY}, {1, INFINITY, 0}, 0.0f},
        {"maxplus", {INFINITY, 1, 1}, {-INFINITY, 1, 1}, 2}, /* inf - inf is a NaN */
        {"maxplus", {INFINITY, 1, 1}, {5, 1, 1}, INFINITY},
        {"minplus", {-INFINITY, 1, 1}, {5, 1, 1}, -INFINITY},
        {"maxplus", {-0.0f, 0, -0.0f}, {-0.0f, 0, -0.0f}, -0.0f}, /* the first stays */
        {"maxplus", {0, -0.0f, -1}, {0, -0.0f, 0}, 0.0f},
        {"minplus", {0, -0.0f, 1}, {0, -0.0f, 0}, 0.0f},
        {"minplus", {-0.0f, 0, 1}, {-0.0f, 0, 0}, -0.0f},
        {"maxtimes", {-0.0f, -1, 0}, {1, 0, -3}, 0.0f},
        {"maxplus", {FLT_TRUE_MIN, 0, 0}, {0, 0, 0}, FLT_TRUE_MIN},
        {"maxplus", {FLT_MAX, 0, 0}, {FLT_MAX, 0, 0}, INFINITY}};
    struct plain plain;

    plain_make(&plain, "gemm", "1x1x3", SIMDBENCH_F32, NULL, 1);
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        const uint64_t index = 0;
        float all, chosen;
        double slack;
        memcpy(f32(&plain, 0), known[i].a, sizeof known[i].a);
        memcpy(f32(&plain, 1), known[i].b, sizeof known[i].b);
        reference(&plain, known[i].semiring, NULL, 1, &all, &slack);
        assert_memory_equal(&all, &known[i].c, sizeof all);
        reference(&plain, known[i].semiring, &index, 1, &chosen, &slack);
        assert_memory_equal(&chosen, &known[i].c, sizeof chosen);
    }
    free(plain.memory);
}

/* The rules of integers, worked out by hand: L is what elements saturate to, Z the zero
 * of the semiring. */
TEST(test_known_integers)
{
    enum { Z = 1000, L, LESS_L, OTHER, OVER, TWO_L, PLUS_FIVE };
    static const struct {
        const char *semiring;
        int a[3], b[3], c;
    } known[] = {
        {"maxplus", {1, 2, 3}, {3, 1, -4}, 4},
        {"minplus", {1, 2, 3}, {3, 1, -4}, -1},
        {"maxplus", {Z, 2, Z}, {900, -5, Z}, -3}, /* a zero absorbs */
        {"maxplus", {Z, 0, Z}, {L, Z, Z}, Z},     /* and is the result if all are */
        {"minplus", {Z, 2, Z}, {LESS_L, 5, Z}, 7},
        {"minplus", {Z, 0, Z}, {LESS_L, Z, 5}, Z},
        {"maxplus", {L, 0, 0}, {L, 0, 0}, TWO_L},        /* no sum overflows */
        {"maxplus", {OVER, 0, 0}, {5, 0, 0}, PLUS_FIVE}, /* one too many saturates */
        {"maxplus", {OTHER, 0, 0}, {0, 0, 0}, L}, /* the other semiring's zero, too */
        {"minplus", {OTHER, 0, 0}, {0, 0, 0}, LESS_L}};

    for (uint32_t type = SIMDBENCH_I32; type <= SIMDBENCH_I64; type++) {
        const int64_t most = type == SIMDBENCH_I32 ? INT32_MAX : INT64_MAX;
        const int64_t limit = type == SIMDBENCH_I32 ? 1 << 27 : INT64_C(1) << 59;
        struct plain plain;

        plain_make(&plain, "gemm", "1x1x3", type, NULL, 1);
        for (size_t i = 0; i < ARRAY_LEN(known); i++) {
            const bool minimum = strcmp(known[i].semiring, "minplus") == 0;
            const int64_t zero = minimum ? most : -most - 1;
            const int64_t value[] = {zero,      limit,     -limit,   ~zero,
                                     limit + 1, 2 * limit, limit + 5};
            const uint64_t index = 0;
            int64_t c = known[i].c >= Z ? value[known[i].c - Z] : known[i].c;
            double slack;
            for (int e = 0; e < 6; e++) {
                const int named = e < 3 ? known[i].a[e] : known[i].b[e - 3];
                const int64_t x = named >= Z ? value[named - Z] : named;
                void *const data = plain.operands.operand[e / 3].data;
                if (type == SIMDBENCH_I32)
                    ((int32_t *)data)[e % 3] = (int32_t)x;
                else
                    ((int64_t *)data)[e % 3] = x;
            }
            for (int sampled = 0; sampled < 2; sampled++) {
                int64_t wide = 0;
                int32_t narrow = 0;
                reference(&plain, known[i].semiring, sampled ? &index : NULL, 1,
                          type == SIMDBENCH_I32 ? (void *)&narrow : &wide, &slack);
                assert_true((type == SIMDBENCH_I32 ? narrow : wide) == c);
                assert_true(slack == 0);
            }
        }
        double slack;
        int64_t value;
        assert_int_equal(op_find("gemm")->reference(&plain.operands.view, "maxtimes",
                                                    NULL, 1, &value, &slack),
                         -EINVAL);
        free(plain.memory);
    }
}

/* Each product of a batch is that of its own matrices. */
TEST(test_batch)
{
    struct plain batch, one;
    float value[2 * 3 * 4], slice[3 * 4], chosen[2 * 3 * 4];
    double slack[2 * 3 * 4];
    uint64_t index[2 * 3 * 4];
    plain_make(&batch, "gemm", "b2x3x4x5", SIMDBENCH_F32, NULL, 4);
    plain_make(&one, "gemm", "3x4x5", SIMDBENCH_F32, NULL, 4);
    for (uint64_t e = 0; e < 24; e++)
        index[e] = e;
    reference(&batch, "maxplus", NULL, 24, value, slack);
    reference(&batch, "maxplus", index, 24, chosen, slack);
    assert_memory_equal(value, chosen, sizeof value);
    for (int i = 0; i < 2; i++) {
        memcpy(f32(&one, 0), f32(&batch, 0) + i * 15, 15 * sizeof(float));
        memcpy(f32(&one, 1), f32(&batch, 1) + i * 20, 20 * sizeof(float));
        reference(&one, "maxplus", NULL, 12, slice, slack);
        assert_memory_equal(value + i * 12, slice, sizeof slice);
    }
    assert_memory_not_equal(value, value + 12, sizeof slice);
    free(batch.memory);
    free(one.memory);
}

/* plustimes: right, and its slack covers a plain sum but not a wrong one. */
TEST(test_plustimes)
{
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++) {
        struct plain plain;
        double value[12], slack[12], again[12], slack_again[12];
        uint64_t index[12];
        plain_make(&plain, "gemm", "3x4x500", type, NULL, 9);
        for (uint64_t e = 0; e < 12; e++)
            index[e] = e;
        reference(&plain, "plustimes", NULL, 12, value, slack);
        reference(&plain, "plustimes", index, 12, again, slack_again);
        assert_memory_equal(value, again, 12 * type_bytes(type));
        assert_memory_equal(slack, slack_again, sizeof slack);
        for (int e = 0; e < 12; e++) {
            const int i = e / 4, j = e % 4;
            double sum = 0, magnitude = 0, got;
            for (int p = 0; p < 500; p++)
                if (type == SIMDBENCH_F32) {
                    const float term =
                        f32(&plain, 0)[i * 500 + p] * f32(&plain, 1)[p * 4 + j];
                    sum = (double)((float)sum + term);
                    magnitude += (double)fabsf(term);
                } else {
                    const double term =
                        f64(&plain, 0)[i * 500 + p] * f64(&plain, 1)[p * 4 + j];
                    sum += term;
                    magnitude += fabs(term);
                }
            got = type == SIMDBENCH_F32 ? (double)((float *)(void *)value)[e] : value[e];
            assert_true(fabs(got - sum) <= slack[e]);
            assert_true(slack[e] > 0);
            assert_true(slack[e] <
                        600 * magnitude *
                            (type == SIMDBENCH_F32 ? FLT_EPSILON : DBL_EPSILON));
        }
        free(plain.memory);
    }
}

/* A gap between rows of C keeps what it has. */
TEST(test_gaps)
{
    struct plain plain;
    float value[11];
    double slack[11];
    plain_make(&plain, "gemm", "2x7x3", SIMDBENCH_F32, NULL, 2);
    plain.operands.shape.dim[1] = 4;
    float *const c = f32(&plain, 2);
    for (int e = 0; e < 14; e++)
        c[e] = (float)(100 + e);
    reference(&plain, "maxplus", NULL, 11, value, slack);
    for (int e = 0; e < 11; e++)
        assert_true((value[e] == c[e]) == (e >= 4 && e < 7));
    free(plain.memory);
}

TEST(test_unknown)
{
    struct plain plain;
    float value;
    double slack;
    plain_make(&plain, "gemm", "1", SIMDBENCH_F32, NULL, 1);
    const struct simdbench_op *op = op_find("gemm");
    assert_int_equal(
        op->reference(&plain.operands.view, "minmax", NULL, 1, &value, &slack), -EINVAL);
    assert_int_equal(op->reference(&plain.operands.view, NULL, NULL, 1, &value, &slack),
                     -EINVAL);
    free(plain.memory);
}
