/* SPDX-License-Identifier: Apache-2.0 */
/* Types that are named before the prototype: typedef unsigned char uuid_t[16]; The words
 * that a name stands for take its place where it is used. */
#include <string.h>

#include "declare_private.h"

const struct named_type *typedef_find(const struct reader *reader,
                                      const struct token *token)
{
    for (size_t i = 0; i < reader->n_named; i++)
        if (reader->named[i].word.n == token->n &&
            !strncmp(reader->named[i].word.at, token->at, token->n))
            return &reader->named[i];
    return NULL;
}

/* Copies of words that stand before `at` take the place of `dropped` ones there. */
static int splice(struct reader *reader, size_t at, size_t dropped, size_t from, size_t n)
{
    struct token *const token = reader->token;
    if (reader->n - dropped + n > TOKENS_MAX)
        return reader_fail(reader, &token[at], "a prototype has more than %d words",
                           TOKENS_MAX - 1);
    memmove(&token[at + n], &token[at + dropped],
            (reader->n - at - dropped) * sizeof *token);
    memcpy(&token[at], &token[from], n * sizeof *token);
    reader->n = reader->n - dropped + n;
    return 0;
}

int typedef_expand(struct reader *reader, struct specifier *specifier)
{
    const struct named_type *const named = typedef_find(reader, reader_token(reader));
    if (!named)
        return 0;
    if (specifier->n_names++ == TYPEDEFS_MAX)
        return reader_fail(reader, reader_token(reader), "a type stands for itself");
    if (named->n_extents)
        specifier->named = named;
    return splice(reader, reader->at, 1, named->first, named->n) ?: 1;
}

int typedef_extents(struct reader *reader, const struct specifier *specifier)
{
    const struct named_type *const named = specifier->named;
    size_t at = reader->at;
    if (!named || specifier->pointers)
        return 0;
    for (bool inside = token_is(&reader->token[at], "[");
         inside && reader->token[at].kind != TOKEN_END; at++)
        inside =
            !token_is(&reader->token[at], "]") || token_is(&reader->token[at + 1], "[");
    return splice(reader, at, 0, named->extents, named->n_extents);
}

/* struct NAME {...} *NAME2, of which "struct NAME *NAME2" is left. */
static int drop_members(struct reader *reader)
{
    struct token *const token = reader->token, first = token[reader->at];
    size_t at = reader->at + 1, depth = 0;
    if (!token_is(&first, "struct") && !token_is(&first, "union") &&
        !token_is(&first, "enum"))
        return 0;
    const bool tagged = token[at].kind == TOKEN_WORD;
    struct token tag = token[at];
    if (!token_is(&token[at + tagged], "{"))
        return 0;
    do {
        depth += token_is(&token[at], "{");
        depth -= token_is(&token[at], "}");
        if (token[at++].kind == TOKEN_END)
            return reader_fail(reader, &token[reader->at], "its braces do not end");
    } while (depth || !token_is(&token[at - 1], "}"));
    reader->at = at - 2;
    while (!tagged && token_is(&token[at], "*"))
        at++;
    tag = tagged ? tag : token[at];
    token[reader->at] = first;
    token[reader->at + 1] = tag;
    return 0;
}

/* int (*NAME)(const void *), of which "int *" is left. */
static int read_name(struct reader *reader, struct named_type *named)
{
    const size_t at = reader->at;
    const bool function = reader_take(reader, "(");
    int status = function ? reader_expect(reader, "*", "of a pointer to a function") : 0;
    char name[DECLARED_NAME];
    named->word = *reader_next(reader);
    status = status < 0 ? status : token_name(reader, &named->word, name);
    if (function && status == 0) {
        status = reader_expect(reader, ")", "behind the name") ?: parameters_skip(reader);
        reader->token[at] = reader->token[at + 1];
    }
    named->n = at + function - named->first;
    return status;
}

/* struct NAME {...}; tells more than anybody asks here. */
static int skip_definitions(struct reader *reader)
{
    int status;
    size_t before;
    do {
        before = reader->at;
        status = drop_members(reader);
        if (status == 0 && reader->at > before) {
            reader->at += 2;
            status = reader_expect(reader, ";", "behind the structure");
        }
    } while (status == 0 && reader->at > before);
    return status;
}

int typedefs_read(struct reader *reader)
{
    int status = skip_definitions(reader);
    while (status == 0 && reader_take(reader, "typedef")) {
        struct specifier specifier;
        struct named_type named = {.n = 0};
        if (reader->n_named == TYPEDEFS_MAX)
            return reader_fail(reader, reader_token(reader), "more than %d typedefs",
                               TYPEDEFS_MAX);
        status = drop_members(reader);
        named.first = reader->at;
        status = status < 0 ? status : specifier_read(reader, &specifier);
        status = status < 0 ? status : read_name(reader, &named);
        if (status == 0)
            status = typedef_extents(reader, &specifier);
        named.extents = reader->at;
        while (status == 0 && reader_take(reader, "[")) {
            status =
                expression_skip(reader) ?: reader_expect(reader, "]", "behind an extent");
        }
        named.n_extents = reader->at - named.extents;
        reader->named[reader->n_named++] = named;
        status = status < 0 ? status : reader_expect(reader, ";", "behind the typedef");
        status = status < 0 ? status : skip_definitions(reader);
    }
    return status;
}
