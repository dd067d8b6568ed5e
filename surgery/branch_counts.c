/* SPDX-License-Identifier: Apache-2.0 */
/* A trial of edited code: each conditional branch counts itself. */
#include "surgery_private.h"

/* Past the red zone: lea -128(%rsp), %rsp; pushfq; incq COUNTER(%rip); popfq;
 * lea 128(%rsp), %rsp. */
static const unsigned char counting[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c, 0x48, 0xff,
                                         0x05, 0,    0,    0,    0,    0x9d, 0x48, 0x8d,
                                         0xa4, 0x24, 0x80, 0,    0,    0};
enum { FIELD = 9, FIELD_END = 13 };

/* Calls `each` for the conditional branches of each block. */
typedef int branch_function(struct surgery_variant *variant, const struct block *block,
                            const struct insn *insn, struct error *error);

static int each_branch(struct surgery_variant *variant, branch_function *each,
                       struct error *error)
{
    const struct surgery *const surgery = variant->surgery;
    struct insn insn;
    int status = 0;
    FOR_EACH (const struct block, block, surgery->block, surgery->n_blocks) {
        for (uint64_t at = block->lo; at < block->hi && status == 0; at++)
            if (block->mark[at - block->lo] & MARK_START &&
                insn_decode(block->image + (at - block->lo), block->hi - at, at, &insn) &&
                insn.conditional)
                status = each(variant, block, &insn, error);
    }
    return status;
}

static int add_counter(struct surgery_variant *variant, const struct block *block,
                       const struct insn *insn, struct error *error)
{
    struct change change = {.address = insn->address,
                            .length = insn->length,
                            .before = sizeof counting,
                            .after = insn->length,
                            .keeps = true};
    memcpy(change.bytes, counting, sizeof counting);
    memcpy(change.bytes + sizeof counting, block->image + (insn->address - block->lo),
           insn->length);
    variant->part[block->part].n_counters++;
    return changes_add(&variant->changes, &change, error);
}

int counters_add(struct surgery_variant *variant, struct error *error)
{
    return each_branch(variant, add_counter, error);
}

static int put_counter(struct surgery_variant *variant, const struct block *block,
                       const struct insn *insn, struct error *error)
{
    struct part *const part = &variant->part[block->part];
    const uint64_t copy = copy_of(variant, insn->address);
    const int64_t distance =
        (int64_t)(part->counters + 8 * part->n_counters++ - copy - FIELD_END);
    const int32_t value = (int32_t)distance;
    if (value != distance)
        return error_set(error, -ERANGE, "a counter lies beyond 2 GB of the copy");
    memcpy((void *)(uintptr_t)(copy + FIELD), &value, sizeof value);
    return 0;
}

int counters_put(struct surgery_variant *variant, struct error *error)
{
    for (size_t i = 0; i < variant->surgery->n_parts; i++)
        variant->part[i].n_counters = 0;
    return each_branch(variant, put_counter, error);
}

void counters_zero(const struct surgery_variant *variant)
{
    for (size_t i = 0; i < variant->surgery->n_parts && variant->counts; i++)
        memset((void *)(uintptr_t)variant->part[i].counters, 0,
               8 * variant->part[i].n_counters);
}

static int read_counters(const struct surgery_variant *variant, uint64_t **counts,
                         size_t *n, struct error *error)
{
    const size_t parts = variant->surgery->n_parts;
    *n = 0;
    for (size_t i = 0; i < parts; i++)
        *n += variant->part[i].n_counters;
    *counts = malloc((*n + 1) * sizeof **counts);
    if (!*counts)
        return no_memory(error);
    for (size_t i = 0, at = 0; i < parts; i++) {
        const struct part *const part = &variant->part[i];
        memcpy(*counts + at, (const void *)(uintptr_t)part->counters,
               8 * part->n_counters);
        at += part->n_counters;
    }
    return 0;
}

int counters_try(struct surgery *surgery, struct changes *changes, uint64_t **counts,
                 size_t *n, struct error *error)
{
    struct surgery_variant *variant = NULL;
    int status = variant_make(surgery, changes, true, 0, &variant, error);
    *counts = NULL;
    if (status == 0)
        status =
            surgery_prove(variant, 0, error) ?: read_counters(variant, counts, n, error);
    if (variant)
        surgery_drop(variant);
    return status;
}
