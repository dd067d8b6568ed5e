/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that execute a known number of instructions. `a` (rdi) is a buffer that
 * begins at a page, `b` (rsi) a number of turns. */
#pragma once

#define CODE(name, text)                                                        \
    __attribute__((naked, noinline, unused)) static void name(                  \
        __attribute__((unused)) const void *a, __attribute__((unused)) void *b) \
    {                                                                           \
        __asm__(text);                                                          \
    }

/* 5 */
CODE(straight, "movl $1, %eax\n addl $2, %eax\n leal (%rax,%rax), %ecx\n nop\n retq")
/* 5 n + 1, which asks the CPU n times what it is. */
CODE(asking, "1: movq %rbx, %r8\n"
             "   cpuid\n"
             "   movq %r8, %rbx\n"
             "   decl %esi\n"
             "   jnz 1b\n"
             "   retq")
/* 2 n + 2 */
CODE(loop, "movl %esi, %ecx\n 1: decl %ecx\n jnz 1b\n retq")
/* The copy of a register that was increased is what counts: 4 n + 2. */
CODE(loop_by_copy, "xorl %eax, %eax\n"
                   "1: leaq 1(%rax), %rdx\n"
                   "   movq %rdx, %rax\n"
                   "   cmpq %rsi, %rax\n"
                   "   jne 1b\n"
                   "   retq")
/* Its turns are counted in memory, and registers hand a value on: 4 n + 2. */
CODE(loop_in_memory, "movl %esi, (%rdi)\n"
                     "1: movq %r8, %r9\n"
                     "   movq %r9, %r8\n"
                     "   decl (%rdi)\n"
                     "   jnz 1b\n"
                     "   retq")
/* Two registers step it, and no other one counts: 4 n + 4. */
CODE(loop_by_two_steps, "xorl %eax, %eax\n"
                        "movl $3, %edx\n"
                        "movl $2, %ecx\n"
                        "1: addq %rdx, %rax\n"
                        "   subq %rcx, %rax\n"
                        "   cmpq %rsi, %rax\n"
                        "   jne 1b\n"
                        "   retq")
/* Even turns run a prefix, odd ones jump behind it: 5 n + 1. */
CODE(jumping_behind_a_prefix, "1: testl $1, %esi\n"
                              "   jnz 2f\n"
                              "   .byte 0xf0\n"
                              "2: incl (%rdi)\n"
                              "   decl %esi\n"
                              "   jnz 1b\n"
                              "   retq")
/* Each turn jumps to the same place, */
CODE(jumping_on, "leaq 2f(%rip), %rax\n 1: jmpq *%rax\n 2: decq %rsi\n jnz 1b\n retq")
/* or to two places in turns. */
CODE(jumping_about, "leaq 2f(%rip), %rax\n"
                    "leaq 3f(%rip), %rdx\n"
                    "1: xchgq %rax, %rdx\n"
                    "   jmpq *%rax\n"
                    "2: nop\n"
                    "3: decq %rsi\n"
                    "   jnz 1b\n"
                    "   retq")
/* Left in its middle, by a step that a register holds: 5 n + 3 + 4. */
CODE(loop_left_inside, "xorl %eax, %eax\n"
                       "movl $3, %edx\n"
                       "1: addq %rdx, %rax\n"
                       "   subq $1, %rsi\n"
                       "   js 2f\n"
                       "   testq %rdi, %rdi\n"
                       "   jnz 1b\n"
                       "   nop\n"
                       "2: nop\n"
                       "   retq")
/* 7 inner turns of 3: n (7 * 3 + 3) + 2 */
CODE(nested, "movl %esi, %ecx\n"
             "1: movl $7, %eax\n"
             "2: addl $2, %edx\n"
             "   decl %eax\n"
             "   jnz 2b\n"
             "   decl %ecx\n"
             "   jnz 1b\n"
             "   retq")
/* 600 inner turns of 2: n (2 * 600 + 3) + 2 */
CODE(nested_deep, "movl %esi, %ecx\n"
                  "1: movl $600, %eax\n"
                  "2: decl %eax\n"
                  "   jnz 2b\n"
                  "   decl %ecx\n"
                  "   jnz 1b\n"
                  "   retq")
/* 300 times 600 inner turns of 2: n (300 (2 * 600 + 3) + 3) + 2 */
CODE(nested_thrice, "movl %esi, %ecx\n"
                    "1: movl $300, %edx\n"
                    "2: movl $600, %eax\n"
                    "3: decl %eax; jnz 3b\n"
                    "   decl %edx; jnz 2b\n"
                    "   decl %ecx; jnz 1b\n"
                    "   retq")
/* An inner loop of 1, 1, 1, 2 turns: 11.5 n + 3 for a multiple of 4. */
CODE(left_early, "movl %esi, %ecx\n"
                 "   movl $3, %edx\n"
                 "1: movl %ecx, %eax\n"
                 "   andl $3, %eax\n"
                 "2: addl %edx, %edx\n"
                 "   addl %edx, %edx\n"
                 "   addl %edx, %edx\n"
                 "   addl $2, %eax\n"
                 "   cmpl $3, %eax\n"
                 "   jb 2b\n"
                 "   decl %ecx\n"
                 "   jnz 1b\n"
                 "   retq")
/* 30 turns before all others: 60 + 2 n + 3. */
CODE(begins_otherwise, "movl $30, %ecx\n"
                       "1: decl %ecx\n"
                       "   jnz 1b\n"
                       "   movl %esi, %ecx\n"
                       "2: decl %ecx\n"
                       "   jnz 2b\n"
                       "   retq")
/* Turns of 4 and 6 take turns: 10 n / 2 + 2 for an even n. */
CODE(alternating, "movl %esi, %ecx\n"
                  "1: testb $1, %cl\n"
                  "   jnz 2f\n"
                  "   nop\n"
                  "   nop\n"
                  "2: decl %ecx\n"
                  "   jnz 1b\n"
                  "   retq")
/* Fills a page each turn; an instruction however many elements: 6 n + 2. */
CODE(repeated, "movq %rdi, %rdx\n"
               "1: movq %rdx, %rdi\n"
               "   movl $4096, %ecx\n"
               "   xorl %eax, %eax\n"
               "   rep stosb\n"
               "   decl %esi\n"
               "   jnz 1b\n"
               "   retq")
/* Pushes two words of which the second was just stored. */
CODE(copying_late, "1: movl $1, 4(%rdi)\n"
                   "   pushq (%rdi)\n"
                   "   popq %rax\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
/* Looks for a byte that is nowhere; asks the same place each turn. */
CODE(searching, "1: cmpb $77, (%rdi)\n"
                "   je 2f\n"
                "   incq %rdi\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "2: retq")
/* The same by way of a register. */
CODE(searching_by_flag, "1: xorl %eax, %eax\n"
                        "   cmpb $77, (%rdi)\n"
                        "   sete %al\n"
                        "   testl %eax, %eax\n"
                        "   jnz 2f\n"
                        "   incq %rdi\n"
                        "   decl %esi\n"
                        "   jnz 1b\n"
                        "2: retq")
/* Two instructions go through pages together. */
CODE(streaming, "1: movups (%rdi), %xmm0\n"
                "   movups 1024(%rdi), %xmm1\n"
                "   addq $2048, %rdi\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "   retq")
/* Counts to n where a call before it did not. */
CODE(working_once, "cmpl %esi, (%rdi)\n"
                   "je 2f\n"
                   "1: incl (%rdi)\n"
                   "cmpl %esi, (%rdi)\n"
                   "jne 1b\n"
                   "2: retq")
/* A chain of five products in a loop around another one. */
CODE(nested_chain, "movl %esi, %ecx\n"
                   "1: imull %eax, %eax\n"
                   "imull %eax, %eax\n"
                   "imull %eax, %eax\n"
                   "imull %eax, %eax\n"
                   "imull %eax, %eax\n"
                   "movl $2, %edx\n"
                   "2: decl %edx\n"
                   "jnz 2b\n"
                   "decl %ecx\n"
                   "jnz 1b\n"
                   "retq")
/* A store 256 bytes farther each turn: 4 n + 1. */
CODE(striding, "1: movl %eax, (%rdi)\n"
               "   addq $256, %rdi\n"
               "   decl %esi\n"
               "   jnz 1b\n"
               "   retq")
CODE(asking_again, "1: cmpb $77, (%rdi)\n"
                   "   je 2f\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "2: retq")
/* 5 n + 2, called functions included. */
CODE(calling, "movl %esi, %ecx\n"
              "1: callq 2f\n"
              "   decl %ecx\n"
              "   jnz 1b\n"
              "   retq\n"
              "2: nop\n"
              "   retq")
/* The loop is in a function that is called twice: 2 (2 n + 2) + 3. */
CODE(called_twice, "callq 2f\n"
                   "   callq 2f\n"
                   "   retq\n"
                   "2: movl %esi, %ecx\n"
                   "1: decl %ecx\n"
                   "   jnz 1b\n"
                   "   retq")
/* A jump that a register decides, and two system calls (getppid) a turn: 7 n + 3. */
CODE(system_calls, "leaq 2f(%rip), %rdx\n"
                   "1: movl $110, %eax\n"
                   "   syscall\n"
                   "   movl $110, %eax\n"
                   "   jmpq *%rdx\n"
                   "2: syscall\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
/* A vector is stored and loaded in each turn, another one only loaded: 6 n + 6. */
CODE(spilling, "pxor %xmm0, %xmm0\n"
               "subq $40, %rsp\n"
               "movups %xmm0, 16(%rsp)\n"
               "1: movups %xmm0, (%rsp)\n"
               "   addps %xmm1, %xmm1\n"
               "   movups (%rsp), %xmm0\n"
               "   movups 16(%rsp), %xmm2\n"
               "   decl %esi\n"
               "   jnz 1b\n"
               "   addq $40, %rsp\n"
               "   nop\n"
               "   retq")
/* 16 bytes every 36: some reach over a line, few over a page: 4 n + 1. */
CODE(splitting, "1: movups (%rdi), %xmm0\n"
                "   addq $36, %rdi\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "   retq")
/* Two stores of 8 bytes, then a load of 16: 5 n + 2. */
CODE(failing_forwards, "xorl %eax, %eax\n"
                       "1: movq %rax, (%rdi)\n"
                       "   movq %rax, 8(%rdi)\n"
                       "   movups (%rdi), %xmm0\n"
                       "   decl %esi\n"
                       "   jnz 1b\n"
                       "   retq")
/* A store under a mask, then a load of it: 4 n + 2. */
CODE(masked_forwards, "vpcmpeqd %xmm1, %xmm1, %xmm1\n"
                      "1: vmaskmovps %ymm0, %ymm1, (%rdi)\n"
                      "   vmovups (%rdi), %ymm2\n"
                      "   decl %esi\n"
                      "   jnz 1b\n"
                      "   retq")
/* A load just below a page behind a store: 5 n + 1. */
CODE(aliasing, "1: movups %xmm0, 4160(%rdi)\n"
               "   movups 64(%rdi), %xmm1\n"
               "   addq $16, %rdi\n"
               "   decl %esi\n"
               "   jnz 1b\n"
               "   retq")
/* Legacy SSE after AVX: 4 n + 2. */
CODE(mixing, "vaddps %ymm0, %ymm0, %ymm1\n"
             "1: addps %xmm2, %xmm2\n"
             "   vmulps %ymm1, %ymm1, %ymm1\n"
             "   decl %esi\n"
             "   jnz 1b\n"
             "   retq")
/* The same, with clean upper halves: 5 n + 2. */
CODE(mixing_clean, "vaddps %ymm0, %ymm0, %ymm1\n"
                   "1: addps %xmm2, %xmm2\n"
                   "   vmulps %ymm1, %ymm1, %ymm1\n"
                   "   vzeroupper\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
/* AVX, then four turns of SSE, or four turns of neither before SSE: 16 n + 1, 13 n + 1.
 */
CODE(mixing_turns, "1: vmulps %ymm1, %ymm1, %ymm1\n"
                   "   movl $4, %ecx\n"
                   "2: addps %xmm2, %xmm2\n"
                   "   decl %ecx\n"
                   "   jnz 2b\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
CODE(mixing_around, "1: vmulps %ymm1, %ymm1, %ymm1\n"
                    "   movl $4, %ecx\n"
                    "2: decl %ecx\n"
                    "   jnz 2b\n"
                    "   addps %xmm2, %xmm2\n"
                    "   decl %esi\n"
                    "   jnz 1b\n"
                    "   retq")
/* SSE before AVX, whose upper halves stay in use, or do not: 3 n + 2, 3 n + 3. */
#define ENDING(end)                                                            \
    "1: addps %xmm2, %xmm2\n   decl %esi\n   jnz 1b\n   vaddps %ymm0, %ymm0, " \
    "%ymm1\n" end
CODE(ending_dirty, ENDING("   retq"))
CODE(ending_clean, ENDING("   vzeroupper\n   retq"))
/* A copy, a permute, a shuffle, a zero, two loads and a sum: 9 n + 1. */
CODE(shuffling, "1: vmovaps %zmm0, %zmm1\n"
                "   vpermt2ps %zmm2, %zmm3, %zmm1\n"
                "   vunpcklps %ymm2, %ymm3, %ymm4\n"
                "   vpxor %xmm5, %xmm5, %xmm5\n"
                "   vmovups (%rdi), %ymm6\n"
                "   vbroadcastss (%rdi), %ymm7\n"
                "   vaddss %xmm2, %xmm3, %xmm8\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "   retq")
/* The counter lives on the stack: 4 n + 2. */
CODE(counting_on_stack, "movl %esi, -8(%rsp)\n"
                        "1: movl -8(%rsp), %eax\n"
                        "   subl $1, %eax\n"
                        "   movl %eax, -8(%rsp)\n"
                        "   jnz 1b\n"
                        "   retq")
/* Each turn loads what the one before stored, a step farther: 5 n + 2. */
CODE(handing_on, "xorl %eax, %eax\n"
                 "1: movl (%rdi,%rax,4), %edx\n"
                 "   movl %edx, 4(%rdi,%rax,4)\n"
                 "   addl $1, %eax\n"
                 "   cmpl %esi, %eax\n"
                 "   jne 1b\n"
                 "   retq")
/* The same without that: 5 n + 2. */
CODE(handing_nothing, "xorl %eax, %eax\n"
                      "1: movl (%rdi,%rax,4), %edx\n"
                      "   movl %edx, -8(%rsp)\n"
                      "   addl $1, %eax\n"
                      "   cmpl %esi, %eax\n"
                      "   jne 1b\n"
                      "   retq")
/* Down a column of 16 rows of 4 KiB, or of a line more, again and again: 5 n + 2. */
#define COLUMN(name, step)                   \
    CODE(name, "xorl %eax, %eax\n"           \
               "1: movl (%rdi,%rax), %edx\n" \
               "   addl $" #step ", %eax\n"  \
               "   andl $0xffff, %eax\n"     \
               "   decl %esi\n"              \
               "   jnz 1b\n"                 \
               "   retq")
COLUMN(crowded_column, 4096)
COLUMN(padded_column, 4160)
/* The same by 16 rows in a turn: each load meets four sets of the cache, and all of them
 * every set: 20 n + 2. */
CODE(unrolled_column, "xorl %eax, %eax\n"
                      "1:\n"
                      "   .set at, 0\n"
                      "   .rept 16\n"
                      "   movl at(%rdi,%rax), %edx\n"
                      "   .set at, at + 4160\n"
                      "   .endr\n"
                      "   addl $66560, %eax\n"
                      "   andl $0x7ffff, %eax\n"
                      "   decl %esi\n"
                      "   jnz 1b\n"
                      "   retq")
/* Lines of 64 KiB at random: 8 n + 2. */
CODE(random_lines, "movl $1, %eax\n"
                   "1: imull $1103515245, %eax, %eax\n"
                   "   addl $12345, %eax\n"
                   "   movl %eax, %edx\n"
                   "   shrl $12, %edx\n"
                   "   andl $0xffc0, %edx\n"
                   "   movl (%rdi,%rdx), %edx\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
/* An accumulator: 4 n + 1. */
CODE(chain, "1: addss (%rdi), %xmm0\n"
            "   mulss %xmm1, %xmm2\n"
            "   decl %esi\n"
            "   jnz 1b\n"
            "   retq")
/* Each turn is a chain of its own: 19 n + 1. */
CODE(links, "1: movaps %xmm1, %xmm0\n"
            "   .rept 16\n mulss %xmm1, %xmm0\n .endr\n"
            "   decl %esi\n"
            "   jnz 1b\n"
            "   retq")
/* The register of frames is a pointer: 5 n + 4. */
CODE(by_frame_register, "pushq %rbp\n"
                        "movq %rdi, %rbp\n"
                        "1: movl (%rbp), %edx\n"
                        "   movl %edx, 4(%rbp)\n"
                        "   addq $4, %rbp\n"
                        "   decl %esi\n"
                        "   jnz 1b\n"
                        "   popq %rbp\n"
                        "   retq")
/* Each turn works on the byte behind that of the turn before, in place. */
CODE(byte_by_byte, "1: movzbl (%rdi), %eax\n"
                   "   imull %eax, %eax\n"
                   "   movb %al, (%rdi)\n"
                   "   incq %rdi\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   retq")
/* The way depends on what memory holds. */
CODE(unforeseeable, "1: movzbl (%rdi), %eax\n"
                    "   addq $1, %rdi\n"
                    "   andl $3, %eax\n"
                    "   jz 2f\n"
                    "   cmpl $1, %eax\n"
                    "   je 3f\n"
                    "   nop\n"
                    "2: nop\n"
                    "3: decl %esi\n"
                    "   jnz 1b\n"
                    "   retq")
/* Goes where memory says: 5 n + 2. */
CODE(indexed, "xorl %ecx, %ecx\n"
              "1: movl (%rdi,%rcx,4), %eax\n"
              "   addl (%rdi,%rax), %edx\n"
              "   incl %ecx\n"
              "   cmpl %esi, %ecx\n"
              "   jne 1b\n"
              "   retq")
/* Loads in each turn where it loads from: 5 n + 5. */
CODE(by_pointer, "leaq 4096(%rdi), %rdx\n"
                 "movq %rdx, (%rdi)\n"
                 "xorl %ecx, %ecx\n"
                 "1: movq (%rdi), %rax\n"
                 "   movl (%rax,%rcx,4), %edx\n"
                 "   incl %ecx\n"
                 "   cmpl %esi, %ecx\n"
                 "   jne 1b\n"
                 "   movq $0, (%rdi)\n"
                 "   retq")
/* 8 elements from, and 8 to, places that lie in 512 bits: 6 n + 2. */
CODE(gathering, "vpxord %zmm1, %zmm1, %zmm1\n"
                "1: kxnorw %k1, %k1, %k1\n"
                "   vgatherqps (%rdi,%zmm1,4), %ymm0{%k1}\n"
                "   kxnorw %k2, %k2, %k2\n"
                "   vscatterqpd %zmm2, (%rdi,%zmm1,4){%k2}\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "   retq")
CODE(crashing, "movq (0), %rax\n retq")
