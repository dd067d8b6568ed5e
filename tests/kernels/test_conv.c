/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of conv against the reference: strides, padding, dilation, groups, ragged
 * numbers of channels, all layouts; operands that touch pages without access on either
 * side, outputs that hold NaNs before.
 */
#include "arena.h"
#include "effort.h"
#include "kernels.h"
#include "lay_out.h"
#include "unit.h"

/* Ways that the tests before test_rows took. */
static struct {
    int runs, by_columns, in_blocks;
} seen;

static void arena_bind(const struct arena *arena, const struct simdbench_shape *shape,
                       enum place place, struct operands *operands)
{
    const struct simdbench_op *op = op_find("conv");
    lay_out(operands, op, shape, SIMDBENCH_F32, 3);
    for (int i = 0; i < 3; i++) {
        struct simdbench_operand *operand = &operands->operand[i];
        operand->data =
            arena_place(arena, i, place, operand->count * sizeof(float), sizeof(float));
    }
    assert_int_equal(op->fill(&operands->view, 7, NULL), 0);
}

/* Bytes beside y that a kernel may not change. */
static bool fence_holds(const struct arena *arena, const struct simdbench_operand *y,
                        bool set)
{
    char *const first = arena->region[2], *const last = first + REGION;
    char *const from = y->data, *const to = from + y->count * sizeof(float);
    bool holds = true;
    for (int i = 1; i <= FENCE; i++) {
        char *const around[2] = {from - i, to + i - 1};
        for (int side = 0; side < 2; side++) {
            if (around[side] < first || around[side] >= last)
                continue;
            if (set)
                *around[side] = 0x5a;
            holds = holds && *around[side] == 0x5a;
        }
    }
    return holds;
}

/* Runs one row of the table on operands that are bound. */
static void check_kernel(struct arena *arena, const struct simdbench_kernel *kernel,
                         const struct operands *operands)
{
    const struct simdbench_operand *y = &operands->operand[2];
    const uint64_t inputs = operands_hash(operands);
    char reason[256] = "", text[200], name[300];
    struct error error = {0};
    void *state = NULL;
    op_find("conv")->format(&operands->shape, text, sizeof text);
    snprintf(name, sizeof name, "conv/f32/%s/%s@%s", kernel->isa, kernel->variant, text);
    fence_holds(arena, y, true);
    if (kernel->prepare) {
        const int code = kernel->prepare(&operands->view, &state, reason, sizeof reason);
        if (code == -ENOTSUP && reason[0])
            return;
        if (code != 0)
            fail_msg("%s: prepare: %s", name, reason);
    }
    for (int turn = 0; turn < 2; turn++) {
        operands_poison(operands);
        kernel->run(&operands->view, state);
        if (operands_compare(y, NULL, y->count, arena->reference, arena->slack, &error) !=
            0)
            fail_msg("%s: %s", name, error.text);
    }
    if (kernel->choice) {
        struct simdbench_choice choice = {.size = sizeof choice};
        kernel->choice(&operands->view, state, &choice);
        const char *way = choice.implementation ? choice.implementation : "none";
        assert_true(strlen(way) > 0);
        seen.by_columns += strstr(way, "by columns") != NULL;
        seen.in_blocks += strstr(way, "in blocks") != NULL;
    }
    if (kernel->release)
        kernel->release(state);
    if (!fence_holds(arena, y, false))
        fail_msg("%s: wrote outside of y", name);
    if (operands_hash(operands) != inputs)
        fail_msg("%s: wrote to an input", name);
    seen.runs++;
}

/* All rows on one shape, in all layouts that it can have. */
static void check(struct arena *arena, const char *text, enum place place)
{
    static const char *const layouts[] = {"nchw", "nchw8c", "nchw16c"};
    const struct simdbench_op *op = op_find("conv");
    const struct simdbench_kernel *const *kernels = kernel_list();
    struct simdbench_shape shape;
    char error[200] = "";
    if (op->parse(text, &shape, error, sizeof error) != 0)
        fail_msg("%s", error);
    for (size_t l = 0; l < ARRAY_LEN(layouts); l++) {
        struct operands operands;
        if (op->relayout(&shape, layouts[l], error, sizeof error) == -ENOTSUP)
            continue;
        arena_bind(arena, &shape, place, &operands);
        assert_int_equal(op->reference(&operands.view, NULL, NULL,
                                       operands.operand[2].count, arena->reference,
                                       arena->slack),
                         0);
        for (size_t i = 0; kernels[i]; i++)
            if (runs_here(kernels[i], "conv") &&
                (!kernels[i]->layout || !strcmp(kernels[i]->layout, layouts[l])))
                check_kernel(arena, kernels[i], &operands);
    }
}

__attribute__((format(printf, 3, 4))) static void
check_text(struct arena *arena, int64_t number, const char *format, ...)
{
    char text[200];
    va_list arguments;

    if (!effort_turn())
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    check(arena, text, (enum place)(number % PLACES));
}

/* ---- tests ---- */

static const int channels[] = {1, 3, 5, 8, 16, 17, 33};

/* Every number of columns, so every way to cut a row into tiles and border. */
TEST(test_widths)
{
    for (int w = 1; w <= 66; w++) {
        check_text(*state, w, "c3h3w%dk17r3s3p1q1", w);
        check_text(*state, w + 1, "c8h2w%dk9r1s3q1", w);
        check_text(*state, w + 2, "c16h1w%dk16", w);
        check_text(*state, w, "c9h3w%dk9r3s3p1q1g9", w);
        check_text(*state, w, "c17h5w%dk17r3s3p1q1u2v2g17", w);
        check_text(*state, w, "c5h3w%dk32r3s3p1q1v2", w);
    }
}

TEST(test_heights)
{
    for (int h = 1; h <= 20; h++) {
        check_text(*state, h, "c16h%dw9k16r3s3p1q1", h);
        check_text(*state, h, "c4h%dw7k8u2", h);
        check_text(*state, h, "c8h%dw6k8r3s3p1q1u2g8", h);
    }
}

/* Numbers of channels that are no multiple of a block, on both sides. */
TEST(test_channels)
{
    for (size_t c = 0; c < ARRAY_LEN(channels); c++)
        for (size_t k = 0; k < ARRAY_LEN(channels); k++) {
            check_text(*state, (int64_t)(c + k), "c%dh6w11k%dr3s3p1q1", channels[c],
                       channels[k]);
            check_text(*state, (int64_t)(c + k), "c%dh3w19k%d", channels[c], channels[k]);
        }
    for (int k = 1; k <= 70; k += 3)
        check_text(*state, k, "c5h4w9k%dr3s3p1", k);
    for (size_t c = 0; c < ARRAY_LEN(channels); c++)
        check_text(*state, (int64_t)c, "c%dh8w13k%dr3s3p1q1g%d", channels[c], channels[c],
                   channels[c]);
}

/* All strides, paddings and dilations, where the kernel still fits. */
TEST(test_steps)
{
    static const int filters[][2] = {{1, 1}, {3, 3}, {2, 3}, {5, 1}, {1, 4}, {7, 7}};
    int number = 0;
    for (size_t f = 0; f < ARRAY_LEN(filters); f++)
        for (int u = 1; u <= 3; u++)
            for (int p = 0; p <= 3; p++)
                for (int d = 1; d <= 2; d++) {
                    const int r = filters[f][0], s = filters[f][1];
                    const int v = 1 + (u + p + d) % 3, q = (p + d + u) % 4;
                    const int h = d * (r - 1) + 3, w = d * (s - 1) + 4 + 5 * (p % 2);
                    check_text(*state, number++, "c5h%dw%dk10r%ds%du%dv%dp%dq%dd%d", h, w,
                               r, s, u, v, p, q, d);
                    check_text(*state, number++, "c16h%dw%dk16r%ds%du%dv%dp%dq%dd%d", h,
                               w, r, s, u, u, p, p, d);
                    check_text(*state, number++, "c10h%dw%dk10r%ds%du%dv%dp%dq%dd%dg10",
                               h, w, r, s, u, v, p, q, d);
                }
}

TEST(test_groups)
{
    for (int g = 2; g <= 4; g++) {
        check_text(*state, g, "c%dh6w9k%dr3s3p1q1g%d", 16 * g, 16 * g, g);
        check_text(*state, g, "c%dh6w9k%dr3s3g%d", 8 * g, 16 * g, g);
        check_text(*state, g, "c%dh6w9k%dg%d", 16 * g, 32 * g, g);
        check_text(*state, g, "c%dh6w9k%dr3s3p1q1g%d", 3 * g, 5 * g, g);
        check_text(*state, g, "c%dh6w9k%dr2s3p1q1u2g%d", g, 2 * g, g);
        check_text(*state, g, "c%dh6w9k%dr2s3p1q1v2g%d", 2 * g, g, g);
    }
}

/* A kernel that is larger than x: taps in the padding on both sides at once. */
TEST(test_tiny)
{
    static const char *const shapes[] = {
        "h1w1r3s3p1q1",           "c8h1w1k8r3s3p1q1",   "c3h2w2k5r5s5p2q2",
        "c16h1w3k16r7s7p3q3",     "c4h2w1k8r3s5p3q3",   "c9h1w1k9r3s3p1q1g9",
        "c16h2w2k16r5s5p2q2g16",  "c16h3w1k33r3s3p3q3", "c3h1w1k16r3s3p3q3u3v3",
        "c8h2w2k8r2s2p3q3d3",     "c17h1w1k3",          "c8h1w2k8r1s3q3g8",
        "c5h1w1k7r7s7p3q3u2v2",   "n3c8h2w3k8r3s3p1q1", "n2c3h7w7k9r3s3u2v2p1q1",
        "n3c10h5w4k10r3s3p1q1g10"};
    /* With less effort each shape is at one place alone. */
    for (int i = 0; i < (int)ARRAY_LEN(shapes); i++)
        for (int place = 0; place < PLACES; place++)
            if (effort_divisor() == 1 || i % PLACES == place)
                check(*state, shapes[i], (enum place)place);
}

/* Shapes at random. */
TEST(test_random)
{
    uint64_t seed = 20;
#define DRAW(least, most) \
    ((int)(random_next(&seed) % (uint64_t)((most) - (least) + 1)) + (least))
    for (int i = 0; i < 250; i++) {
        const int r = DRAW(1, 5), s = DRAW(1, 5), d = DRAW(1, 3);
        const int p = DRAW(0, 3), q = DRAW(0, 3), u = DRAW(1, 4), v = DRAW(1, 4);
        const int h = DRAW(1, 9) + d * (r - 1), w = DRAW(1, 70) + d * (s - 1);
        const int kind = DRAW(0, 5), g = kind < 4 ? 1 : DRAW(2, 20);
        const int c = kind == 5 ? g : g * DRAW(1, g > 1 ? 9 : 40);
        const int k = kind == 5 ? g : g * DRAW(1, g > 1 ? 9 : 70);
        check_text(*state, i, "n%dc%dh%dw%dk%dr%ds%du%dv%dp%dq%dd%dg%d", DRAW(1, 2), c, h,
                   w, k, r, s, u, v, p, q, d, g);
    }
#undef DRAW
}

/* So large that channels, rows and output channels are cut into several blocks. */
TEST(test_blocks)
{
    static const char *const shapes[] = {
        "c290h5w17k40r3s3p1q1", "c1040h3w9k72", "c40h60w70k40", "c24h9w40k150r3s3",
        "c48h33w29k24r5s5q2", "c3h60w61k70r7s7u2v2p3q3", "c3h47w47k24r11s11u4v4",
        "c80h14w150k80r3s3p1q1g80", "c512h7w7k64r3s3p1q1", "c64h28w28k200u2v2",
        /* Slices of depthwise rows: with taps in two of them, in one, and beyond x. */
        "c19h40w70k19r3s3p1q1g19", "c16h61w67k16r2s3u3v2g16",
        "n2c33h24w90k33r3s3p7q7d5g33"};
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        check_text(*state, (int64_t)i, "%s", shapes[i]);
}

/* Rows are there, and were run above. */
TEST(test_rows)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    int rows = 0;
    for (size_t i = 0; kernels[i]; i++) {
        if (strcmp(kernels[i]->op, "conv") != 0)
            continue;
        assert_int_equal(kernels[i]->type, SIMDBENCH_F32);
        assert_true(isa_find(kernels[i]->isa) >= 0);
        rows++;
    }
    const int part = (int)effort_divisor();
    assert_true(rows > 0 && seen.runs > rows * 100 / part);
    /* Both ways of the rows for plain operands. */
    assert_true(seen.by_columns > 100 / part && seen.in_blocks > 100 / part);
}
