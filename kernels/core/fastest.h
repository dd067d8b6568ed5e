/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For rows `auto`: which of several functions that do the same work is the fastest
 * depends on the machine's caches and memory, on how many threads share them and on what
 * else runs there, so prepare measures it.
 *
 * An op has such a row on each instruction set if a body has FASTEST_KERNEL(op), the
 * table a row `auto` with prepare column <op>_auto_<isa>, and <op>.c for each of these
 * KERNEL_HOOKS(<op>_auto_<isa>, make, "<isa>", free, fastest_tell), where make() calls
 * fastest_choose().
 */
#pragma once

#include <stddef.h>

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

/* State of a row `auto`. */
struct fastest {
    run_function *run;
    const struct simdbench_kernel *row;
    char text[96]; /* the choice, and its reason */
};

/* Makes the state: the fastest of the first `most` rows of that op that have the type and
 * layout of the operands, neither flags nor state, and a stated error within
 * operands->most_ulp. One row alone is not measured. -ENOTSUP, -ENOMEM and a sentence. */
int fastest_choose(const char *op, const char *isa, size_t most,
                   const struct simdbench_operands *operands,
                   const struct fastest_pace *pace, void **state, char *error,
                   size_t error_size);
/* For `choice`: the text, and the limit of the chosen row. */
void fastest_tell(const void *state, struct simdbench_choice *choice);

#define FASTEST_KERNEL(op)                                    \
    KERNEL_FUNCTION(op, , auto)                               \
    {                                                         \
        ((const struct fastest *)state)->run(operands, NULL); \
    }
