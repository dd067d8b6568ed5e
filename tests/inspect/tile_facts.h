/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that tests of bounds begin with. */
#pragma once

#include "fact_words.h"

/* An FMA tile: 12 FMAs and 12 maxima of 256 bits with 2 loads and 6 broadcasts. */
static struct inspect_facts tile(void)
{
    struct inspect_facts facts = {0};
    SET(call_cycles, 1000);
    SET(call_instructions, 4000);
    SET(instructions, 40);
    SET(vector, 36);
    SET(scalar_float, 0);
    SET(integer, 4);
    SET(branches, 1);
    SET(loads, 8);
    SET(bytes_loaded, 2 * 32 + 6 * 4);
    SET(stores, 0);
    SET(bytes_stored, 0);
    SET(line_splits, 0);
    SET(widest_bits, 256);
    SET(fma, 12);
    SET(float_arithmetic, 24);
    SET(divides, 0);
    SET(calls, 0);
    SET(copies, 4);
    SET(rate_instructions, 6);
    SET(rate_loads_64, 3);
    SET(rate_loads_128, 2);
    SET(rate_fmas_256, 2);
    SET(rate_fmas_128, 1);
    SET(rate_floats_256, 3);
    return facts;
}
