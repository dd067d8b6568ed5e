/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a core sees at a time, and parts of a call that is too long. */
#include "traced_child.h"
#include "traced_code.h"

/* Chains overlap as far as the core sees the next one. */
TEST(test_window)
{
    static const unsigned windows[] = {0, 8, 16, 32, 500};
    double cycles[ARRAY_LEN(windows)];
    for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
        const struct inspect_options options = {.whole_only = true,
                                                .window.waiting = windows[i]};
        struct inspect_census census = census_by(links, TURNS, &options);
        cycles[i] = census.loop[0].window_chain;
        assert_true(census.loop[0].chain < 4);
        inspect_census_free(&census);
    }
    assert_true(cycles[0] == 0);
    assert_true(cycles[1] > 8 && cycles[1] < 64);
    assert_true(cycles[2] < cycles[1] && cycles[3] < cycles[2]);
    assert_true(cycles[4] < 4);
    /* A core that takes a chain at a time, one that sees two, and what cannot be. */
    assert_int_equal(inspect_window(0, NAN, 4 * INSPECT_CHAIN, NAN, NAN).waiting, 1);
    const struct inspect_window two = inspect_window(0, NAN, 2 * INSPECT_CHAIN, NAN, NAN);
    assert_in_range(two.waiting, INSPECT_CHAIN / 4, INSPECT_CHAIN);
    assert_int_equal(two.results, 0);
    assert_true(inspect_window(0, NAN, 60, NAN, NAN).waiting >
                inspect_window(0, NAN, 90, NAN, NAN).waiting);
    assert_int_equal(inspect_window(0, NAN, 0, NAN, NAN).waiting, 0);
    assert_int_equal(inspect_window(NAN, NAN, NAN, NAN, NAN).waiting, 0);
    /* Results wait for what is before them: the more room there is, the more turns
     * overlap. */
    const struct inspect_window one = inspect_window(0, NAN, NAN, 4 * INSPECT_AHEAD, NAN);
    assert_int_equal(one.waiting, 0);
    assert_in_range(one.results, INSPECT_AHEAD, INSPECT_AHEAD + INSPECT_BEHIND);
    assert_in_range(inspect_window(0, NAN, NAN, 4 * INSPECT_AHEAD + 9, NAN).results, 1,
                    one.results - 1);
    assert_true(inspect_window(0, NAN, NAN, 2 * INSPECT_AHEAD, NAN).results >
                one.results);
    /* Nothing enters faster than it can, whatever the room. */
    assert_int_equal(inspect_window(1, NAN, NAN, INSPECT_BEHIND, NAN).results, 0);
    assert_near(inspect_window(6, NAN, NAN, NAN, NAN).per_cycle, 6, 0);
    /* Three units are busy for as long as the turn lasts, four are not. */
    const double busy = (INSPECT_AHEAD + INSPECT_BEHIND) / 3.0;
    assert_int_equal(inspect_window(6, 3, NAN, busy, NAN).results, 0);
    assert_true(inspect_window(6, 4, NAN, busy, NAN).results > 0);
    /* A pass in no time is known, and takes the cycle of its store. */
    assert_near(inspect_pass(NAN), 0, 0);
    assert_near(inspect_pass(0), 1, 0);
    assert_near(inspect_pass(7), 7, 0);
}

/* A chain of integers in each turn, which waits for nothing before it: 18 n + 1. */
CODE(integer_links, "1: movl $1, %eax\n"
                    "   .rept 15\n addl $1, %eax\n .endr\n"
                    "   decl %esi\n"
                    "   jnz 1b\n"
                    "   retq")

static double integers_wait(struct inspect_window window)
{
    const struct inspect_options options = {.whole_only = true, .window = window};
    struct inspect_census census = census_by(integer_links, TURNS, &options);
    const double cycles = census.loop[0].window_chain;
    assert_true(census.loop[0].chain < 2);
    inspect_census_free(&census);
    return cycles;
}

/* They have a room of their own: that of vectors does not stop them. */
TEST(test_integers)
{
    const double few = integers_wait((struct inspect_window){.integers = 4});
    const double more = integers_wait((struct inspect_window){.integers = 24});
    assert_true(few > 10 && few < 17);
    assert_true(more > 2 && more < few);
    assert_true(integers_wait((struct inspect_window){.integers = 500}) < 2);
    assert_true(integers_wait((struct inspect_window){.waiting = 4}) < 2);
    assert_int_equal(inspect_window(0, NAN, NAN, NAN, INSPECT_CHAIN).integers, 1);
    assert_true(inspect_window(6, NAN, NAN, NAN, 20).integers >
                inspect_window(6, NAN, NAN, NAN, 30).integers);
    assert_int_equal(inspect_window(6, NAN, NAN, NAN, 1).integers, 0);
    assert_int_equal(inspect_window(NAN, NAN, NAN, NAN, NAN).integers, 0);
}

/* It waits 200 ms before a short loop, and one of about 100 ms. */
CODE(sleeping, "movq %rsi, %r8\n"
               "pushq $200000000\n"
               "pushq $0\n"
               "movq %rsp, %rdi\n"
               "xorl %esi, %esi\n"
               "movl $35, %eax\n"
               "syscall\n"
               "addq $16, %rsp\n"
               "movl $300, %ecx\n"
               "1: decl %ecx\n"
               "   jnz 1b\n"
               "2: testb $1, %r8b\n"
               "   nop\n"
               "   decl %r8d\n"
               "   jnz 2b\n"
               "   retq")

/* Windows are where it runs, not where it waits: as the system makes it do that while
 * others run. */
TEST(test_waiting)
{
    const struct inspect_options options = {.step_all = true,
                                            .max_steps = 500,
                                            .windows = 20,
                                            .window_steps = 100,
                                            .seed = 1};
    struct inspect_census census = census_by(sleeping, 400000000, &options);
    assert_false(census.whole);
    assert_true(fabs(census.loop[0].instructions - 4) < 0.1);
    assert_true(census.loop[0].share > 0.6);
    inspect_census_free(&census);
}
