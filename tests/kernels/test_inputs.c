/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that every op has, for each element type. */
#include "kernels.h"
#include "unit.h"

#include <unistd.h>

enum { N = 4000 };

static uint8_t data[8 * N];

static struct simdbench_operand operand_of(uint32_t type)
{
    memset(data, 0xee, sizeof data);
    return (struct simdbench_operand){.size = sizeof(struct simdbench_operand),
                                      .type = type,
                                      .role = SIMDBENCH_IN,
                                      .count = N,
                                      .data = data};
}

static int fill(const struct simdbench_operand *operand, const char *input)
{
    return input_fill_operand(operand, 7, input);
}

static double at(const struct simdbench_operand *operand, uint64_t i)
{
    return type_get(operand->type, operand->data, i);
}

/* Both ends are met and nothing lies beyond; the same seed gives the same bytes. */
static void expect_range(uint32_t type, const char *input, double low, double high)
{
    static uint8_t again[sizeof data];
    const struct simdbench_operand operand = operand_of(type);
    bool seen_low = false, seen_high = false;
    assert_int_equal(fill(&operand, input), 0);
    for (uint64_t i = 0; i < N; i++) {
        const double value = at(&operand, i);
        assert_true(value >= low && value <= high);
        seen_low |= value <= low;
        seen_high |= value >= high;
    }
    assert_true(seen_low && seen_high);
    memcpy(again, data, sizeof data);
    assert_int_equal(fill(&operand, input), 0);
    assert_memory_equal(again, data, sizeof data);
    assert_int_equal(input_fill_operand(&operand, 8, input), 0);
    assert_memory_not_equal(again, data, N * type_bytes(type));
    /* Nothing behind the last element. */
    for (size_t b = N * type_bytes(type); b < sizeof data; b++)
        assert_int_equal(data[b], 0xee);
}

TEST(test_ranges)
{
    expect_range(SIMDBENCH_U8, "uniform:0..255", 0, 255);
    expect_range(SIMDBENCH_U8, "uniform:3..9", 3, 9);
    expect_range(SIMDBENCH_I8, "uniform:-128..127", -128, 127);
    expect_range(SIMDBENCH_I16, "uniform:-7..-2", -7, -2);
    expect_range(SIMDBENCH_U16, "indices:0..100", 0, 99);
    expect_range(SIMDBENCH_I32, "indices:5..8", 5, 7);
    expect_range(SIMDBENCH_U64, "uniform:18446744073709551614..18446744073709551615",
                 0x1p64, 0x1p64);
    expect_range(SIMDBENCH_I64, "uniform:-3..3", -3, 3);
}

TEST(test_refused)
{
    static const struct {
        uint32_t type;
        const char *input;
    } bad[] = {
        {SIMDBENCH_U8, "uniform:0..256"},
        {SIMDBENCH_U8, "uniform:-1..3"},
        {SIMDBENCH_I8, "uniform:-129..0"},
        {SIMDBENCH_I32, "uniform:3..2"},
        {SIMDBENCH_I32, "uniform:1..2x"},
        {SIMDBENCH_I32, "uniform: 1..2"},
        {SIMDBENCH_I32, "uniform:1.2"},
        {SIMDBENCH_I32, "indices:0..0"},
        {SIMDBENCH_I32, "indices:-1..4"},
        {SIMDBENCH_F32, "indices:0..4"},
        {SIMDBENCH_U64, "uniform:0..18446744073709551616"},
        {SIMDBENCH_F16, "uniform:0..1e9"},
        {SIMDBENCH_U8, "loud"},
        {SIMDBENCH_F16, "loud"},
        {SIMDBENCH_BYTES(3), "uniform:0..1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        const struct simdbench_operand operand = operand_of(bad[i].type);
        assert_int_equal(fill(&operand, bad[i].input), -EINVAL);
        assert_int_equal(data[0], 0xee);
    }
}

/* Floats of 16 bits: about N(0, 1), and within a range. */
TEST(test_halves)
{
    static const uint32_t types[] = {SIMDBENCH_F16, SIMDBENCH_BF16};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        const struct simdbench_operand operand = operand_of(types[t]);
        double sum = 0, squares = 0;
        assert_int_equal(fill(&operand, NULL), 0);
        for (uint64_t i = 0; i < N; i++) {
            sum += at(&operand, i);
            squares += at(&operand, i) * at(&operand, i);
        }
        assert_near(sum / N, 0, 0.1);
        assert_near(squares / N, 1, 0.1);
        assert_int_equal(fill(&operand, "uniform:1..2"), 0);
        for (uint64_t i = 0; i < N; i++)
            assert_true(at(&operand, i) >= 1 && at(&operand, i) <= 2);
        assert_int_equal(fill(&operand, "subnormal"), 0);
        for (uint64_t i = 0; i < N; i++)
            assert_true(fabs(at(&operand, i)) > 0 &&
                        fabs(at(&operand, i)) < type_ulp(types[t], 0) * 1024);
    }
}

/* In the middle of the range, seldom at its ends. */
TEST(test_bell)
{
    const struct simdbench_operand operand = operand_of(SIMDBENCH_U8);
    size_t middle = 0;
    assert_int_equal(fill(&operand, "normal"), 0);
    for (uint64_t i = 0; i < N; i++)
        middle += data[i] >= 64 && data[i] < 192;
    assert_in_range(middle, N * 8 / 10, N * 99 / 100);
}

TEST(test_order)
{
    static const uint32_t types[] = {SIMDBENCH_U8, SIMDBENCH_I16, SIMDBENCH_U64,
                                     SIMDBENCH_F16, SIMDBENCH_F32};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        const struct simdbench_operand operand = operand_of(types[t]);
        size_t changes = 0;
        assert_int_equal(fill(&operand, "sorted"), 0);
        for (uint64_t i = 1; i < N; i++)
            assert_true(at(&operand, i - 1) <= at(&operand, i));
        assert_true(at(&operand, 0) < at(&operand, N - 1));
        assert_int_equal(fill(&operand, "runs"), 0);
        for (uint64_t i = 1; i < N; i++)
            changes += at(&operand, i - 1) < at(&operand, i) ||
                       at(&operand, i - 1) > at(&operand, i);
        assert_in_range(changes, N / 32, N / 8);
    }
}

TEST(test_file)
{
    char path[] = "/tmp/simdbench-input-XXXXXX", input[64];
    const int file = mkstemp(path);
    const struct simdbench_operand operand = operand_of(SIMDBENCH_BYTES(3));
    assert_true(file >= 0);
    snprintf(input, sizeof input, "file:%s", path);
    assert_int_equal(fill(&operand, input), -ENODATA);
    assert_int_equal(write(file, "abcdefg", 7), 7);
    assert_int_equal(fill(&operand, input), 0);
    for (size_t b = 0; b < 3 * N; b++)
        assert_int_equal(data[b], "abcdefg"[b % 7]);
    assert_int_equal(data[3 * N], 0xee);
    close(file);
    unlink(path);
    assert_int_equal(fill(&operand, input), -ENOENT);
    assert_int_equal(fill(&operand, "file:/tmp"), -ENODATA);
}

/* ---- ops ---- */

static int knows_odd(const struct simdbench_operands *operands, uint64_t seed,
                     const char *input)
{
    memset(operands->operand[0]->data, 1, 4);
    return !input || !strcmp(input, "odd") ? 0 : -EINVAL;
}

TEST(test_op)
{
    struct simdbench_operand x = operand_of(SIMDBENCH_U8), y = x;
    const struct simdbench_operands operands = {.count = 2, .operand = {&x, &y}};
    struct simdbench_op op = {.size = sizeof op, .fill = knows_odd};
    y.role = SIMDBENCH_OUT;
    y.data = data + N;
    assert_int_equal(op_fill(&op, &operands, 1, "odd"), 0);
    assert_int_equal(data[3], 1);
    assert_int_equal(op_fill(&op, &operands, 1, "zero"), 0);
    assert_int_equal(data[3], 0);
    op.flags = SIMDBENCH_JOINT;
    assert_int_equal(op_fill(&op, &operands, 1, "zero"), -EINVAL);
    op = (struct simdbench_op){.size = sizeof op, .inputs = "uniform:5..5, zero"};
    assert_int_equal(op_fill(&op, &operands, 1, NULL), 0);
    assert_int_equal(data[3], 5);
    assert_int_equal(op_fill(&op, &operands, 1, "zero"), 0);
    assert_int_equal(data[3], 0);
    assert_int_equal(data[N], 0xee);
}
