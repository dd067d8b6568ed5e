/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes; selects a variant: jumps at old entries lead to its functions. */
#include "surgery_private.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "files.h"

enum { JUMP = 0xe9, CALL = 0xe8, BRANCH = 0x0f, BRANCH_HIGH = 0x8, ENDBR_BYTES = 4 };

/* ---- names ---- */

void surgery_where(const struct surgery *surgery, uint64_t address, char *text,
                   size_t size)
{
    const struct object *const object = object_at(&surgery->objects, address);
    const struct region *const region = region_at(&surgery->objects, address);
    struct symbol symbol;
    if (object && symbol_at(object, address, &symbol))
        snprintf(text, size, "%s+0x%" PRIx64, symbol.name, address - symbol.lo);
    else if (object)
        snprintf(text, size, "%s+0x%" PRIx64, basename(object->path),
                 address - object->lo);
    else
        snprintf(text, size, "%s+0x%" PRIx64, region && region->own ? "jit" : "kernel",
                 address - (region ? region->lo : 0));
}

/* ---- jumps ---- */

/* The code of this process is written as a debugger does it, whatever its protection. */
static int write_code(const struct surgery *surgery, uint64_t address, const void *bytes,
                      size_t n, struct error *error)
{
    const ssize_t written = pwrite(surgery->memory_fd, bytes, n, (off_t)address);
    return written == (ssize_t)n
               ? 0
               : error_set(error, written < 0 ? -errno : -EIO,
                           "the system forbids writing to code: %s",
                           written < 0 ? strerror(errno) : "not all of it");
}

static int no_room(const struct surgery *surgery, uint64_t entry, const char *why,
                   struct error *error)
{
    char where[96];
    surgery_where(surgery, entry, where, sizeof where);
    return error_set(error, -EFAULT, "%s is reached by a pointer, and %s", where, why);
}

/* Zeros up to the next function, with which linkers fill the space between sections: they
 * end where that is aligned. */
static bool is_gap(const struct surgery *surgery, const struct object *object,
                   uint64_t at)
{
    enum { ALIGNED = 16 };
    const struct region *const region = region_at(&surgery->objects, at);
    const uint64_t next = (at | (ALIGNED - 1)) + 1;
    struct frame function;
    if (!region || next >= region->hi)
        return false;
    while (at < next && !read_memory(at, 1))
        at++;
    return at == next && function_at(object, next, &function);
}

/* Bytes between functions, which nobody executes. */
static bool is_padding(const struct surgery *surgery, const struct block *block,
                       uint64_t at, struct insn *insn)
{
    struct frame other;
    if (!block->object || (at >= block->hi && block_at(surgery, at)) ||
        function_at(block->object, at, &other))
        return false;
    *insn = (struct insn){.length = 1};
    return is_gap(surgery, block->object, at) ||
           (insn_decode((const unsigned char *)(uintptr_t)at, INSN_BYTES_MAX, at, insn) &&
            insn->padding);
}

/* Is there nothing else than code of the block, and padding behind a function? */
static bool has_room(const struct surgery *surgery, const struct block *block,
                     uint64_t at)
{
    const uint64_t end = at + JUMP_BYTES;
    struct insn insn;
    while (at < end &&
           (is_padding(surgery, block, at, &insn) ||
            (at < block->hi && block->mark[at - block->lo] & MARK_START &&
             insn_decode(block->image + (at - block->lo), block->hi - at, at, &insn))))
        at += insn.length;
    return at >= end;
}

static bool is_within(uint64_t target, uint64_t at)
{
    return target > at && target < at + JUMP_BYTES;
}

/* Does an instruction of this function lead behind the first byte of a jump? */
static bool function_leads(const struct frame *function, uint64_t at)
{
    struct insn insn;
    for (uint64_t from = function->lo; from < function->hi; from += insn.length) {
        if (!insn_decode((const unsigned char *)(uintptr_t)from, function->hi - from,
                         from, &insn))
            return false;
        if (insn.reference == REFERS_BRANCH && is_within(insn.target, at))
            return true;
    }
    return false;
}

/* Four bytes from there on are the distance of a jump, a call or a branch, or look so.
 * Data may stand among code, also what sanitizers keep others from reading. */
__attribute__((no_sanitize("address"))) static bool is_distance(uint64_t from)
{
    const unsigned char *const byte = (const unsigned char *)(uintptr_t)from;
    return byte[-1] == JUMP || byte[-1] == CALL ||
           (byte[-2] == BRANCH && byte[-1] >> 4 == BRANCH_HIGH);
}

/* Functions that did not execute may be called while a variant is selected: memcpy and
 * mempcpy share their code. Short jumps come from functions nearby, others from anywhere
 * in the object, which may have many megabytes. */
__attribute__((no_sanitize("address", "undefined"))) static bool
strangers_lead(const struct surgery *surgery, const struct block *block, uint64_t at)
{
    enum { SHORT_REACH = 160, LONG_BYTES = 4 };
    const struct region *const region = region_at(&surgery->objects, at);
    struct frame near;
    if (!region || !block->object)
        return false;
    for (uint64_t from = at - SHORT_REACH; from < at + SHORT_REACH; from++)
        if (!block_at(surgery, from) && function_at(block->object, from, &near)) {
            if (function_leads(&near, at))
                return true;
            from = near.hi > from ? near.hi - 1 : from;
        }
    for (uint64_t from = region->lo + 2; from + LONG_BYTES <= region->hi; from++) {
        int32_t distance;
        memcpy(&distance, (const void *)(uintptr_t)from, sizeof distance);
        const uint64_t target = from + LONG_BYTES + (uint64_t)(int64_t)distance;
        if (is_within(target, at) && is_distance(from) && !block_at(surgery, from))
            return true;
    }
    return false;
}

int jump_add(struct surgery *surgery, uint64_t entry, struct error *error)
{
    const struct block *const block = block_at(surgery, entry);
    struct insn insn;
    if (!block || !is_copied(surgery, entry))
        return no_room(surgery, entry, "is no beginning of a copied instruction", error);
    if (surgery->n_jumps == JUMPS_MAX)
        return no_room(surgery, entry, "there are too many such places", error);
    const unsigned char *image = block->image + (entry - block->lo);
    if (!insn_decode(image, block->hi - entry, entry, &insn))
        return no_room(surgery, entry, "cannot be decoded", error);
    const uint64_t at = entry + (insn.endbr ? ENDBR_BYTES : 0);
    struct jump jump = {.at = at, .entry = entry};
    if (!has_room(surgery, block, at))
        return no_room(surgery, entry, "is shorter than a jump", error);
    for (unsigned i = 1; i < JUMP_BYTES && at + i < block->hi; i++)
        if (block->mark[at - block->lo + i] & MARK_TARGET)
            return no_room(surgery, entry, "jumps lead into its first 5 bytes", error);
    if (strangers_lead(surgery, block, at))
        return no_room(surgery, entry,
                       "jumps of other functions lead into its first 5 bytes", error);
    for (size_t i = 0; i < surgery->n_jumps; i++)
        if (surgery->jump[i].at < at + JUMP_BYTES &&
            at < surgery->jump[i].at + JUMP_BYTES)
            return no_room(surgery, entry, "another such place is too near", error);
    memcpy(jump.before, (const void *)(uintptr_t)at, JUMP_BYTES);
    surgery->jump[surgery->n_jumps++] = jump;
    return 0;
}

int surgery_restore(struct surgery *surgery, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < surgery->n_jumps && surgery->selected; i++) {
        const struct jump *const jump = &surgery->jump[i];
        const int wrote = write_code(surgery, jump->at, jump->before, JUMP_BYTES, error);
        status = status < 0 ? status : wrote;
    }
    if (surgery->selected)
        unwinding_tell(surgery->selected, false);
    surgery->selected = NULL;
    return status;
}

static int write_jump(const struct surgery_variant *variant, const struct jump *jump,
                      struct error *error)
{
    const uint64_t to = copy_of(variant, jump->entry) + (jump->at - jump->entry);
    const int64_t distance = (int64_t)(to - (jump->at + JUMP_BYTES));
    const int32_t value = (int32_t)distance;
    unsigned char bytes[JUMP_BYTES] = {JUMP};
    if (value != distance)
        return error_set(error, -ERANGE, "a copy lies beyond 2 GB of the original");
    memcpy(bytes + 1, &value, sizeof value);
    return write_code(variant->surgery, jump->at, bytes, sizeof bytes, error);
}

int surgery_select(struct surgery_variant *variant, surgery_function **run,
                   struct error *error)
{
    struct surgery *surgery = variant->surgery;
    const uint64_t original = (uint64_t)(uintptr_t)surgery->subject.run;
    const bool already = surgery->selected == variant;
    int status = already ? 0 : surgery_restore(surgery, error);
    surgery->selected = variant;
    if (!already)
        unwinding_tell(variant, true);
    for (size_t i = 0; i < surgery->n_jumps && status == 0 && !already; i++)
        status = write_jump(variant, &surgery->jump[i], error);
    if (status < 0)
        (void)surgery_restore(surgery, NULL);
    *run = (surgery_function *)(uintptr_t)(status < 0 ? original
                                                      : copy_of(variant, original));
    return status;
}

/* ---- open and close ---- */

/* Other threads may stand in the old code, and a child would be without them. */
int surgery_available(struct error *error)
{
    return folder_count("/proc/self/task") == 1
               ? 0
               : error_set(error, -ENOTSUP, "the process has several threads");
}

void surgery_close(struct surgery *surgery)
{
    if (!surgery)
        return;
    while (surgery->first)
        surgery_drop(surgery->first);
    functions_free(surgery);
    for (size_t i = 0; i < SURGERY_EDITS; i++)
        free(surgery->edit[i].item);
    FREE_EACH(surgery->counts, surgery->executed);
    objects_close(&surgery->objects);
    if (surgery->memory_fd >= 0)
        close(surgery->memory_fd);
    free(surgery);
}

int surgery_open(const struct surgery_subject *subject, const uint64_t *executed,
                 size_t n, struct surgery **out, struct error *error)
{
    int status = subject->only_code ? 0 : surgery_available(error);
    if (status < 0)
        return status;
    struct surgery *surgery = calloc(1, sizeof *surgery);
    if (!surgery)
        return no_memory(error);
    surgery->subject = *subject;
    surgery->executed = malloc((n + 1) * sizeof *executed);
    surgery->n_executed = surgery->executed ? n : 0;
    if (surgery->n_executed)
        memcpy(surgery->executed, executed, n * sizeof *executed);
    surgery->memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    status = surgery->memory_fd < 0 ? -errno : objects_open(&surgery->objects);
    if (!surgery->executed)
        status = -ENOMEM;
    if (status < 0)
        error_set(error, status, "cannot read this process: %s", strerror(-status));
    else
        unwinders_find(surgery);
    if (status == 0)
        status = functions_find(surgery, error);
    for (size_t i = 0; i < surgery->n_blocks && status == 0; i++)
        if (surgery->block[i].object)
            object_hold(&surgery->objects, surgery->block[i].object);
    if (status < 0)
        surgery_close(surgery);
    else
        *out = surgery;
    return status;
}

void surgery_facts(const struct surgery *surgery, struct surgery_facts *facts)
{
    char where[64];
    *facts = (struct surgery_facts){.functions = (unsigned)surgery->n_blocks,
                                    .jumps = (unsigned)surgery->n_jumps,
                                    .left = (unsigned)surgery->n_left};
    for (size_t i = 0; i < surgery->n_extras; i++)
        facts->tables += surgery->extra[i].n > 0;
    FOR_EACH (const struct block, block, surgery->block, surgery->n_blocks)
        for (uint64_t k = 0; k < block->hi - block->lo; k++)
            facts->bytes += (block->mark[k] & MARK_COVERED) != 0;
    if (!surgery->n_left)
        return;
    surgery_where(surgery, surgery->left[0].lo, where, sizeof where);
    snprintf(facts->why_left, sizeof facts->why_left, "%s %s", where,
             unwinds(surgery, surgery->left[0].lo)
                 ? "unwinds the stack, and finds copies in another way"
             : surgery->left[0].handlers ? "handles exceptions"
                                         : "is the kernel's");
}
