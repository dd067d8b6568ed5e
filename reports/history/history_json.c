/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>

#include "history.h"
#include "text/fields.h"

static const struct fields case_fields =
    FIELDS(FIELD(NAME, history_entry, id), FIELD(NAME, history_entry, fingerprint),
           FIELD(NAME, history_entry, cpu));
static const struct fields entry_fields =
    FIELDS(FIELD(NAME, history_entry, started_at), FIELD(NAME, history_entry, commit),
           FIELD(NAME, history_entry, label), FIELD(NAME, history_entry, status),
           FIELD(NAME, history_entry, reason), FIELD(NUMBER, history_entry, median_ns),
           FIELD(ENDS, history_entry, ci_ns), FIELD(NUMBER, history_entry, change),
           FIELD(NAME, history_entry, verdict), FIELD(NUMBER, history_entry, compared),
           FIELD(ENDS, history_entry, compared_ci));
static const struct fields change_fields =
    FIELDS(FIELD(SIZE, history_change, before), FIELD(SIZE, history_change, after),
           FIELD(NUMBER, history_change, change), FIELD(ENDS, history_change, ci),
           FIELD_AS("ci_level", NUMBER, history_change, ci.level));

static void put_change(struct json *json, cJSON *parent, size_t first,
                       const struct history_change *change)
{
    cJSON *const object = json_object(json, parent, NULL);

    json_number(json, object, "run", (double)(change->at - first));
    json_fields(json, object, &change_fields, change);
}

void history_json(const struct history *history, struct json *json)
{
    cJSON *const root = json_object(json, NULL, NULL);

    json_number(json, root, "schema_version", 1);
    cJSON *const gates = json_object(json, root, "gates");
    json_number(json, gates, "slower", (double)history->gates.slower);
    json_number(json, gates, "faster", (double)history->gates.faster);
    json_number(json, gates, "p", history->gates.p);
    json_answer(json, root, history_answer(history));
    cJSON *const cases = json_array(json, root, "cases");
    for (size_t first = 0, end; first < history->n; first = end) {
        cJSON *const object = json_object(json, cases, NULL);
        end = history_group_end(history, first);
        json_fields(json, object, &case_fields, &history->entries[first]);
        json_bool(json, object, "seen", history_seen(history, first, end));
        cJSON *const runs = json_array(json, object, "runs");
        for (size_t i = first; i < end; i++)
            json_fields(json, json_object(json, runs, NULL), &entry_fields,
                        &history->entries[i]);
        cJSON *const changes = json_array(json, object, "changes");
        FOR_EACH (const struct history_change, change, history->changes,
                  history->n_changes)
            if (change->at >= first && change->at < end)
                put_change(json, changes, first, change);
    }
}
