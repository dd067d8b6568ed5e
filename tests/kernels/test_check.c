/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs that are checked, and the meaning of equal. */
#include "kernels.h"
#include "unit.h"

static struct simdbench_operand matrix(uint64_t rows, uint64_t columns, uint64_t ld)
{
    return (struct simdbench_operand){.size = sizeof(struct simdbench_operand),
                                      .type = SIMDBENCH_F32,
                                      .role = SIMDBENCH_OUT,
                                      .count =
                                          rows && columns ? (rows - 1) * ld + columns : 0,
                                      .ld = (int64_t)ld};
}

/* ---- sampling ---- */

TEST(test_all)
{
    uint64_t index[12];
    struct simdbench_operand output = matrix(3, 4, 10);
    assert_int_equal(operands_sample(&output, 1e6, false, 1, NULL), 12);
    assert_int_equal(operands_sample(&output, 1e6, false, 1, index), 12);
    for (uint64_t i = 0; i < 12; i++)
        assert_int_equal(index[i], i / 4 * 10 + i % 4);
    /* No gaps: every element, so the list is not needed. */
    output = matrix(3, 4, 4);
    assert_int_equal(operands_sample(&output, 1e6, false, 1, NULL), output.count);
    output = matrix(1, 7, 0);
    assert_int_equal(operands_sample(&output, 1e6, false, 1, NULL), 7);
    output = matrix(7, 1, 1);
    assert_int_equal(operands_sample(&output, 1e6, false, 1, NULL), 7);
    output = matrix(0, 4, 4);
    assert_int_equal(operands_sample(&output, 1e30, false, 1, NULL), 0);
    output = matrix(2000, 2000, 2048);
    assert_int_equal(operands_sample(&output, 1.6e10, true, 1, NULL), 4000000);
}

TEST(test_matrix)
{
    enum { M = 700, N = 1100, LD = 1200, K = 1000 };
    struct simdbench_operand output = matrix(M, N, LD);
    const double ops = 2.0 * M * N * K;
    for (uint64_t seed = 0; seed < 5; seed++) {
        bool row[M] = {false}, column[N] = {false}, walk[N] = {false};
        uint64_t last_row = 0, last_column = 0, first = 0;
        uint64_t n = operands_sample(&output, ops, false, seed, NULL);
        assert_true(n * 2.0 * K <= 1.05 * (1 << 24));
        assert_true(n * 2.0 * K >= 0.95 * (1 << 24));
        uint64_t *index = malloc(n * sizeof *index);
        bool *seen = calloc(output.count, sizeof *seen);
        assert_non_null(index);
        assert_non_null(seen);
        assert_int_equal(operands_sample(&output, ops, false, seed, index), n);
        for (uint64_t i = 0; i < n; i++) {
            assert_true(index[i] < output.count);
            assert_true(index[i] % LD < N);
            walk[index[i] % LD] |= i < N;
            if (seen[index[i]])
                continue;
            seen[index[i]] = true;
            /* The last column meets every row, and so on: more than that is asked for. */
            row[index[i] / LD] = row[index[i] / LD] || index[i] % LD < N - 1;
            column[index[i] % LD] = column[index[i] % LD] || index[i] / LD < M - 1;
            last_row += index[i] / LD == M - 1;
            last_column += index[i] % LD == N - 1;
            first += index[i] / LD < M / 2;
        }
        for (int i = 0; i < M; i++)
            assert_true(row[i]);
        for (int i = 0; i < N; i++)
            assert_true(column[i] && walk[i]);
        assert_int_equal(last_row, N);
        assert_int_equal(last_column, M);
        /* The sample is spread. */
        assert_true(first > n / 4 && first < n * 3 / 4);
        free(index);
        free(seen);
    }
}

TEST(test_long)
{
    struct simdbench_operand output = matrix(1, 300000000, 300000000);
    uint64_t n = operands_sample(&output, 3e8, false, 7, NULL);
    assert_int_equal(n, OPERANDS_SAMPLE_MAX);
    uint64_t *index = malloc(n * sizeof *index);
    assert_non_null(index);
    assert_int_equal(operands_sample(&output, 3e8, false, 7, index), n);
    uint64_t beginning = 0, end = 0;
    assert_true(index[0] == 0 && index[1] == output.count - 1);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(index[i] < output.count);
        beginning += index[i] < 1000;
        end += index[i] >= output.count - 1000;
    }
    assert_true(beginning >= 1000 && end >= 1000);
    free(index);
    /* More rows than can be paid for: no row for each, but the corners. */
    output = matrix(1000000, 16, 16);
    n = operands_sample(&output, 2.0 * 16e6 * 4096, false, 7, NULL);
    assert_true(n >= 4 && n < 2100);
}

/* ---- comparing ---- */

static int compare(const float *got, const float *want, const double *slack, uint64_t n,
                   struct error *error)
{
    struct simdbench_operand output = matrix(1, n, n);
    output.data = (float *)got;
    return operands_compare(&output, NULL, n, want, slack, error);
}

TEST(test_equal)
{
    const float got[] = {1, -0.0f, INFINITY, -NAN, 2.5f, -INFINITY};
    const float want[] = {1, -0.0f, INFINITY, NAN, 2.4f, -INFINITY};
    const double slack[] = {0, 0, 0, 0, 0.11, 5};
    assert_int_equal(compare(got, want, slack, 6, NULL), 0);
    assert_int_equal(compare(got, want, slack, 0, NULL), 0);
}

TEST(test_unequal)
{
    static const struct {
        float got, want;
        double slack;
    } cases[] = {
        {1, 1.0000001f, 0}, {0.0f, -0.0f, 0},         {NAN, 1, 1e9},
        {1, NAN, 1e9},      {INFINITY, 3e38f, 1e300}, {INFINITY, -INFINITY, 1e300},
        {2, 1, 0.99}};
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const float got[] = {5, cases[i].got}, want[] = {5, cases[i].want};
        const double slack[] = {0, cases[i].slack};
        assert_int_equal(compare(got, want, slack, 2, &error), -EDOM);
        assert_non_null(strstr(error.text, "1 of 2 checked are wrong: output[1] is "));
    }
}

TEST(test_message)
{
    float got[25] = {0}, want[3] = {0, 1.5f, 9};
    const uint64_t index[3] = {0, 13, 22};
    const double slack[3] = {0, 0.25, 0};
    struct simdbench_operand output = matrix(3, 5, 10);
    struct error error;
    output.data = got;
    assert_int_equal(operands_compare(&output, index, 3, want, slack, &error), -EDOM);
    assert_string_equal(error.text,
                        "2 of 3 checked are wrong: output[1][3] is 0, should be 1.5 "
                        "within 0.25; worst: output[2][2] is 0, should be 9");
}

/* An output that was left alone is wrong, even where NaN is right. */
TEST(test_poisoned)
{
    static const uint32_t types[] = {SIMDBENCH_F32,  SIMDBENCH_F64, SIMDBENCH_I32,
                                     SIMDBENCH_I64,  SIMDBENCH_U8,  SIMDBENCH_U16,
                                     SIMDBENCH_BF16, SIMDBENCH_F16, SIMDBENCH_BYTES(3)};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        uint64_t data[4] = {0}, want[4] = {0};
        const double slack[4] = {0};
        struct error error;
        struct operands operands = {.view = {.count = 1}};
        operands.operand[0] = matrix(1, 4, 4);
        operands.operand[0].type = types[t];
        operands.operand[0].data = data;
        if (type_kind(types[t]) == TYPE_FLOAT)
            type_set(types[t], want, 0, (double)NAN);
        operands_poison(&operands);
        assert_int_equal(
            operands_compare(&operands.operand[0], NULL, 1, want, slack, &error), -EDOM);
        if (type_kind(types[t]) == TYPE_FLOAT)
            assert_non_null(strstr(error.text, "is never written"));
        /* An output for which any value will do needs none. */
        const double any[4] = {INFINITY};
        assert_int_equal(
            operands_compare(&operands.operand[0], NULL, 1, want, any, &error), 0);
    }
}

/* The wrong element is not the first: its place counts as well as its value. */
static void expect_third(uint32_t type, const void *got, const void *want,
                         const char *message)
{
    const double zero[3] = {0}, one[3] = {1, 1, 1};
    struct simdbench_operand output = matrix(1, 3, 3);
    struct error error;
    output.type = type;
    output.data = (void *)(uintptr_t)got;
    assert_int_equal(operands_compare(&output, NULL, 3, got, zero, &error), 0);
    assert_int_equal(operands_compare(&output, NULL, 3, want, zero, &error), -EDOM);
    assert_string_equal(error.text, message);
    assert_int_equal(operands_compare(&output, NULL, 3, want, one, &error), 0);
}

/* More is allowed where something is. */
TEST(test_loosely)
{
    const double got[] = {1, 2, 3}, want[] = {1, 2.5, 3}, slack[] = {0, 0.25, 0};
    const double none[3] = {0};
    struct simdbench_operand output = matrix(1, 3, 3);
    struct error error;
    output.type = SIMDBENCH_F64;
    output.data = (void *)(uintptr_t)got;
    assert_int_equal(operands_compare(&output, NULL, 3, want, slack, &error), -EDOM);
    assert_int_equal(
        operands_compare_loosely(&output, NULL, 3, want, slack, 0.25, &error), 0);
    assert_int_equal(
        operands_compare_loosely(&output, NULL, 3, want, slack, 0.125, &error), -EDOM);
    assert_non_null(strstr(error.text, "within 0.375"));
    assert_int_equal(operands_compare_loosely(&output, NULL, 3, want, none, 1, &error),
                     -EDOM);
}

/* A tolerance that would do is told where all are near, and nothing was said of it. The
 * other elements are 1. */
TEST(test_hint)
{
    enum { MANY = 64 };
    static const struct {
        uint64_t n;
        double got[2], want[2], slack;
        const char *hint;
    } rows[] = {
        {1, {12.345678901234567}, {12.345678901234569}, -1, "=abs:1e-13 (in"},
        {2, {1e6, 3e-6}, {1e6, 4e-6}, -1, "=abs:1e-04 (in"},
        {MANY, {3, 1e-9}, {3.0000000000000004, 1e-9}, -1, "=rel:1e-14 (in"},
        {MANY, {1, 1e-9}, {1.0000000000000002, 1.1e-9}, -1, "=abs:1e-08 (in"},
        {MANY, {1, 0.5}, {1, 0.500001}, -1, NULL},
        {2, {1, 1.0000000000000002}, {1, 1}, 0, NULL},
        {2, {NAN, 1}, {1, 1.0000000000000002}, -1, NULL},
        {2, {INFINITY, 1}, {3, INFINITY}, -1, NULL},
        {2, {0, 1}, {-0.0, 1}, -1, NULL},
    };
    struct simdbench_operand output = matrix(1, MANY, MANY);
    output.type = SIMDBENCH_F64;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        double got[MANY], want[MANY], slack[MANY];
        struct error error;
        output.data = got;
        for (size_t e = 0; e < MANY; e++) {
            got[e] = e < 2 ? rows[i].got[e] : 1;
            want[e] = e < 2 ? rows[i].want[e] : 1;
            slack[e] = rows[i].slack;
        }
        assert_int_equal(operands_compare(&output, NULL, rows[i].n, want, slack, &error),
                         -EDOM);
        if (rows[i].hint ? !strstr(error.text, rows[i].hint)
                         : !!strstr(error.text, "tolerance"))
            fail_msg("row %zu: %s", i, error.text);
    }
}

TEST(test_other_types)
{
    const int64_t i64_got[] = {1, -7, INT64_MAX}, i64_want[] = {1, -7, INT64_MAX - 1};
    const int32_t i32_got[] = {1, -7, INT32_MIN}, i32_want[] = {1, -7, INT32_MIN + 1};
    const double f64_got[] = {5, -7, 1 + 0x1p-52}, f64_want[] = {5, -7, 1};
    expect_third(SIMDBENCH_I64, i64_got, i64_want,
                 "1 of 3 checked are wrong: output[2] is 9223372036854775807, should be "
                 "9223372036854775806");
    expect_third(SIMDBENCH_I32, i32_got, i32_want,
                 "1 of 3 checked are wrong: output[2] is -2147483648, should be "
                 "-2147483647");
    expect_third(SIMDBENCH_F64, f64_got, f64_want,
                 "1 of 3 checked are wrong: output[2] is 1.0000000000000002, "
                 "should be 1");
    const uint8_t u8_got[] = {1, 7, 200}, u8_want[] = {1, 7, 201};
    const int16_t i16_got[] = {1, 7, -300}, i16_want[] = {1, 7, -299};
    const uint64_t u64_got[] = {1, 7, UINT64_MAX}, u64_want[] = {1, 7, UINT64_MAX - 1};
    const uint16_t halves_got[] = {0, 1, 0x3c01}, halves_want[] = {0, 1, 0x3c00};
    expect_third(SIMDBENCH_U8, u8_got, u8_want,
                 "1 of 3 checked are wrong: output[2] is 200, should be 201");
    expect_third(SIMDBENCH_I16, i16_got, i16_want,
                 "1 of 3 checked are wrong: output[2] is -300, should be -299");
    expect_third(SIMDBENCH_U64, u64_got, u64_want,
                 "1 of 3 checked are wrong: output[2] is 18446744073709551615, should be "
                 "18446744073709551614");
    expect_third(SIMDBENCH_F16, halves_got, halves_want,
                 "1 of 3 checked are wrong: output[2] is 1.001, should be 1");
    expect_third(SIMDBENCH_BF16, halves_got, halves_want,
                 "1 of 3 checked are wrong: output[2] is 0.007874, should be 0.007812");
}

/* Byte by byte, whatever the slack. */
TEST(test_blocks)
{
    const char got[] = "abcdefghi", want[] = "abcdeXghi";
    const double slack[3] = {1, 1, 1};
    struct simdbench_operand output = matrix(1, 3, 3);
    struct error error;
    output.type = SIMDBENCH_BYTES(3);
    output.data = (void *)(uintptr_t)got;
    assert_int_equal(operands_compare(&output, NULL, 3, got, slack, &error), 0);
    assert_int_equal(operands_compare(&output, NULL, 3, want, slack, &error), -EDOM);
    assert_string_equal(error.text, "1 of 3 checked are wrong: output[1], byte 2, is "
                                    "0x66, should be 0x58");
}

/* ---- making wrong ---- */

enum { SPOILED = 4000 };

/* Whatever the type, what is spoiled is wrong. */
TEST(test_spoiled_types)
{
    static uint8_t data[SPOILED * 8], want[SPOILED * 8];
    static double slack[SPOILED];
    const uint32_t types[] = {SIMDBENCH_U8,  SIMDBENCH_I16,  SIMDBENCH_U64,
                              SIMDBENCH_F16, SIMDBENCH_BF16, SIMDBENCH_BYTES(5)};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        size_t wrong = 0;
        struct operands operands = {.view = {.count = 1}};
        operands.operand[0] = matrix(1, SPOILED, SPOILED);
        operands.operand[0].type = types[t];
        operands.operand[0].data = data;
        operands_spoil(&operands, NULL, SPOILED, want, slack, t);
        for (size_t i = 0; i < SPOILED; i++)
            wrong += operands_compare(&operands.operand[0], &(uint64_t){i}, 1, want,
                                      slack, NULL) < 0;
        assert_in_range(wrong, SPOILED / 5, SPOILED / 3);
    }
}

/* Operands x (role `in`) and y of that many elements, which are f32. */
static void pair(struct operands *operands, float *x, float *y, uint32_t in, uint32_t out)
{
    *operands = (struct operands){.view = {.count = 2}};
    operands->operand[0] = operands->operand[1] = matrix(1, SPOILED, SPOILED);
    operands->operand[0].role = in;
    operands->operand[0].data = x;
    operands->operand[1].role = out;
    operands->operand[1].data = y;
}

/* A fourth is wrong, though half of the answers are equal; other answers stand there. */
TEST(test_spoiled)
{
    static float x[SPOILED], y[SPOILED], before[SPOILED], want[SPOILED];
    static double slack[SPOILED];
    static uint64_t index[SPOILED];
    struct operands operands;
    size_t right = 0, strange = 0;
    for (size_t i = 0; i < SPOILED; i++) {
        want[i] = i % 2 ? 0 : (float)i;
        slack[i] = 0;
        index[i] = i;
    }
    pair(&operands, x, y, SIMDBENCH_IN, SIMDBENCH_OUT);
    for (uint64_t seed = 0; seed < 3; seed++) {
        operands_spoil(&operands, seed ? index : NULL, SPOILED, want, slack, seed);
        if (seed)
            assert_memory_not_equal(y, before, sizeof y);
        memcpy(before, y, sizeof y);
        right = strange = 0;
        for (size_t i = 0; i < SPOILED; i++) {
            struct error error;
            right += operands_compare(&operands.operand[1], &(uint64_t){i}, 1, &want[i],
                                      slack, &error) == 0;
            strange += !(y[i] >= 0 && y[i] < SPOILED);
        }
        assert_in_range(SPOILED - right, SPOILED / 5, SPOILED / 3);
        assert_int_equal(strange, 0);
    }
    /* At least one of few elements is checked. */
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct error error;
        operands.operand[1].count = 1 + seed % 3;
        operands_spoil(&operands, NULL, 1 + seed % 3, want, slack, seed);
        assert_int_equal(operands_compare(&operands.operand[1], NULL, 1 + seed % 3, want,
                                          slack, &error),
                         -EDOM);
    }
}

TEST(test_spoiled_without_answers)
{
    static float x[SPOILED], y[SPOILED];
    struct operands operands;
    size_t moved = 0;
    for (size_t i = 0; i < SPOILED; i++)
        x[i] = y[i] = (float)i;
    pair(&operands, x, y, SIMDBENCH_IN, SIMDBENCH_OUT);
    operands_spoil(&operands, NULL, 0, NULL, NULL, 1);
    for (size_t i = 0; i < SPOILED; i++) {
        moved += y[i] < (float)i || y[i] > (float)i;
        assert_true(y[i] >= 0 && y[i] < SPOILED);
    }
    assert_in_range(moved, SPOILED / 5, SPOILED / 3);
    pair(&operands, x, y, SIMDBENCH_IN, SIMDBENCH_INOUT);
    operands_spoil(&operands, NULL, SPOILED, y, NULL, 1);
    assert_memory_equal(x, y, sizeof y);
}

/* Inputs alone, a 32nd of them or all, and never none. */
TEST(test_changed)
{
    static float x[SPOILED], y[SPOILED], other_x[SPOILED], other_y[SPOILED];
    struct operands operands, other;
    for (size_t i = 0; i < SPOILED; i++)
        other_x[i] = other_y[i] = 1 + (float)i;
    pair(&operands, x, y, SIMDBENCH_IN, SIMDBENCH_CONST);
    pair(&other, other_x, other_y, SIMDBENCH_IN, SIMDBENCH_CONST);
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t changed = 0;
        memset(x, 0, sizeof x);
        operands.operand[0].count = seed % 2 ? SPOILED : 1 + seed / 2 % 2;
        operands_change(&operands, &other, false, seed);
        for (size_t i = 0; i < SPOILED; i++) {
            changed += x[i] > 0;
            if (x[i] > 0)
                assert_near(x[i], other_x[i], 0);
            assert_true(y[i] < 1);
        }
        assert_in_range(changed, seed % 2 ? SPOILED / 45 : 1,
                        seed % 2 ? SPOILED / 24 : 2);
    }
    operands.operand[0].count = SPOILED;
    operands_change(&operands, &other, true, 1);
    assert_memory_equal(x, other_x, sizeof x);
}
