/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a run, cut to what the page shows, goes into the page. */
#include "html.h"

#include <cjson/cJSON.h>
#include <ctype.h>

#include "html_page.h"
#include "text/text.h"
#include "words.h"
#include "json/json.h"

int html_check(struct error *error)
{
    return 0;
}

/* ---- cutting ---- */

/* Members that no view shows, wherever they stand: most are as long as the samples. */
static bool is_unseen(const char *name)
{
    return words_have("base_proof,config,event,formula,identity,input_hash,overhead,"
                      "prepare_ns,process,proof,running_share,rounds,samples,scope,"
                      "sha256,stopped,user_read",
                      name);
}

/* The page takes what is not there for null. */
static bool is_empty(const cJSON *item)
{
    return cJSON_IsNull(item) ||
           ((cJSON_IsArray(item) || cJSON_IsObject(item)) && !item->child) ||
           (cJSON_IsRaw(item) && !strcmp(item->valuestring, "[]"));
}

static void make_plain(char **text, struct buffer *scratch)
{
    buffer_clear(scratch);
    buffer_plain(scratch, *text);
    if (!strcmp(*text, buffer_text(scratch)))
        return;
    char *const plain = must_have(cJSON_malloc(scratch->length + 1));
    memcpy(plain, buffer_text(scratch), scratch->length + 1);
    cJSON_free(*text);
    *text = plain;
}

/* Text becomes plain, as in all reports, so that a name cannot look like another one. */
static void cut(cJSON *item, struct buffer *scratch)
{
    if (cJSON_IsString(item))
        make_plain(&item->valuestring, scratch);
    for (cJSON *child = item->child, *next; child; child = next) {
        next = child->next;
        cut(child, scratch);
        if (!cJSON_IsObject(item))
            continue;
        if (is_unseen(child->string) || is_empty(child))
            cJSON_Delete(cJSON_DetachItemViaPointer(item, child));
        else
            make_plain(&child->string, scratch);
    }
}

/* ---- writing ---- */

/* Nothing that is drawn is known to more digits. */
enum { DIGITS = 6, NUMBER_MAX = 40 };

static void put_number(const char *text, size_t n, FILE *file)
{
    char number[NUMBER_MAX];

    if (n >= sizeof number || n <= DIGITS + 1 || !memchr(text, '.', n)) {
        fwrite(text, 1, n, file);
        return;
    }
    memcpy(number, text, n);
    number[n] = '\0';
    fprintf(file, "%.*g", DIGITS, strtod(number, NULL));
}

/* JSON without blanks, in which nothing can end a script element. */
static void put_json(const char *text, FILE *file)
{
    bool quoted = false;

    for (size_t n; *text; text += n) {
        n = 1;
        quoted ^= *text == '"';
        if (*text == '<') {
            fputs("\\u003c", file);
        } else if (quoted && *text == '\\') {
            n = 2;
            fwrite(text, 1, n, file);
        } else if (!quoted && (isdigit((unsigned char)*text) || *text == '-')) {
            n = strspn(text, "+-.0123456789eE");
            put_number(text, n, file);
        } else if (quoted || !isspace((unsigned char)*text)) {
            fputc(*text, file);
        }
    }
}

int html_write_json(struct json *json, FILE *file, struct error *error)
{
    FREED_BY(buffer_free) struct buffer scratch = {.text = NULL};

    cut(json->root, &scratch);
    char *const text = must_have(cJSON_PrintUnformatted(json->root));
    json_free(json);
    errno = 0;
    fputs((const char *)html_head, file);
    put_json(text, file);
    fputs((const char *)html_tail, file);
    cJSON_free(text);
    const int code = file_flush(file);
    return code ? error_set(error, code, "cannot write html: %s", strerror(-code)) : 0;
}

int html_write(const struct run *run, FILE *file, struct error *error)
{
    struct json json;
    const int code = run_make_json(run, &json, error);

    return code ? code : html_write_json(&json, file, error);
}
