/* SPDX-License-Identifier: Apache-2.0 */
/* A study is built and freed. */
#include <math.h>

#include "study.h"

static const char *const measures[STUDY_MEASURES] = {
    [MEASURE_TIME_RATIO] = "time_ratio",
    [MEASURE_THREAD_RATIO] = "thread_ratio",
    [MEASURE_LIMIT_SHARE] = "limit_share",
    [MEASURE_METRIC] = "metric",
    [MEASURE_STATIC] = "static",
    [MEASURE_SLOPE] = "slope",
    [MEASURE_EXPLAINED] = "explained",
    [MEASURE_NOISE] = "noise",
    [MEASURE_ACCURACY] = "accuracy",
    [MEASURE_ARITHMETIC] = "arithmetic",
    [MEASURE_HOST] = "host",
};
static const char *const as_names[] = {"value", "difference", "ratio"};
static const char *const verdicts[STUDY_VERDICTS] = {"PENDING", "CONFIRMED", "REFUTED",
                                                     "UNDECIDED", "NOT MEASURABLE"};
static const char *const hows[] = {"", "no effect", "smaller", "larger"};

const struct fields study_arm_fields =
    FIELDS(FIELD(NAME, study_arm, is), FIELD(NAME, study_arm, op),
           FIELD(NAME, study_arm, semiring), FIELD(NAME, study_arm, type),
           FIELD(NAME, study_arm, isa), FIELD(NAME, study_arm, variant),
           FIELD(NAME, study_arm, module), FIELD(NAME, study_arm, shape),
           FIELD(NAME, study_arm, layout), FIELD(NAME, study_arm, pages),
           FIELD(NAME, study_arm, input), FIELD(NAME, study_arm, cache),
           FIELD(AMOUNT, study_arm, align), FIELD(TEAM, study_arm, threads));
const struct fields study_source_fields =
    FIELDS(FIELD_AS("title", NAME, study, source.title),
           FIELD_AS("file", NAME, study, source.file),
           FIELD_AS("sha256", NAME, study, source.sha256),
           FIELD_AS("machine", NAME, study, source.machine));
const struct fields study_fields =
    FIELDS(FIELD(NAME, study, name), FIELD(NAME, study, title),
           FIELD_GROUP("source", study_source_fields),
           FIELD_LIST_AS("arms", NAMED, study, arms, n_arms, study_arm_fields));
const struct fields study_run_fields = FIELDS(
    FIELD(BOOL, study, is_quick), FIELD(SPAN, study, level), FIELD(SPAN, study, seconds));
const struct fields study_claim_fields =
    FIELDS(FIELD(NAME, study_claim, text), FIELD(NAME, study_claim, kind),
           FIELD(NAME, study_claim, their), FIELD(NAME, study_claim, note),
           FIELD(NAME, study_claim, instead), FIELD(NAME, study_claim, confirms),
           FIELD(NAME, study_claim, refutes), FIELD(BOOL, study_claim, by_construction),
           FIELD(BOOL, study_claim, learned));
static const struct fields point_fields =
    FIELDS(FIELD(NAME, study_point, at), FIELD(PAIR, study_point, cases),
           FIELD(NUMBER, study_point, value), FIELD(VALUE_CI, study_point, ci),
           FIELD(SPAN, study_point, floor), FIELD(NAME, study_point, reason),
           FIELD(NAME, study_point, type),
           FIELD_WORD_AS("verdict", TOLD, study_point, verdict, verdicts),
           FIELD_WORD_AS("how", TOLD, study_point, how, hows));
const struct fields study_check_fields =
    FIELDS(FIELD_WORD_AS("measure", WORD, study_check, measure, measures),
           FIELD_ARRAY("of", TEXTS, study_check, of, n_of),
           FIELD_WORD_AS("as", WORD, study_check, as, as_names));
const struct fields study_needs_fields = FIELDS(
    FIELD(TEAM, study_check, threads), FIELD_ARRAY("at", TEXTS, study_check, at, n_at),
    FIELD_ARRAY("quick", TEXTS, study_check, quick, n_quick),
    FIELD_ARRAY("needs", TEXTS, study_check, needs, n_needs),
    FIELD(NAME, study_check, why));
const struct fields study_results_fields =
    FIELDS(FIELD_WORD_AS("verdict", TOLD, study_check, verdict, verdicts),
           FIELD_WORD_AS("how", TOLD, study_check, how, hows),
           FIELD(NAME, study_check, reason), FIELD(NAME, study_check, type),
           FIELD_LIST_AS("points", LIST, study_check, points, n_points, point_fields));

NAMES_BOTH_WAYS(study_measure, study_measure, measures)
NAMES_FIND(study_as, study_as, as_names)
NAMES(study_verdict, study_verdict, verdicts)
NAMES(study_how, study_how, hows)

/* ---- freeing ---- */

static void free_check(struct study_check *check)
{
    free(check->what);
    fields_free(&study_check_fields, check);
    fields_free(&study_needs_fields, check);
    fields_free(&study_results_fields, check);
}

static void free_pairs(struct study_pairs *pairs)
{
    FOR_EACH (struct study_pair, pair, pairs->pair, pairs->n)
        FREE_EACH(pair->of[0], pair->of[1]);
    free(pairs->pair);
}

static void free_account(struct study_account *account)
{
    FREE_EACH(account->total.of[0], account->total.of[1]);
    free_pairs(&account->parts);
    free_pairs(&account->reverse);
    strings_free(account->at, account->n_at);
    strings_free(account->quick, account->n_quick);
    FOR_EACH (struct study_sum, sum, account->sums, account->n_sums)
        FREE_EACH(sum->at, sum->reason, sum->type, sum->parts, sum->reverse);
    free(account->sums);
}

static void free_claim(struct study_claim *claim)
{
    FREE_EACH(claim->id, claim->quote);
    fields_free(&study_claim_fields, claim);
    strings_free(claim->confounders, claim->n_confounders);
    free_check(&claim->check);
    FOR_EACH (struct study_check, check, claim->evidence, claim->n_evidence)
        free_check(check);
    free(claim->evidence);
}

void study_clear(struct study *study)
{
    fields_free(&study_fields, study);
    fields_free(&study_arm_fields, &study->work);
    strings_free(study->shapes, study->n_shapes);
    strings_free(study->quick, study->n_quick);
    FOR_EACH (struct study_claim, claim, study->claims, study->n_claims)
        free_claim(claim);
    free(study->claims);
    free_account(&study->account);
    *study = (struct study){.name = NULL};
}

static bool is_among(const char *id, char *const *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(ids[i], id))
            return true;
    return false;
}

void study_keep_claims(struct study *study, char *const *ids, size_t n)
{
    size_t kept = 0;
    FOR_EACH (struct study_claim, claim, study->claims, study->n_claims) {
        if (is_among(claim->id, ids, n))
            study->claims[kept++] = *claim;
        else
            free_claim(claim);
    }
    study->n_claims = kept;
    free_account(&study->account);
    study->account = (struct study_account){.n_at = 0};
}

/* ---- building ---- */

const struct study_arm *study_find_arm(const struct study *study, const char *name)
{
    FOR_EACH (const struct study_arm, arm, study->arms, study->n_arms)
        if (!strcmp(arm->name, name))
            return arm;
    return NULL;
}

struct study_claim *study_find_claim(const struct study *study, const char *id)
{
    FOR_EACH (struct study_claim, claim, study->claims, study->n_claims)
        if (text_same(claim->id, id))
            return claim;
    return NULL;
}

void study_check_begin(struct study_check *check)
{
    *check = (struct study_check){.lo = -INFINITY, .hi = INFINITY};
}

struct study_claim *study_add_claim(struct study *study, const char *id)
{
    struct study_claim *const claim = NAMED_ADD(study, claims, n_claims, id);

    study_check_begin(&claim->check);
    return claim;
}

struct study_check *study_add_evidence(struct study_claim *claim)
{
    struct study_check *const check = LIST_ADD(claim, evidence, n_evidence);

    study_check_begin(check);
    return check;
}

void study_add_pair(struct study_pairs *pairs, const char *first, const char *second)
{
    struct study_pair *const pair = NAMED_ADD(pairs, pair, n, first);

    pair->of[1] = copy_text(second);
}

struct study_point *study_add_point(struct study_check *check, const char *at)
{
    struct study_point *const point = NAMED_ADD(check, points, n_points, at);

    point->value = NAN;
    return point;
}

void study_add_absent(struct study_check *check, const char *at, const char *reason,
                      const char *type)
{
    struct study_point *const point = study_add_point(check, at);

    point->reason = copy_text(reason);
    point->type = copy_text(type);
}

void study_point_exact(struct study_point *point, double value)
{
    point->value = value;
    point->ci = (struct interval){.known = true, .lo = value, .hi = value, .level = 1};
}

static struct study_factor *unknown_factors(size_t n)
{
    struct study_factor *const factors = must_have(calloc(n ?: 1, sizeof *factors));

    for (size_t i = 0; i < n; i++)
        factors[i].value = NAN;
    return factors;
}

struct study_sum *study_add_sum(struct study_account *account, const char *at)
{
    struct study_sum *const sum = NAMED_ADD(account, sums, n_sums, at);

    sum->total.value = sum->residual.value = sum->reverse_residual.value = NAN;
    sum->parts = unknown_factors(account->parts.n);
    sum->reverse = unknown_factors(account->reverse.n);
    return sum;
}
