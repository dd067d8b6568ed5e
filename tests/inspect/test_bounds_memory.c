/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of memory and roofs, and inputs that make a case faster. */
#include "findings.h"
#include "tile_facts.h"

TEST(test_roof_and_memory)
{
    struct inspect_facts facts = tile();
    SET(roof_share, 0.9);
    SET(call_bytes, 6000);
    SET(stream_rate, 8);
    SET(isa_bits, 256);
    SET(rate_loads_256, 2);
    BOUND(far_share, 0.75);
    assert_near(VALUE(roof_cycles), 9, 1e-9);
    assert_near(VALUE(memory_share), 0.75, 1e-9);
    assert_near(VALUE(memory_cycles), 7.5, 1e-9);
    assert_near(VALUE(traffic_cycles), 88 / 8.0, 1e-9);
    assert_near(VALUE(limit_cycles), 9, 1e-9);
    assert_int_equal(inspect_limiting_bound(&facts), FACT_roof_cycles);
}

/* Accesses that change pages are no stream: lines that are used again may come from near,
 * and lines that are not cannot push each other out. */
TEST(test_no_stream)
{
    struct inspect_facts facts = tile();
    SET(loop_share, 1);
    SET(call_bytes, 6000);
    SET(stream_rate, 8);
    SET(isa_bits, 256);
    SET(rate_loads_256, 2);
    SET(page_changes, 0.8);
    SET(crowded, 4);
    BOUND(traffic_cycles, 7.5);
    assert_near(VALUE(crowded_share), 0.5, 1e-9);
    SET(page_changes, 0.7);
    SET(call_bytes, 8 * 64 * 60);
    BOUND(traffic_cycles, 88 / 64.0);
    assert_true(isnan(VALUE(crowded_share)));
}

/* Streams that the case beats are of other bytes: then loads alone are a bound. */
TEST(test_stream_that_is_beaten)
{
    struct inspect_facts facts = tile();
    SET(call_bytes, 32000);
    SET(stream_rate, 8);
    SET(isa_bits, 256);
    SET(rate_loads_256, 2);
    BOUND(memory_share, 0.5);
    assert_near(VALUE(traffic_cycles), 88 / 64.0, 1e-9);
    assert_near(VALUE(far_share), 0, 0);
    /* No stream goes faster than loads. */
    facts = tile();
    SET(call_bytes, 3200);
    SET(stream_rate, 100);
    SET(isa_bits, 256);
    SET(rate_loads_256, 2);
    BOUND(memory_share, 0.05);
    facts = tile();
    SET(call_bytes, 6000);
    SET(stream_rate, 8);
    BOUND(memory_share, 0.75);
}

/* 512 bytes an iteration, 32 iterations a call. */
static struct inspect_facts narrow_copy(double call_bytes, double stores_per_cycle)
{
    struct inspect_facts facts = tile();
    SET(loop_share, 1);
    SET(call_instructions, 40 * 32);
    SET(loads, 64);
    SET(bytes_loaded, 256);
    SET(stores, 64);
    SET(bytes_stored, 256);
    SET(float_arithmetic, 8);
    SET(call_bytes, call_bytes);
    SET(isa_bits, 256);
    SET(rate_loads_256, 2);
    SET(rate_stores_256, stores_per_cycle);
    inspect_bounds(&facts);
    return facts;
}

/* A loop that moves its operands once, whatever the width of its own loads, has the ports
 * as a limit. */
TEST(test_operands_once)
{
    struct inspect_facts facts = narrow_copy(512 * 32, 1);
    assert_near(VALUE(operand_cycles), 8, 1e-9);
    assert_near(VALUE(limit_cycles), 8, 1e-9);
    facts = narrow_copy(512 * 32, 4);
    assert_near(VALUE(operand_cycles), 4, 1e-9);
    facts = narrow_copy(256 * 32, 1);
    assert_true(isnan(VALUE(operand_cycles)));
    /* A row that names no width may use any. */
    facts = narrow_copy(512 * 32, 1);
    inspect_fact_set_absent(&facts, FACT_isa_bits, "a library chooses");
    SET(rate_stores_512, 0.75);
    SET(rate_loads_64, 1);
    BOUND(operand_cycles, 256 / 48.0);
}

/* Stores across lines have a rate of their own; so have integers. */
TEST(test_stores_across_lines)
{
    struct inspect_facts facts = tile();
    SET(cycles, 20);
    SET(stores, 4);
    SET(bytes_stored, 4 * 64);
    SET(rate_stores_512, 0.5);
    SET(rate_split_stores_512, 0.25);
    SET(line_splits, 3);
    SET(split_stores, 3);
    SET(alu, 12);
    SET(branches, 2);
    SET(rate_integers, 4);
    BOUND(store_cycles, 1 / 0.5 + 3 / 0.25);
    assert_near(VALUE(load_cycles), VALUE(whole_load_cycles), 1e-9);
    assert_near(VALUE(integer_cycles), 2.5, 1e-9);
    SET(products, 4);
    BOUND(integer_cycles, 4);
    SET(split_stores, 0);
    BOUND(store_cycles, 8);
}

/* The stream of all operands is no limit of what reads a few of them; other loops of the
 * call may read the rest. Windows do not know well how much a third is, but a fifth. */
TEST(test_touches_a_part)
{
    for (unsigned part = 3; part <= 5; part += 2) {
        struct inspect_facts facts = narrow_copy(part * 512 * 32, 1);
        SET(sampled, 1);
        SET(stream_rate, 4);
        SET(call_cycles, 8000);
        inspect_bounds(&facts);
        assert_int_equal(isnan(VALUE(memory_share)), part == 5);
    }
    for (unsigned all = 0; all < 2; all++) {
        struct inspect_facts facts = narrow_copy(all ? 512 * 32 : 3 * 512 * 32, 1);
        SET(sampled, 0);
        SET(stream_rate, 4);
        SET(call_cycles, 8000);
        SET(roof_share, 0.9);
        SET(roof_streams, 1);
        inspect_bounds(&facts);
        assert_int_equal(isnan(VALUE(memory_share)), !all);
        assert_int_equal(isnan(VALUE(roof_cycles)), !all);
        SET(roof_share, 0.9);
        SET(roof_streams, 0);
        inspect_bounds(&facts);
        assert_false(isnan(VALUE(roof_share)));
        SET(loop_share, 0.5);
        inspect_bounds(&facts);
        assert_false(isnan(VALUE(memory_share)));
        /* Not more than a vector with each of 640 instructions. */
        SET(call_bytes, 2.1 * (512 * 16 + 64 * 640));
        SET(stream_rate, 40);
        UNKNOWN(memory_share);
        /* But one with REP copies as much as it likes. */
        SET(bytes_filled, VALUE(call_bytes) / 2);
        inspect_bounds(&facts);
        assert_false(isnan(VALUE(memory_share)));
    }
}

/* A trace does not tell the pages of gathers: nothing says that they change in order, and
 * constant inputs may make them near. */
TEST(test_gathers)
{
    struct inspect_facts facts = tile();
    SET(call_cycles, 7000);
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.5, 0.4, 0.6);
    SET(page_changes, 0);
    SET(call_bytes, 1 << 24);
    SET(branches, 2);
    SET(places_known, 1);
    SET(sampled, 0);
    inspect_bounds(&facts);
    assert_near(VALUE(page_share), 0, 0);
    assert_near(VALUE(tame_input), 0.5, 1e-9);
    SET(gathered, 8);
    inspect_bounds(&facts);
    assert_false(facts.fact[FACT_page_share].known || facts.fact[FACT_tame_input].known);
    assert_near(VALUE(near_input), 0.5, 1e-9);
}

/* The same work on other values refutes how long results wait, and nothing else. */
TEST(test_refuted_by_inputs)
{
    struct inspect_facts facts = tile();
    SET(chain, 7.6);
    SET(window_chain, 7.9);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.6, 0.5, 0.7);
    BOUND(chain_cycles, 7.6);
    assert_true(facts.fact[FACT_window_cycles].refuted);
    assert_near(VALUE(code_cycles), 8, 1e-9);
    /* Inputs were changed at another place, where all takes longer. */
    SET(window_chain, 7.9);
    SET(place, 0.9);
    BOUND(window_cycles, 7.9);
    SET(chain, 9.5);
    inspect_bounds(&facts);
    assert_true(facts.fact[FACT_chain_cycles].refuted);
    /* They may leave out work, and other modules may. */
    SET(unweighed, 1);
    SET(chain, 9.5);
    BOUND(chain_cycles, 9.5);
    SET(unweighed, 0);
    SET(out_share, 0.4);
    BOUND(chain_cycles, 9.5);
}

TEST(test_tame_input)
{
    struct inspect_facts facts = tile();
    SET(call_cycles, 7000);
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.8, 0.7, 0.9);
    inspect_fact_set_interval(&facts, FACT_input_sorted, 0.6, 0.5, 0.7);
    inspect_fact_set_interval(&facts, FACT_input_constant, 0.9, 0.8, 1);
    UNKNOWN(tame_input);
    assert_non_null(strstr(facts.fact[FACT_tame_input].absent, "no branch"));
    SET(branches, 1.5);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.6, 0);
    assert_near(facts.fact[FACT_tame_input].high, 0.7, 0);
    /* Branches that always go the same way have nothing to gain. */
    SET(undecided, 0.001);
    SET(cost_mispredict, 15);
    UNKNOWN(tame_input);
    /* Those of other loops may go both ways: 700 of 7000 cycles. */
    SET(call_instructions, 10000);
    for (int enough = 0; enough <= 1; enough++) {
        SET(share_undecided, 0.0046 + 0.0002 * enough);
        inspect_bounds(&facts);
        assert_int_equal(isnan(VALUE(tame_input)), !enough);
    }
    SET(share_undecided, 0);
    SET(undecided, 0.5);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.6, 0);
    /* A jump by a table is a branch, too. */
    SET(branches, 1);
    UNKNOWN(tame_input);
    SET(indirect, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.6, 0);
    /* Data may say how many turns a short loop has: other data have other work. */
    SET(indirect, 0);
    SET(trips, 12);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.7, 0.69, 0.71);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.7, 0);
    SET(trips, 33);
    UNKNOWN(tame_input);
    SET(branches, 2);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.5, 0.49, 0.51);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.5, 0);
    /* Zeros may be less work: it is if another number gains nothing. */
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.12, 0.12, 0.12);
    inspect_fact_set_interval(&facts, FACT_input_constant, 0.97, 0.96, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.5, 0);
    inspect_fact_set_interval(&facts, FACT_input_constant, 0.9, 0.8, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.12, 0);
    /* Below 8 cycles of 70, which its arithmetic takes, they took another way. */
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.1, 0.1, 0.1);
    inspect_fact_set_interval(&facts, FACT_input_sorted, 0.3, 0.3, 0.3);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.3, 0);
    SET(place, 0.9);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.1, 0);
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.12, 0.12, 0.12);
    SET(unweighed, 1);
    SET(out_share, 0.2);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.5, 0);
    assert_near(VALUE(learnt_input), 0.5, 0);
    /* The same of keys, if a table in order stays: that they gain nothing says nothing.
     */
    facts.fact[FACT_input_keys] = facts.fact[FACT_input_repeated];
    inspect_fact_set_absent(&facts, FACT_input_repeated, "a table in order");
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.5, 0);
    assert_true(isnan(VALUE(learnt_input)));
    SET(unweighed, 0);
    inspect_fact_set_interval(&facts, FACT_input_keys, 1, 1, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.12, 0);
    inspect_fact_set_absent(&facts, FACT_input_keys, "no table in order");
    /* They leave the work as it is, and branches are learnt: wrong ones cost little. */
    SET(unweighed, 0);
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.74, 0.72, 0.76);
    inspect_fact_set_interval(&facts, FACT_input_sorted, 0.74, 0.72, 0.76);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.98, 0.94, 1.02);
    UNKNOWN(tame_input);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.98, 0.93, 1.02);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.74, 0);
    assert_near(VALUE(unlearnt_cycles), VALUE(guess_cycles), 0);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.99, 0.97, 1.02);
    inspect_bounds(&facts);
    assert_near(VALUE(unlearnt_cycles), 0, 0);
    assert_true(VALUE(guess_cycles) > 0);
    /* Branches that follow from what it computed are learnt on few elements alone. */
    for (int learnt = 0; learnt <= 1; learnt++) {
        SET(few_shape, learnt ? 0.8 : 0.81);
        inspect_bounds(&facts);
        assert_int_equal(VALUE(unlearnt_cycles) > 0, learnt);
    }
    SET(few_shape, 1);
    /* Repeated inputs may have more work. */
    SET(unweighed, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(unlearnt_cycles), VALUE(guess_cycles), 0);
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.12, 0.12, 0.12);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.92, 0.91, 0.93);
    UNKNOWN(tame_input);
    SET(unweighed, 1);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.5, 0.49, 0.51);
    /* Other modules may do less for them; where jumps go is not learnt by heart. */
    SET(out_share, 0.4);
    SET(indirect, 1);
    inspect_bounds(&facts);
    assert_true(isnan(VALUE(tame_input)) && isnan(VALUE(learnt_input)));
    SET(out_share, 0);
    inspect_fact_set_interval(&facts, FACT_input_repeated, 0.9, 0.9, 0.9);
    UNKNOWN(tame_input);
    facts = tile();
    SET(branches, 2);
    inspect_fact_set_interval(&facts, FACT_input_sorted, 0.7, 0.7, 0.7);
    inspect_bounds(&facts);
    assert_string_equal(facts.fact[FACT_tame_input].absent,
                        "other inputs took another way");
    facts = (struct inspect_facts){0};
    inspect_fact_set_interval(&facts, FACT_input_constant, 0.9, 0.8, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(tame_input), 0.9, 0);
    facts = (struct inspect_facts){0};
    inspect_fact_set_absent(&facts, FACT_input_sorted, "it has no inputs");
    inspect_bounds(&facts);
    assert_string_equal(facts.fact[FACT_tame_input].absent, "it has no inputs");
}

/* An index array that is constant makes all accesses near. */
TEST(test_near_input)
{
    struct inspect_facts facts = tile();
    SET(call_cycles, 7000);
    inspect_fact_set_interval(&facts, FACT_input_zero, 0.5, 0.4, 0.6);
    inspect_fact_set_interval(&facts, FACT_input_sorted, 1, 0.9, 1.1);
    SET(branches, 2);
    SET(page_changes, 0.3 * (VALUE(loads) + VALUE(stores)));
    SET(places_known, 0);
    SET(call_bytes, 1e8);
    inspect_bounds(&facts);
    assert_near(VALUE(near_input), 0.5, 0);
    assert_true(isnan(VALUE(tame_input)));
    /* Operands that lie near, and places that do not follow from data. */
    SET(call_bytes, 1e5);
    UNKNOWN(near_input);
    assert_near(VALUE(tame_input), 0.5, 0);
    SET(call_bytes, 1e8);
    SET(places_known, 1);
    UNKNOWN(near_input);
    /* Windows do not tell, but what sorting helps is a branch. */
    SET(sampled, 1);
    SET(loop_share, 0.9);
    SET(sample_error, 0);
    inspect_bounds(&facts);
    assert_near(VALUE(near_input), 0.5, 0);
    inspect_fact_set_interval(&facts, FACT_input_sorted, 0.6, 0.5, 0.7);
    UNKNOWN(near_input);
}

/* Bytes that others only read count by the least of a call. */
TEST(test_read_again)
{
    static const struct {
        double share, floats;
    } rows[] = {{0.6, 0}, {0.59, 0}, {0.6, 0.01}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inspect_facts facts = tile();
        SET(call_bytes, 2048);
        SET(bytes_reading, 81920);
        SET(reading_share, rows[i].share);
        SET(floats, rows[i].floats);
        inspect_bounds(&facts);
        assert_int_equal(VALUE(read_again) == 40, i == 0);
        assert_int_equal(isnan(VALUE(read_again)), i > 0);
    }
}
