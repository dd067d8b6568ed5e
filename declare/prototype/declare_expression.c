/* SPDX-License-Identifier: Apache-2.0 */
/* Reads expressions of dimensions, and numbers. */
#include <inttypes.h>
#include <math.h>

#include "declare_private.h"

enum { DEPTH_MAX = 32 };

static int add(struct reader *reader, struct extent *extent, enum extent_op op,
               int64_t value)
{
    if (extent->n == EXTENT_STEPS)
        return reader_fail(reader, reader_token(reader),
                           "an expression has more than %d numbers and signs",
                           EXTENT_STEPS);
    if (extent_is_beyond(extent) || (extent->n && op == EXTENT_NUMBER && value < 0))
        return reader_fail(reader, reader_token(reader),
                           "a number from 2^63 on cannot be a part of an expression");
    extent->step[extent->n++] = (struct extent_step){op, value};
    return 0;
}

static int read_level(struct reader *reader, struct extent *extent, size_t level,
                      unsigned depth);

int value_end(const struct reader *reader)
{
    const struct token *const token = reader_token(reader);
    return token->kind == TOKEN_END || token_among(token, ", ) ; }")
               ? 0
               : reader_fail(reader, token, "expected ',' or ')' behind the value");
}

int expression_value(struct reader *reader, uint32_t i)
{
    struct extent *const value = &reader->declaration->argument[i].integer;
    const size_t back = reader->at;
    if (value->n || !reader->later[i].value)
        return 0;
    reader->at = reader->later[i].value;
    if (reader->values & 1u << i)
        return reader_fail(reader, reader_token(reader),
                           "the value of %s depends on itself",
                           reader->declaration->argument[i].name);
    reader->values |= 1u << i;
    const int status = expression_read(reader, value) ?: value_end(reader);
    reader->values &= ~(1u << i);
    reader->at = back;
    return status;
}

static int add_value(struct reader *reader, struct extent *extent, uint32_t i)
{
    const struct extent *const value = &reader->declaration->argument[i].integer;
    int status = expression_value(reader, i);
    for (uint32_t k = 0; k < value->n && status == 0; k++)
        status = add(reader, extent, value->step[k].op, value->step[k].value);
    return status;
}

static int read_name(struct reader *reader, struct extent *extent)
{
    const struct declaration *declaration = reader->declaration;
    const struct token *const token = reader_next(reader);
    const int i = declaration_find(declaration, token_word(token).text);
    for (uint32_t d = 0; d < declaration->n_dimensions; d++)
        if (token_is(token, declaration->dimension[d].name))
            return add(reader, extent, EXTENT_DIMENSION, d);
    if (i < 0)
        mend_dimension(reader, token);
    if (i < 0)
        return reader_fail(reader, token,
                           "no argument is called %s; if it is a dimension that the "
                           "function is not told, write 'for %s' behind the prototype; a "
                           "constant of a header is a number, or its #define or enum "
                           "stands first",
                           token_word(token).text, token_word(token).text);
    if (declaration->argument[i].kind == ARGUMENT_INTEGER)
        return add_value(reader, extent, (uint32_t)i);
    return reader_fail(reader, token, "%s is no integer whose value is known",
                       token_word(token).text);
}

static int read_sizeof(struct reader *reader, struct extent *extent)
{
    enum ctype type = CTYPE_VOID;
    int status = reader_expect(reader, "(", "behind sizeof");
    if (status < 0)
        return status;
    reader_take(reader, "struct");
    const struct token *const token = reader_next(reader), *word = token;
    const struct named_type *const named = typedef_find(reader, token);
    if (named && named->n <= 2 && !named->n_extents)
        word = &reader->token[named->first + named->n - 1]; /* of "struct state" */
    const struct structure *const known = structure_find(reader, word);
    int64_t bytes = known && known->type != CTYPE_VOID
                        ? known->each * (int64_t)ctype_bytes(known->type)
                    : (word == token || named->n == 1) && word_type(word, &type)
                        ? (int64_t)ctype_bytes(type)
                        : 0;
    if (reader_take(reader, "*") || token_is(word, "*"))
        bytes = sizeof(void *);
    return bytes ? add(reader, extent, EXTENT_NUMBER, bytes)
                       ?: reader_expect(reader, ")", "behind the type")
                 : reader_fail(reader, token,
                               "sizeof knows types of one word, and structures whose "
                               "members stand before the prototype");
}

/* 0u, of which ~ makes 32 bits */
static bool is_unsigned_int(const struct token *token)
{
    const char *const last = token->at + token->n - 1;
    return token->kind == TOKEN_INTEGER && !token_is_constant(token) &&
           token->integer >= 0 && token->integer <= UINT32_MAX &&
           (*last == 'u' || *last == 'U') && last[-1] != 'l' && last[-1] != 'L';
}

static int read_primary(struct reader *reader, struct extent *extent, unsigned depth)
{
    const struct token *const token = reader_token(reader);
    if (depth == DEPTH_MAX)
        return reader_fail(reader, token, "more than %d parentheses", DEPTH_MAX);
    if (reader_take(reader, "(")) {
        return read_level(reader, extent, 0, depth + 1)
                   ?: reader_expect(reader, ")", "in the expression");
    }
    if (reader_take(reader, "-")) {
        return read_primary(reader, extent, depth + 1)
                   ?: add(reader, extent, EXTENT_NEGATE, 0);
    }
    if (reader_take(reader, "~")) {
        const bool narrow = is_unsigned_int(reader_token(reader));
        const int status = read_primary(reader, extent, depth + 1);
        return status
                   ?: narrow ? add(reader, extent, EXTENT_NUMBER, UINT32_MAX)
                                   ?: add(reader, extent, EXTENT_XOR, 0)
                             : add(reader, extent, EXTENT_INVERT, 0);
    }
    if (reader_take(reader, "sizeof"))
        return read_sizeof(reader, extent);
    if (token->kind == TOKEN_WORD)
        return read_name(reader, extent);
    if (token->kind == TOKEN_INTEGER && token->integer < 0 &&
        (token->at[0] == '\'' || token_is_constant(token))) {
        /* a char of C may be negative, and so may a constant of an enumeration */
        const int status =
            add(reader, extent, EXTENT_NUMBER, -reader_next(reader)->integer);
        return status < 0 ? status : add(reader, extent, EXTENT_NEGATE, 0);
    }
    if (token->kind == TOKEN_INTEGER)
        return add(reader, extent, EXTENT_NUMBER, reader_next(reader)->integer);
    return reader_fail(reader, token,
                       token->kind == TOKEN_REAL ? "expected a whole number"
                                                 : "expected a dimension or a number");
}

/* Signs and their meanings; a later level binds tighter. */
static const struct {
    const char *signs;
    enum extent_op first;
} levels[] = {{"|", EXTENT_OR},    {"^", EXTENT_XOR},  {"&", EXTENT_AND},
              {"<>", EXTENT_LEFT}, {"+-", EXTENT_ADD}, {"*/%", EXTENT_MULTIPLY}};

static int read_level(struct reader *reader, struct extent *extent, size_t level,
                      unsigned depth)
{
    if (level == ARRAY_LEN(levels))
        return read_primary(reader, extent, depth);
    int status = read_level(reader, extent, level + 1, depth);
    while (status == 0 && reader_token(reader)->kind == TOKEN_SIGN) {
        const char *const signs = levels[level].signs;
        const char *const sign = strchr(signs, reader_token(reader)->at[0]);
        if (!sign)
            break;
        const struct token *const token = reader_next(reader);
        if (levels[level].first == EXTENT_LEFT) /* << and >> */
            status = reader_expect(reader, *token->at == '<' ? "<" : ">", "of a shift");
        status = status
                     ?: read_level(reader, extent, level + 1, depth)
                     ?: add(reader, extent,
                            levels[level].first + (enum extent_op)(sign - signs), 0);
    }
    return status;
}

int expression_read(struct reader *reader, struct extent *extent)
{
    const uint32_t before = extent->n;
    const int status = read_level(reader, extent, 0, 0);
    /* A second extent, x[h][w], multiplies the first. */
    return status < 0 || !before ? status : add(reader, extent, EXTENT_MULTIPLY, 0);
}

int expression_times(struct reader *reader, struct extent *extent, uint32_t n)
{
    return add(reader, extent, EXTENT_NUMBER, n)
               ?: add(reader, extent, EXTENT_MULTIPLY, 0);
}

int expression_skip(struct reader *reader)
{
    unsigned depth = 0;
    for (;; reader_next(reader)) {
        const struct token *const token = reader_token(reader);
        if (token->kind == TOKEN_END)
            return depth ? reader_fail(reader, token, "the expression does not end") : 0;
        if (token->kind != TOKEN_SIGN)
            continue;
        if (!depth && strchr(",)];}", token->at[0]))
            return 0;
        if (token->at[0] == '(' || token->at[0] == '[')
            depth++;
        else if (token->at[0] == ')' || token->at[0] == ']')
            depth--;
    }
}

/* ---- places in arrays ---- */

/* A value that may be a number can begin with a dimension: place_settle() knows. */
bool place_is_next(const struct reader *reader, const struct specifier *specifier)
{
    const struct token *const token = reader_token(reader);
    const bool number = ctype_is_float(specifier->type) && !specifier->each;
    const bool whole = ctype_is_integer(specifier->type) && !specifier->each;
    const bool element =
        token_is(token, "&") && token[1].kind == TOKEN_WORD && token_is(token + 2, "[");
    const bool named = token->kind == TOKEN_WORD && (!whole || specifier->is_const) &&
                       !token_among(token, "NULL nullptr from") &&
                       !(number && token_among(token, "INFINITY NAN"));
    return specifier->pointers < 2 && (element || named);
}

static int array_named(const struct reader *reader, const struct token *token)
{
    const struct declaration *const declaration = reader->declaration;
    const int found = token->kind == TOKEN_WORD
                          ? declaration_find(declaration, token_word(token).text)
                          : -1;
    return found >= 0 && declaration->argument[found].kind == ARGUMENT_ARRAY ? found : -1;
}

void place_settle(struct reader *reader, uint32_t i)
{
    struct declared_argument *const argument = &reader->declaration->argument[i];
    const size_t at = reader->later[i].value;
    if (argument->kind != ARGUMENT_LENGTH || !at ||
        array_named(reader, &reader->token[at]) < 0)
        return;
    argument->kind = ARGUMENT_WITHIN;
    argument->type = CTYPE_VOID;
    argument->by_address = false;
}

int place_finish(struct reader *reader, uint32_t i)
{
    struct declared_argument *const argument = &reader->declaration->argument[i];
    reader->at = reader->later[i].value;
    const bool element = reader_take(reader, "&");
    const struct token *const token = reader_next(reader);
    const int found = array_named(reader, token);
    int status = 0;
    if (found < 0)
        return reader_fail(reader, token,
                           "no array is called %s; a pointer is NULL, a \"text\", from "
                           "f(...), &name, or x + n, a place in array x",
                           token_word(token).text);
    if (reader->declaration->argument[found].vector ||
        reader->later[found].specifier.pointers)
        return reader_fail(reader, token, "%s is not one array", token_word(token).text);
    argument->within = (uint32_t)found;
    if (element)
        status = reader_expect(reader, "[", "behind the array")
                     ?: expression_read(reader, &argument->integer)
                     ?: reader_expect(reader, "]", "behind an element");
    else if (reader_take(reader, "+") || token_is(reader_token(reader), "-"))
        status = expression_read(reader, &argument->integer);
    argument->each = reader->later[found].specifier.each ?: 1;
    if (status == 0 && argument->each > 1 && argument->integer.n)
        status = expression_times(reader, &argument->integer, argument->each);
    return status ?: value_end(reader);
}

int number_read(struct reader *reader, double *number, bool *single)
{
    const bool negative = reader_take(reader, "-");
    const struct token *const token = reader_next(reader);
    if (token_is(token, "INFINITY"))
        *number = INFINITY;
    else if (token_is(token, "NAN"))
        *number = NAN;
    else if (token->kind == TOKEN_REAL || token->kind == TOKEN_INTEGER)
        *number = token->number;
    else
        return reader_fail(reader, token, "expected a number");
    *number = negative ? -*number : *number;
    *single = token->single;
    return 0;
}

int parameters_skip(struct reader *reader)
{
    int status = reader_expect(reader, "(", "before its arguments");
    do
        status = status < 0 ? status : expression_skip(reader);
    while (status == 0 && reader_take(reader, ","));
    return status < 0 ? status : reader_expect(reader, ")", "behind its arguments");
}

/* ---- lists of values ---- */

/* Writes the next one of a list's words: those that read them know no structures. */
static int write_value(struct reader *reader, bool behind, char *text, size_t size)
{
    const struct token *const token = reader_next(reader);
    struct extent extent = {.n = 0};
    if (!token_is(token, "sizeof"))
        return (int)token_write(token, behind, text, size);
    return read_sizeof(reader, &extent)
               ?: snprintf(text, size, "%s%" PRId64, behind ? " " : "",
                           extent.step[0].value);
}

int values_parse(struct reader *reader, struct declared_argument *argument,
                 struct later *later)
{
    const struct token *const equals = reader_token(reader);
    if (!reader_take(reader, "="))
        return 0;
    if (argument->role == ARGUMENT_OUT)
        return reader_fail(
            reader, equals,
            "what is only written has no values; write const or inout before its type");
    if (!reader_take(reader, "{"))
        return reader_fail(reader, reader_token(reader),
                           "values of an array stand in braces, = {1, 2}; others are "
                           "said with --input=%s=...",
                           argument->name);
    const struct token *const first = reader_token(reader);
    later->values = reader->at;
    size_t n = strlen(strcpy(argument->text, VALUES_INPUT));
    while (!reader_take(reader, "}")) {
        if (reader_token(reader)->kind == TOKEN_END)
            return reader_fail(reader, equals, "the list of values does not end");
        const int written = write_value(reader, reader_token(reader) > first,
                                        argument->text + n, sizeof argument->text - n);
        if (written < 0)
            return written;
        n += (size_t)written;
        if (n >= sizeof argument->text)
            return reader_fail(reader, first,
                               "a list of values has at most %zu characters",
                               sizeof argument->text - sizeof VALUES_INPUT);
    }
    return 0;
}

int values_check(struct reader *reader, size_t at)
{
    int status = 0;
    reader->at = at;
    for (int n = 0; status == 0 && !reader_take(reader, "}"); n++) {
        const struct token *const token = reader_token(reader);
        const struct token *const first = token + token_is(token, "-");
        struct extent extent = {.n = 0};
        double number;
        bool single;
        if (n == VALUES_MAX)
            return reader_fail(reader, token,
                               "a list has at most %d values; others are "
                               "said with --input=NAME=file:PATH",
                               VALUES_MAX);
        status = first->kind == TOKEN_REAL || token_among(first, "INFINITY NAN")
                     ? number_read(reader, &number, &single)
                     : expression_read(reader, &extent);
        if (status == 0 && !token_is(reader_token(reader), "}"))
            status = reader_expect(reader, ",", "or '}' behind a value");
    }
    return status;
}

struct word dimension_near(const struct token *token)
{
    enum ctype type;
    for (; token->kind != TOKEN_END; token++)
        if (token->kind == TOKEN_WORD && token_among(token + 1, ", )") &&
            (token_is(token - 1, "unsigned") ||
             (word_type(token - 1, &type) && ctype_is_integer(type))))
            return token_word(token);
    return (struct word){"n"};
}
