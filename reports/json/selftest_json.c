/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_common.h"

static void put_gates(struct json *json, cJSON *parent,
                      const struct selftest_effect *effect)
{
    cJSON *const list = json_array(json, parent, "outcomes");

    for (size_t i = 0; i < effect->n; i++) {
        const struct selftest_outcome *const outcome = &effect->outcomes[i];
        cJSON *const item = json_object(json, list, NULL);
        json_text(json, item, "verdict", verdict_name(outcome->verdict));
        json_number(json, item, "change", outcome->change);
        json_number(json, item, "floor", outcome->floor);
        json_number(json, item, "detectable", outcome->detectable);
        json_number(json, item, "seconds", outcome->seconds);
    }
}

static void put_effect(struct json *json, cJSON *list,
                       const struct selftest_effect *effect)
{
    cJSON *const item = json_object(json, list, NULL);

    json_number(json, item, "effect", effect->effect);
    json_number(json, item, "gates", (double)effect->n);
    json_number(json, item, "regressed", (double)effect->regressed);
    json_number(json, item, "improved", (double)effect->improved);
    json_number(json, item, "same", (double)effect->same);
    json_number(json, item, "inconclusive", (double)effect->inconclusive);
    json_number(json, item, "unusable", (double)effect->unusable);
    json_number(json, item, "rate", effect->rate);
    json_interval(json, item, "rate_ci", "rate_ci_level", &effect->rate_ci);
    json_number(json, item, "change", effect->change);
    json_number(json, item, "floor", effect->floor);
    json_number(json, item, "detectable", effect->detectable);
    json_number(json, item, "seconds_per_gate", effect->seconds);
    put_gates(json, item, effect);
}

static void make_document(struct json *json, const struct selftest *selftest)
{
    cJSON *const root = json_object(json, NULL, NULL);
    char seed[24];

    snprintf(seed, sizeof seed, "%" PRIu64, selftest->seed);
    json_number(json, root, "selftest_schema_version", SELFTEST_SCHEMA_VERSION);
    json_text(json, root, "summary", selftest->summary);
    cJSON *const tool = json_object(json, root, "tool");
    json_text(json, tool, "version", selftest->tool_version);
    json_text(json, tool, "commit", selftest->tool_commit);
    cJSON *const host = json_object(json, root, "host");
    json_text(json, host, "cpu", selftest->cpu);
    json_text(json, host, "fingerprint", selftest->fingerprint);
    json_text(json, root, "started_at", selftest->started_at);
    json_text(json, root, "seed", seed);
    json_text(json, root, "case", selftest->case_id);
    json_number(json, root, "call_ns", selftest->call_ns);
    json_number(json, root, "threshold", selftest->threshold);
    json_number(json, root, "processes", selftest->processes);
    json_number(json, root, "process_rounds", selftest->rounds);
    json_number(json, root, "seconds", selftest->total_seconds);
    json_number(json, root, "recommended_threshold",
                selftest->recommended > 0 ? selftest->recommended : NAN);
    json_number(json, root, "reliable_change", selftest->reliable);
    json_number(json, root, "least_found",
                selftest->found ? selftest->found->effect : NAN);
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
    cJSON *const root = cJSON_ParseWithLength(bytes, size);
    const cJSON *const version =
        cJSON_GetObjectItemCaseSensitive(root, "selftest_schema_version");
    const char *const summary = text_of(root, "summary");
    const char *const host =
        text_of(cJSON_GetObjectItemCaseSensitive(root, "host"), "fingerprint");
    const bool good = cJSON_IsNumber(version) &&
                      version->valueint == SELFTEST_SCHEMA_VERSION && summary &&
                      *summary && host && !strcmp(host, fingerprint);
    char *const line = good ? strdup(summary) : NULL;
    cJSON_Delete(root);
    return line;
}
