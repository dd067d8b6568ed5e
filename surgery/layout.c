/* SPDX-License-Identifier: Apache-2.0 */
/* Code laid out anew: what lies behind a changed instruction moves, and short branches
 * that do not reach any more get long distances. Blocks begin where they began in a line
 * of 64 bytes. */
#include "numbers.h"
#include "surgery_private.h"

enum { LINE = 64, JUMP_SHORT = 0xeb, JUMP_LONG = 0xe9, BRANCH_SHORT = 0x70, NEAR = 0x80 };

/* ---- changes ---- */

int changes_add(struct changes *changes, const struct change *change, struct error *error)
{
    if (!array_room(&changes->item, changes->n, sizeof *changes->item))
        return no_memory(error);
    changes->item[changes->n++] = *change;
    return 0;
}

void changes_sort(struct changes *changes)
{
    if (changes->n)
        qsort(changes->item, changes->n, sizeof *changes->item, by_u64);
}

/* The number of changes before an address. */
static size_t count_before(const struct changes *changes, uint64_t address)
{
    return count_below(changes->item, changes->n, sizeof *changes->item, address);
}

const struct change *change_at(const struct changes *changes, uint64_t address)
{
    const size_t i = count_before(changes, address);
    return i < changes->n && changes->item[i].address == address ? &changes->item[i]
                                                                 : NULL;
}

/* ---- places ---- */

int64_t layout_shift(const struct surgery_variant *variant, const struct block *block,
                     uint64_t address)
{
    const struct changes *const changes = &variant->changes;
    const size_t i = count_before(changes, address);
    const bool inside = i && changes->item[i - 1].address >= block->lo;
    return (int64_t)variant->block_shift[block - variant->surgery->block] +
           (inside ? changes->item[i - 1].shift : 0);
}

/* The next block of a part behind an address; NULL: none. */
static const struct block *next_block(const struct surgery *surgery, size_t part,
                                      uint64_t behind)
{
    const struct block *next = NULL;
    FOR_EACH (const struct block, block, surgery->block, surgery->n_blocks)
        if (block->part == part && block->lo >= behind && (!next || block->lo < next->lo))
            next = block;
    return next;
}

static void place_blocks(struct surgery_variant *variant)
{
    const struct surgery *const surgery = variant->surgery;
    struct changes *const changes = &variant->changes;
    for (size_t p = 0; p < surgery->n_parts; p++) {
        uint64_t shift = 0;
        const struct block *block = next_block(surgery, p, 0);
        for (; block; block = next_block(surgery, p, block->hi)) {
            int64_t more = 0, most = 0;
            for (size_t i = count_before(changes, block->lo);
                 i < changes->n && changes->item[i].address < block->hi; i++) {
                struct change *const change = &changes->item[i];
                more += change->before + change->after - change->length;
                most = more > most ? more : most;
                change->shift = more;
            }
            variant->block_shift[block - surgery->block] = shift;
            shift += ((uint64_t)most + LINE - 1) / LINE * LINE;
        }
        variant->grown[p] = shift;
    }
}

/* ---- short branches ---- */

static bool short_branch(const struct block *block, uint64_t at, struct insn *insn)
{
    return block->mark[at - block->lo] & MARK_START &&
           insn_decode(block->image + (at - block->lo), block->hi - at, at, insn) &&
           insn->reference == REFERS_BRANCH && insn->field_bytes == 1;
}

static int64_t distance_of(const struct surgery_variant *variant, const struct insn *insn,
                           const struct change *change)
{
    return (int64_t)(copy_of(variant, insn->target) - copy_of(variant, insn->address)) -
           (change ? change->before : 0) - insn->length;
}

/* The same branch with a distance of 4 bytes. */
static bool widen(const struct block *block, const struct insn *insn,
                  struct change *change)
{
    const unsigned char op = block->image[insn->address + insn->field - 1 - block->lo];
    unsigned char *const to = change->bytes + change->before;
    const bool jump = op == JUMP_SHORT;
    if (!jump && (op & 0xf0) != BRANCH_SHORT)
        return false;
    to[0] = jump ? JUMP_LONG : 0x0f;
    to[1] = (unsigned char)(NEAR | (op & 0xf));
    change->after = jump ? 5 : 6;
    change->widened = true;
    change->keeps = false;
    change->target = insn->target;
    return true;
}

static int widen_in(struct surgery_variant *variant, const struct block *block,
                    struct changes *new, bool *again, struct error *error)
{
    struct insn insn;
    int status = 0;
    for (uint64_t at = block->lo; at < block->hi && status == 0; at++) {
        struct change *const change =
            (struct change *)(uintptr_t)change_at(&variant->changes, at);
        if ((change && change->widened) || !short_branch(block, at, &insn))
            continue;
        const int64_t distance = distance_of(variant, &insn, change);
        struct change fresh = {.address = at, .length = insn.length};
        if (distance == (int8_t)distance)
            continue;
        *again = true;
        if (!widen(block, &insn, change ? change : &fresh))
            status = error_set(error, -ENOTSUP, "a short branch cannot be made longer");
        else if (!change)
            status = changes_add(new, &fresh, error);
    }
    return status;
}

int layout_make(struct surgery_variant *variant, struct error *error)
{
    const struct surgery *const surgery = variant->surgery;
    bool again = variant->changes.n > 0;
    int status = 0;
    changes_sort(&variant->changes);
    place_blocks(variant);
    while (again && status == 0) {
        struct changes new = {.n = 0};
        again = false;
        for (size_t i = 0; i < surgery->n_blocks && status == 0; i++)
            status = widen_in(variant, &surgery->block[i], &new, &again, error);
        for (size_t i = 0; i < new.n &&status == 0; i++)
            status = changes_add(&variant->changes, &new.item[i], error);
        free(new.item);
        changes_sort(&variant->changes);
        place_blocks(variant);
    }
    return status;
}

void layout_short_branches(const struct surgery_variant *variant,
                           const struct block *block)
{
    struct insn insn;
    if (!variant->changes.n)
        return;
    for (uint64_t at = block->lo; at < block->hi; at++) {
        const struct change *const change = change_at(&variant->changes, at);
        if ((change && (change->widened || !change->keeps)) ||
            !short_branch(block, at, &insn))
            continue;
        const uint64_t place =
            copy_of(variant, at) + (change ? change->before : 0) + insn.field;
        *(int8_t *)(uintptr_t)place = (int8_t)distance_of(variant, &insn, change);
    }
}
