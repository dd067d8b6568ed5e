/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_op.h"

#include <float.h>
#include <inttypes.h>

#include "kernels.h"
#include "vector_input.h"

int matrix_parse(const char *text, struct simdbench_shape *shape, char *error,
                 size_t error_size)
{
    const char *at = text;
    struct simdbench_shape read = {.size = sizeof read, .rank = 2};
    const bool square = text[strspn(text, "0123456789")] == '\0';
    for (int i = 0; i < 2; i++) {
        if (square)
            at = text;
        const size_t digits = strspn(at, "0123456789");
        if (digits == 0 || digits > 9 || at[digits] != (i == 0 && !square ? 'x' : '\0')) {
            snprintf(error, error_size, "'%s' is no shape: write ROWSxCOLUMNS or N",
                     text);
            return -EINVAL;
        }
        read.dim[i] = strtol(at, NULL, 10);
        if (read.dim[i] == 0) {
            snprintf(error, error_size, "'%s' has no element", text);
            return -EINVAL;
        }
        at += digits + 1;
    }
    *shape = read;
    return 0;
}

void matrix_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%" PRId64 "x%" PRId64, shape->dim[0], shape->dim[1]);
}

int operand_plain(struct simdbench_operand *operand, uint32_t type, uint32_t role,
                  uint64_t count)
{
    if (type != SIMDBENCH_F32 && type != SIMDBENCH_F64)
        return -EINVAL;
    if (count > PTRDIFF_MAX / type_bytes(type))
        return -EOVERFLOW;
    operand->type = type;
    operand->role = role;
    operand->count = count;
    operand->ld = (int64_t)count;
    return 0;
}

int matrix_layout(const struct simdbench_shape *shape, uint32_t type,
                  struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const uint64_t count = (uint64_t)shape->dim[0] * (uint64_t)shape->dim[1];
    const int status = operand_plain(operand[0], type, SIMDBENCH_IN, count);
    return status == 0 && operand_plain(operand[1], type, SIMDBENCH_OUT, count) == 0
               ? 2
               : status;
}

int matrix_fill(const struct simdbench_operands *operands, uint64_t seed,
                const char *input)
{
    int status = 0;
    for (uint32_t i = 0; i < operands->count && status == 0; i++) {
        const struct simdbench_operand *const x = operands->operand[i];
        if (x->role == SIMDBENCH_IN)
            status = vector_fill(x->data, x->type, x->count, seed + i, input);
    }
    return status;
}

void matrix_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                 double *bytes)
{
    *ops = (double)shape->dim[0] * (double)shape->dim[1];
    *bytes = 2 * *ops * (double)type_bytes(type);
}

double operand_float(const struct simdbench_operand *operand, uint64_t at)
{
    return operand->type == SIMDBENCH_F32 ? (double)((const float *)operand->data)[at]
                                          : ((const double *)operand->data)[at];
}

void answer_set(const struct simdbench_operand *output, uint64_t i, void *value,
                double right)
{
    if (output->type == SIMDBENCH_F32)
        ((float *)value)[i] = (float)right;
    else
        ((double *)value)[i] = right;
}

double type_epsilon(uint32_t type)
{
    return type == SIMDBENCH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

double type_least(uint32_t type)
{
    return type == SIMDBENCH_F32 ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN;
}
