/* SPDX-License-Identifier: Apache-2.0 */
#include <fts.h>
#include <sys/stat.h>
#include <time.h>

#include "json.h"
#include "json_value.h"
#include "readings/readings.h"
#include "text/text.h"

/* ---- files of other programs ---- */

/* The place of a file tells what the file does not: its day, and the name of a case of
 * criterion. */
#define SMALL_FILE ((size_t)1 << 24)
#define PATH_ROOM 4096

/* A text of another program has neither a zero nor the brace that all JSON has that is
 * read; lines in brackets may be of a framework of tests around it. */
static bool is_text(const char *bytes, size_t size)
{
    return bytes[strspn(bytes, " \t\r\n")] != '{' && strlen(bytes) == size;
}

static int read_text(struct run *run, const char *bytes, struct error *error)
{
    const int code = foreign_read_text(run, bytes, error);

    if (!code)
        run_summarise(run, GROUP_ALL);
    return code;
}

static int keep_or_free(int code, struct run *made, struct run **run)
{
    if (code) {
        run_free(made);
        made = NULL;
    }
    *run = made;
    return code;
}

/* The day of a file, for a run that tells none. */
static void set_day(struct run *run, const char *path)
{
    struct stat facts;
    struct tm day;
    char text[40];

    if (!(run->started_at && *run->started_at) && stat(path, &facts) == 0 &&
        gmtime_r(&facts.st_mtime, &day) &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day))
        string_set(&run->started_at, text);
}

/* ---- criterion: target/criterion/FOLDERS/new/sample.json, benchmark.json beside it ----
 */

/* The name in the file benchmark.json, to be freed; or NULL. A title is told apart from
 * others, "name #2", but long ones are cut. */
static char *told_name(const char *folder)
{
    char path[PATH_ROOM + 20], *bytes = NULL, *name = NULL;
    FREED_BY(json_delete) cJSON *tree = NULL;
    size_t size;

    snprintf(path, sizeof path, "%s/benchmark.json", folder);
    if (file_load(path, SMALL_FILE, &bytes, &size) == 0 &&
        json_parse(bytes, size, &tree, NULL) == 0) {
        const struct value root = {.json = tree};
        const char *const id = value_words(&root, "full_id");
        const char *const title = value_words(&root, "title");
        const char *const told = !strncmp(title, id, strlen(id)) ? title : id;
        name = *told ? copy_text(told) : NULL;
    }
    free(bytes);
    return name;
}

/* Gives the run's only case the name that its folder tells. */
static void set_case_name(struct run *run, const char *path)
{
    char folder[PATH_ROOM];
    const char *const slash = strrchr(path, '/');

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    FREED_BY(free_memory) char *name = told_name(folder);
    if (name)
        result_set_name(&run->results[0], name);
}

static bool is_criterion(const struct run *run)
{
    return run->n_results == 1 && !strcmp(run->results[0].id, FOREIGN_CRITERION);
}

static void finish_foreign(struct run *run, const char *path)
{
    if (!facts_find_text(&run->settings, "harness"))
        return;
    set_day(run, path);
    if (is_criterion(run))
        set_case_name(run, path);
}

static int read_file(struct run **run, const char *path, const char *bytes, size_t size,
                     struct error *error)
{
    struct run *made = NULL;
    int code;

    if (is_text(bytes, size)) {
        made = run_new();
        code = read_text(made, bytes, error);
    } else {
        code = run_read_json(&made, bytes, size, error);
    }
    if (!code)
        finish_foreign(made, path);
    return keep_or_free(code, made, run);
}

static bool is_new_sample(const FTSENT *entry)
{
    return entry->fts_info == FTS_F && !strcmp(entry->fts_name, "sample.json") &&
           entry->fts_parent && !strcmp(entry->fts_parent->fts_name, "new");
}

static int add_file(struct run *run, const char *path, struct error *error)
{
    FREED_BY(run_delete) struct run *one = NULL;
    int code = run_load(&one, path, error);

    if (!code && one->n_results) {
        struct result *const result = foreign_result(run, one->results[0].id);
        const struct samples *const samples = &one->results[0].samples;
        for (size_t i = 0; i < samples->n && !code; i++)
            code = foreign_add_sample(result, samples->ns[i]);
    }
    return code;
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static int read_folder(struct run **run, const char *path, struct error *error)
{
    char *const paths[] = {(char *)(uintptr_t)path, NULL};
    struct run *const made = run_new();
    FTS *const walk = must_have(fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name));
    int code = 0;

    foreign_begin(made, "criterion");
    for (FTSENT *entry; !code && (entry = fts_read(walk));)
        if (is_new_sample(entry))
            code = add_file(made, entry->fts_path, error);
    fts_close(walk);
    if (!code && !made->n_results)
        code = -EISDIR;
    set_day(made, path);
    run_summarise(made, GROUP_ALL);
    return keep_or_free(code, made, run);
}

/* ---- files of runs, studies and projects ---- */

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
        code = read_folder(run, path, &why);
        return code && *why.text ? error_set(error, code, "%s", why.text)
               : code            ? file_error(error, code, path)
                                 : 0;
    }
    if (code)
        return file_error(error, code, path);
    code = read_file(run, path, bytes, size, error);
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
