/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts of the operands of an op: field `split` of its row. */
#pragma once

#include "kernels.h"

struct split_rule {
    /* Kernels of the op; NULL: all that no rule before took. */
    bool (*takes)(const struct simdbench_kernel *kernel);
    /* Cuts a copy of the operands down to one part; false if nothing is left. */
    bool (*part)(struct operands *part, uint32_t index, uint32_t count);
    /* Makes the state of a part out of that of the whole; NULL: the kernel's own prepare
     * makes one for each part. */
    int (*share)(const struct simdbench_kernel *kernel,
                 const struct simdbench_operands *part, void *whole, void **state);
    void (*release)(void *state); /* NULL: the kernel's own */
    /* Memory of a part that the kernel's choice knows nothing of; NULL: none. */
    uint64_t (*bytes)(const struct simdbench_operands *part);
};

/* Ranges of elements that begin at multiples of 64 bytes of the output; the second one
 * for ops with a row `auto`, which chooses once for all parts. */
extern const struct split_rule split_by_elements[], split_by_elements_shared[];

/* Part `index` of `count` of n, in whole steps. */
struct split_range {
    int64_t from, to;
};
struct split_range split_range(int64_t n, int64_t step, uint32_t index, uint32_t count);
