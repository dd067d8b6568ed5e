/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module that brings its own op: softmax over the columns of a row-major matrix, shape
 * ROWSxCOLUMNS. It knows one option, trace=0 or 1, and two inputs.
 */
#include "simdbench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the op ---- */

static int softmax_parse(const char *text, struct simdbench_shape *shape, char *error,
                         size_t error_size)
{
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 2};
    int used = 0;
    if (sscanf(text, "%9" SCNd64 "x%9" SCNd64 "%n", &shape->dim[0], &shape->dim[1],
               &used) != 2 ||
        text[used] || shape->dim[0] < 0 || shape->dim[1] < 1) {
        snprintf(error, error_size, "'%s' is not ROWSxCOLUMNS with a column at least",
                 text);
        return -EINVAL;
    }
    return 0;
}

static void softmax_format(const struct simdbench_shape *shape, char *text,
                           size_t text_size)
{
    snprintf(text, text_size, "%" PRId64 "x%" PRId64, shape->dim[0], shape->dim[1]);
}

static int softmax_layout(const struct simdbench_shape *shape, uint32_t type,
                          struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    for (int i = 0; i < 2; i++) {
        operand[i]->type = type;
        operand[i]->role = i == 0 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = (uint64_t)(shape->dim[0] * shape->dim[1]);
        operand[i]->ld = shape->dim[1];
    }
    return 2;
}

static int softmax_fill(const struct simdbench_operands *operands, uint64_t seed,
                        const char *input)
{
    float *in = operands->operand[0]->data;
    if (input && strcmp(input, "small") != 0 && strcmp(input, "wide") != 0)
        return -EINVAL;
    float range = input && strcmp(input, "wide") == 0 ? 100 : 1;
    for (uint64_t i = 0; i < operands->operand[0]->count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in[i] = range * ((float)(seed >> 40) * 0x1p-23f - 1);
    }
    return 0;
}

static int softmax_reference(const struct simdbench_operands *operands,
                             const char *semiring, const uint64_t *index, uint64_t n,
                             void *value, double *slack)
{
    const float *in = operands->operand[0]->data;
    uint64_t columns = (uint64_t)operands->shape->dim[1];
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t position = index ? index[i] : i;
        const float *row = in + position / columns * columns;
        double most = -INFINITY, sum = 0;
        for (uint64_t c = 0; c < columns; c++)
            most = fmax(most, (double)row[c]);
        for (uint64_t c = 0; c < columns; c++)
            sum += exp((double)row[c] - most);
        double right = exp((double)in[position] - most) / sum;
        ((float *)value)[i] = (float)right;
        slack[i] = 1e-5 * right + 1e-30;
    }
    return 0;
}

static void softmax_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                         double *bytes)
{
    (void)type;
    *ops = (double)(shape->dim[0] * shape->dim[1]);
    *bytes = 8 * *ops;
}

static const struct simdbench_op softmax_op = {.size = sizeof softmax_op,
                                               .name = "own_softmax",
                                               .summary =
                                                   "softmax over the columns of a matrix",
                                               .shape_help = "ROWSxCOLUMNS",
                                               .default_shapes = "64x1000",
                                               .parse = softmax_parse,
                                               .format = softmax_format,
                                               .layout = softmax_layout,
                                               .fill = softmax_fill,
                                               .reference = softmax_reference,
                                               .work = softmax_work};

/* ---- its kernels ---- */

/* Scratch memory for one row, to show what prepare is for. */
static int softmax_prepare(const struct simdbench_operands *operands, void **state,
                           char *error, size_t error_size)
{
    if (operands->shape->dim[1] > 1000000) {
        snprintf(error, error_size, "rows are limited to 1000000 columns");
        return -ENOTSUP;
    }
    *state = malloc((size_t)operands->shape->dim[1] * sizeof(float));
    return *state ? 0 : -ENOMEM;
}

static void three_passes(const struct simdbench_operands *operands, void *state)
{
    const float *in = operands->operand[0]->data;
    float *out = operands->operand[1]->data, *scratch = state;
    int64_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];
    for (int64_t r = 0; r < rows; r++, in += columns, out += columns) {
        float most = in[0], sum = 0;
        for (int64_t c = 1; c < columns; c++)
            most = in[c] > most ? in[c] : most;
        for (int64_t c = 0; c < columns; c++)
            sum += scratch[c] = expf(in[c] - most);
        for (int64_t c = 0; c < columns; c++)
            out[c] = scratch[c] / sum;
    }
}

static const struct simdbench_kernel three_passes_row = {.size = sizeof three_passes_row,
                                                         .type = SIMDBENCH_F32,
                                                         .op = "own_softmax",
                                                         .isa = "scalar",
                                                         .variant = "three_passes",
                                                         .roof = "copy",
                                                         .prepare = softmax_prepare,
                                                         .run = three_passes,
                                                         .release = free};

/* ---- the module ---- */

static int softmax_open(const struct simdbench_option *const *options, size_t n,
                        char *error, size_t error_size)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i]->name, "trace") != 0 ||
            (strcmp(options[i]->value, "0") != 0 &&
             strcmp(options[i]->value, "1") != 0)) {
            snprintf(error, error_size, "%s=%s: only trace=0 and trace=1 are known",
                     options[i]->name, options[i]->value);
            return -EINVAL;
        }
    }
    return 0;
}

static int softmax_describe(struct simdbench_description *description)
{
    description->version = "softmax 1.0";
    return 0;
}

static const struct simdbench_module softmax = {
    .size = sizeof softmax,
    .abi = SIMDBENCH_ABI,
    .name = "softmax",
    .ops = (const struct simdbench_op *const[]){&softmax_op, NULL},
    .kernels = (const struct simdbench_kernel *const[]){&three_passes_row, NULL},
    .open = softmax_open,
    .describe = softmax_describe};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    return &softmax;
}
