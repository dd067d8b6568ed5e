/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_input.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

struct range {
    double low, high;
    bool single; /* f32, else f64 */
};

/* ---- one number ---- */

static bool random_sign(uint64_t *state)
{
    return random_next(state) >> 63;
}

/* A sum of six uniform numbers has variance 1/2: much cheaper than a true bell. */
static double draw_normal(const struct range *range, uint64_t *state)
{
    const uint64_t part = (UINT64_C(1) << 21) - 1;
    int64_t sum = -3 * (int64_t)part;
    (void)range;
    for (int i = 0; i < 2; i++) {
        const uint64_t draw = random_next(state);
        sum += (int64_t)((draw >> 43) + (draw >> 22 & part) + (draw & part));
    }
    return (double)sum * (M_SQRT2 / 0x1p21);
}

static double draw_uniform(const struct range *range, uint64_t *state)
{
    const double share = (double)(random_next(state) >> 11) * 0x1p-53;
    /* Rounding may step over either end. */
    return fmax(range->low,
                fmin(range->high, range->low * (1 - share) + range->high * share));
}

static double draw_saturated(const struct range *range, uint64_t *state)
{
    const double magnitude =
        draw_uniform(&(struct range){32, 1024, range->single}, state);
    return random_sign(state) ? -magnitude : magnitude;
}

static double draw_subnormal(const struct range *range, uint64_t *state)
{
    const int bits = range->single ? FLT_MANT_DIG - 1 : DBL_MANT_DIG - 1;
    const uint64_t draw = random_next(state), mantissa = draw >> (64 - bits);
    const double magnitude =
        (double)(mantissa ? mantissa : 1) * (range->single ? FLT_TRUE_MIN : DBL_TRUE_MIN);
    return draw & 1 ? -magnitude : magnitude;
}

static double draw_zero(const struct range *range, uint64_t *state)
{
    (void)range;
    return random_sign(state) ? -0.0 : 0.0;
}

static double draw_special(const struct range *range, uint64_t *state)
{
    const uint64_t draw = random_next(state);
    const double values[] = {NAN, INFINITY, 0, range->single ? FLT_MAX : DBL_MAX};
    const size_t choice = draw % (ARRAY_LEN(values) + 1);
    if (draw >> 62)
        return draw_normal(range, state);
    if (choice == ARRAY_LEN(values))
        return draw_subnormal(range, state);
    return random_sign(state) ? -values[choice] : values[choice];
}

static uint64_t bits_of(double value, bool single)
{
    const float narrow = (float)value;
    uint64_t wide_bits;
    uint32_t narrow_bits;
    memcpy(&wide_bits, &value, sizeof value);
    memcpy(&narrow_bits, &narrow, sizeof narrow);
    return single ? narrow_bits : wide_bits;
}

static double draw_bits(const struct range *range, uint64_t *state)
{
    const uint64_t low = bits_of(range->low, range->single);
    const uint64_t span = bits_of(range->high, range->single) - low + 1;
    const uint64_t draw = random_next(state);
    const uint64_t bits = low + (uint64_t)((unsigned __int128)draw * span >> 64);
    const uint32_t narrow_bits = (uint32_t)bits;
    double magnitude;
    float narrow;
    memcpy(&magnitude, &bits, sizeof bits);
    memcpy(&narrow, &narrow_bits, sizeof narrow);
    if (range->single)
        magnitude = (double)narrow;
    return random_sign(state) ? -magnitude : magnitude;
}

/* ---- names ---- */

typedef double draw_function(const struct range *range, uint64_t *state);

static const struct {
    const char *name;
    draw_function *draw;
} plain[] = {
    {"normal", draw_normal}, {"saturated", draw_saturated}, {"subnormal", draw_subnormal},
    {"zero", draw_zero},     {"special", draw_special},
};

/* A number that ends at `end`. */
static bool read_number(const char *text, const char *end, bool single, double *value)
{
    char copy[64], *stop;
    const size_t length = (size_t)(end - text);
    if (length == 0 || length >= sizeof copy || isspace((unsigned char)*text))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const double read = strtod(copy, &stop);
    *value = single ? (double)(float)read : read;
    return !*stop && !isnan(read) && (isinf(read) || !isinf(*value));
}

/* Reads the range after the colon. */
static bool read_range(const char *text, struct range *range)
{
    const char *dots = strstr(text, "..");
    return dots && read_number(text, dots, range->single, &range->low) &&
           read_number(dots + 2, text + strlen(text), range->single, &range->high) &&
           range->low <= range->high;
}

static draw_function *find(const char *input, struct range *range)
{
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if (strcmp(input, plain[i].name) == 0)
            return plain[i].draw;
    if (strncmp(input, "uniform:", 8) == 0 && read_range(input + 8, range) &&
        isfinite(range->low) && isfinite(range->high))
        return draw_uniform;
    if (strncmp(input, "bits:", 5) == 0 && read_range(input + 5, range) &&
        !signbit(range->low))
        return draw_bits;
    return NULL;
}

static bool is_float(uint32_t type)
{
    return type == SIMDBENCH_F32 || type == SIMDBENCH_F64;
}

int vector_fill(void *data, uint32_t type, uint64_t n, uint64_t seed, const char *input)
{
    struct range range = {.single = type == SIMDBENCH_F32};
    draw_function *draw = find(input ? input : "normal", &range);
    if (!draw || !is_float(type))
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const double value = draw(&range, &seed);
        if (range.single)
            ((float *)data)[i] = (float)value;
        else
            ((double *)data)[i] = value;
    }
    return 0;
}

/* ---- fields of an op ---- */

int vector_parse(const char *text, struct simdbench_shape *shape, char *error,
                 size_t error_size)
{
    const size_t length = strspn(text, "0123456789");

    if (length == 0 || text[length]) {
        snprintf(error, error_size, "'%s' is no number of elements", text);
        return -EINVAL;
    }
    errno = 0;
    const int64_t n = strtoll(text, NULL, 10);
    if (errno == ERANGE) {
        snprintf(error, error_size, "%s elements are too many", text);
        return -EOVERFLOW;
    }
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 1, .dim = {n}};
    return 0;
}

void vector_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

int vector_layout(const struct simdbench_shape *shape, uint32_t type, uint32_t out,
                  struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const uint32_t roles[] = {SIMDBENCH_IN, out};

    if (!is_float(type))
        return -EINVAL;
    if ((uint64_t)shape->dim[0] > PTRDIFF_MAX / type_bytes(type))
        return -EOVERFLOW;
    for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
        operand[i]->type = type;
        operand[i]->role = roles[i];
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return ARRAY_LEN(roles);
}

int vector_op_fill(const struct simdbench_operands *operands, uint64_t seed,
                   const char *input)
{
    const struct simdbench_operand *x = operands->operand[0];

    return vector_fill(x->data, x->type, x->count, seed, input);
}

void vector_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                 double *bytes)
{
    *ops = (double)shape->dim[0];
    *bytes = 2 * *ops * (double)type_bytes(type);
}
