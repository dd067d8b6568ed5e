/* SPDX-License-Identifier: Apache-2.0 */
/* How the operands of each op are cut; split.c and the split_<op>.c share it. */
#pragma once

#include "kernels.h"

struct split_rule {
    const char *op;
    /* Which kernels of the op; NULL: all that no rule before took. */
    bool (*takes)(const struct simdbench_kernel *kernel);
    /* Cuts a copy of the operands down to one part; false if nothing is left. */
    bool (*part)(struct operands *part, uint32_t index, uint32_t count);
    /* Makes the state of a part out of that of the whole; NULL: the kernel's own prepare
     * makes one for each part. */
    int (*share)(const struct simdbench_kernel *kernel,
                 const struct simdbench_operands *part, void *whole, void **state);
    void (*release)(const struct simdbench_kernel *kernel, void *state); /* or NULL */
    /* Memory of a part that the kernel's choice knows nothing of; NULL: none. */
    uint64_t (*bytes)(const struct simdbench_operands *part);
};

bool split_gemm(struct operands *part, uint32_t index, uint32_t count);
bool split_backward(struct operands *part, uint32_t index, uint32_t count);
int split_share_backward(const struct simdbench_kernel *kernel,
                         const struct simdbench_operands *part, void *whole,
                         void **state);
void split_release_backward(const struct simdbench_kernel *kernel, void *state);
uint64_t split_bytes_backward(const struct simdbench_operands *part);
/* For kernels whose state can be shared; and for the others. */
bool split_conv_shares(const struct simdbench_kernel *kernel);
bool split_conv(struct operands *part, uint32_t index, uint32_t count);
bool split_conv_images(struct operands *part, uint32_t index, uint32_t count);
int split_share_conv(const struct simdbench_kernel *kernel,
                     const struct simdbench_operands *part, void *whole, void **state);
void split_release_conv(const struct simdbench_kernel *kernel, void *state);
