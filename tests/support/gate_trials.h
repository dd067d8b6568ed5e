/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons made of trials that never ran, for tests of what judges them. */
#pragma once

#include "reports.h"
#include "unit.h"

/* A run with a gate. */
static inline struct run *new_run(double threshold)
{
    struct run *const run = run_new();
    assert_non_null(run);
    assert_non_null(run_gate(run));
    run->gate->threshold = threshold;
    return run;
}

/* The trials of a case that has none yet. */
static inline struct comparison *add_case(struct run *run)
{
    struct result *const result = run_add_result(run);
    assert_non_null(result);
    return result_comparison(result);
}

/* A round in which head takes exp(d) and the control exp(c) of base's time. */
static inline void add_trial(struct comparison *comparison, size_t process, double base,
                             double d, double c)
{
    const struct trial trial = {.process = (uint32_t)process,
                                .base_ns = base,
                                .head_ns = base * exp(d),
                                .control_ns = base * exp(c)};
    assert_int_equal(comparison_add_trial(comparison, &trial), 0);
}
