/* SPDX-License-Identifier: Apache-2.0 */
/* Checked calls: on arrays that end, or begin, at a page that nobody may touch. */
#include "called_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
/* Copies of larger operands would take too long. */
#define GUARDED_BYTES_MAX ((uint64_t)1 << 30)
enum { ALIGNED = 64, FAULTS_OF_RESULTS = ~(CALL_UPPER | CALL_MXCSR) };

/* ---- what a call leaves ---- */

struct checked {
    struct made_call *made;
    struct call_faults faults;
};

static void run_checked(void *context)
{
    struct checked *const checked = context;
    thunk_check(checked->made->thunk, &checked->made->frame, &checked->faults);
}

/* The words that thunk_check() has for control words are those of worker, too. */
static int judge_faults(const struct call_faults *faults, char *note, size_t size,
                        struct error *error)
{
    *note = '\0';
    if (faults->faults & (unsigned)FAULTS_OF_RESULTS)
        return error_set(error, -EDOM, "%s", faults->text);
    if (faults->faults & CALL_UPPER)
        snprintf(note, size,
                 "leaves upper halves of vector registers in use: SSE code of its caller "
                 "may be slower after it (vzeroupper is missing)");
    return 0;
}

static int run_caught(struct made_call *made, char *note, size_t size,
                      struct crash *crash, struct error *error)
{
    struct checked checked = {.made = made};
    char text[200];
    const int status = crash_catch(run_checked, &checked, crash);
    if (status == -EFAULT) {
        crash_text(crash, text, sizeof text);
        return error_set(error, status, "%s", text);
    }
    return status ?: judge_faults(&checked.faults, note, size, error);
}

int declared_run_checked(struct declared_call *call, char *note, size_t size,
                         struct error *error)
{
    struct made_call *const made = (struct made_call *)call;
    struct crash crash;
    const int status = run_caught(made, note, size, &crash, error);
    if (status != -EFAULT)
        made_call_finish(made);
    return status;
}

/* ---- guarded arrays ---- */

/* A copy of the operands, each between two guards. */
struct guarded {
    struct simdbench_operands view;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    unsigned char *map[SIMDBENCH_MAX_OPERANDS]; /* begins with a guard */
    size_t bytes[SIMDBENCH_MAX_OPERANDS];       /* of the whole, guards too */
};

static size_t bytes_of(const struct simdbench_operand *operand)
{
    return operand->count * type_bytes(operand->type);
}

/* Where an array lies: `gap` bytes before the guard behind it, or right behind the one
 * before it. */
struct placing {
    bool at_begin;
    size_t gap, align;
};

static void guarded_free(struct guarded *guarded)
{
    for (uint32_t i = 0; i < guarded->view.count; i++)
        if (guarded->map[i])
            munmap(guarded->map[i], guarded->bytes[i]);
}

static int guarded_make(const struct made_call *made, const struct placing *placing,
                        struct guarded *guarded)
{
    *guarded = (struct guarded){.view = made->operands};
    for (uint32_t i = 0; i < made->operands.count; i++) {
        const struct simdbench_operand *const from = made->operands.operand[i];
        const size_t bytes = bytes_of(from);
        const size_t inner =
            (bytes + placing->gap + placing->align + PAGE - 1) / PAGE * PAGE;
        guarded->operand[i] = *from;
        guarded->view.operand[i] = &guarded->operand[i];
        guarded->bytes[i] = inner + 2 * PAGE;
        unsigned char *const map =
            mmap(NULL, guarded->bytes[i], PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map == MAP_FAILED)
            return -ENOMEM;
        guarded->map[i] = map;
        if (mprotect(map + PAGE, inner, PROT_READ | PROT_WRITE) < 0)
            return -ENOMEM;
        size_t at = placing->at_begin ? PAGE : PAGE + inner - placing->gap - bytes;
        const size_t element = type_bytes(from->type);
        if (!placing->at_begin)
            at -= at % (placing->align > element ? placing->align : element);
        guarded->operand[i].data = map + at;
        if (from->role != SIMDBENCH_OUT)
            memcpy(map + at, from->data, bytes);
    }
    for (uint32_t i = 0; i < guarded->view.count; i++) {
        const struct simdbench_operand *const operand = &guarded->operand[i];
        if (operand->role == SIMDBENCH_INOUT)
            memcpy(operand->data, made->operands.operand[operand->source]->data,
                   bytes_of(operand));
        else if (operand->role == SIMDBENCH_OUT)
            type_poison(operand->type, operand->data, operand->count);
    }
    return 0;
}

/* The operand whose guard that is, or -1; `before`: the guard before it. */
static int guard_of(const struct guarded *guarded, uintptr_t address, bool *before)
{
    for (uint32_t i = 0; i < guarded->view.count; i++) {
        const uintptr_t map = (uintptr_t)guarded->map[i];
        if (address < map || address >= map + guarded->bytes[i])
            continue;
        *before = address < map + PAGE;
        return (int)i;
    }
    return -1;
}

/* One call at such a place. */
struct attempt {
    int status; /* of the call */
    int operand;
    bool before, write, general;
    struct error error;
};

static void attempt_call(struct made_call *made, const struct placing *placing,
                         const struct declared_answers *want, char *note, size_t size,
                         struct attempt *attempt)
{
    const struct simdbench_operands own = made->operands;
    struct guarded guarded;
    struct crash crash = {.signal = 0};
    *attempt = (struct attempt){.operand = -1};
    attempt->status = guarded_make(made, placing, &guarded);
    if (attempt->status == 0) {
        made_call_point(made, &guarded.view);
        attempt->status = run_caught(made, note, size, &crash, &attempt->error);
    }
    if (attempt->status == -EFAULT) {
        attempt->operand = guard_of(&guarded, crash.address, &attempt->before);
        attempt->write = crash.write;
        attempt->general = crash.general;
    } else if (attempt->status == 0) {
        made_call_finish(made);
        uint32_t first = 0;
        while (first < guarded.view.count && !operand_is_output(&guarded.operand[first]))
            first++;
        if (want->n && first < guarded.view.count)
            attempt->status =
                operands_compare(&guarded.operand[first], want->index, want->n,
                                 want->value, want->slack, &attempt->error);
    }
    guarded_free(&guarded);
    made_call_point(made, &own);
}

/* ---- how far ---- */

/* The least room behind arrays with which nothing is touched that must not be, at most a
 * page. */
static size_t find_gap(struct made_call *made, const struct placing *first)
{
    const struct declared_answers nothing = {.n = 0};
    struct placing placing = *first;
    struct attempt attempt;
    char note[200];
    size_t less = first->gap, enough = PAGE;
    while (enough - less > 1) {
        placing.gap = less + (enough - less) / 2;
        attempt_call(made, &placing, &nothing, note, sizeof note, &attempt);
        if (attempt.operand >= 0)
            less = placing.gap;
        else
            enough = placing.gap;
    }
    return enough;
}

static const char *name_of(const struct made_call *made, int operand)
{
    const int argument = made->slot->operand[operand].argument;
    return argument == NO_OPERAND ? "the result"
                                  : made->slot->from->declaration.argument[argument].name;
}

static int tell_beyond(struct made_call *made, const struct placing *placing,
                       const struct attempt *attempt, struct error *error)
{
    const char *const name = name_of(made, attempt->operand);
    const char *const verb = attempt->write ? "writes" : "reads";
    const uint64_t count = made->operands.operand[attempt->operand]->count;
    if (attempt->before)
        return error_set(error, -EDOM, "%s before the beginning of %s", verb, name);
    /* An array begins at a multiple of its elements. */
    const size_t element = type_bytes(made->operands.operand[attempt->operand]->type);
    const size_t found = placing->at_begin ? PAGE : find_gap(made, placing);
    const size_t gap = (found + element - 1) / element * element;
    char far[64];
    snprintf(far, sizeof far, gap < PAGE ? "%zu bytes" : "%zu bytes or more", gap);
    return error_set(error, -EDOM,
                     "%s %s beyond the end of %s, which has %" PRIu64 " elements%s", verb,
                     far, name, count,
                     attempt->write ? "" : "; \"overread\" in a declaration allows it");
}

int declared_run_guarded(const struct declared_call *call,
                         const struct declared_answers *want, char *note, size_t size,
                         struct error *error)
{
    struct made_call *const made = (struct made_call *)call;
    struct placing placings[] = {
        {.gap = made->slot->from->overread, .align = 1},
        {.at_begin = true, .align = 1},
    };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < made->operands.count; i++)
        bytes += bytes_of(made->operands.operand[i]);
    *note = '\0';
    for (size_t i = 0; i < ARRAY_LEN(placings) && bytes <= GUARDED_BYTES_MAX; i++) {
        struct attempt attempt;
        char left[200];
        bool aligned = false;
        attempt_call(made, &placings[i], want, left, sizeof left, &attempt);
        if (attempt.status == -EFAULT && attempt.general && !placings[i].at_begin) {
            aligned = true;
            placings[i].align = ALIGNED;
            attempt_call(made, &placings[i], want, left, sizeof left, &attempt);
        }
        if (attempt.operand >= 0)
            return tell_beyond(made, &placings[i], &attempt, error);
        if (attempt.status < 0)
            return error_set(error, attempt.status, "%s%s", attempt.error.text,
                             placings[i].at_begin || attempt.status == -EFAULT
                                 ? ""
                                 : " (arrays that are aligned to their elements alone)");
        if (aligned)
            snprintf(note, size,
                     "needs arrays that are aligned to more than their elements: it "
                     "crashes otherwise");
    }
    return 0;
}
