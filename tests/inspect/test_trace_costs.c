/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of traced functions: what their forms cost, and which of them share a unit. */
#include "findings.h"
#include "traced_child.h"
#include "traced_forms.h"

/* Searches eight bytes each turn for another one, and goes back by LOOP. */
CODE(scanning, "movl %esi, %ecx\n"
               "movb (%rdi), %al\n"
               "incb %al\n"
               "movq %rdi, %rdx\n"
               "1: movl %ecx, %esi\n"
               "   movq %rdx, %rdi\n"
               "   movl $8, %ecx\n"
               "   repne scasb\n"
               "   movl %esi, %ecx\n"
               "   loop 1b\n"
               "   retq")
/* A jump so far that a byte of the way is that of LOOP. It never goes there. */
CODE(leaving_far, "1: decl %esi\n"
                  "   .byte 0x0f, 0x88, 0, 0, 0xe2, 0\n"
                  "   jnz 1b\n"
                  "   retq")
CODE(searching_once, "movb (%rdi), %al\n"
                     "incb %al\n"
                     "movl $40, %ecx\n"
                     "repne scasb\n"
                     "retq")

static void knows_nothing(void *context, const struct inspect_code *code, size_t n,
                          struct inspect_cost *costs)
{
}

/* An instruction with REP costs what the caller says, as no form tells it. */
TEST(test_strings)
{
    for (unsigned told = 0; told < 2; told++) {
        const struct inspect_options options = {
            .whole_only = true, .costs = knows_nothing, .window.string = told ? 13 : 0};
        struct inspect_census census = census_by(repeated, TURNS, &options);
        assert_int_equal(census.loop[0].dearest_form != NULL, told);
        if (told) {
            assert_string_equal(census.loop[0].dearest_form, "rep stosb");
            assert_near(census.loop[0].dearest, 13, 1e-9);
            assert_near(census.loop[0].dearest_each, 13, 0);
        }
        inspect_census_free(&census);
    }
    /* One that searches takes each element for itself. */
    for (unsigned counted = 0; counted < 2; counted++) {
        const struct inspect_options options = {
            .whole_only = true,
            .costs = knows_nothing,
            .window = {.scan = 2, .counted = counted ? 17 : 15}};
        struct inspect_census census = census_by(leaving_far, TURNS, &options);
        assert_int_equal(census.n_loops, 1);
        assert_null(census.loop[0].dearest_form);
        inspect_census_free(&census);
        census = census_by(scanning, TURNS, &options);
        assert_int_equal(strcmp(census.loop[0].dearest_form, "loop") == 0, counted);
        assert_near(census.loop[0].dearest, counted ? 17 : 16, 1e-9);
        inspect_census_free(&census);
    }
    /* A call without loops is one turn. */
    const struct inspect_options once = {
        .whole_only = true, .costs = knows_nothing, .window.scan = 2};
    struct inspect_census straight = census_by(searching_once, 0, &once);
    struct inspect_facts facts = {0};
    inspect_facts_trace(&facts, &straight, NULL);
    assert_string_equal(straight.straight.dearest_form, "repne scasb");
    assert_near(facts.fact[FACT_dearest].value, 80, 1e-9);
    assert_near(facts.fact[FACT_dearest_each].value, 80, 1e-9);
    inspect_census_free(&straight);
    /* One that loads, too, costs more. */
    const struct inspect_options options = {
        .whole_only = true,
        .costs = knows_nothing,
        .window = {.string = 13, .string_copies = 17}};
    struct inspect_census census = census_by(moving, TURNS, &options);
    assert_string_equal(census.loop[0].dearest_form, "rep movsq");
    assert_near(census.loop[0].dearest, 17, 1e-9);
    inspect_census_free(&census);
}

static void knows_names(void *context, const struct inspect_code *code, size_t n,
                        struct inspect_cost *costs)
{
    for (size_t i = 0; i < n; i++) {
        const bool root = code[i].bytes[2] == 0x51, division = code[i].bytes[2] == 0x5e,
                   x87 = code[i].bytes[0] == 0xd8 || code[i].bytes[0] == 0xde,
                   product = code[i].bytes[0] == 0x0f || code[i].bytes[0] == 0x69,
                   lock = code[i].bytes[0] == 0xf0, larger = code[i].bytes[2] == 0x5f,
                   smaller = code[i].bytes[2] == 0x5d,
                   shortened = code[i].bytes[0] == 0x66 && code[i].bytes[1] == 0x25;
        costs[i] = (struct inspect_cost){.known = true,
                                         .throughput = root ? 9 : 5,
                                         .units = product ? INSPECT_PRODUCTS : 0,
                                         .n_links = lock,
                                         .link = {{.cycles = 4}}};
        snprintf(costs[i].form, sizeof costs[i].form, "%s",
                 root        ? "sqrtsd xmm, xmm"
                 : division  ? "divsd xmm, xmm"
                 : x87       ? "fadd m32"
                 : shortened ? "and ax, i16"
                 : larger    ? "maxsd xmm, xmm"
                 : smaller   ? "minsd xmm, xmm"
                 : lock      ? (code[i].n == 3 ? "lock inc m32" : "lock dec m32")
                 : product   ? (code[i].n == 3 ? "imul r32, r32" : "imul r32, r32, i32")
                             : "div r8");
    }
}

static void knows_counts(void *context, const struct inspect_code *code, size_t n,
                         struct inspect_cost *costs)
{
    for (size_t i = 0; i < n; i++)
        if (code[i].bytes[0] == 0xf3)
            costs[i] = (struct inspect_cost){
                .known = true,
                .form = "popcnt r64, r64",
                .throughput = 1,
                .n_links = 2,
                .link = {{.from = 1, .cycles = 3, .full = 3}, {.cycles = 3, .full = 3}}};
}

CODE(counting_over, "1: popcntq %rdi, %rax\n decl %esi\n jnz 1b\n retq")
CODE(counting_own, "1: popcntq %rax, %rax\n decl %esi\n jnz 1b\n retq")
CODE(counting_other,
     "1: popcntq %rcx, %rax\n movq %rax, %rcx\n decl %esi\n jnz 1b\n retq")

/* The wait for an overwritten register is in vain only if the instruction does not read
 * it, and no operand comes as late. */
TEST(test_waits_in_vain)
{
    static traced *const functions[] = {counting_over, counting_own, counting_other};
    const struct inspect_options options = {.whole_only = true, .costs = knows_counts};
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        struct inspect_census census = census_by(functions[i], TURNS, &options);
        const struct inspect_line *const line = &census.line[census.loop[0].line];
        assert_int_equal(line->waits_in_vain, i == 0);
        assert_near(line->chained[0], 3, 0.1);
        inspect_census_free(&census);
    }
}

CODE(locking_twice,
     "1: lock incl (%rdi)\n lock decl 64(%rdi)\n decl %esi\n jnz 1b\n retq")
CODE(masking, "1: andw $0x3bff, %ax\n decl %esi\n jnz 1b\n retq")

/* A root costs what its form does, and so does a division; integers are left out. What
 * x87 adds is timed as a chain: it is no form that costs much. */
TEST(test_divisions)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_names};
    struct inspect_census census = census_by(dividing, TURNS, &options);
    assert_near(census.loop[0].divides, 3, 1e-9);
    assert_near(census.loop[0].divided, 14, 1e-9);
    assert_null(census.loop[0].dearest_form);
    inspect_census_free(&census);
    census = census_by(masking, TURNS, &options);
    assert_null(census.loop[0].dearest_form);
    inspect_census_free(&census);
    census = census_by(products_x87, TURNS, &options);
    assert_near(census.loop[0].chain, 5, 1e-6);
    inspect_census_free(&census);
    /* Products of integers were seen to share a unit, and are two forms. */
    census = census_by(multiplying, TURNS, &options);
    assert_near(census.loop[0].dearest, 5, 1e-9);
    assert_near(census.loop[0].products, 10, 1e-9);
    inspect_census_free(&census);
    /* So do maxima and minima. */
    census = census_by(choosing, TURNS, &options);
    assert_near(census.loop[0].dearest, 10, 1e-9);
    inspect_census_free(&census);
    /* Instructions with LOCK take no longer than they wait for each other: all forms. */
    census = census_by(locking, TURNS, &options);
    assert_near(census.loop[0].dearest, 8, 1e-9);
    assert_near(census.loop[0].dearest_each, 4, 1e-9);
    inspect_census_free(&census);
    census = census_by(locking_twice, TURNS, &options);
    assert_near(census.loop[0].dearest, 8, 1e-9);
    inspect_census_free(&census);
}

static void knows_choices(void *context, const struct inspect_code *code, size_t n,
                          struct inspect_cost *costs)
{
    for (size_t i = 0; i < n; i++) {
        costs[i] = (struct inspect_cost){.known = code[i].n >= 4, .throughput = 5};
        snprintf(costs[i].form, sizeof costs[i].form, "%s",
                 code[i].n == 4 ? "vmaxsd xmm, xmm, xmm" : "vpmaxsd xmm, xmm, xmm");
    }
}

/* Those of integers have another unit than those of floats. */
TEST(test_choices)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_choices};
    if (!has_avx())
        skip();
    struct inspect_census census = census_by(choosing_both, TURNS, &options);
    assert_near(census.loop[0].dearest, 5, 1e-9);
    inspect_census_free(&census);
}

static double each_cycles, each_steps;
static const char *form_end = "";
static unsigned shared_units;

static void knows_opcodes(void *context, const struct inspect_code *code, size_t n,
                          struct inspect_cost *costs)
{
    for (size_t i = 0; i < n; i++) {
        costs[i] = (struct inspect_cost){.known = true,
                                         .throughput = each_cycles,
                                         .steps = each_steps,
                                         .units = code[i].n == 4 ? shared_units : 0};
        snprintf(costs[i].form, sizeof costs[i].form, "%x%s", code[i].bytes[2], form_end);
    }
}

/* Forms of a cycle have one unit: sums are the work, shuffles are none. Faster ones have
 * several units, and slower ones are slow in themselves. */
TEST(test_units)
{
    static const double all[] = {0.5, 1, 3};
    if (!has_avx())
        skip();
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const struct inspect_options options = {.whole_only = true,
                                                .costs = knows_opcodes};
        each_cycles = all[i];
        struct inspect_census census = census_by(shuffling_twice, TURNS, &options);
        assert_near(census.loop[0].needed_form, i == 1 ? 1 : 0, 1e-9);
        assert_near(census.loop[0].shuffle_form, i == 1 ? 2 : 0, 1e-9);
        assert_near(census.loop[0].busy, i < 2 ? all[i] : 0, 1e-9);
        inspect_census_free(&census);
        /* Scalar comparisons are no work of vectors, and shifts no shuffles. */
        census = census_by(comparing, TURNS, &options);
        assert_near(census.loop[0].needed, 3, 1e-9);
        assert_near(census.loop[0].needed_form, i == 1 ? 1 : 0, 1e-9);
        assert_near(census.loop[0].shuffle_form, 0, 0);
        inspect_census_free(&census);
    }
}

/* Work whose result is a mask could go to other units, so that none is its limit; of 512
 * bits there is no other way to compare. */
TEST(test_masks)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_opcodes};
    if (!has_avx())
        skip();
    static const char *const ends[] = {" k{k}, xmm", " k, ymm, m256", " k{k}, zmm"};
    each_cycles = 1;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        form_end = ends[i];
        struct inspect_census census = census_by(shuffling_twice, TURNS, &options);
        assert_near(census.loop[0].needed_form, i == 2 ? 1 : 0, 1e-9);
        assert_near(census.loop[0].needed, 1, 1e-9);
        inspect_census_free(&census);
    }
    form_end = "";
}

/* An instruction that a core splits takes the places of several, and no unit is its own.
 */
TEST(test_steps)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_opcodes};
    if (!has_avx())
        skip();
    each_cycles = 1;
    for (each_steps = 0; each_steps <= 3; each_steps += 3) {
        struct inspect_census census = census_by(shuffling_twice, TURNS, &options);
        const struct inspect_loop *const loop = &census.loop[0];
        assert_near(loop->steps, fmax(1, each_steps) * loop->computed, 1e-9);
        assert_near(loop->steps_bits, fmax(1, each_steps) * loop->computed_bits, 1e-9);
        assert_near(loop->needed_form, each_steps ? 0 : 1, 1e-9);
        inspect_census_free(&census);
    }
    each_steps = 0;
}

/* Forms that share a unit follow each other; of forms that are work the work counts
 * alone. With several units the one that takes longest counts. */
TEST(test_shared_units)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_opcodes};
    if (!has_avx())
        skip();
    each_cycles = 1;
    for (shared_units = 2; shared_units <= 6; shared_units += 2) {
        struct inspect_census census = census_by(shuffling_twice, TURNS, &options);
        assert_near(census.loop[0].needed_form, 1, 1e-9);
        assert_near(census.loop[0].shuffle_form, 3, 1e-9);
        assert_near(census.loop[0].products, 0, 0);
        inspect_census_free(&census);
    }
    shared_units = 0;
}

/* MMX has no width, and no form that could be measured. */
TEST(test_mmx)
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_names};
    struct inspect_census census;
    struct inspect_facts facts = {0};
    census = census_by(averaging, TURNS, &options);
    inspect_facts_trace(&facts, &census, &census.loop[0]);
    assert_true(isnan(inspect_fact_value(&facts, FACT_widest_bits)));
    assert_null(census.loop[0].dearest_form);
    inspect_census_free(&census);
}

/* One integer after the other, in vectors; the same four at a time: 6 n + 1. */
CODE(one_by_one, "1: movd (%rdi), %xmm0\n"
                 "   psubd %xmm1, %xmm0\n"
                 "   paddd %xmm0, %xmm2\n"
                 "   pxor %xmm0, %xmm0\n"
                 "   decl %esi\n"
                 "   jnz 1b\n"
                 "   retq")
CODE(four_by_four, "1: movd (%rdi), %xmm0\n"
                   "   pshufd $0, %xmm0, %xmm0\n"
                   "   paddd %xmm0, %xmm2\n"
                   "   pxor %xmm0, %xmm0\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
CODE(bytes_of_one, "1: movd (%rdi), %xmm0\n"
                   "   paddb %xmm0, %xmm2\n"
                   "   pxor %xmm0, %xmm0\n"
                   "   nop\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")

/* Floats that are computed one after the other, and stored two at once; or pairs. */
CODE(packed_later, "1: movss (%rdi), %xmm0\n"
                   "   movss 4(%rdi), %xmm3\n"
                   "   mulss %xmm1, %xmm0\n"
                   "   addss %xmm2, %xmm0\n"
                   "   mulss %xmm1, %xmm3\n"
                   "   addss %xmm2, %xmm3\n"
                   "   unpcklps %xmm3, %xmm0\n"
                   "   movups %xmm0, 256(%rdi)\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
CODE(packed_before, "1: movups (%rdi), %xmm0\n"
                    "   mulps %xmm1, %xmm0\n"
                    "   addss %xmm2, %xmm0\n"
                    "   movups %xmm0, 256(%rdi)\n"
                    "   decl %esi\n"
                    "   jnz 1b\n"
                    "   retq")
/* Vectors that are moved, beside one float. */
CODE(moved_beside, "1: movups (%rdi), %xmm0\n"
                   "   movups %xmm0, 256(%rdi)\n"
                   "   addss %xmm2, %xmm1\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
/* Sums within a vector. */
CODE(dot_products, "1: movups (%rdi), %xmm0\n"
                   "   dpps $0xf1, 16(%rdi), %xmm0\n"
                   "   mulss %xmm1, %xmm0\n"
                   "   addss %xmm0, %xmm2\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")

static double widest_of(void (*function)(const void *, void *))
{
    const struct inspect_options options = {.whole_only = true, .costs = knows_names};
    struct inspect_facts facts = {0};
    struct inspect_census census = census_by(function, TURNS, &options);
    inspect_facts_trace(&facts, &census, &census.loop[0]);
    inspect_census_free(&census);
    return inspect_fact_value(&facts, FACT_widest_bits);
}

/* Compilers compute with integers in vectors one at a time, too: no more is in them. */
TEST(test_single_elements)
{
    assert_near(widest_of(one_by_one), 64, 0);
    assert_near(widest_of(four_by_four), 128, 0);
    assert_near(widest_of(bytes_of_one), 128, 0);
    assert_near(widest_of(packed_later), 64, 0);
    assert_near(widest_of(packed_before), 128, 0);
    assert_near(widest_of(moved_beside), 128, 0);
    if (__builtin_cpu_supports("sse4.1"))
        assert_near(widest_of(dot_products), 128, 0);
}

/* It stores where the last load says: now and then where it loads soon, */
#define ROAMING(stores, nops)                                      \
    "   xorl %eax, %eax\n   xorl %edx, %edx\n   xorl %r8d, %r8d\n" \
    "1: movzbl (%rdi,%rax), %ecx\n"                                \
    "   leal 77(%rdx,%rcx), %edx\n"                                \
    "   andl $255, %edx\n"                                         \
    "   movb %r8b, " stores "(%rdi,%rdx)\n"                        \
    "   .fill " nops ", 1, 0x90\n"                                 \
    "   addl $6, %eax\n"                                           \
    "   andl $255, %eax\n"                                         \
    "   decl %esi\n"                                               \
    "   jnz 1b\n"                                                  \
    "   retq"
CODE(roaming, ROAMING("", "0"))
/* or never. */
CODE(roaming_apart, ROAMING("512", "0"))
/* So few stores are on their way that a load hardly ever meets one. */
CODE(roaming_seldom, ROAMING("", "60"))

/* On some cores a load that found what was just stored waits for the places of stores. */
TEST(test_guarded_loads)
{
    struct inspect_options options = {.whole_only = true, .window.guard = 6};
    struct inspect_census census = census_by(roaming, TURNS, &options);
    assert_true(census.loop[0].memory_chain > 7 && census.loop[0].memory_chain < 10);
    inspect_census_free(&census);
    census = census_by(roaming_apart, TURNS, &options);
    assert_true(census.loop[0].memory_chain < 3);
    inspect_census_free(&census);
    census = census_by(roaming_seldom, TURNS, &options);
    assert_true(census.loop[0].memory_chain < 3);
    inspect_census_free(&census);
    options.window.guard = 0;
    census = census_by(roaming, TURNS, &options);
    assert_true(census.loop[0].memory_chain < 3);
    inspect_census_free(&census);
    assert_near(inspect_guard(7), 6, 0);
    assert_near(inspect_guard(4.9), 0, 0);
    assert_near(inspect_guard(NAN), 0, 0);
}
