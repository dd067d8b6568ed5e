/* SPDX-License-Identifier: Apache-2.0 */
/* The module's table, what its kernels prepare, and calls of those in assembly. */
#include "plants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conv/conv.h"

enum { LINE = 64, PAGE = 4096 };

/* ---- shared ---- */

void plants_shuffle(uint32_t *order, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t other = (size_t)((seed >> 33) % (i + 1));
        order[i] = order[other];
        order[other] = (uint32_t)i;
    }
}

/* ---- prepare ---- */

static int refuse(char *error, size_t error_size, const char *wanted)
{
    snprintf(error, error_size, "only %s", wanted);
    return -ENOTSUP;
}

static int vectors(const struct simdbench_operands *operands, void **state, char *error,
                   size_t error_size)
{
    return size(operands) % 64 ? refuse(error, error_size, "multiples of 64") : 0;
}

static int chunks(const struct simdbench_operands *operands, void **state, char *error,
                  size_t error_size)
{
    return size(operands) % CHUNK ? refuse(error, error_size, "multiples of 16384") : 0;
}

static int matrices(const struct simdbench_operands *operands, void **state, char *error,
                    size_t error_size)
{
    const struct simdbench_shape *shape = operands->shape;
    if (shape->rank != 3 || shape->dim[0] % 16 || shape->dim[1] % 16)
        return refuse(error, error_size, "multiples of 16 rows and columns");
    return 0;
}

static int images(const struct simdbench_operands *operands, void **state, char *error,
                  size_t error_size)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    if (s.u * s.v * s.d * s.g * s.b != 1 || s.p || s.q || s.k % 12 || s.ow % 16)
        return refuse(error, error_size,
                      "unit strides, a multiple of 12 channels of y and of 16 columns");
    return 0;
}

/* Room for B, in whole pages. */
static int packed(const struct simdbench_operands *operands, void **state, char *error,
                  size_t error_size)
{
    const int status = matrices(operands, state, error, error_size);
    if (status < 0)
        return status;
    const size_t bytes = operands->operand[1]->count * sizeof(float);
    *state = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    return *state ? 0 : -ENOMEM;
}

/* A list over n nodes, a line each: order[i] is followed by order[i + 1], the last one by
 * the first. The first integer of node i is the number of the next one. */
static int list_make(const uint32_t *order, size_t n, void **state)
{
    uint32_t *const node = aligned_alloc(LINE, n * LINE);
    if (!node)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        node[order[i] * (LINE / sizeof *node)] = order[(i + 1) % n];
    *state = node;
    return 0;
}

static int linked_lines(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    int status = vectors(operands, state, error, error_size);
    if (status < 0)
        return status;
    const size_t n = (size_t)size(operands) / 16;
    uint32_t *const order = malloc(n * sizeof *order + 1);
    if (!order)
        return -ENOMEM;
    plants_shuffle(order, n, 1);
    status = n ? list_make(order, n, state) : 0;
    free(order);
    return status;
}

static int linked_picks(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    const int status = vectors(operands, state, error, error_size);
    if (status < 0 || size(operands) == 0)
        return status;
    return list_make(operands->operand[1]->data, (size_t)size(operands), state);
}

/* ---- kernels in assembly ---- */

#define VECTOR_KERNEL(name)                                              \
    void name##_code(const float *x, float *y, ptrdiff_t n);             \
    RUN(name)                                                            \
    {                                                                    \
        if (size(operands))                                              \
            name##_code(in(operands, 0), out(operands), size(operands)); \
    }

#define DOT_KERNEL(name)                                                   \
    float name##_code(const float *a, const float *b, ptrdiff_t n);        \
    RUN(name)                                                              \
    {                                                                      \
        out(operands)[0] =                                                 \
            name##_code(in(operands, 0), in(operands, 1), size(operands)); \
    }

VECTOR_KERNEL(p10)
VECTOR_KERNEL(p14)
VECTOR_KERNEL(p22)
VECTOR_KERNEL(p28)
VECTOR_KERNEL(p30)
VECTOR_KERNEL(p37)
VECTOR_KERNEL(p38)
VECTOR_KERNEL(p40)
VECTOR_KERNEL(p50)
DOT_KERNEL(p39)
DOT_KERNEL(p52)

/* ---- the module ---- */

#define SEMIRING_relu NULL
#define SEMIRING_curve NULL
#define SEMIRING_dot NULL
#define SEMIRING_pick NULL
#define SEMIRING_conv NULL
#define SEMIRING_gemm "maxplus"
#define LAYOUT_relu "separate"
#define LAYOUT_curve NULL
#define LAYOUT_dot NULL
#define LAYOUT_pick NULL
#define LAYOUT_conv "nchw"
#define LAYOUT_gemm NULL

#define PLANTS "plants.def"
#define PLANTS_MORE(op) .semiring = SEMIRING_##op, .layout = LAYOUT_##op
#define PLANTS_MODULE \
    .name = "plants", .ops = plants_ops, .set_threads = plants_two_at_most
#include "plant_table.h"
