/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <inttypes.h>
#include <math.h>

enum { BUDGET = 1 << 24, ENDS = 4096 };

/* An output as rows and columns; the last row ends with the last element. */
struct grid {
    uint64_t rows, columns, ld;
};

static struct grid grid_of(const struct simdbench_operand *output)
{
    uint64_t count = output->count;
    if (count == 0)
        return (struct grid){0, 0, 1};
    if (output->ld <= 0 || (uint64_t)output->ld >= count)
        return (struct grid){1, count, count};
    uint64_t ld = (uint64_t)output->ld;
    uint64_t rows = (count + ld - 1) / ld;
    return (struct grid){rows, count - (rows - 1) * ld, ld};
}

/* ---- sampling ---- */

/* Positions are counted whether they are written or not. */
struct sample {
    uint64_t *index;
    uint64_t n;
};

static void sample_add(struct sample *sample, const struct grid *grid, uint64_t row,
                       uint64_t column)
{
    if (sample->index)
        sample->index[sample->n] = row * grid->ld + column;
    sample->n++;
}

static uint64_t sample_all(const struct grid *grid, uint64_t *index)
{
    struct sample sample = {index, 0};
    if (!index)
        return grid->rows * grid->columns;
    for (uint64_t row = 0; row < grid->rows; row++) {
        for (uint64_t column = 0; column < grid->columns; column++)
            sample_add(&sample, grid, row, column);
    }
    return sample.n;
}

uint64_t operands_sample(const struct simdbench_operand *output, double ops, bool full,
                         uint64_t seed, uint64_t *index)
{
    struct grid grid = grid_of(output);
    uint64_t rows = grid.rows, columns = grid.columns;
    uint64_t all = rows * columns;
    if (full || ops <= BUDGET || all <= 4)
        return sample_all(&grid, index);

    double affordable = BUDGET / (ops / (double)all);
    uint64_t most =
        affordable < OPERANDS_SAMPLE_MAX ? (uint64_t)affordable : OPERANDS_SAMPLE_MAX;
    uint64_t longer = rows > columns ? rows : columns;
    struct sample sample = {index, 0};
    if (longer + rows + columns <= most) {
        /* One walk over the longer side meets every row and every column. */
        uint64_t shift_row = random_next(&seed) % rows;
        uint64_t shift_column = random_next(&seed) % columns;
        for (uint64_t i = 0; i < longer; i++)
            sample_add(&sample, &grid, (i + shift_row) % rows,
                       (i + shift_column) % columns);
        for (uint64_t row = 0; row < rows; row++)
            sample_add(&sample, &grid, row, columns - 1);
        for (uint64_t column = 0; column < columns; column++)
            sample_add(&sample, &grid, rows - 1, column);
    } else {
        uint64_t ends = most / 4 < ENDS ? most / 4 : ENDS;
        for (uint64_t i = 0; i < ends && i < all; i++) {
            sample_add(&sample, &grid, i / columns, i % columns);
            sample_add(&sample, &grid, (all - 1 - i) / columns, (all - 1 - i) % columns);
        }
        sample_add(&sample, &grid, 0, columns - 1);
        sample_add(&sample, &grid, rows - 1, 0);
        sample_add(&sample, &grid, 0, 0);
        sample_add(&sample, &grid, rows - 1, columns - 1);
    }
    /* One at random out of each of equal parts, so in the order of memory. */
    uint64_t parts = sample.n < most ? most - sample.n : 0;
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t position = i * (all / parts) + random_next(&seed) % (all / parts);
        sample_add(&sample, &grid, position / columns, position % columns);
    }
    return sample.n;
}

/* ---- comparing ---- */

/* One element as numbers and as bits; of a block both are 0. */
struct element {
    uint64_t bits;
    double number;
    bool is_nan, is_poison, is_opaque;
};

static struct element element_get(uint32_t type, const void *array, uint64_t i)
{
    if (type_kind(type) == TYPE_OPAQUE)
        return (struct element){.is_opaque = true};
    const double number = type_get(type, array, i);
    return (struct element){.bits = type_bits(type, array, i),
                            .number = number,
                            .is_nan = isnan(number),
                            .is_poison = type_is_poison(type, array, i)};
}

/* Most elements of most outputs end here. A reference never answers with the poison. */
static bool is_same(uint32_t type, const void *got, uint64_t g, const void *want,
                    uint64_t w)
{
    const size_t size = type_bytes(type);
    if (size == 4)
        return ((const uint32_t *)got)[g] == ((const uint32_t *)want)[w];
    if (size == 8 && type_kind(type) != TYPE_OPAQUE)
        return ((const uint64_t *)got)[g] == ((const uint64_t *)want)[w];
    return memcmp((const char *)got + g * size, (const char *)want + w * size, size) == 0;
}

/* Distance if it is wrong, else negative. Equal bits do not come here. */
static double error_of(const struct element *got, const struct element *want,
                       double slack)
{
    if (slack > 0 && isinf(slack)) /* any value will do, and none too */
        return -1;
    if (got->is_poison || got->is_opaque)
        return INFINITY;
    if (got->is_nan && want->is_nan)
        return -1;
    if (got->is_nan || want->is_nan)
        return INFINITY;
    double distance = fabs(got->number - want->number);
    return slack > 0 && distance <= slack ? -1 : distance;
}

static void element_text(uint32_t type, const void *array, uint64_t i, char *text,
                         size_t size)
{
    enum { MOST_DIGITS = 17 };
    const struct element e = element_get(type, array, i);
    const int digits = 2 + (1 + type_digits(type)) * 1233 / 4096;
    if (e.is_poison)
        snprintf(text, size, "never written");
    else if (type_kind(type) == TYPE_SIGNED)
        snprintf(text, size, "%" PRId64, (int64_t)e.bits);
    else if (type_kind(type) == TYPE_UNSIGNED)
        snprintf(text, size, "%" PRIu64, e.bits);
    else /* as many digits as tell it from its neighbours */
        snprintf(text, size, "%.*g", digits < MOST_DIGITS ? digits : MOST_DIGITS,
                 e.number);
}

/* "output[3], byte 5, is 0x12, should be 0x13" */
static void describe_block(const struct simdbench_operand *output, uint64_t position,
                           const void *value, uint64_t i, char *text, size_t size)
{
    const size_t bytes = type_bytes(output->type);
    const uint8_t *const got = (const uint8_t *)output->data + position * bytes;
    const uint8_t *const want = (const uint8_t *)value + i * bytes;
    size_t at = 0;
    while (at + 1 < bytes && got[at] == want[at])
        at++;
    snprintf(text, size, "output[%" PRIu64 "], byte %zu, is 0x%02x, should be 0x%02x",
             position, at, got[at], want[at]);
}

static void describe(const struct simdbench_operand *output, uint64_t position,
                     const void *value, uint64_t i, double slack, char *text, size_t size)
{
    struct grid grid = grid_of(output);
    char place[64], got_text[40], want_text[40], allowed[48] = "";
    if (type_kind(output->type) == TYPE_OPAQUE) {
        describe_block(output, position, value, i, text, size);
        return;
    }
    if (grid.rows > 1)
        snprintf(place, sizeof place, "[%" PRIu64 "][%" PRIu64 "]", position / grid.ld,
                 position % grid.ld);
    else
        snprintf(place, sizeof place, "[%" PRIu64 "]", position);
    if (slack > 0)
        snprintf(allowed, sizeof allowed, " within %.3g", slack);
    element_text(output->type, output->data, position, got_text, sizeof got_text);
    element_text(output->type, value, i, want_text, sizeof want_text);
    snprintf(text, size, "output%s is %s, should be %s%s", place, got_text, want_text,
             allowed);
}

/* None stays none. */
static double widened(double slack, double more)
{
    return slack > 0 ? slack + more : slack;
}

/* A hint, or nothing: sums in another order and fused products differ in less than half
 * of the bits. The error of a sum does not shrink with it, so that a relative one tells
 * of others only where many elements are right but for few units in the last place. */
static void tell_tolerance(uint32_t type, const void *value, uint64_t n, double furthest,
                           double relative, char *text, size_t size)
{
    enum { MANY = 64, UNITS = 16, MARGIN = 32 };
    const int digits = type_digits(type);
    const bool each = n >= MANY && relative <= ldexp(UNITS, -digits);
    double largest = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double number = fabs(type_get(type, value, i));
        largest = number < INFINITY ? fmax(largest, number) : largest;
    }
    if (furthest > 0 && furthest <= exp2(-0.6 * digits) * largest)
        snprintf(text, size,
                 "; floats differ in their last bits, which --tolerance=%s:%.0e (in a "
                 "file: tolerance) allows",
                 each ? "rel" : "abs",
                 pow(10, ceil(log10(MARGIN * (each ? relative : furthest)))));
}

int operands_compare(const struct simdbench_operand *output, const uint64_t *index,
                     uint64_t n, const void *value, const double *slack,
                     struct error *error)
{
    return operands_compare_loosely(output, index, n, value, slack, 0, error);
}

int operands_compare_loosely(const struct simdbench_operand *output,
                             const uint64_t *index, uint64_t n, const void *value,
                             const double *slack, double more, struct error *error)
{
    uint64_t wrong = 0, first = 0, worst = 0;
    bool may_differ = true;
    double worst_distance = -1, relative = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t position = index ? index[i] : i;
        if (is_same(output->type, output->data, position, value, i))
            continue;
        struct element got = element_get(output->type, output->data, position);
        struct element want = element_get(output->type, value, i);
        double distance = error_of(&got, &want, widened(slack[i], more));
        if (distance < 0)
            continue;
        if (wrong++ == 0)
            first = i;
        relative =
            fmax(relative, want.number != 0 ? distance / fabs(want.number) : INFINITY);
        may_differ &= slack[i] < 0;
        if (distance > worst_distance) {
            worst_distance = distance;
            worst = i;
        }
    }
    if (wrong == 0)
        return 0;
    char first_text[200], worst_text[200] = "", hint[100] = "";
    describe(output, index ? index[first] : first, value, first,
             widened(slack[first], more), first_text, sizeof first_text);
    if (worst != first)
        describe(output, index ? index[worst] : worst, value, worst,
                 widened(slack[worst], more), worst_text, sizeof worst_text);
    if (may_differ)
        tell_tolerance(output->type, value, n, worst_distance, relative, hint,
                       sizeof hint);
    return error_set(error, -EDOM,
                     "%" PRIu64 " of %" PRIu64 " checked are wrong: %s%s%s%s", wrong, n,
                     first_text, worst != first ? "; worst: " : "", worst_text, hint);
}

/* ---- making wrong ---- */

/* One of four on average; what takes its place comes from no further than that. */
enum { SPOIL_STEP = 7, SPOIL_NEAR = 64 };

static uint64_t spoil_first(uint64_t n, uint64_t *random)
{
    return random_next(random) % (n && n < SPOIL_STEP ? n : SPOIL_STEP);
}

static uint64_t spoil_next(uint64_t *random)
{
    return 1 + random_next(random) % SPOIL_STEP;
}

static void element_copy(uint32_t type, void *to, uint64_t t, const void *from,
                         uint64_t f)
{
    const size_t size = type_bytes(type);
    memcpy((char *)to + t * size, (const char *)from + f * size, size);
}

/* Doubles a number, or the like; makes a NaN or an infinity finite. */
static void element_flip(uint32_t type, void *array, uint64_t i, uint64_t draw)
{
    const size_t size = type_bytes(type);
    const int digits = type_digits(type);
    /* Integers change like floats of that size; small ones and blocks in any bit. */
    const size_t bit = digits      ? (size_t)digits + draw % 3
                       : size == 8 ? 52 + draw % 3
                       : size == 4 ? 23 + draw % 3
                                   : draw % (8 * size);
    ((uint8_t *)array)[i * size + bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void answer_spoil(const struct simdbench_operand *output, uint64_t position,
                         const void *value, uint64_t n, uint64_t i, double slack,
                         uint64_t *random)
{
    const uint64_t other = (i + 1 + random_next(random) % SPOIL_NEAR) % n;
    element_copy(output->type, output->data, position, value, other);
    const struct element got = element_get(output->type, output->data, position);
    const struct element want = element_get(output->type, value, i);
    if (is_same(output->type, output->data, position, value, i) ||
        error_of(&got, &want, slack) < 0)
        element_flip(output->type, output->data, position, random_next(random));
}

static void output_spoil(const struct simdbench_operand *output, uint64_t *random)
{
    const uint64_t count = output->count;
    for (uint64_t e = spoil_first(count, random); e < count; e += spoil_next(random))
        element_copy(output->type, output->data, e, output->data,
                     (e + 1 + random_next(random) % SPOIL_NEAR) % count);
}

void operands_spoil(const struct operands *operands, const uint64_t *index, uint64_t n,
                    const void *value, const double *slack, uint64_t seed)
{
    bool known = n > 0;
    for (uint32_t k = 0; k < operands->view.count; k++) {
        const struct simdbench_operand *output = &operands->operand[k];
        if (!operand_is_output(output))
            continue;
        if (output->role == SIMDBENCH_INOUT)
            memcpy(output->data, operands->operand[output->source].data,
                   operand_bytes(output));
        else
            output_spoil(output, &seed);
        /* Answers are those of the first output. */
        const uint64_t answers = known && output->role == SIMDBENCH_OUT ? n : 0;
        known = false;
        for (uint64_t i = 0; i < answers; i++)
            element_copy(output->type, output->data, index ? index[i] : i, value, i);
        for (uint64_t i = spoil_first(answers, &seed); i < answers;
             i += spoil_next(&seed))
            answer_spoil(output, index ? index[i] : i, value, n, i, slack[i], &seed);
    }
}
