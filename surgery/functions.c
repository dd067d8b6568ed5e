/* SPDX-License-Identifier: Apache-2.0 */
/* From executed addresses to functions, and from these to their instructions. */
#include "surgery_private.h"

#include <dlfcn.h>

/* ---- blocks ---- */

struct block *block_at(const struct surgery *surgery, uint64_t address)
{
    for (size_t i = 0; i < surgery->n_blocks; i++)
        if (address >= surgery->block[i].lo && address < surgery->block[i].hi)
            return (struct block *)&surgery->block[i];
    return NULL;
}

bool is_copied(const struct surgery *surgery, uint64_t address)
{
    const struct block *block = block_at(surgery, address);
    return block && block->mark[address - block->lo] & MARK_START;
}

static bool is_still(const struct surgery *surgery, const struct object *object)
{
    bool still = false;
    for (size_t i = 0; i < ARRAY_LEN(surgery->still) && object; i++)
        still |= object == surgery->still[i];
    return still;
}

bool same_part(const struct block *a, const struct block *b)
{
    return a == b || (a->object && a->object == b->object);
}

static const struct frame *left_at(const struct surgery *surgery, uint64_t address)
{
    for (size_t i = 0; i < surgery->n_left; i++)
        if (address >= surgery->left[i].lo && address < surgery->left[i].hi)
            return &surgery->left[i];
    return NULL;
}

bool surgery_has(const struct surgery *surgery, uint64_t address)
{
    return is_copied(surgery, address) ||
           (is_still(surgery, object_at(&surgery->objects, address)) &&
            !left_at(surgery, address));
}

/* Arithmetic of an unwinder's file has names; most of its other code has none. Frames of
 * copies are found in lists, and those of files in tables that the linker sorted. */
bool unwinds(const struct surgery *surgery, uint64_t address)
{
    static const char prefix[] = "_Unwind_";
    const struct object *const object = object_at(&surgery->objects, address);
    struct symbol symbol;
    return object != surgery->still[0] && object != surgery->still[1] &&
           is_still(surgery, object) &&
           (!symbol_at(object, address, &symbol) ||
            !strncmp(symbol.name, prefix, strlen(prefix)));
}

static int add_block(struct search *search, struct block new)
{
    struct surgery *surgery = search->surgery;
    for (size_t i = 0; i < surgery->n_blocks;) {
        struct block *block = &surgery->block[i];
        if (block->lo >= new.hi || block->hi <= new.lo) {
            i++;
            continue;
        }
        new.lo = block->lo < new.lo ? block->lo : new.lo;
        new.hi = block->hi > new.hi ? block->hi : new.hi;
        new.loose |= block->loose;
        FREE_EACH(block->image, block->mark);
        *block = surgery->block[--surgery->n_blocks];
    }
    if (surgery->n_blocks == BLOCKS_MAX)
        return error_set(search->error, -E2BIG, "a call executes more than %d functions",
                         BLOCKS_MAX);
    new.image = NULL;
    new.mark = NULL;
    surgery->block[surgery->n_blocks++] = new;
    return 0;
}

static int leave(struct search *search, const struct frame *frame)
{
    struct surgery *surgery = search->surgery;
    if (surgery->n_left == BLOCKS_MAX)
        return error_set(search->error, -E2BIG, "more than %d functions cannot be copied",
                         BLOCKS_MAX);
    surgery->left[surgery->n_left++] = *frame;
    return 0;
}

/* By its symbol, else by its unwind information, which tells of handlers in any case. */
bool function_at(const struct object *object, uint64_t address, struct frame *function)
{
    struct frame frame;
    struct symbol symbol;
    const bool framed = frame_at(object->frames, address, &frame);
    if (symbol_at(object, address, &symbol) && symbol.code)
        *function = (struct frame){.lo = symbol.lo, .hi = symbol.hi};
    else if (framed)
        *function = frame;
    else
        return false;
    function->handlers = framed ? frame.handlers : 0;
    return true;
}

static int is_within(void *context, uint64_t address)
{
    const struct frame *const function = context;
    return address >= function->lo && address < function->hi ? 0 : -ENOTSUP;
}

/* Its handlers are to be copied with it, and found in the copy. */
static bool can_handle(const struct surgery *surgery, const struct object *object,
                       uint64_t address, struct frame *function)
{
    struct frame frame;
    return !function->handlers || surgery->subject.only_code ||
           (surgery->n_unwinders && frame_at(object->frames, address, &frame) &&
            handlers_visit(&frame, is_within, function) == 0);
}

static int add_function_at(struct search *search, uint64_t address)
{
    struct surgery *surgery = search->surgery;
    const struct region *region = region_at(&surgery->objects, address);
    const struct object *object = object_at(&surgery->objects, address);
    struct frame function;
    if (block_at(surgery, address) || left_at(surgery, address) || !region)
        return 0;
    if (is_still(surgery, object))
        return !surgery->subject.only_code && unwinds(surgery, address) &&
                       function_at(object, address, &function)
                   ? leave(search, &function)
                   : 0;
    if (object && function_at(object, address, &function)) {
        if (!can_handle(surgery, object, address, &function))
            return leave(search, &function);
        return add_block(
            search,
            (struct block){.lo = function.lo, .hi = function.hi, .object = object});
    }
    function = (struct frame){.lo = region->lo, .hi = region->hi};
    if (!object && !region->own) /* the kernel's */
        return leave(search, &function);
    /* Stubs of some linkers have neither symbols nor unwind information. Together with
     * all other code of their mapping they would be one function. */
    if (object)
        section_at(object, address, &function.lo, &function.hi);
    return add_block(search, (struct block){.lo = function.lo,
                                            .hi = function.hi,
                                            .object = object,
                                            .loose = true});
}

int add_named(struct search *search, uint64_t address)
{
    struct surgery *const surgery = search->surgery;
    const struct object *const object = object_at(&surgery->objects, address);
    const uint64_t slot =
        surgery->subject.named && object ? stub_slot(surgery, address) : 0;
    struct frame function;
    if (slot)
        memcpy(&address, (const void *)(uintptr_t)slot, sizeof address);
    if (!surgery->subject.named || !object || is_still(surgery, object) ||
        object_at(&surgery->objects, address) != object || block_at(surgery, address))
        return 0;
    if (!function_at(object, address, &function)) {
        surgery->unfound = true;
        return 0;
    }
    const int status = add_function_at(search, address);
    search->again |= block_at(surgery, address) != NULL;
    return status;
}

int tie_blocks(struct search *search, struct block *block, uint64_t target)
{
    const struct object *const object = block->object;
    struct frame function;
    char where[64];
    if (!object || !function_at(object, target, &function)) {
        surgery_where(search->surgery, target, where, sizeof where);
        return error_set(search->error, -EFAULT, "a short jump leads to unknown code, %s",
                         where);
    }
    const struct block both = {.lo = block->lo < function.lo ? block->lo : function.lo,
                               .hi = block->hi > function.hi ? block->hi : function.hi,
                               .object = object};
    search->again = true;
    return add_block(search, both);
}

/* ---- all of it ---- */

void functions_forget(struct surgery *surgery)
{
    for (size_t i = 0; i < surgery->n_blocks; i++) {
        FREE_EACH(surgery->block[i].image, surgery->block[i].mark);
        surgery->block[i].image = surgery->block[i].mark = NULL;
        surgery->block[i].indirect = surgery->block[i].calls = 0;
        surgery->block[i].moves = 0;
        surgery->block[i].unknown = false;
        surgery->block[i].slots = surgery->block[i].anchor = 0;
    }
    surgery->n_fixes = surgery->n_extras = 0;
    surgery->unfound = false;
}

void functions_free(struct surgery *surgery)
{
    functions_forget(surgery);
    FREE_EACH(surgery->fix, surgery->extra);
}

/* Each computed jump has a table; or calls an address that the code itself holds. */
bool surgery_is_closed(const struct surgery *surgery)
{
    FOR_EACH (const struct block, block, surgery->block, surgery->n_blocks) {
        size_t tables = 0;
        for (size_t k = 0; k < surgery->n_extras; k++)
            tables += surgery->extra[k].n && surgery->extra[k].block == block;
        /* Code that is made for a call may jump to such an address, too. */
        if (block->unknown || block->indirect + block->calls > tables + block->moves ||
            (block->object && block->indirect > tables))
            return false;
    }
    return surgery->subject.named && !surgery->n_left && !surgery->unfound;
}

static struct part_room *part_of(struct surgery *surgery, const struct block *block)
{
    size_t p = 0;
    while (p < surgery->n_parts && !same_part(surgery->part[p].block, block))
        p++;
    if (p == surgery->n_parts)
        surgery->part[surgery->n_parts++] =
            (struct part_room){.block = block, .lo = block->lo, .hi = block->hi};
    return &surgery->part[p];
}

/* Tables and slots lie in their lines as the originals do. */
static void take_parts(struct surgery *surgery)
{
    FOR_EACH (struct block, block, surgery->block, surgery->n_blocks) {
        struct part_room *part = part_of(surgery, block);
        block->part = (size_t)(part - surgery->part);
        part->lo = block->lo < part->lo ? block->lo : part->lo;
        part->hi = block->hi > part->hi ? block->hi : part->hi;
    }
    FOR_EACH (struct extra, extra, surgery->extra, surgery->n_extras) {
        struct part_room *part = part_of(surgery, extra->block);
        extra->offset = part->extras + (extra->address - part->extras) % 64;
        part->extras = extra->offset + extra->bytes * (extra->n ?: 1);
    }
}

/* The C library, its loader and what unwinds, unless the function is one of it. A trace
 * that did not begin with the function names any other one first. */
static void find_still(struct surgery *surgery)
{
    const uint64_t in[] = {(uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "abort"),
                           (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "__tls_get_addr"),
                           (uint64_t)(uintptr_t)surgery->unwinder[0].add,
                           (uint64_t)(uintptr_t)surgery->unwinder[1].add};
    const uint64_t function = (uint64_t)(uintptr_t)surgery->subject.function
                                  ?: (uint64_t)(uintptr_t)surgery->subject.run;
    const struct object *const own = object_at(&surgery->objects, function);
    for (size_t i = 0; i < ARRAY_LEN(in); i++) {
        const struct object *const object = object_at(&surgery->objects, in[i]);
        surgery->still[i] = object == own ? NULL : object;
    }
}

int functions_find(struct surgery *surgery, struct error *error)
{
    struct search search = {.surgery = surgery, .error = error};
    int status = 0;
    if (surgery->subject.libc_stays)
        find_still(surgery);
    for (size_t i = 0; i < surgery->n_executed && status == 0; i++)
        status = add_function_at(&search, surgery->executed[i]);
    do
        status = status < 0 ? status : code_find(&search);
    while (status == 0 && search.again);
    FREE_EACH(search.todo.at, search.taken.at);
    if (status == 0 && !surgery->n_blocks)
        status = error_set(error, -ENOTSUP, "no executed function can be copied");
    if (status == 0)
        take_parts(surgery);
    return status;
}
