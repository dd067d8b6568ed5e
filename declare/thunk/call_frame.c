/* SPDX-License-Identifier: Apache-2.0 */
/* From a declaration to the words of a call. */
#include "thunk_private.h"

void *call_nothing(void)
{
    return NULL;
}

static enum call_class class_of(const struct declared_argument *argument)
{
    if (argument->by_address)
        return CALL_ADDRESS;
    if (argument->vector)
        return argument->vector == 64   ? CALL_VECTOR_64
               : argument->vector == 32 ? CALL_VECTOR_32
                                        : CALL_VECTOR_16;
    return argument->kind == ARGUMENT_NUMBER ? CALL_VECTOR : CALL_INTEGER;
}

void declaration_signature(const struct declaration *declaration,
                           struct call_signature *signature)
{
    *signature = (struct call_signature){
        .n = declaration->n_passed,
        .vector_result = !declaration->vector && ctype_is_float(declaration->returned),
        .result_bytes = declaration->vector};
    for (uint32_t i = 0; i < declaration->n; i++) {
        if (i < declaration->n_passed)
            signature->argument[i] = class_of(&declaration->argument[i]);
        signature->renewed[i] = declaration->argument[i].renewed;
    }
}

unsigned routes_find(const struct call_signature *signature,
                     struct route route[DECLARED_MAX], unsigned *floats)
{
    unsigned integers = 0, words = 0;
    *floats = 0;
    for (uint32_t i = 0; i < signature->n; i++) {
        const enum call_class class = signature->argument[i];
        const bool is_float = class != CALL_INTEGER && class != CALL_ADDRESS;
        unsigned *const used = is_float ? floats : &integers;
        const unsigned most = is_float ? FLOATS : INTEGERS;
        route[i].in_register = *used < most;
        route[i].number = *used < most ? (*used)++ : words++;
    }
    return words;
}

unsigned call_place(const struct call_signature *signature, uint32_t argument)
{
    struct route route[DECLARED_MAX];
    unsigned floats;
    routes_find(signature, route, &floats);
    return route[argument].number + (route[argument].in_register ? 0 : INTEGERS);
}

void call_fill(const struct declaration *declaration, const struct declared_sizes *sizes,
               void *const pointer[DECLARED_MAX], struct call_frame *frame)
{
    *frame = (struct call_frame){.result = 0};
    for (uint32_t i = 0; i < declaration->n; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        switch (argument->kind) {
        case ARGUMENT_ARRAY:
        case ARGUMENT_OPAQUE:
        case ARGUMENT_SYMBOL:
            frame->word[i] = (uintptr_t)pointer[i];
            break;
        case ARGUMENT_TEXT:
            frame->word[i] = (uintptr_t)argument->text;
            break;
        case ARGUMENT_NUMBER:
            frame->word[i] = ctype_of_double(argument->type, argument->number);
            break;
        case ARGUMENT_WITHIN:
            frame->word[i] =
                (uintptr_t)pointer[argument->within] +
                (uint64_t)sizes->integer[i] *
                    ctype_bytes(declaration->argument[argument->within].type);
            break;
        case ARGUMENT_NULL:
            break;
        default:
            frame->word[i] = ctype_is_float(argument->type)
                                 ? ctype_of_double(argument->type, argument->number)
                                 : (uint64_t)sizes->integer[i];
        }
        frame->slot[i] = frame->word[i];
    }
}

uint64_t call_length(const struct declaration *declaration,
                     const struct declared_sizes *sizes, uint32_t argument,
                     const struct call_frame *frame)
{
    const int length = declaration->argument[argument].length;
    return length == DECLARED_WHOLE ? sizes->count[argument]
                                    : call_reported(declaration, length, frame);
}

uint64_t call_reported(const struct declaration *declaration, int length,
                       const struct call_frame *frame)
{
    const enum ctype type = length == DECLARED_RETURN
                                ? declaration->returned
                                : declaration->argument[length].type;
    uint64_t word = length == DECLARED_RETURN ? frame->result : frame->slot[length];
    int64_t lo, hi;
    ctype_range(type, &lo, &hi);
    /* A negative length stays a huge one, which no array has. */
    const unsigned gone = 64 - 8 * (unsigned)ctype_bytes(type);
    return lo < 0 ? (uint64_t)((int64_t)(word << gone) >> gone) : word << gone >> gone;
}
