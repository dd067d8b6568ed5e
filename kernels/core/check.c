/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "poison.h"

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

/* One element as numbers and as bits. */
struct element {
    uint64_t bits;
    double number;
    bool is_nan, is_poison;
};

static struct element element_get(uint32_t type, const void *array, uint64_t i)
{
    struct element e = {0};
    switch (type) {
    case SIMDBENCH_F32: {
        uint32_t bits;
        float number;
        memcpy(&bits, (const char *)array + i * sizeof bits, sizeof bits);
        memcpy(&number, &bits, sizeof bits);
        e.bits = bits;
        e.number = (double)number;
        e.is_nan = isnan(number);
        e.is_poison = bits == POISON_32;
        break;
    }
    case SIMDBENCH_F64:
        memcpy(&e.bits, (const char *)array + i * sizeof e.bits, sizeof e.bits);
        memcpy(&e.number, &e.bits, sizeof e.bits);
        e.is_nan = isnan(e.number);
        e.is_poison = e.bits == POISON_64;
        break;
    case SIMDBENCH_I32: {
        int32_t number;
        memcpy(&number, (const char *)array + i * sizeof number, sizeof number);
        e.bits = (uint64_t)number;
        e.number = number;
        break;
    }
    case SIMDBENCH_I64: {
        int64_t number;
        memcpy(&number, (const char *)array + i * sizeof number, sizeof number);
        e.bits = (uint64_t)number;
        e.number = (double)number;
        break;
    }
    }
    return e;
}

/* Most elements of most outputs end here. A reference never answers with the poison. */
static bool is_same(uint32_t type, const void *got, uint64_t g, const void *want,
                    uint64_t w)
{
    if (type_bytes(type) == 4)
        return ((const uint32_t *)got)[g] == ((const uint32_t *)want)[w];
    return ((const uint64_t *)got)[g] == ((const uint64_t *)want)[w];
}

/* Distance if it is wrong, else negative. Equal bits do not come here. */
static double error_of(const struct element *got, const struct element *want,
                       double slack)
{
    if (got->is_poison)
        return INFINITY;
    if (got->is_nan && want->is_nan)
        return -1;
    if (got->is_nan || want->is_nan)
        return INFINITY;
    double distance = fabs(got->number - want->number);
    return slack > 0 && distance <= slack ? -1 : distance;
}

static void element_text(const struct element *e, uint32_t type, char *text, size_t size)
{
    if (e->is_poison)
        snprintf(text, size, "never written");
    else if (type == SIMDBENCH_I32 || type == SIMDBENCH_I64)
        snprintf(text, size, "%" PRId64, (int64_t)e->bits);
    else
        snprintf(text, size, "%.*g", type == SIMDBENCH_F32 ? 9 : 17, e->number);
}

static void describe(const struct simdbench_operand *output, uint64_t position,
                     const void *value, uint64_t i, double slack, char *text, size_t size)
{
    struct grid grid = grid_of(output);
    struct element got = element_get(output->type, output->data, position);
    struct element want = element_get(output->type, value, i);
    char place[64], got_text[40], want_text[40], allowed[48] = "";
    if (grid.rows > 1)
        snprintf(place, sizeof place, "[%" PRIu64 "][%" PRIu64 "]", position / grid.ld,
                 position % grid.ld);
    else
        snprintf(place, sizeof place, "[%" PRIu64 "]", position);
    if (slack > 0)
        snprintf(allowed, sizeof allowed, " within %.3g", slack);
    element_text(&got, output->type, got_text, sizeof got_text);
    element_text(&want, output->type, want_text, sizeof want_text);
    snprintf(text, size, "output%s is %s, should be %s%s", place, got_text, want_text,
             allowed);
}

/* None stays none. */
static double widened(double slack, double more)
{
    return slack > 0 ? slack + more : slack;
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
    double worst_distance = -1;
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
        if (distance > worst_distance) {
            worst_distance = distance;
            worst = i;
        }
    }
    if (wrong == 0)
        return 0;
    char first_text[200], worst_text[200] = "";
    describe(output, index ? index[first] : first, value, first,
             widened(slack[first], more), first_text, sizeof first_text);
    if (worst != first)
        describe(output, index ? index[worst] : worst, value, worst,
                 widened(slack[worst], more), worst_text, sizeof worst_text);
    return error_set(error, -EDOM, "%" PRIu64 " of %" PRIu64 " checked are wrong: %s%s%s",
                     wrong, n, first_text, worst != first ? "; worst: " : "", worst_text);
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
    if (type_bytes(type) == 4)
        ((uint32_t *)array)[i] ^= UINT32_C(1) << (23 + draw % 3);
    else
        ((uint64_t *)array)[i] ^= UINT64_C(1) << (52 + draw % 3);
}

static void answer_spoil(const struct simdbench_operand *output, uint64_t position,
                         const void *value, uint64_t n, uint64_t i, double slack,
                         uint64_t *random)
{
    const uint64_t other = (i + 1 + random_next(random) % SPOIL_NEAR) % n;
    element_copy(output->type, output->data, position, value, other);
    const struct element got = element_get(output->type, output->data, position);
    const struct element want = element_get(output->type, value, i);
    if (got.bits == want.bits || error_of(&got, &want, slack) < 0)
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
                   output->count * type_bytes(output->type));
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
