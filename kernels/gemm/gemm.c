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

static int gemm_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    struct simdbench_shape result = {.size = sizeof result, .rank = 3};
    const char *at = text;
    int count = 0;

    for (;;) {
        int64_t value = 0;
        if (!isdigit((unsigned char)*at)) {
            snprintf(error, error_size, "'%s' is no shape: write N or MxNxK", text);
            return -EINVAL;
        }
        for (; isdigit((unsigned char)*at); at++) {
            value = value * 10 + (*at - '0');
            if (value > INT32_MAX) {
                snprintf(error, error_size, "a dimension of '%s' is over %d", text,
                         INT32_MAX);
                return -EOVERFLOW;
            }
        }
        result.dim[count++] = value;
        if (*at != 'x' || count == 3)
            break;
        at++;
    }
    if (*at || count == 2) {
        snprintf(error, error_size, "'%s' is no shape: write N or MxNxK", text);
        return -EINVAL;
    }
    if (count == 1)
        result.dim[1] = result.dim[2] = result.dim[0];
    *shape = result;
    return 0;
}

static void gemm_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%lldx%lldx%lld", (long long)shape->dim[0],
             (long long)shape->dim[1], (long long)shape->dim[2]);
}

static size_t element_size(uint32_t type)
{
    return type == SIMDBENCH_F32   ? sizeof(float)
           : type == SIMDBENCH_F64 ? sizeof(double)
                                   : 0;
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
        uint64_t bytes;
        /* Each dimension is below 2^31, so the product fits. */
        const uint64_t elements = (uint64_t)rows[i] * (uint64_t)columns[i];
        if (__builtin_mul_overflow(elements, size, &bytes) || bytes > PTRDIFF_MAX)
            return -EOVERFLOW;
        operand[i]->type = type;
        operand[i]->role = i < 2 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = elements;
        operand[i]->ld = columns[i];
    }
    return 3;
}

static void gemm_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                      double *bytes)
{
    const double m = (double)shape->dim[0], n = (double)shape->dim[1],
                 k = (double)shape->dim[2];

    *ops = 2 * m * n * k;
    *bytes = (m * k + k * n + m * n) * (double)element_size(type);
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

/* "special": every fourth element or so is a value that is easy to get wrong. */
static int gemm_fill(const struct simdbench_operands *operands, uint64_t seed,
                     const char *input)
{
    const bool special = input && strcmp(input, "special") == 0;
    uint64_t state = seed;

    if (input && !special && strcmp(input, "uniform:-1..1") != 0)
        return -EINVAL;
    for (int i = 0; i < 2; i++) {
        const struct simdbench_operand *operand = operands->operand[i];
        const bool single = operand->type == SIMDBENCH_F32;
        for (uint64_t e = 0; e < operand->count; e++) {
            double value = random_uniform(&state);
            if (special) {
                const uint64_t draw = random_next(&state);
                if (draw >> 62 == 0)
                    value = special_value(draw, single);
            }
            if (single)
                ((float *)operand->data)[e] = (float)value;
            else
                ((double *)operand->data)[e] = value;
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

static int gemm_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const int found = semiring_find(semiring);

    if (found < 0)
        return -EINVAL;
    if (operands->operand[0]->type == SIMDBENCH_F32)
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
    .shape_help = "N or MxNxK",
    .default_shapes = "64..512",
    .parse = gemm_parse,
    .format = gemm_format,
    .layout = gemm_layout,
    .fill = gemm_fill,
    .reference = gemm_reference,
    .work = gemm_work,
    .lists = (const struct simdbench_shape_list *const[]){&suite, NULL},
    .inputs = "uniform:-1..1, special",
};
