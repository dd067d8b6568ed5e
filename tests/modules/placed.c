/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" is a loop of six instructions, PAD bytes behind a line of 64, or with IN_C
 * that of a compiler: builds that differ in PAD alone have the same code at other places.
 * It does so 100 times, and MORE times more. */
#include "twice.h"

#ifndef PAD
#define PAD 0
#endif
#ifndef MORE
#define MORE 0
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

void placed_loop(float *out, const float *in, uint64_t n);
#ifdef IN_C
/* Compile with -falign-functions=1 -falign-loops=1 and -fno-toplevel-reorder. */
__asm__(".text\n.p2align 6\n.rept " TEXT(PAD) "\nnop\n.endr\n");
__attribute__((noinline)) void placed_loop(float *out, const float *in, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        out[i] = 2 * in[i];
        __asm__ volatile("" ::: "memory"); /* one at a time */
    }
}
#else
__asm__(".text\n"
        ".p2align 6\n"
        ".rept " TEXT(PAD) "\nnop\n.endr\n"
                           ".type placed_loop, @function\n"
                           "placed_loop:\n"
                           "xor %eax, %eax\n"
                           "1: movss (%rsi,%rax,4), %xmm0\n"
                           "addss %xmm0, %xmm0\n"
                           "movss %xmm0, (%rdi,%rax,4)\n"
                           "add $1, %rax\n"
                           "cmp %rax, %rdx\n"
                           "jne 1b\n"
                           "ret\n"
                           ".size placed_loop, . - placed_loop\n"
                           ".p2align 6\n");
#endif

static void placed_run(const struct simdbench_operands *operands, void *state)
{
    const float *const in = operands->operand[0]->data;
    float *const out = operands->operand[1]->data;
    const uint64_t n = operands->operand[0]->count;
    for (int i = 0; i < 100 + MORE; i++)
        placed_loop(out, in, n);
}

MODULE("placed", placed_run)
