/* SPDX-License-Identifier: Apache-2.0 */
/* A project file is read: sections of defaults, each with the line that it stands in. */
#include <math.h>

#include "json.h"
#include "json_value.h"

struct reading {
    const char *bytes;
    struct project_default **list;
    size_t *n;
    struct error *error;
};

/* The line of a member of the document, which is JSON: of the section with that number,
 * or of a key in it unless `key` is negative. Each name ends with a colon. */
static size_t line_of(const char *text, int section, int key)
{
    int depth = 0, sections = -1, keys = -1;
    size_t line = 1;
    bool quoted = false;

    for (; *text; text++) {
        line += *text == '\n';
        if (quoted) {
            quoted = *text != '"';
            text += *text == '\\';
            continue;
        }
        quoted = *text == '"';
        depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
        if (*text != ':')
            continue;
        sections += depth == 1;
        keys = depth == 1 ? -1 : keys + (depth == 2);
        if (sections == section && keys == key)
            break;
    }
    return line;
}

static int fail(const struct reading *reading, const struct project_default *at,
                const char *why)
{
    return invalid(reading->error, "line %zu: %.60s%s%.60s: %s", at->line, at->section,
                   at->name ? "." : "", at->name ? at->name : "", why);
}

static void add(const struct reading *reading, const struct project_default *like,
                const char *value)
{
    struct project_default *const one = array_add(reading->list, reading->n, sizeof *one);
    *one = (struct project_default){.section = copy_text(like->section),
                                    .name = copy_text(like->name),
                                    .value = copy_text(value),
                                    .line = like->line,
                                    .off = like->off};
}

static int add_value(const struct reading *reading, struct project_default *like,
                     const cJSON *json)
{
    char number[NUMBER_SIZE];
    if (!cJSON_IsString(json) && (!cJSON_IsNumber(json) || !isfinite(json->valuedouble)))
        return fail(reading, like,
                    "expected a text, a number, true, false, or a list of texts");
    if (cJSON_IsNumber(json))
        text_exact(json->valuedouble, number);
    add(reading, like, cJSON_IsString(json) ? json->valuestring : number);
    return 0;
}

static int add_member(const struct reading *reading, struct project_default *like,
                      const cJSON *json)
{
    const cJSON *item;
    int code = 0;

    like->off = cJSON_IsFalse(json);
    if (cJSON_IsBool(json)) {
        add(reading, like, NULL);
        return 0;
    }
    if (!cJSON_IsArray(json))
        return add_value(reading, like, json);
    if (!json->child)
        return fail(reading, like, "the list is empty");
    cJSON_ArrayForEach (item, json) {
        code = code ?: add_value(reading, like, item);
    }
    return code;
}

/* True if an earlier member of the same parent has that name. */
static bool is_again(const cJSON *json)
{
    /* The first child's `prev` is the last one. */
    for (const cJSON *one = json->prev; one->next; one = one->prev)
        if (!strcmp(one->string, json->string))
            return true;
    return false;
}

static int add_section(const struct reading *reading, int number, const cJSON *json)
{
    struct project_default at = {.section = json->string};
    const cJSON *member;
    int code = 0, key = 0;

    at.line = line_of(reading->bytes, number, -1);
    if (is_again(json))
        return fail(reading, &at, "this section is there twice");
    if (!cJSON_IsObject(json))
        return fail(reading, &at, "expected an object with names of options");
    cJSON_ArrayForEach (member, json) {
        if (code)
            break;
        at.name = member->string;
        at.line = line_of(reading->bytes, number, key++);
        code = is_again(member) ? fail(reading, &at, "this key is there twice")
                                : add_member(reading, &at, member);
    }
    return code;
}

int project_read_json(struct project_default **list, size_t *n, const char *bytes,
                      size_t size, struct error *error)
{
    const struct reading reading = {bytes, list, n, error};
    cJSON *tree, *section;
    int number = 0, code = json_tree(bytes, size, &tree, error);

    if (code)
        return code;
    if (!cJSON_IsObject(tree))
        code = invalid(error, "line 1: expected an object with sections");
    cJSON_ArrayForEach (section, tree) {
        code = code ?: add_section(&reading, number++, section);
    }
    cJSON_Delete(tree);
    return code;
}

void project_free(struct project_default *list, size_t n)
{
    FOR_EACH (struct project_default, one, list, n)
        FREE_EACH(one->section, one->name, one->value);
    free(list);
}
