/* SPDX-License-Identifier: Apache-2.0 */
/* The op of the module itself; its other rows are of ops of simdbench. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_rows.h"

static const float *in(const struct simdbench_operands *operands, int i)
{
    return operands->operand[i]->data;
}

static int vector_parse(const char *text, struct simdbench_shape *shape, char *error,
                        size_t error_size)
{
    const size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 9 || text[digits]) {
        snprintf(error, error_size, "'%s' is not N", text);
        return -EINVAL;
    }
    *shape = (struct simdbench_shape){
        .size = sizeof *shape, .rank = 1, .dim = {strtol(text, NULL, 10)}};
    return 0;
}

static void vector_format(const struct simdbench_shape *shape, char *text,
                          size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

static int binary_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    static const uint32_t role[] = {SIMDBENCH_IN, SIMDBENCH_IN, SIMDBENCH_OUT};

    if (type != SIMDBENCH_F32)
        return -EINVAL;
    for (int i = 0; i < 3; i++) {
        operand[i]->type = type;
        operand[i]->role = role[i];
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return 3;
}

static int fill(const struct simdbench_operands *operands, uint64_t seed,
                const char *input)
{
    if (input)
        return -EINVAL;
    for (uint32_t o = 0; o + 1 < operands->count; o++) {
        float *const data = operands->operand[o]->data;
        for (uint64_t i = 0; i < operands->operand[o]->count; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            data[i] = (float)(seed >> 40) * 0x1p-23F - 1;
        }
    }
    return 0;
}

/* Kernels may give either zero. */
static int add_relu_reference(const struct simdbench_operands *operands,
                              const char *semiring, const uint64_t *index, uint64_t n,
                              void *value, double *slack)
{
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        const float sum = in(operands, 0)[at] + in(operands, 1)[at];
        ((float *)value)[i] = sum < 0 ? 0 : sum;
        slack[i] = sum <= 0 ? (double)FLT_TRUE_MIN : 0;
    }
    return 0;
}

static void add_relu_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                          double *bytes)
{
    *ops = 2 * (double)shape->dim[0];
    *bytes = 12 * (double)shape->dim[0];
}

/* ---- hooks of row `unfused`: its sums ---- */

STUDY_PREPARE(sums_prepare)
{
    const size_t count = operands->operand[0]->count;

    *state = calloc(count + 1, sizeof(float));
    if (*state)
        return 0;
    snprintf(error, error_size, "no memory for %zu sums", count);
    return -ENOMEM;
}

void sums_release(void *state)
{
    free(state);
}

STUDY_CHOICE(sums_choice)
{
    choice->implementation = "sums in memory";
    choice->workspace_bytes = operands->operand[0]->count * sizeof(float);
}

static const struct simdbench_op add_relu_op = {
    .size = sizeof(struct simdbench_op),
    .name = "add_relu",
    .summary = "z = max(0, x + y)",
    .shape_help = "N",
    .default_shapes = "1k,64k,1M",
    .parse = vector_parse,
    .format = vector_format,
    .layout = binary_layout,
    .fill = fill,
    .reference = add_relu_reference,
    .work = add_relu_work,
};

const struct simdbench_op *const study_ops[] = {&add_relu_op, NULL};
