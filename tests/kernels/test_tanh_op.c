/* SPDX-License-Identifier: Apache-2.0 */
/* Op tanh: shapes, the reference against answers from elsewhere, errors in ulp. */
#include <float.h>

#include "tanh_vectors.h"
#include "unit.h"

TEST(test_shapes)
{
    static const char *const wrong[] = {"", "x", "-1", "1x1", "1 ", " 1"};
    const struct simdbench_op *op = op_find("tanh");
    struct simdbench_shape shape;
    char text[64], error[128];
    double ops, bytes;
    assert_int_equal(op->parse("1000", &shape, error, sizeof error), 0);
    assert_int_equal(shape.rank, 1);
    assert_int_equal(shape.dim[0], 1000);
    op->format(&shape, text, sizeof text);
    assert_string_equal(text, "1000");
    op->work(&shape, SIMDBENCH_F64, &ops, &bytes);
    assert_true(ops == 1000 && bytes == 16000);
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_int_equal(op->parse(wrong[i], &shape, error, sizeof error), -EINVAL);
    assert_int_equal(op->parse("9223372036854775808", &shape, error, sizeof error),
                     -EOVERFLOW);
    assert_int_equal(op->parse("4611686018427387904", &shape, error, sizeof error), 0);
    struct operands v = {0};
    for (int i = 0; i < 2; i++)
        v.view.operand[i] = &v.operand[i];
    assert_int_equal(op->layout(&shape, SIMDBENCH_F32, v.view.operand), -EOVERFLOW);
    assert_int_equal(op->layout(&shape, SIMDBENCH_I32, v.view.operand), -EINVAL);
}

/* Printed by other programs with 20 digits. */
static const struct {
    double x, y;
} known[] = {{0.5, 0.46211715726000975850},    {1, 0.76159415595576488812},
             {2, 0.96402758007581688395},      {-3, -0.99505475368673045133},
             {0x1p-20, 0x1p-20 - 0x1p-60 / 3}, {30, 1}};

TEST(test_reference)
{
    enum { KNOWN = ARRAY_LEN(known), SPECIAL = 5, N = KNOWN + SPECIAL };
    const double special[SPECIAL] = {0, -0.0, INFINITY, -INFINITY, NAN};
    const double answer[SPECIAL] = {0, -0.0, 1, -1, NAN};
    const struct simdbench_op *op = op_find("tanh");
    float x32[N], y32[N];
    double x64[N], y64[N], slack[N];
    struct operands v;
    for (int i = 0; i < N; i++) {
        x64[i] = i < (int)KNOWN ? known[i].x : special[i - (int)KNOWN];
        x32[i] = (float)x64[i];
    }
    vectors_bind(&v, SIMDBENCH_F32, x32, NULL, N);
    assert_int_equal(op->reference(&v.view, NULL, NULL, N, y32, slack), 0);
    assert_int_equal(op->reference(&v.view, "maxplus", NULL, N, y32, slack), -EINVAL);
    /* Four times the gap between floats around 0.46, 0.76; no slack for special values.
     */
    assert_true(slack[0] == 0x1p-23 && slack[1] == 0x1p-22 && slack[KNOWN] == 0 &&
                slack[N - 1] == 0 && slack[N - 2] == 0);
    vectors_bind(&v, SIMDBENCH_F64, x64, NULL, N);
    assert_int_equal(op->reference(&v.view, NULL, NULL, N, y64, slack), 0);
    assert_true(slack[0] == 0x1p-52 && slack[1] == 0x1p-51 && slack[KNOWN] == 0);
    for (int i = 0; i < N; i++) {
        const double y = i < (int)KNOWN ? known[i].y : answer[i - (int)KNOWN];
        if (isnan(y)) {
            assert_true(isnan(y32[i]) && isnan(y64[i]));
            continue;
        }
        assert_true(y32[i] == (float)y && fabs(y64[i] - y) <= fabs(y) * DBL_EPSILON);
        assert_true(!signbit(y32[i]) == !signbit(y) && !signbit(y64[i]) == !signbit(y));
    }
    const uint64_t index[2] = {2, 0};
    assert_int_equal(op->reference(&v.view, NULL, index, 2, y64, slack), 0);
    assert_true(fabs(y64[0] - known[2].y) < 1e-15 && fabs(y64[1] - known[0].y) < 1e-15);
}

/* Errors are counted from the exact value, in gaps between floats. */
TEST(test_accuracy)
{
    const struct simdbench_op *op = op_find("tanh");
    const float near = (float)tanh(1),
                half = (float)(fabs((double)near - tanh(1)) * 0x1p24);
    float x[4] = {1, 0x1p-140F, NAN, INFINITY};
    float y[4] = {near + 0x1p-23F, 0x1p-140F, NAN, 1};
    struct simdbench_accuracy accuracy = {.size = sizeof accuracy};
    struct operands v;
    vectors_bind(&v, SIMDBENCH_F32, x, y, 4);
    assert_int_equal(op->accuracy(&v.view, NULL, 4, &accuracy), 0);
    assert_true(fabs(fabs(accuracy.max_ulp - 2) - (double)half) < 1e-6);
    assert_true(accuracy.worst_input == 1);
    assert_true(fabs(accuracy.mean_ulp - accuracy.max_ulp / 4) < 1e-12);
    y[1] += 0x1p-148F;
    assert_int_equal(op->accuracy(&v.view, &(uint64_t){1}, 1, &accuracy), 0);
    assert_true(fabs(accuracy.max_ulp - 2) < 1e-6);
    y[2] = 0;
    assert_int_equal(op->accuracy(&v.view, NULL, 4, &accuracy), 0);
    assert_true(isinf(accuracy.max_ulp));
}
