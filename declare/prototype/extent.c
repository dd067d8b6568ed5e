/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of dimensions: evaluated here, read in declare_expression.c. */
#include "declare_private.h"

static int divide(enum extent_op op, int64_t a, int64_t b, int64_t *value,
                  struct error *error)
{
    if (b == 0)
        return error_set(error, -EDOM, "an extent divides by zero");
    if (a == INT64_MIN && b == -1)
        return -EOVERFLOW;
    *value = op == EXTENT_DIVIDE ? a / b : a % b;
    return 0;
}

static int shift(enum extent_op op, int64_t a, int64_t by, int64_t *value,
                 struct error *error)
{
    if (by < 0 || by > 62)
        return error_set(error, -EDOM, "an extent shifts by a number beyond 0 to 62");
    *value = a >> by;
    return op == EXTENT_LEFT && __builtin_mul_overflow(a, INT64_C(1) << by, value)
               ? -EOVERFLOW
               : 0;
}

static int combine(enum extent_op op, int64_t a, int64_t b, int64_t *value,
                   struct error *error)
{
    switch (op) {
    case EXTENT_OR:
        *value = a | b;
        return 0;
    case EXTENT_XOR:
        *value = a ^ b;
        return 0;
    case EXTENT_AND:
        *value = a & b;
        return 0;
    case EXTENT_LEFT:
    case EXTENT_RIGHT:
        return shift(op, a, b, value, error);
    case EXTENT_ADD:
        return __builtin_add_overflow(a, b, value) ? -EOVERFLOW : 0;
    case EXTENT_SUBTRACT:
        return __builtin_sub_overflow(a, b, value) ? -EOVERFLOW : 0;
    case EXTENT_MULTIPLY:
        return __builtin_mul_overflow(a, b, value) ? -EOVERFLOW : 0;
    default:
        return divide(op, a, b, value, error);
    }
}

bool extent_is_beyond(const struct extent *extent)
{
    return extent->n == 1 && extent->step[0].op == EXTENT_NUMBER &&
           extent->step[0].value < 0;
}

int extent_value(const struct extent *extent, const int64_t *dimension, int64_t *value,
                 struct error *error)
{
    int64_t stack[EXTENT_STEPS + 1] = {0};
    size_t n = 0;
    int status = 0;
    for (uint32_t i = 0; i < extent->n && status == 0; i++) {
        const struct extent_step *step = &extent->step[i];
        if (step->op == EXTENT_NUMBER)
            stack[n++] = step->value;
        else if (step->op == EXTENT_DIMENSION)
            stack[n++] = dimension[step->value];
        else if (step->op == EXTENT_NEGATE)
            status = combine(EXTENT_SUBTRACT, 0, stack[n - 1], &stack[n - 1], error);
        else if (step->op == EXTENT_INVERT)
            stack[n - 1] = ~stack[n - 1];
        else {
            n--;
            status = combine(step->op, stack[n - 1], stack[n], &stack[n - 1], error);
        }
    }
    *value = stack[0];
    return status == -EOVERFLOW
               ? error_set(error, status, "an extent is beyond what 64 bits hold")
               : status;
}
