/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "json_make.h"

cJSON *put(struct maker *maker, cJSON *parent, const char *name, cJSON *item)
{
    bool added = parent && item &&
                 (name ? cJSON_AddItemToObject(parent, name, item)
                       : cJSON_AddItemToArray(parent, item));

    if (added)
        return item;
    cJSON_Delete(item);
    maker->failed = true;
    return NULL;
}

const char *valid(struct maker *maker, const char *text)
{
    size_t left = strlen(text), step, good = 0;
    uint32_t code;

    while ((step = text_utf8((const unsigned char *)text + good, left - good, &code)))
        good += step;
    if (good == left)
        return text;
    buffer_clear(&maker->scratch);
    for (; left; text += step, left -= step) {
        step = text_utf8((const unsigned char *)text, left, &code);
        if (step) {
            buffer_format(&maker->scratch, "%.*s", (int)step, text);
        } else {
            step = 1;
            buffer_format(&maker->scratch, "\\x%02x", *(const unsigned char *)text);
        }
    }
    maker->failed |= maker->scratch.failed;
    return buffer_text(&maker->scratch);
}

void put_text(struct maker *maker, cJSON *parent, const char *name, const char *text)
{
    put(maker, parent, name,
        text ? cJSON_CreateString(valid(maker, text)) : cJSON_CreateNull());
}

/* cJSON prints doubles only nearly exactly, so numbers are given to it as text. */
void put_number(struct maker *maker, cJSON *parent, const char *name, double value)
{
    char text[NUMBER_SIZE];

    if (isfinite(value))
        text_exact(value, text);
    put(maker, parent, name,
        isfinite(value) ? cJSON_CreateRaw(text) : cJSON_CreateNull());
}

void put_numbers(struct maker *maker, cJSON *parent, const char *name,
                 const double *values, const uint32_t *whole, size_t n)
{
    char text[NUMBER_SIZE];

    buffer_clear(&maker->scratch);
    buffer_add(&maker->scratch, "[");
    for (size_t i = 0; i < n; i++) {
        text_exact(whole ? whole[i] : values[i], text);
        buffer_format(&maker->scratch, "%s%s", i ? ", " : "", text);
    }
    buffer_add(&maker->scratch, "]");
    maker->failed |= maker->scratch.failed;
    put(maker, parent, name, cJSON_CreateRaw(buffer_text(&maker->scratch)));
}

void put_texts(struct maker *maker, cJSON *parent, const char *name, char *const *texts,
               size_t n)
{
    cJSON *array = put(maker, parent, name, cJSON_CreateArray());

    for (size_t i = 0; i < n; i++)
        put_text(maker, array, NULL, texts[i] ? texts[i] : "");
}

void put_interval(struct maker *maker, cJSON *parent, const char *name,
                  const char *level_name, const struct interval *interval)
{
    bool known = interval->known && isfinite(interval->lo) && isfinite(interval->hi);

    if (known)
        put_numbers(maker, parent, name, (const double[]){interval->lo, interval->hi},
                    NULL, 2);
    else
        put(maker, parent, name, cJSON_CreateNull());
    put_number(maker, parent, level_name, known ? interval->level : NAN);
}

static void put_field(struct maker *maker, cJSON *parent, const struct field *field,
                      const char *base)
{
    const void *at = base + field->offset;
    const char *text;
    double rate;

    switch (field->kind) {
    case FIELD_TEXT:
        text = *(char *const *)at;
        put_text(maker, parent, field->name, text ? text : "");
        break;
    case FIELD_NAME:
        put_text(maker, parent, field->name, *(char *const *)at);
        break;
    case FIELD_NUMBER:
    case FIELD_AMOUNT:
        put_number(maker, parent, field->name, *(const double *)at);
        break;
    case FIELD_RATE:
        rate = *(const double *)at;
        put_number(maker, parent, field->name, rate != 0 ? rate : NAN);
        break;
    case FIELD_INT:
        put_number(maker, parent, field->name, *(const int *)at);
        break;
    case FIELD_U32:
        put_number(maker, parent, field->name, *(const uint32_t *)at);
        break;
    case FIELD_U64:
        put_number(maker, parent, field->name, (double)*(const uint64_t *)at);
        break;
    case FIELD_SIZE:
        put_number(maker, parent, field->name, (double)*(const size_t *)at);
        break;
    case FIELD_BOOL:
        put(maker, parent, field->name, cJSON_CreateBool(*(const bool *)at));
        break;
    }
}

void put_fields(struct maker *maker, cJSON *parent, const struct fields *fields,
                const void *base)
{
    for (size_t i = 0; i < fields->n; i++)
        put_field(maker, parent, &fields->field[i], base);
}
