/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that look like one op: their names differ in an instruction set alone. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "library_private.h"

/* Words in names; '*': with anything behind it. */
static const struct {
    const char *isa, *words;
} sets[] = {
    {"avx512", "avx512* skylakex skylake skx icelake icl sapphirerapids sapphire genoa "
               "turin evex"},
    {"", "vnni vpclmulqdq vpclmul"}, /* any width */
    {"avx2", "avx2 avx fma3 fma haswell hsw zen"},
    {"sse2", "sse4_2 sse4_1 sse42 sse41 sse4 ssse3 sse3 sse2 sse westmere nehalem "
             "pclmulqdq pclmul mmxext mmx"},
    {"neon", "neon asimd"},
    {"scalar", "generic portable reference fallback baseline default scalar serial naive "
               "plain ref base c"},
};

/* A word begins behind '_', '.' or ':', or with a capital behind a small letter; it ends
 * before one of these or a capital. */
static bool begins(const char *name, size_t at)
{
    if (!at || strchr("_.:", name[at - 1]))
        return true;
    return isupper((unsigned char)name[at]) && !isupper((unsigned char)name[at - 1]);
}

static bool ends(const char *name, size_t at, size_t n)
{
    return at == n || strchr("_.:", name[at]) ||
           (isupper((unsigned char)name[at]) && !isupper((unsigned char)name[at - 1]));
}

struct part {
    size_t at, n;
    const char *isa;
};

/* The length of `word` where it begins the name; 0: it does not. */
static size_t word_length(const char *name, size_t length, const char *word, size_t n)
{
    const bool open = word[n - 1] == '*';
    n -= open;
    if (n > length || strncasecmp(name, word, n) != 0)
        return 0;
    while (open && n < length && !strchr("_.:", name[n]) &&
           !(isupper((unsigned char)name[n]) && islower((unsigned char)name[n + 1])))
        n++;
    return open || ends(name, n, length) ? n : 0;
}

/* The last word of a name that says an instruction set and begins before `at`. */
static bool find_last(const char *name, size_t length, size_t at, struct part *part)
{
    while (at-- > 0) {
        for (size_t s = 0; s < ARRAY_LEN(sets) && begins(name, at); s++) {
            const char *word = sets[s].words;
            for (size_t n; (n = strcspn(word, " ")); word += n + (word[n] == ' ')) {
                const size_t found = word_length(name + at, length - at, word, n);
                if (!found)
                    continue;
                *part = (struct part){at, found, sets[s].isa};
                return true;
            }
        }
    }
    return false;
}

/* With the words that stand before it or begin with it: avx2_fma, AVX512VNNI. */
static bool find_word(const char *name, size_t length, struct part *part)
{
    struct part before;
    if (!find_last(name, length, length, part))
        return false;
    while (find_last(name, length, part->at, &before) &&
           before.at + before.n + 1 >= part->at) {
        part->n += part->at - before.at;
        part->at = before.at;
        if (before.isa[0] && strcmp(before.isa, "scalar") != 0)
            part->isa = before.isa;
    }
    return true;
}

const char *name_isa(const char *name)
{
    struct part part;
    if (!find_word(name, strlen(name), &part) || !part.isa[0])
        return NULL;
    /* complex numbers: c_add */
    const bool complex =
        part.n == 1 && name[part.at + 1] == '_' && (!part.at || name[part.at - 1] == ':');
    return complex ? NULL : part.isa;
}

/* ---- members ---- */

struct candidate {
    char stem[DECLARED_NAME];
    const char *arguments; /* of C++: overloads are several ops */
    const char *word;      /* of the instruction set, of n bytes */
    size_t n;
    const struct library_function *function;
    bool simd; /* its name says another set than scalar */
};

/* The name without the word and the sign beside it: mix_avx2_unaligned is of family
 * mix_unaligned, and avx2::mix of mix. A name without such a word is a stem itself. */
static bool make_candidate(const struct library_function *function,
                           struct candidate *candidate)
{
    const char *const name = function->demangled ? function->demangled : function->name;
    const size_t length = function->demangled ? name_length(name) : strlen(name);
    struct part part = {.at = length};
    *candidate = (struct candidate){.arguments = name + length, .function = function};
    candidate->simd = find_word(name, length, &part) && strcmp(part.isa, "scalar") != 0;
    candidate->word = name + part.at;
    candidate->n = part.n;
    size_t before = part.at, after = part.at + part.n;
    while (part.n && before && strchr("_.:", name[before - 1]))
        before--;
    while (part.n && !before && after < length && strchr("_.:", name[after]))
        after++;
    if (before + length - after == 0 || before + length - after >= sizeof candidate->stem)
        return false;
    memcpy(candidate->stem, name, before);
    memcpy(candidate->stem + before, name + after, length - after);
    return true;
}

/* Behind "avx2::" if that begins there, and avx2 is the word of the name. */
static const char *skip_word(const struct candidate *of, const char *at)
{
    const bool found = of->n && !isalnum((unsigned char)at[-1]) &&
                       !strncmp(at, of->word, of->n) && !strncmp(at + of->n, "::", 2);
    return found ? at + of->n + 2 : at;
}

/* "(avx2::vector)" and "(sse2::vector)" are the same. */
static int by_arguments(const struct candidate *x, const struct candidate *y)
{
    const char *a = x->arguments, *b = y->arguments;
    while (*a && *a == *b) {
        a = skip_word(x, a + 1);
        b = skip_word(y, b + 1);
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_op(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;
    return strcmp(x->stem, y->stem)
               ?: by_arguments(x, y) ?: strcmp(x->function->name, y->function->name);
}

/* Functions of C have no arguments in their names, and come first. */
static bool same_op(const struct candidate *x, const struct candidate *y)
{
    return !strcmp(x->stem, y->stem) &&
           (!*x->arguments || !*y->arguments || !by_arguments(x, y));
}

/* A name says an instruction set beside the family's own or another one's; "default" and
 * its like alone are no sign of that. */
static int add_family(const struct candidate *candidate, size_t n, struct family **family,
                      size_t *n_families)
{
    size_t simd = 0;
    for (size_t i = 0; i < n; i++)
        simd += candidate[i].simd;
    if (n < 2 || !simd)
        return 0;
    struct family *more = realloc(*family, (*n_families + 1) * sizeof *more);
    const struct library_function **member = calloc(n, sizeof *member);
    if (more)
        *family = more;
    if (!more || !member) {
        free(member);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        member[i] = candidate[i].function;
    struct family *new = &more[(*n_families)++];
    *new = (struct family){.member = member, .n = n};
    memcpy(new->name, candidate->stem, sizeof new->name);
    return 0;
}

/* Whether the compiler made it of another function, ".isra.0.cold": a part, or a clone
 * with other arguments. */
static bool is_made_of_another(const char *name)
{
    static const char *const suffixes[] = {".cold", ".part", ".isra", ".constprop"};
    size_t end = strlen(name);
    for (const char *dot; (dot = memrchr(name, '.', end)); end = (size_t)(dot - name)) {
        const size_t n = end - (size_t)(dot - name);
        if (strspn(dot + 1, "0123456789") == n - 1)
            continue;
        for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
            if (strlen(suffixes[i]) == n && !memcmp(suffixes[i], dot, n))
                return true;
        return false;
    }
    return false;
}

/* A function without a name of its own, or one of several local ones. */
static bool has_no_name(const struct library *library, size_t i)
{
    const struct library_function *const function = &library->function[i];
    return is_made_of_another(function->name) ||
           (function->binding == FUNCTION_LOCAL &&
            ((i > 0 && !strcmp(function->name, function[-1].name)) ||
             (i + 1 < library->n && !strcmp(function->name, function[1].name))));
}

int library_families(const struct library *library, struct family **family, size_t *n)
{
    struct candidate *candidate = calloc(library->n + 1, sizeof *candidate);
    size_t count = 0;
    int status = candidate ? 0 : -ENOMEM;
    *family = NULL;
    *n = 0;
    for (size_t i = 0; i < library->n && status == 0; i++) {
        const struct library_function *const function = &library->function[i];
        if (!function->is_data && !has_no_name(library, i))
            count += make_candidate(function, &candidate[count]);
    }
    if (count)
        qsort(candidate, count, sizeof *candidate, by_op);
    for (size_t i = 0, end; i < count && status == 0; i = end) {
        for (end = i + 1; end < count && same_op(&candidate[end - 1], &candidate[end]);)
            end++;
        status = add_family(&candidate[i], end - i, family, n);
    }
    free(candidate);
    if (status == 0)
        return 0;
    families_free(*family, *n);
    *family = NULL;
    *n = 0;
    return status;
}

void families_free(struct family *family, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(family[i].member);
    free(family);
}
