/* SPDX-License-Identifier: Apache-2.0 */
/* Values of inputs that are written one by one: whole ones are exact, as in C. */
#include "called_private.h"

#include <ctype.h>

/* "0.5", "-1e3f", "INFINITY" */
static bool read_real(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !end[*end == 'f' || *end == 'F'];
}

bool value_read(const struct declaration *declaration, const char *text, size_t length,
                const int64_t *dimension, struct input_value *value)
{
    char copy[128];
    struct extent extent;
    struct error error;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    *value = (struct input_value){.whole = false};
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    if (!length || length >= sizeof copy)
        return false;
    if (declaration_expression(declaration, copy, &extent, &error) < 0)
        return read_real(copy, &value->number);
    value->whole = true;
    if (dimension && extent_value(&extent, dimension, &value->integer, &error) < 0)
        return false;
    value->number = extent_is_beyond(&extent) ? (double)(uint64_t)value->integer
                                              : (double)value->integer;
    return true;
}

/* Up to the next comma that is in no parentheses and no quotes. */
static size_t value_length(const char *text)
{
    bool quoted = false;
    size_t n = 0;
    for (int depth = 0; text[n] && (text[n] != ',' || depth || quoted); n++) {
        depth += (text[n] == '(') - (text[n] == ')');
        quoted ^= text[n] == '\'';
        n += text[n] == '\\' && text[n + 1];
    }
    return n;
}

int values_read(const struct declaration *declaration, const char *text,
                const int64_t *dimension, struct input_value value[VALUES_MAX])
{
    for (int n = 0; n <= VALUES_MAX; n++) {
        const size_t length = value_length(text);
        const size_t blank = strspn(text, " \n\r\t");
        if (!text[blank])
            return n; /* none, or behind a last comma */
        if (n == VALUES_MAX ||
            !value_read(declaration, text + blank, length - blank, dimension, &value[n]))
            break;
        text += length + (text[length] == ',');
    }
    return -EINVAL;
}

/* A value that an integer cannot hold is converted as in C: its low bits are kept. */
void value_set(const struct simdbench_operand *operand, uint64_t e,
               const struct input_value *value)
{
    const size_t size = type_bytes(operand->type);
    if (value->whole && type_kind(operand->type) != TYPE_FLOAT)
        memcpy((char *)operand->data + e * size, &value->integer, size);
    else
        operand_set(operand, e, value->number);
}

void values_fill(const struct declared_slot *slot, const int64_t *dimension,
                 const struct simdbench_operand *operand, const char *text)
{
    static const struct input_value zero = {.whole = true};
    struct input_value value[VALUES_MAX];
    const int n = values_read(&slot->from->declaration, text, dimension, value);
    for (uint64_t e = 0; e < operand->count; e++)
        value_set(operand, e, e < (uint64_t)n ? &value[e] : &zero);
}
