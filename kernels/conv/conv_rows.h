/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of kernels.def that all files conv_<isa>.c with vectors have. The file that
 * includes it defines before what the three bodies ask for.
 */
#ifndef SIMDBENCH_CONV_ROWS_H
#define SIMDBENCH_CONV_ROWS_H

#include "conv_dense_body.h"
#include "conv_depthwise_body.h"
#include "conv_plain_body.h"

#define CONV_ROWS(isa)                                                                   \
    void conv_f32_##isa##_direct(const struct simdbench_operands *operands, void *state) \
    {                                                                                    \
        const struct conv_plan *plan = state;                                            \
                                                                                         \
        (plan->kind == CONV_DEPTHWISE ? conv_depthwise : conv_dense)(                    \
            plan, operands->operand[0]->data, operands->operand[2]->data);               \
    }                                                                                    \
    void conv_f32_##isa##_plain(const struct simdbench_operands *operands, void *state)  \
    {                                                                                    \
        conv_plain(state, operands->operand[0]->data, operands->operand[2]->data);       \
    }

#endif
