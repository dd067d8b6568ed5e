/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of every kind, moved: proved and the same results, or refused with a reason.
 */
#include <sys/mman.h>

#include "built.h"
#include "surgeon.h"

enum { INPUT_BYTES = 4096, OUTPUT_BYTES = 1 << 16 };
static unsigned char input[INPUT_BYTES], output[OUTPUT_BYTES], right[OUTPUT_BYTES];
static const unsigned shifts[] = {0, 1, 16, 32, 63};
static const char *const compilers[] = {"gcc", "clang-19"};
static void *library[ARRAY_LEN(compilers)];

static void run_on_nothing(surgery_function *run, struct patient *patient)
{
    memset(output, 0, sizeof output);
    call_patient(run, patient);
}

/* At least so many jumps and tables, and all instructions in copies. */
static void move(const char *name, struct patient *patient, unsigned functions,
                 unsigned tables, unsigned jumps)
{
    struct surgery *surgery = NULL;
    struct surgery_facts facts;
    struct error error = {.text = ""};
    surgery_function *run = NULL;
    if (open_patient(patient, &surgery, &error) < 0)
        fail_msg("%s: %s", name, error.text);
    run_on_nothing((surgery_function *)patient->function, patient);
    memcpy(right, output, sizeof right);
    for (size_t i = 0; i < ARRAY_LEN(shifts); i++) {
        struct surgery_variant *variant = NULL;
        if (surgery_copy(surgery, shifts[i], &variant, &error) < 0 ||
            surgery_prove(variant, 0, &error) < 0 ||
            surgery_select(variant, &run, &error) < 0)
            fail_msg("%s, shift %u: %s", name, shifts[i], error.text);
        run_on_nothing(run, patient);
        assert_memory_equal(output, right, sizeof right);
        if (i == 1 && share_of_copies(patient, variant) < 1 && jumps == 0)
            fail_msg("%s: not all runs in the copy", name);
        assert_int_equal(surgery_restore(surgery, &error), 0);
    }
    surgery_facts(surgery, &facts);
    if (facts.functions < functions || facts.tables < tables || facts.jumps < jumps)
        fail_msg("%s: %u functions, %u tables, %u jumps", name, facts.functions,
                 facts.tables, facts.jumps);
    assert_int_equal(facts.left, 0);
    surgery_close(surgery);
    run_on_nothing((surgery_function *)patient->function, patient);
    assert_memory_equal(output, right, sizeof right);
}

static struct patient patient_of(void *from, const char *symbol)
{
    void *address = dlsym(from, symbol);
    if (!address)
        fail_msg("there is no %s", symbol);
    return (struct patient){
        .function = (patient_function *)(uintptr_t)address, .a = input, .b = output};
}

static void move_built(const char *symbol, unsigned functions, unsigned tables,
                       unsigned jumps)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
        char name[64];
        if (!library[i])
            continue;
        struct patient patient = patient_of(library[i], symbol);
        snprintf(name, sizeof name, "%s of %s", symbol, compilers[i]);
        move(name, &patient, functions, tables, jumps);
        n++;
    }
    assert_true(n > 0);
}

static void refuse_built(const char *symbol, int code, const char *why)
{
    for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
        struct surgery *surgery = NULL;
        struct surgery_variant *variant = NULL;
        struct error error = {.text = ""};
        if (!library[i])
            continue;
        struct patient patient = patient_of(library[i], symbol);
        int status = open_patient(&patient, &surgery, &error);
        if (status == 0)
            status = surgery_copy(surgery, 8, &variant, &error);
        if (status == 0)
            status = surgery_prove(variant, 0, &error);
        surgery_close(surgery);
        if (status != code || !strstr(error.text, why))
            fail_msg("%s of %s: %d, %s", symbol, compilers[i], status, error.text);
    }
}

TEST(test_calls)
{
    move_built("helpers", 2, 0, 0);
}

TEST(test_switches)
{
    move_built("switches", 3, 2, 0);
    move_built("split_table", 5, 2, 0);
}

/* All is counted from the linker's table of slots, by numbers of 64 bits, and so are
 * entries of tables. */
TEST(test_large)
{
    static const struct {
        const char *symbol;
        unsigned tables, jumps;
    } all[] = {{"switches", 2, 1}, {"helpers", 0, 1}, {"pointers", 0, 1}};
    for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
        void *const large = build_operated(compilers[c], "-mcmodel=large");
        for (size_t i = 0; large && i < ARRAY_LEN(all); i++) {
            struct patient patient = patient_of(large, all[i].symbol);
            move(all[i].symbol, &patient, 1, all[i].tables, all[i].jumps);
        }
    }
}

/* Its table has three entries. What follows leads into an instruction that executes, or
 * into one that does not, and looks like a jump there. */
__asm__(".pushsection .text\n"
        ".macro switch_in_a_table name, first\n"
        ".type \\name, @function\n"
        "\\name:\n"
        "   movl $\\first, %ecx\n"
        "   leaq 5f(%rip), %rax\n"
        "4: movslq (%rax, %rcx, 4), %rdx\n"
        "   addq %rax, %rdx\n"
        "   jmpq *%rdx\n"
        "1: movl $0xe9, (%rsi)\n   retq\n"
        "2: movl $22, 4(%rsi)\n   decl %ecx\n   jmp 4b\n"
        "3: movl $33, 8(%rsi)\n   retq\n"
        ".size \\name, . - \\name\n"
        ".section .rodata\n"
        "   .balign 4\n"
        "5: .long 1b - 5b, 2b - 5b, 3b - 5b, 1b + 2 - 5b\n"
        ".text\n"
        ".endm\n"
        "switch_in_a_table next_table, 1\n"
        "switch_in_a_table next_table_unseen, 2\n"
        ".popsection\n");
patient_function next_table __attribute__((visibility("hidden")));
patient_function next_table_unseen __attribute__((visibility("hidden")));

TEST(test_next_table)
{
    struct patient patient = {.function = next_table, .a = input, .b = output};
    move("next_table", &patient, 1, 1, 0);
    patient.function = next_table_unseen;
    move("next_table_unseen", &patient, 1, 1, 0);
}

/* As stubs of linkers, what it calls has neither a symbol nor unwind information. */
__asm__(".pushsection .text\n"
        ".type calls_a_stub, @function\n"
        "calls_a_stub:\n"
        "   callq 1f\n"
        "   movl $6, 4(%rsi)\n   retq\n"
        ".size calls_a_stub, . - calls_a_stub\n"
        ".section .stubs, \"ax\", @progbits\n"
        "1: movl $5, (%rsi)\n   retq\n"
        ".popsection\n");
patient_function calls_a_stub __attribute__((visibility("hidden")));

TEST(test_stub)
{
    struct patient patient = {.function = calls_a_stub, .a = input, .b = output};
    move("calls_a_stub", &patient, 2, 0, 0);
}

TEST(test_pointers)
{
    move_built("pointers", 5, 0, 3);
}

/* It has two bytes, and padding behind it. */
__asm__(".pushsection .text\n"
        ".type short_entry, @function\n"
        "short_entry:\n"
        "   jmp 1f\n"
        ".size short_entry, . - short_entry\n"
        "   .balign 16\n"
        ".type behind_short_entry, @function\n"
        "behind_short_entry:\n"
        "1: movl $7, (%rsi)\n   retq\n"
        ".size behind_short_entry, . - behind_short_entry\n"
        ".popsection\n");
patient_function short_entry __attribute__((visibility("hidden")));

static patient_function *volatile pointer = short_entry;

static void calls_short_entry(const void *a, void *b)
{
    pointer(a, b);
}

TEST(test_short_entry)
{
    struct patient patient = {.function = calls_short_entry, .a = input, .b = output};
    move("short_entry", &patient, 2, 0, 1);
}

TEST(test_linked)
{
    strcpy((char *)input, "a text");
    move_built("linked", 3, 0, 0);
}

/* memmove and strlen are not copied, and count as if they were. */
TEST(test_libc_stays)
{
    for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
        struct surgery *surgery = NULL;
        struct surgery_variant *variant = NULL;
        struct surgery_facts facts;
        struct error error = {.text = ""};
        surgery_function *run = NULL;
        if (!library[i])
            continue;
        struct patient patient = patient_of(library[i], "linked");
        patient.libc_stays = true;
        run_on_nothing((surgery_function *)patient.function, &patient);
        memcpy(right, output, sizeof right);
        assert_int_equal(open_patient(&patient, &surgery, &error), 0);
        if (surgery_copy(surgery, 8, &variant, &error) < 0 ||
            surgery_prove(variant, 0, &error) < 0 ||
            surgery_select(variant, &run, &error) < 0)
            fail_msg("%s", error.text);
        run_on_nothing(run, &patient);
        assert_memory_equal(output, right, sizeof right);
        surgery_facts(surgery, &facts);
        assert_true(facts.functions <= 3); /* it, and two stubs of the linker */
        assert_true(surgery_has(surgery, (uint64_t)(uintptr_t)patient.function));
        assert_true(surgery_has(surgery, (uint64_t)(uintptr_t)dlsym(NULL, "abort")));
        surgery_close(surgery);
    }
}

TEST(test_short_jumps)
{
    move_built("short_jumps", 2, 0, 0);
}

TEST(test_refused)
{
    refuse_built("too_tight", -EFAULT, "jumps lead into its first 5 bytes");
    refuse_built("shared_code", -EFAULT,
                 "jumps of other functions lead into its first 5");
}

/* They pass through copies, which clean up; a gate leaves such a case as built. */
TEST(test_exceptions)
{
    for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
        struct surgery *surgery = NULL;
        struct surgery_variant *variant = NULL;
        struct surgery_facts facts;
        struct error error = {.text = ""};
        surgery_function *run = NULL;
        if (!library[i])
            continue;
        move_built("handling", 4, 0, 1);
        struct patient patient = patient_of(library[i], "unwound");
        patient.libc_stays = true;
        assert_int_equal(open_patient(&patient, &surgery, &error), 0);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            memset(output, 0, sizeof output);
            if (surgery_copy(surgery, shift, &variant, &error) < 0 ||
                surgery_prove(variant, 0, &error) < 0 ||
                surgery_select(variant, &run, &error) < 0)
                fail_msg("%s", error.text);
            run_on_nothing(run, &patient);
            assert_int_equal(*(uint32_t *)(void *)output, 104);
        }
        surgery_facts(surgery, &facts);
        assert_true(facts.left > 0);
        assert_non_null(strstr(facts.why_left, "unwinds the stack"));
        surgery_close(surgery);
        run_on_nothing((surgery_function *)patient.function, &patient);
        assert_int_equal(*(uint32_t *)(void *)output, 104);
    }
}

/* ---- libraries of the system, and generated code ---- */

static void call_memcpy(const void *a, void *b)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    copy(b, a, 3000);
}

/* The CPU decides which code it has. Where mempcpy leads into it, it stays; else calls
 * of mempcpy find the copy in its place. */
TEST(test_memcpy)
{
    struct patient patient = {.function = call_memcpy, .a = input, .b = output};
    struct surgery *surgery = NULL;
    struct surgery_variant *variant = NULL;
    struct error error = {.text = ""};
    surgery_function *run = NULL;
    void *(*volatile copy)(void *, const void *, size_t) = mempcpy;
    char text[64] = "";
    assert_int_equal(open_patient(&patient, &surgery, &error), 0);
    assert_int_equal(surgery_copy(surgery, 16, &variant, &error), 0);
    const int status = surgery_prove(variant, 0, &error);
    if (status < 0) {
        assert_int_equal(status, -EFAULT);
        assert_non_null(strstr(error.text, "jumps of other functions lead"));
    } else {
        assert_int_equal(surgery_select(variant, &run, &error), 0);
        run_on_nothing(run, &patient);
    }
    assert_ptr_equal(copy(text, "forty bytes of some text that is long en", 41),
                     text + 41);
    assert_string_equal(text, "forty bytes of some text that is long en");
    surgery_close(surgery);
}

typedef unsigned long crc_function(unsigned long, const unsigned char *, unsigned);
static crc_function *crc32_of;

static void call_crc(const void *a, void *b)
{
    const unsigned long crc = crc32_of(0, a, 4000);
    memcpy(b, &crc, sizeof crc);
}

TEST(test_zlib)
{
    void *zlib = dlopen("libz.so.1", RTLD_NOW);
    if (!zlib)
        skip();
    crc32_of = (crc_function *)(uintptr_t)dlsym(zlib, "crc32");
    struct patient patient = {.function = call_crc, .a = input, .b = output};
    move("crc32", &patient, 2, 0, 1);
}

/* movl $9, %eax; callq 1f; movl %eax, (%rsi); retq; 1: addl $2, %eax; retq */
static const unsigned char generated[] = {0xb8, 9,    0,    0,    0,    0xe8, 3, 0,   0,
                                          0,    0x89, 0x06, 0xc3, 0x83, 0xc0, 2, 0xc3};

TEST(test_generated)
{
    unsigned char *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    memcpy(code, generated, sizeof generated);
    assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
    struct patient patient = {
        .function = (patient_function *)(uintptr_t)code, .a = input, .b = output};
    move("generated code", &patient, 1, 0, 0);
    assert_int_equal(output[0], 11);
    munmap(code, 4096);
}

/* ---- what keeps it honest ---- */

static void call_other(surgery_function *run, void *context)
{
    const struct patient *patient = context;
    patient->function(patient->a, patient->b);
}

/* A call that does not go through the copy, at a place where no jump can help: it is
 * found by the traps. */
TEST(test_old_code)
{
    struct surgery *surgery = NULL;
    struct surgery_variant *variant = NULL;
    struct error error = {.text = ""};
    const struct patient patient = {.function = call_memcpy, .a = input, .b = output};
    const uint64_t executed[] = {(uint64_t)(uintptr_t)call_memcpy};
    const struct surgery_subject subject = {.run = (surgery_function *)call_memcpy,
                                            .call = call_other,
                                            .context = (void *)(uintptr_t)&patient};
    struct surgery_facts facts;
    assert_int_equal(surgery_open(&subject, executed, 1, &surgery, &error), 0);
    assert_int_equal(surgery_copy(surgery, 8, &variant, &error), 0);
    assert_int_equal(surgery_prove(variant, 0, &error), 0);
    surgery_facts(surgery, &facts);
    assert_int_equal(facts.jumps, 1);
    surgery_close(surgery);
}

static void endless(const void *a, void *b)
{
    volatile int *const stop = b;
    while (!*stop)
        ;
}

TEST(test_endless)
{
    struct surgery *surgery = NULL;
    struct surgery_variant *variant = NULL;
    struct error error = {.text = ""};
    int stop = 0;
    struct patient patient = {.function = endless, .a = input, .b = &stop};
    const uint64_t executed[] = {(uint64_t)(uintptr_t)endless};
    const struct surgery_subject subject = {
        .run = (surgery_function *)endless, .call = call_patient, .context = &patient};
    assert_int_equal(surgery_open(&subject, executed, 1, &surgery, &error), 0);
    assert_int_equal(surgery_copy(surgery, 8, &variant, &error), 0);
    assert_int_equal(surgery_prove(variant, 200000000, &error), -ELOOP);
    patient.b = NULL;
    assert_int_equal(surgery_prove(variant, 0, &error), -ECHILD);
    assert_non_null(strstr(error.text, "ends by signal 11 at endless+"));
    surgery_close(surgery);
}

static int build(void **state)
{
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof input; i++) {
        random = random * 1664525 + 1013904223;
        input[i] = (unsigned char)(random >> 24);
    }
    for (size_t i = 0; i < ARRAY_LEN(compilers); i++)
        library[i] = build_operated(compilers[i], "");
    return 0;
}

TESTS_BETWEEN(build, forget_built)
TESTS_SKIPPED_IF(cannot_trace)
