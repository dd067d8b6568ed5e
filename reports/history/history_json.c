/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>

#include "history.h"
#include "text/text.h"

static void put_interval(struct json *json, cJSON *object, const char *name,
                         const struct interval *interval)
{
    if (interval->known)
        json_numbers(json, object, name, (const double[]){interval->lo, interval->hi},
                     NULL, 2);
    else
        json_null(json, object, name);
}

static void put_entry(struct json *json, cJSON *parent, const struct history_entry *entry)
{
    cJSON *const object = json_object(json, parent, NULL);

    json_text(json, object, "id", entry->id);
    json_text(json, object, "fingerprint", entry->fingerprint);
    json_text(json, object, "cpu", entry->cpu);
    json_text(json, object, "started_at", entry->started_at);
    json_text(json, object, "commit", entry->commit);
    json_text(json, object, "label", entry->label);
    json_text(json, object, "status", entry->status);
    json_text(json, object, "reason", entry->reason);
    json_number(json, object, "median_ns", entry->median_ns);
    put_interval(json, object, "ci_ns", &entry->ci_ns);
    json_number(json, object, "change", entry->change);
    json_text(json, object, "verdict", entry->verdict);
    json_number(json, object, "compared", entry->compared);
    put_interval(json, object, "compared_ci", &entry->compared_ci);
}

void history_json(const struct history *history, struct json *json)
{
    cJSON *const root = json_object(json, NULL, NULL);
    cJSON *const entries = json_array(json, root, "history");

    for (size_t i = 0; i < history->n; i++)
        put_entry(json, entries, &history->entries[i]);
}
