/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of gemm_argmax against one loop that keeps maximum and index side by side:
 * ragged shapes, rows with gaps, ties, special values, operands that touch pages without
 * access. And that the op's own check finds what is wrong.
 */
#include "gemm/gemm_argmax.h"

#include "arena.h"
#include "effort.h"
#include "kernels.h"
#include "lay_out.h"
#include "unit.h"

enum { OPERANDS = 4 };

static int32_t right_index[1 << 18];

struct problem {
    int64_t m, n, k;
    int64_t gap[OPERANDS]; /* elements between the end of a row and the next one */
    bool left;             /* operands begin after a page without access, or end before */
    const char *input;
};

static void bind(const struct arena *arena, const struct problem *problem, uint32_t type,
                 struct operands *operands)
{
    const struct simdbench_op *op = op_find("gemm_argmax");
    const struct simdbench_shape shape = {
        .size = sizeof shape, .rank = 3, .dim = {problem->m, problem->n, problem->k}};
    lay_out(operands, op, &shape, type, OPERANDS);
    for (int i = 0; i < OPERANDS; i++) {
        struct simdbench_operand *operand = &operands->operand[i];
        const int64_t rows = i == 1 ? problem->k : problem->m;
        operand->ld += problem->gap[i];
        if (operand->count)
            operand->count += (uint64_t)((rows - 1) * problem->gap[i]);
        const size_t bytes = operand->count * type_bytes(operand->type);
        assert_true(bytes <= REGION);
        operand->data = arena->region[i] + (problem->left ? 0 : REGION - bytes);
    }
    assert_int_equal(op->fill(&operands->view, 7, problem->input), 0);
}

/* ---- what is right ---- */

static double element(const struct simdbench_operand *operand, int64_t row,
                      int64_t column)
{
    const int64_t at = row * operand->ld + column;
    return operand->type == SIMDBENCH_F32 ? (double)((const float *)operand->data)[at]
                                          : ((const double *)operand->data)[at];
}

/* One product, rounded to the type: a sum or product of two floats is exact enough in
 * double that rounding it again gives what rounding once would. */
static double product(bool times, uint32_t type, double a, double b)
{
    const double t = times ? a * b : a + b;
    return type == SIMDBENCH_F32 ? (double)(float)t : t;
}

static void plain(struct arena *arena, const struct operands *operands,
                  const char *semiring)
{
    const int64_t *dim = operands->shape.dim;
    const uint32_t type = operands->operand[0].type;
    const bool least = strcmp(semiring, "minplus") == 0;
    const bool times = strcmp(semiring, "maxtimes") == 0;
    const double zero = least ? INFINITY : times ? 0 : -INFINITY;
    for (int64_t i = 0; i < dim[0]; i++)
        for (int64_t j = 0; j < dim[1]; j++) {
            double best = zero;
            int32_t index = GEMM_NO_WINNER;
            for (int64_t p = 0; p < dim[2]; p++) {
                const double t =
                    product(times, type, element(&operands->operand[0], i, p),
                            element(&operands->operand[1], p, j));
                if (least ? t < best : t > best) {
                    best = t;
                    index = (int32_t)p;
                }
            }
            right_index[i * dim[1] + j] = index;
            if (type == SIMDBENCH_F32)
                ((float *)arena->reference)[i * dim[1] + j] = (float)best;
            else
                ((double *)arena->reference)[i * dim[1] + j] = best;
        }
}

/* ---- rows ---- */

static void name_kernel(const struct simdbench_kernel *kernel,
                        const struct operands *operands, char *text, size_t size)
{
    const int64_t *dim = operands->shape.dim;
    snprintf(text, size, "%s-%s/%s/%s@%dx%dx%d", kernel->semiring,
             type_name(kernel->type), kernel->isa, kernel->variant, (int)dim[0],
             (int)dim[1], (int)dim[2]);
}

/* The gaps between rows hold 0x5a bytes, as they did before. */
static bool gaps_untouched(const struct simdbench_operand *operand, int64_t columns)
{
    const size_t size = type_bytes(operand->type);
    const size_t pitch = (size_t)operand->ld * size, width = (size_t)columns * size;
    for (size_t at = 0; at < operand->count * size; at++)
        if (at % pitch >= width && ((const char *)operand->data)[at] != 0x5a)
            return false;
    return true;
}

static void check_kernel(const struct arena *arena, const struct simdbench_kernel *kernel,
                         const struct operands *operands)
{
    const int64_t m = operands->shape.dim[0], n = operands->shape.dim[1];
    const struct simdbench_operand *c = &operands->operand[2],
                                   *found = &operands->operand[3];
    const bool partial = kernel->flags & SIMDBENCH_PARTIAL;
    const uint64_t inputs = operands_hash(operands);
    char error[256] = "", name[128];
    void *state = NULL;
    name_kernel(kernel, operands, name, sizeof name);
    memset(c->data, 0x5a, c->count * type_bytes(c->type));
    memset(found->data, 0x5a, found->count * sizeof(int32_t));
    if (kernel->prepare(&operands->view, &state, error, sizeof error) != 0)
        fail_msg("%s: %s", name, error);
    kernel->run(&operands->view, state);
    kernel->run(&operands->view, state);
    kernel->release(state);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const int32_t got = ((const int32_t *)found->data)[i * found->ld + j];
            const double want = kernel->type == SIMDBENCH_F32
                                    ? (double)((const float *)arena->reference)[i * n + j]
                                    : ((const double *)arena->reference)[i * n + j];
            if (element(c, i, j) != want)
                fail_msg("%s: C[%d][%d] is %.17g, not %.17g", name, (int)i, (int)j,
                         element(c, i, j), want);
            if (got != (partial ? 0x5a5a5a5a : right_index[i * n + j]))
                fail_msg("%s: I[%d][%d] is %d, not %d", name, (int)i, (int)j, got,
                         right_index[i * n + j]);
        }
    if (!gaps_untouched(c, n) || !gaps_untouched(found, n))
        fail_msg("%s: wrote between rows", name);
    assert_true(operands_hash(operands) == inputs);
    if (!partial && op_find("gemm_argmax")
                            ->verify(&operands->view, kernel->semiring, NULL, c->count,
                                     error, sizeof error) != 0)
        fail_msg("%s: verify says %s", name, error);
}

static void check(struct arena *arena, const struct problem *problem)
{
    static const char *const semirings[] = {"maxplus", "minplus", "maxtimes"};
    const struct simdbench_kernel *const *kernels = kernel_list();
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++) {
        struct operands operands;
        bind(arena, problem, type, &operands);
        for (size_t s = 0; s < ARRAY_LEN(semirings); s++) {
            plain(arena, &operands, semirings[s]);
            for (size_t i = 0; kernels[i]; i++)
                if (runs_here(kernels[i], "gemm_argmax") && kernels[i]->type == type &&
                    strcmp(kernels[i]->semiring, semirings[s]) == 0)
                    check_kernel(arena, kernels[i], &operands);
        }
    }
}

#define CHECK(...) check(*state, &(struct problem){__VA_ARGS__})

/* Every way to cut rows into strips and columns into tiles. */
TEST(test_edges)
{
    const int64_t step = effort_step() > 1 ? 7 : 1;
    for (int64_t m = 0; m <= 50; m += step)
        CHECK(.m = m, .n = 17, .k = 5, .left = m % 2, .input = "ties");
    for (int64_t n = 0; n <= 50; n += step)
        CHECK(.m = 5, .n = n, .k = 19, .left = n % 2, .input = "ties");
}

/* Spans and blocks of k-steps, whole and ragged, and none. */
TEST(test_depths)
{
    static const int64_t depths[] = {0,  1,  2,   15,  16,  17,  31,
                                     32, 33, 255, 256, 257, 272, 600};
    for (size_t i = 0; i < ARRAY_LEN(depths); i++)
        for (int ties = 0; ties < 2; ties++)
            if (effort_divisor() == 1 || (int)i % 2 == ties)
                CHECK(.m = 7, .n = 21, .k = depths[i], .left = i % 2,
                      .input = ties ? "ties" : NULL);
}

/* NaN, infinities, zeros of both signs, denormals. */
TEST(test_special)
{
    for (int64_t k = 1; k <= 40; k += effort_divisor() > 1 ? 13 : 3)
        CHECK(.m = 27, .n = 19, .k = k, .input = "special");
    CHECK(.m = 3, .n = 35, .k = 530, .input = "special");
}

TEST(test_large)
{
    CHECK(.m = effort_divisor() > 1 ? 34 : 130, .n = 97, .k = 300, .input = "ties");
    CHECK(.m = 3, .n = 1100, .k = 33, .left = true);
    CHECK(.m = 29, .n = 33, .k = 64, .gap = {960, 3, 5, 7}, .left = true);
    CHECK(.m = 70, .n = 3, .k = 270, .gap = {0, 0, 2, 0});
}

/* ---- the op ---- */

/* Answers known by hand: maxplus of one row and one column of two products. */
TEST(test_known)
{
    const struct {
        const char *semiring;
        float a[2], b[2];
        int32_t index;
    } known[] = {{"maxplus", {1, 2}, {2, 1}, 0},
                 {"maxplus", {1, 2}, {2, 2}, 1},
                 {"maxplus", {-0.0f, 0}, {-0.0f, 0}, 0},
                 {"maxplus", {NAN, 2}, {2, 2}, 1},
                 {"maxplus", {NAN, NAN}, {2, 2}, GEMM_NO_WINNER},
                 {"maxplus", {-INFINITY, -INFINITY}, {2, 2}, GEMM_NO_WINNER},
                 {"maxplus", {INFINITY, INFINITY}, {-INFINITY, 1}, 1},
                 {"minplus", {1, 2}, {2, 1}, 0},
                 {"minplus", {INFINITY, INFINITY}, {2, 2}, GEMM_NO_WINNER},
                 {"maxtimes", {-1, -2}, {2, 2}, GEMM_NO_WINNER},
                 {"maxtimes", {0, 3}, {2, 1}, 1}};
    const struct simdbench_kernel *const *kernels = kernel_list();

    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct operands operands;
        bind(*state, &(struct problem){.m = 1, .n = 1, .k = 2}, SIMDBENCH_F32, &operands);
        memcpy(operands.operand[0].data, known[i].a, sizeof known[i].a);
        memcpy(operands.operand[1].data, known[i].b, sizeof known[i].b);
        for (size_t k = 0; kernels[k]; k++) {
            void *memory = NULL;
            char error[128] = "";
            if (!runs_here(kernels[k], "gemm_argmax") ||
                kernels[k]->flags & SIMDBENCH_PARTIAL ||
                kernels[k]->type != SIMDBENCH_F32 ||
                strcmp(kernels[k]->semiring, known[i].semiring) != 0)
                continue;
            kernels[k]->prepare(&operands.view, &memory, error, sizeof error);
            kernels[k]->run(&operands.view, memory);
            kernels[k]->release(memory);
            assert_int_equal(*(const int32_t *)operands.operand[3].data, known[i].index);
        }
    }
}

/* Each index that could be taken for right is refused. */
TEST(test_verify)
{
    const struct simdbench_op *op = op_find("gemm_argmax");
    const uint64_t other = 0, changed = 5;
    struct operands operands;
    char error[128] = "";
    double slack[6];
    bind(*state, &(struct problem){.m = 2, .n = 3, .k = 4}, SIMDBENCH_F64, &operands);
    for (int i = 0; i < 8; i++)
        ((double *)operands.operand[0].data)[i] = 1;
    for (int i = 0; i < 12; i++)
        ((double *)operands.operand[1].data)[i] = i < 3 ? 1 : 2;
    assert_int_equal(op->reference(&operands.view, "maxplus", NULL, 6,
                                   operands.operand[2].data, slack),
                     0);
    int32_t *const index = operands.operand[3].data;
    for (int i = 0; i < 6; i++)
        index[i] = 1;
    assert_int_equal(op->verify(&operands.view, "maxplus", NULL, 6, error, sizeof error),
                     0);
    for (int32_t wrong = -1; wrong <= 4; wrong++) {
        index[5] = wrong;
        assert_int_equal(
            op->verify(&operands.view, "maxplus", NULL, 6, error, sizeof error),
            wrong == 1 ? 0 : -EDOM);
        assert_int_equal(
            op->verify(&operands.view, "maxplus", &changed, 1, error, sizeof error),
            wrong == 1 ? 0 : -EDOM);
        assert_int_equal(
            op->verify(&operands.view, "maxplus", &other, 1, error, sizeof error), 0);
    }
    assert_string_equal(error, "index[1][2] is 4, should be 1");
    assert_int_equal(op->reference(&operands.view, "plustimes", NULL, 6,
                                   operands.operand[2].data, slack),
                     -EINVAL);
}

/* On every ISA, for each type and semiring, there is a row that is held against `value`.
 */
TEST(test_rows)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    size_t whole = 0, partial = 0, masked = 0, wide = 0, sets = 0, with_masks = 0;
    for (size_t i = 0; i < isa_count(); i++) {
        sets += isa_get(i)->built;
        with_masks += isa_get(i)->built && i >= 2;
    }
    for (size_t i = 0; kernels[i]; i++) {
        if (strcmp(kernels[i]->op, "gemm_argmax") != 0)
            continue;
        const bool is_value = strcmp(kernels[i]->variant, "value") == 0;
        assert_int_equal(is_value, (kernels[i]->flags & SIMDBENCH_PARTIAL) != 0);
        assert_int_equal(!is_value, strcmp(kernels[i]->roof, "value") == 0);
        partial += is_value;
        whole += strcmp(kernels[i]->variant, "spans") == 0;
        masked += strcmp(kernels[i]->variant, "masked") == 0;
        wide += strcmp(kernels[i]->variant, "wide") == 0;
    }
    assert_int_equal(partial, whole);
    assert_int_equal(whole, sets * 2 * 3);
    assert_int_equal(masked, with_masks * 2 * 3);
    assert_int_equal(wide, isa_find("avx512") >= 0 && isa_get(3)->built ? 2 * 2 : 0);
}
