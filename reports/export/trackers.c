/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of services that keep benchmarks. */
#include <math.h>

#include "export.h"
#include "export_rows.h"

/* ---- Bencher Metric Format ---- */

static void put_measure(struct json *json, struct cJSON *parent, const char *slug,
                        double value, bool known, double lower, double upper)
{
    struct cJSON *const measure = json_object(json, parent, slug);

    export_number(json, measure, "value", value);
    export_number(json, measure, "lower_value", known ? lower : NAN);
    export_number(json, measure, "upper_value", known ? upper : NAN);
}

static void bencher_case(const struct export_row *row, const struct series *series,
                         void *context)
{
    struct json *const json = context;
    const struct result *result = row->result;
    const struct comparison *comparison = result->comparison;
    const struct interval *ci = &series->ci_ns;
    const double ops = 1e9 * result->work.ops; /* a second, from nanoseconds */
    struct cJSON *const entry = json_object(json, json->root, row->name);

    put_measure(json, entry, "latency", series->median_ns, ci->known, ci->lo, ci->hi);
    if (ops > 0 && isfinite(ops / series->median_ns))
        put_measure(json, entry, "throughput", ops / series->median_ns,
                    ci->known && ci->lo > 0, ops / ci->hi, ops / ci->lo);
    if (comparison && isfinite(comparison->change) && comparison->base_ns > 0)
        put_measure(json, entry, "change-percent", 100 * comparison->change,
                    comparison->change_ci.known, 100 * comparison->change_ci.lo,
                    100 * comparison->change_ci.hi);
}

void bmf_write(const struct run *run, FILE *file)
{
    struct json json = {.root = NULL};

    json_object(&json, NULL, NULL);
    export_each(run, EXPORT_HEAD, bencher_case, &json);
    export_json(&json, "", "\n", file);
}

/* ---- github-action-benchmark: times, which are better when they are smaller ---- */

struct github_writer {
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

static void github_case(const struct export_row *row, const struct series *series,
                        void *context)
{
    struct github_writer *const writer = context;
    struct json *const json = &writer->json;
    const struct result *result = row->result;
    FREED_BY(buffer_free) struct buffer extra = {.text = NULL};
    struct cJSON *const entry = json_object(json, json->root, NULL);

    json_text(json, entry, "name", row->name);
    json_text(json, entry, "unit", "ns");
    export_number(json, entry, "value", series->median_ns);
    put_range(json, entry, series);
    export_tell(&extra, result);
    buffer_tell(&extra, "%s%s", extra.length ? "; host " : "host ",
                writer->run->fingerprint);
    json_text(json, entry, "extra", buffer_text(&extra));
}

void github_action_write(const struct run *run, FILE *file)
{
    struct github_writer writer = {.run = run};

    json_array(&writer.json, NULL, NULL);
    export_each(run, EXPORT_HEAD, github_case, &writer);
    export_json(&writer.json, "", "\n", file);
}
