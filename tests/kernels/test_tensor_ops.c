/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops map, reduce, softmax, log_softmax, transpose and maxpool: their references on
 * answers made by hand, then each row against the reference, between pages without
 * access.
 */
#include "arena.h"
#include "effort.h"
#include "lay_out.h"

static struct simdbench_shape shape_as(const char *op, const char *text,
                                       const char *formatted)
{
    struct simdbench_shape shape;
    char error[256], again[128];
    if (op_find(op)->parse(text, &shape, error, sizeof error) != 0)
        fail_msg("%s: %s", op, error);
    op_find(op)->format(&shape, again, sizeof again);
    assert_string_equal(again, formatted);
    return shape;
}

static struct simdbench_shape shape_of(const char *op, const char *text)
{
    return shape_as(op, text, text);
}

/* ---- references ---- */

/* Answers that were made by hand; `y` is another input. */
static void answers(const char *op, const char *semiring, const char *text,
                    const double *x, const double *y, const double *right, uint64_t n)
{
    const struct simdbench_shape shape = shape_of(op, text);
    double got[16], slack[16];
    struct operands v;
    lay_out(&v, op_find(op), &shape, SIMDBENCH_F64, y ? 3 : 2);
    v.operand[0].data = (void *)x;
    v.operand[1].data = (void *)y;
    assert_int_equal(v.operand[y ? 2 : 1].count, n);
    assert_int_equal(op_find(op)->reference(&v.view, semiring, NULL, n, got, slack), 0);
    for (uint64_t i = 0; i < n; i++)
        assert_true(fabs(got[i] - right[i]) <= 1e-12);
    assert_int_equal(op_find(op)->reference(&v.view, "other", NULL, n, got, slack),
                     -EINVAL);
}

#define LIST(...) ((const double[]){__VA_ARGS__})

TEST(test_references)
{
    const double *const x = LIST(1, 2, 3, -4, 5, 6), *const y = LIST(2, 4, -3, 4, 5, 12);
    answers("map", "add", "6", x, y, LIST(3, 6, 0, 0, 10, 18), 6);
    answers("map", "sub", "6", x, y, LIST(-1, -2, 6, -8, 0, -6), 6);
    answers("map", "mul", "6", x, y, LIST(2, 8, -9, -16, 25, 72), 6);
    answers("map", "div", "6", x, y, LIST(0.5, 0.5, -1, -1, 1, 0.5), 6);
    answers("reduce", "sum", "2x3", x, NULL, LIST(13), 1);
    answers("reduce", "mean", "columns2x3", x, NULL, LIST(-1.5, 3.5, 4.5), 3);
    answers("reduce", "max", "rows2x3", x, NULL, LIST(3, 6), 2);
    answers("reduce", "max", "2x3", x, NULL, LIST(6), 1);
    answers("transpose", NULL, "2x3", x, NULL, LIST(1, -4, 2, 5, 3, 6), 6);
    answers("softmax", NULL, "2x2", LIST(0, 0, 0, log(3)), NULL,
            LIST(0.5, 0.5, 0.25, 0.75), 4);
    answers("log_softmax", NULL, "2x2", LIST(900, 900, 0, log(3)), NULL,
            LIST(-log(2), -log(2), -log(4), log(0.75)), 4);
    answers("maxpool", NULL, "n1c1h2w3r2s1", x, NULL, LIST(5, 6), 2);
    answers("maxpool", NULL, "n1c2h1w3r1s2", x, NULL, LIST(1, 3, -4, 6), 4);
}

/* One number after the other in f32 is right; a sum that lost one of 64 numbers is not.
 */
TEST(test_long_sums)
{
    static float x[1 << 18];
    const struct simdbench_shape shape = shape_of("reduce", "512x512");
    struct operands v;
    lay_out(&v, op_find("reduce"), &shape, SIMDBENCH_F32, 2);
    v.operand[0].data = x;
    for (int positive = 0; positive < 2; positive++) {
        uint64_t random = 1;
        float right, sum = 0, lost = 0;
        double slack;
        for (uint32_t i = 0; i < ARRAY_LEN(x); i++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            x[i] = (float)(random >> 40) / 0x1p24f - (positive ? 0 : 0.5f);
            sum += x[i];
            lost += i % 64 == 63 ? 0 : x[i];
        }
        assert_int_equal(
            op_find("reduce")->reference(&v.view, "sum", NULL, 1, &right, &slack), 0);
        assert_true(fabs((double)(sum - right)) <= slack);
        assert_true(fabs((double)(lost - right)) > slack);
    }
    for (uint32_t i = 0; i < ARRAY_LEN(x); i++)
        x[i] = 0.1f; /* roundings are all alike */
    float right, sum = 0;
    double slack;
    for (uint32_t i = 0; i < ARRAY_LEN(x); i++)
        sum += x[i];
    assert_int_equal(
        op_find("reduce")->reference(&v.view, "sum", NULL, 1, &right, &slack), 0);
    assert_true(fabs((double)(sum - right)) <= slack);
}

TEST(test_numbers_alone)
{
    shape_as("map", "64", "64");
    shape_as("reduce", "64", "1x64");
    shape_as("reduce", "rows64", "rows64x64");
    shape_as("reduce", "columns64", "columns64x64");
    shape_as("softmax", "64", "64x64");
    shape_as("transpose", "64", "64x64");
    shape_as("maxpool", "64", "n1c64h64w64r2s2");
}

TEST(test_shapes)
{
    static const char *const wrong[][2] = {
        {"map", "3x3"},
        {"reduce", "rows0"},
        {"reduce", ""},
        {"maxpool", "1"},
        {"maxpool", "1000000"},
        {"reduce", "0x3"},
        {"reduce", "columns"},
        {"softmax", "3x"},
        {"softmax", "3x4x"},
        {"transpose", "-1x4"},
        {"transpose", "1234567890x4"},
        {"maxpool", "n1c1h2w3r2"},
        {"maxpool", "n1c1h2w3r3s1"},
        {"maxpool", "n1c1h2w3r0s1"},
        {"maxpool", "n1c1h2w3r2s1 "},
    };
    struct simdbench_shape shape;
    char error[256];
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_int_equal(
            op_find(wrong[i][0])->parse(wrong[i][1], &shape, error, sizeof error),
            -EINVAL);
}

/* ---- rows ---- */

/* More of them only take longer. */
enum { ELEMENTS_MAX = 1 << 21 };

static void row_is_right(const struct arena *arena, const struct simdbench_kernel *kernel,
                         const char *text, enum place place)
{
    const struct simdbench_op *const op = op_find(kernel->op);
    const struct simdbench_shape shape = shape_of(kernel->op, text);
    const int count = strcmp(kernel->op, "map") == 0 ? 3 : 2;
    const size_t size = type_bytes(kernel->type);
    struct error error = {.text = ""};
    struct operands v;
    lay_out(&v, op, &shape, kernel->type, (uint32_t)count);
    if (v.operand[0].count > ELEMENTS_MAX / effort_divisor())
        return;
    for (int i = 0; i < count; i++)
        v.operand[i].data = arena_place(arena, i, place, v.operand[i].count * size, size);
    assert_int_equal(op->fill(&v.view, strlen(text), NULL), 0);
    const struct simdbench_operand *const y = &v.operand[count - 1];
    memset(y->data, 0xff, y->count * size);
    kernel->run(&v.view, NULL);
    assert_int_equal(op->reference(&v.view, kernel->semiring, NULL, y->count,
                                   arena->reference, arena->slack),
                     0);
    if (operands_compare(y, NULL, y->count, arena->reference, arena->slack, &error) < 0)
        fail_msg("%s %s %s %s@%s: %s", kernel->op, kernel->isa, type_name(kernel->type),
                 kernel->variant, text, error.text);
}

/* With less effort each row and shape is at one place alone. */
static void rows_are_right(const struct arena *arena, const char *op,
                           const char *const *shapes, size_t n)
{
    int rows = 0;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        if (!runs_here(*at, op))
            continue;
        rows++;
        for (size_t i = 0; i < n; i++)
            for (int place = 0; place < PLACES; place++)
                if (effort_divisor() == 1 || (rows + (int)i) % PLACES == place)
                    row_is_right(arena, *at, shapes[i], (enum place)place);
    }
    assert_true(rows >= 4);
}

#define ROWS_ARE_RIGHT(op, ...)                                               \
    do {                                                                      \
        static const char *const shapes[] = {__VA_ARGS__};                    \
        rows_are_right(*state, op, shapes, sizeof shapes / sizeof shapes[0]); \
    } while (0)

TEST(test_map)
{
    ROWS_ARE_RIGHT("map", "0", "1", "3", "15", "16", "17", "31", "63", "64", "65", "100",
                   "127", "1000", "4099");
}

TEST(test_reduce)
{
    ROWS_ARE_RIGHT("reduce", "1x1", "1x7", "3x5", "16x16", "33x65", "1x1000",
                   "columns1x1", "columns1x40", "columns7x33", "columns8x17",
                   "columns9x100", "columns40x3", "columns13x1024", "columns3x512",
                   "rows1x1", "rows5x7", "rows9x130", "rows100x16");
}

TEST(test_softmax)
{
    ROWS_ARE_RIGHT("softmax", "1x1", "3x2", "70x10", "5x16", "4x17", "3x33", "9x100",
                   "2x1000");
    ROWS_ARE_RIGHT("log_softmax", "1x1", "3x2", "70x10", "5x16", "130x17", "3x33",
                   "9x100", "2x1000");
}

TEST(test_transpose)
{
    ROWS_ARE_RIGHT("transpose", "1x1", "1x9", "9x1", "15x17", "16x16", "17x33", "64x48",
                   "130x7", "129x150", "128x256", "512x512", "1024x1024");
}

TEST(test_maxpool)
{
    ROWS_ARE_RIGHT("maxpool", "n1c1h1w1r1s1", "n1c2h4w4r2s2", "n2c3h9w37r2s2",
                   "n1c2h9w70r3s2", "n1c2h9w71r3s2", "n1c2h9w41r3s1", "n1c1h8w64r2s1",
                   "n1c1h12w50r4s3", "n1c1h12w80r5s2", "n1c1h12w80r4s2");
}

/* Sums that go beyond the range of exp, unless the maximum comes off first. */
TEST(test_large)
{
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        if (!runs_here(*at, "softmax") || (*at)->type != SIMDBENCH_F32)
            continue;
        const struct simdbench_shape shape = shape_of("softmax", "2x20");
        float x[40], y[40];
        struct operands v;
        for (int i = 0; i < 40; i++)
            x[i] = i < 20 ? 1e30F : (float)i * -300;
        lay_out(&v, op_find("softmax"), &shape, SIMDBENCH_F32, 2);
        v.operand[0].data = x;
        v.operand[1].data = y;
        (*at)->run(&v.view, NULL);
        for (int i = 0; i < 20; i++)
            assert_true(fabsf(y[i] - 0.05F) < 1e-7F);
        assert_true(fabsf(y[20] - 1) < 1e-7F && y[21] < 1e-30F && y[39] < 1e-30F);
    }
}
