/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference of gemm for one element type; included once for each by gemm_reference.c,
 * which defines TYPE, NAME(x), LEAST, which is the smallest positive number, and SLACK(k,
 * sum): how far two sums of the same k products, whose absolute values add up to `sum`,
 * may lie apart.
 */

/* Outputs that are computed side by side. */
struct NAME(group) {
    int64_t n;
    int64_t a[GROUP], b[GROUP]; /* of the first factors */
    TYPE value[GROUP];
    double sum[GROUP], magnitude[GROUP]; /* of plustimes */
};

static void NAME(group_start)(struct NAME(group) * group, enum semiring semiring)
{
    const TYPE zero = semiring == MAXPLUS   ? -(TYPE)INFINITY
                      : semiring == MINPLUS ? (TYPE)INFINITY
                                            : 0;

    for (int64_t i = 0; i < group->n; i++) {
        group->value[i] = zero;
        group->sum[i] = group->magnitude[i] = 0;
    }
}

static void NAME(group_finish)(const struct NAME(group) * group, enum semiring semiring,
                               int64_t k, TYPE *value, double *slack)
{
    for (int64_t i = 0; i < group->n; i++) {
        if (semiring == PLUSTIMES) {
            value[i] = (TYPE)group->sum[i];
            slack[i] = SLACK((double)k, (double)group->magnitude[i]);
        } else {
            /* The least slack there is makes zeros of both signs right. */
            value[i] = group->value[i];
            slack[i] = value[i] == 0 ? LEAST : 0;
        }
    }
}

/* One product a * b[i] into all outputs. The switch is outside of the loops, so that each
 * of them vectorises. */
static void NAME(group_row)(struct NAME(group) * group, enum semiring semiring, TYPE a,
                            const TYPE *b)
{
    TYPE *const c = group->value;
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
static void NAME(reference_all)(const struct simdbench_operands *operands,
                                enum semiring semiring, int64_t n, TYPE *value,
                                double *slack)
{
    const int64_t k = operands->shape->dim[2];
    const struct simdbench_operand *const operand[3] = {
        operands->operand[0], operands->operand[1], operands->operand[2]};
    struct NAME(group) group;

    for (int64_t e = 0; e < n; e += group.n) {
        const struct spot spot = spot_of(operands, e);
        if (spot.gap) {
            /* Between rows or matrices: right is what stands there. */
            group.n = least(spot.rest, n - e);
            memcpy(value + e, (const TYPE *)operand[2]->data + e,
                   (size_t)group.n * sizeof(TYPE));
            memset(slack + e, 0, (size_t)group.n * sizeof *slack);
            continue;
        }
        const TYPE *const a = (const TYPE *)operand[0]->data + spot.a;
        const TYPE *const b = (const TYPE *)operand[1]->data + spot.b;
        group.n = least(least(spot.rest, n - e), GROUP);
        NAME(group_start)(&group, semiring);
        for (int64_t p = 0; p < k; p++)
            NAME(group_row)(&group, semiring, a[p], b + p * operand[1]->ld);
        NAME(group_finish)(&group, semiring, k, value + e, slack + e);
    }
}

/* Elements index[0, n) of C, none of them in a gap: k on the outside, so that outputs of
 * one row or column share cache lines. */
static void NAME(reference_some)(const struct simdbench_operands *operands,
                                 enum semiring semiring, const uint64_t *index, int64_t n,
                                 TYPE *value, double *slack)
{
    const int64_t k = operands->shape->dim[2], ldb = operands->operand[1]->ld;
    struct NAME(group) group;

    for (int64_t e = 0; e < n; e += group.n) {
        group.n = least(n - e, GROUP);
        for (int64_t i = 0; i < group.n; i++) {
            const struct spot spot = spot_of(operands, (int64_t)index[e + i]);
            group.a[i] = spot.a;
            group.b[i] = spot.b;
        }
        NAME(group_start)(&group, semiring);
        for (int64_t p = 0; p < k; p++) {
            const TYPE *const a = (const TYPE *)operands->operand[0]->data + p;
            const TYPE *const b = (const TYPE *)operands->operand[1]->data + p * ldb;
            struct NAME(group) *const g = &group;
            for (int64_t i = 0; i < g->n; i++) {
                const TYPE x = a[g->a[i]], y = b[g->b[i]];
                const TYPE t = semiring == MAXTIMES ? x * y : x + y;
                const double product = (double)x * y;
                if (semiring == PLUSTIMES) {
                    g->sum[i] += product;
                    g->magnitude[i] += product < 0 ? -product : product;
                } else if (semiring == MINPLUS ? t < g->value[i] : t > g->value[i]) {
                    g->value[i] = t;
                }
            }
        }
        NAME(group_finish)(&group, semiring, k, value + e, slack + e);
    }
}

static void NAME(reference)(const struct simdbench_operands *operands,
                            enum semiring semiring, const uint64_t *index, uint64_t n,
                            TYPE *value, double *slack)
{
    if (index)
        NAME(reference_some)(operands, semiring, index, (int64_t)n, value, slack);
    else
        NAME(reference_all)(operands, semiring, (int64_t)n, value, slack);
}
