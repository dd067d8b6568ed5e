/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the module of fresh plants, and what its kernels prepare. */
#include "fresh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- prepare ---- */

static int refuse(char *error, size_t error_size, const char *wanted)
{
    snprintf(error, error_size, "only %s", wanted);
    return -ENOTSUP;
}

/* All dimensions are multiples of a number. */
static int multiples(const struct simdbench_operands *operands, int64_t of, char *error,
                     size_t error_size)
{
    for (uint32_t d = 0; d < operands->shape->rank; d++)
        if (operands->shape->dim[d] == 0 || operands->shape->dim[d] % of)
            return refuse(error, error_size, "multiples of 64, or of 2 for grids");
    return 0;
}

/* Vectors: multiples of 64. Grids have borders: multiples of 2. */
static int even(const struct simdbench_operands *operands, void **state, char *error,
                size_t error_size)
{
    (void)state;
    return multiples(operands, operands->shape->rank == 1 ? 64 : 2, error, error_size);
}

static int searches(const struct simdbench_operands *operands, void **state, char *error,
                    size_t error_size)
{
    (void)state;
    return multiples(operands, 32, error, error_size);
}

/* ---- the module ---- */

#define FRESH(name_, op_, type_, isa_, prepare_, release_) \
    static const struct simdbench_kernel name_##_row = {   \
        .size = sizeof(struct simdbench_kernel),           \
        .type = SIMDBENCH_##type_,                         \
        .op = #op_,                                        \
        .isa = #isa_,                                      \
        .variant = #name_,                                 \
        .prepare = prepare_,                               \
        .run = name_,                                      \
        .release = release_};
#include "fresh.def"
#undef FRESH

#define FRESH(name, op, type, isa, prepare, release) &name##_row,
static const struct simdbench_kernel *const kernels[] = {
#include "fresh.def"
    NULL};
#undef FRESH

static int two_at_most(uint32_t threads)
{
    return threads > 2 ? -ENOTSUP : 0;
}

static const struct simdbench_module module = {.size = sizeof module,
                                               .abi = SIMDBENCH_ABI,
                                               .name = "fresh",
                                               .ops = fresh_ops,
                                               .kernels = kernels,
                                               .set_threads = two_at_most};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    return &module;
}
