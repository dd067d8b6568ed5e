/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for a file, or a case, that was typed where a command stands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "case/case.h"

static bool ends_with(const char *word, const char *end)
{
    const size_t n = strlen(word), length = strlen(end);
    return n > length && !strcmp(word + n - length, end);
}

/* The first bytes tell what kind of JSON it is; what stands later may be large. */
static const char *json_command(const char *path)
{
    enum { HEAD = 1 << 16 };
    const char *command = "report";
    char *const head = calloc(1, HEAD + 1);
    FILE *const file = head ? fopen(path, "re") : NULL;
    if (file) {
        head[fread(head, 1, HEAD, file)] = '\0';
        fclose(file);
    }
    if (file && strstr(head, "\"claims\""))
        command = "study";
    else if (file && strstr(head, "\"prototype\""))
        command = "call";
    free(head);
    return command;
}

int guess_file(const char *word, struct error *error)
{
    enum { SHOWN = 200 };
    char file[SHOWN + 1], command[2 * SHOWN + 100];
    struct stat stat_of;
    if (strchr(word, '@') && case_name_is(word) && !strchr(word, '\'') &&
        strlen(word) <= SHOWN && stat(word, &stat_of))
        return error_set(error, -EINVAL,
                         "%s: this is a case, and a command is missing: simdbench "
                         "explain '%s'",
                         word, word);
    if (!strchr(word, '/') && !strchr(word, '.'))
        return 0;
    if (stat(word, &stat_of) || !S_ISREG(stat_of.st_mode) || strlen(word) > SHOWN)
        return 0;
    snprintf(file, sizeof file, "%s", word);
    if (ends_with(word, ".json"))
        snprintf(command, sizeof command, "simdbench %s %s", json_command(word), file);
    else if (ends_with(word, ".so"))
        snprintf(command, sizeof command,
                 "simdbench call %s (its functions), or simdbench all --plugin=%s (a "
                 "plug-in)",
                 file, file);
    else if (ends_with(word, ".sqlite"))
        snprintf(command, sizeof command, "simdbench history --history=%s", file);
    else if (access(word, X_OK) == 0)
        snprintf(command, sizeof command, "simdbench ab %s OTHER (two builds of it)",
                 file);
    else
        return 0;
    return error_set(error, -EINVAL, "%s: this is a file, and a command is missing: %s",
                     file, command);
}
