/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments that count, and the order of findings. */
#include "said_facts.h"

/* ---- experiments ---- */

TEST(test_control_is_the_floor)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.8, 0.78, 0.82);
    inspect_find(&facts, &findings);
    assert_true(has(&findings, CAUSE_denormals));
    assert_near(findings.finding[0].share, 0.2, 1e-9);
    /* The control differs from itself by 12%: 20% are not beyond twice of that. */
    inspect_fact_set_interval(&facts, FACT_control, 1.12, 1.0, 1.2);
    inspect_find(&facts, &findings);
    assert_false(has(&findings, CAUSE_denormals));
    assert_near(excluded(&findings, CAUSE_denormals)->why.threshold, 0.76, 1e-9);
    /* The control is as fast in its interval as the variant. */
    inspect_fact_set_interval(&facts, FACT_control, 1, 0.81, 1.2);
    inspect_find(&facts, &findings);
    assert_false(has(&findings, CAUSE_denormals));
    inspect_fact_set_interval(&facts, FACT_control, 1, 0.83, 1.2);
    inspect_find(&facts, &findings);
    assert_true(has(&findings, CAUSE_denormals));
    /* Without a control the interval must be clear of 1. */
    inspect_fact_set_absent(&facts, FACT_control, NULL);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.8, 0.6, 1.01);
    inspect_find(&facts, &findings);
    assert_false(has(&findings, CAUSE_denormals));
}

/* ---- order ---- */

static struct inspect_facts structural_case(void)
{
    struct inspect_facts facts = {0};
    const struct said said[] = {
        IS(calls, 1),       IS(calling_cycles, 2),  EXPLAINED,
        IS(decisions, 4),   IS(limit_cycles, 3),    IS(gap_cycles, 7),
        IS(gap_share, 0.7), IS(divide_cycles, 6.5), IS(dispatch_cycles, 5.5)};
    say_all(&facts, said, sizeof said / sizeof *said);
    return facts;
}

/* Functions of other modules that execute most instructions account for as much, but not
 * for a finding that rests on a call of the loop itself. */
TEST(test_called_before_flips)
{
    for (int i = 0; i <= 2; i++) {
        struct inspect_facts facts = {0};
        struct inspect_findings findings;
        const struct said said[] = {TIMED,
                                    IS(calls, 1),
                                    IS(calling_cycles, 1),
                                    IS(called_share, i == 2 ? 0.7 : 0.1),
                                    IS(out_share, 0.8),
                                    IS(out_length, i == 2 ? 3000 : 60)};
        say_all(&facts, said, sizeof said / sizeof *said);
        inspect_fact_set_interval(&facts, FACT_flush_denormals, i ? 0.7 : 0.55, 0.5,
                                  0.71);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[i != 1].cause, CAUSE_call);
    }
}

/* Branches of functions of other modules are theirs, unless most of those that are
 * predicted wrong are the loop's own; and so are the places of code. */
TEST(test_calls_before_their_branches)
{
    struct inspect_findings findings;
    for (int theirs = 0; theirs <= 1; theirs++) {
        struct inspect_facts facts = structural_case();
        inspect_fact_set(&facts, FACT_out_share, theirs ? 0.7 : 0.5);
        inspect_fact_set(&facts, FACT_share_undecided, 0.1);
        inspect_fact_set(&facts, FACT_out_undecided, 0.09);
        inspect_fact_set_interval(&facts, FACT_tame_input, 0.4, 0.39, 0.41);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[theirs].cause, CAUSE_mispredicts);
        assert_int_equal(findings.finding[!theirs].cause, CAUSE_call);
        inspect_fact_set(&facts, FACT_out_undecided, 0.05);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[0].cause, CAUSE_mispredicts);
        /* A place that gains less than half of what they have. */
        facts = (struct inspect_facts){0};
        inspect_fact_set(&facts, FACT_out_share, 0.8);
        inspect_fact_set(&facts, FACT_out_length, 99);
        inspect_fact_set_interval(&facts, FACT_place, theirs ? 0.7 : 0.5, 0.49, 0.71);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[!theirs].cause, CAUSE_call);
    }
}

/* Few elements and a smaller shape gain, and streams that go on in order are no reason.
 */
TEST(test_both_shapes_are_learnt)
{
    static const struct said others[] = {
        IS(page_share, 0.02), IS(traffic_cycles, 2), IS(guess_cycles, 4),
        IS(code_cycles, 7),   IS(page_offset, 0.85), IS(crowded_share, 0.2),
        IS(guess_cycles, 16), IS(page_share, 0.002), IS(guess_cycles, 4.6)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct inspect_facts facts = {0};
        struct inspect_findings findings;
        const struct said said[] = {IS(few_shape, 0.3),      IS(small_shape, 0.34),
                                    IS(guess_share, 0.5),    IS(guess_cycles, 6),
                                    IS(gap_cycles, 9),       IS(cycles, 10),
                                    IS(code_cycles, 3),      IS(page_share, 0.002),
                                    IS(traffic_cycles, 0.5), IS(tame_input, 0.99)};
        say_all(&facts, said, sizeof said / sizeof *said);
        say(&facts, &others[i]);
        inspect_find(&facts, &findings);
        assert_int_equal(has(&findings, CAUSE_mispredicts), i >= 7);
    }
}

/* Other data stand before an edit that gains about as much. */
TEST(test_data_before_edits)
{
    struct inspect_findings findings;
    for (int alike = 0; alike <= 1; alike++) {
        struct inspect_facts facts = {0};
        inspect_fact_set(&facts, FACT_loop_share, 0.9);
        inspect_fact_set_interval(&facts, FACT_edit_chain, 0.6, 0.59, 0.61);
        inspect_fact_set_interval(&facts, FACT_flush_denormals, alike ? 0.62 : 0.75, 0.6,
                                  0.76);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[!alike].cause, CAUSE_denormals);
        assert_int_equal(findings.finding[alike].cause, CAUSE_latency_chain);
    }
}

/* Evidence that slow loops of any kind show stands behind a chain that takes nearly all
 * the time, but not behind one that leaves more. */
TEST(test_chain_that_accounts_for_all)
{
    struct inspect_findings findings;
    for (int all = 0; all <= 1; all++) {
        struct inspect_facts facts = structural_case();
        inspect_fact_set(&facts, FACT_chain_cycles, all ? 9.8 : 7.5);
        inspect_fact_set(&facts, FACT_call_cycles, 9999);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[!all].cause, CAUSE_latency_chain);
        assert_int_equal(findings.finding[all].cause, CAUSE_call);
        /* So do divisions. */
        facts = structural_case();
        inspect_fact_set(&facts, FACT_divide_cycles, all ? 9.8 : 7.5);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[!all].cause, CAUSE_divider);
        /* Nothing else needs two thirds as long. */
        inspect_fact_set(&facts, FACT_divide_cycles, 7.5);
        inspect_fact_set(&facts, FACT_dispatch_cycles, all ? 4.9 : 5.1);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[!all].cause, CAUSE_divider);
        /* Functions of other modules may be the whole story. */
        inspect_fact_set(&facts, FACT_out_share, 0.7);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[0].cause, CAUSE_call);
    }
}

/* A chain through memory stands behind calls of functions that have most instructions. */
TEST(test_call_through_memory)
{
    struct inspect_facts facts = structural_case();
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_call_cycles, 9999);
    inspect_fact_set(&facts, FACT_order_cycles, 9.8);
    inspect_fact_set(&facts, FACT_register_chain, 1);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_memory_chain);
    assert_int_equal(findings.finding[1].cause, CAUSE_call);
    inspect_fact_set(&facts, FACT_called_share, 0.7);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_call);
    assert_int_equal(findings.finding[1].cause, CAUSE_memory_chain);
    /* An experiment showed it. */
    inspect_fact_set_interval(&facts, FACT_edit_forward, 0.4, 0.39, 0.41);
    inspect_fact_set(&facts, FACT_forward_cycles, 5);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_store_forwarding);
}

/* Failed forwards of a function that reads one text again and again are of that call, but
 * not those of one that is called for another reason. */
TEST(test_call_that_reads_again)
{
    struct inspect_findings findings;
    for (int again = 0; again <= 1; again++) {
        struct inspect_facts facts = structural_case();
        const struct said said[] = {IS(forward_cycles, 5),          IS(calls, 0),
                                    IS(out_share, again ? 0 : 0.9), IS(out_length, 99),
                                    IS(reading_share, 0.9),         IS(read_again, 40)};
        say_all(&facts, said, sizeof said / sizeof *said);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[again].cause, CAUSE_store_forwarding);
        assert_int_equal(findings.finding[!again].cause, CAUSE_call);
    }
}

/* A slow instruction that is the largest bound stands before what rests on that
 * bound, and before a chain that is little longer, as that leads through it. */
TEST(test_slow_instruction)
{
    struct inspect_findings findings;
    for (int slow = 0; slow <= 1; slow++) {
        struct inspect_facts facts = structural_case();
        const struct said said[] = {IS(form_cycles, 8.2), IS(code_cycles, slow ? 9 : 12),
                                    IS(dearest_each, 3.95), IS(chain_cycles, 9),
                                    IS(call_cycles, 9999)};
        say_all(&facts, said, sizeof said / sizeof *said);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[0].cause,
                         slow ? CAUSE_slow_instruction : CAUSE_latency_chain);
    }
}

/* Stores that cross lines are not the cause if instructions enter no faster than these
 * leave. */
TEST(test_split_stores_among_others)
{
    struct inspect_findings findings;
    for (int alone = 0; alone <= 1; alone++) {
        struct inspect_facts facts = structural_case();
        inspect_fact_set(&facts, FACT_split_share, 0.5);
        inspect_fact_set(&facts, FACT_store_cycles, 7);
        inspect_fact_set(&facts, FACT_load_cycles, 2);
        inspect_fact_set(&facts, FACT_code_cycles, alone ? 7 : 8);
        inspect_find(&facts, &findings);
        assert_int_equal(has(&findings, CAUSE_line_splits), alone);
    }
}

TEST(test_ranks)
{
    struct inspect_facts facts = structural_case();
    struct inspect_findings findings;
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 3);
    assert_int_equal(findings.finding[0].cause, CAUSE_call);
    assert_int_equal(findings.finding[1].cause, CAUSE_divider);
    assert_int_equal(findings.finding[2].cause, CAUSE_unexplained);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.8, 0.79, 0.81);
    inspect_fact_set_interval(&facts, FACT_tame_input, 0.7, 0.69, 0.71);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_denormals);
    assert_int_equal(findings.finding[1].cause, CAUSE_call);
    /* The larger share comes first if two were flipped. */
    inspect_fact_set_interval(&facts, FACT_page_offset, 0.6, 0.59, 0.61);
    inspect_fact_set(&facts, FACT_aliases_4k, 1);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_aliasing_4k);
    assert_int_equal(findings.finding[1].cause, CAUSE_denormals);
    assert_int_equal(findings.finding[2].cause, CAUSE_call);
}

/* Operands elsewhere must be faster with the whole interval: few rounds may seem to gain.
 */
TEST(test_offsets_by_chance)
{
    for (int wide = 0; wide <= 1; wide++) {
        struct inspect_facts facts = {0};
        struct inspect_findings findings;
        inspect_fact_set_interval(&facts, FACT_control, 1, 0.99, 1.01);
        inspect_fact_set_interval(&facts, FACT_page_offset, 0.7, 0.6, wide ? 0.92 : 0.88);
        inspect_fact_set(&facts, FACT_aliases_4k, 1);
        inspect_find(&facts, &findings);
        assert_int_equal(has(&findings, CAUSE_aliasing_4k), !wide);
    }
}

TEST(test_table_order_breaks_ties)
{
    struct inspect_facts facts = structural_case();
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_calls, 0);
    inspect_fact_set(&facts, FACT_vector_reloads, 2);
    inspect_fact_set(&facts, FACT_vector_spills, 2);
    inspect_fact_set(&facts, FACT_spill_share, 0.3);
    inspect_fact_set(&facts, FACT_instructions, 40);
    inspect_fact_set(&facts, FACT_decisions, 4);
    inspect_fact_set(&facts, FACT_branch_share, 0.5);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_spills);
    assert_int_equal(findings.finding[1].cause, CAUSE_branch);
}

/* A case at its limit has only the gap to gain, and half of it counts. */
TEST(test_limit_and_flips)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_roof_share, 0.85);
    inspect_fact_set(&facts, FACT_gap_share, 0.28);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.87, 0.86, 0.88);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 2);
    assert_int_equal(findings.finding[0].cause, CAUSE_at_limit);
    assert_int_equal(findings.finding[1].cause, CAUSE_denormals);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.85, 0.84, 0.86);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_denormals);
}

/* ---- lessons ---- */

TEST(test_reloads_of_constants_are_no_spills)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    const struct said said[] = {IS(vector_reloads, 8), IS(vector_spills, 0),
                                IS(spill_share, 0.3), EXPLAINED};
    say_all(&facts, said, sizeof said / sizeof *said);
    inspect_find(&facts, &findings);
    assert_false(has(&findings, CAUSE_spills));
}

/* A bound that explains 41% names nothing. */
TEST(test_small_bounds_name_nothing)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    const struct said said[] = {
        IS(divide_cycles, 15), IS(cycles, 36.8),     IS(code_cycles, 18), HOT,
        IS(vector_reloads, 3), IS(vector_spills, 3), IS(spill_share, 0.2)};
    say_all(&facts, said, sizeof said / sizeof *said);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
    assert_int_equal(excluded(&findings, CAUSE_divider)->why.fact, FACT_divide_cycles);
    assert_near(excluded(&findings, CAUSE_divider)->why.threshold, 0.5 * 36.8, 1e-9);
    assert_false(excluded(&findings, CAUSE_divider)->counter);
    assert_near(findings.residual_share, 1 - 18 / 36.8, 1e-9);
    assert_near(findings.residual_cycles, 18.8, 1e-9);
}

TEST(test_nothing_known)
{
    const struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
    assert_true(isnan(findings.finding[0].share));
    assert_int_equal(findings.n_excluded, 0);
    assert_int_equal(findings.n_unknown, CAUSE_unexplained);
    assert_true(isnan(findings.residual_share) && isnan(findings.residual_cycles));
}

/* The time of an edit stands over one that is shorter already. */
TEST(test_share_of_an_edit)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set(&facts, FACT_loop_share, 0.9);
    inspect_fact_set_interval(&facts, FACT_edit_divide, 0.5, 0.49, 0.51);
    inspect_find(&facts, &findings);
    assert_near(findings.finding[0].share, 0.5, 1e-9);
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.4, 0.39, 0.41);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_denormals);
    assert_int_equal(findings.finding[1].cause, CAUSE_divider);
    assert_near(findings.finding[1].share, 0.2, 1e-9);
}

/* Divisions that wait for each other leave their unit idle: a chain takes the time. */
TEST(test_divisions_in_a_chain)
{
    struct inspect_findings findings;
    for (int busy = 0; busy <= 1; busy++) {
        struct inspect_facts facts = structural_case();
        inspect_fact_set_interval(&facts, FACT_edit_divide, 0.4, 0.39, 0.41);
        inspect_fact_set(&facts, FACT_chain_cycles, 9);
        inspect_fact_set(&facts, FACT_call_cycles, 9999);
        inspect_fact_set(&facts, FACT_divide_cycles, busy ? 6 : 2.4);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[0].cause,
                         busy ? CAUSE_divider : CAUSE_latency_chain);
        assert_int_equal(has(&findings, CAUSE_divider), busy);
    }
}

/* A flip that gains little stands behind what accounts for more than twice of that. */
TEST(test_small_flips)
{
    struct inspect_findings findings;
    for (int large = 0; large <= 1; large++) {
        struct inspect_facts facts = {0};
        const struct said said[] = {IS(load_cycles, 9.5), IS(cycles, 10),
                                    IS(limit_cycles, 4), HOT,
                                    IS(edit_chain, large ? 0.7 : 0.8)};
        say_all(&facts, said, sizeof said / sizeof *said);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[large].cause, CAUSE_load_ports);
        assert_int_equal(findings.finding[!large].cause, CAUSE_latency_chain);
    }
    /* Another place of the same code stands behind what takes twice as much of it. */
    for (int large = 0; large <= 1; large++) {
        struct inspect_facts facts = structural_case();
        inspect_fact_set_interval(&facts, FACT_place, large ? 0.75 : 0.85, 0.7, 0.87);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[large].cause, CAUSE_call);
        assert_int_equal(findings.finding[!large].cause, CAUSE_placement);
        /* A call is not needed, though the limit of this code has it. */
        inspect_fact_set(&facts, FACT_limit_cycles,
                         inspect_fact_value(&facts, FACT_code_cycles));
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[large].cause, CAUSE_call);
    }
}

TEST(test_much_left_is_said)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    inspect_fact_set_interval(&facts, FACT_flush_denormals, 0.8, 0.79, 0.81);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 2);
    assert_int_equal(findings.finding[1].cause, CAUSE_unexplained);
    assert_near(findings.residual_share, 0.8, 1e-9);
    assert_true(isnan(findings.residual_cycles));
}

TEST(test_experiment_of_a_structural_finding)
{
    struct inspect_facts facts = {0};
    struct inspect_findings findings;
    const struct said said[] = {IS(widest_bits, 128), IS(isa_bits, 256), HOT};
    say_all(&facts, said, sizeof said / sizeof *said);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.finding[0].cause, CAUSE_narrow_vectors);
    assert_int_equal(findings.finding[0].experiment, FACT_other_isa);
    assert_true(isnan(findings.finding[0].share));
}

TEST(test_table)
{
    assert_int_equal(INSPECT_CAUSES, 38);
    for (enum inspect_cause i = 0; i < INSPECT_CAUSES; i++) {
        assert_null(strchr(inspect_cause_name(i), '_'));
        assert_true(strlen(inspect_cause_text(i)) > 10);
        assert_true(strlen(inspect_cause_remedy(i)) > 10);
        assert_true(i == CAUSE_unexplained || strlen(inspect_cause_refute(i)) > 10);
    }
    assert_string_equal(inspect_confidence_name(INSPECT_STRUCTURAL), "structural");
}
