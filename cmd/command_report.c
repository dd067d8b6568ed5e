/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

int file_save(const char *path, file_writer *write, const void *context,
              struct error *error)
{
    struct stat stat_of;
    const bool direct = stat(path, &stat_of) == 0 && !S_ISREG(stat_of.st_mode);
    struct error why = {0};
    char *temporary = NULL;
    FILE *file = NULL;
    int rc = 0, fd = -1;

    if (!direct && asprintf(&temporary, "%s.XXXXXX", path) < 0) {
        temporary = NULL;
        rc = error_set(error, -ENOMEM, "out of memory for %s", path);
        goto out;
    }
    if (temporary)
        fd = mkstemp(temporary);
    file = direct ? fopen(path, "w") : fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        rc = error_set(error, -errno, "cannot write %s: %s", path, strerror(errno));
        goto out;
    }
    rc = write(context, file, &why);
    if (rc == 0 && fflush(file) != 0)
        rc = error_set(&why, -errno, "%s", strerror(errno));
    if (rc != 0) {
        error_set(error, rc, "cannot write %.300s: %.180s", path, why.text);
    } else if (!direct) {
        /* mkstemp made it private; what the user gets is an ordinary file. */
        const mode_t mask = umask(0);
        umask(mask);
        if (fchmod(fileno(file), 0666 & ~mask) != 0 || rename(temporary, path) != 0)
            rc = error_set(error, -errno, "cannot write %s: %s", path, strerror(errno));
    }
out:
    if (rc != 0 && temporary)
        unlink(temporary);
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    free(temporary);
    return rc;
}

struct report {
    const struct run *run;
    enum format format;
};

static int write_report(const void *context, FILE *file, struct error *error)
{
    const struct report *const report = context;
    const struct text_options plain = {0};
    return run_write(report->run, report->format, &plain, file, error);
}

int report_save(const struct run *run, enum format format, const char *path,
                struct error *error)
{
    const struct report report = {run, format};
    return file_save(path, write_report, &report, error);
}

/* The first file is the run; the others join it. */
static int load_all(const struct text_list *files, struct run **run, struct error *error)
{
    int rc = run_load(run, files->item[0], error);
    for (size_t i = 1; i < files->n && rc == 0; i++) {
        struct run *other = NULL;
        rc = run_load(&other, files->item[i], error);
        if (rc == 0)
            rc = run_merge(*run, other, files->item[i], error);
        run_free(other);
    }
    return rc;
}

int command_report(const struct options *options)
{
    struct error error = {0};
    struct run *run = NULL;

    int rc = load_all(&options->files, &run, &error);
    if (rc == 0)
        rc = outputs_print(options, run, &error);
    if (rc != 0) {
        char plain[sizeof error.text];
        text_plain(error.text, plain, sizeof plain);
        fprintf(stderr, "simdbench report: %s\n", plain);
    }
    run_free(run);
    return rc ? EXIT_USAGE : EXIT_OK;
}
