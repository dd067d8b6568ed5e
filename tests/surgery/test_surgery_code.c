/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of the same source have the same code. */
#include "built.h"
#include "compared.h"
#include "surgeon.h"

static uint32_t input[1024], output[1024];

/* The normalised code of a function. */
static char *code_of(patient_function *function)
{
    struct surgery *surgery = NULL;
    struct error error = {.text = ""};
    char *text = NULL;
    uint64_t times[4096] = {0};
    struct patient patient = {.function = function,
                              .a = input,
                              .b = output,
                              .libc_stays = true,
                              .times = times,
                              .room = ARRAY_LEN(times)};
    assert_non_null(patient.function);
    if (open_patient(&patient, &surgery, &error) < 0 ||
        surgery_code(surgery, times, &text, &error) < 0)
        fail_msg("%s", error.text);
    surgery_close(surgery);
    return text;
}

static char *code_in(void *library, const char *symbol)
{
    return code_of((patient_function *)(uintptr_t)dlsym(library, symbol));
}

static char *build_code(const char *compiler, const char *flags, const char *symbol)
{
    void *library = build_operated(compiler, flags);
    return library ? code_in(library, symbol) : NULL;
}

static void assert_same(const char *name, const char *a, const char *b)
{
    const struct surgery_difference difference = compare(a, b);
    if (!difference.same)
        fail_msg("%s: %zu instructions, %s", name, difference.instructions,
                 difference.where);
}

static const char *const compilers[] = {"gcc", "clang-19"};
static const char *const symbols[] = {"scan",         "switches",      "pointers",
                                      "helpers",      "linked",        "threads",
                                      "untold_table", "beside_a_table"};

TEST(test_padding)
{
    static const char *const flags[] = {
        "",         "-DPAD=16",          "-DPAD=32",
        "-DPAD=48", "-DPAD=60",          "-falign-functions=64 -DPAD=3",
        "-s",       "-Dshifted=renamed", "-Wl,-z,noseparate-code"};
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        char *right[ARRAY_LEN(symbols)] = {NULL};
        for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
            void *const library = build_operated(compilers[c], flags[i]);
            for (size_t s = 0; library && s < ARRAY_LEN(symbols); s++) {
                /* Without local symbols nothing tells where a function ends whose address
                 * is data. */
                if (!strcmp(flags[i], "-s") && !strcmp(symbols[s], "pointers"))
                    continue;
                char *const code = code_in(library, symbols[s]);
                if (right[s]) {
                    assert_same(symbols[s], right[s], code);
                    free(code);
                } else {
                    right[s] = code;
                }
            }
        }
        for (size_t s = 0; s < ARRAY_LEN(symbols); s++)
            free(right[s]);
    }
}

/* A compiler may make two turns of one. */
static void assert_few(const char *a, const char *b)
{
    const struct surgery_difference difference = compare(a, b);
    assert_true(!difference.same && difference.nearly);
    assert_true(difference.instructions >= 1 && difference.instructions <= 2);
    assert_int_equal(strncmp(difference.where, "scan+0x", 7), 0);
}

TEST(test_changes)
{
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        char *const a = build_code(compilers[c], "", "scan");
        char *const more = build_code(compilers[c], "-DMORE -DPAD=7", "scan");
        char *const constant = build_code(compilers[c], "-DCONSTANT=0x52", "scan");
        if (a) {
            assert_few(a, more);
            assert_few(a, constant);
        }
        free(a);
        free(more);
        free(constant);
    }
}

/* Numbers without a name count up to the jump table behind them. */
TEST(test_beside_a_table)
{
    char *const a = build_code("gcc", "", "beside_a_table");
    char *const b = build_code("gcc", "-DBESIDE=8", "beside_a_table");
    if (a)
        assert_false(compare(a, b).same);
    free(a);
    free(b);
}

TEST(test_compilers)
{
    char *const a = build_code("gcc", "", "switches");
    char *const b = build_code("clang-19", "", "switches");
    if (a && b) {
        const struct surgery_difference difference = compare(a, b);
        assert_false(difference.same);
        assert_false(difference.nearly);
    }
    free(a);
    free(b);
}

/* ---- the code alone ---- */

static bool is_closed(void *library, const char *symbol, char **text)
{
    struct surgery *surgery = NULL;
    struct error error = {.text = ""};
    void *const function = dlsym(library, symbol);
    const uint64_t executed[] = {(uint64_t)(uintptr_t)function};
    const struct surgery_subject subject = {.run =
                                                (surgery_function *)(uintptr_t)function,
                                            .libc_stays = true,
                                            .only_code = true,
                                            .named = true};
    assert_non_null(function);
    if (surgery_open(&subject, executed, 1, &surgery, &error) < 0 ||
        surgery_code(surgery, NULL, text, &error) < 0)
        fail_msg("%s: %s", symbol, error.text);
    const bool closed = surgery_is_closed(surgery);
    surgery_close(surgery);
    return closed;
}

/* Nothing executes: it is found by what the code names. */
TEST(test_alone)
{
    static const struct {
        const char *symbol;
        bool closed;
    } all[] = {{"helpers", true},   {"split_table", true}, {"linked", true},
               {"scan", true},      {"handling", false},   {"unwound", true},
               {"pointers", false}, {"too_tight", false}};
    static const char *const others[] = {"-DFIRST=7", "-DENTRY=-4100", "-DCHOICE=right",
                                         "-DCONSTRUCTED"};
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        void *const a = build_operated(compilers[c], "");
        void *const b = build_operated(compilers[c], "-DPAD=40 -falign-functions=64");
        for (size_t i = 0; a && i < ARRAY_LEN(all); i++) {
            char *x = NULL, *y = NULL;
            if (is_closed(a, all[i].symbol, &x) != all[i].closed ||
                is_closed(b, all[i].symbol, &y) != all[i].closed)
                fail_msg("%s of %s", all[i].symbol, compilers[c]);
            assert_same(all[i].symbol, x, y);
            assert_true(compare(x, y).same_data);
            free(x);
            free(y);
        }
        for (size_t i = 0; a && i < ARRAY_LEN(others); i++) {
            void *const other = build_operated(compilers[c], others[i]);
            char *x = NULL, *y = NULL;
            is_closed(a, "scan", &x);
            is_closed(other, "scan", &y);
            if (!compare(x, y).same || compare(x, y).same_data)
                fail_msg("%s", others[i]);
            free(x);
            free(y);
        }
    }
}

static bool same_data(void *a, void *b, const char *symbol)
{
    char *const x = code_in(a, symbol), *const y = code_in(b, symbol);
    assert_same(symbol, x, y);
    const bool same = compare(x, y).same_data;
    free(x);
    free(y);
    return same;
}

/* Numbers of 64 bits that lead from code to the linker's table, and on from there. */
TEST(test_large)
{
    static const char *const moved[] = {"switches", "helpers", "pointers", "linked"};
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        void *const a = build_operated(compilers[c], "-mcmodel=large");
        void *const b = build_operated(compilers[c], "-mcmodel=large -DPAD=16");
        void *const other = build_operated(compilers[c], "-mcmodel=large -DFIRST=7");
        for (size_t i = 0; a && i < ARRAY_LEN(moved); i++) {
            if (!same_data(a, b, moved[i]) || same_data(a, other, moved[i]))
                fail_msg("%s of %s", moved[i], compilers[c]);
        }
    }
}

/* They fill the page behind what is only read with as many bytes as it takes. */
TEST(test_linkers)
{
    static const char *const linkers[] = {"-fuse-ld=mold", "-fuse-ld=lld"};
    for (size_t i = 0; i < ARRAY_LEN(linkers); i++) {
        char moved[64];
        snprintf(moved, sizeof moved, "%s -DPAD=64", linkers[i]);
        void *const a = build_operated("clang-19", linkers[i]);
        void *const b = build_operated("clang-19", moved);
        if (a)
            assert_true(same_data(a, b, "scan"));
    }
}

/* A constructor of the compiler's own runs before, and writes the same. */
TEST(test_asking)
{
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        void *const a = build_operated(compilers[c], "-DASKING");
        void *const b = build_operated(compilers[c], "-DASKING -DPAD=40");
        if (a)
            assert_true(same_data(a, b, "scan"));
    }
}

static void call(void *library, const char *symbol)
{
    patient_function *const function =
        (patient_function *)(uintptr_t)dlsym(library, symbol);
    function(input, output);
}

/* Variables count as they are now. */
TEST(test_live)
{
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        void *const a = build_operated(compilers[c], "");
        void *const b = build_operated(compilers[c], "-DPAD=24");
        if (!a)
            continue;
        assert_true(same_data(a, b, "scan"));
        assert_true(same_data(a, b, "threads")); /* the loader finds its variables */
        call(a, "scan");
        assert_false(same_data(a, b, "scan"));
        call(b, "scan");
        assert_true(same_data(a, b, "scan"));
        call(a, "lazy");
        call(b, "lazy");
        assert_false(same_data(a, b, "lazy"));
    }
}

/* Pointers to data among code, which has no symbol; a variable of another library. */
TEST(test_reached)
{
    static const char together[] = "-Wl,-z,noseparate-code";
    int *const number = dlsym(RTLD_DEFAULT, "optind");
    const uint32_t first = input[0];
    assert_non_null(number);
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        void *const a = build_operated(compilers[c], together);
        void *const b = build_operated(compilers[c], together);
        if (!a)
            continue;
        input[0] = 0;
        call(b, "choose");
        input[0] = first;
        assert_false(same_data(a, b, "choose"));
        assert_true(same_data(a, a, "choose"));
        char *const x = code_in(a, "options");
        ++*number;
        char *const y = code_in(a, "options");
        --*number;
        assert_true(compare(x, y).same && !compare(x, y).same_data);
        free(x);
        free(y);
    }
}

/* Nops that align nothing take time, and so do many in each turn. */
TEST(test_nops)
{
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        char *const a = build_code(compilers[c], "", "scan");
        char *const aligned = build_code(compilers[c], "-falign-loops=64", "scan");
        char *const slow = build_code(compilers[c], "-DNOPS=5", "scan");
        if (a) {
            assert_same(compilers[c], a, aligned);
            assert_int_equal(compare(a, slow).instructions, 5);
        }
        free(a);
        free(aligned);
        free(slow);
        char *const plain = build_code(compilers[c], "", "padded");
        char *const padded = build_code(compilers[c], "-DALIGN=64", "padded");
        if (plain)
            assert_false(compare(plain, padded).same);
        free(plain);
        free(padded);
    }
}

/* Both take the same text, behind which a linker put another one. */
__asm__(".pushsection .text\n"
        ".macro takes_a_text name, behind\n"
        ".type \\name, @function\n"
        "\\name:\n"
        "   leaq 5f(%rip), %rax\n"
        "   movq %rax, (%rsi)\n   retq\n"
        ".size \\name, . - \\name\n"
        ".section .rodata\n"
        "5: .asciz \"short\", \"\\behind\"\n"
        "   .zero 16\n"
        ".text\n"
        ".endm\n"
        "takes_a_text text_before_one, one\n"
        "takes_a_text text_before_two, two\n"
        ".popsection\n");
patient_function text_before_one __attribute__((visibility("hidden")));
patient_function text_before_two __attribute__((visibility("hidden")));

TEST(test_short_texts)
{
    char *const one = code_of(text_before_one), *const two = code_of(text_before_two);
    assert_same("short text", one, two);
    assert_non_null(strstr(one, "constant 73686f727400..."));
    free(one);
    free(two);
}

/* Assemblers need not write how long functions are; a linker puts these in any order. */
__asm__(".pushsection .text\n"
        ".macro unsized name, first, second, turns\n"
        ".type \\name, @function\n"
        "\\name:\n"
        "   movl $\\turns, %ecx\n"
        "1: addl %ecx, (%rsi)\n"
        "   decl %ecx\n"
        "   jnz 1b\n"
        "   callq \\first\n"
        "   jmp \\second\n"
        ".endm\n"
        "unsized turns_end, text_before_one, text_before_two, 2\n"
        "unsized turns_five, turns_end, text_before_two, 5\n"
        "unsized turns_one, turns_five, turns_end, 3\n"
        "unsized turns_two, turns_five_too, turns_end_too, 3\n"
        "unsized turns_five_too, turns_end_too, text_before_two, 5\n"
        "unsized turns_end_too, text_before_one, text_before_two, 2\n"
        ".popsection\n");
patient_function turns_one __attribute__((visibility("hidden")));
patient_function turns_two __attribute__((visibility("hidden")));

TEST(test_unsized)
{
    char *const one = code_of(turns_one), *const two = code_of(turns_two);
    assert_same("unsized", one, two);
    free(one);
    free(two);
}

static int fill_input(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(input); i++)
        input[i] = (uint32_t)i * 2654435761u;
    memset(input, 'x', 16);
    input[4] = 0;
    return 0;
}

TESTS_BETWEEN(fill_input, forget_built)
TESTS_SKIPPED_IF(cannot_trace)
