/* SPDX-License-Identifier: Apache-2.0 */
/* Does the whole come to the product of its parts? */
#include "studies/studies_private.h"

/* The times of a round: those of the total, then those of each part. */
static double rule_residual(const double *ns, const void *context)
{
    const size_t *const parts = context;
    double residual = ns[0] / ns[1];
    for (size_t i = 1; i <= *parts; i++)
        residual *= ns[2 * i + 1] / ns[2 * i];
    return residual;
}

struct sum {
    const struct studying *all;
    const struct round_set *set;
    struct study_sum *sum;
    const struct series *series[SERIES_MOST];
    size_t n;
};

static const struct series *series_of(const struct sum *sum, const char *arm)
{
    const struct study_arm *const found = study_find_arm(sum->all->study, arm);
    const struct member *const member =
        set_find(sum->set, arm, threads_of(found->threads, &sum->all->settings), false);
    if (member && !member->absent)
        return &member->series;
    if (!sum->sum->reason)
        string_set(&sum->sum->reason, member ? member->absent : "it was not measured");
    return NULL;
}

/* Adds the series of a pair, and tells their ratio. */
static void add_pair(struct sum *sum, const struct study_pair *pair,
                     struct study_factor *factor)
{
    if (sum->n + 2 > SERIES_MOST)
        return;
    for (size_t i = 0; i < 2; i++) {
        const struct series *const series = series_of(sum, pair->of[i]);
        if (!series)
            return;
        sum->series[sum->n + i] = series;
    }
    const struct estimate ratio = series_estimate(
        &sum->series[sum->n], 2, sum->all->study->level, rule_ratio, NULL);
    *factor = (struct study_factor){ratio.value, ratio.ci};
    sum->n += 2;
}

static void add_pairs(struct sum *sum, const struct study_pairs *pairs,
                      struct study_factor *factors, struct study_factor *residual)
{
    sum->n = 2;
    for (size_t i = 0; i < pairs->n; i++)
        add_pair(sum, &pairs->pair[i], &factors[i]);
    if (sum->sum->reason || !pairs->n || sum->n != 2 * (pairs->n + 1))
        return;
    const struct estimate rest = series_estimate(
        sum->series, sum->n, sum->all->study->level, rule_residual, &pairs->n);
    *residual = (struct study_factor){rest.value, rest.ci};
}

void account_fill(const struct studying *all)
{
    struct study_account *const account = &all->study->account;
    const bool quick = all->settings.quick && account->n_quick;
    char **const at = quick ? account->quick : account->at;
    const size_t n = quick ? account->n_quick : account->n_at;
    for (size_t i = 0; i < n && account->total.of[0]; i++) {
        struct sum sum = {.all = all,
                          .set = sets_find(&all->sets, at[i], NULL),
                          .sum = study_add_sum(account, at[i])};
        add_pair(&sum, &account->total, &sum.sum->total);
        add_pairs(&sum, &account->parts, sum.sum->parts, &sum.sum->residual);
        add_pairs(&sum, &account->reverse, sum.sum->reverse, &sum.sum->reverse_residual);
    }
}
