/* SPDX-License-Identifier: Apache-2.0 */
/* Captured calls as data, and as a declaration (docs/call.md) that measures them. */
#include "foreign_private.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>

enum { SHAPES_MAX = 12 };

const struct target *capture_main(const struct foreign *foreign)
{
    const struct target *main = NULL;
    EACH_TARGET(foreign, target)
    if (target->n_captured && (!main || target->n_captured > main->n_captured))
        main = target;
    return main;
}

/* True of what is passed in a general register: an integer or a pointer. */
static bool is_general(enum call_class class)
{
    return class == CALL_INTEGER || class == CALL_ADDRESS;
}

int capture_word(const struct declaration *declaration, uint32_t argument)
{
    static struct call_signature signature;
    declaration_signature(declaration, &signature);
    const unsigned place = call_place(&signature, argument);
    return is_general(signature.argument[argument]) && place < PROGRAM_WORDS ? (int)place
                                                                             : -1;
}

/* ---- shapes ---- */

int64_t capture_value(const struct declared_argument *argument, uint64_t word)
{
    const unsigned bits = 8 * (unsigned)ctype_bytes(argument->type);
    if (!bits || bits >= 64)
        return (int64_t)word;
    int64_t lowest, highest;
    ctype_range(argument->type, &lowest, &highest);
    const uint64_t low = word & ((UINT64_C(1) << bits) - 1);
    return lowest < 0 && low >> (bits - 1) ? (int64_t)(low | ~((UINT64_C(1) << bits) - 1))
                                           : (int64_t)low;
}

/* The dimension that `end = x + n` tells of a function that is not told n; -1: none. */
static int dimension_of_place(const struct declaration *declaration, uint32_t i,
                              const uint64_t *word, int64_t *value)
{
    const struct declared_argument *const place = &declaration->argument[i];
    const struct extent *const distance = &place->integer;
    if (place->kind != ARGUMENT_WITHIN || place->within >= declaration->n_passed ||
        distance->n != (place->each > 1 ? 3 : 1) ||
        distance->step[0].op != EXTENT_DIMENSION ||
        declaration->dimension[distance->step[0].value].argument >= 0)
        return -1;
    const int begin = capture_word(declaration, place->within);
    const int end = capture_word(declaration, i);
    const int64_t bytes =
        place->each * (int64_t)ctype_bytes(declaration->argument[place->within].type);
    if (begin < 0 || end < 0)
        return -1;
    *value = (int64_t)(word[end] - word[begin]) / bytes;
    return (int)distance->step[0].value;
}

bool capture_shape(const uint64_t *word, const struct declaration *declaration,
                   struct asked *asked)
{
    uint32_t found = 0;
    *asked = (struct asked){.calls = 1};
    for (uint32_t i = 0; i < declaration->n_passed; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        const int number = capture_word(declaration, i);
        int64_t value = 0;
        int dimension = dimension_of_place(declaration, i, word, &value);
        if (argument->kind == ARGUMENT_DIMENSION && !argument->by_address &&
            number >= 0) {
            dimension = argument->dimension;
            value = capture_value(argument, word[number]);
        }
        if (dimension < 0 || found & 1u << dimension)
            continue;
        asked->dimension[dimension] = value;
        found |= 1u << dimension;
    }
    return found == (1u << declaration->n_dimensions) - 1;
}

static int by_shape(const void *a, const void *b)
{
    return memcmp(((const struct asked *)a)->dimension,
                  ((const struct asked *)b)->dimension,
                  sizeof((const struct asked *)a)->dimension);
}

static int by_time(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;
    return x->time > y->time     ? -1
           : x->time < y->time   ? 1
           : x->calls > y->calls ? -1
           : x->calls < y->calls ? 1
                                 : by_shape(a, b);
}

bool capture_time_is_known(const struct target *target)
{
    size_t above = 0, below = 0;
    for (size_t i = 0; i < target->n_captured; i++) {
        above += target->captured[i].ns >= 2 * target->captured[i].stop_ns;
        below += target->captured[i].ns < 2 * target->captured[i].stop_ns;
    }
    return above > below;
}

size_t capture_shapes(const struct target *target, const struct declaration *declaration,
                      struct asked **out)
{
    struct asked *const asked = must_have(calloc(target->n_captured + 1, sizeof *asked));
    double time = 0;
    size_t n = 0, kept = 0;
    FOR_EACH (const struct captured, captured, target->captured, target->n_captured) {
        const double ns = captured->ns - captured->stop_ns;
        const bool known = capture_shape(captured->argument, declaration, &asked[n]);
        asked[n].time = isfinite(ns) && ns > 0 ? ns : 0;
        n += known;
    }
    qsort(asked, n, sizeof *asked, by_shape);
    for (size_t i = 0; i < n; i++) {
        time += asked[i].time;
        if (kept && by_shape(&asked[kept - 1], &asked[i]) == 0) {
            asked[kept - 1].calls += asked[i].calls;
            asked[kept - 1].time += asked[i].time;
        } else {
            asked[kept++] = asked[i];
        }
    }
    qsort(asked, kept, sizeof *asked, by_time);
    const bool told = capture_time_is_known(target);
    for (size_t i = 0; i < kept; i++) {
        asked[i].calls /= (double)n;
        asked[i].time = told ? asked[i].time / time : NAN;
    }
    *out = asked;
    return kept;
}

void capture_tell_shape(const struct asked *asked, const struct declaration *declaration,
                        struct buffer *text)
{
    for (uint32_t d = 0; d < declaration->n_dimensions; d++)
        buffer_format(text, "%s%" PRId64, d ? "x" : "", asked->dimension[d]);
}

/* ---- the declaration ---- */

char *capture_calls_file(const char *declaration)
{
    char *path = NULL;
    const size_t n = strlen(declaration);
    const bool json = n >= 5 && !strcmp(declaration + n - 5, ".json");
    must(asprintf(&path, "%.*s.calls", (int)(json ? n - 5 : n), declaration));
    return path;
}

/* The file is beside the declaration. A call that changes an array finds what the
 * program's call found. */
static void put_calls(struct json *json, cJSON *op, const struct foreign *foreign)
{
    const struct declaration *const declaration = foreign->declaration;
    FREED_BY(free_memory) char *path = capture_calls_file(foreign->options->call.save);
    FREED_BY(free_memory) char *name = NULL;
    bool changes = false;
    must(asprintf(&name, "./%s", basename(path)));
    json_text(json, op, "calls", name);
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        changes |= declaration->argument[i].kind == ARGUMENT_ARRAY &&
                   declaration->argument[i].role == ARGUMENT_INOUT;
    if (changes)
        json_bool(json, op, "reset", true);
}

int capture_declare(const void *context, FILE *file, struct error *error)
{
    const struct foreign *const foreign = context;
    const struct declaration *const declaration = foreign->declaration;
    const struct target *const target = capture_main(foreign);
    struct json json = {.root = NULL};
    FREED_BY(buffer_free) struct buffer shapes = {.text = NULL};
    FREED_BY(free_memory) struct asked *asked = NULL;
    const size_t n = capture_shapes(target, declaration, &asked);
    const bool kept = capture_kept(target) > 0;
    cJSON *const root = json_object(&json, NULL, NULL);
    json_number(&json, root, "functions", 1);
    cJSON *const op = json_object(&json, json_array(&json, root, "ops"), NULL);
    json_text(&json, op, "name", declaration->name[0] ? declaration->name : target->name);
    json_text(&json, op, "prototype", foreign->options->prove.prototype);
    json_text(&json, op, "library", target->file->path);
    cJSON *const kernels = json_object(&json, op, "kernels");
    json_text(&json, kernels, "lib", target->name);
    for (size_t i = 0, shown = 0; i < n && shown < SHAPES_MAX; i++) {
        bool positive = declaration->n_dimensions &&
                        (!kept || capture_keeps(target, asked[i].dimension));
        for (uint32_t d = 0; d < declaration->n_dimensions; d++)
            positive &= asked[i].dimension[d] > 0;
        if (!positive)
            continue;
        buffer_add(&shapes, shown++ ? "," : "");
        capture_tell_shape(&asked[i], declaration, &shapes);
    }
    if (shapes.length)
        json_text(&json, op, "sizes", buffer_text(&shapes));
    if (kept)
        put_calls(&json, op, foreign);
    return json_end(&json, file, error);
}

/* ---- JSON ---- */

static void put_shapes(struct json *json, cJSON *to, const struct target *target,
                       const struct declaration *declaration)
{
    FREED_BY(free_memory) struct asked *asked = NULL;
    const size_t n = capture_shapes(target, declaration, &asked);
    cJSON *const list = json_array(json, to, "shapes");
    for (size_t i = 0; i < n; i++) {
        FREED_BY(buffer_free) struct buffer text = {.text = NULL};
        cJSON *const shape = json_object(json, list, NULL);
        capture_tell_shape(&asked[i], declaration, &text);
        json_text(json, shape, "shape", buffer_text(&text));
        json_number(json, shape, "calls", asked[i].calls);
        json_number(json, shape, "time", asked[i].time);
    }
}

static void put_call(struct json *json, cJSON *list, const struct captured *captured)
{
    cJSON *const call = json_object(json, list, NULL);
    cJSON *const arguments = json_array(json, call, "arguments");
    char text[24];
    for (unsigned k = 0; k < PROGRAM_ARGUMENTS; k++) {
        snprintf(text, sizeof text, "0x%" PRIx64, captured->argument[k]);
        json_text(json, arguments, NULL, text);
    }
    snprintf(text, sizeof text, "0x%" PRIx64, captured->caller);
    json_text(json, call, "caller", text);
    json_number(json, call, "ns", captured->ns);
    json_number(json, call, "stop_ns", captured->stop_ns);
}

int capture_write_json(const struct foreign *foreign, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    cJSON *const root = json_object(&json, NULL, NULL);
    json_number(&json, root, "capture", 1);
    json_text(&json, root, "tool_version", simdbench_version.number);
    cJSON *const functions = json_array(&json, root, "functions");
    EACH_SHOWN(foreign, target)
    {
        cJSON *const function = json_object(&json, functions, NULL);
        json_plain(&json, function, "name", target->name);
        if (target->chosen)
            json_plain(&json, function, "target", target->chosen);
        json_plain(&json, function, "object", target->file->path);
        json_number(&json, function, "calls", (double)target->calls);
        json_bool(&json, function, "calls_exact", target_is_counted(foreign, target));
        if (foreign->declaration)
            put_shapes(&json, function, target, foreign->declaration);
        cJSON *const calls = json_array(&json, function, "captured");
        for (size_t i = 0; i < target->n_captured; i++)
            put_call(&json, calls, &target->captured[i]);
    }
    return json_end(&json, file, error);
}
