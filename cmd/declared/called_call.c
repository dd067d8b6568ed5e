/* SPDX-License-Identifier: Apache-2.0 */
/* A function at a shape: its thunk, the frame of its arguments, and what belongs to them.
 */
#include "called_private.h"

const struct simdbench_operand *made_call_array(const struct made_call *made, uint32_t i)
{
    const int operand = made->slot->pointer[i];
    return operand == NO_OPERAND ? NULL : made->operands.operand[operand];
}

/* An array as it is passed. */
void *made_call_pointer(const struct made_call *made, uint32_t i)
{
    return made->table[i] ? (void *)made->table[i] : made_call_array(made, i)->data;
}

/* ---- the call ---- */

int declared_point(struct declared_call *call, const struct simdbench_operands *operands,
                   struct error *error)
{
    struct made_call *const made = (struct made_call *)call;
    const struct declaration *const declaration = &made->slot->from->declaration;
    void *pointer[DECLARED_MAX];
    made->operands = *operands;
    made_call_forget(made);
    tables_fill(made);
    const int status = objects_make(made, error);
    for (uint32_t i = 0; i < declaration->n; i++)
        pointer[i] =
            made_call_array(made, i) ? made_call_pointer(made, i) : made->opaque[i];
    if (status == 0)
        call_fill(declaration, &made->sizes, pointer, &made->frame);
    made->frame.owner = made;
    return status;
}

int declared_renew(struct declared_call *call, struct error *error)
{
    const struct simdbench_operands same = ((struct made_call *)call)->operands;
    for (uint32_t i = 0; i < same.count; i++)
        if (same.operand[i]->role == SIMDBENCH_INOUT)
            memcpy(same.operand[i]->data, same.operand[same.operand[i]->source]->data,
                   operand_bytes(same.operand[i]));
    return declared_point(call, &same, error);
}

/* All but the code; of the call that has the number of its set. */
static int begin_frame(struct made_call *made, uint64_t number, struct error *error)
{
    const struct simdbench_operands operands = made->operands;
    int status = slot_measure(made->slot, operands.shape, &made->sizes, error)
                     ?: objects_find(made, error)
                     ?: tables_make(made, error);
    slot_set_kept(made->slot, operands.shape->dim, number, &made->sizes);
    return status == 0 ? declared_point(&made->call, &operands, error) : status;
}

/* Functions that free what a call made. */
static int find_freers(struct made_call *made, struct error *error)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        if (declaration->argument[i].kind == ARGUMENT_NULL) {
            made->signature.free_slot[i] = made->freed_by[i];
            made->signature.slot_by_address[i] =
                declaration->argument[i].freed_by_address;
        }
    made->signature.result_by_address = declaration->freed_by_address;
    return declaration->freed_by[0] ? find_freer(made, declaration->freed_by,
                                                 &made->signature.free_result, error)
                                    : 0;
}

void free_word(void (*freer)(void *), bool by_address, uint64_t word)
{
    void *pointer = (void *)(uintptr_t)word;
    if (freer && pointer)
        freer(by_address ? (void *)&pointer : pointer);
}

void made_call_free(struct made_call *made)
{
    const struct call_signature *const signature = &made->signature;
    made_call_look(made);
    free_word(signature->free_result, signature->result_by_address, made->frame.result);
    for (uint32_t i = 0; i < signature->n; i++)
        free_word(signature->free_slot[i], signature->slot_by_address[i],
                  made->frame.slot[i]);
}

static void look_and_free(struct call_frame *frame)
{
    made_call_free(frame->owner);
}

/* The code that sees what a call made has no other functions to free it. */
static int make_looks(struct made_call *made, const void *function, struct error *error)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    struct call_signature signature;
    bool any = declaration->content.is_compared;
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        any |= declaration->argument[i].content.is_compared;
    declaration_signature(declaration, &signature);
    signature.after = look_and_free;
    return any ? thunk_make(&signature, function, &made->looks, error) : 0;
}

int made_call_begin(const struct declared_slot *slot,
                    const struct declared_function *function,
                    const struct simdbench_operands *operands, struct made_call **out,
                    struct error *error)
{
    struct made_call *const made = calloc(1, sizeof *made);
    if (!made)
        return no_memory(error);
    struct call_signature *const signature = &made->signature;
    made->slot = slot;
    made->function = function;
    made->operands = *operands;
    declaration_signature(&slot->from->declaration, signature);
    void *const address = function ? function->address : slot->reference;
    int status =
        begin_frame(made, slot->set, error)
            ?: find_freers(made, error)
            ?: thunk_make(signature, address, &made->thunk, error)
            ?: make_looks(made, address, error)
            ?: thunk_make(signature, (void *)(uintptr_t)call_nothing, &made->empty, error);
    if (status < 0) {
        declared_release(&made->call);
        return status;
    }
    made->call = (struct declared_call){.code = thunk_code(made->looks ?: made->thunk),
                                        .plain = thunk_code(made->thunk),
                                        .timed = thunk_jump(made->thunk),
                                        .nothing = thunk_jump(made->empty),
                                        .function = address,
                                        .frame = &made->frame};
    *out = made;
    return 0;
}

void declared_release(struct declared_call *call)
{
    struct made_call *const made = (struct made_call *)call;
    while (made->sets) {
        struct made_call *const set = made->sets;
        made->sets = set->sets;
        set->sets = NULL;
        declared_release(&set->call);
    }
    objects_free(made);
    tables_free(made);
    thunk_free(made->thunk);
    thunk_free(made->looks);
    thunk_free(made->empty);
    free(made);
}

int64_t pointer_offset(const struct made_call *made, uint64_t pointer)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    if (!pointer)
        return -1;
    for (uint32_t i = 0; i < declaration->n; i++) {
        const struct simdbench_operand *const operand = made_call_array(made, i);
        if (!operand || declaration->argument[i].kind != ARGUMENT_ARRAY)
            continue;
        const uint64_t begin = (uintptr_t)operand->data;
        if (pointer >= begin && pointer <= begin + operand_bytes(operand))
            return (int64_t)(pointer - begin);
    }
    return POINTS_ELSEWHERE;
}

bool operand_is_array(const struct declared_slot *slot, uint32_t operand)
{
    const int argument = slot->operand[operand].argument;
    return argument != NO_OPERAND &&
           slot->from->declaration.argument[argument].kind == ARGUMENT_ARRAY;
}

void declared_finish(const struct declared_call *call)
{
    const struct made_call *const made = (const struct made_call *)call;
    const struct declared_slot *const slot = made->slot;
    const struct declaration *const declaration = &slot->from->declaration;
    const enum ctype returned = declaration->returned;
    for (uint32_t o = 0; o < slot->n_operands; o++) {
        const struct operand_source *const source = &slot->operand[o];
        const struct simdbench_operand *const operand = made->operands.operand[o];
        uint64_t word = made->frame.result;
        if (operand_is_array(slot, o))
            continue;
        if (source->argument != NO_OPERAND)
            word = declaration->argument[source->argument].content.is_compared
                       ? (uint64_t)made->content[source->argument]
                       : made->frame.slot[source->argument];
        else if (returned == CTYPE_POINTER)
            word = (uint64_t)pointer_offset(made, word);
        else if (returned == CTYPE_VOID)
            word = 0;
        if (source->argument == NO_OPERAND && word == (uint64_t)POINTS_ELSEWHERE &&
            declaration->content.is_compared)
            word = (uint64_t)made->content_returned;
        const bool vector =
            source->argument == NO_OPERAND && slot->from->declaration.vector;
        memcpy(operand->data, vector ? (const void *)made->frame.vector : &word,
               operand_bytes(operand));
    }
}

uint64_t declared_length(const struct declared_call *call, uint32_t operand)
{
    const struct made_call *const made = (const struct made_call *)call;
    const struct declared_slot *const slot = made->slot;
    return operand_is_array(slot, operand)
               ? call_length(&slot->from->declaration, &made->sizes,
                             (uint32_t)slot->operand[operand].argument, &made->frame)
               : made->operands.operand[operand]->count;
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

int declared_add_set(struct declared_call *call,
                     const struct simdbench_operands *operands, struct call_frame **frame,
                     char *text, size_t size)
{
    struct made_call *const made = (struct made_call *)call;
    struct made_call *const set = calloc(1, sizeof *set);
    struct error error = {.text = "out of memory"};
    if (!set) {
        snprintf(text, size, "%s", error.text);
        return -ENOMEM;
    }
    set->slot = made->slot;
    set->function = made->function;
    set->operands = *operands;
    set->sets = made->sets;
    made->sets = set;
    uint64_t number = 0;
    for (const struct made_call *one = set; one; one = one->sets)
        number++;
    *frame = &set->frame;
    const int status = begin_frame(set, number, &error);
    if (status < 0)
        snprintf(text, size, "%s", error.text);
    return status;
}

bool declared_frames_last(const struct declared_call *call)
{
    const struct made_call *const made = (const struct made_call *)call;
    for (uint32_t i = 0; i < DECLARED_MAX; i++)
        if (made->table[i])
            return false;
    return !made->slot->from->declaration.n_objects;
}

bool declared_makes(const struct declared_call *call)
{
    const struct declared_slot *const slot = ((const struct made_call *)call)->slot;
    return slot->from->declaration.n_objects > 0 || slot_has_fillers(slot);
}

struct declared_facts declared_facts(const struct declared_call *call)
{
    const struct made_call *const made = (const struct made_call *)call;
    const struct declared_slot *const slot = made->slot;
    const struct last_answers *const last = &slot->last;
    const bool alone = last->computed && !last->varies && !last->unseen &&
                       slot->n_functions == 1 &&
                       made->function->address == slot->reference;
    return (struct declared_facts){
        .answered = last->by != ANSWERED_BY_REFERENCE &&
                    made->function == &slot->function[last->by],
        .unseen = last->unseen || !declaration_has_outputs(&slot->from->declaration),
        .varies = last->varies,
        .note = *last->note ? last->note
                : alone     ? "it is its own reference: its results are the same in each "
                              "call, and nobody else computed them"
                            : NULL};
}
