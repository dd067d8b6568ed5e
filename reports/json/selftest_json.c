/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <inttypes.h>
#include <math.h>

#include "json_common.h"

static const struct fields outcome_fields = FIELDS(
    FIELD(NUMBER, selftest_outcome, change), FIELD(NUMBER, selftest_outcome, floor),
    FIELD(NUMBER, selftest_outcome, detectable),
    FIELD(NUMBER, selftest_outcome, seconds));
static const struct fields count_table = FIELDS(
    FIELD(NUMBER, selftest_effect, effect), FIELD_AS("gates", SIZE, selftest_effect, n),
    FIELD(SIZE, selftest_effect, regressed), FIELD(SIZE, selftest_effect, improved),
    FIELD(BOOL, selftest_effect, as_built), FIELD(SIZE, selftest_effect, same),
    FIELD(SIZE, selftest_effect, placed), FIELD(SIZE, selftest_effect, inconclusive),
    FIELD(SIZE, selftest_effect, unusable), FIELD(NUMBER, selftest_effect, rate));
static const struct fields median_fields =
    FIELDS(FIELD(NUMBER, selftest_effect, change), FIELD(NUMBER, selftest_effect, floor),
           FIELD(NUMBER, selftest_effect, detectable),
           FIELD_AS("seconds_per_gate", NUMBER, selftest_effect, seconds));
static const struct fields tool_table =
    FIELDS(FIELD_AS("version", NAME, selftest, tool_version),
           FIELD_AS("commit", NAME, selftest, tool_commit));
static const struct fields host_fields =
    FIELDS(FIELD(NAME, selftest, cpu), FIELD(NAME, selftest, fingerprint));
static const struct fields setting_fields =
    FIELDS(FIELD_AS("case", NAME, selftest, case_id), FIELD(NUMBER, selftest, call_ns),
           FIELD(NUMBER, selftest, threshold), FIELD(U32, selftest, processes),
           FIELD_AS("process_rounds", U32, selftest, rounds),
           FIELD_AS("seconds", NUMBER, selftest, total_seconds));

static void put_effect(struct json *json, cJSON *list,
                       const struct selftest_effect *effect)
{
    cJSON *const item = json_object(json, list, NULL);

    json_fields(json, item, &count_table, effect);
    json_interval(json, item, "rate_ci", "rate_ci_level", &effect->rate_ci);
    json_fields(json, item, &median_fields, effect);
    cJSON *const outcomes = json_array(json, item, "outcomes");
    FOR_EACH (const struct selftest_outcome, outcome, effect->outcomes, effect->n) {
        cJSON *const entry = json_object(json, outcomes, NULL);
        json_text(json, entry, "verdict", verdict_name(outcome->verdict));
        json_fields(json, entry, &outcome_fields, outcome);
    }
}

static void make_document(struct json *json, const struct selftest *selftest)
{
    cJSON *const root = json_object(json, NULL, NULL);
    char seed[24];

    snprintf(seed, sizeof seed, "%" PRIu64, selftest->seed);
    json_number(json, root, "selftest_schema_version", SELFTEST_SCHEMA_VERSION);
    json_text(json, root, "summary", selftest->summary);
    json_fields(json, json_object(json, root, "tool"), &tool_table, selftest);
    json_fields(json, json_object(json, root, "host"), &host_fields, selftest);
    json_text(json, root, "started_at", selftest->started_at);
    json_text(json, root, "seed", seed);
    json_fields(json, root, &setting_fields, selftest);
    json_number(json, root, "recommended_threshold",
                selftest->recommended > 0 ? selftest->recommended : NAN);
    json_number(json, root, "reliable_change", selftest->reliable);
    json_number(json, root, "least_found",
                selftest->found ? selftest->found->effect : NAN);
    cJSON *const equal = json_object(json, root, "equal_code");
    json_number(json, equal, "slower", (double)selftest->equal.slower);
    json_number(json, equal, "faster", (double)selftest->equal.faster);
    json_number(json, equal, "p", selftest->equal.p);
    cJSON *const effects = json_array(json, root, "effects");
    for (size_t i = 0; i < selftest->n_effects; i++)
        put_effect(json, effects, &selftest->effects[i]);
}

int selftest_write_json(const struct selftest *selftest, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};

    make_document(&json, selftest);
    return json_end(&json, file, error);
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

char *selftest_cite(const char *bytes, size_t size, const char *fingerprint)
{
    if (json_scan(bytes, size, NULL) != 0)
        return NULL;
    FREED_BY(json_delete) cJSON *root = cJSON_ParseWithLength(bytes, size);
    const cJSON *const version =
        cJSON_GetObjectItemCaseSensitive(root, "selftest_schema_version");
    const char *const summary = text_of(root, "summary");
    const char *const host =
        text_of(cJSON_GetObjectItemCaseSensitive(root, "host"), "fingerprint");
    const bool good = cJSON_IsNumber(version) &&
                      version->valueint == SELFTEST_SCHEMA_VERSION && summary &&
                      *summary && host && !strcmp(host, fingerprint);
    return good ? copy_text(summary) : NULL;
}
