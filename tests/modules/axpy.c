/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op `axpy`: y += 0.5 * x, two loads and a store, in place. Rows `plain` and `less` name
 * no roof, and `none` wants none. Row `misfit` names one that does not fit.
 */
#include "modules/library.h"

#include <inttypes.h>
#include <stdlib.h>

static int axpy_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    char *end;
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 1};
    shape->dim[0] = strtoll(text, &end, 10);
    if (!*end && shape->dim[0] > 0)
        return 0;
    snprintf(error, error_size, "'%s' is no N", text);
    return -EINVAL;
}

static void axpy_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

static int axpy_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    static const uint32_t roles[] = {SIMDBENCH_IN, SIMDBENCH_INOUT};
    for (int i = 0; i < 2; i++) {
        operand[i]->type = type;
        operand[i]->role = roles[i];
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return 2;
}

/* y begins as a copy of x. */
static int axpy_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const float *x = operands->operand[0]->data;
    (void)semiring;
    for (uint64_t i = 0; i < n; i++) {
        ((float *)value)[i] = 1.5f * x[index ? index[i] : i];
        slack[i] = 1e-5;
    }
    return 0;
}

static void axpy_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                      double *bytes)
{
    (void)type;
    *ops = 2 * (double)shape->dim[0];
    *bytes = 12 * (double)shape->dim[0];
}

static const struct simdbench_op axpy_op = {.size = sizeof axpy_op,
                                            .name = "axpy",
                                            .summary = "y += 0.5 * x",
                                            .shape_help = "N",
                                            .default_shapes = "4096",
                                            .inputs = "uniform:-1..1",
                                            .parse = axpy_parse,
                                            .format = axpy_format,
                                            .layout = axpy_layout,
                                            .reference = axpy_reference,
                                            .work = axpy_work};

static void axpy_run(const struct simdbench_operands *operands, void *state)
{
    const float *x = operands->operand[0]->data;
    float *y = operands->operand[1]->data;
    (void)state;
    for (uint64_t i = 0; i < operands->operand[1]->count; i++)
        y[i] += 0.5f * x[i];
}

#define ROW(variant_, ...)                                                            \
    &(const struct simdbench_kernel)                                                  \
    {                                                                                 \
        .size = sizeof(struct simdbench_kernel), .type = SIMDBENCH_F32, .op = "axpy", \
        .isa = "scalar", .variant = variant_, .run = axpy_run, __VA_ARGS__            \
    }

static const struct simdbench_kernel *const kernels[] = {
    ROW("plain"), ROW("triad", .roof = "triad"), ROW("none", .roof = "none"),
    ROW("less"),  ROW("misfit", .roof = "copy"), NULL,
};

static const struct simdbench_op *const ops[] = {&axpy_op, NULL};

MODULE(.name = "axpy", .ops = ops, .kernels = kernels)
