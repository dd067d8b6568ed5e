/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "json_fault.h"
#include "json_value.h"

/* A run has fewer settings, options, counters or facts in one place. */
enum { MEMBERS_MAX = 1000 };

static struct value inside(const struct value *parent, const cJSON *json, const char *key,
                           size_t index)
{
    return (struct value){
        .json = json,
        .place = {.parent = parent->parent ? &parent->place : NULL,
                  .key = key,
                  .index = index},
        .parent = parent,
        .error = parent->error,
    };
}

struct value value_member(const struct value *object, const char *key)
{
    return inside(object, cJSON_GetObjectItemCaseSensitive(object->json, key), key, 0);
}

int value_each(const struct value *list,
               int (*each)(const struct value *entry, void *context), void *context)
{
    const cJSON *json;
    size_t index = 0;

    cJSON_ArrayForEach (json, list->json) {
        struct value entry = inside(list, json, json->string, index++);
        int code = each(&entry, context);
        if (code)
            return code;
    }
    return 0;
}

bool value_absent(const struct value *value)
{
    return !value->json || cJSON_IsNull(value->json);
}

int value_want(const struct value *value, cJSON_bool is, const char *what)
{
    if (!value->json)
        return VALUE_FAIL(value, "missing; expected %s", what);
    return is ? 0 : VALUE_FAIL(value, "expected %s", what);
}

int value_array(const struct value *value)
{
    return value_want(value, cJSON_IsArray(value->json), "an array");
}

int value_few(const struct value *value, int most)
{
    const int code = value_array(value);

    return code || most == 0 || cJSON_GetArraySize(value->json) <= most
               ? code
               : VALUE_FAIL(value, "%d entries; at most %d are allowed",
                            cJSON_GetArraySize(value->json), most);
}

int value_list(const struct value *object, const char *name, int most,
               int (*each)(const struct value *entry, void *context), void *context)
{
    const struct value list = value_member(object, name);

    return value_absent(&list) ? 0
                               : value_few(&list, most) ?: value_each(&list, each, context);
}

int value_short(const struct value *value, size_t most)
{
    const size_t n = cJSON_IsString(value->json) ? strlen(value->json->valuestring) : 0;

    return n <= most ? 0
                     : VALUE_FAIL(value, "%zu bytes; at most %zu are allowed", n, most);
}

int value_object(const struct value *value)
{
    int code = value_want(value, cJSON_IsObject(value->json), "an object");

    if (!code && cJSON_GetArraySize(value->json) > MEMBERS_MAX)
        code = VALUE_FAIL(value, "more than %d members", MEMBERS_MAX);
    return code;
}

int value_text(const struct value *value, char **text)
{
    const int code = value_want(value, cJSON_IsString(value->json), "a string");

    if (!code)
        string_set(text, value->json->valuestring);
    return code;
}

const char *value_words(const struct value *object, const char *name)
{
    const struct value value = value_member(object, name);

    return cJSON_IsString(value.json) ? value.json->valuestring : "";
}

int value_name(const struct value *value, char **text)
{
    if (value_absent(value))
        return 0;
    if (!cJSON_IsString(value->json))
        return VALUE_FAIL(value, "expected a string or null");
    return value_text(value, text);
}

int value_number(const struct value *value, double *number)
{
    int code = value_want(value, cJSON_IsNumber(value->json), "a number");

    if (!code)
        *number = value->json->valuedouble;
    return code;
}

int value_whole(const struct value *value, double max, double *number)
{
    int code = value_want(value, cJSON_IsNumber(value->json), "a whole number");

    if (code)
        return code;
    const double found = value->json->valuedouble;
    if (found != floor(found) || found < 0 || found > max)
        return VALUE_FAIL(value, "expected a whole number from 0 to %.0f", max);
    *number = found;
    return 0;
}

int value_from(const struct value *value, double least, double *number)
{
    const int code = value_number(value, number);

    if (!code && *number < least)
        return VALUE_FAIL(value, "expected a number from %g up", least);
    return code || *number <= NUMBER_MAX
               ? code
               : VALUE_FAIL(value, "expected a number up to %g", NUMBER_MAX);
}

static int add_end(const struct value *entry, void *context)
{
    double **end = context;

    return value_from(entry, -NUMBER_MAX, (*end)++);
}

int value_interval(const struct value *object, const char *name, double least,
                   struct interval *interval)
{
    struct value pair = value_member(object, name);
    struct value level = value_member(object, "ci_level");
    double ends[2] = {0, 0}, *end = ends;
    int code;

    if (value_absent(&pair))
        return 0;
    if (!cJSON_IsArray(pair.json) || cJSON_GetArraySize(pair.json) != 2)
        return VALUE_FAIL(&pair, "expected two numbers or null");
    code = value_each(&pair, add_end, &end);
    if (!code && ends[0] > ends[1])
        return VALUE_FAIL(&pair, "the first end is above the second");
    if (!code && ends[0] < least)
        return VALUE_FAIL(&pair, "the first end is below %g", least);
    if (!code)
        code = value_from(&level, 0, &interval->level);
    if (!code && interval->level > 1)
        return VALUE_FAIL(&level, "expected a number up to 1");
    if (code)
        return code;
    interval->known = true;
    interval->lo = ends[0];
    interval->hi = ends[1];
    return 0;
}

struct texts {
    char ***list;
    size_t *n;
};

static int add_text(const struct value *entry, void *context)
{
    const struct texts *const texts = context;
    const int code = value_want(entry, cJSON_IsString(entry->json), "a string");

    if (!code)
        strings_add(texts->list, texts->n, entry->json->valuestring);
    return code;
}

int value_texts(const struct value *array, char ***list, size_t *n)
{
    int code = value_array(array);

    return code ? code : value_each(array, add_text, &(struct texts){list, n});
}

struct numbers {
    double **list;
    size_t *n;
};

static int add_number(const struct value *entry, void *context)
{
    const struct numbers *const numbers = context;

    return value_from(entry, 0,
                      array_add(numbers->list, numbers->n, sizeof **numbers->list));
}

int value_numbers(const struct value *array, double **list, size_t *n)
{
    return value_array(array)
               ?: value_each(array, add_number, &(struct numbers){list, n});
}

int json_tree(const char *bytes, size_t size, cJSON **tree, struct error *error)
{
    const char *end = NULL;
    char fault[160];
    const int code = json_scan(bytes, size, error);

    *tree = NULL;
    if (code)
        return code;
    cJSON *const parsed = cJSON_ParseWithLengthOpts(bytes, size, &end, false);
    if (json_fault(bytes, size, end, parsed, fault, sizeof fault)) {
        cJSON_Delete(parsed);
        return invalid(error, "%s", fault);
    }
    *tree = parsed;
    return 0;
}

int json_parse(const char *bytes, size_t size, cJSON **tree, struct error *error)
{
    const int code = json_tree(bytes, size, tree, error);

    if (code || !json_check(*tree, NULL, error))
        return code;
    cJSON_Delete(*tree);
    *tree = NULL;
    /* A duplicate key is bad input when it is read: -EINVAL, not -EEXIST. */
    return -EINVAL;
}
