/* SPDX-License-Identifier: Apache-2.0 */
/* Types that are named before the prototype: typedef unsigned char uuid_t[16]; The words
 * that a name stands for take its place where it is used. */
#include "declare_private.h"

static bool same_word(const struct token *a, const struct token *b)
{
    return a->n == b->n && !strncmp(a->at, b->at, a->n);
}

const struct named_type *typedef_find(const struct reader *reader,
                                      const struct token *token)
{
    for (size_t i = 0; i < reader->n_named; i++)
        if (same_word(&reader->named[i].word, token))
            return &reader->named[i];
    return NULL;
}

const struct structure *structure_find(const struct reader *reader,
                                       const struct token *token)
{
    for (size_t i = 0; i < reader->n_structures; i++)
        if (same_word(&reader->structure[i].word, token))
            return &reader->structure[i];
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
    specifier->moved |= named->moved;
    for (size_t i = 0; i < named->n; i++)
        specifier->named_pointers += token_is(&reader->token[named->first + i], "*");
    return splice(reader, reader->at, 1, named->first, named->n) ?: 1;
}

int typedef_extents(struct reader *reader, const struct specifier *specifier)
{
    const struct named_type *const named = specifier->named;
    size_t at = reader->at;
    if (!named || specifier->pointers > specifier->named_pointers)
        return 0;
    for (bool inside = token_is(&reader->token[at], "[");
         inside && reader->token[at].kind != TOKEN_END; at++)
        inside =
            !token_is(&reader->token[at], "]") || token_is(&reader->token[at + 1], "[");
    return splice(reader, at, 0, named->extents, named->n_extents);
}

static void keep_number(struct structure *of, uint32_t offset, enum ctype type)
{
    if (of->n_members < MADE_MAX)
        of->member[of->n_members++] = (struct member){offset, type};
}

/* The numbers of a member, or of each of several structures. */
static void keep_numbers(struct structure *of, uint32_t at, const struct structure *inner,
                         enum ctype type, uint32_t bytes)
{
    const uint32_t size =
        (uint32_t)ctype_bytes(type) * (inner && inner->each ? inner->each : 1);
    for (uint32_t i = 0; i < bytes && of->n_members < MADE_MAX; i += size)
        for (uint32_t m = 0; m < (inner ? inner->n_members : 1); m++)
            keep_number(of, at + i + (inner ? inner->member[m].offset : 0),
                        inner ? inner->member[m].type : type);
}

/* x, x[n] or (*x)(int) */
static int take_name(struct reader *reader, const struct specifier *specifier)
{
    if (!reader_take(reader, "("))
        return reader_next(reader)->kind == TOKEN_WORD
                   ? typedef_extents(reader, specifier)
                   : -EINVAL;
    return reader_take(reader, "*") && reader_next(reader)->kind == TOKEN_WORD &&
                   reader_take(reader, ")")
               ? parameters_skip(reader)
               : -EINVAL;
}

/* Reads one name of members and its extents, and lays it behind the others. */
static int add_member(struct reader *reader, const struct specifier *specifier,
                      struct structure *of)
{
    enum { STRUCTURE_MAX = 1 << 20 };
    const bool pointer = specifier->pointers || token_is(reader_token(reader), "(");
    const bool is_bool = !pointer && specifier->type == CTYPE_BOOL;
    const struct structure *const inner = pointer ? NULL : specifier->known;
    const uint32_t size = pointer ? 8 : (uint32_t)ctype_bytes(specifier->type);
    const uint32_t align = inner ? inner->align : size;
    int64_t n = pointer || !specifier->each ? 1 : specifier->each, count = 1;
    int status = size && !specifier->vector && !specifier->moved
                     ? take_name(reader, specifier)
                     : -EINVAL;
    while (status == 0 && reader_take(reader, "[")) {
        struct extent extent = {.n = 0};
        status = expression_read(reader, &extent)
                     ?: reader_expect(reader, "]", "behind an extent")
                     ?: extent_value(&extent, NULL, &count, reader->error);
        if (count < 1 || count > STRUCTURE_MAX || (n *= count) > STRUCTURE_MAX)
            status = -EINVAL;
    }
    if (status < 0 || of->bytes > STRUCTURE_MAX)
        return -EINVAL;
    const uint32_t at = (of->bytes + align - 1) / align * align;
    const bool same = !of->bytes || (of->type == specifier->type && at == of->bytes);
    of->type = same && !pointer && !is_bool ? specifier->type : CTYPE_BYTES;
    of->has_pointer |= pointer || (inner && inner->has_pointer);
    of->has_bool |= is_bool || (inner && inner->has_bool);
    keep_numbers(of, at, inner, pointer ? CTYPE_POINTER : specifier->type,
                 (uint32_t)n * size);
    of->bytes = at + (uint32_t)n * size;
    of->align = align > of->align ? align : of->align;
    return 0;
}

/* -EINVAL: nobody knows the bytes of a member. */
static int read_members(struct reader *reader, struct structure *of)
{
    int status = 0;
    while (status == 0 && !reader_take(reader, "}")) {
        struct specifier specifier;
        of->odd = *reader_token(reader);
        status = specifier_read(reader, &specifier);
        while ((status = status ?: add_member(reader, &specifier, of)) == 0 &&
               reader_take(reader, ","))
            for (specifier.pointers = specifier.named_pointers; reader_take(reader, "*");)
                specifier.pointers++;
        status = status ?: reader_expect(reader, ";", "behind a member");
    }
    of->each = (of->bytes + of->align - 1) / of->align * of->align /
               (uint32_t)(ctype_bytes(of->type) ?: 1);
    return status ?: of->bytes ? 0 : -EINVAL;
}

/* From its definition on, the name of a constant is a number. */
static bool define(struct reader *reader, const struct token *name, int64_t value)
{
    const struct token word = *name;
    if (value == INT64_MIN || value == INT64_MAX)
        return false;
    for (size_t i = reader->at; i < reader->n; i++)
        if (reader->token[i].kind == TOKEN_WORD && same_word(&reader->token[i], &word)) {
            reader->token[i].kind = TOKEN_INTEGER;
            reader->token[i].integer = value;
            reader->token[i].number = (double)value;
        }
    return true;
}

/* The value that stands there; false: nobody can compute it. */
static bool read_constant(struct reader *reader, int64_t *value)
{
    struct extent extent = {.n = 0};
    return expression_read(reader, &extent) == 0 && !extent_is_beyond(&extent) &&
           extent_value(&extent, NULL, value, reader->error) == 0;
}

/* {A, B = 1 << 3, C}: those behind a value that nobody can compute stay words. */
static void read_constants(struct reader *reader)
{
    int64_t value = 0;
    bool more = true;
    while (more && reader_token(reader)->kind == TOKEN_WORD) {
        const struct token *const name = reader_next(reader);
        if (reader_take(reader, "=") && !read_constant(reader, &value))
            return;
        more = reader_take(reader, ",");
        if ((!more && !token_is(reader_token(reader), "}")) ||
            !define(reader, name, value))
            return;
        value++;
    }
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
    struct structure of = {.align = 1};
    const size_t begin = reader->at;
    reader->at = at + tagged + 1;
    bool known = token_is(&first, "struct") && read_members(reader, &of) == 0;
    if (token_is(&first, "enum"))
        read_constants(reader);
    reader->at = begin;
    do {
        depth += token_is(&token[at], "{");
        depth -= token_is(&token[at], "}");
        if (token[at++].kind == TOKEN_END)
            return reader_fail(reader, &token[reader->at], "its braces do not end");
    } while (depth || !token_is(&token[at - 1], "}"));
    reader->at = at - 2;
    while (!tagged && token_is(&token[at], "*"))
        at++;
    for (size_t i = begin; known && (i < at || !token_is(&token[i - 1], ";")); i++) {
        of.odd = token[i];
        known = !token[i].moved && token[i].kind != TOKEN_END &&
                (i < at || token[i].kind != TOKEN_WORD ||
                 token[i + 1].kind != TOKEN_WORD); /* PACKED name */
    }
    tag = tagged ? tag : token[at];
    token[reader->at] = first;
    token[reader->at + 1] = of.word = tag;
    of.type = known ? of.type : CTYPE_VOID;
    if (reader->n_structures < TYPEDEFS_MAX && token_is(&first, "struct"))
        reader->structure[reader->n_structures++] = of;
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

/* #define NAME VALUE. Other directives are skipped. */
static int read_directives(struct reader *reader)
{
    while (reader_take(reader, "#")) {
        const size_t first = reader->at;
        const char *const end = strchrnul(reader->token[first - 1].at, '\n');
        int64_t value = 0;
        const bool defines = reader_take(reader, "define");
        const struct token *const name = reader_token(reader);
        const bool again = defines && name->at < end && token_is_constant(name);
        const bool known = defines && (again || name->kind == TOKEN_WORD) &&
                           name[1].at < end && name[1].at > name->at + name->n &&
                           reader_next(reader) && read_constant(reader, &value) &&
                           reader_token(reader)->at >= end;
        if (again && (!known || value != name->integer))
            return reader_fail(reader, name,
                               "%.*s is defined twice; leave the line that holds",
                               (int)name->n, name->at);
        if (known && !again)
            define(reader, name, value);
        for (reader->at = first;
             reader_token(reader)->kind != TOKEN_END && reader_token(reader)->at < end;)
            reader->at++;
    }
    return 0;
}

/* struct NAME {...}; tells more than anybody asks here. */
static int skip_definitions(struct reader *reader)
{
    int status;
    size_t before;
    do {
        status = read_directives(reader);
        before = reader->at;
        status = status ?: drop_members(reader);
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
        struct specifier specifier = {.moved = false};
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
        named.moved = specifier.moved;
        for (size_t i = named.first; i <= reader->at; i++)
            named.moved |= reader->token[i].moved;
        reader->named[reader->n_named++] = named;
        status = status < 0 ? status : reader_expect(reader, ";", "behind the typedef");
        status = status < 0 ? status : skip_definitions(reader);
    }
    return status;
}

int structure_unknown(const struct reader *reader, const struct specifier *specifier,
                      const char *name)
{
    return specifier->known && specifier->is_unknown
               ? reader_fail(
                     reader, &specifier->known->odd,
                     "how the structure of %s lies in memory is not known: a union, "
                     "bits, a vector, a type without a definition, or a macro or an "
                     "attribute that may move members is here; write bytes %s[SIZE "
                     "* n], with what sizeof says for SIZE",
                     name, name)
               : 0;
}
