/* SPDX-License-Identifier: Apache-2.0 */
/* A case of an op in plain memory, laid out and filled. */
#pragma once

#include "kernels.h"
#include "unit.h"

struct plain {
    struct operands operands;
    struct operands_map map;
    void *memory; /* free() it */
};

static inline struct simdbench_shape shape_of(const char *op, const char *text)
{
    struct simdbench_shape shape;
    char error[200] = "";
    if (op_find(op)->parse(text, &shape, error, sizeof error) != 0)
        fail_msg("%s", error);
    return shape;
}

static inline void plain_make(struct plain *plain, const char *op_name, const char *text,
                              uint32_t type, const char *input, uint64_t seed)
{
    const struct simdbench_op *const op = op_find(op_name);
    const struct simdbench_shape shape = shape_of(op_name, text);
    assert_int_equal(operands_place(op, &shape, type, 64, 1, &plain->map, NULL), 0);
    plain->memory = aligned_alloc(4096, (plain->map.bytes + 4095) / 4096 * 4096);
    assert_non_null(plain->memory);
    operands_bind(&plain->operands, &plain->map, &shape, 1, plain->memory);
    assert_int_equal(op->fill(&plain->operands.view, seed, input), 0);
}

static inline float *f32(const struct plain *plain, int operand)
{
    return plain->operands.operand[operand].data;
}

static inline double *f64(const struct plain *plain, int operand)
{
    return plain->operands.operand[operand].data;
}
