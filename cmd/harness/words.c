/* SPDX-License-Identifier: Apache-2.0 */
/* Commands as a shell reads them, and the programs that they name. */
#include "harness_private.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

/* "NAME=value" */
static bool is_variable(const char *word)
{
    const char *at = word;
    while (*at == '_' || isalpha((unsigned char)*at) ||
           (at > word && isdigit((unsigned char)*at)))
        at++;
    return at > word && *at == '=';
}

/* "$$" and "$1" are those of the shell: wordexp() would put in our own. */
static bool has_parameter_of_shell(const char *at)
{
    bool quoted = false;
    for (; *at; at++) {
        quoted ^= *at == '"';
        if (*at == '\'' && !quoted)
            at = strchr(at + 1, '\'') ?: at;
        else if (*at == '\\' && at[1])
            at++;
        else if (*at == '$' && strspn(at + 1 + (at[1] == '{'), "$!?-#@*0123456789"))
            return true;
    }
    return false;
}

bool words_split(const char *command, const char *cwd, struct text_list *variables,
                 struct text_list *words)
{
    wordexp_t found;
    const int here = *cwd ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    const bool moved = here >= 0 && chdir(cwd) == 0;
    const int status = has_parameter_of_shell(command)
                           ? WRDE_SYNTAX
                           : wordexp(command, &found, WRDE_NOCMD | WRDE_UNDEF);
    if (moved)
        must(fchdir(here) < 0 ? -errno : 0);
    if (here >= 0)
        close(here);
    if (status == WRDE_NOSPACE)
        must(-ENOMEM);
    if (status)
        return false;
    for (size_t i = 0; i < found.we_wordc; i++)
        text_list_add(words->n || !is_variable(found.we_wordv[i]) ? words : variables,
                      found.we_wordv[i]);
    wordfree(&found);
    return words->n > 0;
}

static bool is_program(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

static bool is_program_in(const char *cwd, const char *folder, const char *word,
                          char *path, size_t size)
{
    const bool whole = (*folder ? *folder : *word) == '/';
    const char *const inside = *cwd ? cwd : ".";
    snprintf(path, size, "%s%s%s%s%s", whole ? "" : inside, whole ? "" : "/", folder,
             *folder ? "/" : "", word);
    return is_program(path);
}

bool words_program(const char *word, const struct text_list *variables, const char *cwd,
                   char *path, size_t size)
{
    if (strchr(word, '/'))
        return is_program_in(cwd, "", word, path, size);
    const char *where = getenv("PATH");
    for (size_t i = 0; i < variables->n; i++)
        if (!strncmp(variables->item[i], "PATH=", 5))
            where = variables->item[i] + 5;
    FREED_BY(text_list_free) struct text_list folders = {.n = 0};
    text_list_split(&folders, where, ":");
    for (size_t i = 0; i < folders.n; i++)
        if (is_program_in(cwd, folders.item[i], word, path, size))
            return true;
    return false;
}
