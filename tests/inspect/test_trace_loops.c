/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of traced functions: what their branches ask, and whether their places follow
 * from the turns. */
#include "findings.h"
#include "traced_child.h"
#include "traced_code.h"

#include <dlfcn.h>
#include <sys/mman.h>

/* Bytes that are copied from memory to memory are loaded once and stored once. */
TEST(test_copied_in_memory)
{
    struct inspect_census census = census_of(copying_late, TURNS, false);
    size_t late = 0;
    for (size_t i = 0; i < census.n_lines; i++)
        if (census.line[i].failed_forwards > 0) {
            assert_near(census.line[i].failed_forwards, TURNS, 0.02 * TURNS);
            assert_near(census.loop[0].failed_forwards, 1, 0.02);
            late++;
        }
    assert_int_equal(late, 1);
    inspect_census_free(&census);
}

/* A branch on what was just loaded, that never goes the other way, is a check; one on
 * the same place each turn is none. Work is what computes with that. */
TEST(test_checks)
{
    struct inspect_census census = census_of(searching, TURNS, false);
    assert_near(census.loop[0].branches, 2, 1e-9);
    assert_near(census.loop[0].checks, 1, 1e-9);
    assert_near(census.loop[0].guards, 1, 1e-9);
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
    assert_near(census.loop[0].guards, 2, 1e-9);
    assert_near(census.loop[0].work, 0, 0);
    inspect_census_free(&census);
}

/* A loop that is left early is a step of the one around it, and hands its result on. */
TEST(test_steps)
{
    struct inspect_census census = census_of(left_early, TURNS, false);
    assert_int_equal(census.instructions, 23 * TURNS / 2 + 3);
    assert_int_equal(census.n_loops, 1);
    assert_near(census.loop[0].iterations, TURNS, 0);
    assert_near(census.loop[0].instructions, 11.5, 1e-9);
    assert_true(census.loop[0].innermost && census.loop[0].chain >= 3);
    inspect_census_free(&census);
    census = census_of(nested, TURNS, false);
    assert_int_equal(census.n_loops, 2);
    inspect_census_free(&census);
}

/* A pointer in rbp is no frame, and what it leads to are no slots of one. */
TEST(test_frame_register)
{
    struct inspect_census census = census_of(by_frame_register, TURNS, false);
    assert_int_equal(census.loop[0].carried, 2);
    assert_near(census.loop[0].forwards, (TURNS - 1.0) / TURNS, 1e-9);
    inspect_census_free(&census);
}

/* A byte does not wait for the store to the one before it. */
TEST(test_bytes_in_place)
{
    struct inspect_census census = census_of(byte_by_byte, TURNS, false);
    assert_true(census.loop[0].memory_chain > 0 && census.loop[0].memory_chain <= 2);
    inspect_census_free(&census);
}

/* A core may know a place again by its name, and not one that an index moves. */
TEST(test_passes)
{
    static const struct {
        traced *function;
        double low, high; /* cycles of a turn */
    } cases[] = {{handing_on, 9, 12}, {loop_in_memory, 0, 3}};
    const struct inspect_options options = {
        .whole_only = true, .window.pass = 10, .window.pass_named = 1};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct inspect_census census = census_by(cases[i].function, TURNS, &options);
        const double cycles = census.loop[0].memory_chain;
        assert_true(cycles > cases[i].low && cycles < cases[i].high);
        inspect_census_free(&census);
    }
}

/* Each page is new once, for the first instruction that comes there. */
TEST(test_pages)
{
    struct inspect_census census = census_of(streaming, 500, false);
    assert_near(census.loop[0].page_changes, 0.5, 0.01);
    inspect_census_free(&census);
}

static uint32_t everywhere(uint32_t turn)
{
    return 4096 * (2 + turn * turn * turn % 101);
}

static uint32_t sorted(uint32_t turn)
{
    return 8192 + 60 * turn + 4 * (turn * turn % 7);
}

static uint32_t evenly(uint32_t turn)
{
    return 8192 + 512 * turn;
}

static uint32_t within_table(uint32_t turn)
{
    return 8192 + turn * turn * turn % 253;
}

/* Places that memory tells are known of some turns, whose pages stand for all. They
 * follow from the turns if they go on evenly, or lie near each other; not if each is near
 * the one before. */
TEST(test_indexed)
{
    static const struct {
        uint32_t (*place)(uint32_t turn);
        bool known, follow;
    } cases[] = {{everywhere, false, false},
                 {sorted, false, false},
                 {evenly, true, true},
                 {within_table, true, true}};
    struct inspect_census near = census_of(by_pointer, TURNS, false);
    assert_true(near.loop[0].places_follow);
    inspect_census_free(&near);
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        uint32_t place[TURNS];
        for (uint32_t i = 0; i < TURNS; i++)
            place[i] = cases[c].place(i);
        memcpy(buffer, place, sizeof place);
        struct inspect_census census = census_of(indexed, TURNS, false);
        memset(buffer, 0, sizeof place);
        assert_int_equal(census.instructions, 5 * TURNS + 2);
        assert_true(census.steps < TURNS / 2);
        assert_int_equal(census.loop[0].pages_known, cases[c].known);
        assert_int_equal(census.loop[0].places_follow, cases[c].follow);
        /* The first of those in a row tells none. */
        if (c == 0)
            assert_true(census.loop[0].page_changes > 0.7 &&
                        census.loop[0].page_changes <= 1);
        inspect_census_free(&census);
    }
}

/* Stores with an even step go where turns say, from the first of a call or a window on.
 */
TEST(test_even_stores)
{
    const struct inspect_options windows = {
        .step_all = true, .max_steps = 50, .windows = 7, .window_steps = 100, .seed = 1};
    struct inspect_census census = census_of(striding, TURNS, false);
    assert_near(census.loop[0].wild_stores, 0, 0);
    inspect_census_free(&census);
    census = census_by(striding, BUFFER_BYTES / 256, &windows);
    assert_int_equal(census.windows, 7);
    assert_near(census.loop[0].wild_stores, 0, 0);
    inspect_census_free(&census);
}

static void begin_anew(const void *of)
{
    volatile uint32_t *const count = (uint32_t *)(uintptr_t)of;
    for (*count = UINT32_C(1) << 24; *count;)
        --*count;
}

/* Data that a call leaves behind are taken away before the next one, which no window
 * sees, also if a call is so long that windows are spread over it. */
TEST(test_calls_that_change_data)
{
    const struct inspect_options windows = {
        .step_all = true, .max_steps = 50, .windows = 5, .window_steps = 100, .seed = 1};
    struct inspect_census census;
    before_call = begin_anew;
    for (uint64_t turns = 100000; turns <= 50000000; turns *= 500) {
        census = census_by(working_once, turns, &windows);
        assert_int_equal(census.n_loops, 1);
        assert_true(census.loop[0].share > 0.9);
        inspect_census_free(&census);
    }
    before_call = NULL;
}

/* A loop around another one has the waits of its own instructions, where it is known how
 * far the core looks ahead. */
static double waits_around(traced *function, unsigned waiting)
{
    const struct inspect_options options = {
        .step_all = true, .whole_only = true, .window.waiting = waiting};
    struct inspect_census census = census_by(function, TURNS, &options);
    const size_t outer = census.loop[0].innermost;
    assert_false(census.loop[outer].innermost);
    const double waits = census.loop[outer].window_chain;
    inspect_census_free(&census);
    return waits;
}

TEST(test_chain_around_loops)
{
    assert_near(waits_around(nested_chain, 96), 5, 0.01);
    assert_near(waits_around(nested_chain, 0), 0, 0);
}

/* Registers that a turn adds and subtracts have values of their own. */
TEST(test_two_steps)
{
    struct inspect_census census = census_of(loop_by_two_steps, TURNS, false);
    assert_int_equal(census.instructions, 4 * TURNS + 4);
    assert_true(census.steps < TURNS / 2);
    inspect_census_free(&census);
}

/* A jump to where a register says that always goes the same way is none that data choose.
 */
TEST(test_jumps)
{
    struct inspect_census census = census_of(jumping_on, TURNS, false);
    assert_near(census.loop[0].indirect, 0, 0);
    inspect_census_free(&census);
    census = census_of(jumping_about, TURNS, false);
    assert_near(census.loop[0].indirect, 0.5, 1e-2);
    inspect_census_free(&census);
}

/* A retpoline: a return to a computed place, each eighth turn to another one:
 * 9 n + n / 4 + 3. */
CODE(retpoline, "leaq 2f(%rip), %rdx\n"
                "leaq 3f(%rip), %rcx\n"
                "1: testl $7, %esi\n"
                "   movq %rdx, %rax\n"
                "   jnz 5f\n"
                "   movq %rcx, %rax\n"
                "5: nop\n"
                "   callq 4f\n"
                "   ud2\n"
                "3: nop\n"
                "2: decl %esi\n"
                "   jnz 1b\n"
                "   retq\n"
                "4: movq %rax, (%rsp)\n"
                "   retq")

/* A return that does not go behind its call ends what may run at full speed. Branches
 * before it are left as others are. */
TEST(test_returns)
{
    struct inspect_census census = census_of(retpoline, TURNS, false);
    assert_int_equal(census.instructions, 9 * TURNS + TURNS / 4 + 3);
    assert_true(census.steps < 6 * TURNS);
    inspect_census_free(&census);
}

/* 96 loads of the same bytes of other lines are 32 more than two in three; those of bytes
 * that follow each other are not. */
TEST(test_banks)
{
    struct inspect_census census = census_of(padded_column, TURNS, false);
    assert_near(census.loop[0].banked, 10 * 32.0 / TURNS, 0.001);
    inspect_census_free(&census);
    census = census_of(byte_by_byte, TURNS, false);
    assert_near(census.loop[0].banked, 0, 0);
    inspect_census_free(&census);
}

/* Cycles of a turn from the results of instructions with this name. */
static double chained(const struct inspect_census *census, const char *name, bool memory)
{
    double cycles = 0;
    for (size_t i = 0; i < census->n_lines; i++)
        if (!strncmp(census->line[i].text, name, strlen(name)))
            cycles += census->line[i].chained[memory];
    return cycles;
}

/* Instructions of the longest chain have its cycles, and all others have none. */
TEST(test_instructions_of_chains)
{
    const struct inspect_options options = {
        .whole_only = true, .text = true, .window.pass = 10};
    struct inspect_census census = census_by(chain, TURNS, &options);
    const double sum =
        chained(&census, "addss", false) + chained(&census, "mulss", false);
    assert_near(sum, census.loop[0].chain, 0.5);
    assert_near(chained(&census, "dec", false), 0, 0.1);
    inspect_census_free(&census);
    census = census_by(loop_in_memory, TURNS, &options);
    assert_true(chained(&census, "dec", true) > 0.9 * census.loop[0].memory_chain);
    assert_near(chained(&census, "mov", true), 0, 0.1);
    /* No result waits for another one where they enter more slowly. */
    struct inspect_options slow = options;
    slow.window.per_cycle = 0.25;
    struct inspect_census entering = census_by(loop_by_copy, TURNS, &slow);
    assert_near(chained(&entering, "mov", false), 0, 0.1);
    inspect_census_free(&entering);
    /* Copies of a value alone stay in registers, and take a cycle each. */
    assert_true(census.loop[0].chain >= 5 && census.loop[0].kept_chain <= 2);
    inspect_census_free(&census);
}

/* Eight products in a row, of what the caller or the last call left; */
CODE(product_of_own, "movl $8, %ecx\n"
                     "1: imulq %rax, %rax\n"
                     "   decl %ecx\n"
                     "   jnz 1b\n"
                     "   retq")
CODE(product_in_memory, "movl $8, %ecx\n"
                        "movq (%rdi), %rax\n"
                        "1: imulq %rax, %rax\n"
                        "   decl %ecx\n"
                        "   jnz 1b\n"
                        "   movq %rax, (%rdi)\n"
                        "   retq")

/* Calls wait for each other only through what they keep in memory. */
TEST(test_calls_in_a_row)
{
    const struct inspect_options options = {.whole_only = true,
                                            .window = {.per_cycle = 6, .pass = 5}};
    struct inspect_census census = census_by(product_of_own, 0, &options);
    assert_near(census.calls_order, 3, 0.5);
    assert_near(census.calls_chain, census.calls_order, 1e-9);
    inspect_census_free(&census);
    census = census_by(product_in_memory, 0, &options);
    assert_near(census.calls_order, 15, 1.5);
    assert_near(census.calls_chain, 3.3, 0.5);
    inspect_census_free(&census);
    /* A call of more than 4096 instructions is too long for that. */
    census = census_by(loop, 3000, &options);
    assert_near(census.calls_order, 0, 0);
    inspect_census_free(&census);
}

/* The next place follows from what was loaded, or from a counter. */
CODE(walking, "xorl %eax, %eax\n 1: movzbl (%rdi,%rax), %eax\n shll $3, %eax\n decl "
              "%esi\n jnz 1b\n retq")
CODE(strolling, "xorl %ecx, %ecx\n 1: imull (%rdi,%rcx), %eax\n incq %rcx\n decl %esi\n "
                "jnz 1b\n retq")

/* A chain that says from where it loads is none if loads know that early. */
TEST(test_placed_chains)
{
    struct inspect_census census = census_of(walking, TURNS, false);
    assert_true(census.loop[0].chain >= 5);
    assert_near(census.loop[0].placed_chain, 1, 0.1);
    inspect_census_free(&census);
    census = census_of(strolling, TURNS, false);
    assert_near(census.loop[0].placed_chain, census.loop[0].chain, 0.1);
    inspect_census_free(&census);
}

/* Its entries begin behind a load from an unknown place, which hides their first turns.
 */
CODE(hidden_in_part, "movq %rdi, (%rdi)\n"
                     "1: movl $48, %ecx\n"
                     "   movq (%rdi), %rdx\n"
                     "   addl (%rdx), %r8d\n"
                     "2: imulq %r9, %r9\n"
                     "   imulq %r9, %r9\n"
                     "   decl %ecx\n"
                     "   jnz 2b\n"
                     "   decl %esi\n"
                     "   jnz 1b\n"
                     "   retq")

/* Instructions of the turns that are counted are summed up alone. */
TEST(test_hidden_turns)
{
    const struct inspect_options options = {.whole_only = true, .text = true};
    struct inspect_census census = census_by(hidden_in_part, 200, &options);
    assert_near(chained(&census, "imul", false), census.loop[0].chain, 0.5);
    inspect_census_free(&census);
}

CODE(mixing_narrow, "1: vmulps %xmm1, %xmm1, %xmm1\n addps %xmm2, %xmm2\n decl %esi\n"
                    " jnz 1b\n retq")

/* AVX of 128 bits leaves no upper halves that SSE could meet. */
TEST(test_mixing)
{
    if (!has_avx())
        skip();
    struct inspect_census census = census_of(mixing, TURNS, false);
    assert_true(census.mixes_sse_avx);
    assert_true(fabs(census.share_transitions - TURNS / (4.0 * TURNS + 2)) < 1e-9);
    assert_int_equal(census.widest_bits, 256);
    assert_near(census.loop[0].sse_changes, 1, 1e-9);
    inspect_census_free(&census);
    census = census_of(mixing_clean, TURNS, false); /* all turns but the first */
    assert_near(census.loop[0].sse_changes, 1.0 / TURNS, 1e-9);
    inspect_census_free(&census);
    census = census_of(mixing_narrow, TURNS, false);
    assert_true(census.loop[0].sse_changes > 0.9 && census.share_changes == 0);
    inspect_census_free(&census);
    census = census_of(spilling, TURNS, false);
    assert_false(census.mixes_sse_avx);
    inspect_census_free(&census);
}

static double changes_of(void (*function)(const void *, void *))
{
    struct inspect_census census = census_of(function, TURNS, false);
    double changes = 0;
    for (size_t i = 0; i < census.n_loops; i++)
        changes += census.loop[i].sse_changes * (double)census.loop[i].iterations;
    assert_near(census.share_changes * (double)census.instructions, changes, 1e-6);
    inspect_census_free(&census);
    return changes;
}

/* One of four turns comes from AVX code; turns without vectors leave what was before. */
TEST(test_mixing_turns)
{
    if (!has_avx())
        skip();
    assert_near(changes_of(mixing_turns), TURNS, 1e-6);
    assert_near(changes_of(mixing_around), TURNS, 1e-6);
}

/* The next call begins as this one ends. */
TEST(test_mixing_calls)
{
    if (!has_avx())
        skip();
    struct inspect_census census = census_of(ending_dirty, TURNS, false);
    assert_true(fabs(census.share_transitions - TURNS / (3.0 * TURNS + 2)) < 1e-9);
    assert_near(census.loop[0].sse_changes, 0, 1e-9); /* it only follows itself */
    inspect_census_free(&census);
    census = census_of(ending_clean, TURNS, false);
    assert_false(census.mixes_sse_avx);
    inspect_census_free(&census);
}
