/* SPDX-License-Identifier: Apache-2.0 */
/* Op conv: shapes, layouts, work, lists. */
#include "conv/conv.h"
#include "kernels.h"
#include "plain_operands.h"
#include "unit.h"

static const struct simdbench_op *conv(void)
{
    return op_find("conv");
}

/* ---- shapes ---- */

TEST(test_parse)
{
    static const struct {
        const char *text, *again;
    } right[] = {{"n16c16h512w512k16r3s3", "n16c16h512w512k16r3s3"},
                 {"n16c16h512w512k16r3s3u1v1p0q0d1g1", "n16c16h512w512k16r3s3"},
                 {"s3r3k16w512h512c16n16", "n16c16h512w512k16r3s3"},
                 {"h5w6r2s3u2v3p1q2d2", "n1c1h5w6k1r2s3u2v3p1q2d2"},
                 {"c8h4w4k8g8b8", "n1c8h4w4k8r1s1g8b8"},
                 {"c32h4w4k16g2b8", "n1c32h4w4k16r1s1g2b8"},
                 {"64", "n1c32h64w64k32r3s3p1q1"},
                 {"1", "n1c32h1w1k32r3s3p1q1"},
                 {"h1", "n1c1h1w1k1r1s1"},
                 {"r3p1s3q1", "n1c1h1w1k1r3s3p1q1"},
                 {"n1b16", "n1c1h1w1k1r1s1b16"},
                 {"h2147483647", "n1c1h2147483647w1k1r1s1"}};
    /* A wrong shape, and a part of the sentence that says so. */
    static const struct {
        const char *text, *says;
        int code;
    } wrong[] = {
        {"", "empty", -EINVAL},
        {"0", "'0'", -EINVAL},
        {"64x64", "'6'", -EINVAL},
        {"99999999999", "'9'", -EINVAL},
        {"x64", "'x'", -EINVAL},
        {"C64", "'C'", -EINVAL},
        {"n1 c1", "' '", -EINVAL},
        {"n1c", "'c' in 'n1c' has no number", -EINVAL},
        {"nc1", "'n' in 'nc1' has no number", -EINVAL},
        {"c-1", "'c' in 'c-1' has no number", -EINVAL},
        {"c1c1", "'c' stands twice", -EINVAL},
        {"n1h5h6", "'h' stands twice", -EINVAL},
        {"k0", "'k' in 'k0' is 0", -EINVAL},
        {"d0", "'d' in 'd0' is 0", -EINVAL},
        {"g0", "'g' in 'g0' is 0", -EINVAL},
        {"w2147483648", "'w' in 'w2147483648' is over", -EOVERFLOW},
        {"p99999999999999999999", "'p'", -EOVERFLOW},
        {"h4r5", "'r' in 'h4r5' reaches over 5 positions, 'h' has 4", -EINVAL},
        {"h4r3d2w9", "'r' in 'h4r3d2w9' reaches over 5", -EINVAL},
        {"w2q1s5", "'s' in 'w2q1s5' reaches over 5 positions, 'w' has 4", -EINVAL},
        {"c6k4g4", "'c' in 'c6k4g4' is no multiple of 'g' (4)", -EINVAL},
        {"c4k6g4", "'k' in 'c4k6g4' is no multiple of 'g' (4)", -EINVAL},
        {"b2", "'b' in 'b2' is neither", -EINVAL},
        {"c8k8g2b8", "'g' in 'c8k8g2b8'", -EINVAL},
        {"c8k16g8b8", "'g' in 'c8k16g8b8'", -EINVAL}};

    for (size_t i = 0; i < ARRAY_LEN(right); i++) {
        const struct simdbench_shape shape = shape_of("conv", right[i].text);
        char text[200];
        assert_int_equal(shape.size, sizeof shape);
        assert_int_equal(shape.rank, CONV_DIMS);
        conv()->format(&shape, text, sizeof text);
        assert_string_equal(text, right[i].again);
        const struct simdbench_shape again = shape_of("conv", text);
        assert_memory_equal(&again, &shape, sizeof shape);
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        struct simdbench_shape shape;
        char error[200] = "";
        assert_int_equal(conv()->parse(wrong[i].text, &shape, error, sizeof error),
                         wrong[i].code);
        if (!strstr(error, wrong[i].says))
            fail_msg("'%s' does not say \"%s\"", error, wrong[i].says);
    }
}

TEST(test_format_cut)
{
    const struct simdbench_shape shape = shape_of("conv", "c16h64w64k16");
    char text[8] = "zzzzzzz";
    conv()->format(&shape, text, 6);
    assert_string_equal(text, "n1c16");
    assert_int_equal(text[6], 'z');
}

TEST(test_sizes)
{
    static const struct {
        const char *text;
        int64_t x, weights, y, ld_x, ld_y;
        double ops;
    } cases[] = {
        {"n2c5h9w7k6r3s2", 2 * 5 * 63, 6 * 5 * 6, 2 * 6 * 7 * 6, 7, 6,
         2. * 2 * 6 * 42 * 30},
        {"n2c5h9w7k6r3s2b8", 2 * 8 * 63, 6 * 5 * 6, 2 * 8 * 7 * 6, 56, 48,
         2. * 2 * 6 * 42 * 30},
        {"n1c3h9w7k17r3s2b16", 3 * 63, 17 * 3 * 6, 32 * 7 * 6, 7, 96, 2. * 17 * 42 * 18},
        {"n1c17h2w2k3b16", 32 * 4, 51, 16 * 4, 32, 32, 2. * 3 * 4 * 17},
        {"n1c3h4w4k3g3b8", 8 * 16, 3, 8 * 16, 32, 32, 2. * 3 * 16},
        /* 7 of 9 pairs of a row and a tap meet the input, and 8 of columns. */
        {"h7w9r3s3u2v3p1q2d2", 63, 9, 3 * 3, 9, 3, 2. * 7 * 8}};
    struct simdbench_operand operand[3] = {{0}};
    struct simdbench_operand *const pointer[SIMDBENCH_MAX_OPERANDS] = {
        &operand[0], &operand[1], &operand[2]};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct simdbench_shape shape = shape_of("conv", cases[i].text);
        const struct conv_shape names = conv_shape_of(&shape);
        double ops, bytes;
        assert_int_equal(conv()->layout(&shape, SIMDBENCH_F32, pointer), 3);
        assert_int_equal(operand[0].count, cases[i].x);
        assert_int_equal(operand[1].count, cases[i].weights);
        assert_int_equal(operand[2].count, cases[i].y);
        assert_int_equal(operand[0].ld, cases[i].ld_x);
        assert_int_equal(operand[2].ld, cases[i].ld_y);
        assert_int_equal(operand[0].role, SIMDBENCH_IN);
        assert_int_equal(operand[1].role, SIMDBENCH_CONST);
        assert_int_equal(operand[2].role, SIMDBENCH_OUT);
        conv()->work(&shape, SIMDBENCH_F32, &ops, &bytes);
        assert_true(ops == cases[i].ops);
        assert_true(bytes == 4. * (double)(names.n * (names.c * names.h * names.w +
                                                      names.k * names.oh * names.ow) +
                                           names.k * names.cg * names.r * names.s));
        assert_int_equal(conv()->layout(&shape, SIMDBENCH_F64, pointer), -EINVAL);
    }
    const struct simdbench_shape large = shape_of("conv", "n2147483647c2147483647h16w16");
    assert_int_equal(conv()->layout(&large, SIMDBENCH_F32, pointer), -EOVERFLOW);
}

/* Taps that meet the input, counted one by one. */
static int64_t taps_of(int64_t out, int64_t in, int64_t taps, int64_t stride, int64_t pad,
                       int64_t dilation)
{
    int64_t n = 0;
    for (int64_t i = 0; i < out; i++) {
        for (int64_t t = 0; t < taps; t++) {
            const int64_t at = i * stride - pad + t * dilation;
            n += at >= 0 && at < in;
        }
    }
    return n;
}

TEST(test_work)
{
    uint64_t random = 1;
    for (int i = 0; i < 2000; i++) {
        char text[100], error[200];
        int small[9];
        for (size_t k = 0; k < ARRAY_LEN(small); k++)
            small[k] = (int)(random_next(&random) % 5);
        snprintf(text, sizeof text, "n2c3h%dw%dk5r%ds%du%dv%dp%dq%dd%d", 1 + small[0] * 2,
                 1 + small[1] * 3, 1 + small[2], 1 + small[3], 1 + small[4], 1 + small[5],
                 small[6], small[7], 1 + small[8] % 3);
        struct simdbench_shape shape = {.size = sizeof shape};
        double ops, bytes;
        if (conv()->parse(text, &shape, error, sizeof error) < 0)
            continue; /* the kernel is larger than the padded input */
        const struct conv_shape c = conv_shape_of(&shape);
        conv()->work(&shape, SIMDBENCH_F32, &ops, &bytes);
        const int64_t rows = taps_of(c.oh, c.h, c.r, c.u, c.p, c.d);
        const int64_t columns = taps_of(c.ow, c.w, c.s, c.v, c.q, c.d);
        if (ops != 2. * 2 * 3 * 5 * (double)(rows * columns))
            fail_msg("%s: %g operations, %g expected", text, ops,
                     60. * (double)(rows * columns));
    }
}

TEST(test_relayout)
{
    static const struct {
        const char *text, *layout;
        int code;
        const char *after;
    } cases[] = {{"n1c16h4w4k16r3s3", "nchw16c", 0, "n1c16h4w4k16r3s3b16"},
                 {"n1c16h4w4k16r3s3b16", "nchw", 0, "n1c16h4w4k16r3s3"},
                 {"n1c5h4w4k7r3s3", "nchw8c", 0, "n1c5h4w4k7r3s3b8"},
                 {"n1c5h4w4k5g5", "nchw8c", 0, "n1c5h4w4k5r1s1g5b8"},
                 {"n1c16h4w4k32g2", "nchw8c", 0, "n1c16h4w4k32r1s1g2b8"},
                 {"n1c16h4w4k32g2", "nchw16c", -ENOTSUP, "n1c16h4w4k32r1s1g2"},
                 {"n1c16h4w4k8g2", "nchw8c", -ENOTSUP, "n1c16h4w4k8r1s1g2"},
                 {"n1c5h4w4k10g5", "nchw8c", -ENOTSUP, "n1c5h4w4k10r1s1g5"},
                 {"n1c16h4w4k16", "nhwc", -EINVAL, "n1c16h4w4k16r1s1"},
                 {"n1c16h4w4k16", "nchw,nchw8c", -EINVAL, "n1c16h4w4k16r1s1"}};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct simdbench_shape shape = shape_of("conv", cases[i].text);
        char error[200] = "", text[200];
        const int code = conv()->relayout(&shape, cases[i].layout, error, sizeof error);
        assert_int_equal(code, cases[i].code);
        assert_int_equal(strlen(error) > 0, code != 0);
        conv()->format(&shape, text, sizeof text);
        assert_string_equal(text, cases[i].after);
        if (code == 0)
            assert_string_equal(conv()->layout_of(&shape), cases[i].layout);
    }
    assert_string_equal(conv()->layouts, "nchw,nchw8c,nchw16c");
}

/* ---- lists ---- */

/* The number of times that each layer occurs, and the published multiply-adds of all of
 * them together.
 */
TEST(test_lists)
{
    static const struct {
        const char *name;
        int layers, times[23];
        double mega;
    } lists[] = {
        {"burn", 14, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 14304},
        {"resnet50",
         23,
         {1, 1, 3, 4, 2, 1, 1, 4, 1, 3, 3, 1, 1, 6, 1, 5, 5, 1, 1, 3, 1, 2, 2},
         4087},
        {"vgg16", 9, {1, 1, 1, 1, 1, 2, 1, 2, 3}, 15347},
        {"mobilenet", 19, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 1, 1, 1, 1}, 568},
    };

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const struct simdbench_shape_list *list = conv()->lists[i];
        assert_string_equal(list->name, lists[i].name);
        assert_true(list->size == sizeof *list && strlen(list->summary) > 0);
        char *copy = strdup(list->shapes), *rest = copy;
        double sum = 0;
        int layers = 0;
        for (const char *text; (text = strsep(&rest, " ")); layers++) {
            const struct simdbench_shape shape = shape_of("conv", text);
            char again[200];
            const struct conv_shape names = conv_shape_of(&shape);
            assert_true(layers < lists[i].layers);
            conv()->format(&shape, again, sizeof again);
            assert_string_equal(again, text);
            /* Published counts include products with padding. */
            sum += 1e-6 * lists[i].times[layers] *
                   (double)(names.n * names.oh * names.ow * names.k * names.cg * names.r *
                            names.s);
            for (const char *other = copy; other < text; other += strlen(other) + 1)
                assert_string_not_equal(other, text);
        }
        assert_int_equal(layers, lists[i].layers);
        if (fabs(sum - lists[i].mega) > 1)
            fail_msg("%s takes %g million multiply-adds", list->name, sum);
        free(copy);
    }
    assert_string_equal(conv()->lists[ARRAY_LEN(lists)]->name, "suite");
    assert_null(conv()->lists[ARRAY_LEN(lists) + 1]);
}
