/* SPDX-License-Identifier: Apache-2.0 */
/* The function LOOP doubles n floats in six instructions, PAD bytes behind a line of 64,
 * or with IN_C as a compiler does it. For the latter compile with -falign-functions=1
 * -falign-loops=1, gcc with -fno-toplevel-reorder. It may be included several times. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

void LOOP(float *out, const float *in, uint64_t n);
#ifdef IN_C
__asm__(".text\n.p2align 6\n.rept " TEXT(PAD) "\nnop\n.endr\n");
__attribute__((noinline)) void LOOP(float *out, const float *in, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        out[i] = 2 * in[i];
        __asm__ volatile("" ::: "memory"); /* one at a time */
    }
}
#else
__asm__(
    ".text\n"
    ".p2align 6\n"
    ".rept " TEXT(PAD) "\nnop\n.endr\n"
                       ".type " TEXT(LOOP) ", @function\n" TEXT(
                           LOOP) ":\n"
                                 "xor %eax, %eax\n"
                                 "1: movss (%rsi,%rax,4), %xmm0\n"
                                 "addss %xmm0, %xmm0\n"
                                 "movss %xmm0, (%rdi,%rax,4)\n"
                                 "add $1, %rax\n"
                                 "cmp %rax, %rdx\n"
                                 "jne 1b\n"
                                 "ret\n"
                                 ".size " TEXT(LOOP) ", . - " TEXT(LOOP) "\n"
                                                                         ".p2align 6\n");
#endif
#undef TEXT_
#undef TEXT
