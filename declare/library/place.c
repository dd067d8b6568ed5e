/* SPDX-License-Identifier: Apache-2.0 */
/* From the name of a function to its address in this process. */
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>

#include "library_files.h"

/* The number in the brackets that end the text, as in "choose(1)" and "table[3]".
 * Brackets of functions and of C++ have none, but for operator(). */
static const char *number_in(const char *text, const char *brackets, uint32_t *number)
{
    const char *const open = strrchr(text, brackets[0]);
    char *end = NULL;
    errno = 0;
    const unsigned long value =
        open && isdigit((unsigned char)open[1]) ? strtoul(open + 1, &end, 10) : 0;
    *number = (uint32_t)value;
    return end && *end == brackets[1] && !end[1] && !errno && value <= UINT32_MAX ? open
                                                                                  : NULL;
}

/* "name()", "name(1)" and "name[3]"; operator() and lambdas of C++ do not end so. */
int place_parse(const char *text, struct place *place, struct error *error)
{
    size_t n = strlen(text);
    *place = (struct place){.kind = PLACE_SYMBOL};
    if (n > 2 && !strcmp(text + n - 2, "()") &&
        (n < 10 || strcmp(text + n - 10, "operator()") != 0)) {
        place->kind = PLACE_RESOLVER;
        n -= 2;
    } else if (number_in(text, "()", &place->index)) {
        place->kind = PLACE_RESOLVER;
        n = (size_t)(strrchr(text, '(') - text);
    } else if (n && text[n - 1] == ']') {
        const char *const bracket = number_in(text, "[]", &place->index);
        if (!bracket)
            return invalid(
                error, "'%.100s': expected the index of a table, as in table[3]", text);
        place->kind = PLACE_TABLE;
        n = (size_t)(bracket - text);
    }
    if (!n || n >= sizeof place->name)
        return invalid(error, "'%.100s': expected the name of a function", text);
    memcpy(place->name, text, n);
    place->name[n] = '\0';
    return 0;
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

typedef void *resolver(uint64_t number);

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
        *address = ((resolver *)*address)(0);
    return *address ? 0
                    : error_set(error, -ENXIO, "%.80s: none was chosen", function->name);
}

static int take_entry(const struct library_function *function, const struct place *place,
                      void **address, struct error *error)
{
    const uint64_t n = function->bytes / sizeof(void *);
    if (!function->is_data)
        return place->kind == PLACE_TABLE
                   ? invalid(error, "%.80s is a function and no table", place->name)
                   : 0;
    if (place->index >= n || !*address)
        return error_set(error, -ERANGE, "%.80s[%u]: the table has %llu entries",
                         place->name, place->index, (unsigned long long)n);
    memcpy(address, (const char *)*address + place->index * sizeof(void *),
           sizeof *address);
    return 0;
}

int symbol_address(void *handle, const struct library *library, const char *name,
                   void **address, struct error *error)
{
    const struct library_function *function;
    return library_find(library, name, &function, error)
               ?: address_of(handle, function, address, error);
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
        *address = ((resolver *)*address)(place->index);
    if (status == 0 && !*address) {
        char number[16] = "";
        if (place->index)
            snprintf(number, sizeof number, "%u", place->index);
        status = error_set(error, -ENXIO, "%.80s%s%s%s gives no function", place->name,
                           place->kind == PLACE_RESOLVER ? "(" : "", number,
                           place->kind == PLACE_RESOLVER ? ")" : "");
    }
    return status;
}
