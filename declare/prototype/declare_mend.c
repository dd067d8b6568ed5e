/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a prototype where the reader fails, as names and types suggest them. */
#include <ctype.h>

#include "declare_private.h"

void reader_mend(const struct reader *reader, const char *at, size_t dropped,
                 const char *format, ...)
{
    struct mends *const mends = reader->mends;
    va_list arguments;
    if (!mends)
        return;
    mends->n = mends->due ? mends->n : 0;
    mends->due = true;
    if (mends->n == ARRAY_LEN(mends->mend))
        return;
    struct mend *const mend = &mends->mend[mends->n++];
    mend->at = at;
    mend->dropped = dropped;
    va_start(arguments, format);
    vsnprintf(mend->text, sizeof mend->text, format, arguments);
    va_end(arguments);
}

void mend_word(const struct reader *reader, const struct token *token, const char *word)
{
    if (reader->mends)
        reader->mends->due = false; /* another one took it for a name */
    reader_mend(reader, token->at, token->n, "%s", word);
}

bool mend_real(const struct reader *reader, const struct token *word)
{
    const struct word type = token_word(word);
    const bool real = name_has(type.text, "real double scalar float");
    if (real)
        mend_word(reader, word, name_has(type.text, "float") ? "float" : "double");
    return real;
}

/* ---- objects ---- */

/* True if the library has functions that make such an object. */
static bool mend_object(const struct reader *reader, const char *at, const char *name,
                        const struct token *type)
{
    const struct word word = token_word(type);
    const char *freer;
    const char *const maker = maker_near(reader, word.text, &freer);
    if (token_is(type, "FILE"))
        reader_mend(reader, at, 0, " = from fopen(\"/dev/null\", \"r+\") free fclose");
    else if (maker && name_has(maker, "init") && name_has(word.text, "ctx context state"))
        reader_mend(reader, at, 0, " = from calloc(1, 4096) then %s(%s) free free", maker,
                    name);
    else if (maker)
        reader_mend(reader, at, 0, " = from %s()%s%s", maker, freer ? " free " : "",
                    freer ? freer : "");
    return maker || token_is(type, "FILE");
}

/* ---- arguments ---- */

static bool is_named(const struct reader *reader, uint32_t i)
{
    return reader->token[reader->later[i].name].kind == TOKEN_WORD;
}

/* The place behind an argument's name; of one without a name that of its name, which
 * `blank` parts from its type. */
static const char *behind_name(const struct reader *reader, uint32_t i,
                               const char **blank)
{
    const struct token *const name = &reader->token[reader->later[i].name];
    const bool named = is_named(reader, i);
    const bool parted = name > reader->token && token_is(name - 1, "*") &&
                        name[-1].at > reader->text && name[-1].at[-1] == ' ';
    *blank = named || parted ? "" : " ";
    return named ? name->at + name->n : name->at;
}

/* The place of its first word, also if that is a name that a typedef explains. */
static const char *begin_of(const struct reader *reader, uint32_t i)
{
    const char *const behind = reader->token[reader->later[i].type - 1].at + 1; /* ( , */
    return behind + (*behind == ' ');
}

/* The star of `const float *x`, which its extents stand for. */
static void drop_star(const struct reader *reader, uint32_t i)
{
    const struct token *const star = reader->later[i].specifier.star;
    const char *const name = reader->token[reader->later[i].name].at;
    if (star->at < name && token_among(star, "* &") &&
        strcspn(star->at, ",;({") >= (size_t)(name - star->at))
        reader_mend(
            reader, star->at, 1, "%s",
            star->at[1] == ' ' || star->at[-1] == ' ' || !is_named(reader, i) ? "" : " ");
}

static void mend_array(const struct reader *reader, uint32_t i, const char *extent,
                       const char *more)
{
    const char *blank, *const at = behind_name(reader, i, &blank);
    const struct later *const later = &reader->later[i];
    if (later->specifier.known && !later->specifier.is_const && !later->specifier.role)
        reader_mend(reader, begin_of(reader, i), 0, "inout ");
    drop_star(reader, i);
    reader_mend(reader, at, 0, "%s%s[%s]%s", blank,
                is_named(reader, i) ? "" : reader->declaration->argument[i].name, extent,
                more);
}

/* True of the argument that a callback gets: a callback that does nothing needs none. */
static bool is_for_callback(const struct reader *reader, const char *name)
{
    bool callback = false;
    for (size_t t = 0; t + 1 < reader->n; t++)
        callback |=
            token_is(&reader->token[t], "nothing") ||
            (token_is(&reader->token[t], "(") && token_is(&reader->token[t + 1], "*"));
    return name_has(name, "user opaque priv closure cookie") ||
           (callback && name_has(name, "arg data ctx context param thunk"));
}

/* u8 dst[2 * n + 64] length written, size_t *written = 2 * n + 64 */
static void mend_reported(const struct reader *reader, uint32_t i,
                          const struct token *count, const char *near)
{
    char extent[DECLARED_NAME + 16], more[DECLARED_NAME + 16];
    snprintf(extent, sizeof extent, "2 * %s + 64", near);
    snprintf(more, sizeof more, " length %s", token_word(count).text);
    mend_array(reader, i, extent, more);
    reader_mend(reader, count->at + count->n, 0, " = %s", extent);
}

/* An object, or what nothing needs. */
static bool mend_opaque(const struct reader *reader, uint32_t i, const char *at)
{
    const struct specifier *const specifier = &reader->later[i].specifier;
    const char *const name = reader->declaration->argument[i].name;
    const bool any = specifier->type == CTYPE_VOID && !specifier->is_unknown;
    const bool nobody = any && is_for_callback(reader, name);
    const bool settings =
        specifier->is_unknown &&
        name_has(name, specifier->is_const
                           ? "opt conf cfg param pref attr setting dict prop"
                           : "err");
    const bool handle = any && !specifier->is_const &&
                        name_has(name, "ctx context state handle self =h =st =s");
    if ((specifier->is_unknown || handle) && !nobody &&
        mend_object(reader, at, name, specifier->word))
        return true;
    if (nobody || settings)
        reader_mend(reader, at, 0, " = NULL");
    else if (specifier->is_unknown && !specifier->known)
        reader_mend(reader, at, 0, " = from MAKER()");
    return nobody || specifier->is_unknown;
}

void mend_pointer(const struct reader *reader, uint32_t i)
{
    const struct specifier *const specifier = &reader->later[i].specifier;
    const char *const name = reader->declaration->argument[i].name;
    const char *blank, *const at = behind_name(reader, i, &blank);
    struct word near;
    if (!reader->mends)
        return;
    const bool found = extent_near(reader, reader->at, name, &near);
    const struct token *const count = count_behind(reader_token(reader));
    if (specifier->pointers > 1 && specifier->is_const && !specifier->is_unknown)
        reader_mend(reader, at, 0, "%s%s[2][%s]", blank, is_named(reader, i) ? "" : name,
                    near.text);
    else if (specifier->pointers > 1 && count && !specifier->is_unknown)
        reader_mend(reader, at, 0, " free free length %s", token_word(count).text);
    else if (specifier->pointers > 1)
        reader_mend(reader, at, 0, " = 0");
    else if (specifier->named_pointers && specifier->n_names)
        reader_mend(reader, at, 0, " = %s",
                    name_has(name, "cb fn func call pred comp visit hook hand proc")
                        ? "&nothing"
                        : "NULL");
    else if (mend_opaque(reader, i, at))
        return;
    else if (specifier->is_const && specifier->type == CTYPE_I8 &&
             (!found || name_has(name, "format fmt path file locale title label")))
        reader_mend(reader, at, 0, " = \"abc\"");
    else if (!specifier->is_const && !specifier->each &&
             ctype_is_integer(specifier->type))
        return; /* it may be one value: mend_integers() */
    else if (!specifier->is_const && !specifier->each && count)
        mend_reported(reader, i, count, near.text);
    else
        mend_array(reader, i,
                   specifier->known && (!found || specifier->known->bytes > 64)
                       ? "1"
                       : near.text,
                   "");
}

void mend_rows(const struct reader *reader, uint32_t i)
{
    const struct token *const name = &reader->token[reader->later[i].name];
    const struct token *const open = name - 2, *const close = reader_token(reader) - 1;
    struct word near;
    if (!reader->mends || name->kind != TOKEN_WORD || !token_is(open, "("))
        return;
    extent_near(reader, reader->at, token_word(name).text, &near);
    reader_mend(reader, open->at, (size_t)(close->at + 1 - open->at), "%s[%s]",
                token_word(name).text, near.text);
}

void mend_integers(const struct reader *reader, uint32_t i)
{
    const char *const name = reader->declaration->argument[i].name;
    const size_t at = reader->later[i].name;
    const struct token *const comma =
        &reader->token[at + (reader->token[at].kind == TOKEN_WORD)];
    const char *blank, *const end = behind_name(reader, i, &blank);
    struct word near;
    if (!reader->mends)
        return;
    const bool found = extent_near(reader, at, name, &near);
    const bool bytes = ctype_bytes(reader->declaration->argument[i].type) == 1;
    const struct token *const count = count_behind(comma);
    if (count && !name_counts(name))
        mend_reported(reader, i, count, near.text);
    else if ((!found && !bytes) ||
             name_has(name, "^n_ len size count num written info err status error rc pos "
                            "offset first last ret"))
        reader_mend(reader, end, 0, " = 0");
    else
        mend_array(reader, i, near.text, "");
}

/* A structure, or a complex number as one; false: its members are not known. */
static bool find_structure(const struct specifier *specifier, struct structure *found)
{
    const uint32_t size = (uint32_t)ctype_bytes(specifier->type);
    if (specifier->known)
        *found = *specifier->known;
    else
        *found =
            (struct structure){.bytes = specifier->each * size,
                               .each = specifier->each,
                               .type = specifier->type,
                               .n_members = 2,
                               .member = {{0, specifier->type}, {size, specifier->type}}};
    return found->bytes && found->type != CTYPE_VOID && found->n_members < MADE_MAX;
}

/* The type in whose place 8 bytes of it are passed. */
static const char *eighth_type(const struct structure *of, uint32_t at)
{
    bool whole = false, wide = false, pointer = false;
    for (uint32_t m = 0; m < of->n_members; m++)
        if (of->member[m].offset / 8 == at / 8) {
            pointer |= of->member[m].type == CTYPE_POINTER;
            whole |= !ctype_is_float(of->member[m].type);
            wide |= of->member[m].type == CTYPE_F64;
        }
    return pointer ? "const uint8_t" : whole ? "int64_t" : wide ? "double" : "__m128";
}

/* One of up to 16 bytes: an argument for each 8 of them. */
static void mend_structure(const struct reader *reader, uint32_t i)
{
    const struct later *const later = &reader->later[i];
    struct structure of;
    const char *const first = begin_of(reader, i);
    const char *blank, *const end = behind_name(reader, i, &blank);
    const char *const name = reader->declaration->argument[i].name;
    char text[3 * DECLARED_NAME] = "";
    if (!find_structure(&later->specifier, &of) || of.bytes > 16 || first > end)
        return;
    for (uint32_t part = 0; part < of.bytes; part += 8) {
        const char *const type = eighth_type(&of, part);
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s %.40s%s%s", part ? ", " : "", type,
                 name, part ? "_2" : "",
                 *type == 'i'   ? " = 1"
                 : *type == 'd' ? " = 0.5"
                 : *type == 'c' ? "[n]"
                                : "");
    }
    reader_mend(reader, first, (size_t)(end - first), "%s", text);
}

/* Returns the type of the first 8 bytes; a larger structure becomes a first argument. */
void mend_result(const struct reader *reader, const struct specifier *specifier,
                 const char *begin)
{
    const struct token *open = reader_token(reader);
    const struct word type = token_word(specifier->word);
    const size_t length = (size_t)(open->at - begin);
    struct structure of;
    if (!reader->mends || begin > open->at || strpbrk(type.text, ":<"))
        return;
    while (open->kind != TOKEN_END && !token_is(open, "("))
        open++;
    if (!specifier->is_structure && !specifier->each) {
        if (!mend_real(reader, specifier->word))
            reader_mend(reader, specifier->word->at, 0, "enum ");
    } else if (!find_structure(specifier, &of))
        return;
    else if (of.bytes <= 16)
        reader_mend(reader, begin, length, "%s ",
                    strchr("ci", *eighth_type(&of, 0)) ? "int64_t" : "double");
    else if (open->kind != TOKEN_END) {
        const bool none = token_is(open + 1, "void") && token_is(open + 2, ")");
        const bool last = none || token_is(open + 1, ")");
        reader_mend(reader, begin, length, "void ");
        reader_mend(reader, open->at + 1, none ? 4 : 0, "bytes result[%u]%s", of.bytes,
                    last ? "" : ", ");
    }
}

/* A word that is no type, before a value. */
static void mend_unknown(const struct reader *reader, uint32_t i, const char *at)
{
    const struct token *const word = reader->later[i].specifier.word;
    const struct word type = token_word(word);
    const bool valued = token_is(reader_token(reader), "=");
    if (strpbrk(type.text, ":<") || token_is(word + 1, "<"))
        return;
    if (valued)
        reader_mend(reader, word->at, 0, "enum ");
    else if (name_has(type.text, "callback _cb _fn func proc handler hook"))
        reader_mend(reader, at, 0, " = &nothing");
    else if (mend_real(reader, word))
        return;
    else if (name_has(type.text, "int word size len count num"))
        mend_word(reader, word,
                  name_has(type.text, "32")               ? "uint32_t"
                  : name_has(type.text, "16")             ? "uint16_t"
                  : name_has(type.text, "size len count") ? "size_t"
                                                          : "int");
    else if (mend_object(reader, at, reader->declaration->argument[i].name, word))
        return;
    else if (name_has(type.text, "handle context ctx"))
        reader_mend(reader, at, 0, " = from MAKER()");
    else {
        reader_mend(reader, word->at, 0, "enum ");
        reader_mend(reader, at, 0, " = 0");
    }
}

void mend_value(const struct reader *reader, uint32_t i)
{
    const struct specifier *const specifier = &reader->later[i].specifier;
    const char *blank, *const at = behind_name(reader, i, &blank);
    const bool valued = token_is(reader_token(reader), "=");
    if (!reader->mends)
        return;
    if (specifier->is_structure || specifier->each)
        mend_structure(reader, i);
    else if (specifier->is_unknown)
        mend_unknown(reader, i, at);
    else if (valued || ctype_is_integer(specifier->type))
        return;
    else if (specifier->type == CTYPE_BOOL)
        reader_mend(reader, at, 0, " = true");
    else if (specifier->reference && !specifier->is_const)
        mend_array(reader, i, "1", "");
    else if (ctype_is_float(specifier->type))
        reader_mend(reader, at, 0, " = 0.5");
}

/* Constants of headers have capitals. */
void mend_dimension(const struct reader *reader, const struct token *name)
{
    const struct token *end = &reader->token[reader->n - 1];
    const struct word word = token_word(name);
    bool told = false, plain_word = false;
    if (!reader->mends || name->kind != TOKEN_WORD)
        return;
    for (const struct token *token = reader->token; token < end; token++)
        told |= token_is(token, "for");
    for (size_t i = 0; word.text[i]; i++)
        plain_word |= islower((unsigned char)word.text[i]);
    end -= end > reader->token && token_is(end - 1, ";");
    if (plain_word)
        reader_mend(reader, end->at, 0, "%s %s", told ? "," : " for", word.text);
}
