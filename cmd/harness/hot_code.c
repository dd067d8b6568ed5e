/* SPDX-License-Identifier: Apache-2.0 */
/* A change that places alone could give: a case spends its time in code that is the same
 * in both programs and lies elsewhere in one of them. Processes of the case are stopped
 * again and again, and where they are is looked up in the files. */
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
#define PROFILE_NS 10000000000LL

enum part_fate { PART_STAYS, PART_MOVED, PART_CHANGED, PART_FATES };

/* What became of the function that holds an address. */
static enum part_fate fate_of(const struct parts *parts, const struct parts *other,
                              uint64_t address)
{
    const struct part *const part = parts_at(parts, address);
    enum part_fate fate = PART_CHANGED;
    if (!part)
        return PART_STAYS;
    for (size_t i = count_below(other->entry, other->n, sizeof *part, part->text);
         i < other->n && other->entry[i].text == part->text; i++) {
        if (other->entry[i].place == part->place)
            return PART_STAYS;
        fate = PART_MOVED;
    }
    return fate;
}

/* ---- where a process is ---- */

struct seen_object {
    char *path;
    const struct program_space *space;
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
    size_t n_objects, n; /* n: of places; in objects that are known */
    const char *path;    /* of the program: what ran before it is not counted */
    size_t before;       /* places of other processes */
    bool runs;
    int64_t until;
};

static void see_object(void *context, struct program *program,
                       struct program_space *space, const char *path, uint64_t bias,
                       uint64_t end)
{
    struct profile *const profile = context;
    if (!profile->runs && !strcmp(path, profile->path)) {
        profile->runs = true;
        profile->n = profile->before;
    }
    *(struct seen_object *)LIST_ADD(profile, object, n_objects) =
        (struct seen_object){must_have(strdup(path)), space, bias, end};
}

static void see_place(void *context, const struct program_space *space, uint64_t address,
                      int64_t cpu_ns)
{
    struct profile *const profile = context;
    size_t best = profile->n_objects;
    for (size_t i = 0; i < profile->n_objects; i++) {
        const struct seen_object *const object = &profile->object[i];
        if (object->space == space && object->bias <= address && address < object->end &&
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
    return interrupted_by || clock_now() > profile->until;
}

/* True if enough was seen. */
static bool profile_take(struct harness *harness, size_t c, int which,
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
    FREED_BY(free_memory) char *path = realpath(harness->side[which].path, NULL);
    profile->path = path ?: "";
    profile->until = clock_now() + PROFILE_NS;
    harness->slice_ns = slice_ns > SLICE_NS ? slice_ns : SLICE_NS;
    for (int i = 0; i < PROCESSES && profile->n < WANTED && !is_seen(profile, NULL);
         i++) {
        profile->runs = false;
        profile->before = profile->n;
        if (!case_traced(harness, c, which, &owner))
            break;
    }
    harness->slice_ns = slice_ns;
    return profile->n >= LEAST;
}

static void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->n_objects; i++)
        free(profile->object[i].path);
    FREE_EACH(profile->object, profile->place);
}

static bool has_object(const struct profile *profile, const char *path)
{
    bool has = false;
    for (size_t i = 0; i < profile->n_objects && !has; i++)
        has = !strcmp(profile->object[i].path, path);
    return has;
}

/* The share of the time in code that lies elsewhere in the other program; 0 if more of it
 * is in code that the other one does not have. A library that the other one does not load
 * is taken to be another build of one that it does. */
static double share_elsewhere(const struct side *side, const struct profile *profile,
                              const struct parts *parts, const struct profile *of_other,
                              const struct parts *other)
{
    FREED_BY(free_memory) char *path = realpath(side->path, NULL);
    double spent[PART_FATES] = {0};
    for (size_t i = 0; i < profile->n; i++) {
        const struct seen_place *const place = &profile->place[i];
        const char *const from = profile->object[place->object].path;
        const enum part_fate fate = path && !strcmp(from, path)
                                        ? fate_of(parts, other, place->address)
                                    : has_object(of_other, from) ? PART_STAYS
                                                                 : PART_MOVED;
        spent[fate] += (double)place->cpu_ns;
    }
    return spent[PART_MOVED] > spent[PART_CHANGED]
               ? spent[PART_MOVED] /
                     (spent[PART_STAYS] + spent[PART_MOVED] + spent[PART_CHANGED])
               : 0;
}

/* ---- cases ---- */

/* A process of all cases tells little of one. */
static void bound(struct harness *harness, size_t c, const struct parts *parts)
{
    struct profile profile[2] = {{.n = 0}, {.n = 0}};
    double share = 0;
    bool known = true;
    for (int i = SIDE_BASE; i <= SIDE_HEAD && known; i++)
        known = profile_take(harness, c, i, &profile[i]);
    for (int i = SIDE_BASE; i <= SIDE_HEAD && known; i++)
        share = fmax(share, share_elsewhere(&harness->side[i], &profile[i], &parts[i],
                                            &profile[!i], &parts[!i]));
    if (share > 0 && !harness->adapter->one_case && harness->adapter->reader)
        share = 1;
    if (share > 0)
        comparison_placement(harness->run->results[harness->cases[c].result].comparison)
            ->by_place = share;
    for (int i = SIDE_BASE; i <= SIDE_HEAD; i++)
        profile_free(&profile[i]);
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
    struct parts parts[2];
    bool any = false;
    for (size_t c = 0; c < harness->n_cases; c++)
        any |= seems_changed(harness, c);
    if (!any || harness->n_places > 1 ||
        side[SIDE_BASE].file.loaded == side[SIDE_HEAD].file.loaded ||
        !sides_parts(harness, parts))
        return;
    for (size_t c = 0; c < harness->n_cases && !interrupted_by; c++)
        if (seems_changed(harness, c))
            bound(harness, c, parts);
    for (int i = SIDE_BASE; i <= SIDE_HEAD; i++)
        parts_close(&parts[i]);
}
