/* SPDX-License-Identifier: Apache-2.0 */
/* One argument: its kind; and when all names are known, its expressions. */
#include "declare_private.h"

static struct declared_argument *argument_of(const struct reader *reader, uint32_t i)
{
    return &reader->declaration->argument[i];
}

/* ---- arrays ---- */

static int read_extents(struct reader *reader, struct later *later)
{
    const struct token *const first = reader_token(reader);
    unsigned n = 0;
    int status = 0;
    later->extents = reader->at;
    for (; status == 0 && reader_take(reader, "["); n++) {
        while (qualifier_take(reader, &(bool){false}))
            ;
        const struct word near = dimension_near(reader_token(reader));
        if (token_is(reader_token(reader), "]"))
            reader_mend(reader, reader_token(reader)->at, 0, "%s", near.text);
        if (token_is(reader_token(reader), "]"))
            return reader_fail(reader, reader_token(reader),
                               "how many elements? Write an expression, such as [%s]",
                               near.text);
        status =
            expression_skip(reader) ?: reader_expect(reader, "]", "behind an extent");
    }
    if (n == 1 && later->specifier.pointers == 1 && !later->specifier.n_names)
        later->specifier.pointers -= later->specifier.named_pointers; /* png_bytep x[n] */
    if (status == 0 && later->specifier.pointers > 2)
        return reader_fail(reader, later->specifier.star,
                           "pointers to pointers are passed in one way, as *x[k][n]: k "
                           "pointers to n elements each");
    if (status == 0 && later->specifier.pointers && n < 2)
        return reader_fail(reader, first,
                           "how many pointers, to how many elements? Write *x[k][n]; for "
                           "an array of elements leave the '*' out");
    if (status == 0 && reader_take(reader, "length")) {
        if (later->specifier.pointers)
            return reader_fail(reader, reader_token(reader) - 1,
                               "a length is said of one array, not of several");
        if (later->specifier.each)
            return reader_fail(reader, reader_token(reader) - 1,
                               "a length is said of numbers; write pairs and structures "
                               "as their numbers or bytes");
        reader_take(reader, "*");
        later->length = reader->at;
        if (reader_next(reader)->kind != TOKEN_WORD)
            return reader_fail(reader, &reader->token[later->length],
                               "expected the argument that the function writes the "
                               "length to, or 'return'");
    }
    return status;
}

static int read_array(struct reader *reader, uint32_t i, struct later *later)
{
    const struct specifier *const specifier = &later->specifier;
    struct declared_argument *argument = argument_of(reader, i);
    if (specifier->vector)
        return reader_fail(
            reader, specifier->word,
            "for an array of vectors write one of their elements: float x[8 * n]");
    if (specifier->is_unknown)
        mend_real(reader, specifier->word);
    if (specifier->is_unknown)
        return structure_unknown(reader, specifier, argument->name)
                   ?: type_misspelt(reader, specifier->word)
                   ?: reader_fail(reader, specifier->word,
                                  "unknown type; write its type in C, for a structure "
                                  "that of its members, float x[2 * n], or 'bytes'; or "
                                  "its header's typedef first: typedef ... %s;",
                                  token_word(specifier->word).text);
    if (specifier->is_const && specifier->role > ARGUMENT_IN)
        return reader_fail(reader, specifier->word, "what is const cannot be written");
    argument->kind = ARGUMENT_ARRAY;
    argument->type = specifier->type == CTYPE_VOID ? CTYPE_BYTES : specifier->type;
    argument->length = DECLARED_WHOLE;
    argument->has_pointer = specifier->known && specifier->known->has_pointer;
    argument->has_bool = specifier->known && specifier->known->has_bool;
    argument->role = specifier->role       ? specifier->role
                     : specifier->is_const ? ARGUMENT_IN
                                           : ARGUMENT_OUT;
    if (specifier->type == CTYPE_BOOL) {
        argument->type = CTYPE_U8;
        if (argument->role != ARGUMENT_OUT) /* other bytes are no values of bool */
            strcpy(argument->text, "indices:0..2");
    }
    return read_extents(reader, later)
               ?: values_parse(reader, argument, later)
               ?: fillers_parse(reader, argument, specifier->pointers);
}

/* ---- pointers with a value ---- */

static int read_pointer_value(struct reader *reader, uint32_t i, struct later *later)
{
    const struct specifier *const specifier = &later->specifier;
    struct declared_argument *argument = argument_of(reader, i);
    const struct token *const token = reader_token(reader);
    const bool number = ctype_is_float(specifier->type);
    argument->type = CTYPE_VOID;
    if (place_is_next(reader, specifier)) {
        argument->kind = ARGUMENT_WITHIN;
        later->value = reader->at;
        return expression_skip(reader);
    }
    if (reader_take(reader, "NULL") || reader_take(reader, "nullptr")) {
        argument->kind = ARGUMENT_NULL;
        return 0;
    }
    if (maker_is_next(reader, specifier))
        return maker_parse(reader, argument, specifier);
    if (reader_take(reader, "&")) {
        argument->kind = ARGUMENT_SYMBOL;
        return token_name(reader, reader_next(reader), argument->text);
    }
    if (token->kind == TOKEN_TEXT) {
        argument->kind = ARGUMENT_TEXT;
        return token_text(reader, reader_next(reader), argument->text,
                          sizeof argument->text, &argument->text_bytes);
    }
    if (specifier->pointers == 2 && reader_take(reader, "0"))
        return written_pointer_parse(reader, argument, later);
    if (token_is(specifier->star, "&") && !specifier->is_structure)
        return type_unknown(reader, specifier);
    if (specifier->each)
        return reader_fail(
            reader, specifier->word,
            "write the address of a complex number or a structure as an array: %s[1]",
            argument->name);
    if ((!ctype_is_integer(specifier->type) && !number) || specifier->is_const ||
        specifier->pointers > 1)
        return reader_fail(reader, token,
                           "a pointer is NULL, a \"text\", from f(...), &name, or x + n, "
                           "a place in array x; a number whose address is passed is "
                           "written T &x; {values} are those of a structure whose "
                           "definition stands before the prototype");
    argument->kind = ARGUMENT_LENGTH;
    argument->type = specifier->type;
    argument->by_address = true;
    later->value = reader->at;
    return number ? number_read(reader, &argument->number, &(bool){false})
                  : expression_skip(reader);
}

static int read_pointer(struct reader *reader, uint32_t i, struct later *later)
{
    const struct specifier *const specifier = &later->specifier;
    struct declared_argument *argument = argument_of(reader, i);
    const bool real = ctype_is_float(specifier->type);
    const bool is_in = specifier->is_const && (real || ctype_is_integer(specifier->type));
    const struct word n = dimension_near(reader_token(reader));
    if (reader_take(reader, "="))
        return read_pointer_value(reader, i, later);
    if (specifier->pointers == 2 && token_among(reader_token(reader), "free length"))
        return written_pointer_parse(reader, argument, later);
    mend_pointer(reader, i);
    if (specifier->pointers > 1)
        return reader_fail(
            reader, specifier->star,
            "a pointer to pointers can be NULL, from f(...) or &name; say which behind "
            "'='; if the function writes a pointer there, '= 0', or 'free NAME' of what "
            "frees it; k pointers to n elements each are written *%s[k][n]",
            argument->name);
    if (specifier->is_unknown)
        return structure_unknown(reader, specifier, argument->name)
                   ?: reader_fail(reader, &reader->token[later->name],
                                  "how many bytes has %s? Write %s bytes %s[SIZE], or "
                                  "%s[%s] and the header's "
                                  "definition first: typedef struct {...} %s; or say its "
                                  "value: = NULL, %s",
                                  argument->name, specifier->is_const ? "const" : "inout",
                                  argument->name, argument->name, n.text,
                                  token_word(specifier->word).text,
                                  token_is(specifier->word, "FILE")
                                      ? "= from fopen(\"/dev/null\", \"r+\") free fclose"
                                      : "= from f(...)");
    if (specifier->is_const || specifier->each || !ctype_is_integer(specifier->type))
        return reader_fail(
            reader, &reader->token[later->name],
            "how many elements has %s? Write %s[%s] without the '*', %s%s for one value; "
            "or leave the '*' and say its value: %s%s= NULL, = from f(...)",
            argument->name, argument->name, n.text, is_in ? "&" : argument->name,
            is_in ? argument->name : "[1]",
            specifier->known ? "= {values of its members}, " : "",
            real && !is_in ? "= 0 for one that begins with it, " : "");
    argument->kind = ARGUMENT_LENGTH;
    argument->type = specifier->type;
    argument->by_address = true;
    return 0;
}

/* ---- single values ---- */

static int read_integer(struct reader *reader, uint32_t i, struct later *later)
{
    struct declaration *declaration = reader->declaration;
    struct declared_argument *argument = argument_of(reader, i);
    if (reader_take(reader, "=")) {
        argument->kind = ARGUMENT_INTEGER;
        later->value = reader->at;
        return expression_skip(reader);
    }
    if (declaration->n_dimensions == DIMENSIONS_MAX) /* those behind 'for' count, too */
        return reader_fail(reader, &reader->token[later->name], "at most %d dimensions",
                           DIMENSIONS_MAX);
    argument->kind = ARGUMENT_DIMENSION;
    argument->dimension = (int)declaration->n_dimensions;
    struct declared_dimension *new = &declaration->dimension[declaration->n_dimensions++];
    new->argument = (int)i;
    memcpy(new->name, argument->name, sizeof new->name);
    return 0;
}

static int read_bool(struct reader *reader, uint32_t i)
{
    struct declared_argument *argument = argument_of(reader, i);
    const struct token *const token = reader_next(reader);
    const bool yes = token_among(token, "true 1");
    if (!yes && !token_among(token, "false 0"))
        return reader_fail(reader, token, "expected true or false");
    argument->kind = ARGUMENT_INTEGER;
    argument->integer = (struct extent){.n = 1, .step = {{EXTENT_NUMBER, yes}}};
    return 0;
}

/* Its elements are an input. */
static int read_vector(const struct reader *reader, struct declared_argument *argument,
                       const struct specifier *specifier)
{
    argument->kind = ARGUMENT_ARRAY;
    argument->type = specifier->type;
    argument->role = ARGUMENT_IN;
    argument->length = DECLARED_WHOLE;
    argument->vector = specifier->vector;
    const int64_t n = specifier->vector / (int64_t)ctype_bytes(specifier->type);
    argument->count = (struct extent){.n = 1, .step = {{EXTENT_NUMBER, n}}};
    if (specifier->reference)
        return reader_fail(
            reader, specifier->star,
            "for the address of a vector write its elements: const float x[8]");
    return token_is(reader_token(reader), "=")
               ? reader_fail(reader, reader_token(reader),
                             "a vector is an input; say its values with --input=%s=...",
                             argument->name)
               : 0;
}

static int read_value(struct reader *reader, uint32_t i, struct later *later)
{
    const struct specifier *const specifier = &later->specifier;
    struct declared_argument *argument = argument_of(reader, i);
    if (specifier->vector)
        return read_vector(reader, argument, specifier);
    mend_value(reader, i);
    if (specifier->is_structure)
        return reader_fail(reader, specifier->word,
                           "a structure cannot be passed by value; one of up to 16 bytes "
                           "is an int64_t for each 8, or a double if these hold floats "
                           "alone; docs/call.md has larger ones");
    if (specifier->is_unknown)
        return type_unknown(reader, specifier);
    if (specifier->each)
        return reader_fail(
            reader, specifier->word,
            "a complex number cannot be passed by value; write %s",
            specifier->type == CTYPE_F32   ? "__m128, which begins with both floats"
            : specifier->type == CTYPE_F64 ? "two doubles, re = 1 and im = 2"
                                           : "int64_t, which holds both");
    if (specifier->type == CTYPE_VOID || specifier->type == CTYPE_BYTES)
        return reader_fail(reader, specifier->word,
                           "no value has type %s; write an extent: x[n]",
                           ctype_name(specifier->type));
    argument->type = specifier->type;
    argument->by_address = specifier->reference;
    if (ctype_is_integer(specifier->type))
        return read_integer(reader, i, later);
    const bool is_result = specifier->reference && !specifier->is_const;
    if (!reader_take(reader, "="))
        return reader_fail(reader, &reader->token[later->name],
                           "%s needs a value, such as %s = %s%s%s%s", argument->name,
                           argument->name, specifier->type == CTYPE_BOOL ? "true" : "0.5",
                           is_result ? "; a result is written " : "",
                           is_result ? argument->name : "", is_result ? "[1]" : "");
    if (specifier->type == CTYPE_BOOL)
        return read_bool(reader, i);
    argument->kind = ARGUMENT_NUMBER;
    return number_read(reader, &argument->number, &(bool){false});
}

static bool is_pointer_value(const struct reader *reader)
{
    const struct token *const token = reader_token(reader);
    return token_is(token, "=") && token_among(token + 1, "from NULL nullptr &");
}

/* int (*compare)(const void *, const void *) = &compare_ints */
static int read_function(struct reader *reader, uint32_t i, struct later *later)
{
    struct declared_argument *argument = argument_of(reader, i);
    reader_take(reader, "(");
    int status = reader_expect(reader, "*", "of a pointer to a function");
    while (qualifier_take(reader, &(bool){false})) /* restrict NAME */
        ;
    later->name = reader->at;
    if (status == 0 && reader_token(reader)->kind == TOKEN_WORD)
        status = token_name(reader, reader_next(reader), argument->name);
    status = status < 0 ? status : reader_expect(reader, ")", "behind the name");
    if (status == 0 && token_is(reader_token(reader), "["))
        mend_rows(reader, i);
    if (status == 0 && !token_is(reader_token(reader), "("))
        return reader_fail(reader, reader_token(reader),
                           "pointers to arrays cannot be passed; write x[h * w]");
    status = status ?: parameters_skip(reader);
    if (status == 0 && !token_is(reader_token(reader), "="))
        reader_mend(reader, reader_token(reader)->at, 0, " = &nothing");
    if (status == 0 && !token_is(reader_token(reader), "="))
        return reader_fail(reader, &reader->token[later->name],
                           "which function is %s? Write = &name, or = NULL",
                           argument->name);
    later->specifier.pointers = 1;
    later->specifier.type = CTYPE_VOID;
    return status;
}

int argument_parse(struct reader *reader, uint32_t i, struct later *later)
{
    struct declared_argument *argument = argument_of(reader, i);
    *later = (struct later){.type = reader->at};
    if (token_is(reader_token(reader), "...")) {
        const char *const comma = reader_token(reader)[-1].at;
        if (i)
            reader_mend(reader, comma, (size_t)(reader_token(reader)->at + 3 - comma),
                        "%s", "");
        return reader_fail(reader, reader_token(reader),
                           "write the arguments that '...' stands for");
    }
    int status = specifier_read(reader, &later->specifier);
    if (status < 0)
        return status;
    later->name = reader->at;
    snprintf(argument->name, sizeof argument->name, "arg%u", i + 1);
    if (token_is(reader_token(reader), "("))
        status = read_function(reader, i, later);
    else if (reader_token(reader)->kind == TOKEN_WORD)
        status = token_name(reader, reader_next(reader), argument->name);
    if (status < 0)
        return status;
    if (reader_token(reader)->kind == TOKEN_WORD && reader->at > later->name &&
        !token_among(reader_token(reader), "free length"))
        return reader_fail(reader, &reader->token[later->name],
                           "%s is no word of a type, or there is a word too many",
                           argument->name);
    if (declaration_find(reader->declaration, argument->name) != (int)i)
        return reader_fail(reader, &reader->token[later->name],
                           "two arguments are called %s", argument->name);
    status = typedef_extents(reader, &later->specifier);
    if (status < 0)
        return status;
    if (token_is(reader_token(reader), "["))
        return read_array(reader, i, later);
    if (later->specifier.role)
        return reader_fail(reader, &reader->token[later->name],
                           "in, out and inout are said of arrays: %s[n] without a '*'",
                           argument->name);
    /* A type that is not known may be a pointer by itself: fftwf_plan plan = NULL. */
    const bool hidden = later->specifier.is_unknown && !later->specifier.is_structure &&
                        is_pointer_value(reader);
    return later->specifier.pointers || hidden ? read_pointer(reader, i, later)
                                               : read_value(reader, i, later);
}

/* ---- when all names are known ---- */

static int finish_extents(struct reader *reader, struct declared_argument *argument,
                          size_t at, const struct specifier *specifier)
{
    struct extent *extent = specifier->pointers ? &argument->planes : &argument->count;
    int status = 0;
    reader->at = at;
    for (; status == 0 && reader_take(reader, "["); extent = &argument->count) {
        while (qualifier_take(reader, &(bool){false}))
            ;
        status = expression_read(reader, extent)
                     ?: reader_expect(reader, "]", "behind an extent");
    }
    return status == 0 && specifier->each
               ? expression_times(reader, extent, specifier->each)
               : status;
}

static int finish_length(struct reader *reader, struct declared_argument *argument,
                         size_t at)
{
    const struct declaration *declaration = reader->declaration;
    const struct token *const token = &reader->token[at];
    if (argument->role == ARGUMENT_IN)
        return reader_fail(reader, token, "a length is said of what is written");
    if (token_is(token, "return")) {
        argument->length = DECLARED_RETURN;
        return ctype_is_integer(declaration->returned)
                   ? 0
                   : reader_fail(reader, token, "the function returns no integer");
    }
    argument->length = declaration_find(declaration, token_word(token).text);
    if (argument->length < 0 ||
        declaration->argument[argument->length].kind != ARGUMENT_LENGTH ||
        !ctype_is_integer(declaration->argument[argument->length].type))
        return reader_fail(reader, token,
                           "a length is in a pointer to an integer, size_t *%s",
                           token_word(token).text);
    return 0;
}

int argument_finish(struct reader *reader, uint32_t i, const struct later *later)
{
    struct declared_argument *argument = argument_of(reader, i);
    const struct specifier *const specifier = &later->specifier;
    const size_t at = later->extents, length = later->length;
    const bool place = argument->kind == ARGUMENT_WITHIN;
    const bool whole = later->value && !ctype_is_float(argument->type) && !place;
    int status = at ? finish_extents(reader, argument, at, specifier) : 0;
    status = status ?: later->values ? values_check(reader, later->values) : 0;
    if (status == 0 && length)
        status = argument->kind == ARGUMENT_ARRAY
                     ? finish_length(reader, argument, length)
                     : content_finish(reader, &argument->content, length);
    return status
               ?: place ? place_finish(reader, i)
              : whole   ? expression_value(reader, i)
                        : maker_finish(reader, i);
}
