/* SPDX-License-Identifier: Apache-2.0 */
/* Types in front of a name. */
#include <strings.h>

#include "declare_private.h"

/* Pairs of numbers, of arrays alone. */
static const struct {
    enum ctype type;
    const char *words;
} pairs[] = {
    {CTYPE_F32,
     "fftwf_complex lapack_complex_float lv_32fc_t gsl_complex_float scomplex cfloat"},
    {CTYPE_F64,
     "fftw_complex lapack_complex_double lv_64fc_t gsl_complex dcomplex cdouble"},
    {CTYPE_I8, "lv_8sc_t"},
    {CTYPE_I16, "lv_16sc_t"},
    {CTYPE_I32, "lv_32sc_t"},
};

/* Types that no call of this kind can pass; a sentence tells what to do. */
static const struct {
    const char *word, *why;
} refused[] = {
    {"__int128", "is passed as two integers: int64_t low = 1, int64_t high = 0"},
    {"__float128", "is passed as a vector is: write __m128i"},
    {"_Float128", "is passed as a vector is: write __m128i"},
    {"__m64", "is passed as a double is: write double"},
    {"va_list", "cannot be passed; measure the function that has '...' in its place"},
};

/* Vectors that are passed in a register. */
static const struct {
    const char *word;
    enum ctype type;
    uint32_t bytes;
} vectors[] = {
    {"__m128", CTYPE_F32, 16}, {"__m128d", CTYPE_F64, 16}, {"__m128i", CTYPE_BYTES, 16},
    {"__m256", CTYPE_F32, 32}, {"__m256d", CTYPE_F64, 32}, {"__m256i", CTYPE_BYTES, 32},
    {"__m512", CTYPE_F32, 64}, {"__m512d", CTYPE_F64, 64}, {"__m512i", CTYPE_BYTES, 64},
};

static const char ignored[] =
    "const volatile restrict __restrict __restrict__ register static inline extern "
    "__const __inline __inline__ __extension__ constexpr _Noreturn _Nonnull _Nullable "
    "__volatile__";

/* ---- words of C that are combined: unsigned long int ---- */

enum { SIGNED, UNSIGNED, CHAR, SHORT, INT, LONG, KEYWORDS };
static const char *const keywords[KEYWORDS] = {"signed", "unsigned", "char",
                                               "short",  "int",      "long"};

static int keyword(const struct token *token)
{
    for (int i = 0; i < KEYWORDS; i++)
        if (token_is(token, keywords[i]))
            return i;
    return -1;
}

static int combine(const struct reader *reader, const struct token *first,
                   const unsigned count[KEYWORDS], enum ctype *type)
{
    const bool plain = count[CHAR] + count[SHORT] + !!count[LONG] <= 1 &&
                       count[INT] <= 1 && !(count[CHAR] && count[INT]) &&
                       count[SIGNED] + count[UNSIGNED] <= 1 && count[LONG] <= 2;
    const enum ctype size = count[CHAR]    ? CTYPE_I8
                            : count[SHORT] ? CTYPE_I16
                            : count[LONG]  ? CTYPE_I64
                                           : CTYPE_I32;
    if (!plain)
        return reader_fail(reader, first, "C has no such type");
    *type = count[UNSIGNED] ? size + 1 : size;
    if (count[CHAR] && !count[SIGNED] && !count[UNSIGNED] && (char)-1 > 0)
        *type = CTYPE_U8;
    return 0;
}

#define LONG_DOUBLE                                                                   \
    "long double is a number of the x87; it cannot be passed; write a function that " \
    "calls this one and takes double"

static int read_keywords(struct reader *reader, enum ctype *type)
{
    const struct token *const first = reader_token(reader);
    unsigned count[KEYWORDS] = {0};
    for (int k; (k = keyword(reader_token(reader))) >= 0; reader_next(reader))
        count[k]++;
    if (token_is(reader_token(reader), "double"))
        return reader_fail(reader, first, LONG_DOUBLE);
    return combine(reader, first, count, type);
}

/* ---- all of it ---- */

/* Not the name in "uuid_t out". */
static bool is_role(const struct token *token)
{
    return (token_is(token, "in") || token_is(token, "out") ||
            token_is(token, "inout")) &&
           token[1].kind == TOKEN_WORD;
}

bool token_is_type(const struct reader *reader, const struct token *token)
{
    enum ctype type;
    bool found = keyword(token) >= 0 || word_type(token, &type) ||
                 pointer_type(token, NULL) || typedef_find(reader, token) ||
                 is_role(token) ||
                 token_among(token, "struct union enum _Complex std::complex") ||
                 token_among(token, ignored);
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        found |= token_among(token, pairs[i].words);
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
        found |= token_is(token, vectors[i].word);
    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        found |= token_is(token, refused[i].word);
    return found;
}

bool qualifier_take(struct reader *reader, bool *is_const)
{
    const struct token *const token = reader_token(reader);
    if (!token_among(token, ignored))
        return false;
    *is_const |= token_among(token, "const __const");
    reader_next(reader);
    return true;
}

static bool take_role(struct reader *reader, enum argument_role *role)
{
    static const char *const words[] = {
        [ARGUMENT_IN] = "in", [ARGUMENT_OUT] = "out", [ARGUMENT_INOUT] = "inout"};
    const bool before = is_role(reader_token(reader));
    for (enum argument_role r = ARGUMENT_IN; r <= ARGUMENT_INOUT; r++)
        if (!*role && before && reader_take(reader, words[r])) {
            *role = r;
            return true;
        }
    return false;
}

static int refuse(const struct reader *reader, const struct token *token)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        if (token_is(token, refused[i].word))
            return reader_fail(reader, token, "%s %s", refused[i].word, refused[i].why);
    return 0;
}

/* float _Complex, complex float, std::complex<float>, fftwf_complex */
static bool take_pair(struct reader *reader, enum ctype *type)
{
    const struct token *const token = reader_token(reader);
    const bool std = token_is(token, "std::complex") && token_is(token + 1, "<") &&
                     token_is(token + 3, ">");
    const struct token *const first = std ? token + 2 : token;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (token_among(token, pairs[i].words)) {
            *type = pairs[i].type;
            reader_next(reader);
            return true;
        }
    const bool before = token_is(token, "_Complex") || token_is(token, "complex");
    const struct token *const word = first + before;
    if (!token_is(word, "float") && !token_is(word, "double"))
        return false;
    const bool behind = token_is(word + 1, "_Complex") ||
                        (token_is(word + 1, "complex") && !token_is(word + 2, "[") &&
                         !token_is(word + 2, "="));
    if (!std && !before && !behind)
        return false;
    word_type(word, type);
    reader->at += std ? 4 : 2;
    return true;
}

/* struct, union or enum, and its name; or the one word that is left for a type. */
static int read_type(struct reader *reader, struct specifier *specifier)
{
    const struct token *const token = specifier->word = reader_token(reader);
    if (token->kind != TOKEN_WORD)
        return reader_fail(reader, token, "expected a type");
    specifier->each = take_pair(reader, &specifier->type) ? 2 : 0;
    if (specifier->each)
        return 0;
    if (keyword(token) >= 0)
        return read_keywords(reader, &specifier->type);
    reader_next(reader);
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
        if (token_is(token, vectors[i].word)) {
            specifier->type = vectors[i].type;
            specifier->vector = vectors[i].bytes;
            return 0;
        }
    if (word_type(token, &specifier->type) || pointer_type(token, specifier))
        return 0;
    specifier->is_unknown = true;
    const bool tag = token_is(token, "struct") || token_is(token, "union");
    if (tag || structure_find(reader, token)) { /* C++ needs no `struct` */
        specifier->is_structure = true;
        specifier->word = tag ? reader_next(reader) : token;
        const struct structure *const known = specifier->known =
            structure_find(reader, specifier->word);
        if (known && known->type != CTYPE_VOID) {
            specifier->is_unknown = false;
            specifier->type = known->type;
            specifier->each = known->each;
            return 0;
        }
    } else if (token_is(token, "enum")) {
        specifier->is_unknown = false;
        specifier->type = CTYPE_I32;
        specifier->word = reader_next(reader);
    }
    if (specifier->word->kind != TOKEN_WORD)
        return reader_fail(reader, specifier->word, "expected a name behind '%s'",
                           token_word(token).text);
    return refuse(reader, token);
}

/* Words of a type behind a type are no name: unsigned __int128, float int. */
static int no_more_words(const struct reader *reader)
{
    const struct token *const token = reader_token(reader);
    if (token_is(token - 1, "double") && token_is(token, "long"))
        return reader_fail(reader, token, LONG_DOUBLE);
    if (keyword(token) >= 0 || token_is(token, "float") || token_is(token, "double"))
        return reader_fail(reader, token, "C has no such type");
    return refuse(reader, token);
}

/* OPENBLAS_CONST and z_const are const where they mean anything. */
static bool take_macro(struct reader *reader, bool is_macro, bool *is_const, bool *moved)
{
    const struct token *const token = reader_token(reader);
    const char *const end = token->at + token->n;
    const bool says_const = is_macro && token->n >= 5 &&
                            !strncasecmp(end - 5, "const", 5) &&
                            (token->n == 5 || end[-6] == '_');
    *is_const |= says_const;
    *moved |= is_macro && !says_const;
    return is_macro && reader_next(reader);
}

int specifier_read(struct reader *reader, struct specifier *specifier)
{
    bool of_pointer = false;
    int status;
    *specifier = (struct specifier){.type = CTYPE_VOID};
    do
        while (qualifier_take(reader, &specifier->is_const) ||
               take_role(reader, &specifier->role) ||
               take_macro(reader, macro_before_type(reader), &specifier->is_const,
                          &specifier->moved))
            ;
    while ((status = typedef_expand(reader, specifier)) > 0);
    status = status < 0 ? status : read_type(reader, specifier);
    while (status == 0 && (qualifier_take(reader, &specifier->is_const) ||
                           take_macro(reader, macro_behind_type(reader),
                                      &specifier->is_const, &specifier->moved)))
        ;
    specifier->star = reader_token(reader);
    while (status == 0) {
        /* A reference to a structure is its address. */
        if (reader_take(reader, "*") ||
            ((specifier->is_unknown || specifier->is_structure) &&
             !token_is(specifier->word, "auto") && reader_take(reader, "&")))
            specifier->pointers++;
        else if (reader_take(reader, "&"))
            specifier->reference = true;
        else if (!take_macro(reader, macro_behind_type(reader), &of_pointer,
                             &specifier->moved) &&
                 !qualifier_take(reader, &of_pointer))
            break;
    }
    return status < 0 || specifier->is_unknown ? status : no_more_words(reader);
}

/* Words of C++ and Rust, and what a prototype in C says in place of them. */
static const struct {
    const char *word, *advice;
} foreign_types[] = {
    {"std::span", "a span is passed as two arguments: float x[n], size_t n"},
    {"std::string_view",
     "libstdc++ passes it as two arguments: size_t n, const char x[n]"},
    {"template", "take one instance of the template, with its types written out; "
                 "simdbench call LIB lists them"},
    {"auto", "write the type that stands for auto"},
    {"fn", "write it as C does: float f(const float x[n], size_t n)"},
};

int type_unknown(const struct reader *reader, const struct specifier *specifier)
{
    const struct token *const token = specifier->word;
    const struct word word = token_word(token);
    for (size_t i = 0; i < ARRAY_LEN(foreign_types); i++)
        if (token_is(token, foreign_types[i].word))
            return reader_fail(reader, token, "%s", foreign_types[i].advice);
    if (token_is(token + 1, "("))
        return reader_fail(reader, token,
                           "%s is no known type; write in C what it stands for, or "
                           "before it what it returns: int f(...)",
                           word.text);
    const bool of_template = token->kind == TOKEN_WORD && token_is(token + 1, "<");
    if (of_template || strstr(word.text, "::"))
        return reader_fail(reader, token,
                           "a class cannot be passed; %smeasure a function extern \"C\" "
                           "that takes what it holds, such as a pointer and a length",
                           of_template ? ""
                                       : "write 'enum' before an enumeration, or the "
                                         "type in C that it stands for; of a class ");
    return type_misspelt(reader, token)
               ?: reader_fail(
                      reader, token,
                      "unknown type; write the type in C that it stands for, for an "
                      "enumeration 'enum' before it, %s, or its header's typedef first: "
                      "typedef ... %s;",
                      reader->declaration->n
                          ? "for a structure by value int64_t or double for each 8 "
                            "bytes, for a pointer '= NULL' or '= from f(...)' behind it"
                          : "for a pointer 'void *', for a structure of up to 16 bytes "
                            "the type of its first 8",
                      word.text);
}
