/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as compilers make them: a library that the tests of surgery build with each
 * compiler that is here. PAD: bytes before all functions. MORE: an xor more in a loop.
 * NOPS: nops in it. ALIGN: of a place in another one. FIRST: what a variable holds at
 * first. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define STRING(text) #text
#define EXPAND(text) STRING(text)
#ifndef PAD
#define PAD 0
#endif
__asm__(".text\n .skip " EXPAND(PAD) " + 16\n");
#ifndef NOPS
#define NOPS 0
#endif
#ifndef CONSTANT
#define CONSTANT 0x51
#endif
#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noipa, used))
#endif

typedef void function(const void *a, void *b);

/* ---- calls ---- */

static KEEP uint32_t mix(uint32_t x)
{
    return (x ^ x >> 15) * 0x2c1b3c6du;
}

static KEEP void tail(const uint32_t *a, uint32_t *b)
{
    for (int i = 0; i < 64; i++)
        b[i] += mix(a[i]);
}

void helpers(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t *y = b;
    for (int i = 0; i < 64; i++)
        y[i] = mix(x[i] + (uint32_t)i);
    tail(x, y);
}

/* ---- switches: tables lie behind each other ---- */

static KEEP uint32_t first_switch(uint32_t x)
{
    switch (x % 11) {
    case 0:
        return mix(x);
    case 1:
        return x * 3;
    case 2:
        return x ^ 0x1234;
    case 3:
        return x - 77;
    case 4:
        return mix(x + 1) * 5;
    case 5:
        return x << 3;
    case 6:
        return x >> 2;
    case 7:
        return ~x;
    case 8:
        return mix(x) + mix(x + 9);
    case 9:
        return x / 7;
    default:
        return x + 19;
    }
}

void switches(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t *y = b;
    for (int i = 0; i < 64; i++) {
        y[i] = first_switch(x[i]);
        switch (y[i] % 9) {
        case 0:
            y[i] = mix(y[i] + 3);
            break;
        case 1:
            y[i] *= 3;
            memset(y + i + 1, 1, 4);
            break;
        case 2:
            y[i] = mix(y[i]) - mix(y[i] + 5);
            break;
        case 3:
            y[i] /= 3;
            break;
        case 4:
            y[i] = y[i] << 7 | y[i] >> 25;
            break;
        case 5:
            y[i] = mix(mix(y[i]));
            break;
        case 6:
            y[i] ^= y[i] >> 3;
            break;
        case 7:
            y[i] += mix(y[i] / 11);
            break;
        }
        switch (y[i] % 8) {
        case 0:
            y[i] ^= mix(1);
            break;
        case 1:
            y[i] += 11;
            break;
        case 2:
            y[i] = mix(y[i] ^ 5);
            break;
        case 3:
            y[i] -= mix(y[i] * 5);
            break;
        case 4:
            y[i] *= y[i];
            break;
        case 5:
            y[i] = ~y[i];
            break;
        case 6:
            y[i] = mix(y[i]) / 3;
            break;
        }
    }
}

/* Cases lie in another function, as in a cold part; most of the second one do. */
__asm__(".pushsection .text\n"
        ".macro choice name, cold, entries:vararg\n"
        ".type \\cold, @function\n"
        "\\cold:\n"
        "   movl $77, %eax\n"
        "   retq\n"
        ".size \\cold, . - \\cold\n"
        ".type \\name, @function\n"
        "\\name:\n"
        "   movl %edi, %edi\n"
        "   leaq 5f(%rip), %rax\n"
        "   movslq (%rax,%rdi,4), %rdx\n"
        "   addq %rax, %rdx\n"
        "   jmpq *%rdx\n"
        "1: movl $11, %eax\n"
        "   retq\n"
        "2: movl $22, %eax\n"
        "   retq\n"
        "3: movl $33, %eax\n"
        "   retq\n"
        ".size \\name, . - \\name\n"
        ".section .rodata\n"
        "   .balign 4\n"
        "5: .long \\entries\n"
        ".text\n"
        ".endm\n"
        "choice cases, cold_case, 1b - 5b, 2b - 5b, 3b - 5b, cold_case - 5b, 2b - 5b\n"
        "choice few, few.cold, few.cold - 5b, 2b - 5b, few.cold - 5b, few.cold - 5b\n"
        ".popsection\n");
extern uint32_t cases(uint32_t number) __attribute__((visibility("hidden")));
extern uint32_t few(uint32_t number) __attribute__((visibility("hidden")));

void split_table(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t *y = b;
    for (int i = 0; i < 64; i++)
        y[i] = cases(x[i] % 5) + few(x[i] % 4);
}

/* ---- pointers ---- */

static KEEP uint32_t by_three(uint32_t x)
{
    return x * 3 + mix(x);
}

static KEEP uint32_t shifted(uint32_t x)
{
    return mix(x >> 3) + (x << 2);
}

static KEEP uint32_t same(uint32_t x)
{
    return x;
}

static uint32_t (*const table[])(uint32_t) = {by_three, shifted, same, mix};

void pointers(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t *y = b;
    for (int i = 0; i < 64; i++)
        y[i] = table[x[i] % 4](x[i]);
}

/* ---- the linker's slots ---- */

void linked(const void *a, void *b)
{
    memmove((char *)b + 1, a, 200);
    *(char *)b = (char)(*(const char *)a == 1 ? shifted(1) : strlen(a));
}

/* ---- code that cannot be copied, or in part ---- */

static volatile int ended;

static KEEP void end(int *x)
{
    ended += *x;
}

static function *volatile opaque = helpers;

/* It has to clean up when an exception passes. */
void handling(const void *a, void *b)
{
    __attribute__((cleanup(end))) int x = 1;
    opaque(a, b);
}

/* One passes, up to the last function here. */
static jmp_buf caught;

static _Unwind_Reason_Code look(int version, _Unwind_Action actions,
                                _Unwind_Exception_Class class,
                                struct _Unwind_Exception *exception,
                                struct _Unwind_Context *context, void *last)
{
    if (actions & _UA_END_OF_STACK || _Unwind_GetCFA(context) > (uintptr_t)last)
        longjmp(caught, 1);
    return _URC_NO_REASON;
}

static KEEP void add_three(uint32_t **x)
{
    **x += 3;
}

static KEEP void clean(uint32_t *b, void *last)
{
    static struct _Unwind_Exception exception;
    __attribute__((cleanup(add_three))) uint32_t *x = b;
    _Unwind_ForcedUnwind(&exception, look, last);
    *x = 0;
}

void unwound(const void *a, void *b)
{
    uint32_t *const x = b;
    *x = 1;
    if (!setjmp(caught))
        clean(x, __builtin_frame_address(0));
    *x += 100;
}

/* A loop leads to the second byte of what a pointer leads to. */
__asm__(".pushsection .text\n"
        ".type looping, @function\n"
        "looping:\n"
        "   movl $3, %ecx\n"
        ".size looping, . - looping\n"
        ".type tight, @function\n"
        "tight:\n"
        "   nop\n"
        "1: decl %edx\n"
        "   jnz 1b\n"
        "   movl $7, (%rsi)\n"
        "   retq\n"
        ".size tight, . - tight\n"
        /* The first one, which nobody calls, leads into the second one. */
        ".type never_called, @function\n"
        "never_called:\n"
        "   movl $9, (%rsi)\n"
        "   jmp 2f\n"
        ".size never_called, . - never_called\n"
        ".type entered, @function\n"
        "entered:\n"
        "   nop\n"
        "2: addl $4, (%rsi)\n"
        "   retq\n"
        ".size entered, . - entered\n"
        /* Two that a short jump connects, with another one between them. */
        ".type short_tail, @function\n"
        "short_tail:\n"
        "   movl $5, (%rsi)\n"
        "   jmp short_end\n"
        ".size short_tail, . - short_tail\n"
        ".type between, @function\n"
        "between:\n"
        "   retq\n"
        ".size between, . - between\n"
        ".type short_end, @function\n"
        "short_end:\n"
        "   addl $4, (%rsi)\n"
        "   retq\n"
        ".size short_end, . - short_end\n"
        ".popsection\n");
function tight __attribute__((visibility("hidden")));
function short_tail __attribute__((visibility("hidden")));
static void (*volatile to_tight)(const void *, void *,
                                 int) = (void (*)(const void *, void *, int))tight;

void too_tight(const void *a, void *b)
{
    to_tight(a, b, 5);
    *(uint32_t *)b += 1;
}

function entered __attribute__((visibility("hidden")));
static function *volatile to_entered = entered;

void shared_code(const void *a, void *b)
{
    to_entered(a, b);
    *(uint32_t *)b += 1;
}

void short_jumps(const void *a, void *b)
{
    short_tail(a, b);
    *(uint32_t *)b += 1;
}

#include "operated_equal.h"
