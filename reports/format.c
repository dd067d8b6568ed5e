/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "sheet.h"

static const char *const format_names[] = {
    [FORMAT_TABLE] = "table",
    [FORMAT_MARKDOWN] = "markdown",
    [FORMAT_JSON] = "json",
    [FORMAT_CSV] = "csv",
};

const char *format_name(enum format format)
{
    return format_names[format];
}

int format_find(const char *name, enum format *format)
{
    for (size_t i = 0; i < ARRAY_LEN(format_names); i++)
        if (!strcmp(name, format_names[i])) {
            *format = (enum format)i;
            return 0;
        }
    return -EINVAL;
}

int run_write(const struct run *run, enum format format,
              const struct text_options *options, FILE *file, struct error *error)
{
    int code = 0;

    errno = 0;
    switch (format) {
    case FORMAT_TABLE:
        table_write(run, options, file);
        break;
    case FORMAT_MARKDOWN:
        markdown_write(run, options, file);
        break;
    case FORMAT_JSON:
        return run_write_json(run, file, error);
    case FORMAT_CSV:
        code = csv_write(run, file);
        break;
    case FORMATS:
        return error_set(error, -EINVAL, "no such format");
    }
    if (!code && (fflush(file) || ferror(file)))
        code = errno ? -errno : -EIO;
    if (code)
        error_set(error, code, "cannot write %s: %s", format_names[format],
                  strerror(-code));
    return code;
}
