/* SPDX-License-Identifier: Apache-2.0 */
/* Bencher Metric Format. */
#include <math.h>

#include "export.h"
#include "export_rows.h"

static void put_measure(struct json *json, struct cJSON *parent, const char *slug,
                        double value, bool known, double lower, double upper)
{
    struct cJSON *const measure = json_object(json, parent, slug);

    export_number(json, measure, "value", value);
    export_number(json, measure, "lower_value", known ? lower : NAN);
    export_number(json, measure, "upper_value", known ? upper : NAN);
}

static void put_case(const struct export_row *row, const struct series *series,
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

int bmf_write(const struct run *run, FILE *file)
{
    struct json json = {.root = NULL};

    json_object(&json, NULL, NULL);
    json.failed |= export_each(run, EXPORT_HEAD, put_case, &json) < 0;
    return export_json(&json, "", "\n", file);
}
