/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of some captured calls, as they were when the function was called: of each
 * shape as many as --replay says, drawn from all of its calls. */
#include "foreign_private.h"

#include <inttypes.h>

#define KEPT_BYTES_MAX ((uint64_t)64 << 20)

/* The report tells the first argument that was another one. */
static void note_other(struct target *target, const struct declared_argument *argument,
                       int64_t value, int64_t wanted)
{
    char text[200];
    const int n = snprintf(text, sizeof text, "%.100s was ", argument->name);
    if (argument->kind == ARGUMENT_NULL)
        snprintf(text + n, sizeof text - (size_t)n, "not NULL");
    else
        snprintf(text + n, sizeof text - (size_t)n, "%" PRId64 ", not %" PRId64 "%s",
                 value, wanted,
                 argument->kind == ARGUMENT_WITHIN ? " bytes into its array" : "");
    if (!target->why_not)
        string_set(&target->why_not, text);
}

/* The word of an argument that is passed: an integer, or the address of an array. An
 * array that is not passed is found by a place in it. */
static bool find_word(const struct declaration *declaration,
                      const struct declared_sizes *sizes, const struct program_call *call,
                      uint32_t array, uint64_t *address)
{
    const uint64_t size = ctype_bytes(declaration->argument[array].type);
    int number = array < declaration->n_passed ? capture_word(declaration, array) : -1;
    uint64_t at = 0;
    for (uint32_t i = 0; i < declaration->n_passed && number < 0; i++)
        if (declaration->argument[i].kind == ARGUMENT_WITHIN &&
            declaration->argument[i].within == array) {
            number = capture_word(declaration, i);
            at = (uint64_t)sizes->integer[i] * size;
        }
    *address = number < 0 ? 0 : call->argument[number] - at;
    return number >= 0;
}

/* Integers that the prototype computes, or that are sizes, are these, places are where it
 * says, and pointers that it says are null are null. */
static bool is_as_declared(const struct declaration *declaration,
                           const struct declared_sizes *sizes,
                           const struct program_call *call, struct target *target)
{
    for (uint32_t i = 0; i < declaration->n_passed; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        const int number = capture_word(declaration, i);
        const bool null = argument->kind == ARGUMENT_NULL;
        const bool place = argument->kind == ARGUMENT_WITHIN;
        const bool known = argument->kind == ARGUMENT_INTEGER || null || place;
        uint64_t begin = 0;
        if (!known || argument->by_address || number < 0 ||
            kept_integer(declaration, i) ||
            (place && !find_word(declaration, sizes, call, argument->within, &begin)))
            continue;
        const uint64_t word = call->argument[number] - begin;
        const int64_t value = null ? (int64_t)word : capture_value(argument, word);
        const uint64_t size =
            place ? ctype_bytes(declaration->argument[argument->within].type) : 1;
        const int64_t wanted = null ? 0 : sizes->integer[i] * (int64_t)size;
        if (value != wanted) {
            note_other(target, argument, value, wanted);
            return false;
        }
    }
    return true;
}

static uint64_t bytes_kept(const struct declaration *declaration,
                           const struct declared_sizes *sizes)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < declaration->n; i++)
        bytes += kept_bytes(declaration, sizes, i);
    return bytes;
}

/* False: an array is where no memory is, or an argument in no word that is known. */
static bool read_arguments(const struct declaration *declaration,
                           const struct declared_sizes *sizes,
                           const struct program_call *call, unsigned char *data)
{
    for (uint32_t i = 0; i < declaration->n; i++) {
        const uint64_t bytes = kept_bytes(declaration, sizes, i);
        uint64_t word = 0;
        if (bytes && !find_word(declaration, sizes, call, i, &word))
            return false;
        if (kept_integer(declaration, i)) {
            const int64_t value = capture_value(&declaration->argument[i], word);
            memcpy(data, &value, sizeof value);
        } else if (bytes && program_read(call->thread, word, data, bytes) != bytes) {
            return false;
        }
        data += bytes;
    }
    return true;
}

static struct kept_shape *shape_find(const struct target *target,
                                     const int64_t *dimension)
{
    for (size_t i = 0; i < target->n_kept; i++)
        if (!memcmp(target->kept[i].dimension, dimension,
                    sizeof target->kept[i].dimension))
            return &target->kept[i];
    return NULL;
}

static struct kept_shape *shape_add(struct target *target, const int64_t *dimension)
{
    must_grow(target->kept, target->n_kept);
    struct kept_shape *const shape = &target->kept[target->n_kept++];
    *shape = (struct kept_shape){.seen = 1};
    memcpy(shape->dimension, dimension, sizeof shape->dimension);
    return shape;
}

/* The place of this call among those that are kept; SIZE_MAX: there is none for it. */
static size_t draw_place(struct foreign *foreign, struct target *target,
                         struct kept_shape *shape, uint64_t bytes)
{
    const bool fits = foreign->kept_bytes + bytes <= KEPT_BYTES_MAX;
    if (!shape) {
        target->no_room += !fits || target->n_kept == KEPT_SHAPES_MAX;
        return fits && target->n_kept < KEPT_SHAPES_MAX ? 0 : SIZE_MAX;
    }
    const uint64_t draw = random_next(&foreign->random) % ++shape->seen;
    if (shape->n < foreign->options->prove.replay && fits)
        return shape->n;
    return draw < shape->n ? draw : SIZE_MAX;
}

static void put_call(struct foreign *foreign, struct kept_shape *shape, size_t place,
                     const struct kept_call *call)
{
    if (place == shape->n) {
        must_grow(shape->call, shape->n);
        shape->call[shape->n++] = (struct kept_call){.bytes = 0};
        foreign->kept_bytes += call->bytes;
    }
    free((void *)shape->call[place].data);
    shape->call[place] = *call;
}

void capture_keep(struct foreign *foreign, struct target *target,
                  const struct program_call *call)
{
    const struct declaration *const declaration = foreign->declaration;
    struct declared_sizes sizes;
    struct error error;
    struct asked asked;
    if (!foreign->options->prove.replay || !declaration)
        return;
    if (!capture_shape(call->argument, declaration, &asked) ||
        declaration_measure(declaration, asked.dimension, &sizes, &error) < 0 ||
        !is_as_declared(declaration, &sizes, call, target)) {
        target->not_kept++;
        return;
    }
    struct kept_call kept = {.bytes = bytes_kept(declaration, &sizes)};
    struct kept_shape *const shape = shape_find(target, asked.dimension);
    const size_t place = draw_place(foreign, target, shape, kept.bytes);
    if (place == SIZE_MAX)
        return;
    unsigned char *const data = must_have(malloc(kept.bytes + 1));
    if (!read_arguments(declaration, &sizes, call, data)) {
        target->not_kept++;
        free(data);
        return;
    }
    kept.data = data;
    memcpy(kept.dimension, asked.dimension, sizeof kept.dimension);
    put_call(foreign, shape ?: shape_add(target, asked.dimension), place, &kept);
}

size_t capture_kept(const struct target *target)
{
    size_t n = 0;
    for (size_t i = 0; i < target->n_kept; i++)
        n += target->kept[i].n;
    return n;
}

bool capture_keeps(const struct target *target, const int64_t *dimension)
{
    const struct kept_shape *const shape = shape_find(target, dimension);
    return shape && shape->n;
}

int capture_write_calls(const void *context, FILE *file, struct error *error)
{
    const struct target *const target = context;
    FREED_BY(free_memory) struct kept_call *calls =
        must_have(calloc(capture_kept(target) + 1, sizeof *calls));
    size_t n = 0;
    for (size_t i = 0; i < target->n_kept; i++)
        for (size_t k = 0; k < target->kept[i].n; k++)
            calls[n++] = target->kept[i].call[k];
    return kept_calls_write(file, calls, n, error);
}

void capture_forget(struct target *target)
{
    for (size_t i = 0; i < target->n_kept; i++) {
        for (size_t k = 0; k < target->kept[i].n; k++)
            free((void *)target->kept[i].call[k].data);
        free(target->kept[i].call);
    }
    FREE_EACH(target->kept, target->why_not);
}
