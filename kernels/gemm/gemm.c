/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
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

static void gemm_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    char batch[32] = "";

    if (shape->rank == 4)
        snprintf(batch, sizeof batch, "b%lldx", (long long)shape->dim[3]);
    snprintf(text, text_size, "%s%lldx%lldx%lld", batch, (long long)shape->dim[0],
             (long long)shape->dim[1], (long long)shape->dim[2]);
}

static size_t element_size(uint32_t type)
{
    return type_bytes(type);
}

static int gemm_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    const int64_t rows[3] = {m, k, m}, columns[3] = {k, n, n};
    const size_t size = element_size(type);

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
    *bytes = (m * k + k * n + m * n) * matrices * (double)element_size(type);
}

/* ---- inputs ---- */

static double special_value(uint64_t choice, bool single)
{
    switch (choice % 8) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -INFINITY;
    case 3:
        return 0.0;
    case 4:
        return -0.0;
    case 5:
        return single ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    case 6:
        return single ? -FLT_MIN / 2 : -DBL_MIN / 2;
    default:
        return single ? FLT_MAX : DBL_MAX;
    }
}

static int64_t special_integer(uint64_t choice, bool single)
{
    const int64_t most = single ? INT32_MAX : INT64_MAX;
    const int64_t limit = single ? GEMM_I32_LIMIT : GEMM_I64_LIMIT;

    switch (choice % 8) {
    case 0:
        return -most - 1;
    case 1:
        return most;
    case 2:
        return -most;
    case 3:
        return most - 1;
    case 4:
        return limit;
    case 5:
        return -limit;
    case 6:
        return limit + 1;
    default:
        return -limit - 1;
    }
}

static void element_set(const struct simdbench_operand *operand, uint64_t e, double value)
{
    switch (operand->type) {
    case SIMDBENCH_F32:
        ((float *)operand->data)[e] = (float)value;
        break;
    case SIMDBENCH_F64:
        ((double *)operand->data)[e] = value;
        break;
    case SIMDBENCH_I32:
        ((int32_t *)operand->data)[e] = (int32_t)value;
        break;
    default:
        ((int64_t *)operand->data)[e] = (int64_t)value;
    }
}

static void special_set(const struct simdbench_operand *operand, uint64_t e,
                        uint64_t choice)
{
    if (operand->type == SIMDBENCH_I32)
        ((int32_t *)operand->data)[e] = (int32_t)special_integer(choice, true);
    else if (operand->type == SIMDBENCH_I64)
        ((int64_t *)operand->data)[e] = special_integer(choice, false);
    else
        element_set(operand, e, special_value(choice, operand->type == SIMDBENCH_F32));
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
            element_set(operand, e, value);
            if (special) {
                const uint64_t draw = random_next(&state);
                if (draw >> 62 == 0)
                    special_set(operand, e, draw);
            }
        }
    }
    return 0;
}

/* ---- reference ---- */

/* plustimes is the contract of BLAS, for baselines. */
enum semiring { MAXPLUS, MINPLUS, MAXTIMES, PLUSTIMES };

/* Outputs that the reference computes side by side. */
enum { GROUP = 512 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where element e of C comes from. */
struct spot {
    int64_t a, b; /* of the first factors, in A and B */
    int64_t rest; /* elements from e on that stand in this row, or in this gap */
    bool gap;
};

static struct spot spot_of(const struct simdbench_operands *operands, int64_t e)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const *const operand =
        (const struct simdbench_operand *const *)operands->operand;
    const int64_t stride = operand[2]->stride, ldc = operand[2]->ld;
    const int64_t matrix = stride ? e / stride : 0, within = stride ? e % stride : e;
    const int64_t row = within / ldc, column = within % ldc;
    const bool below = row >= dim[0];

    return (struct spot){
        .a = matrix * operand[0]->stride + row * operand[0]->ld,
        .b = matrix * operand[1]->stride + column,
        .rest = below             ? stride - within
                : column < dim[1] ? dim[1] - column
                                  : ldc - column,
        .gap = below || column >= dim[1],
    };
}

static int semiring_find(const char *name)
{
    static const char *const names[] = {"maxplus", "minplus", "maxtimes", "plustimes"};

    for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return (int)i;
    return -1;
}

/* A sum of k products in any order, each step rounded to half an epsilon, is off by at
 * most k / 2 epsilons of the sum of magnitudes (and a little more, which the 2 covers up
 * to k = 2^25); each product may lose a denormal besides. The sums of the reference are
 * in double: exact enough for f32, off by as much again for f64. */
#define TYPE float
#define NAME(x) x##_f32
#define LEAST ((double)FLT_TRUE_MIN)
#define SLACK(k, sum) (((k) + 2) * (FLT_EPSILON * (sum) + FLT_TRUE_MIN))
#include "gemm_reference.h"

#undef TYPE
#undef NAME
#undef SLACK
#define TYPE double
#define NAME(x) x##_f64
#undef LEAST
#define LEAST DBL_TRUE_MIN
#define SLACK(k, sum) (((k) + 2) * (DBL_EPSILON * (sum) + DBL_TRUE_MIN))
#include "gemm_reference.h"

/* ---- reference of integers ---- */

static int64_t integer_get(const struct simdbench_operand *operand, int64_t e)
{
    return operand->type == SIMDBENCH_I32 ? ((const int32_t *)operand->data)[e]
                                          : ((const int64_t *)operand->data)[e];
}

static void integer_set(uint32_t type, void *values, uint64_t e, int64_t value)
{
    if (type == SIMDBENCH_I32)
        ((int32_t *)values)[e] = (int32_t)value;
    else
        ((int64_t *)values)[e] = value;
}

static int64_t saturated(int64_t x, int64_t limit)
{
    return x < -limit ? -limit : x > limit ? limit : x;
}

/* As gemm.h says, in 64 bits, which hold all sums. */
static int64_t integer_element(const struct simdbench_operands *operands, bool minimum,
                               struct spot spot)
{
    const struct simdbench_operand *const a = operands->operand[0];
    const struct simdbench_operand *const b = operands->operand[1];
    const bool narrow = a->type == SIMDBENCH_I32;
    const int64_t most = narrow ? INT32_MAX : INT64_MAX;
    const int64_t limit = narrow ? GEMM_I32_LIMIT : GEMM_I64_LIMIT;
    const int64_t zero = minimum ? most : -most - 1;
    int64_t best = zero;

    for (int64_t p = 0; p < operands->shape->dim[2]; p++) {
        const int64_t x = integer_get(a, spot.a + p);
        const int64_t y = integer_get(b, spot.b + p * b->ld);
        if (x == zero || y == zero)
            continue;
        const int64_t sum = saturated(x, limit) + saturated(y, limit);
        best = minimum ? least(sum, best) : (sum > best ? sum : best);
    }
    return best;
}

static int reference_integers(const struct simdbench_operands *operands,
                              enum semiring semiring, const uint64_t *index, uint64_t n,
                              void *value, double *slack)
{
    const struct simdbench_operand *const c = operands->operand[2];

    if (semiring != MAXPLUS && semiring != MINPLUS)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const int64_t e = (int64_t)(index ? index[i] : i);
        const struct spot spot = spot_of(operands, e);
        integer_set(c->type, value, i,
                    spot.gap ? integer_get(c, e)
                             : integer_element(operands, semiring == MINPLUS, spot));
        slack[i] = 0;
    }
    return 0;
}

static int gemm_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const int found = semiring_find(semiring);

    if (found < 0)
        return -EINVAL;
    const uint32_t type = operands->operand[0]->type;
    if (type == SIMDBENCH_I32 || type == SIMDBENCH_I64)
        return reference_integers(operands, (enum semiring)found, index, n, value, slack);
    if (type == SIMDBENCH_F32)
        reference_f32(operands, (enum semiring)found, index, n, value, slack);
    else
        reference_f64(operands, (enum semiring)found, index, n, value, slack);
    return 0;
}

/* ---- workspace ---- */

static size_t round_up(size_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

int gemm_workspace_prepare(const struct simdbench_operands *operands, void **state,
                           char *error, size_t error_size)
{
    const struct simdbench_shape *shape = operands->shape;
    const size_t size = element_size(operands->operand[0]->type);
    const size_t deep = (size_t)least(shape->dim[2], GEMM_DEPTH);
    const size_t wide = (size_t)least(shape->dim[1], GEMM_WIDTH);
    const int64_t most = GEMM_BLOCK_BYTES / (GEMM_DEPTH * (int64_t)size);
    const size_t tall = (size_t)least(shape->dim[0], most) + 1;
    /* The last tile of columns may overlap its neighbour, so it is a whole one; copied
     * rows begin in lines of their own. */
    const size_t panels = round_up(deep * (wide + GEMM_TILE) * size);
    const size_t rows = round_up(tall * (deep * size + 128));
    struct gemm_workspace *workspace = malloc(sizeof *workspace);
    char *memory = aligned_alloc(4096, panels + rows);

    if (!workspace || !memory) {
        free(workspace);
        free(memory);
        snprintf(error, error_size, "no memory for %zu bytes of packed blocks",
                 panels + rows);
        return -ENOMEM;
    }
    memset(memory, 0, panels + rows);
    workspace->panels = memory;
    workspace->rows = memory + panels;
    workspace->bytes = panels + rows;
    *state = workspace;
    return 0;
}

void gemm_workspace_release(void *state)
{
    struct gemm_workspace *workspace = state;

    if (workspace)
        free(workspace->panels);
    free(workspace);
}

void gemm_workspace_choice(const struct simdbench_operands *operands, const void *state,
                           struct simdbench_choice *choice)
{
    const struct gemm_workspace *workspace = state;

    (void)operands;
    choice->workspace_bytes = workspace->bytes;
}

/* From a matrix that fits in L1 to one that does not fit in L2. */
static const struct simdbench_shape_list suite = {
    .size = sizeof suite,
    .name = "suite",
    .summary = "what simdbench all measures",
    .shapes = "64 128 256 512",
};

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
    .lists = (const struct simdbench_shape_list *const[]){&suite, NULL},
    .inputs = "uniform:-1..1, special, ties",
};
