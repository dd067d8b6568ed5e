/* SPDX-License-Identifier: Apache-2.0 */
/* Words of headers that say nothing about a call: attributes, and macros whose meaning
 * only their header knows, as XXH_PUBLIC_API, ZEXPORT, __THROW. Those that change a call
 * are refused. */
#include <ctype.h>

#include "declare_private.h"

#define VECTORS "vector_size ext_vector_type "

/* True of a word of an attribute or beside a name, with and without underscores, or a
 * compiler before it: gnu::packed. */
static bool bare_among(const struct token *token, const char *words)
{
    struct token bare = *token;
    const char *const colon = memrchr(bare.at, ':', bare.n);
    bare.n -= colon ? (size_t)(colon + 1 - bare.at) : 0;
    bare.at = colon ? colon + 1 : bare.at;
    while (bare.n > 2 && bare.at[0] == '_') {
        bare.at++;
        bare.n--;
    }
    while (bare.n > 2 && bare.at[bare.n - 1] == '_')
        bare.n--;
    return token->kind == TOKEN_WORD && token_among(&bare, words);
}

static bool changes_call(const struct token *token)
{
    static const char words[] = VECTORS
        "ms_abi stdcall fastcall thiscall vectorcall regcall regparm preserve_all mode "
        "sseregparm preserve_most interrupt pass_object_size transparent_union WINAPI "
        "EFIAPI STDCALL preserve_none swiftcall swiftasynccall pascal aarch64_vector_pcs "
        "no_callee_saved_registers no_caller_saved_registers";
    return bare_among(token, words);
}

/* True of a word that moves members of structures. */
static bool changes_layout(const struct token *token)
{
    return bare_among(token, "packed aligned align alignas Alignas ms_struct gcc_struct "
                             "scalar_storage_order no_unique_address");
}

/* Index behind the bracket that closes the one at `open`; `open` itself if none does. */
static size_t behind_group(const struct reader *reader, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; reader->token[i].kind != TOKEN_END; i++) {
        const char sign =
            reader->token[i].kind == TOKEN_SIGN ? reader->token[i].at[0] : ' ';
        depth += sign == '(' || sign == '[';
        depth -= (sign == ')' || sign == ']') && depth;
        if (!depth)
            return i + (i > open);
    }
    return open;
}

/* The number of tokens at `i` that are an attribute. */
static size_t attribute_at(const struct reader *reader, size_t i)
{
    static const char words[] =
        "__attribute__ __attribute __declspec __asm__ __asm asm _Alignas alignas";
    const struct token *const token = &reader->token[i];
    if (token_among(token, words) && token_is(token + 1, "("))
        return behind_group(reader, i + 1) - i;
    if (token_is(token, "[") && token_is(token + 1, "["))
        return behind_group(reader, i) - i;
    return token_is(token, "extern") && token[1].kind == TOKEN_TEXT ? 2 : 0;
}

/* Such a word may be a name outside of attributes, unless it looks as if it were none. */
static int check_word(const struct reader *reader, const struct token *token,
                      bool in_attribute)
{
    const bool has_class = memchr(token->at, ':', token->n); /* Handler::interrupt */
    const bool is_odd = token->at[0] == '_' || isupper((unsigned char)token->at[0]);
    return changes_call(token) && (in_attribute || (is_odd && !has_class))
               ? reader_fail(reader, token, "%s changes how a function is called; %s",
                             token_word(token).text,
                             bare_among(token, VECTORS)
                                 ? "write the type of a vector in a register: __m128, "
                                   "__m256d, __m512i"
                                 : "such functions cannot be called")
               : 0;
}

int attributes_drop(struct reader *reader)
{
    size_t n = 0;
    int status = 0;
    bool moved = false;
    for (size_t i = 0, next; i < reader->n && status == 0; i = next) {
        const size_t dropped = attribute_at(reader, i);
        next = i + (dropped ? dropped : 1);
        for (size_t k = i; k < next && status == 0; k++) {
            moved |= dropped && changes_layout(&reader->token[k]);
            status = check_word(reader, &reader->token[k], dropped);
        }
        if (dropped)
            continue;
        reader->token[n] = reader->token[i];
        reader->token[n++].moved = moved;
        moved = false;
    }
    reader->n = n;
    return status;
}

static bool is_capital(const struct token *token)
{
    bool capital = token->kind == TOKEN_WORD;
    for (size_t i = 0; i < token->n; i++)
        capital &= !islower((unsigned char)token->at[i]);
    return capital;
}

/* Capitals alone or an underscore inside, as macros are written. */
static bool looks_like_macro(const struct token *token)
{
    return token->kind == TOKEN_WORD &&
           ((token->n > 1 && is_capital(token)) || memchr(token->at, '_', token->n));
}

/* Not the type in "state_t const *s" and "state_t LIB_CALL f(". */
bool macro_before_type(const struct reader *reader)
{
    const struct token *const token = reader_token(reader);
    if (token->kind == TOKEN_WORD && !is_capital(token) && is_capital(token + 1) &&
        token[2].kind == TOKEN_WORD && token_is(token + 3, "(") &&
        !token_is_type(reader, token + 1))
        return false;
    return looks_like_macro(token) && !token_is_type(reader, token) &&
           token[1].kind == TOKEN_WORD &&
           (token[2].kind == TOKEN_WORD || !token_is(token + 1, "const")) &&
           (token_is_type(reader, token + 1) || token[2].kind == TOKEN_WORD ||
            token_is(token + 2, "*"));
}

bool macro_behind_type(const struct reader *reader)
{
    const struct token *const token = reader_token(reader);
    return looks_like_macro(token) && !token_is_type(reader, token) &&
           !(token_is(token + 1, "free") && token[2].kind == TOKEN_WORD) &&
           (token[1].kind == TOKEN_WORD || token_is(token + 1, "*"));
}

void macros_skip(struct reader *reader)
{
    while (token_among(reader_token(reader), "const noexcept override throw") ||
           looks_like_macro(reader_token(reader))) {
        reader->at++;
        if (token_is(reader_token(reader), "("))
            reader->at = behind_group(reader, reader->at);
        if (token_is(reader_token(reader), "("))
            break;
    }
}

bool macro_of_type(struct reader *reader)
{
    const size_t at = reader->at;
    const struct token *const token = &reader->token[at];
    if (!looks_like_macro(token) || token_is_type(reader, token) ||
        !token_is(token + 1, "("))
        return false;
    const size_t end = behind_group(reader, at + 1);
    const bool one = end > at + 3 && end <= at + 6 &&
                     reader->token[end].kind == TOKEN_WORD &&
                     token_is(&reader->token[end + 1], "(");
    if (one) { /* the type alone is left: LZO_EXTERN(int) */
        memmove(&reader->token[end - 1], &reader->token[end],
                (reader->n - end) * sizeof *token);
        reader->n--;
        reader->at += 2;
    }
    return one;
}
