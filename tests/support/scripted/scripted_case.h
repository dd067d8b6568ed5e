/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of one scripted case. */
#pragma once

#include "scripted_run.h"

/* One case, without a limit; calibration takes four batches. */
#define ONE "mul --variants=mine --sizes=8 --timeout=1s "
/* Batches of calls of 1000 ns have that many. */
enum { CALLS = 550 };
/* The first batch of a round: two of CALLS are calibration's. */
enum { FIRST = 5 };

static inline const struct result *one(const char *more)
{
    char words[256];
    snprintf(words, sizeof words, ONE "%s", more);
    assert_int_equal(run_words(words), 0);
    return &run->results[0];
}
