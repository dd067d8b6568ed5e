/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that the user's own command links with their code at other places. */
#include "harness_private.h"

#include "ab/private_copy.h"

#include <math.h>
#include <unistd.h>

#define PROGRAM_MOST ((size_t)1 << 31)

/* The command with what stands for {pad} and {out}, to be freed. */
static char *fill_in(const char *command, size_t place, const char *out)
{
    struct buffer text = {.text = NULL};
    for (const char *at = command; *at;) {
        const bool pad = !strncmp(at, "{pad}", 5), path = !strncmp(at, "{out}", 5);
        if (pad)
            buffer_format(&text, "%zu", place * PLACE_BYTES);
        else if (path)
            buffer_add(&text, out);
        else
            buffer_format(&text, "%c", *at);
        at += pad || path ? 5 : 1;
    }
    return text.text;
}

static bool same_bytes(const char *path, const char *other)
{
    FREED_BY(free_memory) char *a = NULL;
    FREED_BY(free_memory) char *b = NULL;
    size_t n = 0, m = 0;
    return file_load(path, PROGRAM_MOST, &a, &n) == 0 &&
           file_load(other, PROGRAM_MOST, &b, &m) == 0 && n == m && !memcmp(a, b, n);
}

static int run_command(const struct harness *harness, const struct side *side,
                       size_t place, struct error *error)
{
    FREED_BY(free_memory) char *command =
        fill_in(harness->request.relink, place, side->place[place]);
    char *const words[] = {(char *)"/bin/sh", (char *)"-c", command, NULL};
    const struct slice_request request = {
        .words = words, .cwd = *side->cwd ? side->cwd : NULL, .is_build = true};
    const int status = command_run(&request, NULL, error);
    return status == 0 && access(side->place[place], X_OK) < 0
               ? invalid(error, "it made no program %s", side->place[place])
               : status;
}

/* The program stands where a copy of the side's own would find what lies beside it. At
 * place 0 it is that copy: the command may link the program that it is a copy of anew. */
static int make_place(const struct harness *harness, struct side *side, size_t place,
                      struct error *error)
{
    char name[32];
    snprintf(name, sizeof name, "%s-%zu", side->name, place * PLACE_BYTES);
    int status = private_copy(harness->folder, name, side->path, true, side->place[place],
                              sizeof side->place[place], error);
    if (status < 0 || !place)
        return status;
    if (unlink(side->place[place]) < 0)
        status = error_set(error, -errno, "%s: %s", side->place[place], strerror(errno));
    if (status == 0)
        status = run_command(harness, side, place, error);
    for (size_t k = 1; k < place && status == 0; k++)
        if (same_bytes(side->place[place], side->place[k]))
            status = invalid(error,
                             "{pad} changes nothing: it makes the same program for %zu "
                             "and for %zu bytes",
                             k * PLACE_BYTES, place * PLACE_BYTES);
    return status;
}

static int make_control(struct harness *harness, size_t place, struct error *error)
{
    const struct side *const base = &harness->side[SIDE_BASE];
    struct side *const control = &harness->side[SIDE_CONTROL];
    char name[32];
    snprintf(name, sizeof name, "control-%zu", place * PLACE_BYTES);
    return private_copy(harness->folder, name, base->place[place], true,
                        control->place[place], sizeof control->place[place], error);
}

static int check(const struct harness *harness, struct error *error)
{
    const char *const relink = harness->request.relink;
    if (!strstr(relink, "{pad}") || !strstr(relink, "{out}"))
        return invalid(error, "--relink needs {pad}, bytes of padding in front of the "
                              "code, and {out}, the program that it makes");
    for (int i = SIDE_BASE; i <= SIDE_HEAD; i++)
        if (!*harness->side[i].path)
            return invalid(error, "--relink is for programs, and a shell runs '%.200s'",
                           harness->side[i].command);
    return 0;
}

int relink_open(struct harness *harness, struct error *error)
{
    harness->n_places = 1;
    if (!harness->request.relink)
        return 0;
    int status = check(harness, error);
    for (int i = SIDE_BASE; i <= SIDE_HEAD && status == 0; i++) {
        struct side *const side = &harness->side[i];
        /* A script finds its files by its own path. */
        size_t place = side->file.kind == ELF_OTHER;
        for (; place < PLACES && status == 0; place++) {
            struct error why = {.text = ""};
            status = make_place(harness, side, place, &why);
            if (status < 0)
                error_set(error, status, "--relink, of %s with %zu bytes: %.400s",
                          side->name, place * PLACE_BYTES, why.text);
        }
    }
    for (size_t place = 1; place < PLACES && status == 0; place++)
        status = make_control(harness, place, error);
    if (status == 0)
        harness->n_places = PLACES;
    return status;
}

/* ---- the best places ---- */

static double median_at(const struct harness_case *entry, const size_t *number, size_t n,
                        int which, size_t place, double *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = entry->rounds[number[i]].ns[which][place];
    return stats_median(room, n);
}

void relink_choose(struct harness *harness, size_t c, const size_t *number, size_t n)
{
    struct harness_case *const entry = &harness->cases[c];
    FREED_BY(free_memory) double *room = must_have(calloc(n + 1, sizeof *room));
    for (int which = 0; which < SIDES; which++) {
        double least = INFINITY;
        entry->best[which] = 0;
        for (size_t place = 0; place < harness->n_places && n; place++) {
            const double ns = median_at(entry, number, n, which, place, room);
            if (ns < least)
                entry->best[which] = place;
            least = fmin(least, ns);
        }
    }
}
