/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An op of simdbench itself: the contract that modules know, and what the program asks of
 * its own ops alone. <op>.c defines `const struct op_row <op>_row`; fields that an op
 * does not need stay out.
 */
#pragma once

#include "simdbench.h"

struct split_rule;

/* `simdbench license` measures these shapes of an op, with avx512 and with the widest set
 * below, from small to large, a few milliseconds each. */
struct op_license {
    int turn; /* ops are measured in this order, from 1 on; 0: not at all */
    const char *semiring, *variant, *layout; /* NULL: all */
    const char *sizes;                       /* as in --sizes */
};

struct op_row {
    const struct simdbench_op *op;
    /* Baselines when the user names none; ends with NULL. */
    const char *const *libraries;
    /* Options that are worth trying, for the help; ends with NULL. */
    const char *const *examples;
    /* Sizes of `simdbench threads`, from such that a team costs more than it gains to
     * such as fill it. NULL: the op's default shapes. */
    const char *threads_sizes;
    struct op_license license;
    /* Rules by which threads share its work, the first rule that takes the kernel; ends
     * with a rule without `part`. NULL: it runs in one thread. */
    const struct split_rule *split;
};

/* A list for these fields. */
#define OP_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* All of them, in the order of kernels.def; ends with NULL. */
const struct op_row *const *op_rows(void);
/* NULL if it is no op of simdbench itself. */
const struct op_row *op_row_find(const char *op);
