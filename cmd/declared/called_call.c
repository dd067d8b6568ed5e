/* SPDX-License-Identifier: Apache-2.0 */
/* A function at a shape: its thunk, the frame of its arguments, and what belongs to them.
 */
#include "called_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- opaque arguments ---- */

static void set_made(const struct made_argument *from, const int64_t *dimension,
                     struct call_signature *signature, struct call_frame *frame,
                     uint32_t i)
{
    int64_t value = 0;
    struct error error;
    signature->argument[i] = from->kind == ARGUMENT_NUMBER ? CALL_VECTOR : CALL_INTEGER;
    switch (from->kind) {
    case ARGUMENT_NUMBER:
        frame->word[i] = ctype_of_double(from->type, from->number);
        break;
    case ARGUMENT_TEXT:
        frame->word[i] = (uintptr_t)from->text;
        break;
    case ARGUMENT_INTEGER:
        extent_value(&from->integer, dimension, &value, &error);
        frame->word[i] = (uint64_t)value;
        break;
    default:
        frame->word[i] = 0;
    }
}

static int find_symbol(const struct declared_slot *slot, const char *name, void **address,
                       struct error *error)
{
    struct place place;
    const int status = place_parse(name, &place, error);
    return status ? status
                  : place_resolve(slot->handle, &slot->library, &place, address, error);
}

/* Calls the function that makes an opaque argument. */
static int make_opaque(struct made_call *made, uint32_t i, struct error *error)
{
    const struct declared_slot *const slot = made->slot;
    const struct declared_argument *const argument = &slot->from->declaration.argument[i];
    struct call_signature signature = {.n = argument->n_made};
    struct call_frame frame = {.result = 0};
    struct thunk *thunk = NULL;
    void *maker, *freer = NULL;
    for (uint32_t k = 0; k < argument->n_made; k++)
        set_made(&argument->made[k], made->operands.shape->dim, &signature, &frame, k);
    int status = find_symbol(slot, argument->text, &maker, error);
    if (status == 0 && argument->freed_by[0])
        status = find_symbol(slot, argument->freed_by, &freer, error);
    if (status == 0)
        status = thunk_make(&signature, maker, &thunk, error);
    if (status < 0)
        return status;
    thunk_code(thunk)(&frame);
    thunk_free(thunk);
    made->opaque[i] = (void *)(uintptr_t)frame.result;
    *(void **)&made->freed_by[i] = freer;
    return made->opaque[i] ? 0
                           : error_set(error, -ENOMEM, "%s: %s() returned NULL",
                                       argument->name, argument->text);
}

static int make_opaques(struct made_call *made, struct error *error)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    int status = 0;
    for (uint32_t i = 0; i < declaration->n && status == 0; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        if (argument->kind == ARGUMENT_OPAQUE)
            status = make_opaque(made, i, error);
        else if (argument->kind == ARGUMENT_SYMBOL)
            status = find_symbol(made->slot, argument->text, &made->opaque[i], error);
    }
    return status;
}

/* ---- the call ---- */

void made_call_point(struct made_call *made, const struct simdbench_operands *operands)
{
    const struct declared_slot *const slot = made->slot;
    void *pointer[DECLARED_MAX];
    for (uint32_t i = 0; i < slot->from->declaration.n; i++)
        pointer[i] = slot->pointer[i] == NO_OPERAND
                         ? made->opaque[i]
                         : operands->operand[slot->pointer[i]]->data;
    made->operands = *operands;
    call_fill(&slot->from->declaration, &made->sizes, pointer, &made->frame);
}

int made_call_begin(const struct declared_slot *slot,
                    const struct declared_function *function,
                    const struct simdbench_operands *operands, struct made_call **out,
                    struct error *error)
{
    struct made_call *const made = calloc(1, sizeof *made);
    struct call_signature signature;
    void *nothing;
    if (!made)
        return error_set(error, -ENOMEM, "out of memory");
    made->slot = slot;
    made->function = function;
    made->operands = *operands;
    *(void (**)(void))&nothing = call_nothing;
    declaration_signature(&slot->from->declaration, &signature);
    int status = slot_measure(slot, operands->shape, &made->sizes, error);
    if (status == 0)
        status = make_opaques(made, error);
    if (status == 0)
        status = thunk_make(&signature, function ? function->address : slot->reference,
                            &made->thunk, error);
    if (status == 0)
        status = thunk_make(&signature, nothing, &made->empty, error);
    if (status < 0) {
        made_call_end(made);
        return status;
    }
    made_call_point(made, operands);
    made->call = (struct declared_call){.code = thunk_code(made->thunk),
                                        .timed = thunk_jump(made->thunk),
                                        .nothing = thunk_jump(made->empty),
                                        .frame = &made->frame};
    *out = made;
    return 0;
}

void made_call_end(struct made_call *made)
{
    for (uint32_t i = 0; i < DECLARED_MAX; i++)
        if (made->opaque[i] && made->freed_by[i])
            made->freed_by[i](made->opaque[i]);
    thunk_free(made->thunk);
    thunk_free(made->empty);
    free(made);
}

/* A pointer as an offset from the array that it points into; -1: NULL, -2: elsewhere. */
static int64_t pointer_offset(const struct made_call *made, uint64_t pointer)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    if (!pointer)
        return -1;
    for (uint32_t i = 0; i < declaration->n; i++) {
        const int operand = made->slot->pointer[i];
        if (operand == NO_OPERAND || declaration->argument[i].kind != ARGUMENT_ARRAY)
            continue;
        const uint64_t begin = (uintptr_t)made->operands.operand[operand]->data;
        if (pointer >= begin && pointer <= begin + made->sizes.bytes[i])
            return (int64_t)(pointer - begin);
    }
    return -2;
}

void made_call_finish(const struct made_call *made)
{
    const struct declared_slot *const slot = made->slot;
    const enum ctype returned = slot->from->declaration.returned;
    for (uint32_t o = 0; o < slot->n_operands; o++) {
        const struct operand_source *const source = &slot->operand[o];
        const struct simdbench_operand *const operand = made->operands.operand[o];
        uint64_t word = made->frame.result;
        if (source->argument != NO_OPERAND &&
            slot->from->declaration.argument[source->argument].kind != ARGUMENT_LENGTH)
            continue;
        if (source->argument != NO_OPERAND)
            word = made->frame.slot[source->argument];
        else if (returned == CTYPE_POINTER)
            word = (uint64_t)pointer_offset(made, word);
        memcpy(operand->data, &word, type_bytes(operand->type));
    }
}

uint64_t made_call_length(const struct made_call *made, uint32_t operand)
{
    const int argument = made->slot->operand[operand].argument;
    if (argument == NO_OPERAND ||
        made->slot->from->declaration.argument[argument].kind != ARGUMENT_ARRAY)
        return made->operands.operand[operand]->count;
    return call_length(&made->slot->from->declaration, &made->sizes, (uint32_t)argument,
                       &made->frame);
}

/* ---- for workers ---- */

int declared_prepare(const struct declared *declared, size_t kernel,
                     const struct simdbench_operands *operands,
                     struct declared_call **out, char *text, size_t size)
{
    const struct declared_function *const function = declared->function[kernel];
    struct error error = {.text = ""};
    struct made_call *made;
    const int status =
        operands->threads > 1
            ? error_set(&error, -ENOTSUP, "a declared function runs in one thread")
            : made_call_begin(function->slot, function, operands, &made, &error);
    if (status < 0)
        snprintf(text, size, "%s", error.text);
    else
        *out = &made->call;
    return status;
}

void declared_release(struct declared_call *call)
{
    made_call_end((struct made_call *)call);
}

void declared_point(struct declared_call *call, const struct simdbench_operands *operands)
{
    made_call_point((struct made_call *)call, operands);
}

uint64_t declared_length(const struct declared_call *call, uint32_t operand)
{
    return made_call_length((const struct made_call *)call, operand);
}

void declared_finish(const struct declared_call *call)
{
    made_call_finish((const struct made_call *)call);
}

bool declared_answered(const struct declared_call *call)
{
    const struct made_call *const made = (const struct made_call *)call;
    const struct declared_slot *const slot = made->slot;
    return slot->answered != ANSWERED_BY_REFERENCE &&
           made->function == &slot->function[slot->answered];
}
