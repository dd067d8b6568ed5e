/* SPDX-License-Identifier: Apache-2.0 */
/* Cases whose code and data are the same in both programs, wherever they lie: the files
 * are compared, as far as a process of the case enters their functions. */
#include "harness_private.h"

#include <stdlib.h>

#include "program.h"
#include "same_code.h"

#define WATCH_NS 20000000000LL

/* ---- a process that shows what it enters ---- */

struct watching {
    struct parts *parts;
    char path[PATH_MAX];
    bool found;
    struct program *program;
    int64_t until;
};

static void put_in(void *context, struct program *program, struct program_space *space,
                   const char *path, uint64_t bias, uint64_t end)
{
    struct watching *const watching = context;
    const struct parts *const parts = watching->parts;
    if (strcmp(path, watching->path) != 0)
        return;
    watching->found = true;
    watching->program = program;
    /* In the order of addresses, which costs least. */
    for (size_t i = 0; i < parts->file.n_symbols; i++)
        if (parts->of_symbol[i])
            watching->found &=
                program_watch(program, space, parts->file.symbol[i].lo + bias,
                              &parts->entry[parts->of_symbol[i] - 1]);
}

/* The first call tells all. */
static enum program_want note(void *context, void *watched,
                              const struct program_call *call)
{
    struct part *const part = watched;
    part->entered = true;
    program_watch_all(((struct watching *)context)->program, part, false);
    return PROGRAM_PASS;
}

static bool is_over(void *context, struct program *program)
{
    const struct watching *const watching = context;
    return interrupted_by || clock_now() > watching->until;
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
    program_kill(program);
    program_close(program);
    return ran && status == 0;
}

/* True if a process of the case ended well; tells what it entered. */
static bool find_entered(struct harness *harness, size_t c, int which,
                         struct parts *parts)
{
    struct watching watching = {.parts = parts, .until = clock_now() + WATCH_NS};
    const struct program_owner owner = {
        .context = &watching, .object = put_in, .called = note, .stop = is_over};
    FREED_BY(free_memory) char *path = realpath(harness->side[which].path, NULL);
    snprintf(watching.path, sizeof watching.path, "%s", path ?: "");
    for (size_t i = 0; i < parts->n; i++)
        parts->entry[i].entered = false;
    return case_traced(harness, c, which, &owner) && watching.found;
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

/* A process of all cases tells of each. */
static void compare(struct harness *harness, struct parts *parts)
{
    const bool one_case = harness->adapter->one_case || !harness->adapter->reader;
    bool known = false, same = false;
    for (size_t c = 0; c < harness->n_cases && !interrupted_by; c++) {
        if (!is_in_doubt(harness, c))
            continue;
        if (one_case || !known)
            same = find_entered(harness, c, SIDE_BASE, &parts[SIDE_BASE]) &&
                   find_entered(harness, c, SIDE_HEAD, &parts[SIDE_HEAD]) &&
                   programs_same(&parts[SIDE_BASE], &parts[SIDE_HEAD]);
        known = true;
        if (same)
            take(harness, c);
    }
}

/* Builds in two folders have them in the names of their sources. */
static bool side_parts(const struct side *side, struct parts *parts)
{
    struct error error;
    FREED_BY(free_memory) char *folder = *side->cwd ? realpath(side->cwd, NULL) : NULL;
    return side->file.kind != ELF_OTHER &&
           parts_open(side->path, folder ?: "", parts, &error) == 0;
}

/* The functions of both programs. False: they are none, or of another machine. */
static bool sides_parts(const struct harness *harness, struct parts *parts)
{
    if (!side_parts(&harness->side[SIDE_BASE], &parts[SIDE_BASE]))
        return false;
    if (side_parts(&harness->side[SIDE_HEAD], &parts[SIDE_HEAD]))
        return true;
    parts_close(&parts[SIDE_BASE]);
    return false;
}

void unchanged_find(struct harness *harness)
{
    struct parts parts[2];
    bool any = false;
    for (size_t c = 0; c < harness->n_cases; c++)
        any |= is_in_doubt(harness, c);
    if (!any || !may_be_told(harness) || !sides_parts(harness, parts))
        return;
    if (!parts[SIDE_BASE].file.unknown && !parts[SIDE_HEAD].file.unknown)
        compare(harness, parts);
    for (int i = SIDE_BASE; i <= SIDE_HEAD; i++)
        parts_close(&parts[i]);
}
