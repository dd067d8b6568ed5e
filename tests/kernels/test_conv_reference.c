/* SPDX-License-Identifier: Apache-2.0 */
/* Op conv: inputs, and the reference against known answers and against a sum made the
 * other way round. */
#include "conv/conv.h"
#include "kernels.h"
#include "plain_operands.h"
#include "unit.h"

static const struct simdbench_op *conv(void)
{
    return op_find("conv");
}

static void conv_make(struct plain *plain, const char *shape, uint64_t seed)
{
    plain_make(plain, "conv", shape, SIMDBENCH_F32, NULL, seed);
}

static uint64_t count(const struct plain *plain, int operand)
{
    return plain->operands.operand[operand].count;
}

TEST(test_fill)
{
    struct plain plain, blocked, again, other;
    conv_make(&plain, "n2c19h3w5k3r3s3", 5);
    conv_make(&blocked, "n2c19h3w5k3r3s3b16", 5);
    conv_make(&again, "n2c19h3w5k3r3s3b16", 5);
    conv_make(&other, "n2c19h3w5k3r3s3b16", 6);
    assert_int_equal(conv()->fill(&plain.operands.view, 5, "no-such-input"), -EINVAL);
    assert_int_equal(conv()->fill(&plain.operands.view, 5, "special"), -EINVAL);
    assert_int_equal(conv()->fill(&plain.operands.view, 5, "bits:0..inf"), -EINVAL);
    assert_int_equal(conv()->fill(&plain.operands.view, 5, "normal"), 0);
    assert_int_equal(conv()->fill(&plain.operands.view, 5, NULL), 0);
    assert_memory_equal(f32(&blocked, 0), f32(&again, 0), 4 * count(&again, 0));
    assert_memory_equal(f32(&blocked, 1), f32(&again, 1), 4 * count(&again, 1));
    assert_memory_equal(f32(&blocked, 1), f32(&plain, 1), 4 * count(&plain, 1));
    assert_memory_not_equal(f32(&blocked, 0), f32(&other, 0), 4 * count(&other, 0));
    assert_memory_not_equal(f32(&blocked, 1), f32(&other, 1), 4 * count(&other, 1));
    double sum = 0;
    for (uint64_t i = 0; i < count(&blocked, 0); i++) {
        const float value = f32(&blocked, 0)[i];
        const bool beyond = i / (15 * 16) % 2 == 1 && i % 16 >= 3;
        assert_true(beyond ? value == 0 : value >= -1 && value < 1 && value != 0);
        sum += fabs((double)value);
    }
    assert_true(sum > 0.4 * 2 * 19 * 15 && sum < 0.6 * 2 * 19 * 15);
    free(plain.memory);
    free(blocked.memory);
    free(again.memory);
    free(other.memory);
}

/* ---- reference ---- */

/* All of x and weights are given; only a few elements of y are asked for. */
static void expect(const char *text, const float *x, const float *weights,
                   const float *want)
{
    struct plain plain;
    float value[64];
    double slack[64];
    conv_make(&plain, text, 1);
    memcpy(f32(&plain, 0), x, 4 * count(&plain, 0));
    memcpy(f32(&plain, 1), weights, 4 * count(&plain, 1));
    assert_true(count(&plain, 2) <= ARRAY_LEN(value));
    assert_int_equal(conv()->reference(&plain.operands.view, NULL, NULL, count(&plain, 2),
                                       value, slack),
                     0);
    for (uint64_t i = 0; i < count(&plain, 2); i++) {
        if (value[i] != want[i])
            fail_msg("%s: y[%d] is %g, should be %g", text, (int)i, (double)value[i],
                     (double)want[i]);
    }
    /* The same through an index, backwards. */
    for (uint64_t i = count(&plain, 2); i-- > 0;) {
        assert_int_equal(
            conv()->reference(&plain.operands.view, NULL, &i, 1, value, slack), 0);
        assert_true(value[0] == want[i]);
    }
    assert_int_equal(
        conv()->reference(&plain.operands.view, "maxplus", NULL, 1, value, slack),
        -EINVAL);
    free(plain.memory);
}

TEST(test_answers)
{
    static const float nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const float four[] = {1, 2, 3, 4};
    static const float blocked[8 * 2] = {1, 2, 3, 4, 5, 0, 0, 0, 6, 7, 8, 9, 10};
    expect("h3w3r2s2", nine, four, (const float[]){37, 47, 67, 77});
    expect("h3w3r2s2d2", nine, four, (const float[]){1 + 6 + 21 + 36});
    expect("h3w3r2s2u2v2p1q1", nine, four,
           (const float[]){4, 3 * 2 + 4 * 3, 2 * 4 + 4 * 7, 37 + 12 + 6 + 10 + 12});
    expect("h3w3p1u2", nine, four, (const float[]){0, 0, 0, 4, 5, 6, 0, 0, 0});
    expect("h1w3r1s3q1", nine, nine, (const float[]){2 + 6, 1 + 4 + 9, 2 + 6});
    expect("c2w3k2g2", nine, four, (const float[]){1, 2, 3, 8, 10, 12});
    expect("c2w3k2", nine, four,
           (const float[]){1 + 8, 2 + 10, 3 + 12, 3 + 16, 6 + 20, 9 + 24});
    expect("n2c2w2k1", nine, four, (const float[]){7, 10, 19, 22});
    expect("c5w2k1b8", blocked, nine,
           (const float[]){55, 0, 0, 0, 0, 0, 0, 0, 6 + 14 + 24 + 36 + 50, 0, 0, 0, 0, 0,
                           0, 0});
    expect("c5w2k5g5b8", blocked, nine,
           (const float[]){1, 4, 9, 16, 25, 0, 0, 0, 6, 14, 24, 36, 50, 0, 0, 0});
    /* A picture stays plain. */
    expect("c2w2k1b8", nine, four,
           (const float[]){7, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0});
}

TEST(test_slack)
{
    struct plain plain;
    float value[8];
    double slack[8];
    conv_make(&plain, "c2w1k3b8", 1);
    memcpy(f32(&plain, 0), (const float[]){3, -2}, 8);
    memcpy(f32(&plain, 1), (const float[]){1, 1, 2, 3, 0, 0}, 24);
    assert_int_equal(conv()->reference(&plain.operands.view, NULL, NULL, 8, value, slack),
                     0);
    assert_true(value[0] == 1 && fabs(slack[0] / (4 * 0x1p-24 * 5) - 1) < 1e-9);
    assert_true(value[1] == 0 && fabs(slack[1] / (4 * 0x1p-24 * 12) - 1) < 1e-9);
    assert_true(value[2] == 0 && slack[2] < 1e-43);
    for (int i = 3; i < 8; i++)
        assert_true(value[i] == 0 && slack[i] == 0);
    free(plain.memory);
}

/* From each element of x to all outputs that it takes part in. */
static void scatter(const struct conv_shape *shape, const float *x, const float *weights,
                    double *y)
{
    const int64_t xb = shape->x_plain ? 1 : shape->b, b = shape->b;
    const int64_t blocks = shape->x_plain ? shape->c : shape->cb;
    for (int64_t e = 0; e < shape->n * blocks * shape->h * shape->w * xb; e++) {
        const int64_t pixel = e / xb, w = pixel % shape->w,
                      h = pixel / shape->w % shape->h;
        const int64_t block = pixel / shape->w / shape->h % blocks;
        const int64_t n = pixel / shape->w / shape->h / blocks;
        const int64_t c = block * xb + e % xb;
        for (int64_t k = 0; k < shape->k && c < shape->c; k++) {
            if (k / shape->kg != c / shape->cg)
                continue;
            for (int64_t tap = 0; tap < shape->r * shape->s; tap++) {
                const int64_t i = h + shape->p - tap / shape->s * shape->d;
                const int64_t j = w + shape->q - tap % shape->s * shape->d;
                if (i < 0 || j < 0 || i % shape->u || j % shape->v ||
                    i / shape->u >= shape->oh || j / shape->v >= shape->ow)
                    continue;
                const int64_t at = (n * shape->kb + k / b) * shape->oh + i / shape->u;
                y[(at * shape->ow + j / shape->v) * b + k % b] +=
                    (double)x[e] *
                    (double)
                        weights[(k * shape->cg + c % shape->cg) * shape->r * shape->s +
                                tap];
            }
        }
    }
}

TEST(test_scatter)
{
    static const char *const shapes[] = {
        "n2c5h6w7k4r3s2",          "n1c2h7w6k3r2s3u2v3p1q2d2",
        "n2c6h5w5k4r3s3g2p2q1",    "n2c9h5w4k17r3s3p1q1b8",
        "n1c17h4w5k5r2s2v2b16",    "n2c3h5w6k9r3s3p1q1b8",
        "n1c16h4w4k8r3s3p1q1g1b8", "n1c16h4w4k16r3s3p1q1g2b8",
        "n2c11h5w5k11r3s3p1q1g11", "n1c11h5w5k11r3s3p2q1g11b8",
        "n1c4h5w5k8r3s3p1q1u3v3g4"};
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        struct plain plain;
        conv_make(&plain, shapes[i], i);
        const struct conv_shape shape = conv_shape_of(&plain.operands.shape);
        const uint64_t n = count(&plain, 2);
        float *value = malloc(n * sizeof *value);
        double *slack = malloc(n * sizeof *slack), *want = calloc(n, sizeof *want);
        assert_true(value && slack && want);
        scatter(&shape, f32(&plain, 0), f32(&plain, 1), want);
        assert_int_equal(
            conv()->reference(&plain.operands.view, NULL, NULL, n, value, slack), 0);
        for (uint64_t e = 0; e < n; e++)
            assert_true(fabs((double)value[e] - want[e]) <= slack[e]);
        free(value);
        free(slack);
        free(want);
        free(plain.memory);
    }
}
