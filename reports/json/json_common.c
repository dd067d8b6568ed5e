/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json_common.h"
#include "text/text.h"

/* Deeper than any document of ours; keeps recursion far from the end of the stack. */
enum { DEPTH_MAX = 32 };

static const struct field run_table[] = {
    {"started_at", FIELD_TEXT, offsetof(struct run, started_at)},
    {"seed", FIELD_TEXT, offsetof(struct run, seed)},
    {"interrupted", FIELD_BOOL, offsetof(struct run, interrupted)},
};
const struct fields run_fields = FIELDS(run_table);

static const struct field tool_table[] = {
    {"version", FIELD_TEXT, offsetof(struct run, tool_version)},
    {"commit", FIELD_TEXT, offsetof(struct run, tool_commit)},
    {"compiler", FIELD_TEXT, offsetof(struct run, tool_compiler)},
    {"flags", FIELD_TEXT, offsetof(struct run, tool_flags)},
};
const struct fields tool_fields = FIELDS(tool_table);

static const struct field source_table[] = {
    {"name", FIELD_TEXT, offsetof(struct source, name)},
    {"fingerprint", FIELD_NAME, offsetof(struct source, fingerprint)},
    {"cpu", FIELD_NAME, offsetof(struct source, cpu)},
    {"started_at", FIELD_NAME, offsetof(struct source, started_at)},
    {"version", FIELD_NAME, offsetof(struct source, tool_version)},
};
const struct fields source_fields = FIELDS(source_table);

static const struct field case_table[] = {
    {"id", FIELD_TEXT, offsetof(struct result, id)},
    {"group", FIELD_SIZE, offsetof(struct result, group)},
    {"op", FIELD_TEXT, offsetof(struct result, op)},
    {"type", FIELD_TEXT, offsetof(struct result, type)},
    {"isa", FIELD_TEXT, offsetof(struct result, isa)},
    {"variant", FIELD_TEXT, offsetof(struct result, variant)},
    {"shape", FIELD_TEXT, offsetof(struct result, shape)},
    {"layout", FIELD_NAME, offsetof(struct result, layout)},
    {"threads", FIELD_INT, offsetof(struct result, threads)},
    {"threads_used", FIELD_INT, offsetof(struct result, threads_used)},
    {"module", FIELD_NAME, offsetof(struct result, module)},
    {"module_version", FIELD_NAME, offsetof(struct result, module_version)},
    {"module_core", FIELD_NAME, offsetof(struct result, module_core)},
    {"module_isa", FIELD_NAME, offsetof(struct result, module_isa)},
    {"input_hash", FIELD_NAME, offsetof(struct result, input_hash)},
    {"implementation", FIELD_NAME, offsetof(struct result, implementation)},
    {"unranked", FIELD_NAME, offsetof(struct result, unranked)},
    {"source", FIELD_NAME, offsetof(struct result, source)},
};
const struct fields case_fields = FIELDS(case_table);

static const struct field measured_table[] = {
    {"prepare_ns", FIELD_NUMBER, offsetof(struct result, prepare_ns)},
    {"iterations", FIELD_U64, offsetof(struct result, iterations)},
    {"overhead_ns", FIELD_NUMBER, offsetof(struct result, overhead_ns)},
    {"voided", FIELD_U32, offsetof(struct result, voided)},
    {"workspace_bytes", FIELD_AMOUNT, offsetof(struct result, workspace_bytes)},
};
const struct fields measured_fields = FIELDS(measured_table);

static const struct field accuracy_table[] = {
    {"max_ulp", FIELD_NUMBER, offsetof(struct result, max_ulp)},
    {"mean_ulp", FIELD_NUMBER, offsetof(struct result, mean_ulp)},
    {"worst_input", FIELD_NUMBER, offsetof(struct result, worst_input)},
};
const struct fields accuracy_fields = FIELDS(accuracy_table);

static const struct field summary_table[] = {
    {"median_ns", FIELD_NUMBER, offsetof(struct result, median_ns)},
    {"min_ns", FIELD_NUMBER, offsetof(struct result, min_ns)},
    {"mad_ns", FIELD_NUMBER, offsetof(struct result, mad_ns)},
};
const struct fields summary_fields = FIELDS(summary_table);

static const struct field rate_table[] = {
    {"gops", FIELD_RATE, offsetof(struct result, gops)},
    {"gbps", FIELD_RATE, offsetof(struct result, gbps)},
};
const struct fields rate_fields = FIELDS(rate_table);

static const struct field limit_table[] = {
    {"gops", FIELD_RATE, offsetof(struct limit, gops)},
    {"gbps", FIELD_RATE, offsetof(struct limit, gbps)},
    {"share", FIELD_RATE, offsetof(struct limit, share)},
    {"too_low", FIELD_BOOL, offsetof(struct limit, too_low)},
};
const struct fields limit_fields = FIELDS(limit_table);

static const struct field ratio_table[] = {
    {"baseline", FIELD_TEXT, offsetof(struct ratio, baseline)},
    {"speedup", FIELD_NUMBER, offsetof(struct ratio, speedup)},
    {"unpaired", FIELD_BOOL, offsetof(struct ratio, unpaired)},
};
const struct fields ratio_fields = FIELDS(ratio_table);

static const struct field counter_table[] = {
    {"asked", FIELD_BOOL, offsetof(struct counter, asked)},
    {"event", FIELD_NAME, offsetof(struct counter, event)},
    {"config", FIELD_NAME, offsetof(struct counter, config)},
    {"scope", FIELD_NAME, offsetof(struct counter, scope)},
};
const struct fields counter_fields = FIELDS(counter_table);

static const struct field count_table[] = {
    {"value", FIELD_NUMBER, offsetof(struct counter, value)},
    {"per_element", FIELD_NUMBER, offsetof(struct counter, per_element)},
    {"overhead", FIELD_AMOUNT, offsetof(struct counter, overhead)},
    {"running_share", FIELD_NUMBER, offsetof(struct counter, running_share)},
    {"threads", FIELD_AMOUNT, offsetof(struct counter, threads)},
    {"user_read", FIELD_BOOL, offsetof(struct counter, user_read)},
};
const struct fields count_fields = FIELDS(count_table);

static const struct field absence_table[] = {
    {"fix", FIELD_NAME, offsetof(struct counter, fix)},
    {"errno", FIELD_AMOUNT, offsetof(struct counter, code)},
    {"errno_name", FIELD_NAME, offsetof(struct counter, errno_name)},
};
const struct fields absence_fields = FIELDS(absence_table);
static const struct field metric_table[] = {
    {"value", FIELD_NUMBER, offsetof(struct metric, value)},
    {"unit", FIELD_TEXT, offsetof(struct metric, unit)},
    {"formula", FIELD_NAME, offsetof(struct metric, formula)},
    {"asked", FIELD_BOOL, offsetof(struct metric, asked)},
};
const struct fields metric_fields = FIELDS(metric_table);

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
    if (place->key) {
        buffer_add(out, place->parent ? "." : "");
        buffer_plain(out, place->key);
    } else {
        buffer_format(out, "[%zu]", place->index);
    }
}

int place_error(const struct place *place, struct error *error, int code,
                const char *format, ...)
{
    struct buffer path = {.text = NULL};
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    place_write(place, &path);
    error_set(error, code, "%.250s: %s", place ? buffer_text(&path) : "document",
              message);
    buffer_free(&path);
    return code;
}

/* The grammar of RFC 8259; 0 if there is no number. */
static size_t number_length(const char *text, size_t left)
{
    size_t i = 0, begin;

#define DIGIT(at) ((at) < left && isdigit((unsigned char)text[at]))
    if (i < left && text[i] == '-')
        i++;
    if (!DIGIT(i))
        return 0;
    if (text[i] == '0')
        i++;
    else
        while (DIGIT(i))
            i++;
    if (i < left && text[i] == '.') {
        for (begin = ++i; DIGIT(i);)
            i++;
        if (i == begin)
            return 0;
    }
    if (i < left && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < left && (text[i] == '+' || text[i] == '-'))
            i++;
        for (begin = i; DIGIT(i);)
            i++;
        if (i == begin)
            return 0;
    }
    return DIGIT(i) ? 0 : i;
#undef DIGIT
}

/* Length of the string that begins with the quote at `text`; on error 0, and `*bad` is
 * how far it was good. */
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
    return error_set(error, -EINVAL, "byte %zu, line %zu: %s", i + bad, line, why);
}

static int compare_keys(const void *left, const void *right)
{
    const cJSON *const *a = left, *const *b = right;

    return strcmp((*a)->string, (*b)->string);
}

static int check_keys(const cJSON *object, const struct place *at, struct error *error)
{
    size_t n = 0, i = 0;
    const cJSON **items, *item;
    int code = 0;

    cJSON_ArrayForEach(item, object) n++;
    items = malloc((n + 1) * sizeof *items);
    if (!items)
        return error_set(error, -ENOMEM, "out of memory");
    cJSON_ArrayForEach(item, object) items[i++] = item;
    qsort(items, n, sizeof *items, compare_keys);
    for (i = 1; i < n && !code; i++)
        if (!strcmp(items[i - 1]->string, items[i]->string)) {
            struct place place = {.parent = at, .key = items[i]->string};
            code = place_error(&place, error, -EEXIST, "this key is there twice");
        }
    free(items);
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
    cJSON_ArrayForEach(item, tree)
    {
        if (code)
            break;
        place.key = cJSON_IsObject(tree) ? item->string : NULL;
        code = json_check(item, &place, error);
        place.index++;
    }
    return code;
}
