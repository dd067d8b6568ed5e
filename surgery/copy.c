/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of all functions at a distance, with their tables and slots. */
#include "surgery_private.h"

#include <sys/mman.h>

/* Copies are multiples of 2 MB and the shift away, so that those parts of a core which
 * look at some bits of an address alone see the same as of the originals. */
enum { PAGE = 4096, STRIDE = 2 << 20, STRIDES = 850, INT3 = 0xcc };
/* Callers that check types, as sanitizers do, read bytes before a function. */
enum { BEFORE = 16 };

uint64_t copy_of(const struct surgery_variant *variant, uint64_t address)
{
    const struct block *block = block_at(variant->surgery, address);
    return block && block->mark[address - block->lo] & MARK_START
               ? address + (uint64_t)(variant->part[block->part].delta +
                                      layout_shift(variant, block, address))
               : address;
}

/* The original of an address in code that was laid out anew, or 0. */
static uint64_t find_origin(const struct surgery_variant *variant, uint64_t address)
{
    FOR_EACH (const struct block, block, variant->surgery->block,
              variant->surgery->n_blocks)
        for (uint64_t at = block->lo; at < block->hi; at++)
            if (block->mark[at - block->lo] & MARK_START &&
                copy_of(variant, at) == address)
                return at;
    return 0;
}

uint64_t surgery_origin(const struct surgery_variant *variant, uint64_t address)
{
    if (variant->changes.n)
        return find_origin(variant, address);
    for (size_t i = 0; i < variant->surgery->n_parts; i++) {
        const struct part *part = &variant->part[i];
        const uint64_t original = address - (uint64_t)part->delta;
        const struct block *block = block_at(variant->surgery, original);
        if (block && block->part == i && is_copied(variant->surgery, original))
            return original;
    }
    return 0;
}

/* ---- places ---- */

static bool reserve_at(const struct part_room *room, int64_t delta, bool shared,
                       struct part *part)
{
    const uint64_t lo = (room->lo + (uint64_t)delta - BEFORE) / PAGE * PAGE;
    const uint64_t extras = (room->hi + (uint64_t)delta + PAGE) / PAGE * PAGE;
    const uint64_t counters = (extras + room->extras + 7) / 8 * 8;
    const size_t bytes = counters + 8 * part->n_counters - lo;
    void *arena = mmap((void *)(uintptr_t)lo, bytes, PROT_READ | PROT_WRITE,
                       (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS |
                           MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                       -1, 0);
    if (arena == MAP_FAILED)
        return false;
    /* Old kernels take the address for a wish. */
    if ((uint64_t)(uintptr_t)arena != lo) {
        munmap(arena, bytes);
        return false;
    }
    /* Large pages would take other entries of the TLB than the original. */
    madvise(arena, bytes, MADV_NOHUGEPAGE);
    *part = (struct part){.arena = arena,
                          .bytes = bytes,
                          .delta = delta,
                          .extras = extras,
                          .counters = counters,
                          .n_counters = part->n_counters};
    return true;
}

/* The place of a function in a line beside that of what it calls in other files would
 * differ between two builds by what lies before it in one of them. So these files move
 * by other parts of a line in each line of a page. */
static unsigned part_shift(const struct surgery *surgery, size_t number, unsigned shift)
{
    enum { LINE = 64, STEP = 4 };
    const uint64_t function = (uint64_t)(uintptr_t)surgery->subject.function
                                  ?: (uint64_t)(uintptr_t)surgery->subject.run;
    const struct block *const own = block_at(surgery, function);
    const bool other = own && own->part != number;
    return (shift + (other ? shift / LINE * STEP % LINE : 0)) % PAGE;
}

/* Below the original first: behind a program its heap grows. */
static int reserve(const struct surgery_variant *variant, size_t number, unsigned shift,
                   struct part *part, struct error *error)
{
    struct part_room grown = variant->surgery->part[number];
    const struct part_room *const room = &grown;
    const bool shared = variant->counts;
    grown.hi += variant->grown[number];
    for (int64_t k = 1; k <= STRIDES; k++)
        if ((uint64_t)k * STRIDE + STRIDE < room->lo &&
            reserve_at(room, -k * STRIDE + (int64_t)shift, shared, part))
            return 0;
    for (int64_t k = 1; k <= STRIDES; k++)
        if (reserve_at(room, k * STRIDE + (int64_t)shift, shared, part))
            return 0;
    return error_set(error, -ERANGE, "there is no free place within 2 GB of the code");
}

/* ---- contents ---- */

static void copy_block(const struct surgery_variant *variant, const struct block *block)
{
    const uint64_t n = block->hi - block->lo;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = block->lo + i;
        unsigned char *const to =
            (unsigned char *)(uintptr_t)(at +
                                         (uint64_t)variant->part[block->part].delta) +
            layout_shift(variant, block, at) - i;
        const bool covered = block->mark[i] & MARK_COVERED;
        const struct change *const change =
            block->mark[i] & MARK_START ? change_at(&variant->changes, at) : NULL;
        if (change) {
            memcpy(to + i, change->bytes, (size_t)change->before + change->after);
            i += change->length - 1u;
            continue;
        }
        if (covered)
            to[i] = block->image[i];
        else if (!block->loose || (i && block->mark[i - 1] & MARK_COVERED))
            to[i] = INT3;
    }
}

static uint64_t extra_copy(const struct surgery_variant *variant,
                           const struct extra *extra)
{
    return variant->part[extra->block->part].extras + extra->offset;
}

static int put_distance(uint64_t from, uint64_t to, uint64_t place, struct error *error)
{
    const int64_t distance = (int64_t)(to - from);
    const int32_t value = (int32_t)distance;
    if (value != distance)
        return error_set(error, -ERANGE, "an operand lies beyond 2 GB of the copy");
    memcpy((void *)(uintptr_t)place, &value, sizeof value);
    return 0;
}

static int put_fix(const struct surgery_variant *variant, const struct fix *fix,
                   struct error *error)
{
    const struct surgery *const surgery = variant->surgery;
    const struct change *const change = change_at(&variant->changes, fix->address);
    const uint64_t copy = copy_of(variant, fix->address) +
                          (uint64_t)(change ? change->before + change->head : 0);
    if (change && !change->keeps)
        return 0;
    const uint64_t target =
        fix->extra != NO_EXTRA ? extra_copy(variant, &surgery->extra[fix->extra])
        : fix->reference == REFERS_BRANCH || fix->reference == REFERS_LEA
            ? copy_of(variant, fix->target)
            : fix->target;
    if (fix->reference != REFERS_NUMBER)
        return put_distance(copy + fix->length, target, copy + fix->field, error);
    const uint64_t number = target - block_at(surgery, fix->address)->slots;
    memcpy((void *)(uintptr_t)(copy + fix->field), &number, sizeof number);
    return 0;
}

static int put_change(const struct surgery_variant *variant, const struct change *change,
                      struct error *error)
{
    const uint64_t behind =
        copy_of(variant, change->address) + change->before + change->after;
    return change->widened
               ? put_distance(behind, copy_of(variant, change->target), behind - 4, error)
               : 0;
}

static int put_extra(const struct surgery_variant *variant, const struct extra *extra,
                     struct error *error)
{
    const uint64_t to = extra_copy(variant, extra);
    uint64_t value;
    int status = 0;
    if (extra->n == 0) {
        memcpy(&value, (const void *)(uintptr_t)extra->address, sizeof value);
        value = copy_of(variant, value);
        memcpy((void *)(uintptr_t)to, &value, sizeof value);
    }
    for (size_t i = 0; i < extra->n && status == 0; i++) {
        const uint64_t place = to + extra->bytes * i;
        value = copy_of(variant, extra_target(extra, i)) - to;
        if (extra->bytes == sizeof value)
            memcpy((void *)(uintptr_t)place, &value, sizeof value);
        else
            status = put_distance(to, to + value, place, error);
    }
    return status;
}

static int fill(struct surgery_variant *variant, struct error *error)
{
    const struct surgery *const surgery = variant->surgery;
    int status = 0;
    for (size_t i = 0; i < surgery->n_blocks; i++)
        copy_block(variant, &surgery->block[i]);
    for (size_t i = 0; i < surgery->n_fixes && status == 0; i++)
        status = put_fix(variant, &surgery->fix[i], error);
    for (size_t i = 0; i < surgery->n_extras && status == 0; i++)
        status = put_extra(variant, &surgery->extra[i], error);
    for (size_t i = 0; i < variant->changes.n && status == 0; i++)
        status = put_change(variant, &variant->changes.item[i], error);
    for (size_t i = 0; i < surgery->n_blocks && status == 0; i++)
        layout_short_branches(variant, &surgery->block[i]);
    if (status == 0 && variant->counts)
        status = counters_put(variant, error);
    for (size_t i = 0; i < surgery->n_parts && status == 0; i++) {
        const struct part *const part = &variant->part[i];
        const size_t code = part->extras - (uint64_t)(uintptr_t)part->arena;
        if (mprotect(part->arena, variant->counts ? code : part->bytes,
                     PROT_READ | PROT_EXEC) < 0)
            status = error_set(error, -errno, "the system forbids code in new memory: %s",
                               strerror(errno));
    }
    return status;
}

int variant_make(struct surgery *surgery, struct changes *changes, bool counts,
                 unsigned shift, struct surgery_variant **out, struct error *error)
{
    struct surgery_variant *variant = calloc(1, sizeof *variant);
    int status = variant ? 0 : no_memory(error);
    if (status < 0) {
        free(changes->item);
        return status;
    }
    variant->changes = *changes;
    variant->counts = counts;
    variant->surgery = surgery;
    variant->next = surgery->first;
    surgery->first = variant;
    if (counts)
        status = counters_add(variant, error);
    if (status == 0)
        status = layout_make(variant, error);
    for (size_t i = 0; i < surgery->n_parts && status == 0; i++)
        status =
            reserve(variant, i, part_shift(surgery, i, shift), &variant->part[i], error);
    if (status == 0)
        status = fill(variant, error) ?: unwinding_make(variant, error);
    if (status < 0)
        surgery_drop(variant);
    else
        *out = variant;
    return status;
}

int surgery_copy(struct surgery *surgery, unsigned shift, struct surgery_variant **out,
                 struct error *error)
{
    return variant_make(surgery, &(struct changes){.n = 0}, false, shift, out, error);
}

void surgery_drop(struct surgery_variant *variant)
{
    struct surgery *surgery = variant->surgery;
    struct surgery_variant **at = &surgery->first;
    if (surgery->selected == variant)
        (void)surgery_restore(surgery, NULL);
    while (*at != variant)
        at = &(*at)->next;
    *at = variant->next;
    for (size_t i = 0; i < surgery->n_parts; i++) {
        free(variant->part[i].frames);
        if (variant->part[i].arena)
            munmap(variant->part[i].arena, variant->part[i].bytes);
    }
    FREE_EACH(variant->changes.item, variant);
}
