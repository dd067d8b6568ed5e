/* SPDX-License-Identifier: Apache-2.0 */
/* Checked calls: on arrays that end, or begin, at a page that nobody may touch. */
#include "called_private.h"

#include <inttypes.h>
#include <sys/mman.h>

/* Copies of larger operands would take too long. */
#define GUARDED_BYTES_MAX ((uint64_t)1 << 30)
/* On both sides of an array nobody else's memory lies nearer than that. */
#define FAR ((size_t)64 << 20)
enum { ALIGNED = 64, POPULATE_READ = 22 /* of madvise(), from Linux 5.14 on */ };

/* A copy of the operands, each between two guards; so is each plane of an array of
 * pointers. */
struct guarded {
    struct simdbench_operands view;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    unsigned char *map[SIMDBENCH_MAX_OPERANDS]; /* begins with a guard */
    size_t bytes[SIMDBENCH_MAX_OPERANDS];       /* of the whole, guards too */
    size_t far[SIMDBENCH_MAX_OPERANDS];         /* bytes without access beside it */
    struct planes {
        uint64_t n, bytes; /* of one */
        uint64_t from;     /* bytes from one to the next where they were copied from */
        uint64_t step;     /* and here */
    } planes[SIMDBENCH_MAX_OPERANDS];
    void *flat[SIMDBENCH_MAX_OPERANDS]; /* planes as they are compared; NULL: one plane */
    bool tells;                         /* madvise() tells guards from open pages */
};

/* The place where an array lies: `gap` bytes before the guard behind it, or right behind
 * the one before it. */
struct placing {
    bool at_begin;
    size_t gap, align;
    bool spread; /* arrays have other distances from each other */
};

static void guarded_free(struct guarded *guarded)
{
    for (uint32_t i = 0; i < guarded->view.count; i++) {
        if (guarded->map[i])
            munmap(guarded->map[i] - guarded->far[i],
                   guarded->bytes[i] + 2 * guarded->far[i]);
        free(guarded->flat[i]);
    }
}

static struct planes planes_of(const struct made_call *made, uint32_t i)
{
    const struct simdbench_operand *const operand = made->operands.operand[i];
    const int argument = made->slot->operand[i].argument;
    if (argument == NO_OPERAND || !made->table[argument])
        return (struct planes){.n = 1, .bytes = operand_bytes(operand)};
    return (struct planes){.n = made->sizes.planes[argument],
                           .bytes =
                               made->sizes.plane[argument] * type_bytes(operand->type),
                           .from = made->step[argument]};
}

static void copy_planes(const struct planes *planes, const void *from, uint64_t from_step,
                        void *to, uint64_t to_step)
{
    for (uint64_t p = 0; p < planes->n; p++)
        memcpy((char *)to + p * to_step, (const char *)from + p * from_step,
               planes->bytes);
}

static int guard_operand(const struct made_call *made, const struct placing *placing,
                         struct guarded *guarded, uint32_t i)
{
    const struct simdbench_operand *const from = made->operands.operand[i];
    const size_t element = type_bytes(from->type);
    struct planes *const planes = &guarded->planes[i];
    *planes = planes_of(made, i);
    const size_t inner =
        (planes->bytes + placing->gap + placing->align + PAGE - 1) / PAGE * PAGE;
    planes->step = inner + PAGE;
    guarded->operand[i] = *from;
    guarded->view.operand[i] = &guarded->operand[i];
    guarded->bytes[i] = planes->n * planes->step + PAGE;
    size_t far = FAR + placing->spread * (i + 1) * PAGE;
    unsigned char *room = reserve(guarded->bytes[i] + 2 * far);
    if (room == MAP_FAILED) /* ulimit -v */
        room = reserve(guarded->bytes[i] + 2 * (far = 0));
    if (room == MAP_FAILED)
        return -ENOMEM;
    guarded->far[i] = far;
    unsigned char *const map = guarded->map[i] = room + far;
    for (uint64_t p = 0; p < planes->n; p++)
        if (mprotect(map + p * planes->step + PAGE, inner, PROT_READ | PROT_WRITE) < 0)
            return -ENOMEM;
    size_t at = placing->at_begin ? PAGE : PAGE + inner - placing->gap - planes->bytes;
    if (!placing->at_begin)
        at -= at % (placing->align > element ? placing->align : element);
    guarded->operand[i].data = map + at;
    if (from->role != SIMDBENCH_OUT)
        copy_planes(planes, from->data, planes->from, map + at, planes->step);
    return 0;
}

static void poison_planes(const struct planes *planes,
                          const struct simdbench_operand *operand)
{
    for (uint64_t p = 0; p < planes->n; p++)
        type_poison(operand->type, (char *)operand->data + p * planes->step,
                    planes->bytes / type_bytes(operand->type));
}

static int guarded_make(const struct made_call *made, const struct placing *placing,
                        struct guarded *guarded)
{
    int status = 0;
    *guarded = (struct guarded){.view = made->operands};
    for (uint32_t i = 0; i < made->operands.count && status == 0; i++)
        status = guard_operand(made, placing, guarded, i);
    for (uint32_t i = 0; i < guarded->view.count && status == 0; i++) {
        const struct simdbench_operand *const operand = &guarded->operand[i];
        const struct planes *const planes = &guarded->planes[i];
        if (operand->role == SIMDBENCH_INOUT)
            copy_planes(planes, made->operands.operand[operand->source]->data,
                        planes->from, operand->data, planes->step);
        else if (operand->role == SIMDBENCH_OUT)
            poison_planes(planes, operand);
    }
    guarded->tells = madvise(guarded->map[0], PAGE, POPULATE_READ) < 0;
    return status;
}

/* Planes in one piece, as they are compared. Between them is what was there before. */
static int flatten(const struct made_call *made, struct guarded *guarded, uint32_t i)
{
    struct simdbench_operand *const operand = &guarded->operand[i];
    const struct planes *const planes = &guarded->planes[i];
    const struct simdbench_operand *const from =
        made->operands.operand[operand->role == SIMDBENCH_INOUT ? operand->source : i];
    if (!planes->from)
        return 0;
    guarded->flat[i] = malloc(operand_bytes(operand) + 1);
    if (!guarded->flat[i])
        return -ENOMEM;
    memcpy(guarded->flat[i], from->data, operand_bytes(operand));
    copy_planes(planes, operand->data, planes->step, guarded->flat[i], planes->from);
    operand->data = guarded->flat[i];
    return 0;
}

/* Calls go to guarded operands, or back to those of before. */
static int point(struct made_call *made, const struct simdbench_operands *operands,
                 const struct guarded *guarded, struct error *error)
{
    for (uint32_t i = 0; i < made->operands.count; i++) {
        const int argument = made->slot->operand[i].argument;
        if (argument != NO_OPERAND && made->table[argument])
            made->step[argument] = operands == &guarded->view ? guarded->planes[i].step
                                                              : guarded->planes[i].from;
    }
    return declared_point(&made->call, operands, error);
}

/* Inputs that nobody may write to: a call that writes there and restores what it found is
 * seen by nothing else. */
static void protect_inputs(const struct guarded *guarded, int protection)
{
    for (uint32_t i = 0; i < guarded->view.count; i++) {
        const struct planes *const planes = &guarded->planes[i];
        for (uint64_t p = 0; guarded->operand[i].role == SIMDBENCH_IN && p < planes->n;
             p++)
            mprotect(guarded->map[i] + p * planes->step + PAGE, planes->step - PAGE,
                     protection);
    }
}

/* One call at such a place. */
struct attempt {
    int status;  /* of the call */
    int operand; /* that it touched where it must not, or -1 */
    enum { BEFORE, INSIDE, BEYOND } side;
    size_t beyond; /* bytes to the end of the array; 0: it touched a guard */
    bool write, general, far;
    struct error error;
};

/* An address that is further away than the guards. */
static void find_far(const struct guarded *guarded, uintptr_t address,
                     struct attempt *attempt)
{
    for (uint32_t i = 0; i < guarded->view.count; i++) {
        const uintptr_t map = (uintptr_t)guarded->map[i], end = map + guarded->bytes[i];
        const bool before = address < map;
        const uintptr_t off = before ? map - address : address - end;
        if (address - map < guarded->bytes[i] || off >= guarded->far[i])
            continue;
        attempt->operand = (int)i;
        attempt->side = before ? BEFORE : BEYOND;
        attempt->beyond = off + PAGE;
        attempt->far = true;
    }
}

/* Pages of an input hold bytes beside it, which nobody may write to either. */
static void find_side(const struct guarded *guarded, bool at_begin, uintptr_t address,
                      struct attempt *attempt)
{
    for (uint32_t i = 0; i < guarded->view.count; i++) {
        const struct planes *const planes = &guarded->planes[i];
        const uintptr_t map = (uintptr_t)guarded->map[i], at = address - map;
        const uintptr_t place = at % planes->step;
        const uintptr_t begin = (uintptr_t)guarded->operand[i].data - map;
        const uintptr_t end = begin + planes->bytes;
        const bool guard = place < PAGE;
        if (at >= guarded->bytes[i] || (!guard && !attempt->write))
            continue;
        attempt->operand = (int)i;
        attempt->beyond = !guard && place >= end ? place - end + 1 : 0;
        /* A guard between planes is that of the array which touches it. */
        const bool before = guard
                                ? at < PAGE || (at_begin && at < guarded->bytes[i] - PAGE)
                                : place < begin;
        attempt->side = before ? BEFORE : !guard && !attempt->beyond ? INSIDE : BEYOND;
    }
}

static int compare_first(const struct made_call *made, struct guarded *guarded,
                         const struct declared_answers *want, struct error *error)
{
    uint32_t first = 0;
    while (first < guarded->view.count && !operand_is_output(&guarded->operand[first]))
        first++;
    if (!want->n || first == guarded->view.count)
        return 0;
    return flatten(made, guarded, first)
               ?: operands_compare(&guarded->operand[first], want->index, want->n,
                                   want->value, want->slack, error);
}

static const char *name_of(const struct made_call *made, int operand)
{
    const int argument = made->slot->operand[operand].argument;
    return argument == NO_OPERAND ? "the result"
                                  : made->slot->from->declaration.argument[argument].name;
}

/* A function that handles the signal of a guard may open it. QEMU's user mode answers 0
 * to any advice, also before the call: then nothing is known. */
static int check_guards(const struct made_call *made, const struct guarded *guarded,
                        struct error *error)
{
    for (uint32_t i = 0; guarded->tells && i < guarded->view.count; i++)
        for (size_t at = 0; at < guarded->bytes[i]; at += guarded->planes[i].step)
            if (madvise(guarded->map[i] + at, PAGE, POPULATE_READ) == 0)
                return error_set(error, -EDOM, "opens memory beside %s",
                                 name_of(made, (int)i));
    return 0;
}

static void attempt_call(struct made_call *made, const struct placing *placing,
                         const struct declared_answers *want, struct attempt *attempt)
{
    const struct simdbench_operands own = made->operands;
    struct guarded guarded;
    struct crash crash = {.signal = 0};
    *attempt = (struct attempt){.operand = -1};
    struct error lost;
    bool modes = false;
    char note[200]; /* both are told of a call that is not guarded */
    attempt->status = guarded_make(made, placing, &guarded);
    if (attempt->status < 0) {
        error_set(&attempt->error, attempt->status, "no memory for guarded arrays");
        guarded_free(&guarded);
        return;
    }
    attempt->status = point(made, &guarded.view, &guarded, &attempt->error);
    protect_inputs(&guarded, PROT_READ);
    if (attempt->status == 0)
        attempt->status = made_call_run_caught(made, &modes, note, sizeof note, &crash,
                                               &attempt->error);
    protect_inputs(&guarded, PROT_READ | PROT_WRITE);
    if (attempt->status == -EFAULT) {
        attempt->write = crash.write;
        attempt->general = crash.general;
        find_side(&guarded, placing->at_begin, crash.address, attempt);
        find_far(&guarded, crash.address, attempt);
    } else if (attempt->status == 0) {
        attempt->status = check_guards(made, &guarded, &attempt->error);
        declared_finish(&made->call);
    }
    const int back =
        point(made, &own, &guarded, attempt->status ? &lost : &attempt->error);
    attempt->status = attempt->status ?: back;
    if (attempt->status == 0)
        attempt->status = compare_first(made, &guarded, want, &attempt->error);
    guarded_free(&guarded);
}

/* ---- how far ---- */

/* The least room behind arrays with which nothing is touched that must not be, at most a
 * page. */
static size_t find_gap(struct made_call *made, const struct placing *first)
{
    const struct declared_answers nothing = {.n = 0};
    struct placing placing = *first;
    struct attempt attempt;
    size_t less = first->gap, enough = PAGE;
    while (enough - less > 1) {
        placing.gap = less + (enough - less) / 2;
        attempt_call(made, &placing, &nothing, &attempt);
        if (attempt.operand >= 0 && attempt.side == BEYOND && !attempt.beyond)
            less = placing.gap;
        else
            enough = placing.gap;
    }
    return enough;
}

static int tell_beyond(struct made_call *made, const struct placing *placing,
                       const struct attempt *attempt, struct error *error)
{
    const char *const name = name_of(made, attempt->operand);
    const char *const verb = attempt->write ? "writes" : "reads";
    const int argument = made->slot->operand[attempt->operand].argument;
    const bool planes = argument != NO_OPERAND && made->table[argument];
    const uint64_t count = planes ? made->sizes.plane[argument]
                                  : made->operands.operand[attempt->operand]->count;
    if (attempt->side == INSIDE)
        return error_set(error, -EDOM,
                         "writes to %s, an input: if it may do so, inout stands before "
                         "its type",
                         name);
    if (attempt->side == BEFORE)
        return error_set(error, -EDOM, "%s before the beginning of %s", verb, name);
    /* An array begins at a multiple of its elements. */
    const size_t element = type_bytes(made->operands.operand[attempt->operand]->type);
    const size_t found = attempt->beyond     ? attempt->beyond
                         : placing->at_begin ? PAGE
                                             : find_gap(made, placing);
    const size_t gap = (found + element - 1) / element * element;
    char far[64], enough[64] = "";
    snprintf(far, sizeof far, gap < PAGE ? "%zu bytes" : "%zu bytes or more", gap);
    if (gap < PAGE && !attempt->beyond)
        snprintf(enough, sizeof enough, "; %" PRIu64 " would be enough",
                 count + gap / element);
    return error_set(
        error, -EDOM, "%s %s beyond the end of %s%s, which has %" PRIu64 " elements%s%s",
        verb, far, planes ? "an array of " : "", name, count, enough,
        attempt->write || attempt->far ? ""
                                       : "; \"overread\" in a declaration allows it");
}

/* An address far from an array belongs to it if it moves with the array: its distance to
 * another one changes. */
static bool is_of_array(struct made_call *made, const struct placing *placing,
                        const struct attempt *attempt)
{
    const struct declared_answers nothing = {.n = 0};
    struct placing spread = *placing;
    struct attempt again;
    spread.spread = true;
    if (attempt->far)
        attempt_call(made, &spread, &nothing, &again);
    return !attempt->far ||
           (again.operand == attempt->operand && again.beyond == attempt->beyond);
}

static int run_set(struct made_call *made, const struct declared_answers *want,
                   char *note, size_t size, struct error *error)
{
    struct placing placings[] = {
        {.gap = made->slot->from->overread, .align = 1},
        {.at_begin = true, .align = 1},
    };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < made->operands.count; i++)
        bytes += operand_bytes(made->operands.operand[i]);
    for (size_t i = 0; i < ARRAY_LEN(placings) && bytes <= GUARDED_BYTES_MAX; i++) {
        struct attempt attempt;
        bool aligned = false;
        attempt_call(made, &placings[i], want, &attempt);
        struct attempt first = attempt;
        if (attempt.status < 0 && attempt.operand < 0 && !placings[i].at_begin) {
            placings[i].align = ALIGNED;
            attempt_call(made, &placings[i], want, &attempt);
            aligned = attempt.status == 0;
        }
        if (attempt.operand >= 0 && is_of_array(made, &placings[i], &attempt))
            return tell_beyond(made, &placings[i], &attempt, error);
        if (first.status < 0 && !(aligned && first.general))
            return error_set(
                error, first.status, "%s%s", first.error.text,
                aligned ? " (arrays that are aligned to their elements alone)" : "");
        if (aligned)
            snprintf(note, size,
                     "needs arrays that are aligned to more than their elements: it "
                     "crashes otherwise");
    }
    return 0;
}

/* Calls of a program have integers of their own, which may lead beyond the arrays of one
 * set alone. The answers are those of the first. */
int declared_run_guarded(const struct declared_call *call,
                         const struct declared_answers *want, char *note, size_t size,
                         struct error *error)
{
    struct made_call *const made = (struct made_call *)call;
    const struct simdbench_operands operands = made->operands;
    const struct declared_sizes sizes = made->sizes;
    const struct declared_answers nothing = {.n = 0};
    const struct made_call *set = made->slot->calls.n ? made->sets : NULL;
    *note = '\0';
    int status = run_set(made, want, note, size, error);
    for (; set && status == 0; set = set->sets) {
        made->operands = set->operands;
        made->sizes = set->sizes;
        status = run_set(made, &nothing, note, size, error);
        made->sizes = sizes;
        const int back = declared_point(&made->call, &operands, error);
        status = status ?: back;
    }
    return status;
}

void made_call_name_array(const struct made_call *made, struct error *error)
{
    const struct declared_answers nothing = {.n = 0};
    struct error named;
    char note[200];
    if (declared_run_guarded(&made->call, &nothing, note, sizeof note, &named) == -EDOM)
        *error = named;
}
