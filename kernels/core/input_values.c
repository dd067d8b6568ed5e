/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs whose values are known to be easy: all alike, in order, or the same ones again
 * and again. */
#include "kernels.h"

/* Sorts so many of an operand's elements; the rest repeat them. */
enum { SORTED_MAX = 1 << 16 };

/* No first cache of data is smaller. */
enum { NEAR_BYTES = 32 << 10 };

static int compare(const void *a, const void *b, void *of)
{
    const uint32_t type = *(const uint32_t *)of;
    const enum type_kind kind = type_kind(type);
    if (kind == TYPE_OPAQUE)
        return memcmp(a, b, type_bytes(type));
    const double x = type_get(type, a, 0), y = type_get(type, b, 0);
    const uint64_t m = type_bits(type, a, 0), n = type_bits(type, b, 0);
    if (kind == TYPE_SIGNED)
        return ((int64_t)m > (int64_t)n) - ((int64_t)m < (int64_t)n);
    return kind == TYPE_FLOAT ? (x > y) - (x < y) : (m > n) - (m < n);
}

/* Ascending: the first elements in order, each repeated until the operand is full. */
int operand_sort(const struct simdbench_operand *operand)
{
    const size_t size = type_bytes(operand->type);
    const size_t n = operand->count < SORTED_MAX ? operand->count : SORTED_MAX;
    char *const values = malloc(n * size + 1);
    char *const data = operand->data;
    if (!values)
        return -ENOMEM;
    memcpy(values, data, n * size);
    uint32_t type = operand->type;
    qsort_r(values, n, size, compare, &type);
    for (uint64_t e = 0; e < operand->count; e++)
        memcpy(data + e * size,
               values + (size_t)((double)e / (double)operand->count * (double)n) * size,
               size);
    free(values);
    return 0;
}

/* Its elements from `from` on are repeated until the one before `end`. */
static void repeat(const struct simdbench_operand *operand, uint64_t from,
                   uint64_t period, uint64_t end)
{
    const size_t size = type_bytes(operand->type);
    char *const data = operand->data;
    for (uint64_t e = from + period; e < end; e++)
        memcpy(data + e * size, data + (e - period) * size, size);
}

/* Few of its elements again and again, which predictors learn by heart. Tables and short
 * weights stay, and so do both ends: a text ends with its zero. */
static void repeat_part(const struct simdbench_operand *operand)
{
    enum { PERIOD = 64, EDGE = 64 };
    if (operand->count >= OPERANDS_REPEATED_LEAST)
        repeat(operand, EDGE, PERIOD, operand->count - EDGE);
}

static bool is_in_order(const struct simdbench_operand *operand)
{
    const size_t size = type_bytes(operand->type);
    const char *const data = operand->data;
    uint32_t type = operand->type;
    uint64_t e = 1;
    while (e < operand->count &&
           compare(data + (e - 1) * size, data + e * size, &type) <= 0)
        e++;
    return e >= operand->count;
}

/* Parts of what is in order are not, so that it stays, and the others are repeated, as
 * keys of a search. These make what stays no nearer if a first cache holds it anyway. */
static int repeat_keys(const struct operands *operands)
{
    bool stays = false, repeats = false;
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count) {
        if (operand->role != SIMDBENCH_IN || operand->count < 2)
            continue;
        const bool ordered = is_in_order(operand);
        if (ordered && operand_bytes(operand) > NEAR_BYTES)
            return -ENOTSUP;
        if (!ordered)
            repeat_part(operand);
        stays |= ordered;
        repeats |= !ordered && operand->count >= OPERANDS_REPEATED_LEAST;
    }
    return stays && repeats ? 0 : -ENOTSUP;
}

int operands_set_values(const struct operands *operands, const char *values)
{
    int status = 0;
    if (!strcmp(values, "keys"))
        return repeat_keys(operands);
    for (uint32_t i = 0; i < operands->view.count && status == 0; i++) {
        const struct simdbench_operand *operand = &operands->operand[i];
        if (operand->role != SIMDBENCH_IN)
            continue;
        if (!strcmp(values, "zero"))
            memset(operand->data, 0, operand_bytes(operand));
        else if (!strcmp(values, "constant"))
            repeat(operand, 0, 1, operand->count);
        else if (!strcmp(values, "repeated"))
            repeat_part(operand);
        else
            status = strcmp(values, "sorted") ? -EINVAL : operand_sort(operand);
    }
    return status;
}
