/* SPDX-License-Identifier: Apache-2.0 */
/* Further calls tell why the results of two calls of the right answers' function differ.
 */
#include "called_computed.h"

#include <ctype.h>
#include <inttypes.h>

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
        if (operand_is_output(operand) && !computed->again[i] &&
            !(computed->again[i] = output_buffer(operand)))
            return no_memory(error);
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

static bool is_as_before(const struct computed *computed, int byte)
{
    bool same = true;
    for (uint32_t i = 0; i < computed->view.count; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        const void *const before =
            byte == FIRST_BYTE ? computed->other[i] : operand->data;
        if (computed->other[i])
            same &= !memcmp(before, computed->again[i],
                            computed->length[i] * type_bytes(operand->type));
    }
    return same;
}

/* True if the bytes that outputs hold decide the results. Functions that draw numbers, or
 * count their calls, do not follow this order by chance. */
static bool bytes_decide(struct made_call *made, struct computed *computed)
{
    static const int bytes[] = {FIRST_BYTE, FIRST_BYTE,  SECOND_BYTE,
                                FIRST_BYTE, SECOND_BYTE, SECOND_BYTE};
    struct error lost;
    bool same = true;
    for (size_t k = 0; k < ARRAY_LEN(bytes) && same; k++)
        same = compute_again(made, computed, bytes[k], &lost) == 0 &&
               is_as_before(computed, bytes[k]);
    return same;
}

/* Arrays that are combined may cancel equal bytes out, as xor does: those of a function
 * that has no input hold mixed ones, too. */
static void look_for_mixed(struct declared_slot *slot, struct made_call *made,
                           struct computed *computed)
{
    struct error lost;
    if (compute_again(made, computed, MIXED_BYTES, &lost) < 0)
        return;
    for (uint32_t i = 0; i < computed->view.count; i++)
        if (third_differs(computed, i))
            slot->last.varies = computed->differs = computed->varies[i] =
                slot->varied[i] = true;
}

static void tell_arrays(struct declared_slot *slot, const struct computed *computed,
                        uint32_t array, size_t n_arrays)
{
    uint32_t varying = 0;
    while (!computed->varies[varying])
        varying++;
    if (n_arrays == 1)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "the results depend on what %s held before the call: if the function "
                 "reads it, write inout before its type",
                 output_name(slot, array));
    else
        snprintf(slot->last.note, sizeof slot->last.note,
                 "%s depends on what outputs held before the call: write inout before "
                 "the type of those that the function reads",
                 output_name(slot, varying));
}

void tell_why(struct declared_slot *slot, struct made_call *made,
              struct computed *computed)
{
    bool blind = true;
    uint32_t array = 0;
    size_t n_arrays = 0;
    for (uint32_t i = 0; i < computed->view.count; i++) {
        blind &= operand_is_output(&computed->operand[i]);
        if (computed->operand[i].role == SIMDBENCH_OUT && operand_is_array(slot, i)) {
            array = i;
            n_arrays++;
        }
    }
    if (!computed->differs && blind && n_arrays)
        look_for_mixed(slot, made, computed);
    if (!computed->differs)
        return;
    if (n_arrays && bytes_decide(made, computed))
        tell_arrays(slot, computed, array, n_arrays);
    else if (slot->from->declaration.n_objects)
        snprintf(
            slot->last.note, sizeof slot->last.note,
            "two calls with objects that were made anew differ: the function, or what "
            "makes them, uses state outside of them, or memory that nobody wrote");
}

/* ---- numbers that are no sizes ---- */

static bool stands_in(const struct extent *extent, int64_t dimension)
{
    bool found = false;
    for (uint32_t i = 0; i < extent->n; i++)
        found |=
            extent->step[i].op == EXTENT_DIMENSION && extent->step[i].value == dimension;
    return found;
}

static bool is_used(const struct declared_op *from, uint32_t dimension)
{
    bool used = stands_in(&from->ops, dimension);
    FOR_EACH (const struct declared_argument, one, from->declaration.argument,
              from->declaration.n) {
        used |= stands_in(&one->count, dimension) || stands_in(&one->planes, dimension) ||
                stands_in(&one->integer, dimension);
        for (uint32_t k = 0; k < one->n_made; k++)
            used |= stands_in(&one->made[k].integer, dimension);
    }
    /* An input that names it cannot be read without it. */
    struct declaration without = from->declaration;
    struct error lost;
    without.dimension[dimension].name[0] = '\0';
    for (size_t i = 0; i < from->n_inputs; i++)
        used |= input_check(&without, from->input[i].text, &lost) < 0;
    return used;
}

/* --sizes gives them the value of a size all the same. */
void tell_idle(struct declared_slot *slot, const struct simdbench_shape *shape)
{
    const struct declaration *const declaration = &slot->from->declaration;
    const struct declared_dimension *idle = NULL;
    bool any = false;
    for (uint32_t d = 0; d < declaration->n_dimensions; d++) {
        const bool used = is_used(slot->from, d);
        any |= used;
        if (!used && declaration->dimension[d].argument >= 0)
            idle = &declaration->dimension[d];
    }
    if (idle && any)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "%s stands in no extent, and --sizes made it %" PRId64
                 ": if it is no size, write %s = VALUE in the prototype",
                 idle->name, shape->dim[idle - declaration->dimension], idle->name);
}

/* ---- calls that refuse ---- */

/* False if there is an array that is written and no inout array that is as it was. */
static bool leaves_arrays(const struct declared_slot *slot,
                          const struct computed *computed)
{
    bool any = false, same = true;
    for (uint32_t i = 0; i < computed->view.count && same; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        if (!operand_is_output(operand) || !operand_is_array(slot, i))
            continue;
        any = true;
        same = operand->role == SIMDBENCH_INOUT &&
               !memcmp(operand->data, computed->operand[operand->source].data,
                       operand_bytes(operand));
    }
    return any && same;
}

static bool begins_word(const char *name, size_t at)
{
    return !at || !isalpha((unsigned char)name[at - 1]) ||
           (isupper((unsigned char)name[at]) && !isupper((unsigned char)name[at - 1]));
}

/* True of fit_err, pErrorCode and info2; not of interrupt. */
static bool names_error(const char *name)
{
    static const char *const words[] = {"err",     "error",     "errors", "errno", "ierr",
                                        "errcode", "errorcode", "info",   "status"};
    for (size_t at = 0; name[at]; at++)
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
            const size_t end = at + strlen(words[i]);
            if (begins_word(name, at) &&
                !strncasecmp(name + at, words[i], strlen(words[i])) &&
                (!isalpha((unsigned char)name[end]) || begins_word(name, end)))
                return true;
        }
    return false;
}

/* True of an integer that is not what the call found there. */
static bool tells_error(const struct declared_slot *slot, const struct computed *computed,
                        uint32_t i, int64_t value)
{
    const int argument = slot->operand[i].argument;
    struct declared_sizes sizes;
    struct error lost;
    return ctype_is_integer(slot->from->declaration.argument[argument].type) &&
           names_error(output_name(slot, i)) &&
           slot_measure(slot, computed->view.shape, &sizes, &lost) == 0 &&
           value != sizes.integer[argument];
}

/* The type of what is returned has the name of an error; lapack_int of LAPACKE is info.
 */
static bool returns_error(const struct declared_slot *slot)
{
    const char *const word = slot->from->declaration.returned_as;
    return names_error(word) || !strcmp(word, "lapack_int");
}

static int64_t number_in(const struct simdbench_operand *operand)
{
    const size_t size = type_bytes(operand->type);
    return size == 8   ? *(const int64_t *)operand->data
           : size == 4 ? *(const int32_t *)operand->data
                       : 0;
}

void name_returned(const struct declared_slot *slot, const struct computed *computed,
                   char *text, size_t size)
{
    int64_t lo, hi;
    *text = '\0';
    ctype_range(slot->from->declaration.returned, &lo, &hi);
    for (uint32_t i = 0; i < computed->view.count; i++)
        if (slot->operand[i].argument == NO_OPERAND &&
            ctype_is_integer(slot->from->declaration.returned) &&
            type_bytes(computed->operand[i].type) >= 4) {
            const int64_t value = number_in(&computed->operand[i]);
            const uint64_t bits = hi == UINT32_MAX ? (uint32_t)value : (uint64_t)value;
            if (lo < 0)
                snprintf(text, size, "returns %" PRId64 " and ", value);
            else
                snprintf(text, size, "returns %" PRIu64 " and ", bits);
        }
}

/* Functions that write their results elsewhere return a small negative number, some of
 * them as a size_t, if they refuse to work, or any other and leave arrays as they were;
 * others write a number to an argument that is named for it, as those of LAPACK: their
 * time is then no time of the work. */
void tell_refusal(struct declared_slot *slot, const struct computed *computed, uint32_t i)
{
    enum { ERRNO_MAX = 4095 };
    const struct simdbench_operand *const operand = &computed->operand[i];
    const bool returned = slot->operand[i].argument == NO_OPERAND;
    const char *const name = output_name(slot, i);
    const int64_t value = number_in(operand);
    const bool refuses = returned ? ctype_is_integer(slot->from->declaration.returned) &&
                                        ((value < 0 && value >= -ERRNO_MAX) ||
                                         (value && returns_error(slot)) ||
                                         (value && leaves_arrays(slot, computed)))
                                  : value && tells_error(slot, computed, i, value);
    if (refuses)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "%s%s %" PRId64 ": if that is an error, the time is that of the error",
                 returned ? "returned" : name, returned ? "" : " is", value);
}
