/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_backward.h"

#include <math.h>

#include "gemm/gemm.h"
#include "kernels.h"
#include "split_rules.h"

static int backward_parse(const char *text, struct simdbench_shape *shape, char *error,
                          size_t error_size)
{
    return gemm_parse_single("gemm_backward", text, shape, error, error_size);
}

static int
backward_layout(const struct simdbench_shape *shape, uint32_t type,
                struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    const int64_t rows[] = {m, m, m, k}, columns[] = {n, n, k, n};

    if (type != SIMDBENCH_F32 && type != SIMDBENCH_F64)
        return -EINVAL;
    for (int i = 0; i < 4; i++) {
        uint64_t bytes;
        /* Each dimension is below 2^31, so the product fits. */
        const uint64_t elements = (uint64_t)rows[i] * (uint64_t)columns[i];
        if (__builtin_mul_overflow(elements, type_bytes(type), &bytes) ||
            bytes > PTRDIFF_MAX)
            return -EOVERFLOW;
        operand[i]->type = i == 1 ? (uint32_t)SIMDBENCH_I32 : type;
        operand[i]->role = i < 2 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = elements;
        operand[i]->ld = columns[i];
    }
    return 4;
}

/* "special": odd values, and no winner for every fourth output or so. "same": one k wins
 * everywhere, so that each sum waits for the one before it. */
static int backward_fill(const struct simdbench_operands *operands, uint64_t seed,
                         const char *input)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0x1p-140, 0x1.8p127};
    const bool special = input && strcmp(input, "special") == 0;
    const bool same = input && strcmp(input, "same") == 0;
    const struct simdbench_operand *gradient = operands->operand[0];
    const uint64_t k = (uint64_t)operands->shape->dim[2];
    int32_t *const index = operands->operand[1]->data;

    if (input && !special && !same && strcmp(input, "uniform:-1..1") != 0)
        return -EINVAL;
    for (uint64_t e = 0; e < gradient->count; e++) {
        double value = random_uniform(&seed);
        if (special && random_next(&seed) % 4 == 0)
            value = odd[(random_next(&seed) >> 32) % ARRAY_LEN(odd)];
        operand_set(gradient, e, value);
    }
    for (uint64_t e = 0; e < operands->operand[1]->count; e++) {
        const uint64_t draw = random_next(&seed) >> 16;
        const bool none = k == 0 || (special && draw % 4 == 0);
        index[e] = none ? -1 : (int32_t)(same ? k / 2 : draw / 4 % k);
    }
    return 0;
}

/* Elements of dA (number 2) or dB (number 3), with the gaps between rows as they are. In
 * memory of its own, because what is right may be asked for before a kernel has run or
 * after. NULL: out of memory. */
static void *right_gradient(const struct simdbench_operands *operands, int number)
{
    const struct simdbench_operand *const gradient = operands->operand[0],
                                          *const index = operands->operand[1],
                                          *const out = operands->operand[number];
    const int64_t m = operands->shape->dim[0], n = operands->shape->dim[1];
    const int64_t columns = number == 2 ? operands->shape->dim[2] : n;
    const size_t size = type_bytes(out->type);
    char *const sums = malloc(out->count * size + 1);

    if (!sums)
        return NULL;
    memcpy(sums, out->data, out->count * size);
    for (uint64_t at = 0; at < out->count; at += (uint64_t)out->ld)
        memset(sums + at * size, 0, (size_t)columns * size);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t from = i * gradient->ld + j;
            const int64_t p = ((const int32_t *)index->data)[i * index->ld + j];
            const int64_t to = number == 2 ? i * out->ld + p : p * out->ld + j;
            if (p < 0)
                continue;
            if (out->type == SIMDBENCH_F32)
                ((float *)sums)[to] += ((const float *)gradient->data)[from];
            else
                ((double *)sums)[to] += ((const double *)gradient->data)[from];
        }
    return sums;
}

static int backward_reference(const struct simdbench_operands *operands,
                              const char *semiring, const uint64_t *index, uint64_t n,
                              void *value, double *slack)
{
    const size_t size = type_bytes(operands->operand[2]->type);

    if (semiring)
        return -EINVAL;
    char *const sums = right_gradient(operands, 2);
    if (!sums)
        return -ENOMEM;
    for (uint64_t i = 0; i < n; i++) {
        memcpy((char *)value + i * size, sums + (index ? index[i] : i) * size, size);
        slack[i] = 0;
    }
    free(sums);
    return 0;
}

/* dB costs too little to be sampled. */
static int backward_verify(const struct simdbench_operands *operands,
                           const char *semiring, const uint64_t *index, uint64_t n,
                           char *error, size_t error_size)
{
    const struct simdbench_operand *const out = operands->operand[3];
    FREED_BY(free_memory) void *sums = right_gradient(operands, 3);
    FREED_BY(free_memory) double *slack = calloc(out->count + 1, sizeof *slack);
    struct error why = {.text = ""};
    int status = sums && slack ? 0 : -ENOMEM;

    if (status == 0)
        status = operands_compare(out, NULL, out->count, sums, slack, &why);
    if (status < 0)
        snprintf(error, error_size, "dB: %.200s",
                 status == -ENOMEM ? "out of memory" : why.text);
    return status;
}

/* Two additions for each element of dC. */
static void backward_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                          double *bytes)
{
    const double m = (double)shape->dim[0], n = (double)shape->dim[1],
                 k = (double)shape->dim[2], size = (double)type_bytes(type);

    *ops = 2 * m * n;
    *bytes = m * n * (size + sizeof(int32_t)) + (m + n) * k * size;
}

/* ---- threads ---- */

/* A part keeps its rows of dA and columns of dB behind the dimensions. */
enum { ROW = 3, ROW_END, COLUMN, COLUMN_END, PART_DIMS };
/* Columns go by lines of f32, two of f64. */
enum { COLUMNS = 16, PAGE = 4096 };

static bool split_backward(struct operands *part, uint32_t index, uint32_t count)
{
    struct simdbench_shape *const shape = &part->shape;
    const struct split_range rows = split_range(shape->dim[0], 1, index, count);
    const struct split_range columns = split_range(shape->dim[1], COLUMNS, index, count);
    shape->rank = PART_DIMS;
    shape->dim[ROW] = rows.from;
    shape->dim[ROW_END] = rows.to;
    shape->dim[COLUMN] = columns.from;
    shape->dim[COLUMN_END] = columns.to;
    return rows.to > rows.from || columns.to > columns.from;
}

static uint64_t split_bytes_backward(const struct simdbench_operands *part)
{
    const int64_t *const dim = part->shape->dim;
    return (uint64_t)(dim[2] * (dim[COLUMN_END] - dim[COLUMN])) *
           type_bytes(part->operand[3]->type);
}

static int split_share_backward(const struct simdbench_kernel *kernel,
                                const struct simdbench_operands *part, void *whole,
                                void **state)
{
    const int64_t *const dim = part->shape->dim;
    struct backward_part *const made = malloc(sizeof *made);
    /* Whole pages, so that no two parts are neighbours. */
    const size_t bytes = split_bytes_backward(part) / PAGE * PAGE + PAGE;
    void *const sums = aligned_alloc(PAGE, bytes);
    if (!made || !sums) {
        free(made);
        free(sums);
        return -ENOMEM;
    }
    *made = (struct backward_part){.row = dim[ROW],
                                   .row_end = dim[ROW_END],
                                   .column = dim[COLUMN],
                                   .column_end = dim[COLUMN_END],
                                   .sums = sums};
    *state = made;
    return 0;
}

static void split_release_backward(void *state)
{
    struct backward_part *const made = state;
    free(made->sums);
    free(made);
}

static const struct split_rule split[] = {{.part = split_backward,
                                           .share = split_share_backward,
                                           .release = split_release_backward,
                                           .bytes = split_bytes_backward},
                                          {.part = NULL}};

/* ---- the op ---- */

const struct simdbench_op gemm_backward_op = {
    .size = sizeof gemm_backward_op,
    .name = "gemm_backward",
    .summary = "gradients of A and B from that of C and the indices of gemm_argmax",
    .shape_help = "N or MxNxK",
    .default_shapes = "64..512",
    .parse = backward_parse,
    .format = gemm_format,
    .layout = backward_layout,
    .fill = backward_fill,
    .reference = backward_reference,
    .work = backward_work,
    .inputs = "uniform:-1..1, special, same",
    .verify = backward_verify,
};

const struct op_row gemm_backward_row = {
    .op = &gemm_backward_op,
    .examples = OP_LIST("--isa=all --type=f32,f64 --sizes=256"),
    .threads_sizes = "8..512",
    .split = split,
};
