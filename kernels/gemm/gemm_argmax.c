/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax.h"

#include <math.h>

#include "gemm_op.h"
#include "kernels.h"

static int argmax_parse(const char *text, struct simdbench_shape *shape, char *error,
                        size_t error_size)
{
    return gemm_parse_single("gemm_argmax", text, shape, error, error_size);
}

static int argmax_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int count = type == SIMDBENCH_F32 || type == SIMDBENCH_F64
                          ? gemm_op.layout(shape, type, operand)
                          : -EINVAL;

    if (count < 0)
        return count;
    operand[3]->type = SIMDBENCH_I32;
    operand[3]->role = SIMDBENCH_OUT;
    operand[3]->count = operand[2]->count;
    operand[3]->ld = operand[2]->ld;
    return count + 1;
}

/* "ties": integers from -2 to 2, so that most maxima are reached several times. */
static int argmax_fill(const struct simdbench_operands *operands, uint64_t seed,
                       const char *input)
{
    if (!input || strcmp(input, "ties") != 0)
        return gemm_op.fill(operands, seed, input);
    for (int i = 0; i < 2; i++) {
        const struct simdbench_operand *operand = operands->operand[i];
        for (uint64_t e = 0; e < operand->count; e++)
            operand_set(operand, e, (double)(random_next(&seed) % 5) - 2);
    }
    return 0;
}

static int argmax_reference(const struct simdbench_operands *operands,
                            const char *semiring, const uint64_t *index, uint64_t n,
                            void *value, double *slack)
{
    return semiring && strcmp(semiring, "plustimes") == 0
               ? -EINVAL
               : gemm_op.reference(operands, semiring, index, n, value, slack);
}

static void argmax_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                        double *bytes)
{
    gemm_op.work(shape, type, ops, bytes);
    *bytes += (double)shape->dim[0] * (double)shape->dim[1] * sizeof(int32_t);
}

/* C is right. So the winner is the first k whose product is equal to it. */
static int32_t winner(const struct simdbench_operands *operands, bool times, double zero,
                      uint64_t row, uint64_t column)
{
    const struct simdbench_operand *const a = operands->operand[0],
                                          *const b = operands->operand[1],
                                          *const c = operands->operand[2];
    const int64_t k = operands->shape->dim[2];

    if (a->type == SIMDBENCH_F32) {
        const float *const x = (const float *)a->data + row * (uint64_t)a->ld;
        const float *y = (const float *)b->data + column;
        const float best = ((const float *)c->data)[row * (uint64_t)c->ld + column];
        for (int64_t p = 0; p < k && best != (float)zero; p++, y += b->ld)
            if ((times ? x[p] * *y : x[p] + *y) == best)
                return (int32_t)p;
    } else {
        const double *const x = (const double *)a->data + row * (uint64_t)a->ld;
        const double *y = (const double *)b->data + column;
        const double best = ((const double *)c->data)[row * (uint64_t)c->ld + column];
        for (int64_t p = 0; p < k && best != zero; p++, y += b->ld)
            if ((times ? x[p] * *y : x[p] + *y) == best)
                return (int32_t)p;
    }
    return GEMM_NO_WINNER;
}

static int argmax_verify(const struct simdbench_operands *operands, const char *semiring,
                         const uint64_t *index, uint64_t n, char *error,
                         size_t error_size)
{
    const struct simdbench_operand *const found = operands->operand[3];
    const uint64_t ldc = (uint64_t)operands->operand[2]->ld;
    const bool times = strcmp(semiring, "maxtimes") == 0;
    const double zero = times                              ? 0
                        : strcmp(semiring, "minplus") == 0 ? INFINITY
                                                           : -INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t element = index ? index[i] : i;
        const uint64_t row = element / ldc, column = element % ldc;
        if (column >= (uint64_t)operands->shape->dim[1])
            continue;
        const int32_t want = winner(operands, times, zero, row, column);
        const int32_t got =
            ((const int32_t *)found->data)[row * (uint64_t)found->ld + column];
        if (got != want) {
            snprintf(error, error_size, "index[%llu][%llu] is %d, should be %d",
                     (unsigned long long)row, (unsigned long long)column, got, want);
            return -EDOM;
        }
    }
    return 0;
}

const struct simdbench_op gemm_argmax_op = {
    .size = sizeof gemm_argmax_op,
    .name = "gemm_argmax",
    .summary = "gemm with the index of the k that won, -1 if none did",
    .shape_help = "N or MxNxK",
    .default_shapes = "64..512",
    .parse = argmax_parse,
    .format = gemm_format,
    .layout = argmax_layout,
    .fill = argmax_fill,
    .reference = argmax_reference,
    .work = argmax_work,
    .inputs = "uniform:-1..1, special, ties",
    .verify = argmax_verify,
};

const struct op_row gemm_argmax_row = {
    .op = &gemm_argmax_op,
    .examples = OP_LIST("--sizes=256 --input=uniform:-1..1,ties"),
    .threads_sizes = "8..512",
    .split = gemm_split,
};
