/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench trust`: files that may run code and write files. */
#include <sys/stat.h>

#include "commands/commands.h"

enum { SIZE_MOST = 1 << 20 };

static void print_path(const char *path, const char *what)
{
    text_line(stdout, "%s: %s", path, what);
}

static void print_trusted(const char *path, enum trust trust, void *context)
{
    size_t *const n = context;
    ++*n;
    print_path(path, trust == TRUST_KEPT ? "trusted" : "changed or gone: not trusted");
}

static int list(void)
{
    size_t n = 0;
    trust_each(print_trusted, &n);
    if (!n)
        text_line(stdout, "No file is trusted.");
    return 0;
}

/* The file that is named, or found; the bytes that are trusted are those that it had. */
static int load(const char *word, char **path, char **bytes, size_t *size,
                struct error *error)
{
    struct stat facts;
    *path = *bytes = NULL;
    if (!word) {
        const int status = project_find(path, bytes, size, error);
        return status || *path ? status
                               : error_set(error, -ENOENT,
                                           "there is no project file to trust, here or "
                                           "above: name one, or a study");
    }
    int status = regular_load(word, 0, SIZE_MOST, bytes, size, &facts);
    if (status == 0 && !(*path = realpath(word, NULL)))
        status = -errno;
    return status == 0
               ? 0
               : error_set(error, status, "%.300s: %s", word,
                           status == -EBADF ? "is no regular file" : strerror(-status));
}

/* A file that is gone has no path but the one that was typed. */
static int take_back(const char *word, struct error *error)
{
    char *path = word ? realpath(word, NULL) : NULL, *bytes = NULL;
    size_t size;
    int status = 0;
    if (!path && word)
        path = must_have(strdup(word));
    else if (!word)
        status = load(NULL, &path, &bytes, &size, error);
    status = status ?: trust_revoke(path, error);
    if (status == 0)
        print_path(path, "no longer trusted");
    FREE_EACH(bytes, path);
    return status;
}

static int keep(const char *word, struct error *error)
{
    char *path, *bytes;
    size_t size = 0;
    int status =
        load(word, &path, &bytes, &size, error) ?: trust_keep(path, bytes, size, error);
    if (status == 0)
        print_path(path, "trusted until it changes");
    FREE_EACH(bytes, path);
    return status;
}

int command_trust(struct options *options)
{
    const char *const word = options->files.n ? options->files.item[0] : NULL;
    struct error error = {.text = ""};
    const int status = options->list_trusted ? list()
                       : options->revoke     ? take_back(word, &error)
                                             : keep(word, &error);
    return exit_status_of(status, &error);
}
