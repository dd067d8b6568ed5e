/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: T *x = from make(...) then set(x, 3) free unmake. */
#include "declare_private.h"

/* ---- as they stand ---- */

/* Arguments, or values of members. */
static int read_made(struct reader *reader, struct declared_argument *argument,
                     struct made_step *step, const char *end, uint32_t most)
{
    int status = 0;
    step->first = argument->n_made;
    while (status == 0 && !reader_take(reader, end)) {
        const struct token *const token = reader_token(reader);
        const size_t begin = reader->at;
        struct made_argument *made = &argument->made[argument->n_made];
        if (step->n++ == most || argument->n_made++ == MADE_MAX)
            return reader_fail(reader, token, "at most %u %s",
                               step->n > most ? most : (uint32_t)MADE_MAX,
                               *end == '}' ? "values of members" : "arguments");
        reader_take(reader, "&");
        /* Read again by maker_finish(), when dimensions are known. */
        status = expression_skip(reader);
        made->integer.n = (uint32_t)begin; /* of a token */
        if (status == 0 && !token_is(reader_token(reader), end))
            status = reader_expect(reader, ",",
                                   *end == '}' ? "between values" : "between arguments");
    }
    return status;
}

static int read_step(struct reader *reader, struct declared_argument *argument)
{
    const struct token *const word = reader_next(reader);
    if (argument->n_steps == STEPS_MAX)
        return reader_fail(reader, word,
                           "at most %d calls make an object or fill an array", STEPS_MAX);
    struct made_step *const step = &argument->step[argument->n_steps++];
    return token_name(reader, word, step->name)
               ?: reader_expect(reader, "(", "behind the function's name")
               ?: read_made(reader, argument, step, ")", STEP_ARGUMENTS_MAX);
}

static int read_steps(struct reader *reader, struct declared_argument *argument)
{
    int status = 0;
    while (status == 0 && reader_take(reader, "then"))
        status = read_step(reader, argument);
    return status;
}

int fillers_parse(struct reader *reader, struct declared_argument *argument,
                  bool of_pointers)
{
    const struct token *const token = reader_token(reader);
    if (!token_is(token, "then"))
        return 0;
    if (argument->role == ARGUMENT_OUT)
        return reader_fail(reader, token,
                           "what is only written has no values; write const or inout "
                           "before its type");
    return of_pointers ? reader_fail(reader, token, "one array is filled so, not several")
                       : read_steps(reader, argument);
}

bool maker_is_next(const struct reader *reader, const struct specifier *specifier)
{
    return token_is(reader_token(reader), "from") ||
           (token_is(reader_token(reader), "{") && specifier->known &&
            !specifier->is_unknown && specifier->pointers == 1);
}

/* {x, n, 0.5}: values of the first members; the rest is zero. */
static int read_structure(struct reader *reader, struct declared_argument *argument,
                          const struct specifier *specifier)
{
    const struct structure *const known = specifier->known;
    struct made_step *const step = &argument->step[argument->n_steps++];
    step->bytes = known->each * (uint32_t)ctype_bytes(known->type);
    argument->renewed = specifier->is_const ? 0 : (step->bytes + 7) / 8 * 8;
    const int status = read_made(reader, argument, step, "}", known->n_members);
    uint32_t renewed = 0;
    for (uint32_t i = 0; i < reader->declaration->n; i++)
        renewed += reader->declaration->argument[i].renewed;
    return status == 0 && renewed > RENEWED_MAX
               ? reader_fail(reader, specifier->word,
                             "structures that a call may change have at most %d bytes "
                             "here; const before the type, or = from f(...)",
                             RENEWED_MAX)
               : status;
}

int maker_parse(struct reader *reader, struct declared_argument *argument,
                const struct specifier *specifier)
{
    argument->kind = ARGUMENT_OPAQUE;
    const int status = (token_is(reader_next(reader), "{")
                            ? read_structure(reader, argument, specifier)
                            : read_step(reader, argument))
                           ?: read_steps(reader, argument)
                           ?: freer_parse(reader, argument->name, argument->freed_by,
                                          &argument->freed_by_address);
    return status == 0 && argument->step[0].bytes && !strcmp(argument->freed_by, "free")
               ? reader_fail(reader, specifier->word,
                             "a structure of values is freed without that")
               : status;
}

int freer_parse(struct reader *reader, const char *freed, char name[DECLARED_NAME],
                bool *by_address)
{
    const int status =
        reader_take(reader, "free") ? token_name(reader, reader_next(reader), name) : 0;
    *by_address = status == 0 && name[0] && reader_take(reader, "(");
    if (!*by_address)
        return status;
    const bool named = freed && token_is(reader_token(reader), "&") &&
                       !token_is(reader_token(reader) + 1, ")");
    return reader_expect(reader, "&", "of the address: free f(&)")
               ?: (named ? reader_expect(reader, freed, "behind '&'") : 0)
               ?: reader_expect(reader, ")", "behind what is freed");
}

int written_pointer_parse(struct reader *reader, struct declared_argument *argument,
                          struct later *later)
{
    argument->kind = ARGUMENT_NULL;
    argument->by_address = true;
    return freer_parse(reader, argument->name, argument->freed_by,
                       &argument->freed_by_address)
               ?: content_parse(reader, &later->specifier, &argument->content,
                                &later->length);
}

int content_parse(struct reader *reader, const struct specifier *specifier,
                  struct declared_content *content, size_t *place)
{
    const struct token *const length = reader_token(reader);
    if (!reader_take(reader, "length"))
        return 0;
    if (specifier->is_unknown)
        return reader_fail(reader, length,
                           "nobody knows how many bytes an element has: write uint8_t "
                           "for its type, and a length in bytes");
    const size_t bytes = ctype_bytes(specifier->type);
    content->is_compared = true;
    content->size =
        (uint32_t)(bytes ? bytes : 1) * (specifier->each ? specifier->each : 1);
    *place = reader->at;
    for (size_t depth = 0;; reader_next(reader)) {
        const struct token *const token = reader_token(reader);
        if (token->kind == TOKEN_END || (!depth && token_among(token, ", ) ; for")))
            return reader->at > *place
                       ? 0
                       : reader_fail(reader, token,
                                     "expected a length: that of what the "
                                     "pointer points to, or 'strlen'");
        depth += token_is(token, "(");
        depth -= token_is(token, ")");
    }
}

/* ---- when all names are known ---- */

int content_finish(struct reader *reader, struct declared_content *content, size_t place)
{
    const struct declaration *const declaration = reader->declaration;
    const struct token *const token = &reader->token[place];
    const int found = token->kind == TOKEN_WORD
                          ? declaration_find(declaration, token_word(token).text)
                          : -1;
    int status = 0;
    content->length = DECLARED_WHOLE;
    reader->at = place + 1;
    if (token_is(token, "strlen")) {
        content->length = DECLARED_STRLEN;
        if (content->size > 8 || content->size & (content->size - 1))
            return reader_fail(reader, token,
                               "elements up to a zero have 1, 2, 4 or 8 bytes");
    } else if (token_is(token, "return")) {
        content->length = DECLARED_RETURN;
        if (!ctype_is_integer(declaration->returned))
            return reader_fail(reader, token, "the function returns no integer");
    } else if (found >= 0 && declaration->argument[found].kind == ARGUMENT_LENGTH &&
               ctype_is_integer(declaration->argument[found].type)) {
        content->length = found;
    } else {
        reader->at = place;
        status = expression_read(reader, &content->count);
    }
    return status == 0 && reader_token(reader)->kind != TOKEN_END &&
                   !token_among(reader_token(reader), ", ) ; for")
               ? reader_fail(reader, reader_token(reader),
                             "nothing is expected behind the length; 'free NAME' stands "
                             "before it")
               : status;
}

/* An array or an object. */
static bool find_made(const struct reader *reader, const struct token *token,
                      struct made_argument *made)
{
    const int found = token->kind == TOKEN_WORD && token[1].kind == TOKEN_SIGN &&
                              strchr(",)}+", token[1].at[0])
                          ? declaration_find(reader->declaration, token_word(token).text)
                          : -1;
    const struct declared_argument *const argument =
        found < 0 ? NULL : &reader->declaration->argument[found];
    if (!argument ||
        (argument->kind != ARGUMENT_ARRAY && argument->kind != ARGUMENT_OPAQUE) ||
        argument->vector)
        return false;
    made->kind = argument->kind;
    made->argument = (uint32_t)found;
    return true;
}

static bool is_known(const struct reader *reader, const struct token *token)
{
    return declaration_knows(reader->declaration, token_word(token).text);
}

/* &name, *name: a variable or function of the library. */
static int finish_symbol(struct reader *reader, bool by_address,
                         struct made_argument *made)
{
    made->kind = ARGUMENT_SYMBOL;
    made->type = CTYPE_POINTER;
    made->by_address = by_address;
    return token_name(reader, reader_next(reader), made->text);
}

/* make(&x): the function writes the object's address there. */
static int finish_address(struct reader *reader, uint32_t i, bool first,
                          struct made_argument *made)
{
    const struct token *const token = reader_token(reader);
    if (token->kind == TOKEN_WORD && !is_known(reader, token))
        return finish_symbol(reader, true, made);
    made->by_address = true;
    reader_next(reader);
    return first && find_made(reader, token, made) && made->argument == i &&
                   made->kind == ARGUMENT_OPAQUE
               ? 0
               : reader_fail(reader, token,
                             "'&' stands before the object's own name, in the call that "
                             "makes it, or before a name of the library");
}

static int finish_value(struct reader *reader, bool fills, struct made_argument *made)
{
    const struct token *const token = reader_token(reader);
    bool single;
    size_t n;
    made->type = CTYPE_POINTER;
    if (reader_take(reader, "NULL")) {
        made->kind = ARGUMENT_NULL;
    } else if (fills && !is_known(reader, token) && reader_take(reader, "seed")) {
        made->kind = ARGUMENT_DIMENSION;
    } else if (token->kind == TOKEN_TEXT) {
        made->kind = ARGUMENT_TEXT;
        return token_text(reader, reader_next(reader), made->text, sizeof made->text, &n);
    } else if (find_made(reader, token, made)) {
        reader_next(reader);
        const struct specifier *const array = &reader->later[made->argument].specifier;
        const uint32_t each = array->pointers ? 1 : array->each;
        if (made->kind == ARGUMENT_ARRAY && reader_take(reader, "+"))
            return expression_read(reader, &made->integer)
                       ?: expression_times(reader, &made->integer, each ? each : 1);
    } else if (token[token_is(token, "-")].kind == TOKEN_REAL) {
        made->kind = ARGUMENT_NUMBER;
        const int status = number_read(reader, &made->number, &single);
        made->type = single ? CTYPE_F32 : CTYPE_F64;
        return status;
    } else if (token_is(token, "*") && is_known(reader, token + 1)) {
        return reader_fail(reader, token,
                           "'*' stands before a variable of the library; an argument is "
                           "written without it");
    } else if (reader_take(reader, "*")) {
        return finish_symbol(reader, false, made);
    } else if (token->kind == TOKEN_WORD && token[1].kind == TOKEN_SIGN &&
               strchr(",)}", token[1].at[0]) && !is_known(reader, token)) {
        return reader_fail(
            reader, token,
            "no argument is called %s; for a variable of the library write "
            "*%s, its value, or &%s, its address",
            token_word(token).text, token_word(token).text, token_word(token).text);
    } else {
        made->kind = ARGUMENT_INTEGER;
        made->type = CTYPE_I64;
        return expression_read(reader, &made->integer);
    }
    return 0;
}

static int finish_made(struct reader *reader, uint32_t i, bool first,
                       struct made_argument *made)
{
    const struct token *const token = &reader->token[made->integer.n];
    reader->at = made->integer.n;
    made->integer.n = 0;
    const bool fills = reader->declaration->argument[i].kind == ARGUMENT_ARRAY;
    int status = reader_take(reader, "&") ? finish_address(reader, i, first, made)
                                          : finish_value(reader, fills, made);
    if (status == 0 && first && made->kind == ARGUMENT_OPAQUE && made->argument == i &&
        !made->by_address)
        status = reader_fail(reader, token, "%s is not made yet; write &%s",
                             token_word(token).text, token_word(token).text);
    return status < 0 ? status : value_end(reader);
}

/* The value of a member has its type. */
static int finish_member(struct reader *reader, const struct structure *known,
                         const struct token *token, uint32_t m,
                         struct made_argument *made)
{
    const struct member *const member = &known->member[m];
    const bool pointer = member->type == CTYPE_POINTER;
    const bool number = made->kind == ARGUMENT_NUMBER || made->kind == ARGUMENT_INTEGER;
    made->offset = member->offset;
    if (pointer == number || (made->kind == ARGUMENT_OPAQUE && made->by_address))
        return reader_fail(reader, token,
                           pointer ? "member %u is a pointer: NULL, a \"text\", an array "
                                     "or an object, &name"
                                   : "member %u is a number",
                           m + 1);
    if (made->kind == ARGUMENT_NUMBER && !ctype_is_float(member->type))
        return reader_fail(reader, token, "member %u is a whole number", m + 1);
    made->type = member->type;
    return 0;
}

/* A function that fills an array takes arrays that have values, and no objects. */
static int check_filler(const struct reader *reader, const struct token *token,
                        const struct made_argument *made)
{
    const struct declared_argument *const taken =
        &reader->declaration->argument[made->argument];
    if (made->kind == ARGUMENT_OPAQUE)
        return reader_fail(reader, token, "arrays are filled before objects are made");
    if (made->kind != ARGUMENT_ARRAY)
        return 0;
    if (reader->later[made->argument].specifier.pointers)
        return reader_fail(reader, token, "%s is several arrays", taken->name);
    return taken->role == ARGUMENT_OUT
               ? reader_fail(reader, token,
                             "%s is only written by the function; const or inout before "
                             "its type gives it values",
                             taken->name)
               : 0;
}

int maker_finish(struct reader *reader, uint32_t i)
{
    struct declared_argument *const argument = &reader->declaration->argument[i];
    int status = 0;
    for (uint32_t m = 0; m < argument->n_made && status == 0; m++) {
        const struct token *const token = &reader->token[argument->made[m].integer.n];
        const bool first = m < argument->step[0].n;
        status = finish_made(reader, i, first, &argument->made[m]);
        if (status == 0 && first && argument->step[0].bytes)
            status = finish_member(reader, reader->later[i].specifier.known, token, m,
                                   &argument->made[m]);
        if (status == 0 && argument->kind == ARGUMENT_ARRAY)
            status = check_filler(reader, token, &argument->made[m]);
    }
    return status;
}

/* ---- their order ---- */

enum { UNSEEN, OPEN, DONE };

/* Objects that another one's makers take are made before it. */
static int visit(struct reader *reader, uint32_t i, unsigned char state[DECLARED_MAX])
{
    struct declaration *const declaration = reader->declaration;
    const struct declared_argument *const argument = &declaration->argument[i];
    int status = 0;
    if (state[i] == OPEN)
        return reader_fail(reader, &reader->token[reader->later[i].name],
                           "%s is made from itself", argument->name);
    if (state[i] == DONE || argument->kind != ARGUMENT_OPAQUE)
        return 0;
    state[i] = OPEN;
    for (uint32_t m = 0; m < argument->n_made && status == 0; m++)
        if (argument->made[m].kind == ARGUMENT_OPAQUE && argument->made[m].argument != i)
            status = visit(reader, argument->made[m].argument, state);
    state[i] = DONE;
    declaration->object[declaration->n_objects++] = i;
    return status;
}

/* An object behind `for` that nothing is made from: its makers set the library up. */
static bool nobody_takes(const struct declaration *declaration, uint32_t object)
{
    bool taken = object < declaration->n_passed;
    for (uint32_t i = 0; i < declaration->n; i++)
        FOR_EACH (const struct made_argument, made, declaration->argument[i].made,
                  declaration->argument[i].n_made)
            taken |=
                i != object && made->kind == ARGUMENT_OPAQUE && made->argument == object;
    return !taken;
}

int makers_order(struct reader *reader)
{
    unsigned char state[DECLARED_MAX] = {UNSEEN};
    const uint32_t n = reader->declaration->n;
    int status = 0;
    for (uint32_t i = 0; i < 2 * n && status == 0; i++)
        if (i >= n || nobody_takes(reader->declaration, i))
            status = visit(reader, i % n, state);
    return status;
}
