/* SPDX-License-Identifier: Apache-2.0 */
#include "json_out.h"

#include <errno.h>
#include <math.h>

static void put_string(struct json_out *json, const char *text)
{
    buffer_clear(&json->scratch);
    buffer_plain(&json->scratch, text);
    fputc('"', json->file);
    for (const char *at = buffer_text(&json->scratch); *at; at++) {
        if (*at == '"' || *at == '\\')
            fputc('\\', json->file);
        fputc(*at, json->file);
    }
    fputc('"', json->file);
}

/* What stands between two members, and the key of the second one. */
static void begin(struct json_out *json, const char *key)
{
    fputs(json->comma ? "," : "", json->file);
    if (json->depth)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    if (key) {
        put_string(json, key);
        fputs(": ", json->file);
    }
    json->comma = true;
}

void json_open(struct json_out *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->comma = false;
}

void json_close(struct json_out *json, char bracket)
{
    json->depth--;
    if (json->comma)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->file);
    json->comma = true;
}

void json_text(struct json_out *json, const char *key, const char *text)
{
    begin(json, key);
    put_string(json, text);
}

void json_number(struct json_out *json, const char *key, double number)
{
    char text[NUMBER_SIZE];

    if (!isfinite(number))
        return;
    begin(json, key);
    text_exact(number, text);
    fputs(text, json->file);
}

void json_bool(struct json_out *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->file);
}

int json_end(struct json_out *json)
{
    const bool failed = json->scratch.failed;

    fputc('\n', json->file);
    buffer_free(&json->scratch);
    return failed ? -ENOMEM : 0;
}
