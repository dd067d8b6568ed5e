/* SPDX-License-Identifier: Apache-2.0 */
/* github-action-benchmark: a file has one direction, so times and rates are two. */
#include <math.h>

#include "export.h"
#include "export_rows.h"
#include "json_out.h"

/* "±1.4%": how far the interval reaches at most. */
static void put_range(struct json_out *json, const struct series *series)
{
    const struct interval *ci = &series->ci_ns;
    char text[NUMBER_SIZE];

    if (!ci->known)
        return;
    const double most = fmax(series->median_ns - ci->lo, ci->hi - series->median_ns);
    const double percent = 100 * most / series->median_ns;
    snprintf(text, sizeof text, "±%.2f%%", percent);
    if (percent < 1e6)
        json_text(json, "range", text);
}

static void put_row(struct json_out *json, const struct run *run,
                    const struct export_row *row, const struct series *series,
                    bool bigger)
{
    const struct result *result = row->result;
    const double rate = export_rate(result, series->median_ns);
    struct buffer extra = {.text = NULL};

    if (bigger && !(isfinite(rate) && rate > 0))
        return;
    json_open(json, NULL, '{');
    json_text(json, "name", row->name);
    json_text(json, "unit", bigger ? export_rate_unit(result) : "ns");
    json_number(json, "value", bigger ? rate : series->median_ns);
    put_range(json, series);
    export_tell(&extra, result);
    buffer_add(&extra, extra.length ? "; host " : "host ");
    buffer_plain(&extra, run->fingerprint);
    json_text(json, "extra", buffer_text(&extra));
    json_close(json, '}');
    json->scratch.failed |= extra.failed;
    buffer_free(&extra);
}

static int write_rows(const struct run *run, FILE *file, bool bigger)
{
    struct json_out json = {.file = file};
    struct export_rows rows;
    int code = export_rows_make(run, &rows);

    json_open(&json, NULL, '[');
    for (size_t i = 0; i < rows.n && code >= 0; i++) {
        struct series series;
        code = series_make(rows.row[i].result, EXPORT_HEAD, &series);
        if (code > 0)
            put_row(&json, run, &rows.row[i], &series, bigger);
        series_free(&series);
    }
    json_close(&json, ']');
    export_rows_free(&rows);
    const int ended = json_end(&json);
    return code < 0 ? code : ended;
}

int github_action_write(const struct run *run, FILE *file)
{
    return write_rows(run, file, false);
}

int github_action_bigger_write(const struct run *run, FILE *file)
{
    return write_rows(run, file, true);
}
