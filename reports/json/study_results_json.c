/* SPDX-License-Identifier: Apache-2.0 */
/* Studies of a run are read back: the file, then its results. Verdicts follow from these
 * anew. */
#include <string.h>

#include "json_value.h"

static const struct fields point_fields =
    FIELDS(FIELD(NAME, study_point, at), FIELD(NUMBER, study_point, value),
           FIELD(SPAN, study_point, floor), FIELD(NAME, study_point, reason),
           FIELD(NAME, study_point, type));
static const struct fields sum_fields =
    FIELDS(FIELD(NAME, study_sum, at), FIELD(NAME, study_sum, reason),
           FIELD(NAME, study_sum, type));
static const struct fields factor_fields = FIELDS(FIELD(SPAN, study_factor, value));
static const struct fields check_fields =
    FIELDS(FIELD(NAME, study_check, reason), FIELD(NAME, study_check, type));
static const struct fields study_fields = FIELDS(
    FIELD(BOOL, study, is_quick), FIELD(SPAN, study, level), FIELD(SPAN, study, seconds));

static int same_length(const struct value *array, size_t n)
{
    return value_array(array)
               ?: ((size_t)cJSON_GetArraySize(array->json) == n
                       ? 0
                       : VALUE_FAIL(array, "expected %zu entries", n));
}

static int add_point(const struct value *entry, void *context)
{
    const struct value cases = value_member(entry, "cases");
    struct study_point *const point = study_add_point(context, NULL);
    char **names = NULL;
    size_t n = 0;

    if (!point)
        return value_no_memory(entry);
    int code = value_fields(entry, &point_fields, point)
                   ?: value_interval(entry, "ci", -1e300, &point->ci)
                   ?: value_texts(&cases, &names, &n);
    if (!code && n > ARRAY_LEN(point->cases))
        code = VALUE_FAIL(&cases, "expected up to two entries");
    for (size_t i = 0; i < n && !code; i++)
        if (string_set(&point->cases[i], names[i]))
            code = value_no_memory(entry);
    strings_free(names, n);
    return code;
}

static int read_results(const struct value *object, struct study_check *check)
{
    const struct value points = value_member(object, "points");

    return value_fields(object, &check_fields, check)
               ?: value_array(&points)
               ?: value_each(&points, add_point, check);
}

static int read_evidence(const struct value *entry, void *context)
{
    struct study_check **const next = context;

    return read_results(entry, (*next)++);
}

static int read_claim(const struct value *entry, void *context)
{
    struct study_claim **const next = context, *const claim = (*next)++;
    const struct value evidence = value_member(entry, "evidence");

    return read_results(entry, &claim->check)
               ?: value_each(&evidence, read_evidence,
                             &(struct study_check *){claim->evidence});
}

/* ---- the account ---- */

static int read_factor(const struct value *value, void *context)
{
    struct study_factor **const next = context, *const factor = (*next)++;

    return value_fields(value, &factor_fields, factor)
               ?: value_interval(value, "ci", 0, &factor->ci);
}

static int read_factors(const struct value *object, const char *name,
                        struct study_factor *factors, size_t n)
{
    const struct value array = value_member(object, name);

    return same_length(&array, n)
               ?: value_each(&array, read_factor, &(struct study_factor *){factors});
}

static int add_sum(const struct value *entry, void *context)
{
    struct study_account *const account = context;
    const struct value total = value_member(entry, "total");
    const struct value residual = value_member(entry, "residual");
    const struct value reverse = value_member(entry, "reverse_residual");
    struct study_sum *const sum = study_add_sum(account, NULL);

    if (!sum)
        return value_no_memory(entry);
    return value_fields(entry, &sum_fields, sum)
               ?: read_factor(&total, &(struct study_factor *){&sum->total})
               ?: read_factor(&residual, &(struct study_factor *){&sum->residual})
               ?: read_factor(&reverse, &(struct study_factor *){&sum->reverse_residual})
               ?: read_factors(entry, "parts", sum->parts, account->parts.n)
               ?: read_factors(entry, "reverse", sum->reverse, account->reverse.n);
}

static int read_sums(const struct value *object, struct study *study)
{
    const struct value account = value_member(object, "account");
    const struct value sums = value_member(&account, "sums");

    return value_absent(&account) ? 0
                                  : value_array(&sums)
                                        ?: value_each(&sums, add_sum, &study->account);
}

/* ---- all of it ---- */

static int add_study(const struct value *entry, void *context)
{
    struct study *const study = run_add_study(context);
    const struct value claims = value_member(entry, "claims");

    if (!study)
        return value_no_memory(entry);
    const int code = json_read_study(entry, false, study)
                         ?: value_fields(entry, &study_fields, study)
                         ?: value_each(&claims, read_claim,
                                       &(struct study_claim *){study->claims})
                         ?: read_sums(entry, study);
    return code || !study_judge(study) ? code : value_no_memory(entry);
}

int json_read_studies(const struct value *root, struct run *run)
{
    return value_list(root, "studies", 0, add_study, run);
}
