/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <float.h>
#include <math.h>

#include "gemm.h"
#include "gemm_op.h"
#include "kernels.h"

/* ---- shapes ---- */

#define SHAPE_HELP "N, MxNxK or bBATCHxMxNxK"

/* [bBATCHx]N or [bBATCHx]MxNxK. */
static int gemm_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    struct simdbench_shape result = {.size = sizeof result, .rank = 3};
    const char *at = text;
    int64_t value[4];
    int count = 0;

    if (*at == 'b') {
        result.rank = 4;
        at++;
    }
    const int batch = result.rank == 4, most = batch + 3;
    for (;;) {
        value[count] = 0;
        if (!isdigit((unsigned char)*at)) {
            snprintf(error, error_size, "'%s' is no shape: write %s", text, SHAPE_HELP);
            return -EINVAL;
        }
        for (; isdigit((unsigned char)*at); at++) {
            value[count] = value[count] * 10 + (*at - '0');
            if (value[count] > INT32_MAX) {
                snprintf(error, error_size, "a dimension of '%s' is over %d", text,
                         INT32_MAX);
                return -EOVERFLOW;
            }
        }
        count++;
        if (*at != 'x' || count == most)
            break;
        at++;
    }
    if (*at || (count != batch + 1 && count != most)) {
        snprintf(error, error_size, "'%s' is no shape: write %s", text, SHAPE_HELP);
        return -EINVAL;
    }
    for (int i = 0; i < 3; i++)
        result.dim[i] = value[count == most ? batch + i : batch];
    if (batch)
        result.dim[3] = value[0];
    *shape = result;
    return 0;
}

int gemm_parse_single(const char *name, const char *text, struct simdbench_shape *shape,
                      char *error, size_t error_size)
{
    const int status = gemm_parse(text, shape, error, error_size);

    if (status < 0 || shape->rank == 3)
        return status;
    snprintf(error, error_size, "'%s' is a batch: %s takes N or MxNxK", text, name);
    return -EINVAL;
}

void gemm_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    char batch[32] = "";

    if (shape->rank == 4)
        snprintf(batch, sizeof batch, "b%lldx", (long long)shape->dim[3]);
    snprintf(text, text_size, "%s%lldx%lldx%lld", batch, (long long)shape->dim[0],
             (long long)shape->dim[1], (long long)shape->dim[2]);
}

static int gemm_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    const int64_t rows[3] = {m, k, m}, columns[3] = {k, n, n};
    const size_t size = type_bytes(type);

    if (!size)
        return -EINVAL;
    for (int i = 0; i < 3; i++) {
        uint64_t bytes, elements;
        /* Each dimension is below 2^31, so the product of two fits. */
        const int64_t matrix = rows[i] * columns[i];
        if (__builtin_mul_overflow((uint64_t)matrix, (uint64_t)gemm_matrices(shape),
                                   &elements) ||
            __builtin_mul_overflow(elements, size, &bytes) || bytes > PTRDIFF_MAX)
            return -EOVERFLOW;
        operand[i]->type = type;
        operand[i]->role = i < 2 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = elements;
        operand[i]->ld = columns[i];
        operand[i]->stride = shape->rank == 4 ? matrix : 0;
    }
    return 3;
}

static void gemm_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                      double *bytes)
{
    const double m = (double)shape->dim[0], n = (double)shape->dim[1],
                 k = (double)shape->dim[2], matrices = (double)gemm_matrices(shape);

    *ops = 2 * m * n * k * matrices;
    *bytes = (m * k + k * n + m * n) * matrices * (double)type_bytes(type);
}

/* ---- inputs ---- */

static double special_value(uint64_t choice, bool single)
{
    const double values[] = {NAN,
                             INFINITY,
                             -INFINITY,
                             0.0,
                             -0.0,
                             single ? FLT_TRUE_MIN : DBL_TRUE_MIN,
                             single ? -FLT_MIN / 2 : -DBL_MIN / 2,
                             single ? FLT_MAX : DBL_MAX};
    return values[choice % ARRAY_LEN(values)];
}

static int64_t special_integer(uint64_t choice, bool single)
{
    const int64_t most = single ? INT32_MAX : INT64_MAX;
    const int64_t limit = single ? GEMM_LIMIT_i32 : GEMM_LIMIT_i64;
    const int64_t values[] = {-most - 1, most,   -most,     most - 1,
                              limit,     -limit, limit + 1, -limit - 1};
    return values[choice % ARRAY_LEN(values)];
}

static void special_set(const struct simdbench_operand *operand, uint64_t e,
                        uint64_t choice)
{
    if (operand->type == SIMDBENCH_I32)
        ((int32_t *)operand->data)[e] = (int32_t)special_integer(choice, true);
    else if (operand->type == SIMDBENCH_I64)
        ((int64_t *)operand->data)[e] = special_integer(choice, false);
    else
        operand_set(operand, e, special_value(choice, operand->type == SIMDBENCH_F32));
}

/* Integers are drawn from 2^20 times the range. "special": every fourth element or so is
 * a value that is easy to get wrong. "ties": nothing but -1, 0 and 1. */
static int gemm_fill(const struct simdbench_operands *operands, uint64_t seed,
                     const char *input)
{
    const bool special = input && strcmp(input, "special") == 0;
    const bool ties = input && strcmp(input, "ties") == 0;
    uint64_t state = seed;

    if (input && !special && !ties && strcmp(input, "uniform:-1..1") != 0)
        return -EINVAL;
    for (int i = 0; i < 2; i++) {
        const struct simdbench_operand *operand = operands->operand[i];
        const bool integer =
            operand->type == SIMDBENCH_I32 || operand->type == SIMDBENCH_I64;
        for (uint64_t e = 0; e < operand->count; e++) {
            double value = random_uniform(&state) * (integer ? 0x1p20 : 1);
            if (ties)
                value = (double)(random_next(&state) % 3) - 1;
            operand_set(operand, e, value);
            if (special) {
                const uint64_t draw = random_next(&state);
                if (draw >> 62 == 0)
                    special_set(operand, e, draw);
            }
        }
    }
    return 0;
}

/* ---- the op ---- */

const struct simdbench_op gemm_op = {
    .size = sizeof gemm_op,
    .name = "gemm",
    .summary = "tropical matrix multiplication C = A (x) B, row-major",
    .shape_help = SHAPE_HELP,
    .default_shapes = "64..512",
    .parse = gemm_parse,
    .format = gemm_format,
    .layout = gemm_layout,
    .fill = gemm_fill,
    .reference = gemm_reference,
    .work = gemm_work,
    /* From a matrix that fits in L1 to one that does not fit in L2. */
    .lists = SHAPE_SUITE("64 128 256 512"),
    .inputs = "uniform:-1..1, special, ties",
};

const struct op_row gemm_row = {
    .op = &gemm_op,
    .libraries = OP_LIST("openblas"),
    .examples = OP_LIST("--isa=avx512 --sizes=64..512",
                        "--isa=all --type=f32,f64 --semiring=maxplus --sizes=256",
                        "--sizes=64x32x128,65,127 --filter='*/fma@*'",
                        "--type=i32,i64 --sizes=b8x64x64x64,256",
                        "--baseline=openblas --baseline=openblas,coretype=SkylakeX",
                        "--argmax --isa=all --sizes=256"),
    .threads_sizes = "8..512",
    .license = {.turn = 1, .semiring = "maxplus", .sizes = "64..512"},
    .split = gemm_split,
};
