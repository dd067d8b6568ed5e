/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>

#include "process/process.h"
#include "word_distance.h"

enum { NEAR_MAX = 3 };

void text_list_add_n(struct text_list *list, const char *text, size_t length)
{
    must(array_room(&list->item, list->n, sizeof *list->item) ? 0 : -ENOMEM);
    list->item[list->n++] = must_have(strndup(text, length));
}

void text_list_add(struct text_list *list, const char *text)
{
    text_list_add_n(list, text, strlen(text));
}

bool text_list_has(const struct text_list *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->item[i], text) == 0)
            return true;
    }
    return false;
}

void text_list_add_once(struct text_list *list, const char *text)
{
    if (!text_list_has(list, text))
        text_list_add(list, text);
}

void text_list_add_all(struct text_list *list, const struct text_list *from)
{
    for (size_t i = 0; i < from->n; i++)
        text_list_add(list, from->item[i]);
}

void text_list_split(struct text_list *list, const char *text, const char *separators)
{
    while (text && *text) {
        text += strspn(text, separators);
        const size_t length = strcspn(text, separators);
        if (length)
            text_list_add_n(list, text, length);
        text += length;
    }
}

void text_list_cut(struct text_list *list, size_t n)
{
    while (list->n > n)
        free(list->item[--list->n]);
}

void text_list_free(struct text_list *list)
{
    text_list_cut(list, 0);
    free(list->item);
    *list = (struct text_list){0};
}

/* 0: the same but for case; larger: less alike; UINT32_MAX: not alike. */
static uint32_t unlikeness(const char *word, const char *member)
{
    const size_t n = strlen(word), m = strlen(member);
    const unsigned edits = word_distance(word, member);
    const size_t shorter = n < m ? n : m;
    if (edits <= 1 + shorter / 5 && edits < shorter)
        return edits;
    /* "avx" for "avx2", "maxplus" for "max", "512" for "avx512". */
    if (n >= 2 && m >= 2 && (strcasestr(member, word) || strcasestr(word, member)))
        return edits;
    return UINT32_MAX;
}

void text_list_near(const struct text_list *list, const char *word, char *out,
                    size_t size)
{
    const char *best[NEAR_MAX];
    uint32_t score[NEAR_MAX];
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        const uint32_t s = unlikeness(word, list->item[i]);
        size_t at = n;
        while (at > 0 && s < score[at - 1])
            at--;
        if (s == UINT32_MAX || at == NEAR_MAX)
            continue;
        if (n < NEAR_MAX)
            n++;
        memmove(best + at + 1, best + at, (n - 1 - at) * sizeof *best);
        memmove(score + at + 1, score + at, (n - 1 - at) * sizeof *score);
        best[at] = list->item[i];
        score[at] = s;
    }
    if (n && !score[0])
        n = 1;

    size_t used = 0;
    if (size)
        out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const size_t need = strlen(best[i]) + (i ? 2 : 0);
        if (used + need >= size)
            break;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", best[i]);
    }
}

#define CUT " ..."

void text_list_join(const struct text_list *list, const char *separator, char *out,
                    size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->n; i++) {
        /* Items without room are cut off whole. */
        const size_t need = strlen(list->item[i]) + (i ? strlen(separator) : 0);
        if (used + need + sizeof CUT > size) {
            snprintf(out + used, size - used, "%s", CUT);
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? separator : "",
                                 list->item[i]);
    }
}

void text_list_hint(const struct text_list *list, const char *word, char *out,
                    size_t size)
{
    char near[200];
    text_list_near(list, word, near, sizeof near);
    out[0] = '\0';
    if (near[0])
        snprintf(out, size, "; did you mean %s?", near);
}

void text_list_unknown(const struct text_list *list, const char *word, const char *noun,
                       char *out, size_t size)
{
    char hint[220], all[160];
    text_list_hint(list, word, hint, sizeof hint);
    text_list_join(list, ", ", all, sizeof all);
    snprintf(out, size, "no such %s%s (known: %s)", noun, hint, all);
}

bool text_glob(const char *pattern, const char *text)
{
    return fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

bool text_list_matches(const struct text_list *globs, const char *text)
{
    for (size_t i = 0; i < globs->n; i++)
        if (text_glob(globs->item[i], text))
            return true;
    return false;
}
