/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of microarchitectures, as rows of raw_events.def and groups.def name them. */
#pragma once

#include "perfctr_private.h"

enum {
    GENERIC = 1 << 0,
    SKX = 1 << 1,
    CLX = 1 << 2,
    ICX = 1 << 3,
    SPR = 1 << 4,
    EMR = 1 << 5,
    GNR = 1 << 6,
    ADL = 1 << 7,
    ZEN2 = 1 << 8,
    ZEN3 = 1 << 9,
    ZEN4 = 1 << 10,
    ZEN5 = 1 << 11,
    N1 = 1 << 12,
    N2 = 1 << 13,
    V1 = 1 << 14,
    V2 = 1 << 15,

    SKYLAKE = SKX | CLX,
    GOLDEN = SPR | EMR | GNR, /* Golden Cove and Redwood Cove of servers */
    GOLDEN_ALL = GOLDEN | ADL,
    INTEL = SKYLAKE | ICX | GOLDEN_ALL,
    ZEN = ZEN2 | ZEN3 | ZEN4 | ZEN5,
    SVE = N2 | V1 | V2,
    NEOVERSE = N1 | SVE,
    ANY = GENERIC | INTEL | ZEN | NEOVERSE,
};

/* Calls `each` for every row of the table of that microarchitecture. */
void uarch_each(const struct uarch *uarch, event_each_fn *each, void *context);
