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

static void put_change(struct json *json, cJSON *parent, size_t first,
                       const struct history_change *change)
{
    cJSON *const object = json_object(json, parent, NULL);

    json_number(json, object, "run", (double)(change->at - first));
    json_number(json, object, "before", (double)change->before);
    json_number(json, object, "after", (double)change->after);
    json_number(json, object, "change", change->change);
    put_interval(json, object, "ci", &change->ci);
    json_number(json, object, "ci_level", change->ci.level);
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
        const struct history_entry *const entry = &history->entries[first];
        cJSON *const object = json_object(json, cases, NULL);
        end = history_group_end(history, first);
        json_text(json, object, "id", entry->id);
        json_text(json, object, "fingerprint", entry->fingerprint);
        json_text(json, object, "cpu", entry->cpu);
        cJSON *const runs = json_array(json, object, "runs");
        for (size_t i = first; i < end; i++)
            put_run(json, runs, &history->entries[i]);
        cJSON *const changes = json_array(json, object, "changes");
        FOR_EACH (const struct history_change, change, history->changes,
                  history->n_changes)
            if (change->at >= first && change->at < end)
                put_change(json, changes, first, change);
    }
}
