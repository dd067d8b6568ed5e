/* SPDX-License-Identifier: Apache-2.0 */
/* Member "studies" of a run: each is a study file with results. When it is read back,
 * verdicts follow from these anew. */
#include "json.h"
#include "json_value.h"

static const struct fields factor_fields =
    FIELDS(FIELD(SPAN, study_factor, value), FIELD(CI, study_factor, ci));
static const struct fields total_fields =
    FIELDS(FIELD(NAME, study_sum, at), FIELD_PART_OF(study_sum, total, factor_fields));
static const struct fields rest_fields =
    FIELDS(FIELD_PART_OF(study_sum, residual, factor_fields),
           FIELD_PART_OF(study_sum, reverse_residual, factor_fields),
           FIELD(NAME, study_sum, reason), FIELD(NAME, study_sum, type));
/* ---- writing ---- */

static void put_check(struct json *json, cJSON *object, const struct study_check *check)
{
    const char *const key = study_what_key(check->measure);

    json_fields(json, object, &study_check_fields, check);
    cJSON *const expect = json_array(json, object, "expect");
    json_number(json, expect, NULL, check->lo);
    json_number(json, expect, NULL, check->hi);
    if (key)
        json_text(json, object, key, check->what);
    json_fields(json, object, &study_needs_fields, check);
    json_fields(json, object, &study_results_fields, check);
}

static void put_claim(struct json *json, cJSON *parent, const struct study_claim *claim)
{
    cJSON *const object = json_object(json, parent, NULL);

    json_text(json, object, "id", claim->id);
    if (claim->quote)
        json_text(json, object, "quote", claim->quote);
    else
        json_text(json, object, "by", "us");
    json_fields(json, object, &study_claim_fields, claim);
    json_texts(json, object, "confounders", claim->confounders, claim->n_confounders);
    put_check(json, object, &claim->check);
    json_bool(json, object, "contested", claim->contested);
    cJSON *const evidence = json_array(json, object, "evidence");
    for (size_t i = 0; i < claim->n_evidence; i++)
        put_check(json, json_object(json, evidence, NULL), &claim->evidence[i]);
}

static void put_pairs(struct json *json, cJSON *parent, const char *name,
                      const struct study_pairs *pairs)
{
    cJSON *const array = json_array(json, parent, name);

    for (size_t i = 0; i < pairs->n; i++)
        json_texts(json, array, NULL, pairs->pair[i].of, 2);
}

static void put_factors(struct json *json, cJSON *parent, const char *name,
                        const struct study_factor *factors, size_t n)
{
    cJSON *const array = json_array(json, parent, name);

    for (size_t i = 0; i < n; i++)
        json_fields(json, json_object(json, array, NULL), &factor_fields, &factors[i]);
}

static void put_account(struct json *json, cJSON *parent,
                        const struct study_account *account)
{
    cJSON *const object = json_maybe(json, parent, "account", account->total.of[0]);

    if (!object)
        return;
    json_texts(json, object, "total", account->total.of, 2);
    put_pairs(json, object, "parts", &account->parts);
    put_pairs(json, object, "reverse", &account->reverse);
    json_texts(json, object, "at", account->at, account->n_at);
    json_texts(json, object, "quick", account->quick, account->n_quick);
    cJSON *const sums = json_array(json, object, "sums");
    FOR_EACH (const struct study_sum, sum, account->sums, account->n_sums) {
        cJSON *const entry = json_object(json, sums, NULL);
        json_fields(json, entry, &total_fields, sum);
        put_factors(json, entry, "parts", sum->parts, account->parts.n);
        put_factors(json, entry, "reverse", sum->reverse, account->reverse.n);
        json_fields(json, entry, &rest_fields, sum);
    }
}

void json_studies(struct json *json, cJSON *parent, const struct run *run)
{
    cJSON *const studies = json_array(json, parent, "studies");

    FOR_EACH (const struct study, study, run->studies, run->n_studies) {
        cJSON *const object = json_object(json, studies, NULL);
        json_number(json, object, "study", STUDY_VERSION);
        json_fields(json, object, &study_fields, study);
        cJSON *const claims = json_array(json, object, "claims");
        for (size_t i = 0; i < study->n_claims; i++)
            put_claim(json, claims, &study->claims[i]);
        put_account(json, object, &study->account);
        json_fields(json, object, &study_run_fields, study);
    }
}

/* ---- reading ---- */

static int same_length(const struct value *array, size_t n)
{
    return value_array(array)
               ?: ((size_t)cJSON_GetArraySize(array->json) == n
                       ? 0
                       : VALUE_FAIL(array, "expected %zu entries", n));
}

static int read_evidence(const struct value *entry, void *context)
{
    struct study_check **const next = context;

    return value_fields(entry, &study_results_fields, (*next)++);
}

static int read_claim(const struct value *entry, void *context)
{
    struct study_claim **const next = context, *const claim = (*next)++;
    const struct value evidence = value_member(entry, "evidence");

    return value_fields(entry, &study_results_fields, &claim->check)
               ?: value_each(&evidence, read_evidence,
                             &(struct study_check *){claim->evidence});
}

static int read_factor(const struct value *value, void *context)
{
    struct study_factor **const next = context, *const factor = (*next)++;

    return value_fields(value, &factor_fields, factor);
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
    struct study_sum *const sum = study_add_sum(account, NULL);

    return value_fields(entry, &total_fields, sum)
               ?: value_fields(entry, &rest_fields, sum)
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

static int add_study(const struct value *entry, void *context)
{
    struct study *const study = LIST_ADD((struct run *)context, studies, n_studies);
    const struct value claims = value_member(entry, "claims");

    const int code = json_read_study(entry, false, study)
                         ?: value_fields(entry, &study_run_fields, study)
                         ?: value_each(&claims, read_claim,
                                       &(struct study_claim *){study->claims})
                         ?: read_sums(entry, study);
    if (!code)
        study_judge(study);
    return code;
}

int json_read_studies(const struct value *root, struct run *run)
{
    return value_list(root, "studies", 0, add_study, run);
}
