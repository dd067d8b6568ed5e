/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest op, for modules that misbehave: every output is twice its input.
 * MODULE(name, run) is a whole module with two rows, "good" and "bad", which is `run`.
 */
#pragma once

#include "simdbench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int twice_parse(const char *text, struct simdbench_shape *shape, char *error,
                       size_t error_size)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    if (*end || end == text || n < 0) {
        snprintf(error, error_size, "'%s' is no number of elements", text);
        return -EINVAL;
    }
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 1, .dim = {n}};
    return 0;
}

static void twice_format(const struct simdbench_shape *shape, char *text,
                         size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

static int twice_layout(const struct simdbench_shape *shape, uint32_t type,
                        struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    for (int i = 0; i < 2; i++) {
        operand[i]->type = type;
        operand[i]->role = i == 0 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return 2;
}

static int twice_fill(const struct simdbench_operands *operands, uint64_t seed,
                      const char *input)
{
    float *in = operands->operand[0]->data;
    if (input)
        return -EINVAL;
    for (uint64_t i = 0; i < operands->operand[0]->count; i++)
        in[i] = (float)((i * 7919 + seed) % 1000);
    return 0;
}

static int twice_reference(const struct simdbench_operands *operands,
                           const char *semiring, const uint64_t *index, uint64_t n,
                           void *value, double *slack)
{
    const float *in = operands->operand[0]->data;
    for (uint64_t i = 0; i < n; i++) {
        ((float *)value)[i] = 2 * in[index ? index[i] : i];
        slack[i] = 0;
    }
    return 0;
}

static void twice_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                       double *bytes)
{
    *ops = (double)shape->dim[0];
    *bytes = 8 * (double)shape->dim[0];
}

static const struct simdbench_op twice_op = {.size = sizeof twice_op,
                                             .name = "twice",
                                             .summary = "every output is twice its input",
                                             .shape_help = "N",
                                             .default_shapes = "1000",
                                             .parse = twice_parse,
                                             .format = twice_format,
                                             .layout = twice_layout,
                                             .fill = twice_fill,
                                             .reference = twice_reference,
                                             .work = twice_work};

static inline void twice_run(const struct simdbench_operands *operands, void *state)
{
    const float *in = operands->operand[0]->data;
    float *out = operands->operand[1]->data;
    for (uint64_t i = 0; i < operands->operand[0]->count; i++)
        out[i] = 2 * in[i];
}

/* Redefined by those that take options, and by those whose row "bad" has more fields. */
#ifndef MODULE_OPEN
#define MODULE_OPEN
#endif
#ifndef MODULE_BAD
#define MODULE_BAD
#endif

#define MODULE(name_, run_) MODULE_ROWS(name_, "good", twice_run, "bad", run_)

/* Every row states these fields. */
#define TWICE_ROW(variant_, run_)                                                  \
    .size = sizeof(struct simdbench_kernel), .type = SIMDBENCH_F32, .op = "twice", \
    .isa = "scalar", .variant = variant_, .run = run_

#define MODULE_ROWS(name_, one_, one_run_, two_, two_run_)                              \
    static const struct simdbench_kernel good_row = {TWICE_ROW(one_, one_run_)};        \
    static const struct simdbench_kernel bad_row = {                                    \
        MODULE_BAD TWICE_ROW(two_, two_run_)};                                          \
    static const struct simdbench_module module = {                                     \
        .size = sizeof module,                                                          \
        .abi = SIMDBENCH_ABI,                                                           \
        .name = name_,                                                                  \
        MODULE_OPEN.ops = (const struct simdbench_op *const[]){&twice_op, NULL},        \
        .kernels = (const struct simdbench_kernel *const[]){&good_row, &bad_row, NULL}, \
    };                                                                                  \
    const struct simdbench_module *simdbench_module(uint32_t abi)                       \
    {                                                                                   \
        return &module;                                                                 \
    }
