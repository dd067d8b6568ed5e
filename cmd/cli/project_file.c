/* SPDX-License-Identifier: Apache-2.0 */
/* The project file is found and read. It may be a stranger's: it is opened once, and all
 * that is asked of it is asked of what was opened. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"

#define FILE_NAME ".simdbench.json"

enum { PROJECT_SIZE_MAX = 1 << 20 };

/* The reason why a file that was found is left alone, or NULL. Links are, as they lead to
 * what others write: root owns the files of /proc about processes that anybody may start.
 */
static const char *refused(int status, const struct stat *facts)
{
    if (status == -ELOOP)
        return "is a link";
    if (status == -EBADF)
        return "is no regular file";
    if (status != 0)
        return NULL;
    if (facts->st_uid != geteuid() && facts->st_uid != 0)
        return "belongs to another user";
    return facts->st_mode & S_IWOTH ? "can be written by every user" : NULL;
}

/* Loads the file of a folder if it is one to be read: -ENOENT if there is none. */
static int load_found(char *path, char **found, char **bytes, size_t *size,
                      struct error *error)
{
    struct stat facts;
    const int status =
        regular_load(path, O_NOFOLLOW, PROJECT_SIZE_MAX, bytes, size, &facts);
    const char *const why = refused(status, &facts);
    if (status == -ENOENT || (status == -EACCES && access(path, F_OK) != 0))
        return -ENOENT;
    if (why) {
        free(*bytes);
        *bytes = NULL;
        if (status == -EBADF)
            complain("%s %s and is not read (--project=no does not look for it)", path,
                     why);
        else
            complain("%s %s and is not read (--project=%s reads it, --project=no does "
                     "not look for it)",
                     path, why, path);
        return 0;
    }
    if (status != 0)
        return error_set(error, status, "%.250s: %s", path, strerror(-status));
    *found = must_have(strdup(path));
    return 0;
}

int project_find(char **path, char **bytes, size_t *size, struct error *error)
{
    /* The C library allocates, though POSIX does not promise it. */
    FREED_BY(free_memory) char *folder =
        getcwd(NULL, 0); /* NOLINT(clang-analyzer-unix.StdCLibraryFunctions) */
    char *end = folder && *folder == '/' ? folder + strlen(folder) : NULL;
    int status = -ENOENT;

    *path = *bytes = NULL;
    *size = 0;
    while (end && status == -ENOENT) {
        FREED_BY(free_memory) char *here = NULL;
        *end = '\0';
        must(asprintf(&here, "%s/" FILE_NAME, strcmp(folder, "/") ? folder : ""));
        status = load_found(here, path, bytes, size, error);
        end = strrchr(folder, '/');
    }
    return status == -ENOENT ? 0 : status;
}

int project_load(const struct options *options, char **path, char **bytes, size_t *size,
                 enum trust *trust, struct error *error)
{
    const char *const variable = getenv("SIMDBENCH_PROJECT");
    const char *const wanted = options->project        ? options->project
                               : variable && *variable ? variable
                                                       : NULL;
    struct stat facts;
    *path = *bytes = NULL;
    *trust = TRUST_NAMED;
    if (!wanted) {
        const int status = project_find(path, bytes, size, error);
        if (*path)
            *trust = trust_of(*path, *bytes, *size);
        return status;
    }
    if (!strcmp(wanted, "no"))
        return 0;
    const int status = regular_load(wanted, 0, PROJECT_SIZE_MAX, bytes, size, &facts);
    if (status != 0)
        return error_set(error, status, "%.250s: %s", wanted,
                         status == -EBADF ? "is no regular file" : strerror(-status));
    *path = must_have(strdup(wanted));
    return 0;
}
