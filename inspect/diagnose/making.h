/* SPDX-License-Identifier: Apache-2.0 */
/* A census that is being made: its loops are in census.c, its lines in census_lines.c. */
#pragma once

#include "trace/trace.h"

/* No more windows than these tell how much they differ. */
enum { WINDOWS_MAX = 64 };
/* Fewer turns that were seen in order tell nothing of all of them: the first and the last
 * one, which lack a neighbour, are an eighth of so many. */
enum { TURNS_IN_ORDER = 16 };

/* The same loop may be reached by different calls: it is one, by the address of its
 * head. */
struct sum {
    struct inspect_loop loop; /* sums, not yet means */
    uint64_t entries, executed;
    uint64_t chain_weight;    /* executions of the head whose chain it has */
    double seen[WINDOWS_MAX]; /* iterations in each window */
};

struct making {
    const struct tracer *tracer;
    const struct nodes *nodes;
    struct loops loops;
    struct places *places;
    struct sum *sum;
    size_t n_sums;
    size_t *sum_of; /* of each of the loops */
    struct inspect_window window;
    struct spans stores; /* of vectors and floats */
    double *chained[2];  /* of each node: through registers, and through memory, too */
    double *vain;        /* of each node, as in struct order_sums */
    struct inspect_census *census;
};

/* Executions of branches that nearly always go one way, and ask what the loop just
 * loaded, or do not (its end, too), of integer instructions that compute with what it
 * loaded, and of those that add up the results of comparisons. */
struct checked {
    double checks, guards, work, counted;
};
/* checks.c: adds them for each loop. False: no memory. */
bool checks_count(const struct nodes *nodes, const struct loops *loops,
                  struct checked *of_loop);
/* The instructions that executed, by loop and address; `text`: as people read them, with
 * their source. False: no memory. */
bool census_take_lines(struct making *m, bool text);
