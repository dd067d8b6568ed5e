/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of declared functions that were those of calls in a program. */
#include "called_private.h"

int slot_open_calls(struct declared_slot *slot, struct error *error)
{
    struct error why;
    if (!slot->from->calls)
        return 0;
    slot->op.flags |= SIMDBENCH_JOINT;
    const int status = kept_calls_read(slot->from->calls, &slot->calls, &why);
    return status < 0
               ? error_set(error, status, "op %s: calls: %s", slot->from->name, why.text)
               : 0;
}

uint32_t declared_calls(const struct simdbench_op *op)
{
    const struct declared_slot *const slot = slot_of(op);
    return slot && slot->calls.n
               ? kept_calls_most(&slot->calls, slot->from->declaration.n_dimensions)
               : 0;
}

void declared_set(const struct simdbench_op *op, uint64_t number)
{
    struct declared_slot *const slot = slot_of(op);
    if (slot)
        slot->set = number;
}

/* Bytes of an argument among those of the call of a set. */
static const unsigned char *bytes_of(const struct declared_slot *slot,
                                     const int64_t *dimension, uint64_t set,
                                     uint32_t argument, uint64_t *bytes)
{
    const struct declaration *const declaration = &slot->from->declaration;
    const struct kept_call *const call =
        kept_call_find(&slot->calls, dimension, declaration->n_dimensions, set);
    struct declared_sizes sizes;
    struct error error;
    uint64_t at = 0;
    if (declaration_measure(declaration, call->dimension, &sizes, &error) < 0)
        return NULL;
    for (uint32_t i = 0; i < argument; i++)
        at += kept_bytes(declaration, &sizes, i);
    *bytes = kept_bytes(declaration, &sizes, argument);
    return *bytes && at <= call->bytes && *bytes <= call->bytes - at ? call->data + at
                                                                     : NULL;
}

void slot_set_kept(const struct declared_slot *slot, const int64_t *dimension,
                   uint64_t set, struct declared_sizes *sizes)
{
    uint64_t bytes;
    for (uint32_t i = 0; slot->calls.n && i < slot->from->declaration.n_passed; i++) {
        const unsigned char *const from = kept_integer(&slot->from->declaration, i)
                                              ? bytes_of(slot, dimension, set, i, &bytes)
                                              : NULL;
        if (from)
            memcpy(&sizes->integer[i], from, sizeof sizes->integer[i]);
    }
}

bool slot_fill_kept(const struct declared_slot *slot, const int64_t *dimension,
                    int argument, const struct simdbench_operand *operand)
{
    const size_t wanted = operand_bytes(operand);
    uint64_t bytes = 0;
    if (!slot->calls.n)
        return false;
    const unsigned char *const from =
        bytes_of(slot, dimension, slot->set, (uint32_t)argument, &bytes);
    for (size_t at = 0; from && at < wanted; at += bytes)
        memcpy((char *)operand->data + at, from,
               wanted - at < bytes ? wanted - at : (size_t)bytes);
    return from || !wanted;
}
