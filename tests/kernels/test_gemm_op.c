/* SPDX-License-Identifier: Apache-2.0 */
/* Op gemm: shapes, inputs, work. */
#include "kernels.h"
#include "plain_operands.h"
#include "unit.h"

/* ---- shapes ---- */

static int parse(const char *text, struct simdbench_shape *shape)
{
    char error[128] = "";
    const int code = op_find("gemm")->parse(text, shape, error, sizeof error);
    assert_true(code == 0 || strlen(error) > 0);
    return code;
}

TEST(test_parse)
{
    static const struct {
        const char *text;
        int64_t m, n, k;
        const char *again;
        int64_t matrices;
    } right[] = {{"64", 64, 64, 64, "64x64x64", 0},
                 {"64x32x128", 64, 32, 128, "64x32x128", 0},
                 {"0", 0, 0, 0, "0x0x0", 0},
                 {"1x0x7", 1, 0, 7, "1x0x7", 0},
                 {"2147483647x1x2147483647", 2147483647, 1, 2147483647,
                  "2147483647x1x2147483647", 0},
                 {"b8x64x32x16", 64, 32, 16, "b8x64x32x16", 8},
                 {"b3x7", 7, 7, 7, "b3x7x7x7", 3},
                 {"b1x2x3x4", 2, 3, 4, "b1x2x3x4", 1},
                 {"b0x5", 5, 5, 5, "b0x5x5x5", 0}};
    static const char *const wrong[] = {
        "",   "x",       "8x",  "8x8",    "8x8x",       "8x8x8x", "-8",    "+8",   " 8",
        "8 ", "8x8x8x8", "1e3", "0x10",   "8.0",        "8xx8",   "8X8X8", "8k",   "b",
        "b8", "b8x",     "bx8", "b8x8x8", "b2x8x8x8x8", "8xb2",   "B2x8",  "b-1x8"};
    static const char *const large[] = {"2147483648", "1x2147483648x1",
                                        "18446744073709551616", "b2147483648x1",
                                        "1x1x99999999999999999999"};
    struct simdbench_shape shape;
    char text[64];

    for (size_t i = 0; i < ARRAY_LEN(right); i++) {
        assert_int_equal(parse(right[i].text, &shape), 0);
        assert_int_equal(shape.size, sizeof shape);
        assert_int_equal(shape.rank, right[i].text[0] == 'b' ? 4 : 3);
        assert_int_equal(shape.dim[3], right[i].matrices);
        assert_int_equal(shape.dim[0], right[i].m);
        assert_int_equal(shape.dim[1], right[i].n);
        assert_int_equal(shape.dim[2], right[i].k);
        op_find("gemm")->format(&shape, text, sizeof text);
        assert_string_equal(text, right[i].again);
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_int_equal(parse(wrong[i], &shape), -EINVAL);
    for (size_t i = 0; i < ARRAY_LEN(large); i++)
        assert_int_equal(parse(large[i], &shape), -EOVERFLOW);
}

TEST(test_layout)
{
    const struct simdbench_op *op = op_find("gemm");
    static const int elements[] = {55, 77, 35}, columns[] = {11, 7, 7};
    struct simdbench_operand operand[3] = {{0}};
    struct simdbench_operand *const pointer[SIMDBENCH_MAX_OPERANDS] = {
        &operand[0], &operand[1], &operand[2]};
    struct simdbench_shape shape;
    double ops, bytes;
    assert_int_equal(parse("5x7x11", &shape), 0);
    assert_int_equal(op->layout(&shape, SIMDBENCH_F64, pointer), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(operand[i].count, elements[i]);
        assert_int_equal(operand[i].ld, columns[i]);
        assert_int_equal(operand[i].role, i < 2 ? SIMDBENCH_IN : SIMDBENCH_OUT);
    }
    assert_int_equal(operand[2].type, SIMDBENCH_F64);
    op->work(&shape, SIMDBENCH_F64, &ops, &bytes);
    assert_true(ops == 2 * 5 * 7 * 11);
    assert_true(bytes == 8 * (55 + 77 + 35));
    assert_int_equal(operand[2].stride, 0);
    assert_int_equal(op->layout(&shape, 99, pointer), -EINVAL);
    assert_int_equal(parse("b4x5x7x11", &shape), 0);
    assert_int_equal(op->layout(&shape, SIMDBENCH_I64, pointer), 3);
    assert_int_equal(operand[0].count, 4 * 55);
    for (int i = 0; i < 3; i++)
        assert_int_equal(operand[i].stride, elements[i]);
    assert_int_equal(operand[2].ld, 7);
    op->work(&shape, SIMDBENCH_I64, &ops, &bytes);
    assert_true(ops == 4 * 2 * 5 * 7 * 11);
    assert_true(bytes == 4 * 8 * (55 + 77 + 35));
    assert_int_equal(parse("b2147483647x1x1000000x3000", &shape), 0);
    assert_int_equal(op->layout(&shape, SIMDBENCH_F32, pointer), -EOVERFLOW);
    assert_int_equal(parse("2147483647", &shape), 0);
    assert_int_equal(op->layout(&shape, SIMDBENCH_F64, pointer), -EOVERFLOW);
}

/* ---- inputs ---- */

TEST(test_fill)
{
    struct plain plain;
    plain_make(&plain, "gemm", "30x20x40", SIMDBENCH_F32, NULL, 5);
    const uint64_t first = operands_hash(&plain.operands);
    double sum = 0;
    for (int i = 0; i < 1200; i++) {
        assert_true(f32(&plain, 0)[i] >= -1 && f32(&plain, 0)[i] < 1);
        sum += (double)f32(&plain, 0)[i];
    }
    assert_true(fabs(sum / 1200) < 0.1);
    const struct simdbench_op *op = op_find("gemm");
    assert_int_equal(op->fill(&plain.operands.view, 6, NULL), 0);
    assert_true(operands_hash(&plain.operands) != first);
    assert_int_equal(op->fill(&plain.operands.view, 5, NULL), 0);
    assert_true(operands_hash(&plain.operands) == first);
    assert_int_equal(op->fill(&plain.operands.view, 5, "nothing"), -EINVAL);

    int nan = 0, infinite = 0, zero = 0, denormal = 0;
    assert_int_equal(op->fill(&plain.operands.view, 5, "special"), 0);
    for (int i = 0; i < 1200; i++) {
        const int class = fpclassify(f32(&plain, 0)[i]);
        nan += class == FP_NAN;
        infinite += class == FP_INFINITE;
        zero += class == FP_ZERO;
        denormal += class == FP_SUBNORMAL;
    }
    assert_true(nan > 10 && infinite > 20 && zero > 20 && denormal > 20);
    free(plain.memory);

    int ties[3] = {0}, extreme = 0, large = 0;
    plain_make(&plain, "gemm", "30x20x40", SIMDBENCH_I32, "ties", 5);
    const int32_t *const a = plain.operands.operand[0].data;
    for (int i = 0; i < 1200; i++) {
        assert_in_range(a[i] + 1, 0, 2);
        ties[a[i] + 1]++;
    }
    assert_true(ties[0] > 300 && ties[1] > 300 && ties[2] > 300);
    assert_int_equal(op->fill(&plain.operands.view, 5, "special"), 0);
    for (int i = 0; i < 1200; i++)
        extreme += a[i] == INT32_MIN || a[i] == INT32_MAX;
    assert_true(extreme > 40 && extreme < 150);
    assert_int_equal(op->fill(&plain.operands.view, 5, NULL), 0);
    for (int i = 0; i < 1200; i++) {
        assert_in_range(a[i] + (1 << 20), 0, 2 << 20);
        large += abs(a[i]) > 1 << 19;
    }
    assert_in_range(large, 500, 700);
    free(plain.memory);
}
