/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by what measures rates (rates.c) and its loops (rate_loops.c). */
#pragma once

#include "perfctr_private.h"

/* Loops load and store these, with room for loads that cross lines. */
struct lines {
    _Alignas(64) unsigned char byte[1024];
};

typedef void rate_loop(uint64_t turns, struct lines *lines);

/* A rate is `per_turn` over the cycles of a turn of the faster one of two loops: cores
 * differ in which instructions share their ports. A cost is the cycles by which a turn is
 * longer than one of `other`, over `per_turn`. */
struct rate {
    const char *name; /* "rate_..." or "cost_..." */
    const char *isa;  /* the loops need it; NULL: none */
    double per_turn;
    rate_loop *loop, *other; /* other: NULL for a rate of one loop */
};

/* core_rate_count() rows. */
enum { RATES_MAX = 80 };
extern const struct rate core_rates[];
/* The clock of the fastest turns, of n >= 1 probes, which are put in order. */
double rates_clock(double *ghz, size_t n);
/* isa: that of a row. */
bool rate_has_isa(const char *isa);
/* Another thread on the core takes a part of the room that these loops measure. */
bool rate_fills_core(const struct rate *rate);
