/* SPDX-License-Identifier: Apache-2.0 */
/* A third call tells why the results of two calls of the right answers' function differ.
 */
#include "called_computed.h"

#include <errno.h>
#include <string.h>

static void exchange_outputs(struct computed *computed)
{
    for (uint32_t i = 0; i < computed->view.count; i++) {
        struct simdbench_operand *const operand = &computed->operand[i];
        unsigned char *const data = operand->data;
        if (!computed->again[i])
            continue;
        operand->data = computed->again[i];
        computed->again[i] = data;
    }
}

static int compute_again(struct made_call *made, struct computed *computed, int byte,
                         struct error *error)
{
    for (uint32_t i = 0; i < computed->view.count; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        if (operand_is_output(operand) && !(computed->again[i] = output_buffer(operand)))
            return error_set(error, -ENOMEM, "out of memory");
    }
    exchange_outputs(computed);
    const int status = compute_once(made, computed, byte, error);
    exchange_outputs(computed);
    return status;
}

/* Bytes that were the same from the first two poisons are others from the third. */
static bool third_differs(const struct computed *computed, uint32_t i)
{
    const struct simdbench_operand *const operand = &computed->operand[i];
    const unsigned char *const first = computed->other[i], *const second = operand->data;
    bool differs = false;
    for (size_t b = 0; first && b < computed->length[i] * type_bytes(operand->type); b++)
        differs |= first[b] == second[b] && first[b] != computed->again[i][b];
    return differs;
}

static bool third_is_first(const struct computed *computed, uint32_t i)
{
    return !computed->other[i] ||
           !memcmp(computed->other[i], computed->again[i],
                   computed->length[i] * type_bytes(computed->operand[i].type));
}

/* A reason why results vary. An output that held the first bytes again has the first
 * results again: the function reads it. Arrays that are combined may cancel equal bytes
 * out, as xor does: those of a function that has no input hold mixed ones, too. */
void tell_why(struct declared_slot *slot, struct made_call *made,
              struct computed *computed)
{
    const bool varied = slot->last.varies;
    bool blind = true, same = varied;
    int array = NO_OPERAND;
    struct error lost;
    for (uint32_t i = 0; i < computed->view.count; i++) {
        blind &= operand_is_output(&computed->operand[i]);
        if (computed->operand[i].role == SIMDBENCH_OUT && operand_is_array(slot, i) &&
            (array == NO_OPERAND || !computed->varies[array]))
            array = (int)i;
    }
    if (!varied && (!blind || array == NO_OPERAND))
        return;
    if (compute_again(made, computed, varied ? FIRST_BYTE : MIXED_BYTES, &lost) < 0)
        return;
    for (uint32_t i = 0; i < computed->view.count; i++) {
        same &= third_is_first(computed, i);
        if (!varied && third_differs(computed, i))
            slot->last.varies = computed->varies[i] = same = true;
    }
    if (same && array != NO_OPERAND)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "the results depend on what %s held before the call: if the function "
                 "reads it, write inout before its type",
                 output_name(slot, (uint32_t)array));
    else if (slot->last.varies && slot->from->declaration.n_objects)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "the second call with an object has other results than the first: what "
                 "is timed are later ones");
}
