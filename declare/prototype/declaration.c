/* SPDX-License-Identifier: Apache-2.0 */
/* A prototype as a whole. */
#include <strings.h>

#include "declare_private.h"

int declaration_find(const struct declaration *declaration, const char *name)
{
    for (uint32_t i = 0; i < declaration->n; i++)
        if (!strcmp(declaration->argument[i].name, name))
            return (int)i;
    return -1;
}

bool declaration_knows(const struct declaration *declaration, const char *name)
{
    bool known = declaration_find(declaration, name) >= 0;
    for (uint32_t d = 0; d < declaration->n_dimensions; d++)
        known |= !strcmp(declaration->dimension[d].name, name);
    return known;
}

/* ---- reading ---- */

/* An enumeration or an int, by its name: lzma_ret, yajl_status, hs_error_t. */
static bool says_status(const struct token *word)
{
    static const char *const ends[] = {"_status",  "_status_t", "_error",
                                       "_error_t", "_err",      "_err_t",
                                       "_ret",     "_ret_t",    "_rc"};
    const size_t n = word->n;
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        const size_t length = strlen(ends[i]);
        found |= n > length && !strncasecmp(&word->at[n - length], ends[i], length);
    }
    return found && !memchr(word->at, ':', n) && !memmem(word->at, n, "__", 2);
}

static int read_returned(struct reader *reader, struct specifier *returned)
{
    struct declaration *declaration = reader->declaration;
    struct specifier specifier;
    reader_take(reader, "extern");
    macro_of_type(reader);
    const char *const begin = reader_token(reader)->at;
    int status = specifier_read(reader, &specifier);
    if (status < 0)
        return status;
    if (specifier.is_unknown && !specifier.is_structure && !specifier.pointers &&
        says_status(specifier.word)) {
        specifier.type = CTYPE_I32;
        specifier.is_unknown = false;
    }
    *returned = specifier;
    declaration->returned = specifier.pointers ? CTYPE_POINTER : specifier.type;
    declaration->vector = specifier.pointers ? 0 : specifier.vector;
    snprintf(declaration->returned_as, sizeof declaration->returned_as, "%s",
             token_word(specifier.word).text);
    if (specifier.role)
        return reader_fail(reader, specifier.word,
                           "in, out and inout are said of arguments, which stand in "
                           "parentheses: void (inout float y[n], size_t n)");
    if (specifier.reference) {
        mend_word(reader, specifier.star, "*");
        return reader_fail(reader, specifier.star, "a reference is returned; write '*'");
    }
    if ((specifier.is_unknown || specifier.each) && !specifier.pointers)
        mend_result(reader, &specifier, begin);
    if (specifier.is_unknown && !specifier.pointers)
        return specifier.is_structure
                   ? reader_fail(
                         reader, specifier.word,
                         "a structure that is returned cannot be received; for one of up "
                         "to 16 bytes write the type of its first 8, double if they hold "
                         "floats alone, else int64_t; a larger one is written to a first "
                         "argument: bytes result[24]")
                   : type_unknown(reader, &specifier);
    if (specifier.each && !specifier.pointers)
        return reader_fail(
            reader, specifier.word,
            "a complex number that is returned cannot be received; write double: %s",
            specifier.type == CTYPE_F32 ? "the 8 bytes of both floats are one"
                                        : "this is its real part");
    if (declaration->returned == CTYPE_BYTES && !declaration->vector)
        return reader_fail(reader, specifier.word, "bytes cannot be returned");
    return 0;
}

/* The <float, 3> of an instance of a template. */
static void skip_template(struct reader *reader)
{
    for (size_t depth = 0;;) {
        const struct token *const token = reader_token(reader);
        depth += token_is(token, "<");
        if (!depth || token->kind == TOKEN_END)
            return;
        depth -= token_is(token, ">");
        reader_next(reader);
    }
}

/* The last word of hwy::Sort; that before a macro in crc32 OF((...)); that in brackets of
 * (crc32)(...) and API(crc32)(...). */
static int read_function_name(struct reader *reader)
{
    const struct token *const first = reader_token(reader);
    const struct token *const open = first + (first->kind == TOKEN_WORD);
    int status = 0;
    if (token_is(open, "(") && open[1].kind == TOKEN_WORD && token_is(open + 2, ")") &&
        token_is(open + 3, "(")) {
        reader->at += (size_t)(open + 3 - first);
        return token_name(reader, open + 1, reader->declaration->name);
    }
    while (status == 0 && reader_token(reader)->kind == TOKEN_WORD) {
        const struct token *word = reader_next(reader);
        if (token_is(word + 1, "(") && token_is(word + 2, "(") &&
            word[-1].kind == TOKEN_WORD)
            word--;
        else if (word[1].kind == TOKEN_WORD &&
                 !(token_is(word + 2, "(") && token_is(word + 3, "(")))
            break;
        struct token last = *word;
        const char *const colon = memrchr(last.at, ':', last.n);
        if (colon) {
            last.n -= (size_t)(colon + 1 - last.at);
            last.at = colon + 1;
        }
        status = token_name(reader, &last, reader->declaration->name);
        skip_template(reader);
    }
    return status;
}

static int read_arguments(struct reader *reader)
{
    struct declaration *declaration = reader->declaration;
    int status = reader_expect(reader, "(", "behind the type that is returned");
    if (status < 0 || reader_take(reader, ")"))
        return status;
    if (token_is(reader_token(reader), "void") &&
        token_is(reader_token(reader) + 1, ")")) {
        reader->at += 2;
        return 0;
    }
    for (;;) {
        if (declaration->n == DECLARED_MAX)
            return reader_fail(reader, reader_token(reader), "at most %d arguments",
                               DECLARED_MAX);
        const uint32_t i = declaration->n++;
        status = argument_parse(reader, i, &reader->later[i]);
        if (status < 0 || reader_take(reader, ")"))
            return status;
        status = reader_expect(reader, ",", "or ')' behind the argument");
        if (status < 0)
            return status;
    }
}

/* An array or an object that the function is not told; what makes an object is. */
static int read_free_argument(struct reader *reader)
{
    struct declaration *declaration = reader->declaration;
    const struct token *const token = reader_token(reader);
    if (declaration->n == DECLARED_MAX)
        return reader_fail(reader, token, "at most %d arguments", DECLARED_MAX);
    const uint32_t i = declaration->n++, dimensions = declaration->n_dimensions;
    const int status = argument_parse(reader, i, &reader->later[i]);
    const enum argument_kind kind = declaration->argument[i].kind;
    const struct token *const name = &reader->token[reader->later[i].name];
    if (status < 0)
        return status;
    if (dimensions < declaration->n_dimensions && name->kind == TOKEN_WORD)
        reader_mend(reader, token->at, (size_t)(name->at - token->at), "%s", "");
    return (kind == ARGUMENT_ARRAY && !declaration->argument[i].vector) ||
                   kind == ARGUMENT_OPAQUE
               ? 0
               : reader_fail(reader, token,
                             dimensions < declaration->n_dimensions
                                 ? "behind 'for' dimensions have no type: for n"
                                 : "behind 'for' stand dimensions, arrays and objects "
                                   "that are made");
}

/* m = 5 * n */
static int read_free_integer(struct reader *reader)
{
    struct declaration *declaration = reader->declaration;
    const struct token *const token = reader_next(reader);
    if (declaration->n == DECLARED_MAX)
        return reader_fail(reader, token, "at most %d arguments", DECLARED_MAX);
    struct later *const later = &reader->later[declaration->n];
    struct declared_argument *const argument = &declaration->argument[declaration->n];
    const int status = token_name(reader, token, argument->name);
    if (status < 0)
        return status;
    if (declaration_knows(declaration, argument->name))
        return reader_fail(reader, token, "%s is there already", argument->name);
    reader_next(reader);
    argument->kind = ARGUMENT_INTEGER;
    argument->type = CTYPE_I64;
    later->name = later->type = reader->at - 2;
    later->value = reader->at;
    declaration->n++;
    return expression_skip(reader);
}

static int read_free_dimension(struct reader *reader)
{
    struct declaration *declaration = reader->declaration;
    const struct token *const token = reader_next(reader);
    if (declaration->n_dimensions == DIMENSIONS_MAX)
        return reader_fail(reader, token, "at most %d dimensions", DIMENSIONS_MAX);
    struct declared_dimension *new = &declaration->dimension[declaration->n_dimensions];
    new->argument = -1;
    const int status = token_name(reader, token, new->name);
    if (status < 0)
        return status;
    if (declaration_knows(declaration, new->name))
        return reader_fail(reader, token, "%s is there already", new->name);
    declaration->n_dimensions++;
    return 0;
}

/* A pointer that a method can have for its object: one of another kind than an array, or
 * an array that a constructor fills. */
static bool is_object(const struct declared_argument *argument)
{
    return argument->kind == ARGUMENT_ARRAY
               ? argument->n_steps
               : argument->kind == ARGUMENT_OPAQUE || argument->kind == ARGUMENT_SYMBOL ||
                     argument->kind == ARGUMENT_NULL;
}

/* noexcept, __THROW, for n, ';' */
static int read_rest(struct reader *reader, const struct specifier *returned)
{
    int status = 0;
    const struct token *const behind = reader_token(reader);
    if ((token_is(behind, "const") || token_is(behind, "override")) &&
        !is_object(&reader->declaration->argument[0]))
        return reader_fail(reader, behind,
                           "a method takes its object first: void *self = from calloc(1, "
                           "SIZE) then CLASS::CLASS(self) free free");
    macros_skip(reader);
    const struct token *const freer = reader_token(reader);
    status = freer_parse(reader, NULL, reader->declaration->freed_by,
                         &reader->declaration->freed_by_address);
    if (status == 0 && returned->pointers > 1 && token_is(reader_token(reader), "length"))
        return reader_fail(reader, reader_token(reader),
                           "what is returned leads to pointers, which nobody can "
                           "compare");
    status = status
                 ?: content_parse(reader, returned, &reader->declaration->content,
                                  &reader->returned_content);
    if (status == 0 && token_among(freer, "free length") &&
        reader->declaration->returned != CTYPE_POINTER)
        return reader_fail(reader, freer,
                           "no pointer is returned whose memory could be freed or "
                           "compared");
    if (status == 0 && reader_take(reader, "for")) {
        do {
            const struct token *const next = reader_token(reader) + 1;
            const bool alone = reader_token(reader)->kind == TOKEN_END ||
                               next->kind == TOKEN_END || token_is(next, ",") ||
                               token_is(next, ";");
            status = alone                 ? read_free_dimension(reader)
                     : token_is(next, "=") ? read_free_integer(reader)
                                           : read_free_argument(reader);
        } while (status == 0 && reader_take(reader, ","));
    }
    if (status < 0)
        return status;
    reader_take(reader, ";");
    const struct token *const token = reader_token(reader);
    return token->kind == TOKEN_END
               ? 0
               : reader_fail(reader, token,
                             "nothing is expected behind the prototype but 'free NAME', "
                             "'length', 'for' and dimensions");
}

/* A pointer to an integer is a length if an array says so; else nobody reads it. */
static int check_lengths(const struct reader *reader)
{
    const struct declaration *declaration = reader->declaration;
    for (uint32_t i = 0; i < declaration->n; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        bool used = argument->kind != ARGUMENT_LENGTH || reader->later[i].value;
        used |= declaration->content.is_compared && declaration->content.length == (int)i;
        FOR_EACH (const struct declared_argument, other, declaration->argument,
                  declaration->n)
            used |= other->kind == ARGUMENT_ARRAY
                        ? other->length == (int)i
                        : other->content.is_compared && other->content.length == (int)i;
        if (!used)
            mend_integers(reader, i);
        if (!used)
            return reader_fail(
                reader, &reader->token[reader->later[i].name],
                "how many elements has %s? Write %s[%s] without the '*', %s[1] for one "
                "value; or '= 0' for one value that begins with it, or 'length %s' "
                "behind the array whose length it holds",
                argument->name, argument->name,
                dimension_near(&reader->token[reader->later[i].name]).text,
                argument->name, argument->name);
    }
    return 0;
}

/* Those that find no register lie on the stack by rules of their own. */
static int check_vectors(const struct reader *reader)
{
    const struct declaration *declaration = reader->declaration;
    unsigned used = 0;
    for (uint32_t i = 0; i < declaration->n_passed; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        used += argument->vector ||
                (argument->kind == ARGUMENT_NUMBER && !argument->by_address);
        if (argument->vector && used > VECTORS_PASSED)
            return reader_fail(reader, &reader->token[reader->later[i].type],
                               "at most %d floats and vectors are passed in registers",
                               VECTORS_PASSED);
    }
    return 0;
}

static int parse(struct reader *reader)
{
    struct declaration *declaration = reader->declaration;
    struct specifier returned = {.type = CTYPE_VOID};
    int status = attributes_drop(reader)
                     ?: typedefs_read(reader)
                     ?: read_returned(reader, &returned)
                     ?: read_function_name(reader);
    const bool twice = status == 0 && token_is(reader_token(reader), "(") &&
                       token_is(reader_token(reader) + 1, "(") &&
                       reader_take(reader, "(");
    status = status < 0 ? status : read_arguments(reader);
    if (status == 0 && twice)
        status = reader_expect(reader, ")", "behind the arguments");
    declaration->n_passed = declaration->n;
    status = status < 0 ? status : read_rest(reader, &returned);
    for (uint32_t i = 0; i < declaration->n && status == 0; i++)
        place_settle(reader, i);
    for (uint32_t i = 0; i < declaration->n && status == 0; i++)
        status = argument_finish(reader, i, &reader->later[i]);
    if (status == 0 && reader->returned_content)
        status = content_finish(reader, &declaration->content, reader->returned_content);
    status = status < 0 ? status : makers_order(reader);
    status = status < 0 ? status : check_lengths(reader);
    return status < 0 ? status : check_vectors(reader);
}

int prototype_read(struct reader *reader, const char *text, struct mends *mends,
                   struct declaration *declaration, struct error *error)
{
    memset(declaration, 0, sizeof *declaration);
    int status = reader_begin(reader, text, error);
    reader->declaration = declaration;
    reader->mends = mends;
    status = status < 0 ? status : parse(reader);
    if (status < 0)
        memset(declaration, 0, sizeof *declaration);
    return status;
}

int declaration_parse(const char *text, struct declaration *declaration,
                      struct error *error)
{
    FREED_BY(free_memory) struct reader *reader = malloc(sizeof *reader);
    memset(declaration, 0, sizeof *declaration);
    return reader ? prototype_read(reader, text, NULL, declaration, error)
                  : no_memory(error);
}

bool declaration_has_outputs(const struct declaration *declaration)
{
    bool any = declaration->returned != CTYPE_VOID;
    FOR_EACH (const struct declared_argument, argument, declaration->argument,
              declaration->n)
        any |= argument->kind == ARGUMENT_LENGTH || argument->content.is_compared ||
               (argument->kind == ARGUMENT_ARRAY && argument->role != ARGUMENT_IN);
    return any;
}

bool declaration_passes(const struct declaration *declaration, uint32_t array)
{
    bool passed = array < declaration->n_passed;
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        passed |= declaration->argument[i].kind == ARGUMENT_WITHIN &&
                  declaration->argument[i].within == array;
    return passed;
}

bool declaration_makes(const struct declaration *declaration)
{
    bool makes = *declaration_freer(declaration) || declaration->content.is_compared;
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        makes |= declaration->argument[i].content.is_compared;
    return makes;
}

const char *declaration_freer(const struct declaration *declaration)
{
    const char *freer = declaration->freed_by;
    for (uint32_t i = 0; i < declaration->n_passed && !*freer; i++)
        if (declaration->argument[i].kind == ARGUMENT_NULL)
            freer = declaration->argument[i].freed_by;
    return freer;
}

int declaration_expression(const struct declaration *declaration, const char *text,
                           struct extent *extent, struct error *error)
{
    FREED_BY(free_memory) struct declaration *copy = malloc(sizeof *copy);
    FREED_BY(free_memory) struct reader *reader = malloc(sizeof *reader);
    extent->n = 0;
    if (!copy || !reader)
        return no_memory(error);
    *copy = *declaration;
    int status = reader_begin(reader, text, error);
    reader->declaration = copy;
    status = status ?: expression_read(reader, extent);
    return status < 0 || reader_token(reader)->kind == TOKEN_END
               ? status
               : reader_fail(reader, reader_token(reader),
                             "nothing is expected behind the expression");
}
