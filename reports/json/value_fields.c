/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>

#include "json_value.h"

/* A number or null. */
static int read_number(const struct value *value, double least, double *number)
{
    if (!cJSON_IsNull(value->json))
        return isinf(least) ? value_number(value, number)
                            : value_from(value, least, number);
    *number = NAN;
    return 0;
}

static int read_bool(const struct value *value, bool *flag)
{
    if (value->json && !cJSON_IsBool(value->json))
        return VALUE_FAIL(value, "expected true or false");
    *flag = cJSON_IsTrue(value->json);
    return 0;
}

struct entries {
    const struct field *field;
    char *base;
};

static void *entry_part(const struct entries *to, size_t offset)
{
    return to->base + offset;
}

static int add_entry(const struct value *entry, void *context)
{
    const struct entries *const to = context;
    const struct field *const field = to->field;

    return value_fields(
        entry, field->inner,
        array_add(to->base + field->offset, entry_part(to, field->length), field->size));
}

static int add_keyed(const struct value *entry, void *context)
{
    const struct entries *const to = context;
    const struct field *const field = to->field, *const value = &field->inner->field[1];
    char *const added = named_add(to->base + field->offset, entry_part(to, field->length),
                                  field->size, entry->json->string);

    return value->kind == FIELD_TEXT
               ? value_text(entry, (void *)(added + value->offset))
               : value_from(entry, 0, (void *)(added + value->offset));
}

static int read_list(const struct value *list, const struct field *field, char *base)
{
    if (field->kind == FIELD_LATER && value_absent(list))
        return 0;
    return value_array(list)
               ?: value_each(list, add_entry, &(struct entries){field, base});
}

static int read_maybe(const struct value *value, const struct field *field, void **part)
{
    if (value_absent(value))
        return 0;
    *part = must_have(calloc(1, field->size));
    return value_fields(value, field->inner, *part);
}

static int read_word(const struct value *value, const struct field *field, unsigned *word)
{
    const int code = value_want(value, cJSON_IsString(value->json), "a string");
    if (code)
        return code;
    const int found = text_find(field->words, field->length, value->json->valuestring);
    if (found < 0)
        return VALUE_FAIL(value, "unknown %s", field->name);
    *word = (unsigned)found;
    return 0;
}

static int add_to_pair(const struct value *entry, void *context)
{
    char ***const next = context;

    return value_text(entry, (*next)++);
}

static int read_pair(const struct value *value, char **pair)
{
    const int code = value_array(value);

    if (!code && cJSON_GetArraySize(value->json) > 2)
        return VALUE_FAIL(value, "expected up to two entries");
    return code ?: value_each(value, add_to_pair, &pair);
}

static int read_field(const struct value *object, const struct field *field, char *base)
{
    const struct value read = value_member(object, field->name), *const value = &read;
    void *const at = base + field->offset;
    double whole = 0;
    int code = 0;

    switch (field->kind) {
    case FIELD_CI:
    case FIELD_ENDS:
        return value_interval(object, field->name, 0, at);
    case FIELD_CHANGE_CI:
        return value_interval(object, field->name, -1, at);
    case FIELD_VALUE_CI:
        return value_interval(object, field->name, -NUMBER_MAX, at);
    case FIELD_PART:
        return value_fields(value, field->inner, at);
    case FIELD_KNOWN:
        return value_absent(value) ? 0 : value_fields(value, field->inner, at);
    case FIELD_MAYBE:
        return read_maybe(value, field, at);
    case FIELD_WORD:
        return read_word(value, field, at);
    case FIELD_TOLD:
    case FIELD_NAMED:
        return 0;
    case FIELD_TEAM:
        return value_threads(value, at);
    case FIELD_PAIR:
        return read_pair(value, at);
    case FIELD_LIST:
    case FIELD_LATER:
        return read_list(value, field, base);
    case FIELD_KEYED:
        return value_object(value)
                   ?: value_each(value, add_keyed, &(struct entries){field, base});
    case FIELD_NOTES:
    case FIELD_TEXTS:
        return field->kind == FIELD_NOTES && value_absent(value)
                   ? 0
                   : value_texts(value, at, (void *)(base + field->length));
    case FIELD_NUMBERS:
        return value_numbers(value, at, (void *)(base + field->length));
    case FIELD_TEXT:
        return value_text(value, at);
    case FIELD_NAME:
    case FIELD_ABSENT:
        return value_name(value, at);
    case FIELD_NUMBER:
        return read_number(value, -INFINITY, at);
    case FIELD_CHANGE:
        return read_number(value, -1, at);
    case FIELD_SPAN:
        return read_number(value, 0, at);
    case FIELD_RATE:
        return value_absent(value) ? 0 : value_from(value, 0, at);
    case FIELD_AMOUNT:
        return value->json ? value_from(value, 0, at) : 0;
    case FIELD_INT:
        code = value_whole(value, INT_MAX, &whole);
        *(int *)at = (int)whole;
        return code;
    case FIELD_U32:
        code = value_whole(value, UINT32_MAX, &whole);
        *(uint32_t *)at = (uint32_t)whole;
        return code;
    case FIELD_U64:
        code = value_whole(value, 0x1p53, &whole);
        *(uint64_t *)at = (uint64_t)whole;
        return code;
    case FIELD_SIZE:
        code = value_whole(value, 0x1p53, &whole);
        *(size_t *)at = (size_t)whole;
        return code;
    case FIELD_BOOL:
        return read_bool(value, at);
    }
    return code;
}

int value_fields(const struct value *object, const struct fields *fields, void *base)
{
    int code = value_object(object);

    for (size_t i = 0; i < fields->n && !code; i++) {
        const struct field *const field = &fields->field[i];
        code = read_field(object, field, base);
        if (field->kind == FIELD_ABSENT && *(char **)((char *)base + field->offset))
            break;
    }
    return code;
}

int value_maybe(const struct value *object, const char *name, const struct fields *fields,
                void *base)
{
    const struct value member = value_member(object, name);

    return value_absent(&member) ? 0 : value_fields(&member, fields, base);
}
