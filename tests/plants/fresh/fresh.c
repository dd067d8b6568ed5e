/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the module of fresh plants, and what its kernels prepare. */
#include "fresh.h"
#include "plant_prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* ---- prepare ---- */

MULTIPLES(vectors, 64)
MULTIPLES(pages, 2048)
MULTIPLES(grids, 2)
MULTIPLES(any, 1)
MULTIPLES(searches, 8)
MULTIPLES(transposes, 16)
MULTIPLES(channels, 1, 64)
MULTIPLES(filters, 48)
MULTIPLES(squares, 8, 32)
MULTIPLES(blocks, 2048)
MULTIPLES(rows, 1, 8)
MULTIPLES(tiles, 12, 48, 1)
MULTIPLES(big_tiles, 24, 48, 1)

/* Rows of 32. */
PREPARE(short_rows)
{
    if (operands->shape->dim[1] == 32)
        return 0;
    snprintf(error, error_size, "only rows of 32");
    return -ENOTSUP;
}

/* Room for what one filter of two leaves. */
PREPARE(sweeps)
{
    const int status = vectors(operands, state, error, error_size);
    if (status < 0)
        return status;
    *state = aligned_alloc(LINE, operands->operand[0]->count * sizeof(float));
    return *state ? 0 : -ENOMEM;
}

/* The first WANTED elements of each row of operand 0, without what is between them. */
PREPARE(wanted)
{
    const int status = sweeps(operands, state, error, error_size);
    if (status < 0)
        return status;
    const struct simdbench_operand *const from = operands->operand[0];
    for (int64_t i = 0; i < operands->shape->dim[0]; i++)
        memcpy((float *)*state + i * WANTED, (const float *)from->data + i * from->ld,
               WANTED * sizeof(float));
    return 0;
}

/* ---- kernels in assembly ---- */

void f32_code(const int32_t *x, int32_t *y, ptrdiff_t rows, ptrdiff_t bytes);
RUN(f32)
{
    for (ptrdiff_t j = 0; j < DIM(1); j += 8)
        f32_code(I32(0) + j, I32(1) + j, DIM(0), 4 * DIM(1));
}

void f37_code(const double *x, const double *z, double *y, ptrdiff_t n);
RUN(f37)
{
    f37_code(F64(0), F64(1), F64(2), DIM(0));
}

/* ---- the module ---- */

#define PLANTS "fresh.def"
#define PLANTS_MORE(op)
#define PLANTS_MODULE .name = "fresh", .ops = fresh_ops, .set_threads = plants_two_at_most
#include "plant_table.h"
