/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_input.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "kernels.h"

struct range {
    double low, high;
    uint32_t type; /* a float */
};

/* ---- one number ---- */

static bool random_sign(uint64_t *state)
{
    return random_next(state) >> 63;
}

/* A sum of six uniform numbers has variance 1/2: much cheaper than a true bell. The root
 * fills all bits of a double, so that sums are rounded. */
double normal_next(uint64_t *state)
{
    const uint64_t part = (UINT64_C(1) << 21) - 1;
    int64_t sum = -3 * (int64_t)part;
    for (int i = 0; i < 2; i++) {
        const uint64_t draw = random_next(state);
        sum += (int64_t)((draw >> 43) + (draw >> 22 & part) + (draw & part));
    }
    return (double)sum * (M_SQRT2 / 0x1p21);
}

static double draw_normal(const struct range *range, uint64_t *state)
{
    return normal_next(state);
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
    const double magnitude = draw_uniform(&(struct range){32, 1024, range->type}, state);
    return random_sign(state) ? -magnitude : magnitude;
}

static double draw_subnormal(const struct range *range, uint64_t *state)
{
    const uint64_t draw = random_next(state);
    const uint64_t mantissa = draw >> (64 - type_digits(range->type));
    const double magnitude = (double)(mantissa ? mantissa : 1) * type_ulp(range->type, 0);
    return draw & 1 ? -magnitude : magnitude;
}

static double draw_zero(const struct range *range, uint64_t *state)
{
    return random_sign(state) ? -0.0 : 0.0;
}

static double largest(uint32_t type)
{
    const int digits = type_digits(type);
    const int least = ilogb(type_ulp(type, 0)) + digits;
    return ldexp(2 - ldexp(1, -digits), 1 - least);
}

static double draw_special(const struct range *range, uint64_t *state)
{
    const uint64_t draw = random_next(state);
    const double values[] = {NAN, INFINITY, 0, largest(range->type)};
    const size_t choice = draw % (ARRAY_LEN(values) + 1);
    if (draw >> 62)
        return draw_normal(range, state);
    if (choice == ARRAY_LEN(values))
        return draw_subnormal(range, state);
    return random_sign(state) ? -values[choice] : values[choice];
}

static uint64_t bits_of(double value, uint32_t type)
{
    uint64_t element = 0;
    type_set(type, &element, 0, value);
    return element;
}

static double draw_bits(const struct range *range, uint64_t *state)
{
    const uint64_t low = bits_of(range->low, range->type);
    const uint64_t span = bits_of(range->high, range->type) - low + 1;
    const uint64_t draw = random_next(state);
    const uint64_t bits = low + (uint64_t)((unsigned __int128)draw * span >> 64);
    const double magnitude = type_get(range->type, &bits, 0);
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
static bool read_number(const char *text, const char *end, uint32_t type, double *value)
{
    char copy[64], *stop;
    const size_t length = (size_t)(end - text);
    if (length == 0 || length >= sizeof copy || isspace((unsigned char)*text))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const double read = strtod(copy, &stop);
    const uint64_t rounded = bits_of(read, type);
    *value = type_get(type, &rounded, 0);
    return !*stop && !isnan(read) && (isinf(read) || !isinf(*value));
}

/* Reads the range after the colon. */
static bool read_range(const char *text, struct range *range)
{
    const char *dots = strstr(text, "..");
    return dots && read_number(text, dots, range->type, &range->low) &&
           read_number(dots + 2, text + strlen(text), range->type, &range->high) &&
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

int vector_fill(void *data, uint32_t type, uint64_t n, uint64_t seed, const char *input)
{
    struct range range = {.type = type};
    draw_function *const draw =
        type_kind(type) == TYPE_FLOAT ? find(input ? input : "normal", &range) : NULL;
    if (!draw)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++)
        type_set(type, data, i, draw(&range, &seed));
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

    if (type != SIMDBENCH_F32 && type != SIMDBENCH_F64)
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
