/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of kernels.def that all files conv_<isa>.c with vectors have. The file that
 * includes it defines before what the three bodies ask for.
 */
#pragma once

#include "conv_dense_body.h"
#include "conv_depthwise_body.h"
#include "conv_plain_blocks_body.h"
#include "conv_plain_body.h"

KERNEL_FUNCTION(conv, , direct)
{
    const struct conv_plan *plan = state;

    (plan->kind == CONV_DEPTHWISE ? conv_depthwise : conv_dense)(
        plan, operands->operand[0]->data, operands->operand[2]->data);
}

KERNEL_FUNCTION(conv, , plain)
{
    conv_plain(state, operands->operand[0]->data, operands->operand[2]->data);
}
