/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

void *array_grow(void *where, size_t n, size_t size)
{
    char **const array = where;

    return array_room(where, n, size) ? memset(*array + n * size, 0, size) : NULL;
}

void *array_add(void *where, size_t *n, size_t size)
{
    void *const entry = array_grow(where, *n, size);

    *n += entry != NULL;
    return entry;
}

int string_set(char **where, const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        return -ENOMEM;
    free(*where);
    *where = copy;
    return 0;
}

void *named_add(void *where, size_t *n, size_t size, const char *name)
{
    char **const entry = array_grow(where, *n, size);

    if (!entry || string_set(entry, name))
        return NULL;
    (*n)++;
    return entry;
}

int strings_add(char ***list, size_t *n, const char *text)
{
    return named_add(list, n, sizeof **list, text) ? 0 : -ENOMEM;
}

void strings_free(char **list, size_t n)
{
    texts_free(list, n);
    free(list);
}
