/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of traced functions: what their forms cost, and what their branches ask. */
#include "traced_child.h"
#include "traced_code.h"

#include <math.h>

static void knows_nothing(void *context, const struct inspect_code *code, size_t n,
                          struct inspect_cost *costs)
{
}

/* An instruction with REP costs what the caller says, as no form tells it. */
static void test_strings(void **state)
{
    for (unsigned told = 0; told < 2; told++) {
        const struct inspect_options options = {
            .whole_only = true, .costs = knows_nothing, .window.string = told ? 13 : 0};
        struct inspect_census census;
        struct error error = {.text = ""};
        assert_int_equal(trace(repeated, TURNS, &options, &census, &error), 0);
        assert_int_equal(census.loop[0].dearest_form != NULL, told);
        if (told) {
            assert_string_equal(census.loop[0].dearest_form, "rep stosb");
            assert_near(census.loop[0].dearest, 13, 1e-9);
            assert_near(census.loop[0].dearest_each, 13, 0);
        }
        inspect_census_free(&census);
    }
}

static void knows_names(void *context, const struct inspect_code *code, size_t n,
                        struct inspect_cost *costs)
{
    for (size_t i = 0; i < n; i++) {
        const bool root = code[i].bytes[2] == 0x51, division = code[i].bytes[2] == 0x5e,
                   x87 = code[i].bytes[0] == 0xd8,
                   product = code[i].bytes[0] == 0x0f || code[i].bytes[0] == 0x69,
                   lock = code[i].bytes[0] == 0xf0;
        costs[i] = (struct inspect_cost){.known = true,
                                         .throughput = root ? 9 : 5,
                                         .n_links = lock,
                                         .link = {{.cycles = 4}}};
        snprintf(costs[i].form, sizeof costs[i].form, "%s",
                 root       ? "sqrtsd xmm, xmm"
                 : division ? "divsd xmm, xmm"
                 : x87      ? "fadd m32"
                 : lock     ? "lock inc m32"
                 : product  ? (code[i].n == 3 ? "imul r32, r32" : "imul r32, r32, i32")
                            : "div r8");
    }
}

/* A root costs what its form does, and so does a division; integers are left out. What
 * x87 adds is timed as a chain: it is no form that costs much. */
static void test_divisions(void **state)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_names};
    struct inspect_census census;
    struct error error = {.text = ""};
    assert_int_equal(trace(dividing, TURNS, &options, &census, &error), 0);
    assert_near(census.loop[0].divides, 3, 1e-9);
    assert_near(census.loop[0].divided, 14, 1e-9);
    assert_null(census.loop[0].dearest_form);
    inspect_census_free(&census);
    /* Products of integers share a unit. */
    assert_int_equal(trace(multiplying, TURNS, &options, &census, &error), 0);
    assert_near(census.loop[0].dearest, 10, 1e-9);
    assert_near(census.loop[0].products, 10, 1e-9);
    inspect_census_free(&census);
    /* Those with LOCK take no longer than they wait for each other. */
    assert_int_equal(trace(locking, TURNS, &options, &census, &error), 0);
    assert_near(census.loop[0].dearest, 4, 1e-9);
    assert_near(census.loop[0].dearest_each, 4, 1e-9);
    inspect_census_free(&census);
}

/* A branch on what was just loaded, that never goes the other way, is a check; one on
 * the same place each turn is none. Work is what computes with that. */
static void test_checks(void **state)
{
    struct inspect_census census = census_of(searching, TURNS, false);
    assert_near(census.loop[0].branches, 2, 1e-9);
    assert_near(census.loop[0].checks, 1, 1e-9);
    assert_near(census.loop[0].alu, 3, 1e-9);
    assert_near(census.loop[0].work, 1, 1e-9);
    inspect_census_free(&census);
    census = census_of(searching_by_flag, TURNS, false);
    assert_near(census.loop[0].checks, 1, 1e-9);
    assert_near(census.loop[0].work, 3, 1e-9);
    inspect_census_free(&census);
    census = census_of(asking_again, TURNS, false);
    assert_near(census.loop[0].branches, 2, 1e-9);
    assert_near(census.loop[0].checks, 0, 0);
    assert_near(census.loop[0].work, 0, 0);
    inspect_census_free(&census);
}

/* A loop of five instructions, two of them in a function that it calls. */
static void test_called(void **state)
{
    struct inspect_census census = census_of(calling, TURNS, false);
    assert_near(census.loop[0].calls, 1, 1e-9);
    assert_near(census.loop[0].called, 2, 1e-9);
    inspect_census_free(&census);
}

static void takes_roots(const void *a, void *b)
{
    volatile double *const number = (double *)(uintptr_t)a;
    for (uint64_t i = 0; i < (uintptr_t)b; i++)
        *number = cbrt(*number + (double)i);
}

/* Most instructions are in a function of another module, whose name is known. */
static void test_called_out(void **state)
{
    struct inspect_census census = census_of(takes_roots, 100, false);
    assert_true(census.share_out > 0.6 && census.share_out < 1);
    assert_true(census.length_out > 10 && census.length_out < 1000);
    assert_non_null(census.name_out);
    assert_memory_equal(census.name_out, "cbrt", 4); /* or cbrtf64, its other name */
    inspect_census_free(&census);
    census = census_of(calling, TURNS, false);
    assert_near(census.share_out, 0, 0);
    assert_null(census.name_out);
    inspect_census_free(&census);
}

/* Each page is new once, for the first instruction that comes there. */
static void test_pages(void **state)
{
    struct inspect_census census = census_of(streaming, 500, false);
    assert_near(census.loop[0].page_changes, 0.5, 0.01);
    inspect_census_free(&census);
}

int main(void)
{
    if (cannot_trace())
        return 77;
    return RUN_TESTS(TEST(test_strings), TEST(test_divisions), TEST(test_checks),
                     TEST(test_called), TEST(test_called_out), TEST(test_pages));
}
