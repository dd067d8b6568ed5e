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
               "turin evex vnni vpclmulqdq vpclmul"},
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
    while (open && !ends(name, n, length))
        n++;
    return ends(name, n, length) ? n : 0;
}

/* The last word of a name that says an instruction set. */
static bool find_last(const char *name, size_t length, struct part *part)
{
    for (size_t at = length; at-- > 0;) {
        for (size_t s = 0; s < ARRAY_LEN(sets) && begins(name, at); s++) {
            const char *word = sets[s].words;
            for (size_t n; (n = strcspn(word, " ")); word += n + (word[n] == ' ')) {
                const size_t found = word_length(name + at, length - at, word, n);
                if (!found || (!at && !strncmp(name, "c_", 2))) /* c_add: add of C */
                    continue;
                *part = (struct part){at, found, sets[s].isa};
                return true;
            }
        }
    }
    return false;
}

/* With the words that stand before it: avx2_fma, avx512_ssse3. */
static bool find_word(const char *name, size_t length, struct part *part)
{
    struct part before;
    if (!find_last(name, length, part))
        return false;
    while (part->at && find_last(name, part->at - 1, &before) &&
           before.at + before.n == part->at - 1) {
        part->n += part->at - before.at;
        part->at = before.at;
        if (strcmp(before.isa, "scalar") != 0)
            part->isa = before.isa;
    }
    return true;
}

const char *name_isa(const char *name)
{
    struct part part;
    return find_word(name, strlen(name), &part) ? part.isa : NULL;
}

/* ---- members ---- */

struct candidate {
    char stem[DECLARED_NAME];
    const char *arguments; /* of C++: overloads are several ops */
    struct family_member member;
};

/* The name without the word and the sign beside it: mix_avx2_unaligned is of family
 * mix_unaligned, and avx2::mix of mix. A name without such a word is a stem itself. */
static bool make_candidate(const struct library_function *function,
                           struct candidate *candidate)
{
    const char *const name = function->demangled ? function->demangled : function->name;
    const size_t length = function->demangled ? name_length(name) : strlen(name);
    struct part part = {.at = length, .isa = "lib"};
    *candidate =
        (struct candidate){.arguments = name + length, .member = {.function = function}};
    if (find_word(name, length, &part) && part.n < sizeof candidate->member.token)
        memcpy(candidate->member.token, name + part.at, part.n);
    candidate->member.isa = part.isa;
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

static int by_op(const struct candidate *x, const struct candidate *y)
{
    return strcmp(x->stem, y->stem) ?: strcmp(x->arguments, y->arguments);
}

static int by_stem(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;
    const int order = by_op(x, y);
    return order ? order : strcmp(x->member.function->name, y->member.function->name);
}

/* Two names say what they are for, or one says so beside the family's own name; "default"
 * and its like alone are no sign of that. */
static bool is_family(const struct candidate *candidate, size_t n)
{
    size_t wide = 0;
    for (size_t i = 0; i < n; i++) {
        const struct family_member *const member = &candidate[i].member;
        wide += member->token[0] && strcmp(member->isa, "scalar") != 0;
    }
    return n >= 2 && wide;
}

static int add_family(const struct candidate *candidate, size_t n, struct family **family,
                      size_t *n_families)
{
    if (!is_family(candidate, n))
        return 0;
    struct family *more = realloc(*family, (*n_families + 1) * sizeof *more);
    struct family_member *member = calloc(n, sizeof *member);
    if (more)
        *family = more;
    if (!more || !member) {
        free(member);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        member[i] = candidate[i].member;
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

int library_families(const struct library *library, bool all, struct family **family,
                     size_t *n)
{
    struct candidate *candidate = calloc(library->n + 1, sizeof *candidate);
    size_t count = 0;
    int status = candidate ? 0 : -ENOMEM;
    *family = NULL;
    *n = 0;
    for (size_t i = 0; i < library->n && status == 0; i++) {
        const struct library_function *const function = &library->function[i];
        if (!function->is_data && !has_no_name(library, i) &&
            (all || function->binding == FUNCTION_EXPORTED))
            count += make_candidate(function, &candidate[count]);
    }
    if (count)
        qsort(candidate, count, sizeof *candidate, by_stem);
    for (size_t i = 0, end; i < count && status == 0; i = end) {
        for (end = i + 1; end < count && !by_op(&candidate[end], &candidate[i]);)
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
