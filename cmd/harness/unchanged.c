/* SPDX-License-Identifier: Apache-2.0 */
/* Cases whose code and data are the same in both programs, wherever they lie: the files
 * are compared, and where functions differ, a process of the case shows that it enters
 * none of them. */
#include "harness_private.h"

#include <stdlib.h>

#include "program.h"
#include "program_file.h"

/* Breakpoints of a process; more functions differ in builds that have little in common.
 */
enum { WATCHED_MOST = 2000 };
#define WATCH_NS 20000000000LL

/* ---- a process that shows what it enters ---- */

struct watching {
    const struct differing *functions;
    char path[PATH_MAX];
    bool found, entered;
    int64_t until;
};

static void put_in(void *context, struct program *program, struct program_space *space,
                   const char *path, uint64_t bias, uint64_t end)
{
    struct watching *const watching = context;
    if (strcmp(path, watching->path) != 0)
        return;
    watching->found = true;
    for (size_t i = 0; i < watching->functions->n; i++)
        watching->found &=
            program_watch(program, space, watching->functions->at[i] + bias,
                          &watching->functions->at[i]);
}

static enum program_want note(void *context, void *watched,
                              const struct program_call *call)
{
    ((struct watching *)context)->entered = true;
    return PROGRAM_PASS;
}

static bool is_over(void *context, struct program *program)
{
    const struct watching *const watching = context;
    return watching->entered || interrupted_by || clock_now() > watching->until;
}

bool case_traced(struct harness *harness, size_t c, int which,
                 const struct program_owner *owner)
{
    static const char script[] = "cd \"$1\" && shift && exec \"$@\" >/dev/null 2>&1 "
                                 "</dev/null";
    const struct side *const side = &harness->side[which];
    FREED_BY(text_list_free) struct text_list words = {.n = 0};
    struct program *program = NULL;
    struct error error;
    int status = -1;
    for (size_t i = 0; i < 4; i++)
        text_list_add(&words, (const char *const[]){"/bin/sh", "-c", script, "sh"}[i]);
    text_list_add(&words, *side->cwd ? side->cwd : ".");
    text_list_add(&words, "env");
    side_words(harness, which, c, &words);
    FREED_BY(free_memory) char **argv = must_have(calloc(words.n + 1, sizeof *argv));
    memcpy(argv, words.item, words.n * sizeof *argv);
    if (program_start(argv, owner, &program, &error) < 0)
        return false;
    const bool ran = program_run(program, &error) == 0 && program_ended(program, &status);
    program_signal(program, SIGKILL);
    program_close(program);
    return ran && status == 0;
}

/* True if a process of the case ended well and entered none of the functions. */
static bool enters_none(struct harness *harness, size_t c, int which,
                        const struct differing *functions)
{
    struct watching watching = {.functions = functions, .until = clock_now() + WATCH_NS};
    const struct program_owner owner = {
        .context = &watching, .object = put_in, .called = note, .stop = is_over};
    FREED_BY(free_memory) char *path = realpath(harness->side[which].path, NULL);
    snprintf(watching.path, sizeof watching.path, "%s", path ?: "");
    return !functions->n || (case_traced(harness, c, which, &owner) && watching.found &&
                             !watching.entered);
}

/* ---- the programs ---- */

static bool libraries_are_told(const struct side *side)
{
    bool told = !*side->file.runpath && !side->file.opens;
    for (size_t i = 0; i < side->variables.n; i++)
        told &= strncmp(side->variables.item[i], "LD_", 3) != 0;
    return told;
}

/* Both are started alike, and find the same libraries. A program that is no benchmark
 * reads files of its folder, which may be another one. */
static bool may_be_told(const struct harness *harness)
{
    const struct side *const base = &harness->side[SIDE_BASE];
    const struct side *const head = &harness->side[SIDE_HEAD];
    return base->file.kind != ELF_OTHER && head->file.kind != ELF_OTHER &&
           base->file.loaded != head->file.loaded && same_arguments(base, head) &&
           libraries_are_told(base) && libraries_are_told(head) &&
           (harness->adapter->mark || !strcmp(base->cwd, head->cwd));
}

static bool is_in_doubt(const struct harness *harness, size_t c)
{
    const struct harness_case *const entry = &harness->cases[c];
    const struct comparison *const comparison =
        harness->run->results[entry->result].comparison;
    return entry->active && (comparison->verdict != VERDICT_SAME ||
                             comparison_is_open(comparison, harness->request.threshold));
}

static void take(struct harness *harness, size_t c)
{
    struct placement *const placement =
        comparison_placement(harness->run->results[harness->cases[c].result].comparison);
    placement->equality = EQUALITY_SAME;
    placement->same_data = true;
    if (harness->n_places == 1)
        string_set(&placement->unmoved, "--relink was not given");
}

static void compare(struct harness *harness, const struct program_file *base,
                    const struct program_file *head)
{
    struct differing in_base = {.n = 0}, in_head = {.n = 0};
    struct error error;
    const int status = programs_compare(base, head, &in_base, &in_head, &error);
    const size_t n = in_base.n + in_head.n;
    for (size_t c = 0; c < harness->n_cases && status == 0 && n <= WATCHED_MOST; c++)
        if (is_in_doubt(harness, c) &&
            (!n || (harness->adapter->one_case &&
                    enters_none(harness, c, SIDE_BASE, &in_base) &&
                    enters_none(harness, c, SIDE_HEAD, &in_head))))
            take(harness, c);
    FREE_EACH(in_base.at, in_head.at);
}

/* Builds in two folders have them in the names of their sources. */
static bool open_file(const struct side *side, char folder[static PATH_MAX],
                      struct program_file *file)
{
    struct error error;
    if (!*side->cwd || !realpath(side->cwd, folder))
        *folder = '\0';
    return program_file_open(side->path, folder, file, &error) == 0;
}

void unchanged_find(struct harness *harness)
{
    struct program_file base, head;
    char of_base[PATH_MAX], of_head[PATH_MAX];
    bool any = false;
    for (size_t c = 0; c < harness->n_cases; c++)
        any |= is_in_doubt(harness, c);
    if (!any || !may_be_told(harness) ||
        !open_file(&harness->side[SIDE_BASE], of_base, &base))
        return;
    if (open_file(&harness->side[SIDE_HEAD], of_head, &head)) {
        if (!base.unknown && !head.unknown)
            compare(harness, &base, &head);
        program_file_close(&head);
    }
    program_file_close(&base);
}
