/* SPDX-License-Identifier: Apache-2.0 */
/* The time that neither bounds nor findings explain, findings that stand beside it, and
 * causes that little else speaks for. */
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
    inspect_fact_set(&facts, FACT_code_cycles, 7.7);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 2);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
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

static enum inspect_cause first_of(const struct said *said, size_t n)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    say_all(&facts, said, n);
    inspect_find(&facts, &findings);
    return findings.finding[0].cause;
}

/* A jump in each cycle is what a loop of few instructions takes; not one that waits as
 * long for what enters, or computes with integers alone. */
TEST(test_short_loops)
{
    const struct said last[] = {IS(dispatch_cycles, 0.6), IS(dispatch_cycles, 0.9),
                                IS(integer_share, 1), IS(carried, 0), IS(isa_bits, 64)};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        const struct said said[] = {
            IS(branch_cycles, 1),  IS(cycles, 1.05),         HOT,
            IS(limit_cycles, 0.1), IS(address_share, 0.6),   IS(branches, 1),
            IS(code_cycles, 1),    IS(dispatch_cycles, 0.6), last[i]};
        const enum inspect_cause first = first_of(said, sizeof said / sizeof *said);
        assert_int_equal(first == CAUSE_address_arithmetic, !i);
    }
}

/* Values say how long a division takes: half of the time is enough, if nothing else takes
 * as much, and its bytes do not either. */
TEST(test_half_a_division)
{
    const struct said last[] = {IS(code_cycles, 5.5), IS(code_cycles, 5.8),
                                IS(traffic_cycles, 5), IS(small_shape, 0.5)};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        const struct said said[] = {
            IS(divide_cycles, 5.5), IS(cycles, 10),       HOT,
            IS(limit_cycles, 0.1),  IS(code_cycles, 5.5), last[i]};
        assert_int_equal(first_of(said, sizeof said / sizeof *said),
                         i ? CAUSE_unexplained : CAUSE_divider);
    }
}

/* No core fills more than 64 bytes in a cycle, whatever its loops take; beyond the first
 * cache, none fills half of that for long. */
TEST(test_filled)
{
    static const struct {
        double call_cycles, per_cycle, code_cycles, threads;
        bool found;
    } rows[] = {{400, 32, 2, 1, true},   {400, 31, 1, 1, false},
                {8000, 10, 1, 1, true},  {8000, 9, 1, 1, false},
                {8000, 9, 0.7, 1, true}, {8000, 10, 1.3, 1, false},
                {8000, 10, 1, 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct said said[] = {
            IS(cycles, 3),
            IS(code_cycles, rows[i].code_cycles),
            IS(call_bytes, 64),
            IS(call_cycles, rows[i].call_cycles),
            IS(bytes_filled, rows[i].call_cycles * rows[i].per_cycle),
            IS(threads, rows[i].threads)};
        assert_int_equal(first_of(said, sizeof said / sizeof *said) ==
                             CAUSE_call_overhead,
                         rows[i].found);
    }
}
