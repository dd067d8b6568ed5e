/* SPDX-License-Identifier: Apache-2.0 */
/* The project file: defaults of options, for all commands, for one, or for an op. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"

#define EVERYWHERE "global"
#define FILE_NAME ".simdbench.json"
/* Commands that have an op, or cases of one, among their words. */
#define OF_OPS (COMMAND_OP | COMMAND_AB | COMMAND_THREADS | COMMAND_EXPLAIN)

enum { PROJECT_SIZE_MAX = 1 << 20 };

/* ---- where it is ---- */

/* A file that somebody else put into a folder above could name any plug-in. */
static bool is_foreign(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_uid != geteuid() && facts.st_uid != 0;
}

/* The path of the file in the working folder or the nearest one above it, or NULL. */
static char *find_upwards(void)
{
    char *const folder = get_current_dir_name();
    char *path = NULL, *end = folder ? folder + strlen(folder) : NULL;

    while (end && !path) {
        *end = '\0';
        must(asprintf(&path, "%s/" FILE_NAME, strcmp(folder, "/") ? folder : ""));
        if (access(path, F_OK) != 0) {
            free(path);
            path = NULL;
        }
        end = strrchr(folder, '/');
    }
    free(folder);
    if (path && is_foreign(path)) {
        complain("%s belongs to another user and is not read (--project=%s reads it, "
                 "--project=no does not look for it)",
                 path, path);
        free(path);
        path = NULL;
    }
    return path;
}

/* The file that was asked for, else the one that is found; NULL: none. */
static char *find_file(const struct options *options)
{
    const char *const variable = getenv("SIMDBENCH_PROJECT");
    const char *const wanted = options->project        ? options->project
                               : variable && *variable ? variable
                                                       : NULL;
    if (!wanted)
        return find_upwards();
    return strcmp(wanted, "no") ? must_have(strdup(wanted)) : NULL;
}

/* ---- what it says ---- */

static int setting_error(const struct options *options,
                         const struct project_default *setting, const char *why,
                         struct error *error)
{
    return error_set(error, -EINVAL, "%.200s:%zu: %.60s.%.60s: %.180s",
                     options->project_file, setting->line, setting->section,
                     setting->name, why);
}

/* The commands that a section is for. 0: there are none of that name. */
static unsigned section_mask(const struct options *options, const char *section)
{
    const struct command_row *const command = command_find(section);
    if (!strcmp(section, EVERYWHERE))
        return COMMAND_ALL;
    if (command)
        return command->mask;
    if (op_find(args_op_name(section)))
        return OF_OPS;
    /* An op of a plug-in is known only once that is loaded. */
    for (size_t i = 0; i < options->n_defaults; i++) {
        const struct project_default *const other = &options->defaults[i];
        if (!strcmp(other->name, "plugin") &&
            (!strcmp(other->section, section) || !strcmp(other->section, EVERYWHERE)))
            return OF_OPS;
    }
    return 0;
}

/* Names of files are as seen from the folder of the project file. */
static char *value_here(const struct options *options, const struct option_row *row,
                        const char *value)
{
    const char *const slash = strrchr(options->project_file, '/');
    const bool is_file = strncmp(row->value, "FILE", strlen("FILE")) == 0 ||
                         strncmp(value, "./", 2) == 0 || strncmp(value, "../", 3) == 0;
    char *path;
    if (!is_file || value[0] == '/' || !slash)
        return must_have(strdup(value));
    must(asprintf(&path, "%.*s%s", (int)(slash + 1 - options->project_file),
                  options->project_file, value + (strncmp(value, "./", 2) ? 0 : 2)));
    return path;
}

/* Gives a setting to an option of a command, as the command line would. */
static int set(const struct options *file, const struct project_default *setting,
               const struct option_row *row, struct options *options, struct error *error)
{
    struct error why = {.text = ""};
    struct given given = {.row = row, .options = options, .error = &why};
    if (!row->value != !setting->value)
        return setting_error(file, setting,
                             row->value ? "this option needs a value"
                                        : "this option is true or false",
                             error);
    if (setting->off)
        return 0;
    char *const value = row->value ? value_here(file, row, setting->value) : NULL;
    if (value && !*value)
        given_error(&(struct given){.row = row, .value = "", .error = &why}, "is empty");
    given.value = value;
    const int rc = value && !*value ? -EINVAL : row->set(&given);
    if (rc == 0) {
        char *text;
        must(
            asprintf(&text, "--%s%s%s", row->name, value ? "=" : "", value ? value : ""));
        text_list_add(&options->from_project, text);
        free(text);
    }
    free(value);
    return rc ? setting_error(file, setting, why.text, error) : 0;
}

static int unknown_section(const struct options *options,
                           const struct project_default *setting, struct error *error)
{
    struct text_list names = {0};
    char hint[140];
    text_list_add(&names, EVERYWHERE);
    for (const struct simdbench_op *const *op = op_list(); *op; op++)
        text_list_add(&names, (*op)->name);
    args_commands(&names);
    text_list_hint(&names, setting->section, hint, sizeof hint);
    text_list_free(&names);
    return error_set(error, -EINVAL,
                     "%.200s:%zu: %.60s: a section is " EVERYWHERE
                     ", a command, an op, or an op of a plug-in that the file names%s",
                     options->project_file, setting->line, setting->section, hint);
}

static int unknown_name(const struct options *options,
                        const struct project_default *setting, unsigned mask,
                        struct error *error)
{
    struct text_list names = {0};
    char hint[140], why[180];
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->commands & mask) && row->set)
            text_list_add_once(&names, row->name);
    text_list_hint(&names, setting->name, hint, sizeof hint);
    snprintf(why, sizeof why, "no such option here%s", hint);
    text_list_free(&names);
    return setting_error(options, setting, why, error);
}

/* Whatever the command is, all of the file must be right: some row of that name in the
 * section takes the value. */
static int check_setting(const struct options *options,
                         const struct project_default *setting, struct error *error)
{
    const unsigned mask = section_mask(options, setting->section);
    int rc = 1;
    if (!mask)
        return unknown_section(options, setting, error);
    for (const struct option_row *row = option_rows; row->name && rc != 0; row++) {
        if (!(row->commands & mask) || !row->set || strcmp(row->name, setting->name) != 0)
            continue;
        struct options scratch;
        options_init(&scratch);
        rc = set(options, setting, row, &scratch, error);
        options_free(&scratch);
    }
    return rc > 0 ? unknown_name(options, setting, mask, error) : rc;
}

/* ---- what of it counts ---- */

/* Three names for the shapes of a run: the last one to be given replaces all of them. */
const char *project_family(const char *option)
{
    return strcmp(option, "shape") && strcmp(option, "shapes") ? option : "sizes";
}

/* The op among the words, or NULL; to be freed. */
static char *op_of(const struct options *options)
{
    const struct command_row *const command = command_find(options->command);
    const struct text_list *const words = &options->files;
    const size_t at = command && command->mask == COMMAND_AB ? 2 : 0;
    if (!command || !(command->mask & OF_OPS) || words->n <= at)
        return NULL;
    const char *const word = words->item[at];
    const char *const colon = memchr(word, ':', strcspn(word, "/"));
    const char *const name = colon ? colon + 1 : word;
    return must_have(strndup(name, strcspn(name, "/")));
}

static int apply_section(struct options *options, const char *section, unsigned mask,
                         struct text_list *given, struct error *error)
{
    struct text_list here = {0};
    int rc = 0;
    for (size_t i = 0; i < options->n_defaults && rc == 0; i++) {
        const struct project_default *const setting = &options->defaults[i];
        const struct option_row *const row =
            option_find(setting->name, strlen(setting->name), mask);
        const char *const name = args_op_name(setting->section);
        if (!row || strcmp(name, section) != 0 ||
            text_list_has(given, project_family(row->name)))
            continue;
        rc = set(options, setting, row, options, error);
        text_list_add(&here, project_family(row->name));
    }
    for (size_t i = 0; i < here.n; i++)
        text_list_add(given, here.item[i]);
    text_list_free(&here);
    return rc;
}

static int load(struct options *options, struct error *error)
{
    struct error why = {.text = ""};
    char *bytes = NULL;
    size_t size = 0;
    int rc = file_load(options->project_file, PROJECT_SIZE_MAX, &bytes, &size);
    if (rc != 0)
        return error_set(error, rc, "%.250s: %s", options->project_file, strerror(-rc));
    rc = project_read_json(&options->defaults, &options->n_defaults, bytes, size, &why);
    free(bytes);
    return rc ? error_set(error, rc, "%.200s: %.280s", options->project_file, why.text)
              : 0;
}

int project_apply(struct options *options, unsigned mask, struct text_list *given,
                  struct error *error)
{
    if (mask & (COMMAND_COMPLETION | COMMAND_MAN))
        return 0;
    options->project_file = find_file(options);
    if (!options->project_file)
        return 0;
    int rc = load(options, error);
    for (size_t i = 0; i < options->n_defaults && rc == 0; i++)
        rc = check_setting(options, &options->defaults[i], error);
    char *const op = op_of(options);
    if (rc == 0 && op)
        rc = apply_section(options, args_op_name(op), mask, given, error);
    free(op);
    if (rc == 0)
        rc = apply_section(options, options->command, mask, given, error);
    return rc ?: apply_section(options, EVERYWHERE, mask, given, error);
}
