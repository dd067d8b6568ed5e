/* SPDX-License-Identifier: Apache-2.0 */
/* The report of captured calls for people: callers, arguments, times. */
#include "foreign_private.h"

#include <inttypes.h>
#include <math.h>

enum { SHOWN = 5, SHAPES_SHOWN = 12 };
/* On Golden Cove (family 6 model 207) the branches of a sort were learnt on 9.6 KB of
 * data and not on 38 KB; larger predictors have room. */
enum { LEARNT_BYTES = 128 << 10 };
static const char *const registers[PROGRAM_WORDS] = {
    "rdi",     "rsi",     "rdx",     "rcx",     "r8",      "r9",
    "stack 1", "stack 2", "stack 3", "stack 4", "stack 5", "stack 6",
    "stack 7", "stack 8", "stack 9", "stack 10"};

/* ---- values ---- */

/* Values and how often each of them came, the most frequent first. */
struct count {
    uint64_t value;
    double n;
};

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    return x->n > y->n ? -1 : x->n < y->n ? 1 : by_u64(a, b);
}

static size_t count_values(struct count *count, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(count, n, sizeof *count, by_u64);
    for (size_t i = 0; i < n; i++) {
        if (kept && count[kept - 1].value == count[i].value)
            count[kept - 1].n++;
        else
            count[kept++] = (struct count){count[i].value, 1};
    }
    if (kept)
        qsort(count, kept, sizeof *count, by_count);
    return kept;
}

/* Addresses of user space; without a prototype those alone that are no small numbers. */
static bool is_pointer(uint64_t value, bool declared)
{
    return value >= (declared ? 1 : UINT64_C(1) << 24) && value < UINT64_C(1) << 47;
}

static void tell_pointer(const struct target *target, unsigned k, bool declared,
                         struct buffer *text)
{
    static const unsigned steps[] = {64, 32, 16, 8, 4, 2};
    double aligned[ARRAY_LEN(steps)] = {0}, n = 0;
    const char *separator = "a pointer, a multiple of ";
    for (size_t i = 0; i < target->n_captured; i++) {
        const uint64_t value = target->captured[i].argument[k];
        n += is_pointer(value, declared);
        for (size_t s = 0; s < ARRAY_LEN(steps) && is_pointer(value, declared); s++)
            aligned[s] += value % steps[s] == 0;
    }
    for (size_t s = 0; s < ARRAY_LEN(steps); s++) {
        if (aligned[s] == 0 || (s && aligned[s] == aligned[s - 1]))
            continue;
        buffer_format(text, "%s%u in %.0f%%", separator, steps[s], 100 * aligned[s] / n);
        separator = ", of ";
    }
    if (*separator == 'a')
        buffer_add(text, "a pointer, to odd addresses alone");
    /* The same address in two registers: in place, or one of no use. */
    for (unsigned other = 0; other < k; other++) {
        double same = 0;
        for (size_t i = 0; i < target->n_captured; i++)
            same +=
                target->captured[i].argument[k] == target->captured[i].argument[other] &&
                is_pointer(target->captured[i].argument[k], declared);
        if (same > 0)
            buffer_format(text, "; the same as %s in %.0f%%", registers[other],
                          100 * same / n);
    }
}

static void tell_integer(struct count *count, size_t n, struct buffer *text)
{
    struct count least = count[0], most = count[0];
    double all = 0;
    const size_t kept = count_values(count, n);
    for (size_t i = 0; i < kept; i++) {
        all += count[i].n;
        if ((int64_t)count[i].value < (int64_t)least.value)
            least = count[i];
        if ((int64_t)count[i].value > (int64_t)most.value)
            most = count[i];
    }
    for (size_t i = 0; i < kept && i < SHOWN; i++)
        buffer_format(text, "%s%" PRId64 " in %.0f%%", i ? ", " : "",
                      (int64_t)count[i].value, 100 * count[i].n / all);
    if (kept > SHOWN)
        buffer_format(text, "; %zu values from %" PRId64 " to %" PRId64, kept,
                      (int64_t)least.value, (int64_t)most.value);
}

/* ---- lines ---- */

static const struct declared_argument *argument_of(const struct declaration *declaration,
                                                   unsigned k)
{
    for (uint32_t i = 0; declaration && i < declaration->n_passed; i++)
        if (capture_word(declaration, i) == (int)k)
            return &declaration->argument[i];
    return NULL;
}

static bool is_integer(const struct declared_argument *argument)
{
    return argument && !argument->by_address &&
           (argument->kind == ARGUMENT_DIMENSION || argument->kind == ARGUMENT_INTEGER);
}

static bool is_argument(const struct target *target,
                        const struct declaration *declaration, unsigned k)
{
    if (declaration)
        return argument_of(declaration, k) != NULL;
    return k < PROGRAM_ARGUMENTS &&
           (!target->n_seen || target->seen[0].arguments >> k & 1);
}

static void tell_argument(const struct target *target,
                          const struct declaration *declaration, unsigned k,
                          struct buffer *text)
{
    FREED_BY(free_memory) struct count *count =
        must_have(calloc(target->n_captured + 1, sizeof *count));
    size_t pointers = 0;
    const struct declared_argument *const argument = argument_of(declaration, k);
    for (size_t i = 0; i < target->n_captured; i++) {
        const uint64_t word = target->captured[i].argument[k];
        const bool integer = is_integer(argument);
        count[i].value = integer ? (uint64_t)capture_value(argument, word) : word;
        pointers += !integer && is_pointer(word, argument);
    }
    buffer_format(text, "  %s%s%s: ", argument ? argument->name : "",
                  argument ? ", " : "", registers[k]);
    if (2 * pointers > target->n_captured)
        tell_pointer(target, k, argument, text);
    else
        tell_integer(count, target->n_captured, text);
}

static void tell_callers(const struct foreign *foreign, const struct target *target,
                         struct buffer *text)
{
    FREED_BY(free_memory) struct count *count =
        must_have(calloc(target->n_captured + 1, sizeof *count));
    for (size_t i = 0; i < target->n_captured; i++)
        count[i] = (struct count){target->captured[i].caller, 1};
    const size_t kept = count_values(count, target->n_captured);
    buffer_add(text, "  called from ");
    for (size_t i = 0; i < kept && i < SHOWN; i++) {
        size_t k = 0;
        while (target->captured[k].caller != count[i].value)
            k++;
        FREED_BY(free_memory) char *where =
            target_where(foreign, target->captured[k].layout, count[i].value);
        buffer_format(text, "%s%.0f%% ", i ? ", " : "",
                      100 * count[i].n / (double)target->n_captured);
        buffer_plain(text, where);
    }
    if (kept > SHOWN)
        buffer_format(text, " and %zu more places", kept - SHOWN);
}

/* The cost of a stop is subtracted; a time that is not above it is not known. */
static void tell_time(const struct target *target, struct buffer *text)
{
    FREED_BY(free_memory) double *ns =
        must_have(calloc(2 * target->n_captured + 1, sizeof *ns));
    double *const stop = ns + target->n_captured;
    char low[NUMBER_SIZE], middle[NUMBER_SIZE], high[NUMBER_SIZE], empty[NUMBER_SIZE];
    size_t n = 0;
    for (size_t i = 0; i < target->n_captured; i++)
        if (isfinite(target->captured[i].ns)) {
            ns[n] = target->captured[i].ns;
            stop[n++] = target->captured[i].stop_ns;
        }
    if (n) {
        stats_sort(ns, n);
        stats_sort(stop, n);
        const double cost = stop[n / 2];
        text_time(cost, empty);
        text_time(fmax(0, ns[n / 4] - cost), low);
        text_time(fmax(0, ns[n / 2] - cost), middle);
        text_time(fmax(0, ns[n - 1 - n / 4] - cost), high);
        if (!capture_time_is_known(target))
            buffer_format(text, "  a call takes less than a stop, %s: no time is known",
                          empty);
        else
            buffer_format(
                text,
                "  a call runs for %s, half of them %s to %s; the stop that was "
                "subtracted takes %s",
                middle, low, high, empty);
    }
}

static void tell_shapes(const struct target *target,
                        const struct declaration *declaration, struct buffer *text)
{
    FREED_BY(free_memory) struct asked *asked = NULL;
    const size_t n = capture_shapes(target, declaration, &asked);
    for (size_t i = 0; i < n && i < SHAPES_SHOWN; i++) {
        buffer_add(text, i ? ", " : "  shapes: ");
        capture_tell_shape(&asked[i], declaration, text);
        buffer_format(text, " (%.0f%% of the calls", 100 * asked[i].calls);
        if (isfinite(asked[i].time))
            buffer_format(text, ", %.0f%% of their time", 100 * asked[i].time);
        buffer_add(text, ")");
    }
    if (n > SHAPES_SHOWN)
        buffer_format(text, " and %zu more", n - SHAPES_SHOWN);
}

/* Replayed in turn, the branches on so few bytes are learnt by heart, as those of a
 * program that comes with new ones at each call are not. */
static uint64_t enough_calls(const struct kept_shape *shape)
{
    const struct kept_call *const first = shape->call;
    const uint64_t enough = (LEARNT_BYTES + first->bytes) / (first->bytes + 1);
    bool same = shape->n > 1;
    for (size_t i = 1; i < shape->n; i++)
        same &= !memcmp(first->data, shape->call[i].data, first->bytes);
    return !first->bytes || same ? 0 : enough < shape->seen ? enough : shape->seen;
}

static void tell_learnt(const struct target *target, uint32_t replay, struct buffer *text)
{
    uint64_t wanted = 0;
    FOR_EACH (const struct kept_shape, shape, target->kept, target->n_kept) {
        const uint64_t enough = shape->n == replay ? enough_calls(shape) : 0;
        wanted = enough > wanted ? enough : wanted;
    }
    if (wanted > replay && replay < REPLAY_MAX)
        buffer_format(
            text,
            "; predictors of branches may learn so few by heart: --replay=%" PRIu64
            " keeps more",
            wanted < REPLAY_MAX ? wanted : REPLAY_MAX);
}

static void tell_kept(const struct foreign *foreign, const struct target *target,
                      struct buffer *text)
{
    if (!foreign->options->prove.replay)
        return;
    buffer_format(text, "  operands of %zu calls are kept", capture_kept(target));
    const char *separator = ", with the values of ";
    for (uint32_t i = 0; foreign->declaration && i < foreign->declaration->n_passed; i++)
        if (kept_integer(foreign->declaration, i)) {
            buffer_format(text, "%s%s", separator,
                          foreign->declaration->argument[i].name);
            separator = ", ";
        }
    if (target->not_kept)
        buffer_format(text,
                      "; %" PRIu64 " calls were not as the prototype says%s%s%s, or "
                      "their operands could not be read",
                      target->not_kept, target->why_not ? " (" : "",
                      target->why_not ?: "", target->why_not ? ")" : "");
    if (target->no_room)
        buffer_format(text,
                      "; for %" PRIu64 " calls of other shapes there was no room (%d "
                      "shapes, 64 MiB)",
                      target->no_room, KEPT_SHAPES_MAX);
    tell_learnt(target, foreign->options->prove.replay, text);
}

static void line(FILE *file, struct buffer *text)
{
    if (text->length)
        text_line(file, "%s", buffer_text(text));
    buffer_clear(text);
}

static void tell_target(const struct foreign *foreign, const struct target *target,
                        FILE *file)
{
    const struct declaration *const declaration = foreign->declaration;
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    buffer_plain(&text, target->demangled ?: target->name);
    if (target->chosen && strcmp(target->chosen, target->name)) {
        buffer_add(&text, " -> ");
        buffer_plain(&text, target->chosen);
    }
    buffer_format(&text, " (%s): called %s%" PRIu64 " times, %zu of these captured",
                  target->file->name,
                  target_is_counted(foreign, target) ? "" : "at least ", target->calls,
                  target->n_captured);
    line(file, &text);
    if (target->n_captured) {
        tell_callers(foreign, target, &text);
        line(file, &text);
        for (unsigned k = 0; k < PROGRAM_WORDS; k++)
            if (is_argument(target, declaration, k)) {
                tell_argument(target, declaration, k, &text);
                line(file, &text);
            }
        if (declaration && declaration->n_dimensions)
            tell_shapes(target, declaration, &text);
        line(file, &text);
        tell_kept(foreign, target, &text);
        line(file, &text);
        tell_time(target, &text);
        line(file, &text);
    }
}

void capture_write(const struct foreign *foreign, FILE *file)
{
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    EACH_SHOWN(foreign, target)
    tell_target(foreign, target, file);
    prove_tell_uncalled(foreign, &text);
    line(file, &text);
    prove_tell_cost(foreign, &text);
    line(file, &text);
}
