/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

void *array_grow(void *where, size_t n, size_t size)
{
    char **const array = where;

    must(array_room(where, n, size) ? 0 : -ENOMEM);
    return memset(*array + n * size, 0, size);
}

void *array_add(void *where, size_t *n, size_t size)
{
    return array_grow(where, (*n)++, size);
}

void string_set(char **where, const char *text)
{
    char *const copy = copy_text(text);

    free(*where);
    *where = copy;
}

void *named_add(void *where, size_t *n, size_t size, const char *name)
{
    char **const entry = array_add(where, n, size);

    *entry = copy_text(name);
    return entry;
}

void strings_add(char ***list, size_t *n, const char *text)
{
    named_add(list, n, sizeof **list, text);
}

void strings_free(char **list, size_t n)
{
    texts_free(list, n);
    free(list);
}
