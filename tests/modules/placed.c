/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" is a small loop, called 100 times and MORE times more: builds that differ in
 * PAD alone have the same code at other places. */
#include "placed_calls.h"
#include "twice.h"

#ifndef PAD
#define PAD 0
#endif
#ifndef MORE
#define MORE 0
#endif
#define LOOP placed_loop
#include "placed_loop.h"

static void placed_run(const struct simdbench_operands *operands, void *state)
{
    placed_calls(operands, placed_loop, 100 + MORE);
}

MODULE("placed", placed_run)
