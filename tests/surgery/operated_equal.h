/* SPDX-License-Identifier: Apache-2.0 */
/* The last part of operated.c: functions whose builds are compared. Macros change one
 * thing each: FIRST, ENTRY, CHOICE, CONSTRUCTED, ASKING, MORE, BESIDE and ALIGN. */
#pragma once

#ifndef FIRST
#define FIRST 0
#endif
static uint32_t count = FIRST, other_count;

/* No code names these: pointers may lead to them. A single entry may look like that of a
 * jump table. */
#ifndef BESIDE
#define BESIDE 7
#endif
#ifndef ENTRY
#define ENTRY -4000
#endif
#ifndef CHOICE
#define CHOICE left
#endif
const int far_table[300] = {[290] = ENTRY};
const uint32_t left = 1, right = 2;
const uint32_t *const chosen = &CHOICE;
#ifdef CONSTRUCTED
static uint32_t begun;
__attribute__((constructor)) static void begin(void)
{
    __asm__ volatile("movl $1, %0" : "=m"(begun));
}
#endif

#ifdef ASKING
/* The compiler's own constructor asks the CPU what it has. */
int has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}
#endif

static uint32_t *volatile made;

void lazy(const void *a, void *b)
{
    if (!made)
        made = malloc(sizeof *made);
    *made = *(const uint32_t *)a;
    *(uint32_t *)b = *made;
}

/* Neither text has a symbol. */
void choose(const void *a, void *b)
{
    static const char *volatile text;
    if (!text)
        text = *(const uint32_t *)a ? "one of two texts" : "another text";
    *(char *)b = *text;
}

void options(const void *a, void *b)
{
    *(int *)b = optind + *(const int *)a;
}

void scan(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += x[i];
        __asm__ volatile(".rept " EXPAND(NOPS) "\n nop\n .endr");
#ifdef MORE
        __asm__("xorl $1, %0" : "+r"(sum));
#endif
        if (sum & 1)
            sum = mix(sum);
        sum ^= CONSTANT;
    }
    count++;
    other_count += 2;
    *(uint32_t *)b = sum;
}

#ifndef ALIGN
#define ALIGN 1
#endif
/* 60 bytes of padding execute in each turn if a place is aligned to 64. */
void padded(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t sum = 1;
    for (int i = 0; i < 64; i++) {
        __asm__ volatile(
            "jmp 3f\n .balign " EXPAND(ALIGN) "\n 3: testl %0, %0\n"
                                              "jz 1f\n .balign " EXPAND(ALIGN) "\n 1:"
            :
            : "r"(sum));
        sum += x[i] & 3;
    }
    *(uint32_t *)b = sum;
}

/* ---- a table; variables of a thread: the loader gives each library others ---- */

static __thread uint32_t state = 7;
static __thread __attribute__((tls_model("initial-exec"))) uint32_t sum;

static const uint8_t powers[] = {1,   2,   4,   8,  16,  32, 64, 128, 27, 54,
                                 108, 216, 171, 77, 154, 47, 94, 188, 99, 198};

void untold_table(const void *a, void *b)
{
    const uint8_t *x = a;
    uint8_t *y = b;
    for (int i = 0; i < 64; i++)
        y[i] = powers[x[i] % sizeof powers];
}

/* Two numbers without a name, and a jump table just behind them. */
__asm__(".pushsection .text\n"
        ".globl beside_a_table\n"
        ".type beside_a_table, @function\n"
        "beside_a_table:\n"
        "   movl $1, %ecx\n"
        "   leaq 6f(%rip), %rdi\n"
        "   leaq 5f(%rip), %rax\n"
        "4: movslq (%rax, %rcx, 4), %rdx\n"
        "   addq %rax, %rdx\n"
        "   jmpq *%rdx\n"
        "1: movl (%rdi), %edx\n   movl %edx, (%rsi)\n   retq\n"
        "2: movl 4(%rdi, %rcx, 4), %edx\n   movl %edx, (%rsi)\n   decl %ecx\n   jmp 4b\n"
        "3: movl $33, 8(%rsi)\n   retq\n"
        ".size beside_a_table, . - beside_a_table\n"
        ".section .rodata\n"
        "   .balign 4\n"
        "6: .long " EXPAND(BESIDE) ", 9, 5\n"
                                   "5: .long 1b - 5b, 2b - 5b, 3b - 5b\n"
                                   ".popsection\n");

void threads(const void *a, void *b)
{
    const uint32_t *x = a;
    uint32_t *y = b;
    for (int i = 0; i < 64; i++)
        state = state * 5 + x[i];
    for (int i = 0; i < 64; i++)
        sum += mix(x[i]);
    y[0] = state + sum;
}
