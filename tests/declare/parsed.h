/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes that must be read, for tests. */
#pragma once

#include "declare.h"
#include "unit.h"

static struct declaration *parsed(const char *text)
{
    static struct declaration declaration;
    struct error error = {.text = ""};
    if (declaration_parse(text, &declaration, &error) != 0)
        fail_msg("%s", error.text);
    return &declaration;
}

static int64_t value_at(const struct extent *extent, const int64_t *dimension)
{
    int64_t value = -1;
    struct error error = {.text = ""};
    if (extent_value(extent, dimension, &value, &error) < 0)
        fail_msg("%s", error.text);
    return value;
}
