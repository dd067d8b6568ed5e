/* SPDX-License-Identifier: Apache-2.0 */
/* The output of a process, case by case. */
#include "harness_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct reading *readings_find(const struct readings *readings, const char *name)
{
    for (size_t i = 0; i < readings->n; i++)
        if (!strcmp(readings->entry[i].name, name))
            return &readings->entry[i];
    return NULL;
}

void readings_add(struct readings *readings, const char *name, size_t length, double ns,
                  const char *reason)
{
    if (readings->n > READINGS_MOST)
        return;
    char *const text = must_have(malloc(length + 12));
    memcpy(text, name, length);
    text[length] = '\0';
    for (unsigned i = 2; readings_find(readings, text); i++)
        snprintf(text + length, 12, "#%u", i);
    struct reading *const entry =
        must_have(array_grow(&readings->entry, readings->n, sizeof *entry));
    const bool bad = !reason && !isnan(ns) && !(ns > 0 && isfinite(ns));
    *entry = (struct reading){.name = text, .ns = ns};
    must(string_set(&entry->reason, bad ? "its time is no positive number" : reason));
    readings->n++;
}

void readings_free(struct readings *readings)
{
    for (size_t i = 0; i < readings->n; i++)
        TEXTS_FREE(readings->entry[i].name, readings->entry[i].reason);
    free(readings->entry);
    *readings = (struct readings){.n = 0};
}

double unit_ns(const char *unit, size_t length)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ps", 1e-3},     {"ns", 1},   {"us", 1e3}, {"\u00b5s", 1e3},
                 {"\u03bcs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (strlen(units[i].name) == length && !memcmp(units[i].name, unit, length))
            return units[i].ns;
    return NAN;
}
