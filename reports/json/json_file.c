/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "json_value.h"
#include "text/text.h"

/* A run of 100 000 cases with 100 samples each takes about half of it. */
#define FILE_SIZE_MAX ((size_t)1 << 29)
#define STUDY_SIZE_MAX ((size_t)1 << 20)

static int file_error(struct error *error, int code, const char *path)
{
    char name[256];

    text_plain(path, name, sizeof name);
    return error_set(error, code, "cannot read '%s': %s", name, strerror(-code));
}

/* Like file_error, but keeps what `error` already says. */
static int file_prefix(struct error *error, int code, const char *path)
{
    char name[200], text[sizeof error->text];

    if (!error)
        return code;
    text_plain(path, name, sizeof name);
    snprintf(text, sizeof text, "%s", error->text);
    return error_set(error, code, "%s: %.300s", name, text);
}

int run_load(struct run **run, const char *path, struct error *error)
{
    char *bytes;
    size_t size;
    struct error why = {.text = ""};
    *run = NULL;
    int code = file_load(path, FILE_SIZE_MAX, &bytes, &size);
    if (code == -EISDIR) {
        code = json_read_folder(run, path, &why);
        return code && *why.text ? error_set(error, code, "%s", why.text)
               : code            ? file_error(error, code, path)
                                 : 0;
    }
    if (code)
        return file_error(error, code, path);
    code = json_read_file(run, path, bytes, size, error);
    if (code)
        file_prefix(error, code, path);
    free(bytes);
    return code;
}

int study_load(struct study *study, const char *path, char **bytes, size_t *size,
               struct error *error)
{
    int code = file_load(path, STUDY_SIZE_MAX, bytes, size);
    if (code)
        return file_error(error, code, path);
    code = study_read_json(study, *bytes, *size, error);
    if (code)
        file_prefix(error, code, path);
    return code;
}
