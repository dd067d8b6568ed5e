/* SPDX-License-Identifier: Apache-2.0 */
#include "case/case.h"

#include <inttypes.h>
#include <math.h>

#include "process/process.h"
#include "reports.h"

/* ---- settings ---- */

enum { ALIGN_DEFAULT = 64 };

/* Decimal digits alone; 0 for anything else. */
static uint64_t whole(const char *text)
{
    char *end;
    errno = 0;
    const uint64_t number = strtoull(text, &end, 10);
    return errno || *end || strspn(text, "0123456789") != strlen(text) ? 0 : number;
}

static bool read_count(const char *value, uint64_t most, uint32_t *to)
{
    const uint64_t number = whole(value);
    *to = (uint32_t)number;
    return number > 0 && number <= most;
}

static bool read_value(const char *name, const char *value, struct case_settings *to)
{
    char *end;
    if (!strcmp(name, "threads"))
        return read_count(value, UINT32_MAX, &to->threads);
    if (!strcmp(name, "cache"))
        return to->cold = !strcmp(value, "cold");
    if (!strcmp(name, "pages"))
        return to->huge_pages = !strcmp(value, "2m");
    if (!strcmp(name, "align"))
        return (to->align = whole(value)) > 0;
    if (!strcmp(name, "accuracy-at-most")) {
        to->most_ulp = strtod(value, &end);
        return end > value && !*end && isfinite(to->most_ulp) && to->most_ulp > 0;
    }
    if (!strcmp(name, "inputs"))
        return read_count(value, SETS_MAX, &to->sets);
    if (strcmp(name, "input") != 0)
        return false;
    free(to->input);
    to->input = *value ? must_have(strdup(value)) : NULL;
    return to->input;
}

/* `word`: "threads=2", which is cut up. */
static bool read_setting(char *word, struct case_settings *to)
{
    char *const value = strchr(word, '=');
    if (!value)
        return false;
    *value = '\0';
    return read_value(word, value + 1, to);
}

static void tell_count(const char *name, uint64_t count, uint64_t usual,
                       setting_visitor *each, void *context)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, count);
    if (count && count != usual)
        each(name, text, context);
}

void case_settings_each(const struct case_settings *settings, setting_visitor *each,
                        void *context)
{
    char ulp[24];
    tell_count("threads", settings->threads, 1, each, context);
    if (settings->cold)
        each("cache", "cold", context);
    if (settings->huge_pages)
        each("pages", "2m", context);
    tell_count("align", settings->align, ALIGN_DEFAULT, each, context);
    snprintf(ulp, sizeof ulp, "%g", settings->most_ulp);
    if (settings->most_ulp > 0)
        each("accuracy-at-most", ulp, context);
    if (settings->input)
        each("input", settings->input, context);
    tell_count("inputs", settings->sets, 1, each, context);
}

/* ---- ids ---- */

bool case_name_is(const char *word)
{
    return strchr(word, '@') || strchr(word, '/');
}

/* Cuts `text` behind the last of that character, and returns what stood there; all of the
 * text, which is empty then, if it has none. */
static char *cut_last(char *text, char separator)
{
    char *const at = strrchr(text, separator);
    char *const part = must_have(strdup(at ? at + 1 : text));
    *(at ? at : text) = '\0';
    return part;
}

/* An empty part counts as absent. */
static char *or_null(char *text)
{
    if (*text)
        return text;
    free(text);
    return NULL;
}

/* Reads what stands before the '@'. */
static bool read_kernel(char *text, struct case_name *name)
{
    name->variant = or_null(cut_last(text, '/'));
    name->isa = or_null(cut_last(text, '/'));
    char *const types = cut_last(text, '/');
    name->type = or_null(cut_last(types, '-'));
    name->semiring = or_null(types);
    name->op = or_null(cut_last(text, ':'));
    name->prefix = *text ? must_have(strdup(text)) : NULL;
    return name->variant && name->isa && name->type && name->op && !strchr(name->op, '/');
}

static bool read_rest(char *text, struct case_name *name)
{
    bool good = true;
    char *const shape = strsep(&text, ";");
    name->shape = *shape ? must_have(strdup(shape)) : NULL;
    for (char *word; good && (word = strsep(&text, ";"));)
        good = read_setting(word, &name->settings);
    return good && name->shape;
}

/* The path of a module may have an '@' too: the first one behind a kernel counts. */
int case_name_parse(const char *id, struct case_name *name, struct error *error)
{
    bool good = false;
    for (const char *at = strchr(id, '@'); at && !good; at = strchr(at + 1, '@')) {
        FREED_BY(free_memory) char *kernel = must_have(strndup(id, (size_t)(at - id)));
        FREED_BY(free_memory) char *rest = must_have(strdup(at + 1));
        *name = (struct case_name){.op = NULL};
        good = read_kernel(kernel, name) && read_rest(rest, name);
        if (!good)
            case_name_free(name);
    }
    if (good)
        return 0;
    *name = (struct case_name){.op = NULL};
    return invalid(error,
                   "%.200s: no id of a case%s; as in relu/f32/avx2/max@2048, see the ids "
                   "that --dry-run prints",
                   id, strchr(id, '@') ? "" : ": its size is missing");
}

static void add_setting(const char *name, const char *value, void *context)
{
    buffer_format(context, ";%s=%s", name, value);
}

char *case_name_format(const struct case_name *name)
{
    FREED_BY(buffer_free) struct buffer id = {.text = NULL};
    buffer_format(&id, "%s%s%s/%s%s%s/%s/%s@%s", name->prefix ?: "",
                  name->prefix ? ":" : "", name->op ?: "?", name->semiring ?: "",
                  name->semiring ? "-" : "", name->type ?: "?", name->isa ?: "?",
                  name->variant ?: "?", name->shape ?: "?");
    case_settings_each(&name->settings, add_setting, &id);
    return must_have(strdup(buffer_text(&id)));
}

void case_name_free(struct case_name *name)
{
    char *const texts[] = {
        name->prefix,  name->op,    name->semiring, name->type,   name->isa,
        name->variant, name->shape, name->layout,   name->module, name->settings.input};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    *name = (struct case_name){.op = NULL};
}

char *case_id_threads(const char *id, uint32_t threads)
{
    FREED_BY(case_name_free) struct case_name name;
    struct error error;
    if (case_name_parse(id, &name, &error) < 0)
        return NULL;
    name.settings.threads = threads;
    return case_name_format(&name);
}
