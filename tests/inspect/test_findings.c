/* SPDX-License-Identifier: Apache-2.0 */
/* Causes from scripted facts: each fires on its evidence, alone and first; each piece of
 * evidence is necessary; each counter-evidence silences it. */
#include "said_facts.h"
enum { SAID_MAX = 12 };
struct script {
    enum inspect_cause cause;
    enum inspect_confidence confidence;
    struct said facts[SAID_MAX], silent[SAID_MAX]; /* each of these silences it */
};
/* The end of a list: no script has an unknown fact. */
#define END {INSPECT_FACTS, 0}
static const struct script scripts[] = {
    {CAUSE_at_limit,
     INSPECT_MODELLED,
     {IS(roof_share, 0.8), END},
     {IS(small_shape, 0.5), IS(far_share, 0.8), IS(faster_way, 0.94), IS(thread_use, 0.6),
      END}},
    {CAUSE_placement,
     INSPECT_FLIPPED,
     {IS(place, 0.9), END},
     {IS(same_place, 1.06), IS(same_place, 0.9), END}},
    {CAUSE_memory_bandwidth,
     INSPECT_MODELLED,
     {IS(far_share, 0.8), END},
     {IS(small_shape, 0.9), END}},
    {CAUSE_at_limit,
     INSPECT_MODELLED,
     {IS(limit_cycles, 8), TIMED, IS(isa_bits, 256), END},
     {IS(small_shape, 0.5), IS(widest_bits, 128), IS(split_cycles, 2),
      IS(faster_way, 0.94), IS(thread_use, 0.6), IS(free_bits, 64), END}},
    {CAUSE_memory_bandwidth,
     INSPECT_FLIPPED,
     {IS(small_shape, 0.4), IS(traffic_cycles, 6), IS(cycles, 10), END},
     {IS(huge_pages, 0.5), IS(tame_input, 0.5), IS(kept_heap, 0.5), END}},
    {CAUSE_memory_bandwidth,
     INSPECT_FLIPPED,
     {IS(small_shape, 0.4), IS(memory_share, 0.6), END},
     {IS(huge_pages, 0.5), IS(tame_input, 0.5), IS(kept_heap, 0.5), IS(page_share, 1),
      END}},
    {CAUSE_tlb,
     INSPECT_FLIPPED,
     {IS(huge_pages, 0.6), IS(loads, 10), END},
     {IS(page_share, 0.01), IS(page_walks, 0.01), END}},
    {CAUSE_tlb,
     INSPECT_FLIPPED,
     {IS(small_shape, 0.4), IS(page_share, 0.5), IS(cycles, 10), IS(loads, 10), END},
     {IS(huge_pages, 1), IS(call_bytes, 1e6), IS(traffic_cycles, 6), IS(page_walks, 0.01),
      IS(tame_input, 0.5), IS(kept_heap, 0.5), END}},
    {CAUSE_cache_sets,
     INSPECT_FLIPPED,
     {IS(small_shape, 0.4), IS(crowded_share, 0.5), IS(line_uses, 16), IS(cycles, 10),
      END},
     {IS(huge_pages, 0.8), IS(roof_share, 0.9), IS(tame_input, 0.5), IS(kept_heap, 0.5),
      IS(chain_cycles, 9.5), END}},
    {CAUSE_cache_latency,
     INSPECT_FLIPPED,
     {IS(small_shape, 0.4), IS(traffic_cycles, 2), IS(cycles, 10), END},
     {IS(huge_pages, 0.8), IS(page_share, 0.02), IS(tame_input, 0.5),
      IS(crowded_share, 0.5), IS(kept_heap, 0.5), IS(chain_cycles, 9.5), END}},
    {CAUSE_cache_latency,
     INSPECT_FLIPPED,
     {IS(near_input, 0.5), END},
     {IS(huge_pages, 0.5), IS(flush_denormals, 0.5), END}},
    {CAUSE_cache_latency,
     INSPECT_MODELLED,
     {IS(page_changes, 1), IS(code_cycles, 0.9), IS(traffic_cycles, 4), TIMED, END},
     {IS(small_shape, 1), IS(guess_cycles, 4), IS(tame_input, 0.5),
      IS(flush_denormals, 0.5), IS(forward_cycles, 2), IS(fault_share, 0.2),
      IS(out_share, 0.5), IS(threads, 2), END}},
    {CAUSE_denormals,
     INSPECT_FLIPPED,
     {IS(flush_denormals, 0.5), END},
     {IS(floats, 0), IS(control, 0.5), IS(layout, 0.5), END}},
    {CAUSE_mispredicts,
     INSPECT_FLIPPED,
     {IS(tame_input, 0.5), IS(cycles, 10), END},
     {IS(flush_denormals, 0.5), IS(code_cycles, 9.5), IS(mispredict_cycles, 0.1), END}},
    {CAUSE_mispredicts,
     INSPECT_MODELLED,
     {IS(unweighed, 1), IS(guess_cycles, 6), IS(gap_cycles, 9), IS(cycles, 10),
      IS(code_cycles, 3), IS(page_share, 0.02), HOT, END},
     {IS(out_share, 0.4), IS(small_shape, 0.5), IS(learnt_input, 0.95),
      IS(guess_cycles, 16), IS(flush_denormals, 0.5), IS(huge_pages, 0.5), END}},
    {CAUSE_call,
     INSPECT_STRUCTURAL,
     {IS(out_share, 0.8), IS(out_length, 120), END},
     {IS(far_share, 0.8), IS(limit_share, 0.9), END}},
    {CAUSE_mispredicts,
     INSPECT_STRUCTURAL,
     {IS(mispredict_cycles, 4), IS(cycles, 10), IS(gap_cycles, 6), HOT, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_aliasing_4k,
     INSPECT_FLIPPED,
     {IS(page_offset, 0.7), IS(aliases_4k, 1), END},
     {END}},
    {CAUSE_line_splits,
     INSPECT_FLIPPED,
     {IS(alignment, 0.8), IS(split_share, 0.5), HOT, END},
     {END}},
    {CAUSE_line_splits,
     INSPECT_STRUCTURAL,
     {IS(split_share, 0.5), IS(load_cycles, 7), IS(whole_load_cycles, 4),
      IS(code_cycles, 7.5), TIMED, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_line_splits,
     INSPECT_STRUCTURAL,
     {IS(split_share, 0.5), IS(split_cycles, 2), TIMED, END},
     {IS(vector_spills, 1), END}},
    {CAUSE_page_faults,
     INSPECT_FLIPPED,
     {IS(kept_heap, 0.4), IS(page_faults, 3), END},
     {END}},
    {CAUSE_page_faults,
     INSPECT_STRUCTURAL,
     {IS(page_faults, 3), IS(fault_share, 0.5), IS(gap_share, 0.8), END},
     {END}},
    {CAUSE_threads_imbalance,
     INSPECT_STRUCTURAL,
     {IS(threads, 2), IS(thread_use, 0.6), END},
     {IS(one_thread, 1.9), IS(shared_samples, 0.2), END}},
    {CAUSE_threads_imbalance,
     INSPECT_STRUCTURAL,
     {IS(threads, 4), IS(one_thread, 2), END},
     {IS(memory_share, 0.8), IS(shared_samples, 0.2), END}},
    {CAUSE_call_overhead,
     INSPECT_STRUCTURAL,
     {IS(call_cycles, 300), IS(outside_share, 0.7), IS(outside_instructions, 90), END},
     {IS(roof_share, 0.9), IS(outside_instructions, 533), END}},
    {CAUSE_call_overhead,
     INSPECT_MODELLED,
     {IS(overhead_share, 0.4), IS(call_cycles, 300), END},
     {IS(roof_share, 0.9), END}},
    {CAUSE_call_overhead,
     INSPECT_MODELLED,
     {IS(cpuid_share, 0.9), END},
     {IS(roof_share, 0.9), END}},
    {CAUSE_store_forwarding,
     INSPECT_FLIPPED,
     {IS(edit_forward, 0.7), IS(forward_cycles, 1), IS(cycles, 10), END},
     {IS(same_place, 1.2), IS(forward_cycles, 0.9), END}},
    {CAUSE_store_forwarding,
     INSPECT_STRUCTURAL,
     {IS(forward_cycles, 7), IS(cycles, 10), IS(gap_cycles, 8), HOT, END},
     {IS(edit_forward, 1), IS(forward_cycles, 15), IS(loop_share, 0.2), END}},
    {CAUSE_unoptimised,
     INSPECT_STRUCTURAL,
     {IS(built_unoptimised, 1), HOT, IS(cycles, 10), END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_unoptimised,
     INSPECT_STRUCTURAL,
     {IS(scalar_stack_share, 0.5), IS(carried, 0), HOT, IS(cycles, 10), END},
     {IS(built_unoptimised, 0), IS(limit_share, 0.9), END}},
    {CAUSE_call,
     INSPECT_FLIPPED,
     {IS(edit_call, 0.8), IS(calls, 1), HOT, END},
     {IS(same_place, 1.2), END}},
    {CAUSE_call,
     INSPECT_STRUCTURAL,
     {IS(calls, 1), IS(calling_cycles, 2), EXPLAINED, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_call,
     INSPECT_STRUCTURAL,
     {IS(calls, 1), IS(calling_cycles, 2), IS(called_share, 0.7), HOT, IS(cycles, 20),
      END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_call,
     INSPECT_FLIPPED,
     {IS(unsaved, 0.7), HOT, END},
     {IS(same_place, 1.4), END}},
    {CAUSE_spills,
     INSPECT_FLIPPED,
     {IS(edit_spill, 0.8), IS(vector_reloads, 3), IS(vector_spills, 1), TIMED, END},
     {IS(forward_cycles, 1), IS(same_place, 1.2), IS(carried, 0), IS(calls, 1), END}},
    {CAUSE_spills,
     INSPECT_STRUCTURAL,
     {IS(vector_reloads, 3), IS(vector_spills, 1), IS(spill_share, 0.1), EXPLAINED, END},
     {IS(forward_cycles, 1), IS(calls, 1), IS(limit_share, 0.9), IS(edit_spill, 1), END}},
    {CAUSE_branch,
     INSPECT_STRUCTURAL,
     {IS(decisions, 4), IS(branch_share, 0.5), IS(instructions, 79), EXPLAINED, END},
     {IS(calls, 1), IS(limit_share, 0.9), END}},
    {CAUSE_branch,
     INSPECT_STRUCTURAL,
     {IS(decisions, 7), IS(branch_share, 0.5), HOT, IS(cycles, 10), END},
     {IS(calls, 1), IS(limit_share, 0.9), END}},
    {CAUSE_branch,
     INSPECT_STRUCTURAL,
     {IS(isa_bits, 256), IS(widest_bits, 0), IS(page_share, 0.001), IS(decisions, 2),
      IS(branch_cycles, 7), TIMED, END},
     {IS(calls, 1), IS(limit_share, 0.9), IS(page_share, 0.5), END}},
    {CAUSE_branch,
     INSPECT_STRUCTURAL,
     {IS(widest_bits, 0), IS(places_known, 1), IS(page_share, 0.001), IS(decisions, 3),
      IS(branch_cycles, 7), TIMED, END},
     {IS(calls, 1), IS(limit_share, 0.9), IS(page_share, 0.5), IS(places_known, 0),
      IS(isa_bits, 64), END}},
    {CAUSE_scalar,
     INSPECT_FLIPPED,
     {IS(other_isa, 0.4), IS(widest_bits, 32), IS(isa_bits, 256), END},
     {END}},
    {CAUSE_scalar,
     INSPECT_STRUCTURAL,
     {IS(widest_bits, 32), IS(isa_bits, 256), IS(scalar_float, 2), HOT, END},
     {IS(roof_share, 0.9), END}},
    {CAUSE_scalar,
     INSPECT_STRUCTURAL,
     {IS(widest_bits, 0), IS(isa_bits, 256), IS(decisions, 1), IS(page_share, 0.001),
      IS(chain, 1), IS(elements, 1), IS(code_cycles, 5), TIMED, IS(gap_cycles, 5), END},
     {IS(roof_share, 0.9), IS(calls, 1), IS(chain, 3), IS(page_share, 0.5),
      IS(code_cycles, 4), IS(guess_cycles, 4), IS(wild_stores, 1), IS(trips, 3), END}},
    {CAUSE_scalar,
     INSPECT_STRUCTURAL,
     {IS(widest_bits, 32), IS(places_known, 1), IS(decisions, 1), IS(page_share, 0.001),
      IS(chain, 1.2), IS(elements, 1), IS(code_cycles, 5), TIMED, IS(gap_cycles, 5), END},
     {IS(roof_share, 0.9), IS(calls, 1), IS(chain, 3), IS(code_cycles, 4),
      IS(guess_cycles, 4), IS(wild_stores, 1), IS(lone, 1), IS(isa_bits, 32),
      IS(trips, 3), END}},
    {CAUSE_scalar,
     INSPECT_STRUCTURAL,
     {IS(crossing_share, 0.5), IS(crossings, 5), EXPLAINED, END},
     {IS(roof_share, 0.9), IS(calls, 1), END}},
    {CAUSE_scalar,
     INSPECT_STRUCTURAL,
     {IS(crossings, 16), EXPLAINED, END},
     {IS(roof_share, 0.9), IS(calls, 1), IS(crossings, 5), END}},
    {CAUSE_narrow_vectors,
     INSPECT_FLIPPED,
     {IS(other_isa, 0.4), IS(widest_bits, 128), IS(isa_bits, 256), END},
     {END}},
    {CAUSE_narrow_vectors,
     INSPECT_STRUCTURAL,
     {IS(widest_bits, 128), IS(isa_bits, 256), HOT, END},
     {IS(roof_share, 0.9), END}},
    {CAUSE_mixed_sse_avx,
     INSPECT_MODELLED,
     {IS(mixes_sse_avx, 1), IS(legacy_sse, 4), IS(mixed_cycles, 6), TIMED,
      IS(gap_cycles, 8), END},
     {IS(limit_share, 0.9), IS(edit_vex, 1), END}},
    {CAUSE_mixed_sse_avx,
     INSPECT_FLIPPED,
     {IS(edit_vex, 0.7), IS(mixes_sse_avx, 1), HOT, END},
     {IS(same_place, 1.2), END}},
    {CAUSE_streaming_stores,
     INSPECT_FLIPPED,
     {IS(edit_cached, 0.7), HOT, END},
     {IS(same_place, 1.2), END}},
    {CAUSE_divider,
     INSPECT_FLIPPED,
     {IS(edit_divide, 0.8), HOT, END},
     {IS(same_place, 1.2), END}},
    {CAUSE_divider,
     INSPECT_MODELLED,
     {IS(divide_cycles, 8), TIMED, END},
     {IS(limit_share, 0.9), IS(edit_divide, 1), END}},
    {CAUSE_slow_instruction,
     INSPECT_MODELLED,
     {IS(dearest_each, 70), IS(form_cycles, 7), IS(limit_cycles, 2), TIMED, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_latency_chain,
     INSPECT_FLIPPED,
     {IS(edit_chain, 0.8), IS(cycles, 10), IS(chain_cycles, 5), END},
     {IS(same_place, 1.2), IS(limit_cycles, 8), IS(limit_cycles, 6), END}},
    {CAUSE_latency_chain,
     INSPECT_FLIPPED,
     {IS(edit_chain, 0.7), IS(cycles, 10), IS(limit_cycles, 9), END},
     {IS(same_place, 1.2), END}},
    {CAUSE_latency_chain,
     INSPECT_MODELLED,
     {IS(chain_cycles, 9), IS(limit_cycles, 4), IS(cycles, 10), IS(call_cycles, 9999),
      HOT, END},
     {IS(roof_share, 0.9), IS(unchained, 1), IS(unsaved, 0.7), IS(saved_chain, 0.5),
      END}},
    {CAUSE_latency_chain,
     INSPECT_MODELLED,
     {IS(window_cycles, 9), IS(limit_cycles, 4), IS(cycles, 10), IS(call_cycles, 9999),
      HOT, END},
     {IS(limit_cycles, 7.9), IS(dispatch_cycles, 8), IS(unchained, 1), IS(unsaved, 0.7),
      IS(saved_chain, 0.5), END}},
    {CAUSE_latency_chain,
     INSPECT_MODELLED,
     {IS(window_cycles, 9.5), IS(limit_cycles, 4), IS(cycles, 10), IS(call_cycles, 300),
      IS(instructions, 9), IS(call_instructions, 9), END},
     {IS(limit_cycles, 7.9), IS(dispatch_cycles, 8), IS(unchained, 1), END}},
    {CAUSE_memory_chain,
     INSPECT_FLIPPED,
     {IS(input_sorted, 0.7), IS(forwards, 0.5), IS(places_known, 0), IS(branches, 1),
      TIMED, END},
     {IS(flush_denormals, 0.7), IS(huge_pages, 0.7), IS(forward_cycles, 1),
      IS(control, 0.5), IS(layout, 0.5), END}},
    {CAUSE_scalar,
     INSPECT_FLIPPED,
     {IS(edit_store, 0.7), IS(taken_apart, 8), TIMED, END},
     {IS(forward_cycles, 1), IS(same_place, 1.2), END}},
    {CAUSE_memory_chain,
     INSPECT_MODELLED,
     {IS(order_cycles, 9), IS(register_chain, 4), IS(limit_cycles, 4), IS(cycles, 10),
      IS(call_cycles, 9999), HOT, END},
     {IS(limit_share, 0.9), IS(forward_cycles, 1), IS(carried, 0), END}},
    {CAUSE_register_copies,
     INSPECT_STRUCTURAL,
     {IS(copy_share, 0.3), IS(dispatch_cycles, 7), IS(code_cycles, 7), TIMED, END},
     {IS(limit_share, 0.9), IS(decode_cycles, 9), IS(legacy_sse, 5), IS(code_cycles, 8),
      IS(edit_spill, 0.7), END}},
    {CAUSE_address_arithmetic,
     INSPECT_STRUCTURAL,
     {IS(vector_share, 0.2), IS(address_share, 0.7), IS(dispatch_cycles, 7),
      IS(code_cycles, 7), TIMED, END},
     {IS(calls, 1), IS(carried, 0), IS(limit_share, 0.9), IS(integer_share, 0.96),
      IS(code_cycles, 9), END}},
    {CAUSE_address_arithmetic,
     INSPECT_STRUCTURAL,
     {IS(vector_share, 0.2), IS(address_share, 0.7), IS(integer_cycles, 9), TIMED, END},
     {IS(calls, 1), IS(carried, 0), IS(limit_share, 0.9), IS(integer_share, 0.96), END}},
    {CAUSE_surplus_stores,
     INSPECT_FLIPPED,
     {IS(edit_store, 0.7), IS(stored_twice, 3), TIMED, END},
     {IS(forward_cycles, 1), IS(taken_apart, 1), IS(carried, 0), IS(far_share, 0.9),
      IS(calls, 1), IS(same_place, 1.2), IS(order_cycles, 7), END}},
    {CAUSE_gathers,
     INSPECT_FLIPPED,
     {IS(edit_gather, 0.8), IS(gather_cycles, 6), TIMED, END},
     {IS(same_place, 1.2), IS(gather_cycles, 1), IS(small_shape, 0.5), END}},
    {CAUSE_gathers,
     INSPECT_MODELLED,
     {IS(gather_cycles, 7), IS(cycles, 10), IS(limit_cycles, 4), HOT, END},
     {IS(limit_share, 0.9), IS(edit_gather, 1), END}},
    {CAUSE_load_ports,
     INSPECT_MODELLED,
     {IS(load_cycles, 9), IS(cycles, 10), IS(limit_cycles, 4), HOT, END},
     {IS(whole_load_cycles, 5), IS(operand_cycles, 2), END}},
    {CAUSE_vector_ports,
     INSPECT_MODELLED,
     {IS(shuffle_cycles, 7), IS(cycles, 10), IS(limit_cycles, 4), HOT, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_vector_ports,
     INSPECT_MODELLED,
     {IS(vector_cycles, 7), IS(cycles, 10), IS(limit_cycles, 4), HOT, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_integer_ports,
     INSPECT_MODELLED,
     {IS(integer_cycles, 9), IS(cycles, 10), IS(limit_cycles, 4), IS(integer_share, 0.97),
      HOT, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_front_end,
     INSPECT_STRUCTURAL,
     {IS(frontend_stalls, 0.5), IS(cycles, 10), END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_front_end,
     INSPECT_MODELLED,
     {IS(decode_cycles, 7), IS(dispatch_cycles, 4), TIMED, END},
     {IS(limit_share, 0.9), END}},
    {CAUSE_front_end,
     INSPECT_MODELLED,
     {IS(dispatch_cycles, 8), IS(limit_cycles, 4), IS(instructions, 40), TIMED, END},
     {IS(limit_share, 0.9), IS(window_cycles, 9.9), IS(useful, 33), END}},
    {CAUSE_clock, INSPECT_MODELLED, {IS(clock_share, 0.8), END}, {END}},
    {CAUSE_core_shared,
     INSPECT_FLIPPED,
     {IS(other_core, 0.7), IS(shared_samples, 1), END},
     {END}},
    {CAUSE_core_shared,
     INSPECT_MODELLED,
     {IS(alone, 0.7), IS(shared_samples, 1), END},
     {END}},
};

static struct inspect_facts facts_of(const struct script *script)
{
    struct inspect_facts facts = {0};
    for (size_t i = 0; i < SAID_MAX && script->facts[i].fact != INSPECT_FACTS; i++)
        say(&facts, &script->facts[i]);
    return facts;
}

static void test_fires(void **state)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const struct script *const script = &scripts[i];
        const struct inspect_facts facts = facts_of(script);
        struct inspect_findings findings;
        inspect_find(&facts, &findings);
        const struct inspect_finding *const first = &findings.finding[0];
        assert_string_equal(inspect_cause_name(first->cause),
                            inspect_cause_name(script->cause));
        assert_int_equal(first->confidence, script->confidence);
        assert_in_range(first->n_evidence, 1, INSPECT_EVIDENCE_MAX);
        assert_null(excluded(&findings, script->cause));
        for (size_t k = 0; k < first->n_evidence; k++) {
            const struct inspect_evidence *const evidence = &first->evidence[k];
            assert_near(evidence->value, facts.fact[evidence->fact].value, 0);
            assert_true(evidence->at_least ? evidence->value >= evidence->threshold
                                           : evidence->value <= evidence->threshold);
        }
    }
}

static void test_each_evidence_is_necessary(void **state)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct inspect_findings all, without;
        struct inspect_facts facts = facts_of(&scripts[i]);
        inspect_find(&facts, &all);
        for (size_t k = 0; k < all.finding[0].n_evidence; k++) {
            facts = facts_of(&scripts[i]);
            inspect_fact_set_absent(&facts, all.finding[0].evidence[k].fact,
                                    "not looked");
            inspect_find(&facts, &without);
            assert_false(has(&without, scripts[i].cause));
        }
    }
}

static void test_counter_evidence_silences(void **state)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        for (size_t k = 0; k < SAID_MAX && scripts[i].silent[k].fact != INSPECT_FACTS;
             k++) {
            const struct said *const said = &scripts[i].silent[k];
            struct inspect_facts facts = facts_of(&scripts[i]);
            struct inspect_findings findings;
            say(&facts, said);
            inspect_find(&facts, &findings);
            assert_false(has(&findings, scripts[i].cause));
            assert_non_null(excluded(&findings, scripts[i].cause));
        }
}

static void test_every_cause_is_scripted(void **state)
{
    for (enum inspect_cause cause = 0; cause < CAUSE_unexplained; cause++) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
            n += scripts[i].cause == cause;
        assert_true(n > 0);
    }
}

int main(void)
{
    return RUN_TESTS(TEST(test_fires), TEST(test_each_evidence_is_necessary),
                     TEST(test_counter_evidence_silences),
                     TEST(test_every_cause_is_scripted));
}
