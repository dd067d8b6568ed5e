/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference of gemm for one element type T; gemm_reference.c includes it once for
 * each type and defines EPSILON_<type> and LEAST_<type>, the smallest positive number.
 */

/* Outputs that are computed side by side. */
struct OF(group) {
    int64_t n;
    int64_t a[GROUP], b[GROUP]; /* of the first factors */
    T value[GROUP];
    double sum[GROUP], magnitude[GROUP]; /* of plustimes */
};

/* The distance that two sums of the same k products, whose magnitudes add up to `sum`,
 * may lie apart. */
static double OF(slack)(double k, double sum)
{
    return (k + 2) * (OF(EPSILON) * sum + OF(LEAST));
}

static void OF(group_start)(struct OF(group) * group, enum semiring semiring)
{
    const T zero = semiring == MAXPLUS   ? -(T)INFINITY
                   : semiring == MINPLUS ? (T)INFINITY
                                         : 0;

    for (int64_t i = 0; i < group->n; i++) {
        group->value[i] = zero;
        group->sum[i] = group->magnitude[i] = 0;
    }
}

static void OF(group_finish)(const struct OF(group) * group, enum semiring semiring,
                             int64_t k, T *value, double *slack)
{
    for (int64_t i = 0; i < group->n; i++) {
        if (semiring == PLUSTIMES) {
            value[i] = (T)group->sum[i];
            slack[i] = OF(slack)((double)k, group->magnitude[i]);
        } else {
            /* The least slack there is makes zeros of both signs right. */
            value[i] = group->value[i];
            slack[i] = value[i] == 0 ? (double)OF(LEAST) : 0;
        }
    }
}

/* One product a * b[i] into all outputs. The switch is outside of the loops, so that each
 * of them vectorises. */
static void OF(group_row)(struct OF(group) * group, enum semiring semiring, T a,
                          const T *b)
{
    T *const c = group->value;
    const int64_t n = group->n;

    switch (semiring) {
    case MAXPLUS:
        for (int64_t i = 0; i < n; i++)
            c[i] = a + b[i] > c[i] ? a + b[i] : c[i];
        break;
    case MINPLUS:
        for (int64_t i = 0; i < n; i++)
            c[i] = a + b[i] < c[i] ? a + b[i] : c[i];
        break;
    case MAXTIMES:
        for (int64_t i = 0; i < n; i++)
            c[i] = a * b[i] > c[i] ? a * b[i] : c[i];
        break;
    case PLUSTIMES:
        for (int64_t i = 0; i < n; i++) {
            const double product = (double)a * b[i];
            group->sum[i] += product;
            group->magnitude[i] += product < 0 ? -product : product;
        }
        break;
    }
}

/* Elements [0, n) of C: i, k, j from the outside to the inside. */
static void OF(reference_all)(const struct simdbench_operands *operands,
                              enum semiring semiring, int64_t n, T *value, double *slack)
{
    const int64_t k = operands->shape->dim[2];
    const struct simdbench_operand *const operand[3] = {
        operands->operand[0], operands->operand[1], operands->operand[2]};
    struct OF(group) group;

    for (int64_t e = 0; e < n; e += group.n) {
        const struct spot spot = spot_of(operands, e);
        if (spot.gap) {
            /* Between rows or matrices: right is what stands there. */
            group.n = least(spot.rest, n - e);
            memcpy(value + e, (const T *)operand[2]->data + e,
                   (size_t)group.n * sizeof(T));
            memset(slack + e, 0, (size_t)group.n * sizeof *slack);
            continue;
        }
        const T *const a = (const T *)operand[0]->data + spot.a;
        const T *const b = (const T *)operand[1]->data + spot.b;
        group.n = least(least(spot.rest, n - e), GROUP);
        OF(group_start)(&group, semiring);
        for (int64_t p = 0; p < k; p++)
            OF(group_row)(&group, semiring, a[p], b + p * operand[1]->ld);
        OF(group_finish)(&group, semiring, k, value + e, slack + e);
    }
}

/* Elements index[0, n) of C, none of them in a gap: k on the outside, so that outputs of
 * one row or column share cache lines. */
static void OF(reference_some)(const struct simdbench_operands *operands,
                               enum semiring semiring, const uint64_t *index, int64_t n,
                               T *value, double *slack)
{
    const int64_t k = operands->shape->dim[2], ldb = operands->operand[1]->ld;
    struct OF(group) group;

    for (int64_t e = 0; e < n; e += group.n) {
        group.n = least(n - e, GROUP);
        for (int64_t i = 0; i < group.n; i++) {
            const struct spot spot = spot_of(operands, (int64_t)index[e + i]);
            group.a[i] = spot.a;
            group.b[i] = spot.b;
        }
        OF(group_start)(&group, semiring);
        for (int64_t p = 0; p < k; p++) {
            const T *const a = (const T *)operands->operand[0]->data + p;
            const T *const b = (const T *)operands->operand[1]->data + p * ldb;
            struct OF(group) *const g = &group;
            for (int64_t i = 0; i < g->n; i++) {
                const T x = a[g->a[i]], y = b[g->b[i]];
                const T t = semiring == MAXTIMES ? x * y : x + y;
                const double product = (double)x * y;
                if (semiring == PLUSTIMES) {
                    g->sum[i] += product;
                    g->magnitude[i] += product < 0 ? -product : product;
                } else if (semiring == MINPLUS ? t < g->value[i] : t > g->value[i]) {
                    g->value[i] = t;
                }
            }
        }
        OF(group_finish)(&group, semiring, k, value + e, slack + e);
    }
}

static void OF(reference)(const struct simdbench_operands *operands,
                          enum semiring semiring, const uint64_t *index, uint64_t n,
                          T *value, double *slack)
{
    if (index)
        OF(reference_some)(operands, semiring, index, (int64_t)n, value, slack);
    else
        OF(reference_all)(operands, semiring, (int64_t)n, value, slack);
}

#undef T
