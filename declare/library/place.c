/* SPDX-License-Identifier: Apache-2.0 */
/* From the name of a function to its address in this process. */
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "library_files.h"

/* Cuts "[3]" off the end; the first of several is cut last. -EINVAL: it has no number. */
static int cut_index(struct place *place, size_t *n)
{
    const char *const last = place->name + *n - 1;
    const char *const open = memrchr(place->name, '[', *n);
    char *end = NULL;
    errno = 0;
    const unsigned long value =
        open && isdigit((unsigned char)open[1]) ? strtoul(open + 1, &end, 10) : 0;
    if (!end || end != last || errno || value > UINT32_MAX ||
        place->n_index == PLACE_INDEXES)
        return -EINVAL;
    *n = (size_t)(open - place->name);
    memmove(&place->index[1], place->index, place->n_index++ * sizeof *place->index);
    place->index[0] = (uint32_t)value;
    return 0;
}

/* 3, &, NULL or "text"; types of C++ are none of these. */
static bool read_given(const char **at, struct place_given *given)
{
    const char *const begin = *at;
    char *end = NULL;
    *given = (struct place_given){.kind = GIVEN_NUMBER};
    if (*begin == '&') {
        given->kind = GIVEN_MEMORY;
        *at = begin + 1;
    } else if (!strncmp(begin, "NULL", 4)) {
        *at = begin + 4;
    } else if (*begin == '"') {
        const size_t n = strcspn(begin + 1, "\"");
        given->kind = GIVEN_TEXT;
        if (begin[1 + n] != '"' || n >= sizeof given->text)
            return false;
        memcpy(given->text, begin + 1, n);
        *at = begin + n + 2;
    } else {
        errno = 0;
        given->number = strtoll(begin, &end, 0);
        *at = end;
        return end > begin && !isspace((unsigned char)*begin) && !errno;
    }
    return true;
}

/* Cuts "(1, 0)" off the end, unless it holds types. */
static bool cut_call(struct place *place, size_t *n)
{
    const char *const last = place->name + *n - 1;
    const char *const open = *last == ')' ? memrchr(place->name, '(', *n) : NULL;
    const char *at = open ? open + 1 : last;
    const size_t before = open ? (size_t)(open - place->name) : 0;
    if (!before || (before >= 8 && !strncmp(open - 8, "operator", 8)))
        return false;
    while (at != last) {
        at += strspn(at, " ");
        if (place->n_given == PLACE_GIVEN ||
            !read_given(&at, &place->given[place->n_given]))
            return false;
        place->n_given++;
        at += strspn(at, " ");
        if (at == last)
            break;
        if (*at != ',')
            return false;
        at++;
    }
    *n = before;
    return true;
}

int place_parse(const char *text, struct place *place, struct error *error)
{
    size_t n = strlen(text);
    *place = (struct place){.kind = PLACE_SYMBOL};
    if (!n || n >= sizeof place->name)
        return invalid(error, "'%.100s': expected the name of a function", text);
    memcpy(place->name, text, n);
    memcpy(place->text, text, n);
    while (n && text[n - 1] == ']')
        if (cut_index(place, &n) < 0)
            return invalid(error,
                           "'%.100s': expected the index of a table, as in table[3]; at "
                           "most %d of them",
                           text, PLACE_INDEXES);
    if (n && cut_call(place, &n))
        place->kind = PLACE_RESOLVER;
    else if (place->n_index)
        place->kind = PLACE_TABLE;
    place->name[n] = '\0';
    return n ? 0 : invalid(error, "'%.100s': expected the name of a function", text);
}

int place_split(const char *text, char *library, size_t size, const char **place,
                struct error *error)
{
    const char *const slash = strrchr(text, '/');
    const char *colon = strchr(text, ':');
    /* Folders may have colons; so may names of C++, which have no slash but in division.
     */
    if (slash && colon && colon < slash && !strstr(text, "operator/"))
        colon = strchr(slash, ':');
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    *place = colon ? colon + 1 : "";
    if (!n || n >= size)
        return invalid(error,
                       "'%.100s': expected LIBRARY or LIBRARY:FUNCTION, such as "
                       "./libmix.so:mix_avx2",
                       text);
    memcpy(library, text, n);
    library[n] = '\0';
    return 0;
}

/* A name without a slash is one that the loader finds: it has ".so". */
size_t place_library(const char *text)
{
    const char *const slash = strrchr(text, '/');
    const char *colon = strchr(slash ? slash : text, ':');
    const char *const file = strstr(text, ".so");
    if (!colon || colon[1] == ':' || !colon[1] || strstr(text, "operator/"))
        return 0;
    return slash || (file && file < colon) ? (size_t)(colon - text) : 0;
}

/* ---- addresses ---- */

typedef void *resolver(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                       uint64_t f);

/* dlsym() knows versions and functions that are chosen at load; the others lie where
 * the file says. */
static int address_of(void *handle, const struct library_function *function,
                      void **address, struct error *error)
{
    struct link_map *map = NULL;
    *address =
        function->binding == FUNCTION_EXPORTED ? dlsym(handle, function->name) : NULL;
    if (*address)
        return 0;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) < 0 || !map)
        return error_set(error, -ENOENT, "%.80s: the loader does not know the library",
                         function->name);
    *address = (void *)(uintptr_t)(map->l_addr + function->address); /* NOLINT */
    if (function->is_chosen)
        *address = ((resolver *)*address)(0, 0, 0, 0, 0, 0);
    return *address ? 0
                    : error_set(error, -ENXIO, "%.80s: none was chosen", function->name);
}

/* Each index is one of words that the address before it points to. */
static void follow(const uint32_t *index, uint32_t n, void **address)
{
    for (uint32_t i = 0; i < n && *address; i++)
        memcpy(address, (const char *)*address + index[i] * sizeof(void *),
               sizeof *address);
}

static int take_entry(const struct library_function *function, const struct place *place,
                      void **address, struct error *error)
{
    static const uint32_t first = 0;
    const uint64_t n = function->bytes / sizeof(void *);
    const bool table = place->kind == PLACE_TABLE;
    const uint32_t *const index = table ? place->index : &first;
    if (!function->is_data)
        return table ? invalid(error, "%.80s is a function and no table", place->name)
                     : 0;
    if (*index >= n || !*address)
        return error_set(error, -ERANGE, "%.80s[%u]: the table has %llu entries",
                         place->name, *index, (unsigned long long)n);
    follow(index, table ? place->n_index : 1, address);
    return 0;
}

int symbol_address(void *handle, const struct library *library, const char *name,
                   void **address, struct error *error)
{
    const struct library_function *function;
    return library_find(library, name, &function, error)
               ?: address_of(handle, function, address, error);
}

/* Calls it with what was given; memory that it shall fill is all zero, and nothing lies
 * behind it. It stays: the library may keep its address. */
static int call_resolver(const struct place *place, void **address, struct error *error)
{
    uint64_t word[PLACE_GIVEN] = {0};
    void *memory = NULL;
    for (uint32_t i = 0; i < place->n_given; i++) {
        const struct place_given *const given = &place->given[i];
        const size_t entries = PLACE_MEMORY / sizeof(void *);
        word[i] =
            given->kind == GIVEN_TEXT ? (uintptr_t)given->text : (uint64_t)given->number;
        if (given->kind != GIVEN_MEMORY)
            continue;
        if (place->n_index && place->index[0] >= entries)
            return error_set(error, -ERANGE, "%.80s: & has %zu entries", place->text,
                             entries);
        if (!memory)
            memory = mmap(NULL, 2 * PLACE_MEMORY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                          -1, 0);
        if (memory == MAP_FAILED ||
            mprotect(memory, PLACE_MEMORY, PROT_READ | PROT_WRITE))
            return no_memory(error);
        word[i] = (uintptr_t)memory;
    }
    void *const found =
        ((resolver *)*address)(word[0], word[1], word[2], word[3], word[4], word[5]);
    *address = memory && place->n_index ? memory : found;
    follow(place->index, place->n_index, address);
    return 0;
}

int place_resolve(void *handle, const struct library *library, const struct place *place,
                  void **address, struct error *error)
{
    const struct library_function *function;
    *address = NULL;
    int status = library_find(library, place->name, &function, error)
                     ?: address_of(handle, function, address, error)
                     ?: take_entry(function, place, address, error);
    if (status == 0 && *address && place->kind == PLACE_RESOLVER)
        status = call_resolver(place, address, error);
    return status < 0 || *address
               ? status
               : error_set(error, -ENXIO, "%.80s gives no function", place->text);
}
