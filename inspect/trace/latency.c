/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of instructions whose cost nobody measured: never more than cores take. */
#include "inspect_private.h"

unsigned latency_of(const struct code *code)
{
    enum { DIVIDE = 10, FMA = 4, FLOAT = 2 };
    return code->copy               ? 0 /* cores rename the register */
           : code->divide           ? DIVIDE
           : code->fma              ? FMA
           : code->float_arithmetic ? FLOAT
                                    : 1;
}
