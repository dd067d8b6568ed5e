/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op `roof`: how fast could it be? Its kernels do nothing useful at the highest rate that
 * the machine sustains; the rows of other ops name the one that limits them.
 *
 * Register mixes (flag SIMDBENCH_REGISTERS, shape "registers") do ROOF_PAIRS element
 * pairs a call whatever the vector width, which counts as 2 * ROOF_PAIRS operations:
 *   add_max, mul_max, fma_max   one add, multiply or FMA, and one maximum
 *   fma                         one FMA
 *   mul_add                     one multiply and one add, where there is no FMA
 *   fma_branch1, fma_branch2   the same behind one or two jumps that are never taken
 *   fma_chain                  the same, each waits for the one before
 * Nothing else but a maximum or a sum depends on an earlier pair, so rates are those of
 * the pipes.
 *
 * Memory streams run on the operands of any op, or on IN and OUT of as many bytes as the
 * shape says, once a call or in as many passes as it says: more than one make a call so
 * long that the cost of starting it, and a team of threads, is small beside a buffer that
 * fits in the first cache. Passes over at most 16 KiB in all run over memory of their
 * own: copies of each operand lie end to end, as loops that end after a few vectors are
 * slower than the cache, and operands lie far from each other within a page. Streams are:
 *   read     all bytes of all operands that are no outputs; the exclusive or of their
 *            64-bit words (the last one of an operand filled up with zeros) goes to
 *            `sum` of struct roof_streams
 *   load     the same bytes are loaded and nothing else: more than `read` where the
 *            exclusive or costs an instruction of its own
 *   write    1.0 to every element of all outputs
 *   copy     the first input to the first output, as many bytes as the smaller one has
 *   streams  all bytes of all operands side by side: inputs are loaded, outputs stored
 *            with all bits 1, and what is both is loaded and stored where it was
 *
 * Operands that are input and output count as both, but copy only takes them for
 * outputs. Stores are ordinary ones, which read a line before they write to it; it stays
 * in the caches. The same with non-temporal stores, which write whole lines past all
 * caches: write_stream, copy_stream are faster where the outputs fit in no cache, and
 * much slower where they do. The fence that ends them is part of the call.
 *
 * There is nothing to compare at run time (reference answers -ENOTSUP):
 * tests/kernels/test_roof.c checks all of the above.
 */
#pragma once

/* A multiple of 56 scalars, 20 and 14 pairs of 8 floats, 16 pairs of 16: the unrolled
 * loops. So many that a call and filling the pipes take less than 0.3% of it. */
#define ROOF_PAIRS 286720

#include "kernels.h"
#include "simdbench.h"

/* The shape of several passes has the dimensions BYTES, PASSES and a mark, which no other
 * op's shape has: streams also run on the operands of those. */
#define ROOF_SHAPE 0x726f6f66
#define ROOF_PASSES_MAX 1000000000
static inline int64_t roof_passes(const struct simdbench_shape *shape)
{
    return shape->rank == 3 && shape->dim[2] == ROOF_SHAPE ? shape->dim[1] : 1;
}

/* The state of a memory stream. */
struct roof_streams {
    uint64_t sum;            /* of row `read` */
    int64_t passes;          /* over the operands, or over `longer` */
    struct operands *longer; /* copies of them, end to end; NULL: none */
    char *memory;            /* theirs */
};

/* Operations and bytes of one call of the rows: the fields `work` in kernels.def. */
typedef void roof_work_function(const struct simdbench_operands *operands, double *ops,
                                double *bytes);
roof_work_function roof_registers_work, roof_read_work, roof_write_work, roof_copy_work,
    roof_streams_work;
/* True of an input that another operand begins as a copy of: streams do not touch it. */
bool roof_is_source(const struct simdbench_operands *operands, uint32_t i);
