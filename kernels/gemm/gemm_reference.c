/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_op.h"

#include <float.h>
#include <math.h>

#include "gemm.h"
#include "kernels.h"
#include "vector/vector.h"

/* plustimes is the contract of BLAS, for baselines. */
enum semiring { MAXPLUS, MINPLUS, MAXTIMES, PLUSTIMES };

/* Outputs that the reference computes side by side. */
enum { GROUP = 512 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The origin of element e of C. */
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
#define EPSILON_f32 FLT_EPSILON
#define EPSILON_f64 DBL_EPSILON
#define LEAST_f32 FLT_TRUE_MIN
#define LEAST_f64 DBL_TRUE_MIN
#define T f32
#include "gemm_reference_body.h"
#define T f64
#include "gemm_reference_body.h"

/* ---- integers ---- */

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
    const int64_t limit = narrow ? GEMM_LIMIT_i32 : GEMM_LIMIT_i64;
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

int gemm_reference(const struct simdbench_operands *operands, const char *semiring,
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
