/* SPDX-License-Identifier: Apache-2.0 */
/* The project file: defaults of options, for all commands, for one, or for an op. */
/*
 * The file may come with a stranger's repository. So what runs code, writes files,
 * decides an exit status or how long a command takes counts only if the user trusts the
 * file, and a command that ends in a verdict takes nothing from a file that is not
 * trusted: what is compared decides it as much as the threshold does. Trust is no reason
 * to write outside of the file's folder, or to run code where nothing is measured.
 */
#include <limits.h>
#include <sys/stat.h>

#include "args.h"

#define EVERYWHERE "global"
/* Commands that have an op, or cases of one, among their words. */
#define OF_OPS (COMMAND_OP | COMMAND_AB | COMMAND_THREADS | COMMAND_EXPLAIN)
#define VERDICTS \
    (COMMAND_AB | COMMAND_COMPARE | COMMAND_SELFTEST | COMMAND_STUDY | COMMAND_JUDGE)
#define MEASURING \
    (OF_OPS | COMMAND_SUITE | COMMAND_SELFTEST | COMMAND_STUDY | COMMAND_LICENSE)

/* ---- what it says ---- */

static int setting_error(const struct options *options,
                         const struct project_default *setting, const char *why,
                         struct error *error)
{
    return invalid(error, "%.200s:%zu: %.60s.%.60s: %.180s", options->project_file,
                   setting->line, setting->section, setting->name, why);
}

/* The commands that a section is for. 0: there are none of that name. */
static unsigned section_mask(const struct options *options, const char *section)
{
    const struct command_row *const command = command_find(section);
    if (!strcmp(section, EVERYWHERE))
        return COMMAND_ALL;
    if (command)
        return command->mask;
    if (op_find(request_op_name(section)))
        return OF_OPS;
    /* An op of a plug-in is known only once that is loaded. */
    FOR_EACH (const struct project_default, other, options->defaults, options->n_defaults)
        if (!strcmp(other->name, "plugin") &&
            (!strcmp(other->section, section) || !strcmp(other->section, EVERYWHERE)))
            return OF_OPS;
    return 0;
}

/* The name of a file in the value of an option that writes one, or NULL. */
static const char *written(const struct option_row *row, const char *value)
{
    const char *const colon = value ? strchr(value, ':') : NULL;
    if (row->power != WRITES || !value)
        return NULL;
    return strchr(row->value, ':') ? colon && colon[1] ? colon + 1 : NULL
           : strncmp(row->value, "FILE", strlen("FILE")) ? NULL
                                                         : value;
}

/* Names of files are as seen from the folder of the project file. */
static char *value_here(const struct options *options, const struct option_row *row,
                        const char *value)
{
    const char *const slash = strrchr(options->project_file, '/');
    const char *const output = written(row, value), *const name = output ?: value;
    const bool is_file = output || strncmp(row->value, "FILE", strlen("FILE")) == 0 ||
                         strncmp(value, "./", 2) == 0 || strncmp(value, "../", 3) == 0;
    char *path;
    if (!is_file || name[0] == '/' || !slash)
        return must_have(strdup(value));
    must(asprintf(&path, "%.*s%.*s%s", (int)(name - value), value,
                  (int)(slash + 1 - options->project_file), options->project_file,
                  name + (strncmp(name, "./", 2) ? 0 : 2)));
    return path;
}

/* ---- where it may write ---- */

/* True for a file that is there and is more than a name in its folder. */
static bool is_elsewhere(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0 && (!S_ISREG(facts.st_mode) || facts.st_nlink > 1);
}

/* The folder of a path, without links, to be freed; NULL if there is none. */
static char *real_folder(const char *path)
{
    const char *const slash = strrchr(path, '/');
    FREED_BY(free_memory) char *folder =
        must_have(slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."));
    return realpath(folder, NULL);
}

/* True if a folder is that one, or below it. */
static bool is_below(const char *folder, const char *top)
{
    const size_t length = strcmp(top, "/") ? strlen(top) : 0;
    return !strncmp(folder, top, length) && (!folder[length] || folder[length] == '/');
}

/* SQLite writes files beside a database. */
static bool leads_elsewhere(const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    char beside[PATH_MAX + 16];
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(ends) && !found; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, ends[i]);
        found = is_elsewhere(beside);
    }
    return found;
}

/* The path of an output without links, to be freed; NULL: it may not be written. */
static char *output_place(const struct options *file, const char *path, const char **why)
{
    struct file_place project, output;
    char *place = NULL;
    FREED_BY(free_memory) char *target = file_target(path);
    FREED_BY(free_memory) char *folder = target ? real_folder(target) : NULL;
    FREED_BY(free_memory) char *top = real_folder(file->project_file);
    *why = "a project file writes regular files below its own folder alone";
    if (folder && top && is_below(folder, top) && !leads_elsewhere(target))
        must(asprintf(&place, "%s/%s", strcmp(folder, "/") ? folder : "",
                      basename(target)));
    if (place && file_place(file->project_file, &project) && file_place(place, &output) &&
        file_same(&project, &output)) {
        *why = "that is the project file itself";
        free(place);
        place = NULL;
    }
    return place;
}

/* Puts the place of an output where its name was, or returns why it is not written. */
static const char *settle_output(const struct options *file, const struct option_row *row,
                                 char **value)
{
    const char *why, *const name = written(row, *value);
    char *const place = output_place(file, name, &why), *settled;
    if (!place)
        return why;
    must(asprintf(&settled, "%.*s%s", (int)(name - *value), *value, place));
    FREE_EACH(place, *value);
    *value = settled;
    return NULL;
}

/* ---- setting it ---- */

/* Gives a setting to an option of a command, as the command line would. */
static int set(const struct options *file, const struct project_default *setting,
               const struct option_row *row, struct options *options, struct error *error)
{
    struct error why = {.text = ""};
    struct given given = {.row = row, .options = options, .error = &why};
    const char *doubt = NULL;
    if (!row->value != !setting->value)
        return setting_error(file, setting,
                             row->value ? "this option needs a value"
                                        : "this option is true or false",
                             error);
    if (setting->off)
        return 0;
    /* A rehearsal writes nothing, and may do with any output. */
    FREED_BY(free_memory) char *value =
        row->value ? value_here(file, row, setting->value) : NULL;
    if (options == file && written(row, value))
        doubt = settle_output(file, row, &value);
    given.value = value;
    const int rc = !value || (*value && !doubt)
                       ? row->set(&given)
                       : given_error(&given, "%s", doubt ?: "is empty");
    if (rc == 0) {
        FREED_BY(free_memory) char *text = NULL;
        must(
            asprintf(&text, "--%s%s%s", row->name, value ? "=" : "", value ? value : ""));
        text_list_add(&options->from_project, text);
    }
    return rc ? setting_error(file, setting, why.text, error) : 0;
}

static int unknown_section(const struct options *options,
                           const struct project_default *setting, struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {0};
    char hint[140];
    text_list_add(&names, EVERYWHERE);
    names_ops_and_commands(&names);
    text_list_hint(&names, setting->section, hint, sizeof hint);
    return invalid(error,
                   "%.200s:%zu: %.60s: a section is " EVERYWHERE
                   ", a command, an op, or an op of a plug-in that the file names%s",
                   options->project_file, setting->line, setting->section, hint);
}

static int unknown_name(const struct options *options,
                        const struct project_default *setting, unsigned mask,
                        struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {0};
    char hint[140], why[180];
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->commands & mask) && row->power != TYPED)
            text_list_add_once(&names, row->name);
    text_list_hint(&names, setting->name, hint, sizeof hint);
    snprintf(why, sizeof why, "no such option here%s", hint);
    return setting_error(options, setting, why, error);
}

/* The whole file must be right, for any command: some row of that name in the section
 * takes the value. */
static int check_setting(const struct options *options,
                         const struct project_default *setting, struct error *error)
{
    const unsigned mask = section_mask(options, setting->section);
    int rc = 1;
    if (!mask)
        return unknown_section(options, setting, error);
    for (const struct option_row *row = option_rows; row->name && rc != 0; row++) {
        if (!(row->commands & mask) || row->power == TYPED ||
            strcmp(row->name, setting->name) != 0)
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

/* True for what counts from any file. A module's options are for the module to read. */
static bool is_harmless(const struct option_row *row, const char *value)
{
    return row->power == HARMLESS ||
           (row->power == BY_NAME && value && !strpbrk(value, "/.,"));
}

/* True if it runs code or writes a file. */
static bool is_act(const struct option_row *row, const char *value)
{
    return row->power == RUNS_CODE ||
           (row->power == BY_NAME && !is_harmless(row, value)) || written(row, value);
}

static bool measures(const struct options *options, unsigned mask)
{
    return (mask & MEASURING) && !options->dry_run && !options->help;
}

static bool counts(const struct options *options, const struct project_default *setting,
                   const struct option_row *row, unsigned mask)
{
    if (setting->off)
        return true;
    if (options->project_trust < TRUST_KEPT)
        return is_harmless(row, setting->value) && !(mask & VERDICTS);
    return measures(options, mask) || !is_act(row, setting->value);
}

const char *project_doubt(const struct options *options,
                          const struct project_default *setting)
{
    const unsigned mask = section_mask(options, setting->section);
    const struct option_row *const row =
        option_find(setting->name, strlen(setting->name), mask);
    const char *why = NULL;
    if (!row || setting->off)
        return NULL;
    if (options->project_trust < TRUST_KEPT)
        return is_harmless(row, setting->value) && (mask & ~VERDICTS) ? NULL
                                                                      : "not trusted";
    if (!written(row, setting->value))
        return NULL;
    FREED_BY(free_memory) char *value = value_here(options, row, setting->value);
    FREED_BY(free_memory) char *place = output_place(options, written(row, value), &why);
    const bool good = place != NULL;
    return good ? NULL : why;
}

static int apply_section(struct options *options, const char *section, unsigned mask,
                         struct text_list *given, struct error *error)
{
    FREED_BY(text_list_free) struct text_list here = {0};
    int rc = 0;
    for (size_t i = 0; i < options->n_defaults && rc == 0; i++) {
        const struct project_default *const setting = &options->defaults[i];
        const struct option_row *const row =
            option_find(setting->name, strlen(setting->name), mask);
        const char *const name = request_op_name(setting->section);
        if (!row || strcmp(name, section) != 0 ||
            text_list_has(given, project_family(row->name)))
            continue;
        if (counts(options, setting, row, mask)) {
            rc = set(options, setting, row, options, error);
        } else {
            char option[64];
            snprintf(option, sizeof option, "--%s", row->name);
            text_list_add_once(&options->left_out, option);
        }
        text_list_add(&here, project_family(row->name));
    }
    text_list_add_all(given, &here);
    return rc;
}

static int load(struct options *options, struct error *error)
{
    struct error why = {.text = ""};
    FREED_BY(free_memory) char *bytes = NULL;
    size_t size = 0;
    int rc = project_load(options, &options->project_file, &bytes, &size,
                          &options->project_trust, error);
    if (rc == 0 && options->project_file)
        rc = project_read_json(&options->defaults, &options->n_defaults, bytes, size,
                               &why);
    if (rc != 0 && options->project_file)
        error_set(error, rc, "%.200s: %.280s", options->project_file, why.text);
    return rc;
}

static void tell_left_out(const struct options *options)
{
    char names[400];
    text_list_join(&options->left_out, ", ", names, sizeof names);
    if (!options->left_out.n)
        return;
    if (options->project_trust >= TRUST_KEPT)
        complain("%s: nothing is measured, so these do not count: %s",
                 options->project_file, names);
    else
        complain("%s %s, so these do not count: %s; `simdbench list settings` shows "
                 "them, `simdbench trust` lets them count",
                 options->project_file,
                 options->project_trust == TRUST_CHANGED
                     ? "has changed since you trusted it"
                     : "is not trusted",
                 names);
}

char *project_told(const struct options *options)
{
    char settings[600], *text;
    if (!options->from_project.n)
        return NULL;
    text_list_join(&options->from_project, " ", settings, sizeof settings);
    must(asprintf(&text, "%s from %s", settings, options->project_file));
    return text;
}

int project_apply(struct options *options, unsigned mask, struct text_list *given,
                  struct error *error)
{
    if (mask & (COMMAND_COMPLETION | COMMAND_MAN | COMMAND_TRUST))
        return 0;
    int rc = load(options, error);
    if (rc != 0 || !options->project_file)
        return rc;
    for (size_t i = 0; i < options->n_defaults && rc == 0; i++)
        rc = check_setting(options, &options->defaults[i], error);
    FREED_BY(free_memory) char *op = op_of(options);
    if (rc == 0 && op)
        rc = apply_section(options, request_op_name(op), mask, given, error);
    if (rc == 0)
        rc = apply_section(options, options->command, mask, given, error)
                 ?: apply_section(options, EVERYWHERE, mask, given, error);
    if (rc == 0)
        tell_left_out(options);
    return rc;
}
