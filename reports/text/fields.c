/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <math.h>

#include "text.h"

static void list_free(const struct field *field, char *base)
{
    char **const list = (void *)(base + field->offset);
    const size_t *const n = (void *)(base + field->length);

    for (size_t i = 0; i < *n; i++) {
        void *const entry = *list + i * field->size;
        if (field->kind == FIELD_NAMED)
            free(*(void **)entry);
        fields_free(field->inner, entry);
    }
    free(*list);
}

void fields_free(const struct fields *fields, void *base)
{
    FOR_EACH (const struct field, field, fields->field, fields->n) {
        void *const at = (char *)base + field->offset;
        if (field->kind == FIELD_TEXT || field->kind == FIELD_NAME ||
            field->kind == FIELD_ABSENT || field->kind == FIELD_NUMBERS)
            free(*(void **)at);
        else if (field->kind == FIELD_PAIR)
            FREE_EACH(((void **)at)[0], ((void **)at)[1]);
        else if (field->kind == FIELD_PART || field->kind == FIELD_KNOWN)
            fields_free(field->inner, at);
        else if (field->kind == FIELD_MAYBE && *(void **)at) {
            fields_free(field->inner, *(void **)at);
            free(*(void **)at);
        } else if (field->kind == FIELD_LIST || field->kind == FIELD_LATER ||
                   field->kind == FIELD_KEYED || field->kind == FIELD_NAMED)
            list_free(field, base);
        else if (field->kind == FIELD_TEXTS || field->kind == FIELD_NOTES) {
            const void *const length = (const char *)base + field->length;
            strings_free(*(char ***)at, *(const size_t *)length);
        }
    }
}

/* ---- as JSON ---- */

void json_interval(struct json *json, struct cJSON *parent, const char *name,
                   const char *level_name, const struct interval *interval)
{
    bool known = interval->known && isfinite(interval->lo) && isfinite(interval->hi);

    if (known)
        json_numbers(json, parent, name, (const double[]){interval->lo, interval->hi},
                     NULL, 2);
    else
        json_null(json, parent, name);
    if (level_name)
        json_number(json, parent, level_name, known ? interval->level : NAN);
}

struct cJSON *json_maybe(struct json *json, struct cJSON *parent, const char *name,
                         bool known)
{
    if (known)
        return json_object(json, parent, name);
    json_null(json, parent, name);
    return NULL;
}

static double number_of(enum field_kind kind, const void *at)
{
    switch (kind) {
    case FIELD_INT:
        return *(const int *)at;
    case FIELD_U32:
        return *(const uint32_t *)at;
    case FIELD_U64:
        return (double)*(const uint64_t *)at;
    case FIELD_SIZE:
        return (double)*(const size_t *)at;
    case FIELD_RATE:
        return *(const double *)at != 0 ? *(const double *)at : NAN;
    default:
        return *(const double *)at;
    }
}

static const void *at_offset(const char *base, size_t offset)
{
    return base + offset;
}

static void put_list(struct json *json, struct cJSON *parent, const struct field *field,
                     const char *base)
{
    const bool named = field->kind == FIELD_NAMED;
    struct cJSON *const list = named ? json_object(json, parent, field->name)
                                     : json_array(json, parent, field->name);
    const char *const first = *(char *const *)at_offset(base, field->offset);
    const size_t n = *(const size_t *)at_offset(base, field->length);

    for (size_t i = 0; i < n; i++) {
        const char *const entry = first + i * field->size;
        const char *const key = named ? *(char *const *)at_offset(entry, 0) : NULL;
        json_fields(json, json_object(json, list, key), field->inner, entry);
    }
}

static void put_field(struct json *json, struct cJSON *parent, const struct field *field,
                      const char *base);

/* An entry is a name and a value, the first two fields of its table. */
static void put_keyed(struct json *json, struct cJSON *parent, const struct field *field,
                      const char *base)
{
    struct cJSON *const object = json_object(json, parent, field->name);
    struct field value = field->inner->field[1];
    const char *entry = *(char *const *)at_offset(base, field->offset);
    const size_t n = *(const size_t *)at_offset(base, field->length);

    for (size_t i = 0; i < n; i++, entry += field->size) {
        value.name = *(char *const *)at_offset(entry, field->inner->field[0].offset);
        put_field(json, object, &value, entry);
    }
}

static bool is_known(const struct fields *fields, const char *base)
{
    FOR_EACH (const struct field, field, fields->field, fields->n) {
        if (field->kind != FIELD_TEXT && field->kind != FIELD_NAME &&
            field->kind != FIELD_ABSENT)
            return false;
        if (*(char *const *)at_offset(base, field->offset))
            return true;
    }
    return false;
}

static void put_pair(struct json *json, struct cJSON *parent, const char *name,
                     char *const *pair)
{
    json_texts(json, parent, name, pair, !pair[0] ? 0 : pair[1] ? 2 : 1);
}

static void put_team(struct json *json, struct cJSON *parent, const char *name,
                     int threads)
{
    if (threads < 0)
        json_text(json, parent, name, "all");
    else if (threads)
        json_number(json, parent, name, threads);
}

static void put_maybe(struct json *json, struct cJSON *parent, const struct field *field,
                      const void *part)
{
    struct cJSON *const object = json_maybe(json, parent, field->name, part);
    if (object)
        json_fields(json, object, field->inner, part);
}

static void put_field(struct json *json, struct cJSON *parent, const struct field *field,
                      const char *base)
{
    const void *at = base + field->offset;

    if (field->kind == FIELD_LIST || field->kind == FIELD_LATER ||
        field->kind == FIELD_NAMED)
        put_list(json, parent, field, base);
    else if (field->kind == FIELD_KEYED)
        put_keyed(json, parent, field, base);
    else if (field->kind == FIELD_PART)
        json_fields(json, json_object(json, parent, field->name), field->inner, at);
    else if (field->kind == FIELD_MAYBE)
        put_maybe(json, parent, field, *(const void *const *)at);
    else if (field->kind == FIELD_KNOWN)
        put_maybe(json, parent, field, is_known(field->inner, at) ? at : NULL);
    else if (field->kind == FIELD_WORD || field->kind == FIELD_TOLD)
        json_text(json, parent, field->name, field->words[*(const unsigned *)at]);
    else if (field->kind == FIELD_ENDS)
        json_interval(json, parent, field->name, NULL, at);
    else if (field->kind == FIELD_CI || field->kind == FIELD_CHANGE_CI ||
             field->kind == FIELD_VALUE_CI)
        json_interval(json, parent, field->name, "ci_level", at);
    else if (field->kind == FIELD_TEXTS || field->kind == FIELD_NOTES)
        json_texts(json, parent, field->name, *(char *const *const *)at,
                   *(const size_t *)at_offset(base, field->length));
    else if (field->kind == FIELD_NUMBERS)
        json_numbers(json, parent, field->name, *(double *const *)at, NULL,
                     *(const size_t *)at_offset(base, field->length));
    else if (field->kind == FIELD_TEXT)
        json_text(json, parent, field->name, *(char *const *)at ?: "");
    else if (field->kind == FIELD_NAME || field->kind == FIELD_ABSENT)
        json_text(json, parent, field->name, *(char *const *)at);
    else if (field->kind == FIELD_PAIR)
        put_pair(json, parent, field->name, at);
    else if (field->kind == FIELD_TEAM)
        put_team(json, parent, field->name, *(const int *)at);
    else if (field->kind == FIELD_BOOL)
        json_bool(json, parent, field->name, *(const bool *)at);
    else
        json_number(json, parent, field->name, number_of(field->kind, at));
}

void json_fields(struct json *json, struct cJSON *parent, const struct fields *fields,
                 const void *base)
{
    FOR_EACH (const struct field, field, fields->field, fields->n) {
        put_field(json, parent, field, base);
        if (field->kind == FIELD_ABSENT && *(char *const *)at_offset(base, field->offset))
            return;
    }
}
