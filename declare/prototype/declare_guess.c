/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses from names: numbers that count, pointers to objects. */
#include <ctype.h>
#include <strings.h>

#include "declare_private.h"
#include "library_files.h"

/* ---- what names tell ---- */

bool name_has(const char *name, const char *parts)
{
    bool found = false;
    for (const char *at = parts; *at; at += strspn(at, " ")) {
        char part[DECLARED_NAME] = "";
        memcpy(part, at, strcspn(at, " "));
        at += strlen(part);
        found |= part[0] == '='   ? !strcasecmp(name, part + 1)
                 : part[0] == '^' ? !strncasecmp(name, part + 1, strlen(part + 1))
                                  : strcasestr(name, part) != NULL;
    }
    return found;
}

bool name_counts(const char *name)
{
    return name_has(name,
                    "=n =m =k =w =h width height rows col ^ld stride len size count "
                    "num ^nb samples bytes total elem cap "
                    "points written ^n_ _n");
}

bool name_chooses(const char *name)
{
    return !name_counts(name) &&
           name_has(name, "flag mode level type fmt format opt order index idx seed ^inc "
                          "radix base qual method key val =c =ch delim bits shift scale "
                          "version channel verbos window rate");
}

/* The integers that arguments without a value are. */
struct integers {
    unsigned n;
    struct word word[DECLARED_MAX];
    size_t at[DECLARED_MAX];
};

static bool is_wide(const struct token *token)
{
    enum ctype type;
    return token_is(token, "unsigned") ||
           (word_type(token, &type) && ctype_is_integer(type) && ctype_bytes(type) > 1);
}

/* One without a name has that of its place, as the reader gives it. */
static void find_integers(const struct reader *reader, struct integers *found)
{
    int depth = 0;
    unsigned place = 1;
    found->n = 0;
    for (size_t i = reader->later[0].type; i < reader->n && found->n < DECLARED_MAX;
         i++) {
        const struct token *const token = &reader->token[i];
        depth += token_among(token, "( [ {") - token_among(token, ") ] }");
        place += depth == 0 && token_is(token, ",");
        const bool unnamed = is_wide(token);
        if (token->kind != TOKEN_WORD || !token_among(token + 1, ", )") ||
            (unnamed ? depth != 0 : i == reader->later[0].type || !is_wide(token - 1)))
            continue;
        found->word[found->n] = token_word(token);
        if (unnamed)
            snprintf(found->word[found->n].text, sizeof found->word[found->n].text,
                     "arg%u", place);
        found->at[found->n++] = i;
    }
}

static const char *first_with(const struct integers *integers, size_t behind,
                              const char *parts)
{
    for (unsigned i = 0; i < integers->n; i++)
        if (integers->at[i] > behind && name_has(integers->word[i].text, parts))
            return integers->word[i].text;
    return NULL;
}

static bool begin_alike(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && tolower((unsigned char)a[n]) == tolower((unsigned char)b[n]))
        n++;
    return n >= 3 || (n && !a[n]);
}

/* Writes "height * stride"; false: it is too long for a word. */
static bool multiply(const char *a, const char *b, struct word *product)
{
    struct word word;
    const int n = snprintf(word.text, sizeof word.text, "%s * %s", a, b);
    const bool fits = n > 0 && (size_t)n < sizeof word.text;
    if (fits)
        *product = word;
    return fits;
}

bool extent_near(const struct reader *reader, size_t at, const char *name,
                 struct word *extent)
{
    struct integers integers;
    find_integers(reader, &integers);
    const char *const width = first_with(&integers, 0, "width =w cols columns");
    const char *const height = first_with(&integers, 0, "height =h rows");
    const char *const stride =
        first_with(&integers, at, "stride pitch linesize step ^ld");
    int best = 0;
    snprintf(extent->text, sizeof extent->text, "n");
    if (width && height && width != height &&
        multiply(height, stride ? stride : width, extent))
        return true;
    for (unsigned i = 0; i < integers.n; i++) {
        const char *const word = integers.word[i].text;
        const int value = 1 + 8 * begin_alike(name, word) + 4 * name_counts(word) +
                          2 * (integers.at[i] > at);
        if (name_chooses(word) || value <= best)
            continue;
        best = value;
        *extent = integers.word[i];
    }
    if (best && stride && strcmp(stride, extent->text) != 0)
        multiply(extent->text, stride, extent);
    return best > 0;
}

const struct token *count_behind(const struct token *token)
{
    bool pointer = false, is_const = false, integer = false;
    enum ctype type;
    if (!token_is(token, ","))
        return NULL;
    for (token++; token->kind != TOKEN_END && !token_among(token, ", ) [ ="); token++) {
        pointer |= token_is(token, "*");
        is_const |= token_is(token, "const");
        integer |= word_type(token, &type) && ctype_is_integer(type);
    }
    return pointer && !is_const && integer && token_among(token, ", )") &&
                   token[-1].kind == TOKEN_WORD && name_counts(token_word(token - 1).text)
               ? token - 1
               : NULL;
}

/* ---- functions of the library ---- */

/* Small letters and digits, without so many of the ends that names of types have. */
enum { ENDS = 9 };
static size_t plain(const char *name, size_t ends_dropped, char *text, size_t size)
{
    static const char *const ends[ENDS] = {"_t",  "state", "context", "ctx", "handle",
                                           "ptr", "obj",   "struct",  "_"};
    size_t n = strlen(name), written = 0;
    for (size_t i = 0; i < ends_dropped; i++) {
        const size_t length = strlen(ends[i]);
        if (n >= length + 2 && !strncasecmp(name + n - length, ends[i], length))
            n -= length;
    }
    for (size_t i = 0; i < n && written + 1 < size; i++)
        if (isalnum((unsigned char)name[i]))
            text[written++] = (char)tolower((unsigned char)name[i]);
    text[written] = '\0';
    return written;
}

/* The exported function whose name begins with the stem and goes on with one of the
 * words, or is no more than both; earlier words, and then shorter names, are better. */
static const char *function_for(const struct library *library, const char *stem,
                                const char *const *words, bool whole)
{
    const char *found = NULL;
    char name[DECLARED_TEXT];
    const size_t n = strlen(stem);
    size_t least = DECLARED_NAME;
    for (; n >= 2 && *words && !found; words++)
        FOR_EACH (const struct library_function, function, library->function,
                  library->n) {
            const size_t length = plain(function->name, 0, name, sizeof name);
            if (function->binding != FUNCTION_EXPORTED || function->is_data ||
                length >= least || strncmp(name, stem, n) != 0 ||
                strncmp(name + n, *words, strlen(*words)) != 0 ||
                (whole && strcmp(name + n, *words) != 0))
                continue;
            found = function->name;
            least = length;
        }
    return found;
}

const char *maker_near(const struct reader *reader, const char *type, const char **freer)
{
    static const char *const makers[] = {"new",  "create", "alloc", "open",
                                         "make", "init",   NULL};
    static const char *const freers[] = {"free",  "destroy", "delete", "close",
                                         "unref", "release", "exit",   NULL};
    const struct library *const library = reader->mends->makers;
    char stem[DECLARED_NAME];
    const char *maker = NULL, *const function = reader->declaration->name;
    const bool any = !strcmp(type, "void");
    *freer = NULL;
    static const size_t dropped[] = {0, 1, ENDS};
    for (size_t i = 0; library && !maker && i < ARRAY_LEN(dropped) && !any; i++) {
        plain(type, dropped[i], stem, sizeof stem);
        maker = function_for(library, stem, makers, false);
    }
    /* enc_new() of enc_encode(enc_options *), or of a void *, which come first */
    if (library && !maker && reader->declaration->n == 1 &&
        (any || begin_alike(type, function))) {
        plain(function, 0, stem, sizeof stem);
        stem[strcspn(function, "_")] = '\0';
        maker = function_for(library, stem, makers, true);
    }
    if (maker)
        *freer = function_for(library, stem, freers, false);
    return maker;
}
