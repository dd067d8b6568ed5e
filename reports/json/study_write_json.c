/* SPDX-License-Identifier: Apache-2.0 */
/* Member "studies" of a run: each is a study file with results. */

#include "json.h"
#include "json_common.h"

static void put_threads(struct json *json, cJSON *object, int threads)
{
    if (threads == STUDY_THREADS_ALL)
        json_text(json, object, "threads", "all");
    else if (threads)
        json_number(json, object, "threads", threads);
}

static void put_arms(struct json *json, cJSON *parent, const struct study *study)
{
    cJSON *const arms = json_object(json, parent, "arms");

    FOR_EACH (const struct study_arm, arm, study->arms, study->n_arms) {
        cJSON *const object = json_object(json, arms, arm->name);
        json_fields(json, object, &study_arm_fields, arm);
        put_threads(json, object, arm->threads);
    }
}

static void put_value(struct json *json, cJSON *object, double value,
                      const struct interval *ci)
{
    json_number(json, object, "value", value);
    json_interval(json, object, "ci", "ci_level", ci);
}

static void put_absence(struct json *json, cJSON *object, const char *reason,
                        const char *type)
{
    json_text(json, object, "reason", reason);
    json_text(json, object, "type", type);
}

static void put_point(struct json *json, cJSON *parent, const struct study_point *point)
{
    cJSON *const object = json_object(json, parent, NULL);
    const size_t n_cases = !point->cases[0] ? 0 : point->cases[1] ? 2 : 1;

    json_text(json, object, "at", point->at);
    json_texts(json, object, "cases", point->cases, n_cases);
    put_value(json, object, point->value, &point->ci);
    json_number(json, object, "floor", point->floor);
    put_absence(json, object, point->reason, point->type);
    json_text(json, object, "verdict", study_verdict_name(point->verdict));
    json_text(json, object, "how", study_how_name(point->how));
}

static void put_check(struct json *json, cJSON *object, const struct study_check *check)
{
    const char *const key = study_what_key(check->measure);

    json_text(json, object, "measure", study_measure_name(check->measure));
    json_texts(json, object, "of", check->of, check->n_of);
    json_text(json, object, "as", study_as_name(check->as));
    cJSON *const expect = json_array(json, object, "expect");
    json_number(json, expect, NULL, check->lo);
    json_number(json, expect, NULL, check->hi);
    if (key)
        json_text(json, object, key, check->what);
    put_threads(json, object, check->threads);
    json_texts(json, object, "at", check->at, check->n_at);
    json_texts(json, object, "quick", check->quick, check->n_quick);
    json_texts(json, object, "needs", check->needs, check->n_needs);
    json_text(json, object, "why", check->why);
    json_text(json, object, "verdict", study_verdict_name(check->verdict));
    json_text(json, object, "how", study_how_name(check->how));
    put_absence(json, object, check->reason, check->type);
    cJSON *const points = json_array(json, object, "points");
    for (size_t i = 0; i < check->n_points; i++)
        put_point(json, points, &check->points[i]);
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

static void put_factor(struct json *json, cJSON *parent, const char *name,
                       const struct study_factor *factor)
{
    put_value(json, json_object(json, parent, name), factor->value, &factor->ci);
}

static void put_factors(struct json *json, cJSON *parent, const char *name,
                        const struct study_factor *factors, size_t n)
{
    cJSON *const array = json_array(json, parent, name);

    for (size_t i = 0; i < n; i++)
        put_factor(json, array, NULL, &factors[i]);
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
        json_text(json, entry, "at", sum->at);
        put_factor(json, entry, "total", &sum->total);
        put_factors(json, entry, "parts", sum->parts, account->parts.n);
        put_factors(json, entry, "reverse", sum->reverse, account->reverse.n);
        put_factor(json, entry, "residual", &sum->residual);
        put_factor(json, entry, "reverse_residual", &sum->reverse_residual);
        put_absence(json, entry, sum->reason, sum->type);
    }
}

void json_studies(struct json *json, cJSON *parent, const struct run *run)
{
    cJSON *const studies = json_array(json, parent, "studies");

    FOR_EACH (const struct study, study, run->studies, run->n_studies) {
        cJSON *const object = json_object(json, studies, NULL);
        json_number(json, object, "study", STUDY_VERSION);
        json_text(json, object, "name", study->name);
        json_text(json, object, "title", study->title);
        json_fields(json, json_object(json, object, "source"), &study_source_fields,
                    study);
        put_arms(json, object, study);
        cJSON *const claims = json_array(json, object, "claims");
        for (size_t i = 0; i < study->n_claims; i++)
            put_claim(json, claims, &study->claims[i]);
        put_account(json, object, &study->account);
        json_bool(json, object, "is_quick", study->is_quick);
        json_number(json, object, "level", study->level);
        json_number(json, object, "seconds", study->seconds);
    }
}
