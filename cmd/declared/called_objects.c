/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that make what a call needs: objects, and values of arrays. */
#include "called_private.h"

typedef int finder(void *handle, const struct library *library, const char *name,
                   void **address, struct error *error);

/* Looks also in what the program has loaded, as free() of libc, and in libraries that
 * ours needs. */
static int find(finder *first, const struct declared_slot *slot, const char *name,
                void **address, struct error *error)
{
    const int status = first(slot->handle, &slot->library, name, address, error);
    if (status != -ENOENT)
        return status;
    *address = module_symbol(slot->handle, name);
    if (!*address && !strcmp(name, "nothing"))
        *address = (void *)(uintptr_t)call_nothing;
    return *address ? 0 : status;
}

/* *name: the value of a variable, as many bytes as it has. */
static int read_symbol(const struct declared_slot *slot, const char *name, uint64_t *word,
                       struct error *error)
{
    const struct library_function *variable = NULL;
    struct error why;
    void *address;
    const int status = find(symbol_address, slot, name, &address, error);
    if (status < 0)
        return status;
    const bool found = library_find(&slot->library, name, &variable, &why) == 0;
    if (found && !variable->is_data)
        return invalid(error, "*%s is no value: %s is a function", name, name);
    const size_t n = found && variable->bytes && variable->bytes < sizeof *word
                         ? variable->bytes
                         : sizeof *word;
    *word = 0;
    memcpy(word, address, n);
    return 0;
}

static int set_made(struct made_call *made, const struct made_argument *from,
                    struct call_signature *signature, struct call_frame *frame,
                    uint32_t i, struct error *error)
{
    const int64_t *const dimension = made->operands.shape->dim;
    const struct declared_argument *const array =
        &made->slot->from->declaration.argument[from->argument];
    int64_t value = 0;
    void *address;
    int status = 0;
    signature->argument[i] = from->kind == ARGUMENT_NUMBER ? CALL_VECTOR : CALL_INTEGER;
    switch (from->kind) {
    case ARGUMENT_NUMBER:
        frame->word[i] = ctype_of_double(from->type, from->number);
        break;
    case ARGUMENT_TEXT:
        frame->word[i] = (uintptr_t)from->text;
        break;
    case ARGUMENT_ARRAY:
        status = extent_value(&from->integer, dimension, &value, error);
        frame->word[i] = (uintptr_t)made_call_pointer(made, from->argument) +
                         (uint64_t)value * (array->planes.n ? sizeof(void *)
                                                            : ctype_bytes(array->type));
        break;
    case ARGUMENT_OPAQUE:
        frame->word[i] = from->by_address ? (uintptr_t)&made->opaque[from->argument]
                                          : (uintptr_t)made->opaque[from->argument];
        break;
    case ARGUMENT_INTEGER:
        status = extent_value(&from->integer, dimension, &value, error);
        frame->word[i] = ctype_is_float(from->type)
                             ? ctype_of_double(from->type, (double)value)
                             : (uint64_t)value;
        break;
    case ARGUMENT_SYMBOL:
        if (!from->by_address)
            return read_symbol(made->slot, from->text, &frame->word[i], error);
        status = find(symbol_address, made->slot, from->text, &address, error);
        frame->word[i] = status == 0 ? (uintptr_t)address : 0;
        break;
    case ARGUMENT_DIMENSION:
        frame->word[i] = made->seed;
        break;
    default:
        frame->word[i] = 0;
    }
    return status;
}

static void free_opaque(struct made_call *made, uint32_t i)
{
    const struct declared_argument *const argument =
        &made->slot->from->declaration.argument[i];
    free_word(made->freed_by[i], argument->freed_by_address, (uintptr_t)made->opaque[i]);
    if (argument->step[0].bytes)
        free(made->opaque[i]);
    made->opaque[i] = NULL;
}

struct made_run {
    call_code *code;
    struct call_frame frame;
};

static void run_maker(void *context)
{
    struct made_run *const run = context;
    run->code(&run->frame);
}

/* A call that makes an opaque argument, or sets it up. */
static int make_step(struct made_call *made, uint32_t i, uint32_t s, uint64_t *result,
                     bool *by_address, struct error *error)
{
    const struct declared_argument *const argument =
        &made->slot->from->declaration.argument[i];
    const struct made_step *const step = &argument->step[s];
    struct call_signature signature = {.n = step->n};
    struct made_run run = {.frame = {.result = 0}};
    struct thunk *thunk = NULL;
    char text[200];
    int status = 0;
    for (uint32_t k = 0; k < step->n && status == 0; k++) {
        const struct made_argument *const from = &argument->made[step->first + k];
        status = set_made(made, from, &signature, &run.frame, k, error);
        *by_address |= from->kind == ARGUMENT_OPAQUE && from->by_address;
    }
    if (status == 0)
        status = thunk_make(&signature, made->maker[i][s], &thunk, error);
    if (status < 0)
        return status;
    run.code = thunk_code(thunk);
    status = crash_catch_named(step->name, run_maker, &run, text, sizeof text);
    thunk_free(thunk);
    *result = run.frame.result;
    if (status == 0)
        return 0;
    if (argument->step[0].bytes)
        free(made->opaque[i]);
    made->opaque[i] = NULL;
    return error_set(error, status, "%s: %s() %s", argument->name, step->name, text);
}

/* A structure whose members have these values, instead of a call. */
static int make_structure(struct made_call *made, uint32_t i, uint64_t *result,
                          struct error *error)
{
    const struct declared_argument *const argument =
        &made->slot->from->declaration.argument[i];
    const struct made_step *const step = &argument->step[0];
    char *const structure = must_have(calloc(1, step->bytes + 2 * argument->renewed));
    struct call_signature signature;
    struct call_frame frame = {.result = 0};
    int status = 0;
    *result = (uintptr_t)structure;
    for (uint32_t k = 0; k < step->n && status == 0; k++) {
        const struct made_argument *const from = &argument->made[k];
        int64_t lo = INT64_MIN, hi = INT64_MAX;
        status = set_made(made, from, &signature, &frame, k, error);
        if (ctype_is_integer(from->type))
            ctype_range(from->type, &lo, &hi);
        if (status == 0 && ((int64_t)frame.word[k] < lo || (int64_t)frame.word[k] > hi))
            status = invalid(error, "%s: member %u is %lld, which %s cannot hold",
                             argument->name, k + 1, (long long)frame.word[k],
                             ctype_name(from->type));
        memcpy(structure + from->offset, &frame.word[k], ctype_bytes(from->type));
    }
    return status;
}

static int make_opaque(struct made_call *made, uint32_t i, struct error *error)
{
    const struct declared_argument *const argument =
        &made->slot->from->declaration.argument[i];
    uint64_t result;
    bool by_address = false;
    int status = argument->step[0].bytes
                     ? make_structure(made, i, &result, error)
                     : make_step(made, i, 0, &result, &by_address, error);
    if ((status == 0 && !by_address) || argument->step[0].bytes)
        made->opaque[i] = (void *)(uintptr_t)result;
    if (status == 0 && !made->opaque[i])
        status = error_set(error, -ENOMEM, "%s: %s() %s NULL", argument->name,
                           argument->step[0].name, by_address ? "wrote" : "returned");
    for (uint32_t s = 1; s < argument->n_steps && status == 0; s++)
        status = make_step(made, i, s, &result, &by_address, error);
    if (status == 0 && made->opaque[i] && argument->renewed)
        memcpy((char *)made->opaque[i] + argument->renewed, made->opaque[i],
               argument->renewed);
    return status;
}

int find_freer(const struct made_call *made, const char *name, void (**freer)(void *),
               struct error *error)
{
    void *address = NULL;
    const int status = find(called_find, made->slot, name, &address, error);
    *(void **)freer = address;
    return status;
}

/* The functions that make and free an object. */
static int find_makers_of(struct made_call *made, uint32_t i, struct error *error)
{
    const struct declared_argument *const argument =
        &made->slot->from->declaration.argument[i];
    int status = 0;
    for (uint32_t s = argument->step[0].bytes > 0; s < argument->n_steps && status == 0;
         s++)
        status = find(called_find, made->slot, argument->step[s].name, &made->maker[i][s],
                      error);
    return status == 0 && argument->freed_by[0]
               ? find_freer(made, argument->freed_by, &made->freed_by[i], error)
               : status;
}

/* Those that fill arrays are looked for when they are called: not all libraries that are
 * compared need them. */
int objects_find(struct made_call *made, struct error *error)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    int status = 0;
    for (uint32_t i = 0; i < declaration->n && status == 0; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        if (argument->kind == ARGUMENT_SYMBOL)
            status =
                find(symbol_address, made->slot, argument->text, &made->opaque[i], error);
        else if (argument->kind == ARGUMENT_OPAQUE || argument->freed_by[0])
            status = find_makers_of(made, i, error);
    }
    return status;
}

/* Those that were made last go first. */
void objects_free(struct made_call *made)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    for (uint32_t k = declaration->n_objects; k-- > 0;)
        free_opaque(made, declaration->object[k]);
}

/* Arrays that only makers get have their first values again. */
static void renew_arrays(const struct made_call *made)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    for (uint32_t i = declaration->n_passed; i < declaration->n; i++) {
        const struct simdbench_operand *const to = made_call_array(made, i);
        const struct simdbench_operand *const from =
            to && to->role == SIMDBENCH_INOUT ? made->operands.operand[to->source] : NULL;
        if (!declaration_passes(declaration, i) && from && from->data && to->data)
            memcpy(to->data, from->data, operand_bytes(to));
    }
}

int objects_make(struct made_call *made, struct error *error)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    int status = 0;
    objects_free(made);
    renew_arrays(made);
    for (uint32_t k = 0; k < declaration->n_objects && status == 0; k++)
        status = make_opaque(made, declaration->object[k], error);
    return status;
}

/* ---- arrays that functions fill ---- */

static bool is_filled(const struct declared_argument *argument)
{
    return argument->kind == ARGUMENT_ARRAY && argument->n_steps > 0;
}

bool slot_has_fillers(const struct declared_slot *slot)
{
    const struct declaration *const declaration = &slot->from->declaration;
    bool any = false;
    for (uint32_t i = 0; i < declaration->n; i++)
        any |= is_filled(&declaration->argument[i]);
    return any;
}

/* An inout array has its values in the operand that it is a copy of. */
int slot_run_fillers(const struct declared_slot *slot,
                     const struct simdbench_operands *operands, uint64_t seed,
                     struct error *error)
{
    const struct declaration *const declaration = &slot->from->declaration;
    FREED_BY(free_memory) struct made_call *made = calloc(1, sizeof *made);
    uint64_t result;
    bool by_address = false;
    int status = made ? 0 : no_memory(error);
    if (status == 0) {
        made->slot = slot;
        made->seed = seed;
        made->operands = *operands;
        for (uint32_t o = 0; o < slot->n_operands; o++)
            if (slot->operand[o].role == SIMDBENCH_INOUT)
                made->operands.operand[o] = operands->operand[slot->operand[o].source];
    }
    for (uint32_t i = 0; i < declaration->n && status == 0; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        if (!is_filled(argument))
            continue;
        status = find_makers_of(made, i, error);
        for (uint32_t s = 0; s < argument->n_steps && status == 0; s++)
            status = make_step(made, i, s, &result, &by_address, error);
    }
    return status;
}
