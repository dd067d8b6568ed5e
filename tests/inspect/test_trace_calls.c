/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that traced functions call, in their own module and in others. */
#include "findings.h"
#include "traced_child.h"
#include "traced_code.h"

#include <dlfcn.h>
#include <sys/mman.h>

/* A loop of five instructions, two of them in a function that it calls. */
TEST(test_called)
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

static void prints(const void *a, void *b)
{
    char *const to = (char *)(uintptr_t)a;
    volatile int number = 7;
    for (uint64_t i = 0; i < (uintptr_t)b; i++)
        sprintf(to, "%d %x", number, number);
}

static void prints_any(const void *a, void *b)
{
    char *const to = (char *)(uintptr_t)a;
    uint32_t random = 1;
    for (uint64_t i = 0; i < (uintptr_t)b; i++) {
        random = random * 1664525 + 1013904223;
        sprintf(to, "%u", random >> (random >> 27));
    }
}

/* Its own branch goes both ways, none of those that it calls. */
static void takes_some_roots(const void *a, void *b)
{
    volatile double *const number = (double *)(uintptr_t)a;
    uint32_t random = 1;
    for (uint64_t i = 0; i < (uintptr_t)b; i++) {
        random = random * 1664525 + 1013904223;
        if (random >> 31)
            __asm__ volatile("nop");
        *number = cbrt(2);
    }
}

static void measures_text(const void *a, void *b)
{
    char *volatile const text = (char *)(uintptr_t)a;
    memset(text, 'x', 400);
    for (uint64_t i = 0; i < (uintptr_t)b; i++)
        text[i] ^= (char)(strlen(text) & 1);
}

/* The same of a text that begins elsewhere in each turn: no call repeats another one. */
static void measures_texts(const void *a, void *b)
{
    char *volatile const text = (char *)(uintptr_t)a;
    memset(text, 'x', 400);
    for (uint64_t i = 0; i < (uintptr_t)b; i++)
        text[i] ^= (char)(strlen(text + i) & 1);
}

static void copies_rows(const void *a, void *b)
{
    char *const from = (char *)(uintptr_t)a;
    volatile size_t bytes = 1984; /* fewer than a copy by REP is for */
    for (uint64_t i = 0; i < (uintptr_t)b; i++)
        memcpy(from + 8192, from + i % 64, bytes);
}

/* Calls a function of 40 instructions that it makes in its buffer. */
static void calls_made(const void *a, void *b)
{
    unsigned char *const code = (unsigned char *)(uintptr_t)a + 64;
    memset(code, 0x90, 40);
    code[40] = 0xc3;
    if (mprotect((void *)(uintptr_t)a, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
        return;
    for (uint64_t i = 0; i < (uintptr_t)b; i++)
        __asm__ volatile("callq *%0" : : "r"(code) : "memory", "cc");
}

/* Most instructions are in a function of another module, whose name is known if symbols
 * can be read. Those on vectors do not count, nor code that was just made. */
TEST(test_called_out)
{
    const struct inspect_options named = {.whole_only = true, .text = true};
    struct inspect_census census = census_by(takes_roots, 100, &named);
    assert_true(census.share_out > 0.6 && census.share_out < 1);
    assert_true(census.length_out > 10 && census.length_out < 1000);
    if (strchr(census.loop[0].where, ' ')) {
        assert_non_null(census.name_out);
        assert_string_equal(census.name_out, "cbrt"); /* not cbrtf64, its other name */
        const char *callee = NULL;
        for (size_t i = 0; i < census.loop[0].n_lines && !callee; i++)
            callee = census.line[census.loop[0].line + i].callee;
        assert_non_null(callee);
        assert_string_equal(callee, "cbrt");
    }
    inspect_census_free(&census);
    census = census_of(prints, 24, false);
    assert_true(!census.name_out || strstr(census.name_out, "printf"));
    inspect_census_free(&census);
    census = census_of(prints_any, 24, false);
    assert_true(census.undecided_out > 0.6 * census.share_undecided);
    inspect_census_free(&census);
    census = census_of(takes_some_roots, 100, false);
    assert_true(census.undecided_out < 0.2 * census.share_undecided);
    inspect_census_free(&census);
    census = census_of(copies_rows, 24, false);
    assert_true(census.share_out < 0.6 && census.share_reading == 0);
    inspect_census_free(&census);
    /* Sanitizers bring a strlen() of their own, in this module. */
    if (!dlsym(RTLD_DEFAULT, "__asan_init")) {
        census = census_of(measures_text, 24, false);
        assert_true(census.share_reading > 0.6 && census.bytes_reading >= 24 * 400);
        inspect_census_free(&census);
        census = census_of(measures_texts, 24, false);
        assert_true(census.share_reading > 0.6);
        assert_near(census.bytes_reading, 0, 0);
        inspect_census_free(&census);
    }
    census = census_of(calls_made, 100, false);
    assert_near(census.share_out, 0, 0);
    inspect_census_free(&census);
    census = census_of(calling, TURNS, false);
    assert_near(census.share_out, 0, 0);
    assert_null(census.name_out);
    inspect_census_free(&census);
}

CODE(always_four, "1: movl $4, %eax\n2: decl %eax\n jnz 2b\n decl %esi\n jnz 1b\n retq")
CODE(up_to_four, "1: imull $0x9e3779b1, %esi, %eax\n shrl $30, %eax\n incl %eax\n"
                 "2: decl %eax\n jnz 2b\n decl %esi\n jnz 1b\n retq")

static double undecided_of(void (*function)(const void *, void *), bool step_all)
{
    struct inspect_census census = census_of(function, TURNS, step_all);
    const double undecided = census.share_undecided;
    inspect_census_free(&census);
    return undecided;
}

/* A core learns how many turns there are if these are always as many. */
TEST(test_learnt_turns)
{
    for (unsigned step_all = 0; step_all < 2; step_all++) {
        assert_true(undecided_of(always_four, step_all) < 0.01);
        assert_true(undecided_of(up_to_four, step_all) > 0.05);
    }
}

CODE(counts_less, "1: cmpb $9, (%rdi)\n adcl $0, %edx\n decl %esi\n jnz 1b\n retq")
CODE(adds_long, "1: addq (%rdi), %rax\n adcq $0, %rdx\n decl %esi\n jnz 1b\n retq")
CODE(restores,
     "1: btl $0, %eax\n adcq (%rdi), %rdx\n setc %al\n decl %esi\n jnz 1b\n retq")
CODE(begins_without, "1: clc\n adcq (%rdi), %rdx\n decl %esi\n jnz 1b\n retq")

/* Vectors count comparisons, but know no carry. */
TEST(test_carries)
{
    static const struct {
        void (*function)(const void *, void *);
        double lone;
    } rows[] = {{counts_less, 0}, {adds_long, 1}, {restores, 2}, {begins_without, 1}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct inspect_census census = census_of(rows[i].function, TURNS, false);
        assert_near(census.loop[0].lone, rows[i].lone, 1e-9);
        inspect_census_free(&census);
    }
}

CODE(by_jump, "1: callq 2f\n decl %esi\n jnz 1b\n retq\n"
              "2: endbr64\n jmp led_to\n"
              ".type led_to, @function\n led_to: retq\n .size led_to, 1")
CODE(by_wrapper, "1: callq 2f\n decl %esi\n jnz 1b\n retq\n"
                 "2: pushq %rbx\n callq wrapped\n popq %rbx\n retq\n"
                 ".type wrapped, @function\n wrapped: retq\n .size wrapped, 1")

/* A function before the loop that calls it twice in a turn: 14 n + 3. */
CODE(calling_back, "   jmp 1f\n"
                   "2: nop\n nop\n nop\n nop\n retq\n"
                   "1: movl %esi, %ecx\n"
                   "3: callq 2b\n"
                   "   callq 2b\n"
                   "   decl %ecx\n"
                   "   jnz 3b\n"
                   "   retq")

/* Windows that begin anywhere know a loop by the function that calls, not by the called
 * one, whose turns are twice as many. */
TEST(test_calls_in_windows)
{
    const struct inspect_options options = {.max_steps = 5,
                                            .windows = 30,
                                            .window_steps = 100,
                                            .seed = 1,
                                            .count_turns = true};
    struct inspect_census census = census_by(calling_back, 3000, &options);
    assert_false(census.whole);
    assert_near(census.loop[0].calls, 2, 0.2);
    assert_near(census.call_instructions / (14 * 3000 + 3), 1, 0.1);
    inspect_census_free(&census);
}

/* A call has the name of what a jump leads to, not of what a function without name does.
 */
TEST(test_names_of_calls)
{
    static traced *const functions[] = {by_jump, by_wrapper};
    static const char *const names[] = {"led_to", "wrapped"};
    const struct inspect_options named = {.whole_only = true, .text = true};
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        struct inspect_census census = census_by(functions[i], TURNS, &named);
        const bool symbols = strchr(census.loop[0].where, ' ');
        size_t n = 0;
        for (size_t k = 0; k < census.n_lines; k++)
            if (census.line[k].callee) {
                assert_string_equal(census.line[k].callee, names[i]);
                n++;
            }
        assert_int_equal(n, symbols);
        inspect_census_free(&census);
    }
}
