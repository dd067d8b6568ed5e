/* SPDX-License-Identifier: Apache-2.0 */
#include "fresh_op.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers with x between them. */
int fresh_parse(uint32_t rank, const char *text, struct simdbench_shape *shape,
                char *error, size_t error_size)
{
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = rank};
    for (uint32_t d = 0; d < rank; d++) {
        char *end;
        errno = 0;
        const long long n = strtoll(text, &end, 10);
        if (errno || end == text || n < 0 || n > 1 << 28 ||
            *end != (d + 1 < rank ? 'x' : '\0')) {
            snprintf(error, error_size, "%" PRIu32 " numbers with x between them", rank);
            return -EINVAL;
        }
        shape->dim[d] = n;
        text = end + 1;
    }
    return 0;
}

void fresh_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    size_t used = 0;
    for (uint32_t d = 0; d < shape->rank && used < text_size; d++)
        used += (size_t)snprintf(text + used, text_size - used, "%s%" PRId64,
                                 d ? "x" : "", shape->dim[d]);
}

int fresh_lay(const struct array *array, size_t n, uint32_t type,
              struct simdbench_operand *const operand[])
{
    for (size_t o = 0; o < n; o++) {
        operand[o]->type = type;
        operand[o]->role = array[o].role;
        operand[o]->count = (uint64_t)array[o].count;
        operand[o]->ld = array[o].ld ? array[o].ld : array[o].count;
    }
    return (int)n;
}

double fresh_get(const struct simdbench_operand *operand, int64_t i)
{
    switch (operand->type) {
    case SIMDBENCH_F32:
        return (double)((const float *)operand->data)[i];
    case SIMDBENCH_F64:
        return ((const double *)operand->data)[i];
    default:
        return ((const int32_t *)operand->data)[i];
    }
}

static void put(uint32_t type, void *data, uint64_t i, double value)
{
    switch (type) {
    case SIMDBENCH_F32:
        ((float *)data)[i] = (float)value;
        return;
    case SIMDBENCH_F64:
        ((double *)data)[i] = value;
        return;
    default:
        ((int32_t *)data)[i] = (int32_t)value;
    }
}

int fresh_fill(const struct simdbench_operands *operands, uint64_t seed,
               const char *input, input_value *value)
{
    if (input)
        return -EINVAL;
    for (uint32_t o = 0; o + 1 < operands->count; o++)
        for (uint64_t i = 0; i < operands->operand[o]->count; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            put(operands->operand[o]->type, operands->operand[o]->data, i,
                value(operands, o, i, (double)(seed >> 32) * 0x1p-32));
        }
    return 0;
}

int fresh_refer(const struct simdbench_operands *operands, const char *semiring,
                const uint64_t *index, uint64_t n, void *value, double *slack,
                answer *right)
{
    const uint32_t type = operands->operand[0]->type;
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const double exact = right(operands, (int64_t)(index ? index[i] : i));
        put(type, value, i, exact);
        slack[i] = type == SIMDBENCH_I32 ? 0 : 1e-5 * (1 + fabs(exact));
    }
    return 0;
}

double fresh_bytes(const struct array *array, size_t n, uint32_t type)
{
    int64_t count = 0;
    for (size_t o = 0; o < n; o++)
        count += array[o].used ? array[o].used : array[o].count;
    return (double)count * (type == SIMDBENCH_F64 ? 8 : 4);
}

double fresh_both_signs(const struct simdbench_operands *operands, uint32_t o, uint64_t i,
                        double u)
{
    return 2 * u - 1;
}

double fresh_positive(const struct simdbench_operands *operands, uint32_t o, uint64_t i,
                      double u)
{
    return 0.5 + u;
}
