/* SPDX-License-Identifier: Apache-2.0 */
/* From the beginnings of functions to all their instructions, jump tables and slots. */
#include "surgery_private.h"

/* A jump table has at least so many entries, and is not believed to have more. */
enum { TABLE_LEAST = 3, TABLE_MOST = 4096 };

/* ---- instructions ---- */

static int add_address(struct search *search, struct addresses *to, uint64_t address)
{
    if (!array_room(&to->at, to->n, sizeof *to->at))
        return no_memory(search->error);
    to->at[to->n++] = address;
    return 0;
}

static int push(struct search *search, uint64_t address)
{
    return add_address(search, &search->todo, address);
}

static int push_target(struct search *search, uint64_t address)
{
    struct block *block = block_at(search->surgery, address);
    if (!block)
        return add_named(search, address);
    if (search->again)
        return 0;
    block->mark[address - block->lo] |= MARK_TARGET;
    return push(search, address);
}

static int add_fix(struct search *search, const struct insn *insn)
{
    struct surgery *surgery = search->surgery;
    const struct block *const block = block_at(surgery, insn->address);
    /* The place from which all others are counted stays. */
    const bool anchors =
        block->slots && insn->reference == REFERS_LEA && insn->target == block->anchor;
    const enum reference reference = anchors ? REFERS_DATA : insn->reference;
    if (!array_room(&surgery->fix, surgery->n_fixes, sizeof *surgery->fix))
        return no_memory(search->error);
    surgery->fix[surgery->n_fixes++] = (struct fix){.address = insn->address,
                                                    .target = insn->target,
                                                    .reference = reference,
                                                    .length = insn->length,
                                                    .field = insn->field,
                                                    .extra = NO_EXTRA};
    return 0;
}

static int take_reference(struct search *search, struct block *block, struct insn *insn)
{
    const uint64_t counted = number_address(search->surgery, block, insn->moved);
    int status = 0;
    if (counted && counted != insn->moved && counted != block->slots) {
        insn->reference = REFERS_NUMBER;
        insn->target = counted;
        status = add_address(search, &search->taken, counted);
    }
    if (insn->reference == REFERS_NOT || status < 0)
        return status;
    if (insn->reference == REFERS_BRANCH && insn->field_bytes < 4) {
        if (insn->target < block->lo || insn->target >= block->hi)
            return tie_blocks(search, block, insn->target);
    } else {
        status = add_fix(search, insn);
    }
    return status == 0 && insn->reference == REFERS_BRANCH
               ? push_target(search, insn->target)
               : status;
}

/* Functions whose addresses the code takes, if it is wanted alone. */
static int take_named(struct search *search, struct block *block, const struct insn *insn)
{
    const struct surgery *const surgery = search->surgery;
    const uint64_t address =
        insn->reference == REFERS_LEA || insn->reference == REFERS_NUMBER ? insn->target
                                                                          : insn->moved;
    if (!surgery->subject.named || !leads_to_code(&surgery->objects, address) ||
        (insn->moved && !object_at(&surgery->objects, address)))
        return 0;
    block->moves += insn->moved != 0;
    return block_at(surgery, address) == block ? 0 : push_target(search, address);
}

/* True if a place within an instruction is taken for the beginning of another one. */
static bool overlaps(const struct block *block, uint64_t at, unsigned length)
{
    bool other = block->mark[at] & MARK_COVERED;
    for (unsigned i = 1; i < length; i++)
        other |= block->mark[at + i] & MARK_START;
    return other;
}

static int refuse_overlap(const struct search *search, uint64_t address)
{
    char where[96];
    surgery_where(search->surgery, address, where, sizeof where);
    return error_set(search->error, -EFAULT, "instructions overlap at %s", where);
}

/* Instructions from an address on, up to where the next one does not follow. */
static int walk(struct search *search, uint64_t address)
{
    struct block *block = block_at(search->surgery, address);
    struct insn insn;
    int status = 0;
    while (block && address < block->hi && status == 0 && !search->again) {
        const uint64_t at = address - block->lo, rest = block->hi - address;
        const size_t n = rest < INSN_BYTES_MAX ? (size_t)rest : INSN_BYTES_MAX;
        if (block->mark[at] & MARK_START ||
            !insn_decode((const unsigned char *)(uintptr_t)address, n, address, &insn))
            return 0;
        if (insn.reference != REFERS_NOT && overlaps(block, at, insn.length))
            return refuse_overlap(search, address);
        block->mark[at] |= MARK_START;
        for (unsigned i = 0; i < insn.length; i++)
            block->mark[at + i] |= MARK_COVERED;
        memcpy(block->image + at, (const void *)(uintptr_t)address, insn.length);
        block->indirect += insn.indirect_jump && insn.reference == REFERS_NOT;
        block->calls += insn.call && insn.reference == REFERS_NOT;
        status = take_reference(search, block, &insn);
        if (status == 0 && !search->again)
            status = take_named(search, block, &insn);
        if (insn.ends)
            return status;
        address += insn.length;
        search->surgery->unfound |= address >= block->hi && !insn.call;
    }
    return status;
}

static int walk_all(struct search *search)
{
    int status = 0;
    while (search->todo.n && status == 0 && !search->again)
        status = walk(search, search->todo.at[--search->todo.n]);
    return status;
}

/* ---- jump tables ---- */

static bool is_readable(const struct surgery *surgery, uint64_t address, uint64_t bytes)
{
    const struct region *region = region_at(&surgery->objects, address);
    return region && region->readable && !region->writable &&
           address + bytes <= region->hi;
}

/* Finds the addresses that code takes, of all functions, reached or not: a table ends
 * where the next one begins. Instructions follow each other from the beginning of a
 * function on, because compilers put no data between them. */
static int sweep(struct search *search, const struct block *block)
{
    struct insn insn;
    int status = 0;
    for (uint64_t at = block->lo; at < block->hi && status == 0 && !block->loose;) {
        const uint64_t rest = block->hi - at;
        const size_t n = rest < INSN_BYTES_MAX ? (size_t)rest : INSN_BYTES_MAX;
        const bool known =
            insn_decode((const unsigned char *)(uintptr_t)at, n, at, &insn);
        if (known && insn.reference == REFERS_LEA)
            status = add_address(search, &search->taken, insn.target);
        block->mark[at - block->lo] |= MARK_SWEPT;
        const uint64_t end = at + (known ? insn.length : 1);
        do
            at++;
        while (at < end && !(block->mark[at - block->lo] & MARK_EXECUTED));
    }
    return status;
}

/* Code for addresses of 64 bits adds a number to a place of its own, to find the table of
 * slots. */
static void find_slots(const struct search *search, struct block *block)
{
    struct insn insn;
    uint64_t lo, hi;
    for (uint64_t at = block->lo; at < block->hi && block->object; at++) {
        if (!(block->mark[at - block->lo] & MARK_SWEPT) ||
            !insn_decode((const unsigned char *)(uintptr_t)at, block->hi - at, at, &insn))
            continue;
        for (size_t i = 0; i < search->taken.n && insn.moved; i++) {
            const uint64_t place = search->taken.at[i], slots = place + insn.moved;
            if (place < block->lo || place >= block->hi ||
                !section_at(block->object, slots, &lo, &hi) || slots != lo)
                continue;
            block->anchor = place;
            block->slots = slots;
        }
    }
}

uint64_t number_address(const struct surgery *surgery, const struct block *block,
                        uint64_t number)
{
    uint64_t lo, hi;
    return region_at(&surgery->objects, number)     ? number
           : !number || !block->slots               ? 0
           : number == block->slots - block->anchor ? block->slots
           : section_at(block->object, block->slots + number, &lo, &hi)
               ? block->slots + number
               : 0;
}

static uint64_t next_taken(const struct search *search, uint64_t address)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < search->taken.n; i++)
        if (search->taken.at[i] > address && search->taken.at[i] < next)
            next = search->taken.at[i];
    return next;
}

static bool is_code(const struct surgery *surgery, const struct block *block,
                    uint64_t address)
{
    return (address >= block->lo && address < block->hi) ||
           (block->object && leads_to_code(&surgery->objects, address) &&
            object_at(&surgery->objects, address) == block->object);
}

/* Within an instruction that executed, or that a sweep knows: no jump leads there. */
static bool is_within(const struct surgery *surgery, uint64_t address)
{
    const struct block *const block = block_at(surgery, address);
    if (!block)
        return false;
    const unsigned char *mark = block->mark + (address - block->lo);
    if (*mark & MARK_START)
        return false;
    if (!block->loose && !(*mark & MARK_SWEPT))
        return true;
    if (!(*mark & MARK_COVERED))
        return false;
    while (!(*mark & MARK_START))
        mark--;
    return *mark & MARK_EXECUTED;
}

uint64_t extra_target(const struct extra *table, size_t i)
{
    const unsigned char *const all = (const unsigned char *)(uintptr_t)table->address;
    return entry_target(table->address, all + table->bytes * i, table->bytes);
}

/* A part of the function that executes rarely. `known`: false if there are no names. */
static bool leads_to_cold(const struct block *block, uint64_t target, bool *known)
{
    struct symbol own, other;
    *known = block->object && symbol_at(block->object, block->lo, &own) &&
             symbol_at(block->object, target, &other);
    const size_t n = *known ? strlen(own.name) : 0;
    return n && !strncmp(other.name, own.name, n) && !strncmp(other.name + n, ".cold", 5);
}

/* Entries are distances from the table to places in the same function, or in its cold
 * part, which lies elsewhere. Counts them; false: it is no table. */
static bool count_entries(const struct search *search, struct extra *table, size_t bytes)
{
    const struct surgery *const surgery = search->surgery;
    const uint64_t end = next_taken(search, table->address);
    size_t own = 0;
    bool known;
    table->bytes = bytes;
    for (table->n = 0; table->n < TABLE_MOST; table->n++) {
        const uint64_t entry = table->address + bytes * table->n;
        if (entry >= end || !is_readable(surgery, entry, bytes))
            break;
        const uint64_t to = extra_target(table, table->n);
        if (!is_code(surgery, table->block, to) || is_within(surgery, to))
            break;
        own += to >= table->block->lo && to < table->block->hi;
    }
    for (size_t i = 0; own && own < TABLE_LEAST && i < table->n; i++)
        own += leads_to_cold(table->block, extra_target(table, i), &known);
    return own >= TABLE_LEAST;
}

static int add_extra(struct search *search, const struct extra *extra)
{
    struct surgery *surgery = search->surgery;
    if (!array_room(&surgery->extra, surgery->n_extras, sizeof *surgery->extra))
        return no_memory(search->error);
    surgery->extra[surgery->n_extras++] = *extra;
    return 0;
}

static size_t extra_at(const struct surgery *surgery, const struct block *block,
                       uint64_t address)
{
    for (size_t i = 0; i < surgery->n_extras; i++)
        if (surgery->extra[i].address == address &&
            same_part(surgery->extra[i].block, block))
            return i;
    return NO_EXTRA;
}

static int take_table(struct search *search, struct fix *fix)
{
    struct surgery *surgery = search->surgery;
    struct block *const block = block_at(surgery, fix->address);
    struct extra table = {.address = fix->target, .block = block};
    fix->extra = extra_at(surgery, block, fix->target);
    /* Two entries of 4 bytes are no distance of 8. */
    if (!block->indirect || fix->extra != NO_EXTRA || is_copied(surgery, fix->target) ||
        (!count_entries(search, &table, 8) && !count_entries(search, &table, 4)))
        return 0;
    fix->extra = surgery->n_extras;
    int status = add_extra(search, &table);
    bool known = true, mine = false; /* an entry behind it leads into the function */
    for (size_t i = table.n; i-- > 0 && status == 0;) {
        const uint64_t target = extra_target(&table, i);
        mine |= target >= block->lo && target < block->hi;
        if (block_at(surgery, target) ||
            (surgery->subject.named && (mine || leads_to_cold(block, target, &known))))
            status = push_target(search, target);
        block->unknown |= !known;
    }
    return status;
}

/* Their targets may lead to further tables. */
static int take_tables(struct search *search)
{
    struct surgery *surgery = search->surgery;
    int status = 0;
    for (size_t i = 0; i < surgery->n_fixes && status == 0 && !search->again; i++) {
        if (surgery->fix[i].reference == REFERS_LEA ||
            surgery->fix[i].reference == REFERS_NUMBER)
            status = take_table(search, &surgery->fix[i]);
        if (status == 0)
            status = walk_all(search);
    }
    return status;
}

/* ---- slots through which other copied functions are called ---- */

static int take_slots(struct search *search)
{
    struct surgery *surgery = search->surgery;
    int status = 0;
    for (size_t i = 0; i < surgery->n_fixes && status == 0 && !search->again; i++) {
        struct fix *fix = &surgery->fix[i];
        struct block *const block = block_at(surgery, fix->address);
        const char *name;
        uint64_t holds;
        if (fix->reference != REFERS_SLOT)
            continue;
        if (!block->object || !slot_at(block->object, fix->target, &name)) {
            block->unknown = true;
            continue;
        }
        memcpy(&holds, (const void *)(uintptr_t)fix->target, sizeof holds);
        fix->extra = extra_at(surgery, block, fix->target);
        if (!block_at(surgery, holds) &&
            object_at(&surgery->objects, holds) == block->object)
            status = add_named(search, holds);
        if (status < 0 || search->again)
            return status;
        if (!is_copied(surgery, holds) || fix->extra != NO_EXTRA)
            continue;
        fix->extra = surgery->n_extras;
        status = add_extra(
            search, &(struct extra){.address = fix->target, .bytes = 8, .block = block});
    }
    return status;
}

/* ---- handlers of exceptions ---- */

static int push_handler(void *context, uint64_t address)
{
    return push_target(context, address);
}

static int push_handlers(struct search *search, struct block *block)
{
    const bool wanted =
        search->surgery->n_unwinders || search->surgery->subject.only_code;
    struct unwinding unwinding;
    int status = 0;
    for (uint64_t at = block->lo;
         at < block->hi && block->object && wanted && status == 0 &&
         unwinding_from(block->object->frames, at, &unwinding) &&
         unwinding.frame.lo < block->hi;
         at = unwinding.frame.hi)
        status = handlers_visit(&unwinding.frame, push_handler, search);
    block->unknown |= status == -ENOTSUP;
    return status == -ENOTSUP ? 0 : status;
}

/* ---- all of it ---- */

/* Marks what executed, or has it walked. */
static int take_executed(struct search *search, bool walked)
{
    const struct surgery *const surgery = search->surgery;
    int status = 0;
    for (size_t i = 0; i < surgery->n_executed && status == 0; i++) {
        const uint64_t address = surgery->executed[i];
        struct block *const block = block_at(surgery, address);
        if (block && walked)
            status = push(search, address);
        else if (block)
            block->mark[address - block->lo] |= MARK_EXECUTED;
    }
    return status;
}

int code_find(struct search *search)
{
    struct surgery *surgery = search->surgery;
    int status = 0;
    search->again = false;
    search->todo.n = search->taken.n = 0;
    functions_forget(surgery);
    for (size_t i = 0; i < surgery->n_blocks && status == 0; i++) {
        struct block *block = &surgery->block[i];
        block->image = calloc(1, block->hi - block->lo);
        block->mark = calloc(1, block->hi - block->lo);
        if (!block->image || !block->mark)
            return no_memory(search->error);
        if (!block->loose)
            status = push(search, block->lo);
    }
    if (status == 0)
        status = take_executed(search, false);
    for (size_t i = 0; i < surgery->n_blocks && status == 0; i++)
        status = sweep(search, &surgery->block[i]);
    for (size_t i = 0; i < surgery->n_blocks && status == 0; i++)
        find_slots(search, &surgery->block[i]);
    for (size_t i = 0; i < surgery->n_blocks && status == 0 && !search->again; i++)
        status = push_handlers(search, &surgery->block[i]);
    if (status == 0)
        status = take_executed(search, true) ?: walk_all(search) ?: take_tables(search);
    return status == 0 && !search->again ? take_slots(search) : status;
}
