/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>

#include "text.h"

enum { DEPTH_MAX = 8 };

struct reader {
    formula_named *named;
    const void *context;
    const char *at;
    int depth;
};

static double read_sum(struct reader *reader);

static void skip_spaces(struct reader *reader)
{
    reader->at += strspn(reader->at, " ");
}

/* A number, a name, or a sum in parentheses. */
static double read_factor(struct reader *reader)
{
    double value = NAN;

    skip_spaces(reader);
    if (*reader->at == '(' && reader->depth < DEPTH_MAX) {
        reader->at++;
        reader->depth++;
        value = read_sum(reader);
        reader->depth--;
        if (*reader->at != ')')
            return NAN;
        reader->at++;
    } else if (isdigit((unsigned char)*reader->at)) {
        char *end;
        value = strtod(reader->at, &end);
        reader->at = end;
    } else {
        const size_t length = strcspn(reader->at, " +*/()");
        if (reader->named)
            value = reader->named(reader->context, reader->at, length);
        reader->at += length;
    }
    skip_spaces(reader);
    return value;
}

static double read_product(struct reader *reader)
{
    double value = read_factor(reader);

    while (*reader->at == '*' || *reader->at == '/') {
        const bool divide = *reader->at++ == '/';
        const double factor = read_factor(reader);
        value = divide ? value / factor : value * factor;
    }
    return value;
}

static double read_sum(struct reader *reader)
{
    double value = read_product(reader);

    while (*reader->at == '+' || *reader->at == '-') {
        const bool minus = *reader->at++ == '-';
        const double term = read_product(reader);
        value = minus ? value - term : value + term;
    }
    return value;
}

double formula_value(const char *formula, formula_named *named, const void *context)
{
    struct reader reader = {.named = named, .context = context, .at = formula ?: ""};
    const double value = read_sum(&reader);

    return *reader.at || !isfinite(value) ? NAN : value;
}
