/* SPDX-License-Identifier: Apache-2.0 */

#include "request/request.h"

/* So that no fraction of the longest unit overflows. */
enum { PLACES_MAX = 6 };

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit suffixes[] = {
    {"", 1},           {"k", 1000},       {"M", 1000000},    {"G", 1000000000},
    {"Ki", 1ll << 10}, {"Mi", 1ll << 20}, {"Gi", 1ll << 30},
};
static const struct unit times[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000},
};

static int64_t unit_factor(const struct unit *units, size_t n, const char *text,
                           size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, text, length) == 0)
            return units[i].factor;
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits; returns how many there were. */
static size_t digits(const char *text, size_t length, int64_t *value, bool *overflow)
{
    size_t i = 0;
    *value = 0;
    for (; i < length && is_digit(text[i]); i++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, text[i] - '0', value))
            *overflow = true;
    return i;
}

int number_parse(const char *text, size_t length, int64_t *value, const char **reason)
{
    bool overflow = false;
    int64_t number;
    const size_t n = digits(text, length, &number, &overflow);
    const int64_t factor =
        unit_factor(suffixes, ARRAY_LEN(suffixes), text + n, length - n);

    if (length == 0)
        *reason = "is empty";
    else if (text[0] == '-')
        *reason = "is negative";
    else if (n == 0 || (factor == 0 && !strchr("kKmMgG", text[n])))
        *reason = "is not a whole number";
    else if (factor == 0)
        *reason = "has an unknown suffix: k M G are 1000s, Ki Mi Gi are 1024s";
    else if (overflow || __builtin_mul_overflow(number, factor, &number)) {
        *reason = "is larger than 2^63-1";
        return -ERANGE;
    } else {
        *value = number;
        return 0;
    }
    return -EINVAL;
}

int duration_parse(const char *text, int64_t *ns, const char **reason)
{
    bool overflow = false;
    size_t length = strlen(text);
    int64_t whole, part = 0, scale = 1;
    const size_t n = digits(text, length, &whole, &overflow);
    const char *unit = text + n;

    if (n > 0 && *unit == '.') {
        bool ignored = false;
        const size_t places = digits(unit + 1, strlen(unit + 1), &part, &ignored);
        if (places == 0 || places > PLACES_MAX) {
            *reason = "is not a time; write 50ms, 1.5s or 2min";
            return -EINVAL;
        }
        for (size_t i = 0; i < places; i++)
            scale *= 10;
        unit += 1 + places;
    }
    length = strlen(unit);
    const int64_t factor = unit_factor(times, ARRAY_LEN(times), unit, length);

    if (text[0] == '-')
        *reason = "is negative";
    else if (n == 0)
        *reason = "is not a time; write 50ms, 1.5s or 2min";
    else if (factor == 0)
        *reason = length ? "has an unknown unit; use ns, us, ms, s or min"
                         : "has no unit; add ns, us, ms, s or min";
    else if (overflow || __builtin_mul_overflow(whole, factor, &whole) ||
             __builtin_add_overflow(whole, part * factor / scale, &whole)) {
        *reason = "is too long a time";
        return -ERANGE;
    } else {
        *ns = whole;
        return 0;
    }
    return -EINVAL;
}
