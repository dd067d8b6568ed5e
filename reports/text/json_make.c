/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <math.h>

#include "text.h"

/* The text as UTF-8: other bytes become the escapes that people see. Good until the next
 * use of `scratch`. */
static const char *valid(struct json *json, const char *text)
{
    size_t left = strlen(text), step, good = 0;
    uint32_t code;

    while ((step = text_utf8((const unsigned char *)text + good, left - good, &code)))
        good += step;
    if (good == left)
        return text;
    buffer_clear(&json->scratch);
    for (; left; text += step, left -= step) {
        step = text_utf8((const unsigned char *)text, left, &code);
        if (step) {
            buffer_format(&json->scratch, "%.*s", (int)step, text);
        } else {
            step = 1;
            buffer_format(&json->scratch, "\\x%02x", *(const unsigned char *)text);
        }
    }
    return buffer_text(&json->scratch);
}

/* Adds `item`, which holds copies only, so that `scratch` is free for the name. */
static cJSON *put(struct json *json, cJSON *parent, const char *name, cJSON *item)
{
    must_have(item);
    if (!json->root)
        return json->root = item;
    const bool added = name ? cJSON_AddItemToObject(parent, valid(json, name), item)
                            : cJSON_AddItemToArray(parent, item);
    must(added ? 0 : -ENOMEM);
    return item;
}

cJSON *json_object(struct json *json, cJSON *parent, const char *name)
{
    return put(json, parent, name, cJSON_CreateObject());
}

cJSON *json_array(struct json *json, cJSON *parent, const char *name)
{
    return put(json, parent, name, cJSON_CreateArray());
}

void json_null(struct json *json, cJSON *parent, const char *name)
{
    put(json, parent, name, cJSON_CreateNull());
}

void json_bool(struct json *json, cJSON *parent, const char *name, bool value)
{
    put(json, parent, name, cJSON_CreateBool(value));
}

void json_text(struct json *json, cJSON *parent, const char *name, const char *text)
{
    put(json, parent, name,
        text ? cJSON_CreateString(valid(json, text)) : cJSON_CreateNull());
}

void json_filled(struct json *json, cJSON *parent, const char *name, const char *text)
{
    json_text(json, parent, name, text && *text ? text : NULL);
}

void json_plain(struct json *json, cJSON *parent, const char *name, const char *text)
{
    buffer_clear(&json->scratch);
    buffer_plain(&json->scratch, text);
    put(json, parent, name, cJSON_CreateString(buffer_text(&json->scratch)));
}

/* cJSON prints doubles only nearly exactly, so it gets them as text. */
void json_number(struct json *json, cJSON *parent, const char *name, double value)
{
    char text[NUMBER_SIZE];

    if (isfinite(value))
        text_exact(value, text);
    put(json, parent, name, isfinite(value) ? cJSON_CreateRaw(text) : cJSON_CreateNull());
}

void json_numbers(struct json *json, cJSON *parent, const char *name,
                  const double *values, const uint32_t *whole, size_t n)
{
    char text[NUMBER_SIZE];

    buffer_clear(&json->scratch);
    buffer_add(&json->scratch, "[");
    for (size_t i = 0; i < n; i++) {
        text_exact(whole ? whole[i] : values[i], text);
        buffer_format(&json->scratch, "%s%s", i ? ", " : "", text);
    }
    buffer_add(&json->scratch, "]");
    put(json, parent, name, cJSON_CreateRaw(buffer_text(&json->scratch)));
}

void json_texts(struct json *json, cJSON *parent, const char *name, char *const *texts,
                size_t n)
{
    cJSON *const array = json_array(json, parent, name);

    for (size_t i = 0; i < n; i++)
        json_text(json, array, NULL, texts[i] ? texts[i] : "");
}

void json_answer(struct json *json, cJSON *parent, struct answer answer)
{
    if (answer.n)
        json_texts(json, parent, "answer", answer.line, answer.n);
    answer_free(&answer);
}

char *json_take(struct json *json, char indent)
{
    char *const text = must_have(cJSON_Print(json->root));

    /* Within strings a tab is an escape. */
    for (char *at = text; *at; at++)
        *at = *at == '\t' ? indent : *at;
    json_free(json);
    return text;
}

/* Bytes on which a terminal or CI acts become escapes; they are in strings alone. */
void json_print(const char *text, FILE *file)
{
    size_t left = strlen(text), good = 0, step;
    uint32_t code;

    while (good < left) {
        step = text_utf8((const unsigned char *)text + good, left - good, &code);
        if (!step || text[good] == '\n' || text[good] == '\t' ||
            (!text_unsafe(code) && !text_commands(text + good, left - good, 'x'))) {
            good += step ? step : 1;
            continue;
        }
        fwrite(text, 1, good, file);
        if (code > 0xffff)
            fprintf(file, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
                    0xdc00 + (code & 0x3ff));
        else
            fprintf(file, "\\u%04x", code);
        text += good + step;
        left -= good + step;
        good = 0;
    }
    fwrite(text, 1, left, file);
}

int json_end(struct json *json, FILE *file, struct error *error)
{
    char *const text = json_take(json, '\t');
    errno = 0;
    json_print(text, file);
    fputc('\n', file);
    const int code = file_flush(file);
    cJSON_free(text);
    return code ? error_set(error, code, "cannot write JSON: %s", strerror(-code)) : 0;
}

void json_free(struct json *json)
{
    cJSON_Delete(json->root);
    buffer_free(&json->scratch);
    *json = (struct json){.root = NULL};
}

void json_delete(struct cJSON **tree)
{
    cJSON_Delete(*tree);
}
