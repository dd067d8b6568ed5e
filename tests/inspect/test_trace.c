/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of functions whose instructions are known, with and without skipping. */
#include <immintrin.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traced_child.h"
#include "traced_code.h"

static void assert_same_loops(const struct inspect_census *a,
                              const struct inspect_census *b, const char *name)
{
    assert_int_equal(a->n_loops, b->n_loops);
    for (size_t i = 0; i < a->n_loops; i++) {
        struct inspect_loop x = a->loop[i], y = b->loop[i];
        assert_string_equal(x.where, y.where);
        assert_true(x.pages_known && y.pages_known);
        x.where = y.where = NULL;
        x.source = y.source = x.path = y.path = NULL;
        if (memcmp(&x, &y, sizeof x) != 0)
            fail_msg("%s: loop %zu differs", name, i);
    }
    assert_int_equal(a->n_lines, b->n_lines);
    for (size_t i = 0; i < a->n_lines; i++) {
        assert_int_equal(a->line[i].address, b->line[i].address);
        assert_int_equal(a->line[i].executed, b->line[i].executed);
    }
}

/* Stepped, run twice with skipping: the same numbers, and those that are known. */
TEST(test_counts)
{
    static const struct {
        const char *name;
        traced *function;
        uint64_t by_turn, more, system_calls;
        size_t loops;
        uint64_t most_steps;
    } cases[] = {
        {"straight", straight, 0, 5, 0, 0, 10},
        {"loop", loop, 2, 2, 0, 1, 20},
        {"loop_by_copy", loop_by_copy, 4, 2, 0, 1, 20},
        {"loop_in_memory", loop_in_memory, 4, 2, 0, 1, 5 * TURNS},
        {"prefix", jumping_behind_a_prefix, 5, 1, 0, 1, 5 * TURNS},
        {"loop_left_inside", loop_left_inside, 5, 7, 0, 1, 20},
        {"nested", nested, 24, 2, 0, 2, 4 * TURNS},
        {"alternating", alternating, 5, 2, 0, 1, 5 * TURNS},
        {"repeated", repeated, 6, 2, 0, 1, 5 * TURNS},
        {"calling", calling, 5, 2, 0, 1, 30},
        {"called_twice", called_twice, 4, 7, 0, 1, 30},
        {"system_calls", system_calls, 7, 2, 2, 1, 8 * TURNS},
        {"spilling", spilling, 6, 6, 0, 1, 40},
        {"splitting", splitting, 4, 1, 0, 1, 20},
        {"failing_forwards", failing_forwards, 5, 2, 0, 1, 30},
        {"aliasing", aliasing, 5, 1, 0, 1, 30},
        {"mixing", mixing, 4, 2, 0, 1, 30},
        {"chain", chain, 4, 1, 0, 1, 20},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        if (cases[i].function == mixing && !has_avx())
            continue;
        struct inspect_census census[3];
        const uint64_t expected = cases[i].by_turn * TURNS + cases[i].more;
        for (int k = 0; k < 3; k++) {
            census[k] = census_of(cases[i].function, TURNS, k == 0);
            if (census[k].instructions != expected)
                fail_msg("%s: %llu instructions, not %llu", cases[i].name,
                         (unsigned long long)census[k].instructions,
                         (unsigned long long)expected);
            assert_true(census[k].whole);
            assert_int_equal(census[k].system_calls, cases[i].system_calls * TURNS);
            assert_int_equal(census[k].n_loops, cases[i].loops);
            assert_same_loops(&census[0], &census[k], cases[i].name);
            assert_true(census[k].share_sse == census[0].share_sse);
            assert_true(census[k].share_transitions == census[0].share_transitions);
        }
        if (census[1].steps > cases[i].most_steps)
            fail_msg("%s: %llu steps", cases[i].name,
                     (unsigned long long)census[1].steps);
        for (int k = 0; k < 3; k++)
            inspect_census_free(&census[k]);
    }
}

/* A way that no count foretells is followed as it goes. */
TEST(test_unforeseeable)
{
    uint32_t random = 1;
    uint64_t expected = 1;
    for (int i = 0; i < TURNS; i++) {
        random = random * 1664525 + 1013904223;
        buffer[i] = (unsigned char)(random >> 24);
        const int way = buffer[i] & 3;
        expected += way == 0 ? 7 : way == 1 ? 8 : 10;
    }
    struct inspect_census census = census_of(unforeseeable, TURNS, false);
    memset(buffer, 0, TURNS);
    assert_int_equal(census.instructions, expected);
    assert_int_equal(census.loop[0].iterations, TURNS);
    inspect_census_free(&census);
}

#define ASSERT_LOOP(census, member, value)                                    \
    do {                                                                      \
        if (fabs((double)(census).loop[0].member - (value)) > 1e-9)           \
            fail_msg(#member ": %g, not %g", (double)(census).loop[0].member, \
                     (double)(value));                                        \
    } while (0)

TEST(test_loop_numbers)
{
    struct inspect_census census = census_of(spilling, TURNS, false);
    ASSERT_LOOP(census, instructions, 6);
    ASSERT_LOOP(census, iterations, TURNS);
    ASSERT_LOOP(census, trips, TURNS);
    ASSERT_LOOP(census, vector, 4);
    ASSERT_LOOP(census, loads, 2);
    ASSERT_LOOP(census, stores, 1);
    ASSERT_LOOP(census, bytes_loaded, 32);
    ASSERT_LOOP(census, vector_reloads, (TURNS + 1.0) / TURNS);
    ASSERT_LOOP(census, vector_spills, 1);
    ASSERT_LOOP(census, stack_reloads_of_constants, (TURNS - 1.0) / TURNS);
    ASSERT_LOOP(census, branches, 1);
    ASSERT_LOOP(census, indirect, 0);
    ASSERT_LOOP(census, taken, (TURNS - 1.0) / TURNS);
    ASSERT_LOOP(census, float_arithmetic, 1);
    ASSERT_LOOP(census, legacy_sse, 4);
    ASSERT_LOOP(census, widest_bits, 128);
    assert_int_equal(census.widest_bits, 128);
    assert_int_equal(census.main_bits, 128);
    assert_true(strstr(census.modules, "100% test_trace") != NULL);
    assert_true(census.loop[0].innermost);
    inspect_census_free(&census);

    census = census_of(calling, TURNS, false);
    ASSERT_LOOP(census, calls, 1);
    ASSERT_LOOP(census, instructions, 5);
    ASSERT_LOOP(census, scalar_stack, 0);
    inspect_census_free(&census);

    census = census_of(repeated, TURNS, false);
    ASSERT_LOOP(census, stores, 1);
    ASSERT_LOOP(census, bytes_stored, 4096);
    inspect_census_free(&census);

    census = census_of(failing_forwards, TURNS, false);
    ASSERT_LOOP(census, failed_forwards, 1);
    ASSERT_LOOP(census, masked_forwards, 0);
    ASSERT_LOOP(census, line_splits, 0);
    inspect_census_free(&census);

    census = census_of(aliasing, TURNS, false);
    ASSERT_LOOP(census, aliases_4k, 1);
    ASSERT_LOOP(census, failed_forwards, 0);
    inspect_census_free(&census);

    census = census_of(nested, TURNS, false);
    ASSERT_LOOP(census, iterations, 7 * TURNS);
    ASSERT_LOOP(census, trips, 7);
    assert_false(census.loop[1].innermost);
    assert_true(fabs(census.loop[1].instructions - 3) < 1e-9);
    inspect_census_free(&census);

    census = census_of(counting_on_stack, TURNS, false);
    ASSERT_LOOP(census, instructions, 4);
    ASSERT_LOOP(census, scalar_stack, 2);
    ASSERT_LOOP(census, carried, 0);
    inspect_census_free(&census);

    census = census_of(loop, TURNS, false);
    ASSERT_LOOP(census, carried, 1);
    inspect_census_free(&census);

    census = census_of(called_twice, TURNS, false);
    ASSERT_LOOP(census, iterations, 2 * TURNS);
    ASSERT_LOOP(census, trips, TURNS);
    inspect_census_free(&census);

    census = census_of(crowded_column, TURNS, false);
    ASSERT_LOOP(census, crowded, (TURNS - 12.0) / TURNS);
    inspect_census_free(&census);
    census = census_of(padded_column, TURNS, false);
    ASSERT_LOOP(census, crowded, 0);
    inspect_census_free(&census);
    census = census_of(unrolled_column, TURNS, false);
    ASSERT_LOOP(census, crowded, 0);
    inspect_census_free(&census);
    census = census_of(random_lines, 3 * TURNS, false);
    assert_true(census.loop[0].crowded < 0.05);
    inspect_census_free(&census);
    census = census_of(handing_on, TURNS, false);
    assert_true(census.loop[0].memory_chain >= 6 && census.loop[0].memory_chain <= 12);
    assert_true(census.loop[0].register_chain > 0 && census.loop[0].register_chain <= 2);
    inspect_census_free(&census);
    census = census_of(handing_nothing, TURNS, false);
    assert_true(census.loop[0].memory_chain <= 2);
    inspect_census_free(&census);
    census = census_of(chain, TURNS, false);
    ASSERT_LOOP(census, scalar_float, 2);
    ASSERT_LOOP(census, widest_bits, 32);
    assert_true(census.loop[0].chain >= 2 && census.loop[0].chain <= 4);
    inspect_census_free(&census);
}

TEST(test_splits)
{
    double lines = 0, pages = 0, changes = 0;
    for (uint64_t i = 0; i < TURNS; i++) {
        lines += i * 36 % 64 + 16 > 64;
        pages += i * 36 % 4096 + 16 > 4096;
        changes += i && i * 36 / 4096 != (i - 1) * 36 / 4096;
    }
    struct inspect_census census = census_of(splitting, TURNS, false);
    ASSERT_LOOP(census, line_splits, lines / TURNS);
    ASSERT_LOOP(census, page_splits, pages / TURNS);
    ASSERT_LOOP(census, page_changes, changes / TURNS);
    inspect_census_free(&census);
}

TEST(test_asking)
{
    struct inspect_census census = census_of(asking, 3, false);
    assert_int_equal(census.cpuids, 3);
    inspect_census_free(&census);
    census = census_of(straight, 0, false);
    assert_int_equal(census.cpuids, 0);
    inspect_census_free(&census);
}

/* It looks at the same place each time; another one goes on. */
TEST(test_fixed_places)
{
    struct inspect_census census = census_of(asking_again, TURNS, false);
    ASSERT_LOOP(census, fixed, 1);
    inspect_census_free(&census);
    census = census_of(byte_by_byte, TURNS, false);
    ASSERT_LOOP(census, loads, 1);
    ASSERT_LOOP(census, fixed, 0);
    inspect_census_free(&census);
}

TEST(test_vector_units)
{
    if (!__builtin_cpu_supports("avx512f"))
        skip();
    struct inspect_census census = census_of(shuffling, TURNS, false);
    ASSERT_LOOP(census, instructions, 9);
    ASSERT_LOOP(census, copies, 1);
    ASSERT_LOOP(census, computed, 3);
    ASSERT_LOOP(census, needed, 1);
    ASSERT_LOOP(census, floats, 1);
    ASSERT_LOOP(census, needed_bits, 128);
    ASSERT_LOOP(census, computed_bits, 512 + 256 + 128);
    ASSERT_LOOP(census, shuffles, 2);
    ASSERT_LOOP(census, shuffle_bits, 512 + 256);
    ASSERT_LOOP(census, permutes, 1);
    inspect_census_free(&census);
    census = census_of(masked_forwards, TURNS, false);
    ASSERT_LOOP(census, masked_forwards, 1);
    ASSERT_LOOP(census, failed_forwards, 0);
    assert_true(inspect_is_late(&census.line[1]));
    inspect_census_free(&census);
    census = census_of(gathering, TURNS, false);
    ASSERT_LOOP(census, gathered, 8);
    ASSERT_LOOP(census, scattered, 8);
    inspect_census_free(&census);
}

/* More turns than are replayed: counts stay exact, addresses are taken to go on. */
TEST(test_long_loop)
{
    enum { MANY = 1 << 22 };
    struct inspect_census census = census_of(loop_by_copy, MANY, false);
    assert_int_equal(census.instructions, 4 * (uint64_t)MANY + 2);
    inspect_census_free(&census);
    census = census_of(failing_forwards, MANY, false);
    assert_int_equal(census.instructions, 5 * (uint64_t)MANY + 2);
    ASSERT_LOOP(census, failed_forwards, 1);
    assert_near(census.line[2].failed_forwards, MANY, 1e-9);
    assert_false(census.loop[0].pages_known);
    assert_true(census.loop[0].places_follow);
    inspect_census_free(&census);
}

/* A call that takes too many steps: seen in windows, or refused. */
TEST(test_windows)
{
    const struct inspect_options options = {
        .max_steps = 500, .windows = 7, .window_steps = 100, .seed = 1};
    const struct inspect_options whole = {.max_steps = 500, .whole_only = true};
    struct inspect_census census;
    struct error error = {.text = ""};
    assert_int_equal(trace(alternating, 100000, &options, &census, &error), 0);
    assert_false(census.whole);
    assert_int_equal(census.windows, 7);
    assert_in_range(census.instructions, 600, 700);
    assert_int_equal(census.n_loops, 1);
    assert_true(fabs(census.loop[0].instructions - 5) < 0.2);
    inspect_census_free(&census);
    assert_int_equal(trace(alternating, 100000, &whole, &census, &error), -E2BIG);
    assert_string_equal(error.text, "the call needs more than 500 steps");
}

/* Windows of a short call begin where it does more often than elsewhere: what is there
 * alone does not tell how long the call is. */
TEST(test_beginning)
{
    const struct inspect_options options = {.max_steps = 5,
                                            .windows = 20,
                                            .window_steps = 100,
                                            .seed = 1,
                                            .count_turns = true};
    struct inspect_census census;
    const double right = 60 + 2 * 10000 + 3, of_nested = 3000 * 24 + 2;
    census = census_by(begins_otherwise, 10000, &options);
    assert_false(census.whole);
    assert_true(census.call_instructions >= 0 && census.call_instructions < 2 * right);
    assert_true(census.call_instructions == 0 || census.call_instructions > right / 2);
    inspect_census_free(&census);
    /* Two loops that agree tell it but for the turns that a window cuts off; windows that
     * all begin where it does may make them contradict each other. */
    census = census_by(nested, 3000, &options);
    assert_false(census.whole);
    assert_true(census.call_instructions == 0 ||
                (census.call_instructions > of_nested / 1.5 &&
                 census.call_instructions < of_nested * 1.5));
    inspect_census_free(&census);
}

/* The turns of an inner loop are too many to count: those of the outer one are counted,
 * and some are stepped through. */
TEST(test_turns_of_turns)
{
    const struct inspect_options options = {
        .max_steps = 5, .windows = 30, .seed = 1, .count_turns = true};
    struct inspect_census census;
    const double right = 20000 * (2 * 600 + 3) + 2;
    census = census_by(nested_deep, 20000, &options);
    assert_false(census.whole);
    assert_true(fabs(census.call_instructions / right - 1) < 0.05);
    inspect_census_free(&census);
    /* Those of the outer one are too many, too, and are as many each time. */
    const double of_all = 300 * (300 * (2 * 600 + 3) + 3) + 2;
    census = census_by(nested_thrice, 300, &options);
    assert_true(fabs(census.call_instructions / of_all - 1) < 0.05);
    inspect_census_free(&census);
}

/* ---- code that has no name, and threads ---- */

/* A copy on a page of its own. */
TEST(test_generated_code)
{
    enum { BYTES = 64 };
    const int rwx = PROT_READ | PROT_WRITE | PROT_EXEC;
    void *generated = mmap(NULL, 4096, rwx, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (generated == MAP_FAILED)
        skip();
    memcpy(generated, (const void *)spilling, BYTES);
    struct inspect_census census = census_of((traced *)generated, TURNS, false);
    assert_int_equal(census.instructions, 6 * TURNS + 6);
    assert_string_equal(census.modules, "100% jit");
    assert_string_equal(census.loop[0].where, "jit");
    inspect_census_free(&census);
    munmap(generated, 4096);
}

static void *sleep_on(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

/* Another thread may run the same code: no byte of it changes. */
static void with_thread(const void *a, void *b)
{
    static pthread_t thread;
    if (!thread && pthread_create(&thread, NULL, sleep_on, NULL) != 0)
        _exit(1);
    nested(a, b);
}

TEST(test_threads)
{
    struct inspect_census census = census_of(with_thread, TURNS, false);
    assert_int_equal(census.threads, 2);
    assert_true(census.instructions > 24 * TURNS + 2);
    ASSERT_LOOP(census, iterations, 7 * TURNS);
    assert_true(census.steps < census.instructions / 2);
    inspect_census_free(&census);
}
