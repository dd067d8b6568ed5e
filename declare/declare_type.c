/* SPDX-License-Identifier: Apache-2.0 */
/* Types in front of a name: C's words, those of stdint.h, and short ones. */
#include <errno.h>
#include <string.h>

#include "declare_private.h"

/* Types of one word. */
static const struct {
    const char *word;
    enum ctype type;
} types[] = {
    {"void", CTYPE_VOID},
    {"float", CTYPE_F32},
    {"double", CTYPE_F64},
    {"_Float16", CTYPE_F16},
    {"__fp16", CTYPE_F16},
    {"__bf16", CTYPE_BF16},
    {"bool", CTYPE_BOOL},
    {"_Bool", CTYPE_BOOL},
    {"int8_t", CTYPE_I8},
    {"uint8_t", CTYPE_U8},
    {"int16_t", CTYPE_I16},
    {"uint16_t", CTYPE_U16},
    {"int32_t", CTYPE_I32},
    {"uint32_t", CTYPE_U32},
    {"int64_t", CTYPE_I64},
    {"uint64_t", CTYPE_U64},
    {"size_t", CTYPE_U64},
    {"ssize_t", CTYPE_I64},
    {"ptrdiff_t", CTYPE_I64},
    {"intptr_t", CTYPE_I64},
    {"uintptr_t", CTYPE_U64},
    {"uint", CTYPE_U32},
    {"i8", CTYPE_I8},
    {"u8", CTYPE_U8},
    {"i16", CTYPE_I16},
    {"u16", CTYPE_U16},
    {"i32", CTYPE_I32},
    {"u32", CTYPE_U32},
    {"i64", CTYPE_I64},
    {"u64", CTYPE_U64},
    {"f16", CTYPE_F16},
    {"bf16", CTYPE_BF16},
    {"f32", CTYPE_F32},
    {"f64", CTYPE_F64},
    {"bytes", CTYPE_BYTES},
    /* The rest of the C library's. */
    {"int_fast8_t", CTYPE_I8},
    {"uint_fast8_t", CTYPE_U8},
    {"int_fast16_t", CTYPE_I64},
    {"uint_fast16_t", CTYPE_U64},
    {"int_fast32_t", CTYPE_I64},
    {"uint_fast32_t", CTYPE_U64},
    {"int_fast64_t", CTYPE_I64},
    {"uint_fast64_t", CTYPE_U64},
    {"intmax_t", CTYPE_I64},
    {"uintmax_t", CTYPE_U64},
    {"off_t", CTYPE_I64},
    {"time_t", CTYPE_I64},
    {"wchar_t", CTYPE_I32},
    {"char8_t", CTYPE_U8},
    {"char16_t", CTYPE_U16},
    {"char32_t", CTYPE_U32},
    {"uchar", CTYPE_U8},
    {"ushort", CTYPE_U16},
    {"ulong", CTYPE_U64},
    /* Names in headers of libraries: zlib, lz4 and zstd, xxHash, GLib, GMP, LAPACK,
     * libpng, ICU, Opus, Brotli. */
    {"Byte", CTYPE_U8},
    {"Bytef", CTYPE_U8},
    {"uInt", CTYPE_U32},
    {"uLong", CTYPE_U64},
    {"uLongf", CTYPE_U64},
    {"z_size_t", CTYPE_U64},
    {"BYTE", CTYPE_U8},
    {"U8", CTYPE_U8},
    {"U16", CTYPE_U16},
    {"U32", CTYPE_U32},
    {"U64", CTYPE_U64},
    {"XXH32_hash_t", CTYPE_U32},
    {"XXH64_hash_t", CTYPE_U64},
    {"gboolean", CTYPE_I32},
    {"gchar", CTYPE_I8},
    {"guchar", CTYPE_U8},
    {"gint", CTYPE_I32},
    {"guint", CTYPE_U32},
    {"gsize", CTYPE_U64},
    {"gssize", CTYPE_I64},
    {"gfloat", CTYPE_F32},
    {"gdouble", CTYPE_F64},
    {"gint32", CTYPE_I32},
    {"guint32", CTYPE_U32},
    {"mp_limb_t", CTYPE_U64},
    {"mp_size_t", CTYPE_I64},
    {"lapack_int", CTYPE_I32},
    {"png_byte", CTYPE_U8},
    {"UChar", CTYPE_U16},
    {"UBool", CTYPE_I8},
    {"opus_int16", CTYPE_I16},
    {"opus_int32", CTYPE_I32},
    {"BROTLI_BOOL", CTYPE_I32},
    {"UErrorCode", CTYPE_I32},
    {"UChar32", CTYPE_I32},
    /* Masks of vectors. */
    {"__mmask8", CTYPE_U8},
    {"__mmask16", CTYPE_U16},
    {"__mmask32", CTYPE_U32},
    {"__mmask64", CTYPE_U64},
};

/* Types that no call of this kind can pass; a sentence tells what to do. */
static const struct {
    const char *word, *why;
} refused[] = {
    {"__int128", "is an integer of two registers"},
    {"_Complex", "is a pair of numbers; an array of them has twice as many floats"},
    {"complex", "is a pair of numbers; an array of them has twice as many floats"},
    {"__float128", "is no type of the processor"},
    {"__m64", "is a vector of MMX"},
    {"va_list", "is a list of arguments"},
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

static const char *const ignored[] = {
    "const",    "volatile",   "restrict",      "__restrict", "__restrict__",
    "register", "static",     "inline",        "extern",     "__const",
    "__inline", "__inline__", "__extension__", "constexpr",  "_Noreturn",
    "_Nonnull", "_Nullable",  "__volatile__",
};

bool word_type(const struct token *token, enum ctype *type)
{
    static const struct {
        const char *word;
        enum ctype type;
    } keywords[] = {{"char", (char)-1 < 0 ? CTYPE_I8 : CTYPE_U8},
                    {"short", CTYPE_I16},
                    {"int", CTYPE_I32},
                    {"long", CTYPE_I64}};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (token_is(token, types[i].word)) {
            *type = types[i].type;
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (token_is(token, keywords[i].word)) {
            *type = keywords[i].type;
            return true;
        }
    return false;
}

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

static int read_keywords(struct reader *reader, enum ctype *type)
{
    const struct token *const first = reader_token(reader);
    unsigned count[KEYWORDS] = {0};
    for (int k; (k = keyword(reader_token(reader))) >= 0; reader_next(reader))
        count[k]++;
    if (token_is(reader_token(reader), "double"))
        return reader_fail(reader, first,
                           "long double is a number of the x87; it cannot be passed");
    return combine(reader, first, count, type);
}

/* ---- all of it ---- */

static bool find_named(const struct reader *reader, const struct token *token,
                       enum ctype *type)
{
    for (size_t i = 0; i < reader->n_named; i++)
        if (reader->named[i].word->n == token->n &&
            !strncmp(reader->named[i].word->at, token->at, token->n)) {
            *type = reader->named[i].type;
            return true;
        }
    return false;
}

bool token_is_type(const struct reader *reader, const struct token *token)
{
    static const char *const words[] = {"struct", "union", "enum", "in", "out", "inout"};
    enum ctype type;
    bool found = keyword(token) >= 0 || word_type(token, &type) ||
                 find_named(reader, token, &type);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        found |= token_is(token, words[i]);
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
        found |= token_is(token, vectors[i].word);
    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        found |= token_is(token, refused[i].word);
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        found |= token_is(token, ignored[i]);
    return found;
}

static bool take_ignored(struct reader *reader, bool *is_const)
{
    const struct token *const token = reader_token(reader);
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        if (token_is(token, ignored[i])) {
            *is_const |= token_is(token, "const") || token_is(token, "__const");
            reader_next(reader);
            return true;
        }
    return false;
}

static bool take_role(struct reader *reader, enum argument_role *role)
{
    static const char *const words[] = {
        [ARGUMENT_IN] = "in", [ARGUMENT_OUT] = "out", [ARGUMENT_INOUT] = "inout"};
    for (enum argument_role r = ARGUMENT_IN; r <= ARGUMENT_INOUT; r++)
        if (!*role && reader_take(reader, words[r])) {
            *role = r;
            return true;
        }
    return false;
}

static int refuse(const struct reader *reader, const struct token *token)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        if (token_is(token, refused[i].word))
            return reader_fail(reader, token, "%s %s; it cannot be passed",
                               refused[i].word, refused[i].why);
    return 0;
}

/* struct, union or enum, and its name; or the one word that is left for a type. */
static int read_type(struct reader *reader, struct specifier *specifier)
{
    const struct token *const token = specifier->word = reader_token(reader);
    if (token->kind != TOKEN_WORD)
        return reader_fail(reader, token, "expected a type");
    if (keyword(token) >= 0)
        return read_keywords(reader, &specifier->type);
    reader_next(reader);
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
        if (token_is(token, vectors[i].word)) {
            specifier->type = vectors[i].type;
            specifier->vector = vectors[i].bytes;
            return 0;
        }
    if (word_type(token, &specifier->type) || find_named(reader, token, &specifier->type))
        return 0;
    specifier->is_unknown = true;
    if (token_is(token, "struct") || token_is(token, "union")) {
        specifier->is_structure = true;
        specifier->word = reader_next(reader);
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

int specifier_read(struct reader *reader, struct specifier *specifier)
{
    bool of_pointer = false;
    *specifier = (struct specifier){.type = CTYPE_VOID};
    while (take_ignored(reader, &specifier->is_const) ||
           take_role(reader, &specifier->role) ||
           (macro_before_type(reader) && reader_next(reader)))
        ;
    int status = read_type(reader, specifier);
    const bool real = ctype_is_float(specifier->type);
    if (status == 0 && (token_is(reader_token(reader), "_Complex") ||
                        (real && token_is(reader_token(reader), "complex"))))
        status = refuse(reader, reader_token(reader));
    while (status == 0 && (take_ignored(reader, &specifier->is_const) ||
                           (macro_behind_type(reader) && reader_next(reader))))
        ;
    specifier->star = reader_token(reader);
    while (status == 0) {
        if (reader_take(reader, "*"))
            specifier->pointers++;
        else if (reader_take(reader, "&"))
            specifier->reference = true;
        else if (macro_behind_type(reader))
            reader_next(reader);
        else if (!take_ignored(reader, &of_pointer))
            break;
    }
    return status;
}

int typedefs_read(struct reader *reader)
{
    int status = 0;
    while (status == 0 && reader_take(reader, "typedef")) {
        struct specifier specifier;
        if (reader->n_named == TYPEDEFS_MAX)
            return reader_fail(reader, reader_token(reader), "more than %d typedefs",
                               TYPEDEFS_MAX);
        status = specifier_read(reader, &specifier);
        if (status == 0 && (specifier.is_unknown || specifier.pointers ||
                            specifier.reference || specifier.vector))
            return reader_fail(
                reader, specifier.word,
                "typedef names numbers alone; for structures write 'bytes', "
                "and '*' stands where the type is used");
        const struct token *const word = reader_next(reader);
        char name[DECLARED_NAME];
        status = status < 0 ? status : token_name(reader, word, name);
        reader->named[reader->n_named++] = (struct named_type){word, specifier.type};
        status = status < 0 ? status : reader_expect(reader, ";", "behind the typedef");
    }
    return status;
}
