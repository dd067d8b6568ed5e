/* SPDX-License-Identifier: Apache-2.0 */
/* Op absolute: its reference on answers made by hand, then each row against them. */
#include "lay_out.h"

enum { N = 37 };

static void bind(struct operands *v, uint32_t type, void *x, void *y, uint64_t n)
{
    const struct simdbench_shape shape = {
        .size = sizeof shape, .rank = 1, .dim = {(int64_t)n}};
    lay_out(v, op_find("absolute"), &shape, type, 2);
    v->operand[0].data = x;
    v->operand[1].data = y;
}

TEST(test_reference)
{
    double x[] = {-2, 0, -0.0, INFINITY, -INFINITY, -NAN}, y[6], slack[6];
    const double right[] = {2, 0, 0, INFINITY, INFINITY, NAN};
    struct operands v;
    bind(&v, SIMDBENCH_F64, x, NULL, 6);
    assert_int_equal(op_find("absolute")->reference(&v.view, NULL, NULL, 6, y, slack), 0);
    for (int i = 0; i < 5; i++)
        assert_memory_equal(&y[i], &right[i], sizeof y[i]);
    assert_true(isnan(y[5]) && !signbit(y[5]));
}

/* Wherever vectors end. */
TEST(test_rows)
{
    int rows = 0;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        double x[N], y[N], right[N], slack[N];
        if (!runs_here(*at, "absolute"))
            continue;
        rows++;
        for (uint64_t n = 0; n <= N; n++) {
            struct operands v;
            bind(&v, (*at)->type, x, y, n);
            const size_t bytes = n * type_bytes((*at)->type);
            assert_int_equal(op_find("absolute")->fill(&v.view, n, "special"), 0);
            op_find("absolute")->reference(&v.view, NULL, NULL, n, right, slack);
            memset(y, 0x33, sizeof y);
            (*at)->run(&v.view, NULL);
            assert_memory_equal(y, right, bytes);
            for (size_t i = bytes; i < sizeof y; i++)
                assert_int_equal(((const char *)y)[i], 0x33);
        }
    }
    assert_true(rows >= 2);
}
