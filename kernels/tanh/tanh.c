/* SPDX-License-Identifier: Apache-2.0 */
#include "tanh.h"

#include <float.h>
#include <math.h>

#include "kernels.h"
#include "split_rules.h"
#include "vector_input.h"

static int tanh_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    return vector_layout(shape, type, SIMDBENCH_OUT, operand);
}

/* type_ulp() of a number from 0 up that may be no double. */
static long double gap_f64(long double value)
{
    int exponent;

    frexpl(value < DBL_MIN ? DBL_MIN : value, &exponent);
    return ldexpl(1, exponent - DBL_MANT_DIG);
}

/* Zeros, infinities and NaNs have to be what they should be; others may be off. */
static int tanh_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const struct simdbench_operand *operand = operands->operand[0];

    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        if (operand->type == SIMDBENCH_F32) {
            const double x = (double)((const float *)operand->data)[at], y = tanh(x);
            ((float *)value)[i] = (float)y;
            slack[i] =
                isfinite(x) && x != 0 ? TANH_SLACK_ULP * type_ulp(SIMDBENCH_F32, y) : 0;
        } else {
            const long double x = ((const double *)operand->data)[at], y = tanhl(x);
            ((double *)value)[i] = (double)y;
            slack[i] =
                isfinite(x) && x != 0 ? (double)(TANH_SLACK_ULP * gap_f64(fabsl(y))) : 0;
        }
    }
    return 0;
}

/* Error of one element, from the exact value and not from its rounding. Infinite where
 * only one of the two is a NaN. */
static double error_of(const struct simdbench_operands *operands, uint64_t at,
                       double *input)
{
    const struct simdbench_operand *x = operands->operand[0], *y = operands->operand[1];
    double error;

    if (x->type == SIMDBENCH_F32) {
        *input = (double)((const float *)x->data)[at];
        const double exact = tanh(*input);
        error = fabs((double)((const float *)y->data)[at] - exact) /
                type_ulp(SIMDBENCH_F32, exact);
    } else {
        *input = ((const double *)x->data)[at];
        const long double exact = tanhl(*input);
        error = (double)(fabsl(((const double *)y->data)[at] - exact) /
                         gap_f64(fabsl(exact)));
    }
    if (!isnan(error))
        return error;
    const bool same = x->type == SIMDBENCH_F32 ? isnan(((const float *)y->data)[at])
                                               : isnan(((const double *)y->data)[at]);
    return isnan(*input) && same ? 0 : INFINITY;
}

static int tanh_accuracy(const struct simdbench_operands *operands, const uint64_t *index,
                         uint64_t n, struct simdbench_accuracy *accuracy)
{
    double sum = 0;

    accuracy->max_ulp = accuracy->mean_ulp = accuracy->worst_input = 0;
    for (uint64_t i = 0; i < n; i++) {
        double input;
        const double error = error_of(operands, index ? index[i] : i, &input);
        sum += error;
        if (i == 0 || error > accuracy->max_ulp) {
            accuracy->max_ulp = error;
            accuracy->worst_input = input;
        }
    }
    accuracy->mean_ulp = n ? sum / (double)n : 0;
    return 0;
}

/* Some 20 samples of each row in a few ms. More elements tell nothing new. */
static int tanh_auto(const char *isa, const struct simdbench_operands *operands,
                     void **state, char *error, size_t error_size)
{
    static const struct fastest_pace pace = {
        .elements = 1 << 18, .sample_ns = 0.05e6, .spell_ns = 0.1e6, .budget_ns = 6e6};
    return fastest_choose("tanh", isa, SIZE_MAX, operands, &pace, state, error,
                          error_size);
}

#define AUTO(isa) KERNEL_HOOKS(tanh_auto_##isa, tanh_auto, #isa, free, fastest_tell)
AUTO(scalar)
EACH_VECTOR_ISA(AUTO)

const struct simdbench_op tanh_op = {
    .size = sizeof tanh_op,
    .name = "tanh",
    .summary = "hyperbolic tangent of each element",
    .shape_help = "N elements",
    .default_shapes = "1Ki,16Ki,256Ki,1Mi",
    .parse = vector_parse,
    .format = vector_format,
    .layout = tanh_layout,
    .fill = vector_op_fill,
    .reference = tanh_reference,
    .work = vector_work,
    /* Vectors that fit in L1, L2 and L3 of most CPUs, and in few. */
    .lists = SHAPE_SUITE("2048 32768 524288 8388608"),
    .inputs = VECTOR_INPUTS,
    .accuracy = tanh_accuracy,
    /* Subnormal, linear, the rise in three parts, close to 1, 1. */
    .accuracy_inputs = "subnormal bits:1.2e-38..0.00024 bits:0.00024..0.25 bits:0.25..1 "
                       "bits:1..3 bits:3..9.1 bits:9.1..inf",
    .accuracy_shape = "262144",
};

const struct op_row tanh_row = {
    .op = &tanh_op,
    .libraries = OP_LIST("onednn", "sleef", "libmvec"),
    .examples = OP_LIST("--sizes=1k..1M*10 --input=normal,uniform:-8..8,saturated",
                        "--accuracy --isa=all", "--accuracy-at-most=1ulp --type=f32,f64"),
    .threads_sizes = "256..1Mi*4",
    .license = {.turn = 3, .sizes = "1k..100k*10"},
    .split = split_by_elements_shared,
};
