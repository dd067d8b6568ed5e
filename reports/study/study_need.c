/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of needs. What is no such number is refused, not guessed. */
#include "study/study.h"

#include <math.h>

static const char decimal[] = "0123456789";

/* Reads "8". */
static double count_of(const char *text)
{
    const size_t n = strspn(text, decimal);
    return n && !text[n] && text[0] != '0' ? strtod(text, NULL) : NAN;
}

/* Reads "2GB" or "1.5TiB". */
static double bytes_of(const char *text)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
                 {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    const size_t whole = strspn(text, decimal);
    const size_t part = text[whole] == '.' ? strspn(text + whole + 1, decimal) : 0;
    const char *const unit = text + whole + (part ? part + 1 : 0);
    for (size_t i = 0; whole && i < ARRAY_LEN(units); i++)
        if (!strcmp(unit, units[i].name))
            return strtod(text, NULL) * units[i].bytes;
    return NAN;
}

double study_need_number(const char *need)
{
    return !strncmp(need, "cpus:", 5)     ? count_of(need + 5)
           : !strncmp(need, "memory:", 7) ? bytes_of(need + 7)
                                          : NAN;
}
