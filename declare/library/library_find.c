/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by their names: as the linker knows them, or as C++ and Rust write them. */
#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#include "library_private.h"

/* ---- names of C++ ---- */

typedef char *demangler(const char *symbol, char *buffer, size_t *size, int *status);
static demangler *demangle;

/* The C++ library of this machine can tell; without one, symbols are all that is known.
 */
static void find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    for (size_t i = 0; i < ARRAY_LEN(libraries) && !demangle; i++) {
        void *const handle = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (handle)
            demangle = (demangler *)(uintptr_t)dlsym(handle, "__cxa_demangle");
    }
}

/* Rust ends a name with a hash: "mix::mix_avx2::h0123456789abcdef". */
static void cut_hash(char *name)
{
    char *const hash = strstr(name, "::h");
    if (hash && strlen(hash) == 19 && strspn(hash + 3, "0123456789abcdef") == 16)
        *hash = '\0';
}

/* A tag of the compiler says nothing to who asks: QuoteMeta[abi:cxx11] */
static void cut_tags(char *name)
{
    for (char *tag; (tag = strstr(name, "[abi:")) && strchr(tag, ']');)
        memmove(tag, strchr(tag, ']') + 1, strlen(strchr(tag, ']')));
}

char *name_demangle(const char *symbol)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = -1;
    if (strncmp(symbol, "_Z", 2) != 0)
        return NULL;
    pthread_once(&once, find_demangler);
    char *const name = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
    if (name) {
        cut_hash(name);
        cut_tags(name);
    }
    return name;
}

/* "(anonymous namespace)::f<int (*)(int)>(float*)": the list of arguments is the last
 * pair of parentheses outside of <>, unless "::" follows. */
size_t name_length(const char *demangled)
{
    size_t depth = 0, length = strlen(demangled);
    for (size_t i = 0; demangled[i]; i++) {
        const char c = demangled[i];
        if (c == '(' && !depth && i && strncmp(demangled + i, "(anonymous", 10) != 0 &&
            strncmp(demangled + i, "()(", 3) != 0)
            return i;
        if (c == '<' || c == '(')
            depth++;
        else if ((c == '>' || c == ')') && depth)
            depth--;
    }
    return length;
}

char *symbol_written(const char *symbol)
{
    char *const name = name_demangle(symbol);
    if (name)
        name[name_length(name)] = '\0';
    return name;
}

/* ---- finding ---- */

/* A space beside a sign says nothing; another one parts two words. */
static bool is_idle(const char *text, size_t at)
{
    static const char signs[] = " <>(),*&";
    return text[at] == ' ' && (!at || strchr(signs, text[at - 1]) || !text[at + 1] ||
                               strchr(signs + 1, text[at + 1]));
}

/* The length of what stands before `name`, which these bytes end with; or SIZE_MAX. */
static size_t before_name(const char *full, size_t length, const char *name)
{
    size_t n = strlen(name);
    while (n > 0) {
        if (is_idle(name, n - 1)) {
            n--;
        } else if (length && is_idle(full, length - 1)) {
            length--;
        } else {
            if (!length || full[length - 1] != name[n - 1])
                return SIZE_MAX;
            n--;
            length--;
        }
    }
    return length;
}

/* The begin of the template's arguments at the end of a name, or its end. */
static size_t template_length(const char *name, size_t length)
{
    size_t depth = 0, at = length;
    if (!length || name[length - 1] != '>' || strstr(name, "operator"))
        return length;
    while (at-- > 0) {
        depth += name[at] == '>';
        depth -= name[at] == '<';
        if (!depth)
            return at;
    }
    return length;
}

/* With its arguments, without them, or the last parts of it: mix, audio::mix. Of a
 * template also without those: dot for "double audio::dot<double>(double const*)". */
static bool is_meant(const struct library_function *function, const char *name,
                     bool of_template)
{
    const char *const full = function->demangled;
    if (!full)
        return false;
    if (before_name(full, strlen(full), name) == 0)
        return true;
    if (strstr(full, " [clone ")) /* a compiler's, with a call of its own */
        return false;
    const size_t length = name_length(full);
    const size_t before =
        before_name(full, of_template ? template_length(full, length) : length, name);
    return !before || (before != SIZE_MAX &&
                       (full[before - 1] == ' ' ||
                        (before >= 2 && !strncmp(full + before - 2, "::", 2))));
}

static size_t first_of(const struct library *library, const char *name)
{
    size_t lo = 0, hi = library->n;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (strcmp(library->function[middle].name, name) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Beginning and end that a name of n bytes and one of m share, of 0 to 1. */
static double likeness(const char *a, size_t n, const char *b, size_t m)
{
    const size_t shorter = n < m ? n : m;
    size_t first = 0, last = 0;
    while (first < shorter &&
           tolower((unsigned char)a[first]) == tolower((unsigned char)b[first]))
        first++;
    while (last < shorter - first && tolower((unsigned char)a[n - 1 - last]) ==
                                         tolower((unsigned char)b[m - 1 - last]))
        last++;
    return (double)(first + last) / (double)(n > m ? n : m);
}

/* The name of a function as its author writes it, without result and arguments: behind
 * the last space outside of <> and (), but for those of operators. */
static const char *written_name(const struct library_function *function, size_t *length)
{
    const char *const full = function->demangled ?: function->name;
    *length = function->demangled ? name_length(full) : strlen(full);
    const char *const sign = memmem(full, *length, "operator", 8);
    size_t depth = 0, at = sign ? (size_t)(sign - full) : *length;
    while (at > 0 && (depth || full[at - 1] != ' ')) {
        at--;
        depth += full[at] == '>' || full[at] == ')';
        depth -= full[at] == '<' || full[at] == '(';
    }
    *length -= at;
    return full + at;
}

/* To the symbol or to the name, of whose templates arguments are not compared. */
static double function_likeness(const struct library_function *function, const char *name)
{
    size_t n;
    const char *const written = written_name(function, &n);
    return fmax(likeness(written, template_length(written, n), name,
                         template_length(name, strlen(name))),
                likeness(function->name, strlen(function->name), name, strlen(name)));
}

enum { NEAR = 3 };

static void list_near(const struct library *library, const char *name, char *text,
                      size_t size)
{
    const struct library_function *best[NEAR] = {NULL};
    double like[NEAR] = {0};
    const char *last = name; /* part of vec::mix, vec.mix */
    for (const char *at = name; *at; at++)
        last = strchr(":.", *at) ? at + 1 : last;
    FOR_EACH (const struct library_function, function, library->function, library->n) {
        double value = function_likeness(function, name);
        if (value < 0.6 && strlen(last) >= 3 &&
            strcasestr(function->name, last)) /* __module_MOD_name of Fortran */
            value = 0.6;
        size_t at = NEAR;
        while (at > 0 && value > like[at - 1])
            at--;
        if (at == NEAR || value <= 0.5)
            continue;
        memmove(best + at + 1, best + at, (NEAR - 1 - at) * sizeof *best);
        memmove(like + at + 1, like + at, (NEAR - 1 - at) * sizeof *like);
        best[at] = function;
        like[at] = value;
    }
    text[0] = '\0';
    for (size_t k = 0; k < NEAR && best[k]; k++) {
        const size_t n = strlen(text);
        size_t length;
        const char *const written = written_name(best[k], &length);
        snprintf(text + n, size - n, "%s%.*s", k ? ", " : "; did you mean ",
                 (int)(length < 60 ? length : 60), written);
    }
    if (best[0])
        strncat(text, "?", size - strlen(text) - 1);
}

static int several(const char *name, const struct library_function *a,
                   const struct library_function *b, struct error *error)
{
    if (strcmp(a->name, b->name) != 0)
        return error_set(error, -EEXIST,
                         "%.80s fits several functions: %.120s, %.120s, ...; write one "
                         "with its arguments, or its symbol",
                         name, a->demangled ?: a->name, b->demangled ?: b->name);
    return error_set(
        error, -EEXIST, "there are several local functions %.80s: at 0x%llx, 0x%llx, ...",
        name, (unsigned long long)a->address, (unsigned long long)b->address);
}

int library_find(const struct library *library, const char *name,
                 const struct library_function **function, struct error *error)
{
    const struct library_function *found = NULL;
    const size_t i = first_of(library, name);
    *function = NULL;
    if (i < library->n && !strcmp(library->function[i].name, name)) {
        const struct library_function *const next = &library->function[i + 1];
        found = &library->function[i];
        if (found->binding == FUNCTION_LOCAL && i + 1 < library->n &&
            !strcmp(next->name, name))
            return several(name, found, next, error);
        *function = found;
        return 0;
    }
    for (size_t k = 0; k < 2 * library->n; k++) {
        const struct library_function *const other = &library->function[k % library->n];
        if (k == library->n && found)
            break;
        if (!is_meant(other, name, k >= library->n))
            continue;
        if (found && found->address != other->address)
            return several(name, found, other, error);
        found = other;
    }
    *function = found;
    if (found)
        return 0;
    char near[256];
    list_near(library, name, near, sizeof near);
    return error_set(error, -ENOENT,
                     "%.120s has no function %.80s%s; simdbench call %.120s lists them",
                     library->path, name, near, library->path);
}
