/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: what a census tells, the table, and values that are set or absent. */
#include "fact_words.h"
#include "inspect.h"

TEST(test_census)
{
    char producer[] = "clang version 19 -O0 -g";
    struct inspect_loop loops[] = {
        {.share = 0.6, .trips = 7, .instructions = 12, .vector = 5, .widest_bits = 256},
        {.share = 0.3, .chain = 4, .window_chain = 6, .calls = 1}};
    struct inspect_census census = {.whole = true,
                                    .instructions = 1234,
                                    .call_instructions = 1234,
                                    .mixes_sse_avx = true,
                                    .loop = loops,
                                    .n_loops = 2,
                                    .producer = producer};
    struct inspect_facts facts = {0};
    inspect_facts_trace(&facts, &census, &loops[0]);
    assert_near(VALUE(call_instructions), 1234, 0);
    assert_near(VALUE(outside_share), 0.1, 1e-9);
    assert_near(VALUE(loop_share), 0.6, 0);
    assert_near(VALUE(trips), 7, 0);
    assert_near(VALUE(instructions), 12, 0);
    assert_near(VALUE(vector), 5, 0);
    assert_near(VALUE(widest_bits), 256, 0);
    assert_near(VALUE(mixes_sse_avx), 1, 0);
    assert_near(VALUE(built_unoptimised), 1, 0);
    assert_true(isnan(VALUE(chain)));
    assert_true(isnan(VALUE(window_chain)));

    facts = (struct inspect_facts){0};
    census.whole = false;
    census.call_instructions = 0;
    census.producer = NULL;
    inspect_facts_trace(&facts, &census, &loops[1]);
    assert_true(isnan(VALUE(call_instructions)));
    assert_true(isnan(VALUE(built_unoptimised)));
    assert_true(isnan(VALUE(trips)));
    assert_near(VALUE(chain), 4, 0);
    assert_near(VALUE(window_chain), 6, 0);
    assert_near(VALUE(calls), 1, 0);

    facts = (struct inspect_facts){0};
    inspect_facts_trace(&facts, &census, NULL);
    assert_true(isnan(VALUE(instructions)));
    assert_near(VALUE(outside_share), 0.1, 1e-9);
}

/* The use of registers in a loop tells; the words of the producer count before that. */
TEST(test_unoptimised)
{
    char clang[] = "clang version 19", fast[] = "GNU C17 12 -g -O2",
         slow[] = "GNU C17 12 -O0";
    struct inspect_loop loops[] = {
        {.share = 0.2, .instructions = 10, .scalar_stack = 9, .carried = 1},
        {.share = 0.4, .instructions = 10, .scalar_stack = 5},
        {.share = 0.4, .instructions = 10, .scalar_stack = 0.5}};
    struct inspect_census census = {.loop = loops, .n_loops = 3, .producer = clang};
    char why[128] = "";
    assert_true(inspect_unoptimised(&census, why, sizeof why));
    assert_non_null(strstr(why, " 50% of their instructions access the stack"));
    census.producer = fast;
    assert_false(inspect_unoptimised(&census, why, sizeof why));
    census.producer = NULL;
    loops[1].carried = -1;
    assert_false(inspect_unoptimised(&census, why, sizeof why));
    census.producer = slow;
    assert_true(inspect_unoptimised(&census, why, sizeof why));
    assert_string_equal(why, "its debug information says -O0");
    assert_int_equal(inspect_built_unoptimised(clang), -1);
    assert_int_equal(inspect_built_unoptimised(fast), 0);
    assert_int_equal(inspect_built_unoptimised("GNU C17 12 -O0 -O3 -g"), 0);
    assert_int_equal(inspect_built_unoptimised("GNU C17 12 -O2 -g -O0 -fno-O"), 1);
}

/* Without loops the call is one iteration. */
TEST(test_straight_call)
{
    struct inspect_line lines[] = {{.address = 0x1000},
                                   {.address = 0x103f},
                                   {.address = 0x1040},
                                   {.address = 0x10c0}};
    struct inspect_loop loop = {.share = 1, .line = 1, .n_lines = 2};
    struct inspect_census census = {.whole = true,
                                    .instructions = 70,
                                    .straight = {.share = 1,
                                                 .instructions = 70,
                                                 .multiplies = 9,
                                                 .branches = 3,
                                                 .window_chain = 20,
                                                 .widest_bits = 256,
                                                 .n_lines = 4},
                                    .line = lines,
                                    .n_lines = 4};
    struct inspect_facts facts = {0};
    inspect_facts_trace(&facts, &census, NULL);
    assert_near(VALUE(multiplies), 9, 0);
    assert_near(VALUE(window_chain), 20, 0);
    assert_true(isnan(VALUE(branches)));
    assert_near(VALUE(instructions), 70, 0);
    assert_near(VALUE(loop_share), 1, 0);
    assert_near(VALUE(crowded_code), 0, 0);
    assert_near(VALUE(widest_bits), 256, 0);
    assert_true(isnan(VALUE(outside_share)));
    facts = (struct inspect_facts){0};
    census.whole = false;
    inspect_facts_trace(&facts, &census, NULL);
    assert_true(isnan(VALUE(instructions)));
    census.loop = &loop;
    census.n_loops = 1;
    inspect_facts_trace(&facts, &census, &loop);
    assert_near(VALUE(crowded_code), 0, 0);
}

/* A line of each of 17 pages, and one beside the last, are in no first cache together, if
 * most iterations execute them all. */
TEST(test_crowded_code)
{
    enum { PAGES = 17 };
    struct inspect_line lines[2 * PAGES + 1] = {{.address = 0}};
    for (uint64_t i = 0; i < 2 * PAGES; i++)
        lines[i] = (struct inspect_line){.address = 0x100000 + i / 2 * 4096 + i % 2 * 8,
                                         .executed = 6};
    lines[2 * PAGES] = (struct inspect_line){.address = lines[2 * PAGES - 1].address + 64,
                                             .executed = 6};
    struct inspect_census census = {
        .whole = true,
        .instructions = 2 * PAGES + 1,
        .straight = {.share = 1, .iterations = 10, .n_lines = 2 * PAGES + 1},
        .line = lines};
    struct inspect_facts facts = {0};
    inspect_facts_trace(&facts, &census, NULL);
    assert_near(VALUE(crowded_code), 0.6 * PAGES * 64, 1e-9);
    lines[0].executed = 5;
    inspect_facts_trace(&facts, &census, NULL);
    assert_near(VALUE(crowded_code), 0.6 * PAGES * 64, 1e-9);
    lines[1].executed = 5;
    inspect_facts_trace(&facts, &census, NULL);
    assert_near(VALUE(crowded_code), 0, 0);
    lines[1].executed = 6;
    census.straight.n_lines = 2 * (PAGES - 1);
    inspect_facts_trace(&facts, &census, NULL);
    assert_near(VALUE(crowded_code), 0, 0);
}

TEST(test_set)
{
    struct inspect_facts facts = {0};
    SET(cycles, (double)NAN);
    SET(loads, (double)INFINITY);
    assert_false(facts.fact[FACT_cycles].known || facts.fact[FACT_loads].known);
    inspect_fact_set_interval(&facts, FACT_huge_pages, 0.9, 0.8, 1.0);
    assert_near(facts.fact[FACT_huge_pages].low, 0.8, 0);
    assert_near(facts.fact[FACT_huge_pages].high, 1.0, 0);
    inspect_fact_set_absent(&facts, FACT_huge_pages, "no huge pages");
    assert_true(isnan(VALUE(huge_pages)));
    assert_string_equal(facts.fact[FACT_huge_pages].absent, "no huge pages");
}

TEST(test_table)
{
    for (enum inspect_fact i = 0; i < INSPECT_FACTS; i++) {
        assert_int_equal(inspect_fact_find(inspect_fact_name(i)), i);
        assert_true(strlen(inspect_fact_text(i)) > 4);
        assert_non_null(inspect_fact_unit(i));
        assert_non_null(inspect_source_name(inspect_fact_source(i)));
    }
    assert_int_equal(inspect_fact_find("no such fact"), INSPECT_FACTS);
    assert_string_equal(inspect_fact_unit(FACT_vector_reloads), "/iteration");
    assert_string_equal(inspect_source_name(inspect_fact_source(FACT_huge_pages)),
                        "experiment");
}
