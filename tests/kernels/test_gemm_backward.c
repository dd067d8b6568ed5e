/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op gemm_backward: its reference and its check on answers made by hand, then every row
 * of it against them, with ragged shapes, gaps between rows and special values.
 */
#include "arena.h"
#include "kernels.h"
#include "lay_out.h"
#include "poison.h"
#include "unit.h"

enum { OPERANDS = 4 };

static const struct simdbench_op *op(void)
{
    return op_find("gemm_backward");
}

/* Operands end where a page without access begins. */
static void bind(struct operands *operands, const struct arena *arena, uint32_t type,
                 int64_t m, int64_t n, int64_t k, int64_t gap)
{
    const struct simdbench_shape shape = {
        .size = sizeof shape, .rank = 3, .dim = {m, n, k}};
    const int64_t rows[OPERANDS] = {m, m, m, k};
    lay_out(operands, op(), &shape, type, OPERANDS);
    for (int i = 0; i < OPERANDS; i++) {
        struct simdbench_operand *const operand = &operands->operand[i];
        operand->ld += gap * (i + 1);
        if (operand->count)
            operand->count += (uint64_t)((rows[i] - 1) * gap * (i + 1));
        const size_t bytes = operand->count * type_bytes(operand->type);
        assert_true(bytes <= REGION);
        operand->data = arena->region[i] + REGION - bytes;
    }
}

/* dA from the reference, and an error if dB is wrong. */
static int judge(const struct operands *operands, struct error *error)
{
    const struct simdbench_operand *const a = &operands->operand[2];
    void *const value = malloc(a->count * type_bytes(a->type) + 1);
    double *const slack = malloc((a->count + 1) * sizeof *slack);
    assert_true(value && slack);
    assert_int_equal(op()->reference(&operands->view, NULL, NULL, a->count, value, slack),
                     0);
    int status = operands_compare(a, NULL, a->count, value, slack, error);
    free(value);
    free(slack);
    if (status == 0)
        status = op()->verify(&operands->view, NULL, NULL, a->count, error->text,
                              sizeof error->text);
    return status;
}

/* ---- the op ---- */

/* 1e8 + 1 - 1e8 in f32: 0 in this order, 1 in another one. */
TEST(test_known)
{
    static const float gradient[2][3] = {{1e8f, 1, -1e8f}, {2, 4, 8}};
    static const int32_t index[2][3] = {{1, 1, 1}, {0, -1, 1}};
    static const float da[2][2] = {{0, 0}, {2, 8}};
    static const float db[2][3] = {{2, 0, 0}, {1e8f, 1, -1e8f + 8}};
    struct operands bound, *const operands = &bound;
    struct error error = {.text = ""};
    float value[4], some;
    double slack[4];
    const uint64_t last = 3;
    bind(operands, *state, SIMDBENCH_F32, 2, 3, 2, 0);
    memcpy(operands->operand[0].data, gradient, sizeof gradient);
    memcpy(operands->operand[1].data, index, sizeof index);
    assert_int_equal(op()->reference(&operands->view, NULL, NULL, 4, value, slack), 0);
    assert_memory_equal(value, da, sizeof da);
    assert_int_equal(op()->reference(&operands->view, NULL, &last, 1, &some, slack), 0);
    assert_true(some == 8 && slack[0] == 0);
    assert_int_equal(op()->reference(&operands->view, "maxplus", NULL, 4, value, slack),
                     -EINVAL);
    memcpy(operands->operand[2].data, da, sizeof da);
    memcpy(operands->operand[3].data, db, sizeof db);
    assert_int_equal(judge(operands, &error), 0);
    /* Each element counts, in each gradient. */
    for (int number = 2; number < 4; number++)
        for (uint64_t e = 0; e < operands->operand[number].count; e++) {
            float *const at = (float *)operands->operand[number].data + e;
            const float was = *at;
            *at += 64;
            assert_int_equal(judge(operands, &error), -EDOM);
            *at = was;
        }
}

TEST(test_fill)
{
    struct operands bound, *const operands = &bound;
    int none = 0;
    bind(operands, *state, SIMDBENCH_F64, 9, 31, 5, 0);
    const int32_t *const index = operands->operand[1].data;
    assert_int_equal(op()->fill(&operands->view, 3, NULL), 0);
    for (int i = 0; i < 9 * 31; i++)
        assert_in_range(index[i], 0, 4);
    assert_int_equal(op()->fill(&operands->view, 3, "same"), 0);
    for (int i = 0; i < 9 * 31; i++)
        assert_int_equal(index[i], 2);
    assert_int_equal(op()->fill(&operands->view, 3, "special"), 0);
    for (int i = 0; i < 9 * 31; i++)
        none += index[i] < 0;
    assert_in_range(none, 30, 110);
    assert_int_equal(op()->fill(&operands->view, 3, "ties"), -EINVAL);
}

/* ---- rows ---- */

/* Nothing was written between rows. What stands there then is no poison any more, which
 * would be wrong even where it is right. */
static void gaps_check(const struct simdbench_operand *out, int64_t columns)
{
    for (uint64_t e = 0; e < out->count; e++) {
        if ((int64_t)e % out->ld < columns)
            continue;
        if (out->type == SIMDBENCH_F32) {
            assert_int_equal(((const uint32_t *)out->data)[e], POISON_32);
            ((float *)out->data)[e] = 0;
        } else {
            assert_int_equal(((const uint64_t *)out->data)[e], POISON_64);
            ((double *)out->data)[e] = 0;
        }
    }
}

static void check(const struct arena *arena, uint32_t type, const int64_t dim[3],
                  int64_t gap, const char *input)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    struct operands bound, *const operands = &bound;

    bind(operands, arena, type, dim[0], dim[1], dim[2], gap);
    assert_int_equal(op()->fill(&operands->view, 11, input), 0);
    for (size_t i = 0; kernels[i]; i++) {
        const struct simdbench_kernel *const kernel = kernels[i];
        struct error error = {.text = ""};
        if (!runs_here(kernel, "gemm_backward") || kernel->type != type)
            continue;
        const uint64_t inputs = operands_hash(operands);
        operands_poison(operands);
        kernel->run(&operands->view, NULL);
        kernel->run(&operands->view, NULL);
        gaps_check(&operands->operand[2], dim[2]);
        gaps_check(&operands->operand[3], dim[1]);
        if (judge(operands, &error) != 0)
            fail_msg("%s/%s/%s@%dx%dx%d: %s", type_name(type), kernel->isa,
                     kernel->variant, (int)dim[0], (int)dim[1], (int)dim[2], error.text);
        assert_true(operands_hash(operands) == inputs);
    }
}

TEST(test_rows)
{
    static const char *const inputs[] = {NULL, "special", "same"};
    static const int64_t large[3] = {70, 90, 300};
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++)
        for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
            for (int64_t n = 0; n <= 35; n++)
                check(*state, type, (const int64_t[3]){n % 4, n, n % 7}, n % 3,
                      inputs[i]);
            check(*state, type, large, 3, inputs[i]);
        }
}
