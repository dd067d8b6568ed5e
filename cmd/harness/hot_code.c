/* SPDX-License-Identifier: Apache-2.0 */
/* A change that places alone could give: a case spends its time in code that may be the
 * same in both programs and lie elsewhere in one of them. Processes of the case are
 * stopped again and again, and where they are is looked up in the files. */
#include "harness_private.h"

#include <math.h>
#include <stdlib.h>

#include "numbers.h"
#include "program.h"
#include "same_code.h"

enum { WANTED = 200, LEAST = 20, PROCESSES = 20 };
#define STEP_NS 500000LL
#define STEP_LEAST_NS 100000LL
#define SLICE_NS 150000000LL
#define PROFILE_CPU_NS 10000000000LL
#define PROFILE_NS 60000000000LL

/* ---- files ---- */

struct known_file {
    char *path;
    struct parts parts; /* none if it could not be read */
};
struct files {
    struct known_file *entry;
    size_t n;
};

static size_t file_number(struct files *files, const char *path)
{
    struct error error;
    size_t i = 0;
    while (i < files->n && strcmp(files->entry[i].path, path) != 0)
        i++;
    if (i == files->n) {
        struct known_file *const file = LIST_ADD(files, entry, n);
        file->path = must_have(strdup(path));
        parts_open(path, "", &file->parts, &error);
    }
    return i;
}

static void files_free(struct files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        parts_close(&files->entry[i].parts);
        free(files->entry[i].path);
    }
    free(files->entry);
}

/* ---- where a process is ---- */

struct seen_object {
    char *path;
    unsigned layout;
    uint64_t bias, end;
};
struct seen_place {
    size_t object;
    uint64_t address; /* in the file */
    int64_t cpu_ns;   /* spent since the last one */
};
struct profile {
    struct seen_object *object;
    struct seen_place *place;
    size_t n_objects, n;           /* n: of places; in objects that are known */
    char *path;                    /* of the program: what ran before it is not counted */
    size_t objects_before, before; /* of other processes */
    bool runs, ran;                /* the program: in this process, and in any */
    int64_t until, cpu_ns;
};

static void see_object(void *context, struct program *program,
                       struct program_space *space, const char *path, uint64_t bias,
                       uint64_t end)
{
    struct profile *const profile = context;
    if (!profile->runs && !strcmp(path, profile->path)) {
        profile->runs = profile->ran = true;
        profile->n = profile->before;
    }
    *(struct seen_object *)LIST_ADD(profile, object, n_objects) =
        (struct seen_object){must_have(strdup(path)), program_layout(space), bias, end};
}

static void see_place(void *context, const struct program_space *space, uint64_t address,
                      int64_t cpu_ns)
{
    struct profile *const profile = context;
    size_t best = profile->n_objects;
    profile->cpu_ns += cpu_ns;
    for (size_t i = profile->objects_before; i < profile->n_objects; i++) {
        const struct seen_object *const object = &profile->object[i];
        if (object->layout == program_layout(space) && object->bias <= address &&
            address < object->end &&
            (best == profile->n_objects || object->bias >= profile->object[best].bias))
            best = i;
    }
    if (best < profile->n_objects)
        *(struct seen_place *)LIST_ADD(profile, place, n) =
            (struct seen_place){best, address - profile->object[best].bias, cpu_ns};
}

static bool is_seen(void *context, struct program *program)
{
    const struct profile *const profile = context;
    return interrupted_by || profile->cpu_ns > PROFILE_CPU_NS ||
           clock_now() > profile->until;
}

static bool has_all_cases(const struct harness *harness)
{
    return !harness->adapter->one_case && harness->adapter->reader;
}

static void profile_take(struct harness *harness, size_t c, int which,
                         struct profile *profile)
{
    const int64_t step_ns = harness->cases[c].usual_ns[which] / WANTED;
    const struct program_owner owner = {
        .context = profile,
        .object = see_object,
        .sampled = see_place,
        .sample_ns = harness->adapter->one_case && harness->adapter->reader ? STEP_NS
                     : step_ns > STEP_LEAST_NS                              ? step_ns
                                               : STEP_LEAST_NS,
        .stop = is_seen};
    const int64_t slice_ns = harness->slice_ns;
    profile->path = realpath(harness->side[which].path, NULL) ?: must_have(strdup(""));
    profile->until = clock_now() + PROFILE_NS;
    harness->slice_ns = slice_ns > SLICE_NS ? slice_ns : SLICE_NS;
    for (int i = 0; i < PROCESSES && profile->n < WANTED && !is_seen(profile, NULL);
         i++) {
        profile->runs = false;
        profile->before = profile->n;
        profile->objects_before = profile->n_objects;
        if (!case_traced(harness, c, which, &owner))
            break;
    }
    harness->slice_ns = slice_ns;
}

static void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->n_objects; i++)
        free(profile->object[i].path);
    FREE_EACH(profile->object, profile->place, profile->path);
}

/* ---- shares ---- */

enum part_fate { PART_STAYS, PART_MOVED, PART_CHANGED, PART_FATES };

/* Code that could not be read as a function may be the same, and may have moved. */
static enum part_fate fate_of(const struct parts *parts, const struct parts *other,
                              uint64_t address)
{
    const struct part *const part = parts_at(parts, address);
    enum part_fate fate = PART_CHANGED;
    if (!part || !part->complete || !other->n)
        return PART_MOVED;
    for (size_t i = count_below(other->entry, other->n, sizeof *part, part->text);
         i < other->n && other->entry[i].text == part->text; i++) {
        if (other->entry[i].place == part->place)
            return PART_STAYS;
        fate = PART_MOVED;
    }
    return fate;
}

static const char *name_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file that the other program has for one of this program, or NULL. */
static const char *twin_of(const struct profile *profile, const struct profile *of_other,
                           const char *path)
{
    const char *twin = NULL;
    if (!strcmp(path, profile->path))
        return of_other->path;
    for (size_t i = 0; i < of_other->n_objects; i++) {
        const char *const other = of_other->object[i].path;
        if (!strcmp(other, path))
            return other;
        if (!strcmp(name_of(other), name_of(path)))
            twin = other;
    }
    return twin;
}

/* The share of the time in code that may lie elsewhere in the other program; 0 if more of
 * it is in code that the other one does not have. */
static double share_elsewhere(const struct profile *profile,
                              const struct profile *of_other, struct files *files)
{
    double spent[PART_FATES] = {0};
    for (size_t i = 0; i < profile->n; i++) {
        const struct seen_place *const place = &profile->place[i];
        const char *const path = profile->object[place->object].path;
        const char *const twin = twin_of(profile, of_other, path);
        enum part_fate fate = twin ? PART_STAYS : PART_CHANGED;
        if (twin && strcmp(twin, path) != 0) {
            const size_t a = file_number(files, path), b = file_number(files, twin);
            fate =
                fate_of(&files->entry[a].parts, &files->entry[b].parts, place->address);
        }
        spent[fate] += (double)place->cpu_ns;
    }
    return spent[PART_MOVED] > spent[PART_CHANGED]
               ? spent[PART_MOVED] /
                     (spent[PART_STAYS] + spent[PART_MOVED] + spent[PART_CHANGED])
               : 0;
}

/* ---- cases ---- */

#define SEEN_MOST 0.99

/* 1 if too little of the time was seen, and in a process of all cases, which tells little
 * of one; less if it was seen. */
static double share_of(struct harness *harness, size_t c, struct files *files)
{
    struct profile profile[2] = {{.n = 0}, {.n = 0}};
    double share = 0;
    bool ran = true, seen = true;
    for (int i = SIDE_BASE; i <= SIDE_HEAD && ran; i++) {
        profile_take(harness, c, i, &profile[i]);
        ran = profile[i].ran;
        seen &= profile[i].n >= LEAST;
    }
    for (int i = SIDE_BASE; i <= SIDE_HEAD && ran && seen; i++)
        share = fmin(fmax(share, share_elsewhere(&profile[i], &profile[!i], files)),
                     SEEN_MOST);
    for (int i = SIDE_BASE; i <= SIDE_HEAD; i++)
        profile_free(&profile[i]);
    return ran && (!seen || (share > 0 && has_all_cases(harness))) ? 1 : share;
}

static bool seems_changed(const struct harness *harness, size_t c)
{
    const struct comparison *const comparison =
        harness->run->results[harness->cases[c].result].comparison;
    return harness->cases[c].active && (comparison->verdict == VERDICT_REGRESSED ||
                                        comparison->verdict == VERDICT_IMPROVED);
}

void places_bound(struct harness *harness)
{
    const struct side *const side = harness->side;
    struct files files = {.n = 0};
    double share = -1;
    if (harness->n_places > 1 || side[SIDE_BASE].file.kind == ELF_OTHER ||
        side[SIDE_HEAD].file.kind == ELF_OTHER ||
        side[SIDE_BASE].file.loaded == side[SIDE_HEAD].file.loaded)
        return;
    for (size_t c = 0; c < harness->n_cases && !interrupted_by; c++) {
        if (!seems_changed(harness, c))
            continue;
        if (share < 0 || !has_all_cases(harness))
            share = share_of(harness, c, &files);
        if (share > 0)
            comparison_placement(
                harness->run->results[harness->cases[c].result].comparison)
                ->by_place = share;
    }
    files_free(&files);
}
