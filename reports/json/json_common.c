/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>

#include "json_common.h"
#include "text/text.h"

/* Deeper than any document of ours; keeps recursion far from the end of the stack. */
enum { DEPTH_MAX = 32 };

bool host_name_reserved(const char *name)
{
    return !strcmp(name, "fingerprint") || !strcmp(name, "identity") ||
           !strcmp(name, "isas") || !strcmp(name, "pmu");
}

static void place_write(const struct place *place, struct buffer *out)
{
    if (!place)
        return;
    place_write(place->parent, out);
    if (place->key)
        buffer_tell(out, "%s%s", place->parent ? "." : "", place->key);
    else
        buffer_format(out, "[%zu]", place->index);
}

int place_error(const struct place *place, struct error *error, int code,
                const char *format, ...)
{
    FREED_BY(buffer_free) struct buffer path = {.text = NULL};
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    place_write(place, &path);
    error_set(error, code, "%.250s: %s", place ? buffer_text(&path) : "document",
              message);
    return code;
}

static size_t count_digits(const char *text, size_t left)
{
    size_t n = 0;

    while (n < left && isdigit((unsigned char)text[n]))
        n++;
    return n;
}

/* The grammar of RFC 8259; 0 if there is no number. */
static size_t number_length(const char *text, size_t left)
{
    size_t i = *text == '-', n = count_digits(text + i, left - i);

    if (!n)
        return 0;
    i += text[i] == '0' ? 1 : n;
    if (i < left && text[i] == '.') {
        i++;
        i += n = count_digits(text + i, left - i);
    }
    if (n && i < left && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        i += i < left && (text[i] == '+' || text[i] == '-');
        i += n = count_digits(text + i, left - i);
    }
    return !n || count_digits(text + i, left - i) ? 0 : i;
}

/* Length of the string that begins with the quote at `text`. On error 0, and `*bad` is
 * the length of its good part. */
static size_t string_length(const char *text, size_t left, size_t *bad, const char **why)
{
    size_t i = 1;

    while (i < left && text[i] != '"') {
        uint32_t code;
        size_t step = text_utf8((const unsigned char *)text + i, left - i, &code);
        *bad = i;
        *why = !step ? "invalid UTF-8" : "control character in a string";
        if (!step || code < 0x20)
            return 0;
        *why = "zero byte in a string";
        if (code == '\\' && left - i >= 6 && !memcmp(text + i, "\\u0000", 6))
            return 0;
        i += code == '\\' ? 2 : step;
    }
    *bad = left;
    *why = "string without an end";
    return i < left ? i + 1 : 0;
}

int json_scan(const char *bytes, size_t size, struct error *error)
{
    size_t i = 0, step, line = 1, bad = 0;
    const char *why = NULL;
    int depth = 0;

    for (; i < size; i += step) {
        unsigned char c = (unsigned char)bytes[i];
        step = 1;
        if (c == '"') {
            step = string_length(bytes + i, size - i, &bad, &why);
        } else if (c == '-' || isdigit(c)) {
            step = number_length(bytes + i, size - i);
            bad = 0;
            why = "malformed number";
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            depth--;
        }
        line += c == '\n';
        if (!step)
            break;
        bad = 0;
        why = depth > DEPTH_MAX         ? "nested too deep"
              : c == 0                  ? "zero byte"
              : c < 0x20 && !isspace(c) ? "control character"
              : c == '\v' || c == '\f'  ? "control character"
              : c >= 0x7f               ? "byte outside of a string that is no JSON"
                                        : NULL;
        if (why)
            break;
    }
    if (i >= size)
        return 0;
    return invalid(error, "byte %zu, line %zu: %s", i + bad, line, why);
}

static int compare_keys(const void *left, const void *right)
{
    const cJSON *const *a = left, *const *b = right;

    return strcmp((*a)->string, (*b)->string);
}

static int check_keys(const cJSON *object, const struct place *at, struct error *error)
{
    size_t n = 0, i = 0;
    const cJSON *item;
    int code = 0;

    cJSON_ArrayForEach (item, object)
        n++;
    FREED_BY(free_memory) const cJSON **items = must_have(calloc(n + 1, sizeof *items));
    cJSON_ArrayForEach (item, object)
        items[i++] = item;
    qsort(items, n, sizeof *items, compare_keys);
    for (i = 1; i < n && !code; i++)
        if (!strcmp(items[i - 1]->string, items[i]->string)) {
            struct place place = {.parent = at, .key = items[i]->string};
            code = place_error(&place, error, -EEXIST, "this key is there twice");
        }
    return code;
}

int json_check(const cJSON *tree, const struct place *at, struct error *error)
{
    int code = cJSON_IsObject(tree) ? check_keys(tree, at, error) : 0;
    struct place place = {.parent = at};
    const cJSON *item;

    if (!code && cJSON_IsNumber(tree) && !isfinite(tree->valuedouble))
        return place_error(at, error, -EINVAL, "number out of range");
    if (!cJSON_IsObject(tree) && !cJSON_IsArray(tree))
        return code;
    cJSON_ArrayForEach (item, tree) {
        if (code)
            break;
        place.key = cJSON_IsObject(tree) ? item->string : NULL;
        code = json_check(item, &place, error);
        place.index++;
    }
    return code;
}
