/* SPDX-License-Identifier: Apache-2.0 */
/* The work of vector units, and the part of it that must be: its limit. */
#include "inspect.h"
#include "tile_facts.h"

/* Loads of one place could be kept in registers. */
TEST(test_useful_loads)
{
    struct inspect_facts facts = tile();
    SET(needed, 24);
    inspect_bounds(&facts);
    const double useful = VALUE(useful);
    SET(fixed, 1);
    BOUND(useful, useful - 1);
}

/* A function that accesses no memory goes to no other page, as a loop over the bits of a
 * word. */
TEST(test_no_accesses)
{
    struct inspect_facts facts = tile();
    inspect_bounds(&facts);
    assert_false(facts.fact[FACT_page_share].known);
    SET(loads, 0);
    inspect_bounds(&facts);
    assert_near(VALUE(page_share), 0, 0);
    assert_near(VALUE(elements), 1, 0);
}

/* Windows tell at least that no loop has much, but not if they contradict each other. */
TEST(test_no_main_loop)
{
    for (int contradict = 0; contradict <= 1; contradict++) {
        struct inspect_facts facts = tile();
        SET(sampled, 1);
        SET(loop_share, 0.2);
        SET(sample_error, contradict ? 0.9 : 0.01);
        inspect_bounds(&facts);
        assert_false(facts.fact[FACT_loads].known);
        assert_int_equal(facts.fact[FACT_loop_share].known, !contradict);
    }
}

/* A loop that loads what it stored at the same places takes turns, not elements. */
TEST(test_rounds)
{
    struct inspect_facts facts = tile();
    for (int handed = 0; handed <= 2; handed++) {
        SET(loads, 4);
        SET(fixed, 4);
        SET(stores, 4);
        SET(forwards, handed == 1 ? 2 : 0);
        SET(scalar_stack, handed == 2 ? 8 : 0);
        inspect_bounds(&facts);
        assert_near(VALUE(elements), handed ? 0 : 4, 0);
    }
}

/* A loop that loads and computes nothing clears what it stores, but where most
 * instructions compute. */
TEST(test_cleared)
{
    struct inspect_facts facts = tile();
    SET(loop_share, 0.9);
    SET(call_instructions, 1000);
    SET(trips, 20);
    for (int computes = 0; computes <= 1; computes++) {
        SET(loads, 0);
        SET(computed, 0);
        SET(stores, 2);
        SET(bytes_stored, 16);
        SET(alu, computes ? 4 : 3);
        inspect_bounds(&facts);
        assert_near(VALUE(bytes_cleared), computes ? 0 : 320, 0);
    }
    SET(alu, 3);
    SET(lone, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(bytes_cleared), 0, 0);
    SET(lone, 0);
    SET(loads, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(bytes_cleared), 0, 0);
}

/* Wrong predictions take no more than the rest if the code takes most of the time. */
TEST(test_guesses_beside_code)
{
    struct inspect_facts facts = tile();
    SET(cost_mispredict, 20);
    SET(undecided, 0.25);
    SET(cycles, 1000);
    BOUND(unlearnt_cycles, 5);
    SET(cycles, VALUE(code_cycles) + 2);
    BOUND(unlearnt_cycles, 2);
    SET(cycles, 2 * VALUE(code_cycles));
    SET(undecided, VALUE(code_cycles));
    BOUND(unlearnt_cycles, 20 * VALUE(code_cycles));
}

/* Permutes are shuffles, too; the wider rate counts only if all are so wide. */
TEST(test_vector_units)
{
    struct inspect_facts facts = tile();
    for (size_t k = 0; k < 3; k++) {
        inspect_fact_set(&facts, FACT_rate_computed_128 + k, (double)(4 >> k));
        inspect_fact_set(&facts, FACT_rate_shuffles_128 + k, 2 / (double)(1 << k));
        inspect_fact_set(&facts, FACT_rate_permutes_128 + k, 1 / (double)(1 << k));
    }
    SET(cycles, 1000);
    SET(computed, 24);
    SET(computed_bits, 24 * 512);
    SET(shuffles, 8);
    SET(shuffle_bits, 8 * 512);
    SET(permutes, 6);
    BOUND(vector_cycles, 24);
    assert_near(VALUE(shuffle_cycles), 24, 1e-9);
    SET(permutes, 3);
    BOUND(shuffle_cycles, 16);
    /* Few shuffles may be the wide ones, and permutes the narrow ones. */
    SET(permutes, 5);
    SET(shuffle_bits, 3 * 512 + 5 * 128);
    BOUND(shuffle_cycles, 8);
    SET(permutes, 3);
    SET(computed_bits, 23 * 512 + 256);
    SET(shuffle_bits, 8 * 128);
    BOUND(vector_cycles, 23);
    assert_near(VALUE(shuffle_cycles), 4, 1e-9);
    SET(computed_bits, 12 * 512 + 12 * 128);
    BOUND(vector_cycles, 12);
    /* The core splits some. */
    SET(steps, 36);
    SET(steps_bits, 36 * 512);
    BOUND(vector_cycles, 36);
    SET(shuffles, 0);
    SET(shuffle_bits, 0);
    SET(permutes, 0);
    inspect_bounds(&facts);
    assert_near(VALUE(shuffle_cycles), 0, 0);
}

/* Integers of vectors are the work as floats are, and so are comparisons. */
TEST(test_needed)
{
    struct inspect_facts facts = tile();
    SET(rate_computed_128, 3);
    SET(rate_computed_256, 3);
    SET(rate_computed_512, 1.5);
    SET(computed, 29);
    SET(computed_bits, 29 * 512);
    SET(cycles, 1000);
    SET(needed, 27);
    SET(needed_bits, 27 * 256);
    BOUND(arithmetic_cycles, 9);
    assert_near(VALUE(limit_cycles), 9, 1e-9);
    SET(needed_bits, 27 * 512);
    BOUND(arithmetic_cycles, 18);
    SET(needed, 3);
    SET(needed_bits, 3 * 256);
    BOUND(arithmetic_cycles, 8);
    /* One unit takes them. */
    SET(needed_form, 10);
    SET(shuffle_form, 7);
    BOUND(limit_cycles, 10);
    assert_near(VALUE(shuffle_cycles), 7, 1e-9);
}

/* Arithmetic that goes faster than was measured leaves the limit open, at or above that
 * rate: no smaller bound is the limit then, and nothing is modelled against one. */
TEST(test_beaten_arithmetic)
{
    struct inspect_facts facts = tile();
    struct inspect_findings findings;
    SET(rate_floats_256, 2);
    SET(computed, 28);
    SET(computed_bits, 28 * 256);
    SET(rate_computed_128, 3);
    SET(rate_computed_256, 3);
    SET(multiplies, 12);
    SET(loop_share, 1);
    inspect_bounds(&facts);
    assert_true(facts.fact[FACT_arithmetic_cycles].refuted);
    assert_true(isnan(VALUE(limit_cycles)) && isnan(VALUE(gap_cycles)));
    assert_near(VALUE(limit_share), 1, 0);
    assert_near(VALUE(vector_cycles), 28 / 3.0, 1e-9);
    inspect_find(&facts, &findings);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.finding[0].cause, CAUSE_unexplained);
}

/* Nobody said that one element at a time is all that can be had. */
TEST(test_free_width)
{
    struct inspect_facts facts = tile();
    inspect_bounds(&facts);
    assert_near(VALUE(free_bits), 256, 0);
    facts = tile();
    SET(roof_share, 0.9);
    UNKNOWN(free_bits);
    facts = tile();
    SET(isa_bits, 256);
    UNKNOWN(free_bits);
}

/* A case beside which the same work is done faster has no share of the limit, so that
 * nothing is excluded by it. */
TEST(test_faster_way)
{
    struct inspect_facts facts = tile();
    BOUND(limit_share, 0.8);
    inspect_fact_faster_way(&facts, 0.97);
    BOUND(limit_share, 0.8);
    inspect_fact_faster_way(&facts, 0.83);
    inspect_fact_faster_way(&facts, 0.9);
    inspect_bounds(&facts);
    assert_near(VALUE(faster_way), 0.83, 0);
    inspect_fact_set_interval(&facts, FACT_place, 0.7, 0.6, 1.01);
    inspect_bounds(&facts);
    assert_near(VALUE(faster_way), 0.83, 0);
    inspect_fact_set_interval(&facts, FACT_place, 0.82, 0.81, 0.99);
    inspect_bounds(&facts);
    assert_near(VALUE(faster_way), 0.82, 0);
    assert_true(isnan(VALUE(limit_share)));
    facts = tile();
    inspect_fact_set_interval(&facts, FACT_other_isa, 0.8, 0.7, 1.01);
    inspect_fact_set_interval(&facts, FACT_edit_whole, 0.8, 0.79, 0.81); /* other work */
    UNKNOWN(faster_way);
    inspect_fact_set_interval(&facts, FACT_other_isa, 0.8, 0.7, 0.9);
    inspect_bounds(&facts);
    assert_near(VALUE(faster_way), 0.8, 0);
}

/* Vectors that are not stored leave chains as they are: the time without them refutes a
 * longer chain, but not where places follow from data, the chain leads through memory, or
 * other loops lose their stores, too. Code was edited at its best place.
 */
TEST(test_chains_without_stores)
{
    for (int i = 0; i <= 4; i++) {
        struct inspect_facts facts = tile();
        SET(chain, 10);
        SET(kept_chain, i == 2 ? 5 : 10);
        SET(places_known, i > 0);
        SET(loop_share, i == 3 ? 0.7 : 1);
        inspect_fact_set_interval(&facts, FACT_edit_store, 0.5, 0.49, 0.51);
        if (i == 4)
            inspect_fact_set_interval(&facts, FACT_place, 0.4, 0.39, 0.41);
        inspect_bounds(&facts);
        assert_int_equal(facts.fact[FACT_chain_cycles].known, i != 1 && i != 4);
    }
}

/* Loops that are left soon have chains that overlap, as was seen in order; but it is no
 * chain if instructions entered no faster. */
TEST(test_short_chains)
{
    struct inspect_facts facts = tile();
    SET(register_chain, 9);
    SET(chain, 10.9);
    BOUND(chain_cycles, 10.9);
    SET(chain, 18);
    SET(window_chain, 20);
    BOUND(chain_cycles, 9);
    assert_near(VALUE(window_cycles), 9, 1e-9);
    SET(instructions, 7.5 * VALUE(rate_instructions));
    inspect_bounds(&facts);
    assert_false(facts.fact[FACT_chain_cycles].known);
    /* Eight entries are in what a core may see, and were seen to overlap; but not those
     * of a chain through memory, which were not seen. */
    facts = tile();
    SET(instructions, 16);
    SET(call_cycles, 4000);
    SET(loop_share, 0.8);
    SET(trips, 8);
    SET(chain, 8);
    SET(register_chain, 3);
    BOUND(chain_cycles, 8 / 9.0);
    SET(kept_chain, 1);
    BOUND(chain_cycles, 8);
    SET(kept_chain, 8);
    SET(register_chain, 5);
    BOUND(chain_cycles, 8);
    inspect_fact_set_absent(&facts, FACT_register_chain, NULL);
    SET(chain, 22); /* nothing shows that it takes the time */
    inspect_bounds(&facts);
    assert_false(facts.fact[FACT_chain_cycles].known);
    assert_near(VALUE(overlap), 22 * 0.8 / 16, 1e-9);
    /* Calls of less than 500 cycles overlap with each other, and so do entries of few. */
    SET(chain, 22);
    SET(call_cycles, 499);
    UNKNOWN(overlap);
    SET(chain, 22);
    SET(call_cycles, 600);
    SET(call_instructions, 31 * 16 / 0.8);
    inspect_bounds(&facts);
    assert_true(facts.fact[FACT_chain_cycles].refuted);
    assert_true(isnan(VALUE(overlap)));
    SET(call_cycles, 4000);
    SET(call_instructions, 4000);
    /* Many turns in a row have no others around them to overlap with. */
    SET(trips, 33);
    SET(chain, 22);
    inspect_bounds(&facts);
    assert_true(facts.fact[FACT_chain_cycles].refuted);
    assert_true(isnan(VALUE(overlap)));
    /* But calls of 512 instructions overlap as far as this core looks ahead, which may
     * hide so much, if the chain was seen in order. */
    const unsigned ahead = inspect_window(6, NAN, NAN, 4 * INSPECT_AHEAD, NAN).results;
    for (int i = 0; i <= 3; i++) {
        facts = tile();
        SET(instructions, 16);
        SET(call_cycles, 4000);
        SET(register_chain, 22);
        if (i == 1)
            inspect_fact_set_absent(&facts, FACT_register_chain, NULL);
        SET(trips, i == 2 ? 320 : 32);
        if (i != 3)
            SET(cost_behind, 4 * INSPECT_AHEAD);
        SET(chain, 22);
        SET(window_chain, 22);
        inspect_bounds(&facts);
        assert_int_equal(facts.fact[FACT_chain_cycles].refuted, i > 0);
        assert_true(facts.fact[FACT_window_cycles].refuted);
        if (i == 0)
            assert_near(VALUE(chain_cycles), 22 / (1 + ahead / 512.0), 1e-9);
    }
}

/* Divisions of integers that wait for each other take no more than their latency, as
 * values say: their throughput may be less than half of the time, and the time may refute
 * the chain. */
TEST(test_divisions_in_a_chain)
{
    const struct {
        enum inspect_fact fact;
        double value;
        bool found;
    } rows[] = {{FACT_chain, 14, true},
                {FACT_trips, 1e6, true}, /* the time refutes this chain */
                {FACT_chain, 9, false},
                {FACT_undecided, 0.2, false},
                {FACT_small_shape, 0.5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inspect_findings findings;
        struct inspect_facts facts = {0};
        SET(cycles, 10);
        SET(loop_share, 1);
        SET(instructions, 6);
        SET(rate_integer_divides, 1 / 4.5);
        SET(cost_mispredict, 20);
        SET(trips, 30);
        SET(divides, 1);
        SET(integer_divides, 1);
        SET(undecided, 0.01);
        SET(chain, 14);
        SET(register_chain, 2);
        SET(kept_chain, 14);
        SET(limit_cycles, 0.1);
        inspect_fact_set(&facts, rows[i].fact, rows[i].value);
        inspect_bounds(&facts);
        inspect_find(&facts, &findings);
        assert_int_equal(findings.finding[0].cause == CAUSE_divider, rows[i].found);
        /* A division now and then does not save the chain. */
        SET(integer_divides, 0.4);
        inspect_bounds(&facts);
        assert_int_equal(isnan(VALUE(chain)), rows[i].fact == FACT_trips);
    }
}

/* A loop that loads as often as the core can takes more of the time than it has of the
 * instructions, unless it has all of them. */
TEST(test_busy_part)
{
    static const struct {
        double loop_share;
        bool known;
    } rows[] = {{0.8, true}, {1, false}};
    for (size_t i = 0; i < 2; i++) {
        struct inspect_facts facts = tile();
        SET(loads, 24);
        SET(loop_share, rows[i].loop_share);
        inspect_bounds(&facts);
        assert_int_equal(facts.fact[FACT_load_cycles].known, rows[i].known);
    }
}
