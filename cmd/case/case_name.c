/* SPDX-License-Identifier: Apache-2.0 */
#include "case/case.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "process/process.h"
#include "reports.h"

/* ---- settings ---- */

enum { VALUE_SIZE = 32, ALIGN_DEFAULT = 64 };

/* Decimal digits alone; 0 for anything else. */
static uint64_t whole(const char *text)
{
    char *end;
    errno = 0;
    const uint64_t number = strtoull(text, &end, 10);
    return errno || *end || strspn(text, "0123456789") != strlen(text) ? 0 : number;
}

static bool read_threads(const char *value, struct case_settings *to)
{
    const uint64_t number = whole(value);
    to->threads = (uint32_t)number;
    return number > 0 && number <= UINT32_MAX;
}

static const char *threads_text(const struct case_settings *from, char *text)
{
    snprintf(text, VALUE_SIZE, "%" PRIu32, from->threads);
    return from->threads > 1 ? text : NULL;
}

static bool read_cache(const char *value, struct case_settings *to)
{
    return to->cold = !strcmp(value, "cold");
}

static const char *cache_text(const struct case_settings *from, char *text)
{
    return from->cold ? "cold" : NULL;
}

static bool read_pages(const char *value, struct case_settings *to)
{
    return to->huge_pages = !strcmp(value, "2m");
}

static const char *pages_text(const struct case_settings *from, char *text)
{
    return from->huge_pages ? "2m" : NULL;
}

static bool read_align(const char *value, struct case_settings *to)
{
    return (to->align = whole(value)) > 0;
}

static const char *align_text(const struct case_settings *from, char *text)
{
    snprintf(text, VALUE_SIZE, "%" PRIu64, from->align);
    return from->align && from->align != ALIGN_DEFAULT ? text : NULL;
}

static bool read_most_ulp(const char *value, struct case_settings *to)
{
    char *end;
    to->most_ulp = strtod(value, &end);
    return end > value && !*end && isfinite(to->most_ulp) && to->most_ulp > 0;
}

static const char *most_ulp_text(const struct case_settings *from, char *text)
{
    snprintf(text, VALUE_SIZE, "%g", from->most_ulp);
    return from->most_ulp > 0 ? text : NULL;
}

static bool read_input(const char *value, struct case_settings *to)
{
    free(to->input);
    to->input = *value ? must_have(strdup(value)) : NULL;
    return to->input;
}

static const char *input_text(const struct case_settings *from, char *text)
{
    return from->input;
}

static bool read_sets(const char *value, struct case_settings *to)
{
    const uint64_t number = whole(value);
    to->sets = (uint32_t)number;
    return number > 0 && number <= SETS_MAX;
}

static const char *sets_text(const struct case_settings *from, char *text)
{
    snprintf(text, VALUE_SIZE, "%" PRIu32, from->sets);
    return from->sets > 1 ? text : NULL;
}

/* In the order in which ids have them. */
static const struct {
    const char *name;
    bool (*read)(const char *value, struct case_settings *to);
    /* NULL: it has its default. */
    const char *(*text)(const struct case_settings *from, char *text);
} rows[] = {
    {"threads", read_threads, threads_text},
    {"cache", read_cache, cache_text},
    {"pages", read_pages, pages_text},
    {"align", read_align, align_text},
    {"accuracy-at-most", read_most_ulp, most_ulp_text},
    {"input", read_input, input_text},
    {"inputs", read_sets, sets_text},
};

void case_settings_each(const struct case_settings *settings,
                        void (*each)(const char *name, const char *value, void *context),
                        void *context)
{
    char text[VALUE_SIZE];
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *const value = rows[i].text(settings, text);
        if (value)
            each(rows[i].name, value, context);
    }
}

/* `word`: "threads=2", which is cut up. */
static bool read_setting(char *word, struct case_settings *to)
{
    char *const value = strchr(word, '=');
    if (!value)
        return false;
    *value = '\0';
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!strcmp(word, rows[i].name))
            return rows[i].read(value + 1, to);
    return false;
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
    char *const text = must_have(strdup(buffer_text(&id)));
    return text;
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
    struct case_name name;
    struct error error;
    if (case_name_parse(id, &name, &error) < 0)
        return NULL;
    name.settings.threads = threads;
    char *const text = case_name_format(&name);
    case_name_free(&name);
    return text;
}
