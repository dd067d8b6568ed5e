/* SPDX-License-Identifier: Apache-2.0 */
/* The time that neither bounds nor findings explain, and findings that stand beside it.
 */
#include "said_facts.h"

TEST(test_residual)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_cycles, 20);
    inspect_fact_set(&facts, FACT_gap_share, 0.7);
    inspect_fact_set(&facts, FACT_code_cycles, 8);
    inspect_find(&facts, &findings);
    assert_near(findings.residual_share, 0.6, 1e-9);
    assert_near(findings.residual_cycles, 12, 1e-9);
    /* A flip adds to the limit of the work. */
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.5, 0.49, 0.51);
    inspect_find(&facts, &findings);
    assert_near(findings.residual_share, 0.2, 1e-9);
    assert_int_equal(findings.n, 1);
    /* Or to what the code takes in the core, but not to streams. */
    inspect_fact_set(&facts, FACT_memory_cycles, 9);
    inspect_fact_set(&facts, FACT_dispatch_cycles, 7);
    inspect_find(&facts, &findings);
    assert_near(findings.residual_share, 0.15, 1e-9);
    inspect_fact_set(&facts, FACT_dispatch_cycles, 12);
    inspect_find(&facts, &findings);
    assert_near(findings.residual_share, 0, 1e-9);
    inspect_fact_set_absent(&facts, FACT_memory_cycles, NULL);
    inspect_fact_set_absent(&facts, FACT_dispatch_cycles, NULL);
    /* And so does a cost that was modelled. */
    inspect_fact_set_absent(&facts, FACT_flush_denormals, NULL);
    inspect_fact_set(&facts, FACT_loop_share, 0.9);
    inspect_fact_set(&facts, FACT_forward_cycles, 12);
    inspect_fact_set(&facts, FACT_gap_cycles, 14);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_store_forwarding);
    assert_near(findings.residual_share, 0.1, 1e-9);
    inspect_fact_set(&facts, FACT_page_faults, 9);
    inspect_fact_set(&facts, FACT_fault_share, 0.65);
    inspect_find(&facts, &findings);
    assert_near(findings.residual_share, 0.05, 1e-9);
    inspect_fact_set(&facts, FACT_fault_share, 0.9);
    inspect_find(&facts, &findings);
    assert_near(findings.residual_share, 0, 0);
}

/* Cycles are those at the best place: what they leave is a part of that time alone. */
TEST(test_placement_is_apart)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_cycles, 10);
    inspect_fact_set(&facts, FACT_code_cycles, 8);
    inspect_fact_set_interval(&facts, FACT_control, 1.3, 1.2, 1.4);
    inspect_fact_set_interval(&facts, FACT_layout, 0.4, 0.4, 0.4);
    inspect_fact_set_interval(&facts, FACT_same_place, 1, 0.99, 1.01);
    inspect_fact_set_interval(&facts, FACT_place, 0.5, 0.49, 0.51);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.finding[0].cause, CAUSE_placement);
    assert_near(findings.finding[0].share, 0.5, 1e-9);
    assert_near(findings.residual_cycles, 2, 1e-9);
    assert_near(findings.residual_share, 0.1, 1e-9);
    /* Twice as much has no cause as its place costs. */
    inspect_fact_set(&facts, FACT_code_cycles, 5);
    inspect_fact_set_interval(&facts, FACT_place, 0.85, 0.84, 0.86);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 2);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
    assert_int_equal(findings.finding[1].cause, CAUSE_placement);
    inspect_fact_set_interval(&facts, FACT_place, 0.75, 0.74, 0.76);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_placement);
}

/* A slow clock accounts for what it is slower, and is no answer where more has no cause.
 */
TEST(test_clock_is_apart)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_cycles, 10);
    inspect_fact_set(&facts, FACT_code_cycles, 5);
    inspect_fact_set(&facts, FACT_clock_share, 0.92);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
    assert_int_equal(findings.finding[1].cause, CAUSE_clock);
    inspect_fact_set(&facts, FACT_clock_share, 0.7);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_clock);
}

/* A gain that other addresses bring as well is no gain by the condition. */
TEST(test_layout_gains_as_well)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_float_arithmetic, 4);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.91, 0.9, 0.92);
    inspect_fact_set_interval(&facts, FACT_layout, 0.94, 0.93, 0.95);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.85, 0.84, 0.86);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_denormals);
}
