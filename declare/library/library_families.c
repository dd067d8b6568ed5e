/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that look like one op: their names differ in an instruction set alone. */
#include <ctype.h>
#include <strings.h>

#include "library_private.h"

/* Words in names; of those that begin alike the longest first. */
static const struct {
    const char *isa, *words;
} sets[] = {
    {"avx512", "avx512vnni avx512vbmi2 avx512vbmi avx512bf16 avx512fp16 avx512ifma "
               "avx512icl avx512skx avx512spr avx512vpopcntdq avx512bitalg avx512bw "
               "avx512cd avx512dq avx512vl avx512f avx512 skylakex skylake skx icelake "
               "icl sapphirerapids sapphire genoa turin evex"},
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

/* Behind a demangled name stand its arguments. */
static bool ends(const char *name, size_t at)
{
    return strchr("_.:(", name[at]) || begins(name, at);
}

struct part {
    size_t at, n;
    const char *isa;
};

/* The last word of a name that says an instruction set and begins before at. */
static bool find_last(const char *name, size_t at, struct part *part)
{
    while (at-- > 0) {
        for (size_t s = 0; s < ARRAY_LEN(sets) && begins(name, at); s++) {
            const char *word = sets[s].words;
            for (size_t n; (n = strcspn(word, " ")); word += n + (word[n] == ' ')) {
                if (strncasecmp(name + at, word, n) != 0 || !ends(name, at + n))
                    continue;
                *part = (struct part){at, n, sets[s].isa};
                return true;
            }
        }
    }
    return false;
}

/* Finds a word, and takes the words before it along: avx2_fma, AVX512VNNI. */
static bool find_word(const char *name, size_t length, struct part *part)
{
    struct part before;
    if (!find_last(name, length, part))
        return false;
    while (find_last(name, part->at, &before) && before.at + before.n + 1 >= part->at) {
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
    if (!find_word(name, strlen(name), &part) || !part.isa[0] ||
        (part.n == 1 && /* c_add of complex numbers, cJSON_Parse */
         (name[part.at + 1] == '_' || isupper((unsigned char)name[part.at + 1])) &&
         (!part.at || name[part.at - 1] == ':')))
        return NULL;
    return part.isa;
}

/* ---- members ---- */

struct candidate {
    char stem[DECLARED_NAME];
    const char *arguments; /* of C++: overloads are several ops */
    const struct library_function *function;
    bool simd; /* its name says another set than scalar */
    bool word; /* it says a set */
};

/* Behind the underscores of a name of C; those of _Z and _R are part of a mangled one. */
static const char *bare(const char *name)
{
    const char *const at = name + strspn(name, "_");
    return *at == 'Z' || *at == 'R' ? name : at;
}

/* cpu_has_avx2() tells about the CPU. */
static bool asks_for(const char *name, size_t at)
{
    static const char *const words[] = {"has", "have", "support", "supports"};
    while (at && name[at - 1] == '_')
        at--;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const size_t n = strlen(words[i]);
        if (at >= n && !strncasecmp(name + at - n, words[i], n) && begins(name, at - n))
            return true;
    }
    return false;
}

/* The name without the word and the sign beside it: mix_avx2_unaligned is of family
 * mix_unaligned, and avx2::mix of mix. A name without such a word is a stem itself. */
static bool make_candidate(const struct library_function *function,
                           struct candidate *candidate)
{
    const char *const name = function->demangled ? function->demangled : function->name;
    const size_t length = function->demangled ? name_length(name) : strlen(name);
    struct part part = {.at = length};
    *candidate = (struct candidate){.arguments = name + length, .function = function};
    candidate->word = find_word(name, length, &part);
    candidate->simd = candidate->word && strcmp(part.isa, "scalar") != 0;
    if (candidate->simd && asks_for(name, part.at))
        return false;
    size_t before = part.at, after = part.at + part.n;
    while (part.n && before && strchr("_.:", name[before - 1]))
        before--;
    while (part.n && !before && after < length && strchr("_.:", name[after]))
        after++;
    if (before + length - after == 0 || before + length - after >= sizeof candidate->stem)
        return false;
    snprintf(candidate->stem, sizeof candidate->stem, "%.*s%.*s", (int)before, name,
             (int)(length - after), name + after);
    return true;
}

static const char *skip_namespaces(const char *at)
{
    for (size_t n; at[n = strcspn(at, "(),<>:*& ")] == ':';)
        at += n + 1;
    return at;
}

/* "(avx2::vector)" and "(sse2::vector)" are the same; none, as of C, are the first. */
static int by_arguments(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a = skip_namespaces(a + 1);
        b = skip_namespaces(b + 1);
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_op(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;
    return strcmp(x->stem, y->stem)
               ?: by_arguments(x->arguments, y->arguments)
               ?: strcmp(bare(x->function->name), bare(y->function->name))
               ?: (int)strspn(x->function->name, "_") - (int)strspn(y->function->name, "_");
}

static bool same_op(const struct candidate *x, const struct candidate *y)
{
    return !strcmp(x->stem, y->stem) &&
           (!*x->arguments || !by_arguments(x->arguments, y->arguments));
}

static size_t op_end(const struct candidate *candidate, size_t n, size_t i)
{
    do
        i++;
    while (i < n && same_op(&candidate[i - 1], &candidate[i]));
    return i;
}

/* Puts those of one op together. _mix_avx2 and _mix_c belong to mix if there is no _mix.
 */
static void sort_by_op(struct candidate *candidate, size_t n)
{
    qsort(candidate, n, sizeof *candidate, by_op);
    for (size_t i = 0, end; i < n; i = end) {
        bool words = true;
        end = op_end(candidate, n, i);
        for (size_t k = i; k < end; k++)
            words &= candidate[k].word;
        for (size_t k = i; k < end && words; k++) {
            char *const stem = candidate[k].stem;
            memmove(stem, bare(stem), strlen(bare(stem)) + 1);
        }
    }
    qsort(candidate, n, sizeof *candidate, by_op);
}

/* Constructors and destructors of one class, or two names of the same code; _mix_avx2
 * beside mix_avx2 has other arguments, or is the same. */
static bool is_twin(const struct candidate *x, const struct candidate *y)
{
    const struct library_function *const a = x->function, *const b = y->function;
    return (a->demangled && b->demangled && !strcmp(a->demangled, b->demangled)) ||
           (a->address == b->address && x->simd == y->simd) ||
           !strcmp(bare(a->name), bare(b->name));
}

/* A name says an instruction set beside the family's own or another one's; "default" and
 * its like alone are no sign of that. */
static int add_family(const struct candidate *candidate, size_t n, struct family **family,
                      size_t *n_families)
{
    size_t simd = 0, count = 0;
    if (n < 2)
        return 0;
    const struct library_function **member = calloc(n, sizeof *member);
    for (size_t i = 0; i < n && member; i++) {
        size_t k = 0;
        while (!is_twin(&candidate[k], &candidate[i]))
            k++;
        if (k < i)
            continue;
        simd += candidate[i].simd;
        member[count++] = candidate[i].function;
    }
    const bool good = count > 1 && simd;
    if (!good || !array_room(family, *n_families, sizeof **family)) {
        const int status = member && !good ? 0 : -ENOMEM;
        free(member);
        return status;
    }
    struct family *new = &(*family)[(*n_families)++];
    *new = (struct family){.member = member, .n = count};
    memcpy(new->name, candidate->stem, sizeof new->name);
    return 0;
}

/* True if the compiler made it of another function, ".isra.0.cold": a part, or a clone
 * with other arguments. */
static bool is_made_of_another(const char *name)
{
    static const char *const suffixes[] = {".cold", ".part", ".isra", ".constprop"};
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        const char *const found = strstr(name, suffixes[i]);
        const size_t n = strlen(suffixes[i]);
        if (found && !found[n + strspn(found + n, ".0123456789")])
            return true;
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
        if (!function->is_data && function->binding != FUNCTION_ELSEWHERE &&
            !has_no_name(library, i))
            count += make_candidate(function, &candidate[count]);
    }
    if (status == 0)
        sort_by_op(candidate, count);
    for (size_t i = 0, end; i < count && status == 0; i = end) {
        end = op_end(candidate, count, i);
        status = add_family(&candidate[i], end - i, family, n);
    }
    free(candidate);
    if (status < 0)
        families_free(*family, *n);
    return status;
}

void families_free(struct family *family, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(family[i].member);
    free(family);
}
