/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that break the rules of calls, and the pages of thunks. */
#include <fenv.h>
#include <xmmintrin.h>

#include "made_thunk.h"

NAKED breaks_rbx(void)
{
    __asm__("xor %ebx, %ebx\n\tret");
}
NAKED breaks_rbp(void)
{
    __asm__("mov $1, %ebp\n\tret");
}
NAKED breaks_three(void)
{
    __asm__("inc %r12\n\tnot %r15\n\txor $1, %r13\n\tret");
}
NAKED breaks_r14(void)
{
    __asm__("bswap %r14\n\tret");
}
NAKED breaks_stack(void)
{
    __asm__("ret $16");
}
NAKED breaks_direction(void)
{
    __asm__("std\n\tret");
}
NAKED breaks_mmx(void)
{
    __asm__("pxor %mm0, %mm0\n\tret");
}
NAKED breaks_mxcsr(void)
{
    __asm__("stmxcsr -4(%rsp)\n\torl $0x8000, -4(%rsp)\n\tldmxcsr -4(%rsp)\n\tret");
}
NAKED breaks_control(void)
{
    __asm__("fnstcw -4(%rsp)\n\txorl $0x300, -4(%rsp)\n\tfldcw -4(%rsp)\n\tret");
}
NAKED breaks_upper(void)
{
    __asm__("vpcmpeqd %xmm1, %xmm1, %xmm1\n\tvinsertf128 $1, %xmm1, %ymm1, %ymm9\n\tret");
}
/* A call may change the other registers, flags and the state bits of mxcsr. */
NAKED breaks_nothing(void)
{
    __asm__(
        "xor %eax, %eax\n\tmov %rax, %rcx\n\tmov %rax, %rdx\n\tmov %rax, %rsi\n\t"
        "mov %rax, %rdi\n\tmov %rax, %r8\n\tmov %rax, %r9\n\tmov %rax, %r10\n\t"
        "mov %rax, %r11\n\tcmp $1, %eax\n\txorps %xmm0, %xmm0\n\tmovaps %xmm0, %xmm15\n\t"
        "divss %xmm0, %xmm0\n\tret");
}

static const struct {
    void (*function)(void);
    unsigned faults;
    const char *text;
} rules[] = {
    {breaks_nothing, 0, ""},
    {breaks_rbx, CALL_REGISTERS, "rbx is not restored"},
    {breaks_rbp, CALL_REGISTERS, "rbp is not restored"},
    {breaks_three, CALL_REGISTERS, "r12, r13 and r15 are not restored"},
    {breaks_r14, CALL_REGISTERS, "r14 is not restored"},
    {breaks_stack, CALL_STACK, "the stack pointer is +16 bytes off"},
    {breaks_direction, CALL_DIRECTION, "the direction flag is set"},
    {breaks_mmx, CALL_X87, "x87 registers are in use (emms is missing)"},
    {breaks_control, CALL_X87, "the x87 control word is changed"},
    {breaks_mxcsr, CALL_MXCSR, "mxcsr is changed"},
};

TEST(test_rules)
{
    const struct call_signature signature = {.n = 9};
    const unsigned mxcsr = _mm_getcsr() & ~0x3fu;
    const int rounding = fegetround();
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    const unsigned short double_only = (control & 0xfcff) | 0x200;
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        struct thunk *thunk = make(&signature, (const void *)rules[i].function);
        struct call_frame frame = {.result = 0};
        struct call_faults faults;
        if (rules[i].faults == CALL_X87) /* a call before it that is not checked */
            rules[i].function();
        __asm__ volatile("fldcw %0" ::"m"(double_only));
        thunk_check(thunk, &frame, &faults);
        assert_string_equal(faults.text, rules[i].text);
        assert_int_equal(faults.faults, rules[i].faults);
        unsigned short after;
        __asm__ volatile("fnstcw %0" : "=m"(after));
        __asm__ volatile("fldcw %0" ::"m"(control));
        thunk_free(thunk);
        assert_int_equal(after, double_only);
        assert_int_equal(_mm_getcsr() & ~0x3fu, mxcsr);
        assert_int_equal(fegetround(), rounding);
    }
}

TEST(test_upper)
{
    const struct call_signature signature = {.n = 0};
    struct call_frame frame = {.result = 0};
    struct call_faults faults;
    if (!__builtin_cpu_supports("avx"))
        skip();
    struct thunk *thunk = make(&signature, (const void *)breaks_upper);
    thunk_check(thunk, &frame, &faults);
    assert_int_equal(faults.faults, CALL_UPPER);
    assert_string_equal(faults.text, "");
    thunk_free(thunk);
}

/* No page can be written and run. */
TEST(test_pages)
{
    const struct call_signature signature = {.n = 1};
    struct thunk *thunk = make(&signature, (const void *)call_nothing);
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    bool found = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long lo, hi;
        char flags[5];
        assert_int_equal(sscanf(line, "%lx-%lx %4s", &lo, &hi, flags), 3);
        const uintptr_t code = (uintptr_t)thunk_code(thunk);
        if (code >= lo && code < hi) {
            found = true;
            assert_string_equal(flags, "r-xp");
        }
    }
    fclose(maps);
    assert_true(found);
    thunk_free(thunk);
}
