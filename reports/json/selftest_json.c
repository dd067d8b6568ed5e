/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_make.h"

static void put_gates(struct maker *maker, cJSON *parent,
                      const struct selftest_effect *effect)
{
    cJSON *const list = put(maker, parent, "outcomes", cJSON_CreateArray());

    for (size_t i = 0; i < effect->n; i++) {
        const struct selftest_gate *const gate = &effect->gates[i];
        cJSON *const item = put(maker, list, NULL, cJSON_CreateObject());
        put_text(maker, item, "verdict", verdict_name(gate->verdict));
        put_number(maker, item, "change", gate->change);
        put_number(maker, item, "floor", gate->floor);
        put_number(maker, item, "detectable", gate->detectable);
        put_number(maker, item, "seconds", gate->seconds);
    }
}

static void put_effect(struct maker *maker, cJSON *list,
                       const struct selftest_effect *effect)
{
    cJSON *const item = put(maker, list, NULL, cJSON_CreateObject());

    put_number(maker, item, "effect", effect->effect);
    put_number(maker, item, "gates", (double)effect->n);
    put_number(maker, item, "regressed", (double)effect->regressed);
    put_number(maker, item, "improved", (double)effect->improved);
    put_number(maker, item, "same", (double)effect->same);
    put_number(maker, item, "inconclusive", (double)effect->inconclusive);
    put_number(maker, item, "unusable", (double)effect->unusable);
    put_number(maker, item, "rate", effect->rate);
    put_interval(maker, item, "rate_ci", "rate_ci_level", &effect->rate_ci);
    put_number(maker, item, "change", effect->change);
    put_number(maker, item, "floor", effect->floor);
    put_number(maker, item, "detectable", effect->detectable);
    put_number(maker, item, "seconds_per_gate", effect->seconds);
    put_gates(maker, item, effect);
}

static cJSON *make_document(struct maker *maker, const struct selftest *selftest)
{
    cJSON *const root = cJSON_CreateObject();
    char seed[24];

    snprintf(seed, sizeof seed, "%" PRIu64, selftest->seed);
    put_number(maker, root, "selftest_schema_version", SELFTEST_SCHEMA_VERSION);
    put_text(maker, root, "summary", selftest->summary);
    cJSON *const tool = put(maker, root, "tool", cJSON_CreateObject());
    put_text(maker, tool, "version", selftest->tool_version);
    put_text(maker, tool, "commit", selftest->tool_commit);
    cJSON *const host = put(maker, root, "host", cJSON_CreateObject());
    put_text(maker, host, "cpu", selftest->cpu);
    put_text(maker, host, "fingerprint", selftest->fingerprint);
    put_text(maker, root, "started_at", selftest->started_at);
    put_text(maker, root, "seed", seed);
    put_text(maker, root, "case", selftest->case_id);
    put_number(maker, root, "call_ns", selftest->call_ns);
    put_number(maker, root, "threshold", selftest->threshold);
    put_number(maker, root, "processes", selftest->processes);
    put_number(maker, root, "process_rounds", selftest->rounds);
    put_number(maker, root, "seconds", selftest->total_seconds);
    put_number(maker, root, "recommended_threshold",
               selftest->recommended > 0 ? selftest->recommended : NAN);
    put_number(maker, root, "reliable_change", selftest->reliable);
    put_number(maker, root, "least_found",
               selftest->found ? selftest->found->effect : NAN);
    cJSON *const effects = put(maker, root, "effects", cJSON_CreateArray());
    for (size_t i = 0; i < selftest->n_effects; i++)
        put_effect(maker, effects, &selftest->effects[i]);
    return root;
}

int selftest_write_json(const struct selftest *selftest, FILE *file, struct error *error)
{
    struct maker maker = {.failed = false};
    cJSON *const root = make_document(&maker, selftest);
    char *const text = maker.failed ? NULL : cJSON_Print(root);
    int code = text ? 0 : error_set(error, -ENOMEM, "out of memory");

    errno = 0;
    if (text && (fputs(text, file) < 0 || fputc('\n', file) < 0 || fflush(file))) {
        code = errno ? -errno : -EIO;
        error_set(error, code, "cannot write JSON: %s", strerror(-code));
    }
    cJSON_free(text);
    cJSON_Delete(root);
    buffer_free(&maker.scratch);
    return code;
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
