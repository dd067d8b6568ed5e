/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the module of the last plants, and what its kernels prepare. */
#include "last.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conv/conv.h"
#include "plant_prepare.h"

enum { LINE = 64 };

/* ---- prepare ---- */

MULTIPLES(vectors, 64)
MULTIPLES(any, 1)
MULTIPLES(walks, 8, 1)
MULTIPLES(payments, 8, 64)
MULTIPLES(products, 4, 16, 1)
MULTIPLES(crowds, CROWD)

/* The discount of each element of a row. */
PREPARE(factors)
{
    const int status = payments(operands, state, error, error_size);
    if (status < 0)
        return status;
    const size_t n = (size_t)operands->shape->dim[1];
    float *const factor = aligned_alloc(LINE, n * sizeof *factor);
    if (!factor)
        return -ENOMEM;
    double next = 1;
    for (size_t j = 0; j < n; j++, next *= discount(1))
        factor[j] = (float)next;
    *state = factor;
    return 0;
}

/* Plain images with whole taps. */
PREPARE(images)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    if (s.n * s.u * s.v * s.d * s.g * s.b == 1 && !s.p && !s.q && s.k % 6 == 0 &&
        s.ow % 16 == 0)
        return 0;
    snprintf(error, error_size, "only unit strides, 6 channels of y and 16 columns");
    return -ENOTSUP;
}

/* One tap. */
PREPARE(points)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    if (s.n * s.r * s.s * s.u * s.v * s.d * s.g * s.b == 1 && !s.p && !s.q &&
        s.k % 6 == 0 && s.h * s.w % 16 == 0)
        return 0;
    snprintf(error, error_size, "only one tap, 6 channels of y and 16 pixels");
    return -ENOTSUP;
}

/* Room for what all taps meet, `columns` pixels. */
static int room(const struct conv_shape *s, int64_t columns, void **state)
{
    *state = aligned_alloc(LINE, (size_t)(s->c * s->r * s->s * columns) * sizeof(float));
    return *state ? 0 : -ENOMEM;
}

PREPARE(unrolled_images)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    const int status = images(operands, state, error, error_size);
    return status < 0 ? status : room(&s, s.oh * s.ow, state);
}

PREPARE(packed_points)
{
    const struct conv_shape s = conv_shape_of(operands->shape);
    const int status = points(operands, state, error, error_size);
    return status < 0 ? status : room(&s, 16, state);
}

/* ---- the module ---- */

#define SEMIRING_relu NULL
#define SEMIRING_worth NULL
#define SEMIRING_tax NULL
#define SEMIRING_walk NULL
#define SEMIRING_conv NULL
#define SEMIRING_gemm "maxplus"
#define LAYOUT_relu "separate"
#define LAYOUT_worth NULL
#define LAYOUT_tax NULL
#define LAYOUT_walk NULL
#define LAYOUT_conv "nchw"
#define LAYOUT_gemm NULL

#define PLANTS "last.def"
#define PLANTS_MORE(op) .semiring = SEMIRING_##op, .layout = LAYOUT_##op
#define PLANTS_MODULE .name = "last", .ops = last_ops
#include "plant_table.h"
