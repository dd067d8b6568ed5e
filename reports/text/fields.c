/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <stdlib.h>

#include "text.h"

static void list_free(const struct field *field, char *base)
{
    char **const list = (void *)(base + field->offset);
    const size_t *const n = (void *)(base + field->length);

    for (size_t i = 0; i < *n; i++)
        fields_free(field->inner, *list + i * field->size);
    free(*list);
}

void fields_free(const struct fields *fields, void *base)
{
    FOR_EACH (const struct field, field, fields->field, fields->n) {
        void *const at = (char *)base + field->offset;
        if (field->kind == FIELD_TEXT || field->kind == FIELD_NAME)
            free(*(char **)at);
        else if (field->kind == FIELD_PART)
            fields_free(field->inner, at);
        else if (field->kind == FIELD_LIST || field->kind == FIELD_LATER ||
                 field->kind == FIELD_COUNTS)
            list_free(field, base);
        else if (field->kind == FIELD_TEXTS)
            strings_free(*(char ***)at,
                         *(size_t *)(void *)((char *)base + field->length));
    }
}
