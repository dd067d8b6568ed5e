/* SPDX-License-Identifier: Apache-2.0 */
/* --output=FILE: what a command prints goes to a file, which is replaced in the end. */
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "output/output.h"

/* /dev/stdout, and the like: it gets all of it anyway. */
static bool is_standard_output(const char *path)
{
    struct stat named, standard;
    return stat(path, &named) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
           named.st_dev == standard.st_dev && named.st_ino == standard.st_ino;
}

int redirect_begin(const struct options *options, struct error *error)
{
    if (!options->output || is_standard_output(options->output))
        return 0;
    const int code = outputs_check(options, error);
    if (code != 0)
        return code;
    FILE *const kept = tmpfile();
    const bool ok = kept && dup2(fileno(kept), STDOUT_FILENO) >= 0;
    const int why = errno;
    if (kept)
        fclose(kept);
    if (!ok)
        return error_set(error, -why, "--output: no temporary file: %s", strerror(why));
    return 1;
}

/* Everything that standard output got, from its beginning. */
static int copy_kept(const void *context, FILE *file, struct error *error)
{
    char bytes[1 << 16];
    ssize_t n;
    for (off_t at = 0; (n = pread(STDOUT_FILENO, bytes, sizeof bytes, at)) > 0; at += n)
        if (fwrite(bytes, 1, (size_t)n, file) != (size_t)n)
            break;
    return n < 0 ? error_set(error, -errno, "cannot read: %s", strerror(errno)) : 0;
}

bool redirect_is_empty(void)
{
    return fflush(stdout) == 0 && lseek(STDOUT_FILENO, 0, SEEK_END) == 0;
}

int redirect_end(const char *path, struct error *error)
{
    struct error why = {.text = ""};
    int code = standard_flush(error);
    if (code == 0 && (code = file_save(path, copy_kept, NULL, &why)) != 0)
        error_set(error, code, "--output=%.200s: %.200s", path, why.text);
    return code;
}
