/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds and shares from counts and rates of the core. */
#include "tile_facts.h"

TEST(test_cycles)
{
    struct inspect_facts facts = tile();
    BOUND(cycles, 10);
    facts = tile();
    SET(cycles, 7);
    BOUND(cycles, 7);
}

TEST(test_ports)
{
    struct inspect_facts facts = tile();
    BOUND(dispatch_cycles, 39 / 6.0);
    /* Broadcasts make the mean narrow; vectors go at the rate of vectors all the same. */
    assert_near(VALUE(load_cycles), 4, 1e-9);
    assert_near(VALUE(arithmetic_cycles), 8, 1e-9);
    assert_near(VALUE(store_cycles), 0, 0);
    assert_near(VALUE(divide_cycles), 0, 0);
    assert_near(VALUE(calling_cycles), 0, 0);
    assert_true(isnan(VALUE(chain_cycles)));
    assert_true(isnan(VALUE(decode_cycles)));
    assert_near(VALUE(code_cycles), 8, 1e-9);
    assert_near(VALUE(limit_cycles), 8, 1e-9);
    assert_near(VALUE(gap_cycles), 2, 1e-9);
    assert_near(VALUE(gap_share), 0.2, 1e-9);
    assert_int_equal(inspect_limiting_bound(&facts), FACT_arithmetic_cycles);
    SET(cycles, 100);
    SET(multiplies, 24);
    BOUND(arithmetic_cycles, 12);
    /* Divisions use the units of FMAs for a while; integers have a unit of their own. */
    SET(divides, 3);
    SET(integer_divides, 1);
    SET(cost_divide_256, 1.5);
    BOUND(arithmetic_cycles, 15);
    SET(divides, 0);
    SET(integer_divides, 0);
    SET(vector, 4);
    BOUND(load_cycles, 8 / 3.0);
}

/* Microcode may take less than was timed, other instructions may not. */
TEST(test_forms)
{
    struct inspect_facts facts = tile();
    SET(dearest, 12);
    SET(dearest_each, 24);
    BOUND(form_cycles, 10 / 1.5);
    SET(dearest_each, 12);
    UNKNOWN(form_cycles);
    SET(dearest, 16);
    SET(dearest_each, 32);
    UNKNOWN(form_cycles);
}

TEST(test_widths)
{
    static const double bits[] = {32, 128, 256, 512};
    for (size_t i = 0; i < 4; i++) {
        struct inspect_facts facts = tile();
        SET(cycles, 1000);
        for (size_t k = 0; k < 4; k++) {
            inspect_fact_set(&facts, FACT_rate_stores_64 + k, (double)(8 >> k));
            inspect_fact_set(&facts, FACT_rate_divides_64 + k, 1 / (double)(4 << k));
            inspect_fact_set(&facts, FACT_rate_divides_f64_64 + k, 1 / (double)(8 << k));
        }
        SET(stores, 2);
        SET(bytes_stored, 2 * bits[i] / 8);
        SET(divides, 1);
        SET(widest_bits, bits[i]);
        BOUND(store_cycles, 2.0 / (8 >> i));
        assert_near(VALUE(divide_cycles), 4 << i, 1e-9);
        SET(divides, 3);
        SET(divides_f64, 2);
        BOUND(divide_cycles, (4 << i) + 2 * (8 << i));
        SET(divided, 3 * (8 << i));
        BOUND(divide_cycles, 3 * (8 << i));
        SET(divided, 1); /* narrow ones beside wide moves */
        BOUND(divide_cycles, 1);
    }
}

/* Wider gathers may be slower, element by element. */
TEST(test_gathers)
{
    struct inspect_facts facts = tile();
    SET(gathered, 8);
    SET(scattered, 0);
    SET(rate_gathered_256, 2);
    BOUND(gather_cycles, 4);
    SET(rate_gathered_512, 1);
    BOUND(gather_cycles, 4);
    SET(scattered, 3);
    SET(rate_scattered_512, 0.5);
    inspect_bounds(&facts);
    assert_near(VALUE(gather_cycles), 10, 1e-9);
    /* Two of four elements each take more than one of eight. */
    SET(collected, 5);
    inspect_bounds(&facts);
    assert_near(VALUE(gather_cycles), 11, 1e-9);
    /* The time refutes what forms cost here, or nobody knows the other. */
    SET(collected, 12);
    inspect_bounds(&facts);
    assert_near(VALUE(gather_cycles), 10, 1e-9);
    inspect_fact_set_absent(&facts, FACT_rate_gathered_256, NULL);
    inspect_fact_set_absent(&facts, FACT_rate_gathered_512, NULL);
    inspect_fact_set_absent(&facts, FACT_gather_cycles, NULL);
    SET(collected, 0);
    UNKNOWN(gather_cycles);
}

TEST(test_splits)
{
    struct inspect_facts facts = tile();
    SET(line_splits, 2);
    UNKNOWN(load_cycles);
    SET(rate_splits_128, 1);
    BOUND(load_cycles, 6 / 2.0 + 2);
    assert_near(VALUE(split_share), 0.25, 1e-9);
    assert_true(isnan(VALUE(split_cycles)));
    /* One unit for them, and ports that others go on to use. */
    SET(rate_splits_128, 0.5);
    BOUND(load_cycles, 6 / 2.0 + 2 * 2 / 2.0);
    SET(line_splits, 7);
    UNKNOWN(load_cycles);
    SET(cycles, 14);
    BOUND(load_cycles, 7 / 0.5);
    /* They take all of the time: without them arithmetic would, 8 cycles. */
    SET(line_splits, 6);
    SET(rate_splits_128, 0.6);
    SET(cycles, 10);
    BOUND(split_cycles, 2);
}

/* 8 loads of 3 a cycle, but of those of the same bytes 2: all of these take 4 cycles. */
TEST(test_banks)
{
    struct inspect_facts facts = tile();
    SET(rate_loads_128, 3);
    SET(banked, 8 / 3.0);
    BOUND(load_cycles, 8 / 3.0);
    SET(rate_loads_banked, 2);
    BOUND(load_cycles, 4);
    assert_near(VALUE(whole_load_cycles), 4, 1e-9);
    /* Cores that take any two add nothing. */
    SET(rate_loads_128, 2);
    BOUND(load_cycles, 4);
}

TEST(test_long_loop)
{
    struct inspect_facts facts = tile();
    SET(cycles, 10000);
    SET(rate_decoded, 2);
    SET(instructions, 4095);
    UNKNOWN(decode_cycles);
    SET(instructions, 4096);
    BOUND(decode_cycles, 2048);
    assert_int_equal(inspect_limiting_bound(&facts), FACT_decode_cycles);
    SET(rate_fetched, 16);
    SET(crowded_code, 0);
    BOUND(decode_cycles, 2048);
    SET(crowded_code, 65536);
    BOUND(decode_cycles, 4096);
}

TEST(test_branches)
{
    struct inspect_facts facts = tile();
    SET(branches, 5);
    SET(rate_branches, 2);
    BOUND(branch_cycles, 2.5);
    assert_near(VALUE(dispatch_cycles), 35 / 6.0, 1e-9);
    /* Branches take more of the core than other instructions. */
    SET(taken, 4);
    SET(rate_taken, 1);
    BOUND(branch_cycles, 4);
}

TEST(test_costs)
{
    struct inspect_facts facts = tile();
    SET(failed_forwards, 2);
    SET(cost_forward, 12);
    SET(masked_forwards, 0.5);
    SET(cost_masked, 14);
    SET(calls, 1);
    SET(cost_call, 3);
    SET(mispredicts, 0.5);
    SET(cost_mispredict, 14);
    SET(legacy_sse, 3);
    SET(cost_mixed, 4);
    SET(vector_reloads, 4);
    SET(vector_spills, 2);
    SET(rate_loads_256, 2);
    SET(rate_stores_256, 1);
    SET(page_faults, 2);
    SET(cost_fault, 200);
    SET(cpuids, 3);
    SET(cost_cpuid, 100);
    SET(chain, 5);
    SET(window_chain, 7);
    BOUND(forward_cycles, 24);
    assert_near(VALUE(masked_cycles), 7, 1e-9);
    assert_near(VALUE(calling_cycles), 3, 1e-9);
    assert_near(VALUE(mispredict_cycles), 7, 1e-9);
    assert_near(VALUE(mixed_cycles), 12, 1e-9);
    assert_near(VALUE(spill_cycles), 4, 1e-9);
    assert_near(VALUE(fault_share), 0.4, 1e-9);
    assert_near(VALUE(cpuid_share), 0.3, 1e-9);
    assert_near(VALUE(chain_cycles), 5, 1e-9);
    assert_near(VALUE(window_cycles), 7, 1e-9);
    SET(cost_call, 12);
    SET(cost_few_calls, 2);
    inspect_bounds(&facts);
    assert_near(VALUE(calling_cycles), 2, 1e-9);
    /* Upper halves that are saved where SSE follows AVX; SSE that waits for itself. */
    SET(sse_changes, 1);
    SET(cost_mixed, 27);
    SET(cost_mixed_once, 402);
    BOUND(mixed_cycles, 3 * 2 + 400);
    SET(cost_mixed, 4);
    SET(cost_mixed_once, 4);
    BOUND(mixed_cycles, 12);
    /* Costs are no bounds: they overlap with other work. */
    assert_near(VALUE(code_cycles), 8, 1e-9);
}

/* More than 1.1 times the measured cycles cannot be: neither the bound nor what stands
 * for it is known any more, and all that follows is derived without it. */
TEST(test_refuted)
{
    struct inspect_facts facts = tile();
    SET(chain, 10.9);
    SET(window_chain, 10.9);
    BOUND(code_cycles, 10.9);
    /* A loop that waits takes more than its part of the instructions. */
    SET(loop_share, 0.4);
    SET(chain, 13.1);
    BOUND(code_cycles, 13.1);
    SET(chain, 13.3);
    inspect_bounds(&facts);
    assert_true(facts.fact[FACT_chain_cycles].refuted);
    /* The window counts how long instructions take to enter. */
    SET(chain, 5);
    SET(window_chain, 11.5);
    BOUND(window_cycles, 11.5);
    SET(branches, 0);
    SET(rate_instructions, VALUE(instructions) / 11.2);
    UNKNOWN(window_cycles);
    facts = tile();
    SET(chain, 65);
    SET(window_chain, 14);
    SET(loads, 24);
    SET(roof_share, 1.2);
    SET(call_bytes, 9600);
    SET(stream_rate, 8);
    inspect_bounds(&facts);
    static const enum inspect_fact unknown[] = {
        FACT_chain_cycles,  FACT_chain,        FACT_window_cycles,     FACT_window_chain,
        FACT_load_cycles,   FACT_roof_cycles,  FACT_whole_load_cycles, FACT_roof_share,
        FACT_memory_cycles, FACT_memory_share, FACT_far_share};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_false(facts.fact[unknown[i]].known);
        assert_string_equal(facts.fact[unknown[i]].absent, "the time refutes it");
    }
    assert_true(facts.fact[FACT_chain_cycles].refuted);
    assert_near(facts.fact[FACT_chain_cycles].value, 65, 0);
    assert_near(VALUE(code_cycles), 8, 1e-9);
    assert_near(VALUE(limit_cycles), 8, 1e-9);
    assert_near(VALUE(gap_share), 0.2, 1e-9);
    assert_int_equal(inspect_limiting_bound(&facts), FACT_arithmetic_cycles);
}

/* Windows that cannot stand for a call tell nothing of it; what was timed stays. */
TEST(test_samples)
{
    static const struct {
        enum inspect_fact fact;
        double good, bad;
        const char *why;
    } rows[] = {{FACT_loop_share, 0.31, 0.29, "under 30%"},
                {FACT_sample_error, 0.2, 0.3, "contradict each other"},
                {FACT_call_cycles, 700, 500, "more instructions a cycle"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int bad = 0; bad <= 1; bad++) {
            struct inspect_facts facts = tile();
            SET(sampled, 1);
            SET(loop_share, 0.9);
            SET(sample_error, 0.01);
            SET(isa_bits, 256);
            inspect_fact_set(&facts, rows[i].fact, bad ? rows[i].bad : rows[i].good);
            inspect_bounds(&facts);
            assert_int_equal(facts.fact[FACT_cycles].known, !bad);
            assert_int_equal(facts.fact[FACT_loads].known, !bad);
            assert_int_equal(facts.fact[FACT_call_instructions].known, !bad);
            assert_int_equal(facts.fact[FACT_load_cycles].known, !bad);
            assert_int_equal(facts.fact[FACT_split_share].known, !bad);
            assert_true(facts.fact[FACT_call_cycles].known);
            assert_true(facts.fact[FACT_isa_bits].known);
            if (bad)
                assert_non_null(strstr(facts.fact[FACT_loads].absent, rows[i].why));
        }
    /* A whole trace is true whatever it says. */
    struct inspect_facts facts = tile();
    SET(sampled, 0);
    SET(loop_share, 0.2);
    SET(call_cycles, 500);
    inspect_bounds(&facts);
    assert_near(VALUE(loads), 8, 0);
    assert_near(VALUE(cycles), 5, 1e-9);
}

/* The edit cuts chains of vectors: of others it says nothing. */
TEST(test_unchained)
{
    struct inspect_facts facts = {0};
    inspect_fact_set(&facts, FACT_chain, 10);
    inspect_fact_set(&facts, FACT_vector_chain, 9.5);
    inspect_fact_set_interval(&facts, FACT_edit_chain, 0.99, 0.98, 1);
    inspect_bounds(&facts);
    assert_near(VALUE(unchained), 0.99, 0);
    inspect_fact_set(&facts, FACT_other_chain, 9.5);
    UNKNOWN(unchained);
    inspect_fact_set(&facts, FACT_other_chain, 5);
    inspect_fact_set(&facts, FACT_vector_chain, 5);
    UNKNOWN(unchained);
}

/* Spills of a loop that calls are around its calls. */
TEST(test_unsaved)
{
    struct inspect_facts facts = {0};
    inspect_fact_set_interval(&facts, FACT_edit_spill, 0.7, 0.6, 0.8);
    SET(calls, 1);
    SET(chain, 12);
    SET(kept_chain, 3);
    /* Instructions of the call enter meanwhile. */
    SET(register_chain, 11);
    inspect_bounds(&facts);
    assert_near(VALUE(unsaved), 0.7, 0);
    assert_near(VALUE(saved_chain), 0.75, 1e-9);
    SET(calls, 0.1);
    inspect_bounds(&facts);
    assert_true(isnan(VALUE(unsaved)) && isnan(VALUE(saved_chain)));
    assert_near(VALUE(unspilled), 0.7, 0);
    inspect_fact_set_interval(&facts, FACT_edit_spill, 1.12, 0.95, 1.3);
    inspect_bounds(&facts);
    assert_near(VALUE(unspilled), 1.12, 0);
    inspect_fact_set_interval(&facts, FACT_edit_spill, 1.6, 1.5, 1.7);
    UNKNOWN(unspilled);
}

TEST(test_shares)
{
    struct inspect_facts facts = tile();
    SET(scalar_stack, 10);
    SET(page_changes, 2);
    SET(vector_reloads, 4);
    SET(vector_spills, 2);
    SET(called, 30);
    SET(alu, 6);
    SET(branches, 3);
    SET(checks, 1);
    SET(guards, 2);
    SET(work, 2);
    BOUND(called_share, 0.75);
    assert_near(VALUE(decisions), 2, 1e-9);
    assert_near(VALUE(choices), 1, 1e-9);
    assert_near(VALUE(elements), VALUE(loads), 0);
    assert_near(VALUE(address_share), (6 + 3 - 1 - 2) / 40.0, 1e-9);
    assert_near(VALUE(vector_share), 0.9, 1e-9);
    assert_near(VALUE(integer_share), 0.1, 1e-9);
    assert_near(VALUE(copy_share), 0.1, 1e-9);
    assert_near(VALUE(spill_share), 0.15, 1e-9);
    assert_near(VALUE(scalar_stack_share), 0.25, 1e-9);
    assert_near(VALUE(branch_share), 3 / 36.0, 1e-9);
    assert_near(VALUE(page_share), 0.25, 1e-9);
    SET(stores, 2);
    SET(needed, 24);
    SET(scalar_stack, 0);
    inspect_bounds(&facts);
    assert_near(VALUE(elements), 2, 0);
    /* Loads, stores, arithmetic, work on what was loaded, and a counter with its branch.
     */
    assert_near(VALUE(useful), 8 + 2 + 24 + 2 + 2, 1e-9);
    /* Shuffles and bits are work, too. */
    SET(computed, 30);
    BOUND(useful, 8 + 2 + 30 + 2 + 2);
    SET(loads, 0);
    SET(stores, 4);
    inspect_bounds(&facts);
    assert_near(VALUE(elements), 1, 0);
    /* It loads from other places, too; it looks at one alone, as at a flag. */
    for (int loads = 2; loads >= 1; loads--) {
        SET(loads, loads);
        SET(stores, 0);
        SET(fixed, 1);
        inspect_bounds(&facts);
        assert_near(VALUE(elements), loads == 2 ? 2 : 0, 0);
    }
}

TEST(test_nothing_known)
{
    struct inspect_facts facts = {0};
    inspect_bounds(&facts);
    for (enum inspect_fact i = 0; i < INSPECT_FACTS; i++)
        assert_int_equal(facts.fact[i].known, i == FACT_gap_share);
    assert_near(VALUE(gap_share), 1, 0);
    assert_int_equal(inspect_limiting_bound(&facts), INSPECT_FACTS);
    SET(roof_share, 0.7);
    BOUND(gap_share, 0.3);
    SET(roof_share, 1.1);
    inspect_bounds(&facts);
    assert_near(VALUE(gap_share), 0, 0);
}
