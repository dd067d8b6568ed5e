/* SPDX-License-Identifier: Apache-2.0 */
/* Bencher Metric Format. */
#include <math.h>

#include "export.h"
#include "export_rows.h"
#include "json_out.h"

static void put_measure(struct json_out *json, const char *slug, double value, bool known,
                        double lower, double upper)
{
    json_open(json, slug, '{');
    json_number(json, "value", value);
    json_number(json, "lower_value", known ? lower : NAN);
    json_number(json, "upper_value", known ? upper : NAN);
    json_close(json, '}');
}

static void put_row(struct json_out *json, const struct export_row *row,
                    const struct series *series)
{
    const struct result *result = row->result;
    const struct comparison *comparison = result->comparison;
    const struct interval *ci = &series->ci_ns;
    const double ops = 1e9 * result->ops; /* a second, from nanoseconds */

    json_open(json, row->name, '{');
    put_measure(json, "latency", series->median_ns, ci->known, ci->lo, ci->hi);
    if (ops > 0 && isfinite(ops / series->median_ns))
        put_measure(json, "throughput", ops / series->median_ns, ci->known && ci->lo > 0,
                    ops / ci->hi, ops / ci->lo);
    if (comparison && isfinite(comparison->change) && comparison->base_ns > 0)
        put_measure(json, "change-percent", 100 * comparison->change,
                    comparison->change_ci.known, 100 * comparison->change_ci.lo,
                    100 * comparison->change_ci.hi);
    json_close(json, '}');
}

int bmf_write(const struct run *run, FILE *file)
{
    struct json_out json = {.file = file};
    struct export_rows rows;
    int code = export_rows_make(run, &rows);

    json_open(&json, NULL, '{');
    for (size_t i = 0; i < rows.n && code >= 0; i++) {
        struct series series;
        code = series_make(rows.row[i].result, EXPORT_HEAD, &series);
        if (code > 0)
            put_row(&json, &rows.row[i], &series);
        series_free(&series);
    }
    json_close(&json, '}');
    export_rows_free(&rows);
    const int ended = json_end(&json);
    return code < 0 ? code : ended;
}
