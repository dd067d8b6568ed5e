/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a prototype to the operands of an op. */
#include "called_private.h"

#include <errno.h>

static int add_operand(struct declared_slot *slot, const struct operand_source *source,
                       struct error *error)
{
    if (slot->n_operands == SIMDBENCH_MAX_OPERANDS)
        return error_set(error, -E2BIG,
                         "op %s has more than %d arrays and results (an inout array "
                         "counts twice)",
                         slot->from->name, SIMDBENCH_MAX_OPERANDS);
    slot->operand[slot->n_operands++] = *source;
    return 0;
}

static int add_argument(struct declared_slot *slot, int i, struct error *error)
{
    static const uint32_t roles[] = {[ARGUMENT_IN] = SIMDBENCH_IN,
                                     [ARGUMENT_OUT] = SIMDBENCH_OUT,
                                     [ARGUMENT_INOUT] = SIMDBENCH_INOUT};
    const struct declared_argument *const argument = &slot->from->declaration.argument[i];
    struct operand_source source = {.argument = i, .type = element_type(argument->type)};
    int status = 0;
    slot->pointer[i] = NO_OPERAND;
    if (argument->kind == ARGUMENT_LENGTH) {
        source.role = SIMDBENCH_OUT;
        return add_operand(slot, &source, error);
    }
    if (argument->kind != ARGUMENT_ARRAY)
        return 0;
    source.role = roles[argument->role];
    if (argument->role == ARGUMENT_INOUT) {
        source.role = SIMDBENCH_IN;
        status = add_operand(slot, &source, error);
        source.role = SIMDBENCH_INOUT;
        source.source = slot->n_operands - 1;
    }
    slot->pointer[i] = (int)slot->n_operands;
    return status ?: add_operand(slot, &source, error);
}

/* The element type of cases: of the first output that is an array, or else of the first
 * array, or of what is returned. */
static uint32_t type_of(const struct declared_slot *slot)
{
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < slot->n_operands; i++) {
            const struct operand_source *const source = &slot->operand[i];
            if ((operand_is_array(slot, i) || pass == 2) &&
                (source->role != SIMDBENCH_IN || pass == 1))
                return source->type;
        }
    return SIMDBENCH_F32;
}

int called_operands(struct declared_slot *slot, struct error *error)
{
    const struct declaration *const declaration = &slot->from->declaration;
    int status = 0;
    for (uint32_t i = 0; i < declaration->n && status == 0; i++)
        status = add_argument(slot, (int)i, error);
    slot->result = NO_OPERAND;
    const bool seen = declaration_has_outputs(declaration);
    if (status == 0 && (declaration->returned != CTYPE_VOID || !seen)) {
        /* Nothing that is returned is 0: every op has an output. */
        const struct operand_source result = {
            .argument = NO_OPERAND,
            .type = seen ? element_type(declaration->returned) : SIMDBENCH_U8,
            .role = SIMDBENCH_OUT};
        slot->result = (int)slot->n_operands;
        status = add_operand(slot, &result, error);
    }
    slot->type = type_of(slot);
    return status;
}
