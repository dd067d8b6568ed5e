/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op relu, and every row of it bit by bit against its rule: all small sizes, misaligned
 * operands, operands that touch pages without access on either side.
 */
#include <float.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "effort.h"
#include "kernels.h"
#include "lay_out.h"
#include "relu/relu.h"
#include "unit.h"

/* ---- the op ---- */

TEST(test_shapes)
{
    static const char *const wrong[] = {"",    "x",       "-8",        "+8",   " 8", "8 ",
                                        "8x8", "inplace", "inplace-1", "in 8", "1k"};
    const struct simdbench_op *op = op_find("relu");
    struct simdbench_shape shape;
    char text[64], error[128];
    assert_int_equal(op->parse("1000", &shape, error, sizeof error), 0);
    assert_true(shape.rank == 1 && shape.dim[0] == 1000);
    assert_string_equal(op->layout_of(&shape), "separate");
    op->format(&shape, text, sizeof text);
    assert_string_equal(text, "1000");
    assert_int_equal(op->parse("inplace0020", &shape, error, sizeof error), 0);
    assert_true(shape.rank == 2 && shape.dim[0] == 20 && shape.dim[1] == 1);
    assert_string_equal(op->layout_of(&shape), "inplace");
    op->format(&shape, text, sizeof text);
    assert_string_equal(text, "inplace20");
    assert_int_equal(op->parse("0", &shape, error, sizeof error), 0);
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_int_equal(op->parse(wrong[i], &shape, error, sizeof error), -EINVAL);
    assert_int_equal(op->parse("9223372036854775808", &shape, error, sizeof error),
                     -EOVERFLOW);
}

TEST(test_layouts)
{
    const struct simdbench_op *op = op_find("relu");
    struct simdbench_operand operand[2],
        *list[SIMDBENCH_MAX_OPERANDS] = {operand, operand + 1};
    struct simdbench_shape shape;
    char error[128];
    double ops, bytes;
    assert_int_equal(op->parse("77", &shape, error, sizeof error), 0);
    assert_int_equal(op->layout(&shape, SIMDBENCH_F64, list), 2);
    assert_true(operand[0].role == SIMDBENCH_IN && operand[1].role == SIMDBENCH_OUT);
    assert_int_equal(op->relayout(&shape, "inplace", error, sizeof error), 0);
    assert_string_equal(op->layout_of(&shape), "inplace");
    assert_int_equal(op->layout(&shape, SIMDBENCH_F64, list), 2);
    assert_true(operand[0].role == SIMDBENCH_IN && operand[1].role == SIMDBENCH_INOUT);
    assert_true(operand[1].count == 77 && operand[1].type == SIMDBENCH_F64);
    op->work(&shape, SIMDBENCH_F64, &ops, &bytes);
    assert_true(ops == 77 && bytes == 2 * 77 * 8);
    assert_int_equal(op->relayout(&shape, "separate", error, sizeof error), 0);
    assert_string_equal(op->layout_of(&shape), "separate");
    assert_int_equal(op->relayout(&shape, "nchw", error, sizeof error), -EINVAL);
    assert_int_equal(op->layout(&shape, SIMDBENCH_I32, list), -EINVAL);
    shape.dim[0] = INT64_MAX / 2;
    assert_int_equal(op->layout(&shape, SIMDBENCH_F32, list), -EOVERFLOW);
}

TEST(test_reference)
{
    const float in[] = {-1, 2, -0.0f, 0, -INFINITY, INFINITY, -FLT_TRUE_MIN, FLT_MIN / 2};
    const float out[] = {0, 2, -0.0f, 0, 0, INFINITY, 0, FLT_MIN / 2};
    const uint64_t index[] = {5, 1};
    struct simdbench_operand x = {.type = SIMDBENCH_F32, .data = (void *)in, .count = 8};
    const struct simdbench_operands operands = {.count = 1, .operand = {&x}};
    const struct simdbench_op *op = op_find("relu");
    float value[8];
    double slack[8];
    assert_int_equal(op->reference(&operands, NULL, NULL, 8, value, slack), 0);
    assert_memory_equal(value, out, sizeof out);
    for (int i = 0; i < 8; i++)
        assert_true(slack[i] == (out[i] == 0 ? (double)FLT_TRUE_MIN : 0));
    assert_int_equal(op->reference(&operands, NULL, index, 2, value, slack), 0);
    assert_true(isinf(value[0]) && value[1] == 2 && slack[0] == 0 && slack[1] == 0);
    assert_int_equal(op->reference(&operands, "maxplus", NULL, 8, value, slack), -EINVAL);
}

TEST(test_fill)
{
    double data[10] = {0};
    struct simdbench_operand x = {.type = SIMDBENCH_F64, .data = data, .count = 9};
    const struct simdbench_operands operands = {.count = 1, .operand = {&x}};
    const struct simdbench_op *op = op_find("relu");
    assert_int_equal(op->fill(&operands, 1, "uniform:5..6"), 0);
    for (int i = 0; i < 9; i++)
        assert_true(data[i] >= 5 && data[i] <= 6);
    assert_true(data[9] == 0);
    assert_int_equal(op->fill(&operands, 1, "other"), -EINVAL);
}

/* ---- operands between pages without access ---- */

/* The rule for the bits of a float; signalling NaNs pass, too. */
static uint64_t rule(uint64_t bits, uint32_t type)
{
    const uint64_t sign = type == SIMDBENCH_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    const uint64_t infinity =
        type == SIMDBENCH_F32 ? UINT64_C(0xff) << 23 : UINT64_C(0x7ff) << 52;
    const bool below_zero = bits > sign && bits - sign <= infinity;
    return below_zero ? 0 : bits;
}

/* ARM's maximum gives +0 for -0 and makes signalling NaNs quiet. */
static bool is_right(uint64_t got, uint64_t want, const struct simdbench_kernel *kernel)
{
    const uint64_t sign =
        kernel->type == SIMDBENCH_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    const uint64_t infinity =
        kernel->type == SIMDBENCH_F32 ? UINT64_C(0xff) << 23 : UINT64_C(0x7ff) << 52;
    const uint64_t quiet =
        kernel->type == SIMDBENCH_F32 ? UINT64_C(1) << 22 : UINT64_C(1) << 51;
    if (got == want)
        return true;
    if (strcmp(kernel->isa, "neon") != 0 || strcmp(kernel->variant, "and_mask") == 0)
        return false;
    return (want == sign && got == 0) ||
           ((want & ~sign) > infinity && got == (want | quiet));
}

static bool all_right(const void *got, const void *want, uint64_t n,
                      const struct simdbench_kernel *kernel)
{
    const size_t size = type_bytes(kernel->type);
    const bool same = memcmp(got, want, n * size) == 0;
    for (uint64_t i = 0; i < n && !same; i++) {
        uint64_t one = 0, other = 0;
        memcpy(&one, (const char *)got + i * size, size);
        memcpy(&other, (const char *)want + i * size, size);
        if (!is_right(one, other, kernel))
            return false;
    }
    return true;
}

/* Any bits, and every other time around a value that is easy to get wrong. */
static uint64_t random_bits(uint64_t *seed, uint32_t type)
{
    static const uint32_t narrow[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                      0x7fc00001, 0xffc00002, 0x7f800003, 0xff800004,
                                      0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
                                      0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000};
    const uint64_t draw = random_next(seed);
    const uint32_t value = narrow[draw >> 32 & 15];
    if (type == SIMDBENCH_F32)
        return draw & 1 ? value : (uint32_t)(draw >> 32);
    if (!(draw & 1))
        return draw ^ draw << 32;
    return (uint64_t)(value >> 31) << 63 | (uint64_t)(value >> 23 & 0xff) % 255 << 52 |
           (value >> 23 & 0xff) / 255 * (UINT64_C(0x7ff) << 52) |
           (uint64_t)(value & 0x400000) << 29 | (value & 0x3fffff);
}

struct problem {
    uint64_t n;
    enum place place[2];
    uint64_t shift[2]; /* elements from the middle of the region */
};

static void *place(const struct arena *arena, const struct problem *problem, int i,
                   size_t size)
{
    const size_t bytes = problem->n * size;
    assert_true(problem->place[i] != MIDDLE || REGION / 2 + 64 * size + bytes <= REGION);
    assert_true(bytes <= REGION);
    return problem->place[i] == LEFT ? arena->region[i]
           : problem->place[i] == RIGHT
               ? arena->region[i] + REGION - bytes
               : arena->region[i] + REGION / 2 + problem->shift[i] * size;
}

static void bind(const struct arena *arena, const struct problem *problem,
                 const struct simdbench_kernel *kernel, struct operands *operands)
{
    const struct simdbench_op *op = op_find("relu");
    struct simdbench_shape shape = {
        .size = sizeof shape, .rank = 1, .dim = {(int64_t)problem->n}};
    char error[100];
    assert_int_equal(op->relayout(&shape, kernel->layout, error, sizeof error), 0);
    lay_out(operands, op, &shape, kernel->type, 2);
    for (int i = 0; i < 2; i++)
        operands->operand[i].data = place(arena, problem, i, type_bytes(kernel->type));
}

static void fill(const struct arena *arena, const struct operands *operands)
{
    const struct simdbench_operand *x = &operands->operand[0], *y = &operands->operand[1];
    const size_t size = type_bytes(x->type);
    uint64_t seed = x->count;
    for (uint64_t i = 0; i < x->count; i++) {
        const uint64_t bits = random_bits(&seed, x->type), want = rule(bits, x->type);
        memcpy((char *)x->data + i * size, &bits, size);
        memcpy((char *)arena->reference + i * size, &want, size);
    }
    if (y->role == SIMDBENCH_INOUT)
        memcpy(y->data, x->data, x->count * size);
    else
        memset(y->data, 0x5a, y->count * size);
}

/* Bytes around y that no kernel may change: how many are there before and after it. */
static void fences(const struct arena *arena, const struct simdbench_operand *y,
                   char **after, size_t *n_before, size_t *n_after)
{
    char *const first = arena->region[1], *const last = first + REGION;
    char *const from = y->data, *const to = from + y->count * type_bytes(y->type);
    *after = to;
    *n_before = from - first < FENCE ? (size_t)(from - first) : FENCE;
    *n_after = last - to < FENCE ? (size_t)(last - to) : FENCE;
}

static void fences_set(const struct arena *arena, const struct simdbench_operand *y)
{
    char *after;
    size_t n_before, n_after;
    fences(arena, y, &after, &n_before, &n_after);
    memset((char *)y->data - n_before, 0x33, n_before);
    memset(after, 0x33, n_after);
}

static bool fences_stand(const struct arena *arena, const struct simdbench_operand *y)
{
    char *after, whole[FENCE];
    size_t n_before, n_after;
    memset(whole, 0x33, FENCE);
    fences(arena, y, &after, &n_before, &n_after);
    return memcmp((char *)y->data - n_before, whole, n_before) == 0 &&
           memcmp(after, whole, n_after) == 0;
}

static void check_kernel(const struct arena *arena, const struct problem *problem,
                         const struct simdbench_kernel *kernel, void *run_state)
{
    struct operands operands;
    bind(arena, problem, kernel, &operands);
    const struct simdbench_operand *y = &operands.operand[1];
    fill(arena, &operands);
    fences_set(arena, y);
    const uint64_t inputs = operands_hash(&operands);
    kernel->run(&operands.view, run_state);
    if (!all_right(y->data, arena->reference, problem->n, kernel))
        fail_msg("wrong: relu/%s/%s/%s@%d", type_name(kernel->type), kernel->isa,
                 kernel->variant, (int)problem->n);
    if (!fences_stand(arena, y))
        fail_msg("outside of y: relu/%s/%s/%s@%d", type_name(kernel->type), kernel->isa,
                 kernel->variant, (int)problem->n);
    assert_true(operands_hash(&operands) == inputs);
}

/* True if `automatic` may run that row. */
static bool may_choose(const struct simdbench_kernel *automatic,
                       const struct simdbench_kernel *row)
{
    return !strcmp(row->op, "relu") && !strcmp(row->isa, automatic->isa) &&
           row->type == automatic->type && !row->flags && !row->prepare &&
           !strcmp(row->layout, "separate");
}

/* All rows on one problem; `auto` with each choice. */
static void check(const struct arena *arena, const struct problem *problem)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    for (size_t i = 0; kernels[i]; i++) {
        if (!runs_here(kernels[i], "relu"))
            continue;
        if (strcmp(kernels[i]->variant, "auto") != 0)
            check_kernel(arena, problem, kernels[i], NULL);
        for (size_t k = 0; kernels[k] && kernels[i]->prepare; k++)
            if (may_choose(kernels[i], kernels[k]))
                check_kernel(arena, problem, kernels[i],
                             &(struct fastest){.run = kernels[k]->run});
    }
}

/* ---- rows ---- */

TEST(test_sizes)
{
    for (uint64_t n = 0; n <= 200; n += effort_step()) {
        check(*state, &(struct problem){.n = n, .place = {LEFT, RIGHT}});
        check(*state, &(struct problem){.n = n, .place = {RIGHT, LEFT}});
        check(*state, &(struct problem){
                          .n = n, .place = {MIDDLE, MIDDLE}, .shift = {n % 7, n % 16}});
    }
}

TEST(test_misaligned)
{
    static const uint64_t sizes[] = {15, 97, 150};
    for (uint64_t x = 0; x < 16; x += 3)
        for (uint64_t y = 2 * x % 16 % effort_step(); y < 16; y += effort_step())
            for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
                check(*state, &(struct problem){.n = sizes[i],
                                                .place = {MIDDLE, MIDDLE},
                                                .shift = {x, y}});
}

TEST(test_long)
{
    static const uint64_t sizes[] = {1000, 4096, 10007, 100000};
    /* The last one is only longer. */
    for (size_t i = 0; i < ARRAY_LEN(sizes) - (effort_divisor() > 1); i++) {
        check(*state, &(struct problem){.n = sizes[i], .place = {RIGHT, RIGHT}});
        check(*state, &(struct problem){
                          .n = sizes[i], .place = {MIDDLE, MIDDLE}, .shift = {1, 3}});
    }
}

/* ---- the choice of auto ---- */

static void check_choice(const struct simdbench_kernel *kernel,
                         const struct operands *operands, bool measured)
{
    struct simdbench_choice choice = {.size = sizeof choice};
    char error[100] = "";
    void *run_state = NULL;
    assert_int_equal(kernel->prepare(&operands->view, &run_state, error, sizeof error),
                     0);
    const struct fastest *made = run_state;
    kernel->choice(&operands->view, run_state, &choice);
    const char *const name = made->row->variant;
    assert_true(may_choose(kernel, made->row) && made->run == made->row->run);
    assert_true(measured || !strcmp(name, "max"));
    assert_memory_equal(choice.implementation, name, strlen(name));
    assert_string_equal(choice.roof, strcmp(name, "stream") ? "copy" : "copy_stream");
    assert_int_equal(strstr(choice.implementation, " times ") != NULL, measured);
    assert_null(choice.isa);
    assert_null(choice.note);
    kernel->release(run_state);
}

/* It is measured beyond the level-2 cache only, and without a look at the operands. */
TEST(test_auto)
{
    const struct arena *arena = *state;
    const struct simdbench_kernel *const *kernels = kernel_list();
    char *memory = mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t i = 0; kernels[i]; i++) {
        struct operands operands;
        if (!runs_here(kernels[i], "relu") || strcmp(kernels[i]->variant, "auto") != 0)
            continue;
        bind(arena, &(struct problem){.n = 1000}, kernels[i], &operands);
        for (int o = 0; o < 2; o++)
            operands.operand[o].data = memory + o * (32 << 20) + 64 * (o + 1);
        if (sysconf(_SC_LEVEL2_CACHE_SIZE) >= 16000)
            check_choice(kernels[i], &operands, false);
        for (int o = 0; o < 2; o++)
            operands.operand[o].count = (16 << 20) / type_bytes(kernels[i]->type);
        if (sysconf(_SC_LEVEL2_CACHE_SIZE) < 32 << 20)
            check_choice(kernels[i], &operands, true);
    }
    munmap(memory, 64 << 20);
}
