/* SPDX-License-Identifier: Apache-2.0 */
/* The output of a process, case by case. */
#include "readings.h"

#include <math.h>

#include "text/text.h"

struct reading *readings_find(const struct readings *readings, const char *name)
{
    for (size_t i = 0; i < readings->n; i++)
        if (!strcmp(readings->entry[i].name, name))
            return &readings->entry[i];
    return NULL;
}

/* The name of a further reading of a case that has one. */
static void number_name(const struct readings *readings, char *text, size_t length)
{
    for (unsigned i = 2; readings_find(readings, text); i++)
        snprintf(text + length, 12, "#%u", i);
}

void readings_put(struct readings *readings, const char *name, size_t length,
                  const char *reason, struct reading reading)
{
    const bool bad = !isnan(reading.ns) && !(reading.ns > 0 && isfinite(reading.ns));
    if (readings->n > READINGS_MOST || !length || length > FOREIGN_NAME_MOST)
        return;
    struct reading *const entry =
        array_grow(&readings->entry, readings->n, sizeof *entry);
    reading.name = must_have(malloc(length + 12));
    reading.no_time = bad && !reason;
    memcpy(reading.name, name, length);
    reading.name[length] = '\0';
    if (!readings->repeats)
        number_name(readings, reading.name, length);
    reading.reason = copy_text(reading.no_time ? FOREIGN_NO_TIME : reason);
    reading.section = copy_text(readings->section);
    *entry = reading;
    readings->n++;
}

void readings_begin(struct readings *readings, const char *section, size_t length)
{
    snprintf(readings->section, sizeof readings->section, "%.*s",
             (int)(length < SECTION_MOST ? length : SECTION_MOST), section);
}

static bool has_sections(const struct readings *readings)
{
    for (size_t i = 1; i < readings->n; i++)
        if (strcmp(readings->entry[i].section, readings->entry[0].section) != 0)
            return true;
    return false;
}

void readings_tell_apart(struct readings *readings)
{
    const bool several = has_sections(readings);
    for (size_t i = 0; i < readings->n && several; i++) {
        struct reading *const entry = &readings->entry[i];
        char *name;
        if (!*entry->section)
            continue;
        must(asprintf(&name, "%s/%s", entry->section, entry->name));
        free(entry->name);
        entry->name = name;
    }
}

void readings_add(struct readings *readings, const char *name, size_t length, double ns)
{
    readings_put(readings, name, length, NULL,
                 (struct reading){.ns = isnan(ns) ? 0 : ns});
}

double last_digit(const char *number)
{
    const char *end = number + strspn(number, "+-0123456789");
    double exponent = 0;
    if (*end == '.') {
        const size_t decimals = strspn(++end, "0123456789");
        exponent -= (double)decimals;
        end += decimals;
    }
    if (*end == 'e' || *end == 'E')
        exponent += (double)strtol(end + 1, NULL, 10);
    return pow(10, exponent);
}

void readings_print(struct readings *readings, const char *name, size_t length,
                    const char *number, double unit)
{
    const double ns = strtod(number, NULL) * unit;
    readings_put(
        readings, name, length, NULL,
        (struct reading){.ns = isnan(ns) ? 0 : ns, .step_ns = last_digit(number) * unit});
}

void readings_list(struct readings *readings, const char *name, size_t length)
{
    readings_put(readings, name, length, NULL, (struct reading){.ns = NAN});
}

void readings_free(struct readings *readings)
{
    for (size_t i = 0; i < readings->n; i++)
        FREE_EACH(readings->entry[i].name, readings->entry[i].reason,
                  readings->entry[i].section);
    free(readings->entry);
    *readings = (struct readings){.n = 0};
}

double unit_ns(const char *unit, size_t length)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ps", 1e-3},     {"ns", 1},     {"us", 1e3}, {"\u00b5s", 1e3},
                 {"\u03bcs", 1e3}, {"ms", 1e6},   {"s", 1e9},  {"nsec", 1},
                 {"usec", 1e3},    {"msec", 1e6}, {"sec", 1e9}};
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (strlen(units[i].name) == length && !memcmp(units[i].name, unit, length))
            return units[i].ns;
    return NAN;
}
