/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For rows `auto`: which of several functions that do the same work is the fastest
 * depends on the machine's caches and memory, on how many threads share them and on what
 * else runs there, so prepare measures it.
 */
#pragma once

#include "simdbench.h"

typedef void run_function(const struct simdbench_operands *operands, void *state);

/* The functions take turns. All times are CPU time of the calling thread. */
struct fastest_pace {
    /* An operand has at most so many for each thread; 0: all of them. */
    uint64_t elements;
    /* Calls that are timed together take at least so long. */
    double sample_ns;
    /* A spell takes at least so long: one settles the caches, the next one is timed. */
    double spell_ns;
    /* All turns take so long; there are three even if they take longer. */
    double budget_ns;
};

/* Times functions of that op, which need no state, on a copy of the operands by all
 * threads of the case: ns[i] becomes the median of a call of run[i]. -ENOMEM */
int fastest_measure(const char *op, run_function *const *run, size_t n,
                    const struct simdbench_operands *operands,
                    const struct fastest_pace *pace, double *ns);
