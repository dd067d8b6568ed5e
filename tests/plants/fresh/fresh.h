/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More kernels that are slow for one known reason each, beside sound twins: other ops,
 * loops and element types than those of plants.h. fresh.json has the causes.
 *
 * Constants of the ops are below; fresh_ops.c has what each op computes. Shapes that
 * would need a tail are refused by prepare.
 */
#pragma once

#include "plants.h"

enum {
    TAPS = 16,       /* of fir */
    CHANNELS = 8,    /* of fir */
    BINS = 256,      /* of hist */
    WIDTH = 37,      /* of a bin, in integers */
    FACTOR = 31,     /* of hash */
    DELAY = 11,      /* rows, of comb */
    TILE = 8,        /* rows and columns, of detile */
    RECORD = 16,     /* elements of a record of centre, of which WANTED are wanted */
    FEATURES = 1040, /* elements of a row of slice */
    WANTED = 8,      /* of a record or of a row */
};

extern const struct simdbench_op *const fresh_ops[];

#define PLANT(name, op, type, isa, prepare, release) RUN(name);
#include "fresh.def"
#undef PLANT

#define F32(index) ((float *)operands->operand[index]->data)
#define F64(index) ((double *)operands->operand[index]->data)
#define I32(index) ((int32_t *)operands->operand[index]->data)
#define DIM(index) ((ptrdiff_t)operands->shape->dim[index])
#define UNROLL _Pragma("GCC unroll 32")
