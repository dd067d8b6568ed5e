/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "vector/vector_scalar.h"

#define T f32

/* Six output channels times two columns are 12 sums of 16 registers: 8 loads and 5 moves
 * for 12 products. 4 x 3 needs one register more. */
#define BLOCK 1
#define TALL 6
#define WIDE 2
#define EACH_PLAIN_TILE(X) PLAIN_TILES_6(UP_TO_2, X)

#include "conv_depthwise_body.h"

/* A block of one channel is a plane. */
#define plain_blocks(plain, x, y) conv_depthwise((plain)->blocked, x, y)

#include "conv_plain_body.h"

KERNEL_FUNCTION(conv, , plain)
{
    conv_plain(state, operands->operand[0]->data, operands->operand[2]->data);
}

#define NAIVE naive
#include "conv_naive_body.h"
