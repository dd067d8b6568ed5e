/* SPDX-License-Identifier: Apache-2.0 */
/* Growing lists of texts, and what is asked of words: near matches and globs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct text_list {
    char **item;
    size_t n;
};
void text_list_add(struct text_list *list, const char *text); /* copies */
void text_list_add_n(struct text_list *list, const char *text, size_t length);
bool text_list_has(const struct text_list *list, const char *text);
void text_list_add_once(struct text_list *list, const char *text); /* unless it has it */
void text_list_add_all(struct text_list *list, const struct text_list *from);
/* Adds what stands between any of the separators; `text` may be NULL. */
void text_list_split(struct text_list *list, const char *text, const char *separators);
void text_list_cut(struct text_list *list, size_t n); /* drops all but the first n */
void text_list_free(struct text_list *list);
/* Writes up to three members of `list` that are spelled much like `word`: "avx2, avx512";
 * or an empty string. */
void text_list_near(const struct text_list *list, const char *word, char *out,
                    size_t size);
/* Writes its members with a separator between them, as many as there is room for. */
void text_list_join(const struct text_list *list, const char *separator, char *out,
                    size_t size);
/* Writes "; did you mean avx2, avx512?", or an empty string. */
void text_list_hint(const struct text_list *list, const char *word, char *out,
                    size_t size);
/* Writes "no such NOUN; did you mean ...? (known: ...)". */
void text_list_unknown(const struct text_list *list, const char *word, const char *noun,
                       char *out, size_t size);
/* Glob with * ? and [..]; * also matches '/'. */
bool text_glob(const char *pattern, const char *text);
/* True if any glob of the list matches. */
bool text_list_matches(const struct text_list *globs, const char *text);
