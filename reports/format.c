/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"

/* run_write() writes the formats without a writer here itself. */
static const struct {
    const char *name;
    void (*write)(const struct run *run, FILE *file);
} formats[] = {
    [FORMAT_TABLE] = {"table", NULL},
    [FORMAT_MARKDOWN] = {"markdown", NULL},
    [FORMAT_ANNOTATIONS] = {"annotations", annotations_write},
    [FORMAT_JUNIT] = {"junit", junit_write},
    [FORMAT_GBENCH] = {"gbench", gbench_write},
    [FORMAT_GITHUB_ACTION] = {"github-action", github_action_write},
    [FORMAT_BMF] = {"bmf", bmf_write},
    [FORMAT_BENCHSTAT] = {"benchstat", benchstat_write},
    [FORMAT_CSV] = {"csv", csv_write},
    [FORMAT_HTML] = {"html", NULL},
    [FORMAT_GNUPLOT] = {"gnuplot", gnuplot_write},
    [FORMAT_SVG] = {"svg", gnuplot_write},
    [FORMAT_JSON] = {"json", NULL},
};

const char *format_name(enum format format)
{
    return formats[format].name;
}

int format_find(const char *name, enum format *format)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (!strcmp(name, formats[i].name)) {
            *format = (enum format)i;
            return 0;
        }
    return -EINVAL;
}

int run_write(const struct run *run, enum format format,
              const struct text_options *options, FILE *file, struct error *error)
{
    if (format == FORMAT_JSON)
        return run_write_json(run, file, error);
    if (format == FORMAT_HTML)
        return html_write(run, file, error);
    errno = 0;
    if (format == FORMAT_TABLE)
        table_write(run, options, file);
    else if (format == FORMAT_MARKDOWN)
        markdown_write(run, options, file);
    else
        formats[format].write(run, file);
    const int code = file_flush(file);
    if (code)
        error_set(error, code, "cannot write %s: %s", formats[format].name,
                  strerror(-code));
    return code;
}

int page_or_json_write(struct json *json, enum format format, FILE *file,
                       struct error *error)
{
    return format == FORMAT_HTML ? html_write_json(json, file, error)
                                 : json_end(json, file, error);
}
