/* SPDX-License-Identifier: Apache-2.0 */
/* Types of one word: C's, those of stdint.h, short ones, and those of known headers. */
#include <ctype.h>
#include <strings.h>

#include "declare_private.h"
#include "word_distance.h"

/* Types of one word: C's, short ones, and those that headers of libraries name. */
static const struct {
    enum ctype type;
    const char *words;
} types[] = {
    {CTYPE_VOID, "void"},
    {CTYPE_BOOL, "bool _Bool"},
    {CTYPE_BYTES, "bytes"},
    {CTYPE_F16, "f16 _Float16 __fp16 float16_t"},
    {CTYPE_BF16, "bf16 __bf16 bfloat16_t bfloat16"},
    {CTYPE_F32, "f32 float float32_t gfloat smpl_t _Float32 GLfloat FLAC__real "
                "cmsFloat32Number Ipp32f"},
    {CTYPE_F64,
     "f64 double float64_t gdouble _Float64 _Float32x GLdouble cmsFloat64Number Ipp64f"},
    {CTYPE_I8, "i8 int8_t int_fast8_t gchar gint8 UBool __s8 s8 GLbyte"},
    {CTYPE_U8,
     "u8 uint8_t uint_fast8_t char8_t uchar u_char u_int8_t byte Byte Bytef BYTE U8 "
     "__u8 guchar guint8 png_byte JSAMPLE JOCTET lzo_byte GLubyte GLboolean xmlChar "
     "OnigUChar "
     "FLAC__byte cmsUInt8Number Ipp8u __mmask8"},
    {CTYPE_I16, "i16 int16_t s16 gint16 JCOEF png_int_16 GLshort __s16 Ipp16s"},
    {CTYPE_U16, "u16 uint16_t ushort u_short u_int16_t char16_t UChar U16 guint16 __u16 "
                "png_uint_16 GLushort GLhalf cmsUInt16Number Ipp16u __mmask16"},
    {CTYPE_I32,
     "i32 int32_t s32 gboolean gint gint32 wchar_t lapack_int blasint CBLAS_INT "
     "BROTLI_BOOL UErrorCode UChar32 png_int_32 GLint GLsizei pixman_bool_t "
     "pixman_fixed_t cmsInt32Number cmsBool __s32 FLAC__bool Ipp32s pid_t "
     "lapack_logical saidx_t saint_t"},
    {CTYPE_U32,
     "u32 uint32_t uint u_int u_int32_t char32_t uInt U32 XXH32_hash_t guint guint32 "
     "gunichar png_uint_32 JDIMENSION GLuint GLenum gpg_error_t gcry_error_t word32 "
     "cmsUInt32Number __u32 Ipp32u __mmask32 socklen_t wint_t mode_t"},
    {CTYPE_I64,
     "i64 int64_t s64 ssize_t ptrdiff_t intptr_t int_fast16_t int_fast32_t "
     "int_fast64_t intmax_t off_t z_off_t glong time_t gssize gint64 mp_size_t slong "
     "fmpz "
     "sf_count_t tmsize_t FT_Long FT_Fixed FT_Angle FT_Pos dim_t inc_t npy_intp "
     "clock_t suseconds_t __s64"},
    {CTYPE_U64,
     "u64 uint64_t size_t uintptr_t uint_fast16_t uint_fast32_t uint_fast64_t "
     "uintmax_t ulong gulong u_long u_int64_t uLong uLongf z_size_t U64 XXH64_hash_t "
     "gsize guint64 mp_limb_t mp_bitcnt_t lzma_vli CBLAS_INDEX lzo_uint png_size_t "
     "word64 __u64 GrB_Index PCRE2_SIZE __mmask64"},
};

/* Names of pointers, whose headers hide the '*'. */
static const struct {
    enum ctype type;
    bool is_const;
    unsigned pointers;
    const char *words;
} pointer_types[] = {
    {CTYPE_VOID, false, 1, "gpointer voidp voidpf png_voidp lzo_voidp FT_Pointer"},
    {CTYPE_VOID, true, 1, "gconstpointer voidpc png_const_voidp"},
    {CTYPE_U8, false, 1, "png_bytep JSAMPROW lzo_bytep"},
    {CTYPE_U8, true, 1, "png_const_bytep"},
    {CTYPE_U8, false, 2, "png_bytepp JSAMPARRAY"},
    {CTYPE_I8, false, 1, "png_charp"},
    {CTYPE_I8, true, 1, "png_const_charp"},
    {CTYPE_U16, false, 1, "png_uint_16p"},
    {CTYPE_U16, true, 1, "png_const_uint_16p"},
    {CTYPE_U64, false, 1, "mp_ptr"},
    {CTYPE_U64, true, 1, "mp_srcptr"},
};

static bool find_type(const struct token *word, enum ctype *type)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (token_among(word, types[i].words)) {
            *type = types[i].type;
            return true;
        }
    return false;
}

bool pointer_type(const struct token *token, struct specifier *specifier)
{
    for (size_t i = 0; i < ARRAY_LEN(pointer_types); i++) {
        if (!token_among(token, pointer_types[i].words))
            continue;
        if (specifier) {
            specifier->type = pointer_types[i].type;
            specifier->is_const |= pointer_types[i].is_const;
            specifier->pointers += pointer_types[i].pointers;
            specifier->named_pointers += pointer_types[i].pointers;
        }
        return true;
    }
    return false;
}

static bool names_vector(const struct token *word)
{
    static const char *const begins[] = {"v_",    "vx_", "vec_", "vector_",
                                         "simd_", "cl_", "sycl_"};
    const char *const colon = memrchr(word->at, ':', word->n);
    const char *const at = colon ? colon + 1 : word->at;
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(begins); i++)
        found |= !strncmp(at, begins[i], strlen(begins[i]));
    return found;
}

/* The words of a name that tell its bits: UINT8, OPJ_INT32, utf8proc_int32_t. */
static bool sized_type(const struct token *word, enum ctype *type)
{
    static const struct {
        const char *name;
        enum ctype type;
    } names[] = {{"int8", CTYPE_I8},     {"uint8", CTYPE_U8},   {"int16", CTYPE_I16},
                 {"uint16", CTYPE_U16},  {"int32", CTYPE_I32},  {"uint32", CTYPE_U32},
                 {"int64", CTYPE_I64},   {"uint64", CTYPE_U64}, {"float32", CTYPE_F32},
                 {"float64", CTYPE_F64}, {"size_t", CTYPE_U64}, {"ssize_t", CTYPE_I64}};
    for (size_t i = 0; i < ARRAY_LEN(names) && !names_vector(word); i++) {
        const size_t n = strlen(names[i].name);
        size_t end = word->n;
        if (i < ARRAY_LEN(names) - 2 && end > n && !strncmp(&word->at[end - 2], "_t", 2))
            end -= 2;
        if (end < n || strncasecmp(&word->at[end - n], names[i].name, n) != 0 ||
            (end > n && word->at[end - n - 1] != '_'))
            continue;
        *type = names[i].type;
        return true;
    }
    return false;
}

bool word_type(const struct token *token, enum ctype *type)
{
    static const enum ctype keyword_types[] = {(char)-1 < 0 ? CTYPE_I8 : CTYPE_U8,
                                               CTYPE_I16, CTYPE_I32, CTYPE_I64};
    static const char *const names[] = {"char", "short", "int", "long"};
    if (token->kind != TOKEN_WORD)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (token_is(token, names[i])) {
            *type = keyword_types[i];
            return true;
        }
    struct token bare = *token;
    if (bare.n > 5 && !strncmp(bare.at, "std::", 5)) {
        bare.at += 5;
        bare.n -= 5;
    }
    return find_type(&bare, type) || sized_type(&bare, type);
}

/* A known type is one typing mistake away, or has a _t more. Short words are near too
 * many; a number at the end makes a vector: float4. */
int type_misspelt(const struct reader *reader, const struct token *token)
{
    const struct word word = token_word(token);
    static const char c_words[] = "char short long signed unsigned";
    const size_t n = strlen(word.text);
    struct word near = {""};
    bool exact = false;
    for (size_t i = 0; i <= ARRAY_LEN(types) && n > 3 && !exact; i++)
        for (const char *at = i < ARRAY_LEN(types) ? types[i].words : c_words;
             *at && !exact; at += strspn(at, " ")) {
            struct word known = {""};
            memcpy(known.text, at, strcspn(at, " "));
            at += strlen(known.text);
            exact = !strncmp(known.text, word.text, n) && !strcmp(known.text + n, "_t");
            if (exact || (!*near.text && !isdigit((unsigned char)word.text[n - 1]) &&
                          word_distance(word.text, known.text) < 2))
                near = known;
        }
    if (*near.text)
        mend_word(reader, token, near.text);
    return *near.text
               ? reader_fail(reader, token, "unknown type; did you mean %s?", near.text)
               : 0;
}
