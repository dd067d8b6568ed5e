/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <string.h>

#include "history.h"
#include "text/text.h"

static void put_interval(struct json *json, cJSON *parent, const char *name,
                         const struct interval *interval)
{
    if (interval->known)
        json_numbers(json, parent, name, (const double[]){interval->lo, interval->hi},
                     NULL, 2);
    else
        json_null(json, parent, name);
}

static void put_run(struct json *json, cJSON *parent, const struct history_entry *entry)
{
    cJSON *const object = json_object(json, parent, NULL);

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
    cJSON *const root = json_object(json, NULL, NULL), *runs = NULL;
    const struct history_entry *before = NULL;

    json_number(json, root, "schema_version", 1);
    cJSON *const cases = json_array(json, root, "cases");
    FOR_EACH (const struct history_entry, entry, history->entries, history->n) {
        if (!before || strcmp(before->id, entry->id) != 0 ||
            strcmp(before->fingerprint, entry->fingerprint) != 0) {
            cJSON *const object = json_object(json, cases, NULL);
            json_text(json, object, "id", entry->id);
            json_text(json, object, "fingerprint", entry->fingerprint);
            json_text(json, object, "cpu", entry->cpu);
            runs = json_array(json, object, "runs");
        }
        put_run(json, runs, entry);
        before = entry;
    }
}
