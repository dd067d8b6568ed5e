/* SPDX-License-Identifier: Apache-2.0 */
/* Catch2 tells benchmarks as XML:
 *
 *   <TestCase name="sums"> <BenchmarkResults name="sum 64" ...> <mean value="12.3" .../>
 */
#include "readings.h"

#include <math.h>

#include "text/text.h"

/* The value of an attribute of the element that begins at `element`, to be freed; NULL:
 * it has none. */
static char *attribute(const char *element, const char *name)
{
    static const struct {
        const char *entity;
        char c;
    } entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    const size_t n = strlen(name);
    const char *at = element, *const end = element + strcspn(element, ">");
    do {
        at = strstr(at + 1, name);
    } while (at && at < end && (at[-1] != ' ' || at[n] != '=' || at[n + 1] != '"'));
    if (!at || at >= end)
        return NULL;
    at += n + 2;
    char *const value = must_have(malloc(strcspn(at, "\"") + 1));
    char *to = value;
    while (*at && *at != '"') {
        size_t i = 0;
        while (i < ARRAY_LEN(entities) &&
               strncmp(at, entities[i].entity, strlen(entities[i].entity)) != 0)
            i++;
        *to++ = i < ARRAY_LEN(entities) ? entities[i].c : *at;
        at += i < ARRAY_LEN(entities) ? strlen(entities[i].entity) : 1;
    }
    *to = '\0';
    return value;
}

static bool begins(const char *text, const char *tag)
{
    const size_t n = strlen(tag);
    return !strncmp(text, tag, n) && strchr(" \t\n", text[n]);
}

static void take(const char *test, const char *name, const char *mean,
                 struct readings *readings)
{
    FREED_BY(buffer_free) struct buffer id = {.text = NULL};
    char *end = NULL;
    const double ns = mean ? strtod(mean, &end) : NAN;
    buffer_format(&id, "%s/%s", test, name);
    if (mean && end != mean)
        readings_add(readings, id.text, id.length, ns);
}

int read_catch2(char *text, const struct reading_form *form, struct readings *readings,
                struct error *error)
{
    char *test = NULL, *name = NULL;
    if (!strstr(text, "<?xml"))
        return invalid(error, "it printed no XML");
    for (const char *at = text; (at = strchr(at, '<')); at++) {
        char **const where = begins(at + 1, "TestCase")           ? &test
                             : begins(at + 1, "BenchmarkResults") ? &name
                                                                  : NULL;
        if (begins(at + 1, "Section") || !strncmp(at, "</Section>", 10)) {
            FREED_BY(free_memory) char *section = attribute(at, "name");
            readings_begin(readings, section ?: "", strlen(section ?: ""));
        } else if (where) {
            free(*where);
            *where = attribute(at, "name");
        } else if (test && name && begins(at + 1, "mean")) {
            FREED_BY(free_memory) char *mean = attribute(at, "value");
            take(test, name, mean, readings);
            free(name);
            name = NULL;
        }
    }
    FREE_EACH(test, name);
    return 0;
}
