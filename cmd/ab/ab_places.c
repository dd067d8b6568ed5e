/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of the code of each arm at places of a line of 64 bytes, and which of them is
 * the fastest. A trace is slow, so the first process alone traces; what executes is the
 * same code in all of them. Each process has other places, and chooses anew.
 */
#include "ab_private.h"
#include "files.h"
#include "surgery.h"

#include <math.h>

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    PLACES_SEED = 1 << 20,
    TURNS = 2,
    SMALL_LOOP = 64,
    LATE_MOST = 3,
    PLACES_LEAST = 4
};
/* Limits of a choice, and of a copy that is traced. */
#define CHOICE_NS 15000.0
#define COPIES_NS 30e9
/* Calls that are longer would be traced and timed for seconds. */
#define LONGEST_NS 5e6
/* Longer ones are disturbed less, in proportion. */
#define ONE_TURN_NS 500000.0

static struct placement *placement_of(const struct ab_group *group, size_t c)
{
    return comparison_placement(ab_result(group, c)->comparison);
}

/* Judged as built, because of `why`. */
static void leave(struct ab_group *group, size_t c, const char *why)
{
    struct placement *const placement = placement_of(group, c);
    const double loop = fmax(placement->base_loop, placement->head_loop);
    char text[400];
    snprintf(text, sizeof text, "%.280s%s", why,
             loop <= SMALL_LOOP ? "; its loop is small, and the place of such a loop "
                                  "alone may change its time by tens of percent"
                                : "; a change may be of the place of its code alone");
    string_set(&placement->unmoved, text);
    group->cases[c].unmoved = true;
}

/* ---- what executes ---- */

/* Base's text with the name of control's file in place of its own. */
static char *renamed(const struct ab *ab, const char *text)
{
    const char *const old = ab->arm[ARM_BASE].load;
    const size_t length = strlen(old);
    FREED_BY(buffer_free) struct buffer out = {.text = NULL};
    while (*text) {
        const size_t line = strcspn(text, "\n");
        char *const copy = must_have(strndup(text, line));
        buffer_add(&out, line == length && !strcmp(copy, old) ? ab->arm[ARM_CONTROL].load
                                                              : copy);
        free(copy);
        text += line;
        buffer_add(&out, *text ? "\n" : "");
        text += *text != '\0';
    }
    return must_have(strdup(buffer_text(&out)));
}

/* A submodule has a file .git that leads to its folder among those of the repository. */
static bool is_root(const char *folder)
{
    char path[PATH_MAX + 8], text[PATH_MAX] = "";
    snprintf(path, sizeof path, "%s/.git", folder);
    return file_read("", path, text, sizeof text) >= 0 && !strstr(text, "/.git/modules/");
}

/* The part of a path behind the root of its repository, or NULL. */
static const char *in_repository(const char *path)
{
    char folder[PATH_MAX];
    if (!path || strlen(path) >= sizeof folder)
        return NULL;
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash; *folder == '/' && (slash = strrchr(folder, '/')) != folder;) {
        *slash = '\0';
        if (is_root(folder))
            return path + (slash - folder) + 1;
    }
    return NULL;
}

static bool is_found(const struct ab_places *places)
{
    return places->executed != NULL;
}

void ab_begin_places(struct ab_case *entry)
{
    for (int i = 0; i < ARMS; i++)
        entry->places[i] = (struct ab_places){.offset = NAN, .loop = NAN, .share = NAN};
}

/* Control executes the code of base. Head is traced, too: an equal file may find others
 * beside it. */
static void share_found(struct ab_group *group, size_t c)
{
    const struct ab_places *const base = &group->cases[c].places[ARM_BASE];
    struct ab_places *const control = &group->cases[c].places[ARM_CONTROL];
    if (control->executed)
        return;
    *control = *base;
    control->executed = renamed(group->ab, base->executed);
    control->code = copy_text(base->code);
    control->path = copy_text(base->path);
}

/* The reason why an arm cannot be judged by its copies, or NULL. */
static const char *take_found(struct ab_places *places, const struct copies_reply *told)
{
    places->offset = told->loop_bytes ? (double)told->offset : NAN;
    places->loop = told->loop_bytes ? (double)told->loop_bytes : NAN;
    places->share = told->share;
    string_set(&places->path, told->path);
    places->whole = told->whole;
    places->closed = told->closed;
    places->prepared = told->prepared;
    if (told->code)
        string_set(&places->code, told->code);
    if (!(told->share >= 1))
        return told->why_left ?: "a part of what executes is not in the copies";
    if (!told->executed)
        return "generated code lies elsewhere in each process";
    places->executed = must_have(strdup(told->executed));
    return NULL;
}

static void tell_places(struct ab_group *group, size_t c)
{
    const struct ab_places *const base = &group->cases[c].places[ARM_BASE];
    const struct ab_places *const head = &group->cases[c].places[ARM_HEAD];
    struct placement *const placement = placement_of(group, c);
    placement->base_offset = base->offset;
    placement->base_loop = base->loop;
    placement->head_offset = head->offset;
    placement->head_loop = head->loop;
    string_set(&placement->source, in_repository(head->path));
    ab_compare_code(group, c);
}

/* ---- copies in this process ---- */

/* The first place is the same one in a line for the loops of all arms, if these are
 * known. The line in its page is drawn for each arm: those of the same code at the same
 * place of a page would train the predictors of branches for each other, and not for
 * others. */
static uint64_t shift_of(const struct ab_group *group, int which,
                         const struct ab_places *places)
{
    const uint64_t own = isnan(places->offset) ? 0 : (uint64_t)places->offset;
    const uint64_t line = ab_random(group->ab, group->state.number, group->process,
                                    PLACES_SEED + (uint64_t)which) %
                          (PAGE_BYTES / LINE_BYTES);
    return line * LINE_BYTES +
           (group->process % LINE_BYTES + LINE_BYTES - own) % LINE_BYTES;
}

/* 0, and false with the reason if it cannot be copied; or GROUP_RESTART, -EINTR. */
static int copy_arm(struct ab_group *group, size_t c, int which, bool *copied)
{
    const struct runner runner = ab_runner(group, c, which);
    struct ab_case *const entry = &group->cases[c];
    struct ab_places *const places = &entry->places[which];
    const bool first = !is_found(places);
    const struct copies_call call = {.number = runner.number,
                                     .n = entry->n_places,
                                     .shift = shift_of(group, which, places),
                                     .code = first,
                                     .libc_stays = true,
                                     .executed = places->executed};
    struct copies_reply told;
    struct error error = {.text = ""};
    FREED_BY(json_delete) cJSON *reply = NULL;
    const int status =
        worker_ask(runner.worker, copies_call(&call),
                   timeout_with(&group->ab->how, COPIES_NS), &reply, &error);
    const char *why = status < 0 ? error.text : NULL;
    char reason[512];
    copies_reply_read(reply, &told);
    if (status == 0 && first)
        why = take_found(places, &told);
    else if (status == 0 && told.n != entry->n_places)
        why = "fewer copies than asked for";
    *copied = !why;
    /* On a busy machine a trace may be late by chance. */
    const bool late = first && status == -ETIMEDOUT && worker_alive(runner.worker) &&
                      ++entry->late <= LATE_MOST;
    /* A process without copies does not count if others had them. */
    if (why && status != -EINTR && !entry->processes && !late) {
        placement_of(group, c)->base_loop = entry->places[ARM_BASE].loop;
        placement_of(group, c)->head_loop = entry->places[ARM_HEAD].loop;
        runner_blame(&runner, why, reason, sizeof reason);
        leave(group, c, reason);
    }
    if (status == -EINTR || worker_alive(runner.worker))
        return status == -EINTR ? status : 0;
    if (entry->processes)
        case_end(&group->state, runner.entry, STATUS_FAILED, error.text);
    return GROUP_RESTART;
}

static int copy_arms(struct ab_group *group, size_t c, bool *copied)
{
    struct ab_case *const entry = &group->cases[c];
    const bool first = !is_found(&entry->places[ARM_HEAD]);
    int status = 0;
    *copied = true;
    for (int i = 0; i < ARMS && status == 0 && *copied; i++) {
        status = copy_arm(group, c, i, copied);
        if (status == 0 && *copied && i == ARM_BASE)
            share_found(group, c);
    }
    if (status == 0 && *copied && first)
        tell_places(group, c);
    return status;
}

/* ---- the choice ---- */

/* The copies of all arms in turn, each turn in another order: a batch that took least is
 * the one that was disturbed least. */
static int choose(struct ab_group *group, size_t c, uint64_t *random)
{
    struct ab_case *const entry = &group->cases[c];
    const uint64_t calls =
        (uint64_t)fmax(1, llround(CHOICE_NS / group->state.cases[c].call_ns));
    double least[ARMS] = {INFINITY, INFINITY, INFINITY};
    double ns[ARMS][PLACES_MOST] = {{0}};
    int order[ARMS * PLACES_MOST], n = (int)entry->n_places;
    for (int i = 0; i < ARMS * n; i++) {
        order[i] = i;
        ns[i / n][i % n] = INFINITY;
    }
    const int turns = group->state.cases[c].call_ns > ONE_TURN_NS ? 1 : TURNS;
    for (int turn = 0; turn < turns; turn++) {
        order_shuffle(order, ARMS * entry->n_places, random);
        for (int k = 0; k < ARMS * n; k++) {
            const int which = order[k] / n, place = order[k] % n;
            struct batch batch;
            const int status =
                ab_run_batch(group, c, which, (uint64_t)place + 1, calls, &batch);
            if (status)
                return status;
            ns[which][place] = fmin(ns[which][place], batch.ns);
        }
    }
    for (int i = 0; i < ARMS; i++)
        for (int place = 0; place < n; place++) {
            if (ns[i][place] < least[i])
                entry->best[i] = (uint64_t)place + 1;
            least[i] = fmin(least[i], ns[i][place]);
        }
    return 0;
}

/* Long calls have fewer places, which are others in each process, too. */
static uint64_t places_of(double call_ns)
{
    return call_ns < 2 * CHOICE_NS   ? PLACES_MOST
           : call_ns < 8 * CHOICE_NS ? PLACES_MOST / 2
                                     : PLACES_LEAST;
}

int ab_take_places(struct ab_group *group, size_t c)
{
    struct ab_case *const entry = &group->cases[c];
    uint64_t random =
        ab_random(group->ab, group->state.number, group->process, 1000 + (uint64_t)c);
    const double call_ns = group->state.cases[c].call_ns;
    bool copied;
    if (group->ab->request.as_built)
        return 0;
    if (!entry->unmoved && call_ns > LONGEST_NS)
        leave(group, c, "a call is too long to be moved");
    if (entry->unmoved)
        return ab_take_code(group, c);
    entry->n_places = places_of(call_ns);
    const int status = copy_arms(group, c, &copied);
    return status == 0 && copied ? choose(group, c, &random) : status;
}

void ab_free_places(struct ab_case *entry)
{
    for (int i = 0; i < ARMS; i++) {
        free(entry->places[i].executed);
        free(entry->places[i].code);
        free(entry->places[i].path);
    }
}
