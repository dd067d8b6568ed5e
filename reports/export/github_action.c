/* SPDX-License-Identifier: Apache-2.0 */
/* github-action-benchmark: times, which are better when they are smaller. */
#include <math.h>

#include "export.h"
#include "export_rows.h"

struct writer {
    struct json json;
    const struct run *run;
};

/* "±1.4%": how far the interval reaches at most. */
static void put_range(struct json *json, struct cJSON *entry, const struct series *series)
{
    const struct interval *ci = &series->ci_ns;
    char text[NUMBER_SIZE];

    if (!ci->known)
        return;
    const double most = fmax(series->median_ns - ci->lo, ci->hi - series->median_ns);
    const double percent = 100 * most / series->median_ns;
    snprintf(text, sizeof text, "±%.2f%%", percent);
    if (percent < 1e6)
        json_text(json, entry, "range", text);
}

static void put_case(const struct export_row *row, const struct series *series,
                     void *context)
{
    struct writer *const writer = context;
    struct json *const json = &writer->json;
    const struct result *result = row->result;
    FREED_BY(buffer_free) struct buffer extra = {.text = NULL};
    struct cJSON *const entry = json_object(json, json->root, NULL);

    json_text(json, entry, "name", row->name);
    json_text(json, entry, "unit", "ns");
    export_number(json, entry, "value", series->median_ns);
    put_range(json, entry, series);
    export_tell(&extra, result);
    buffer_add(&extra, extra.length ? "; host " : "host ");
    buffer_plain(&extra, writer->run->fingerprint);
    json_text(json, entry, "extra", buffer_text(&extra));
    json->failed |= extra.failed;
}

int github_action_write(const struct run *run, FILE *file)
{
    struct writer writer = {.run = run};

    json_array(&writer.json, NULL, NULL);
    writer.json.failed |= export_each(run, EXPORT_HEAD, put_case, &writer) < 0;
    return export_json(&writer.json, "", "\n", file);
}
