/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of instructions whose costs matter; `a` and `b` as in traced_code.h. */
#pragma once

#include "traced_code.h"

/* A sum on the stack of x87, of products that come and go above it. */
CODE(products_x87, "   fldz\n"
                   "1: flds (%rdi)\n"
                   "   fmuls (%rdi)\n"
                   "   fxch\n"
                   "   faddp\n"
                   "   decl %esi\n"
                   "   jnz 1b\n"
                   "   fstp %st(0)\n"
                   "   retq")
/* It copies a word each turn, from where it lies to there. */
CODE(moving, "movl %esi, %r8d\n"
             "movq %rdi, %rdx\n"
             "1: movq %rdx, %rdi\n"
             "   movq %rdx, %rsi\n"
             "   movl $1, %ecx\n"
             "   rep movsq\n"
             "   decl %r8d\n"
             "   jnz 1b\n"
             "   retq")
/* A root, a division and an integer one each turn: 7 n + 1. */
CODE(dividing, "1: movl $1, %eax\n"
               "   sqrtsd %xmm0, %xmm0\n"
               "   divsd %xmm1, %xmm0\n"
               "   divb %al\n"
               "   fadds (%rdi)\n"
               "   decl %esi\n"
               "   jnz 1b\n"
               "   retq")
/* Two forms of products. */
CODE(multiplying, "1: imull %eax, %eax\n"
                  "   imull $100000, %eax, %eax\n"
                  "   decl %esi\n"
                  "   jnz 1b\n"
                  "   retq")
CODE(locking, "1: lock incl (%rdi)\n"
              "   lock incq 64(%rdi)\n"
              "   decl %esi\n"
              "   jnz 1b\n"
              "   retq")
/* A sum and two shuffles a turn. */
CODE(shuffling_twice, "1: vaddps %ymm2, %ymm2, %ymm1\n"
                      "   vunpcklps %ymm2, %ymm2, %ymm3\n"
                      "   vunpcklps %ymm2, %ymm2, %ymm4\n"
                      "   decl %esi\n"
                      "   jnz 1b\n"
                      "   vzeroupper\n"
                      "   retq")
/* Two scalar comparisons, and a shift of a vector: 5 n + 1. */
CODE(comparing, "1: comiss %xmm1, %xmm0\n"
                "   comiss %xmm1, %xmm0\n"
                "   psrld $3, %xmm3\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "   retq")
/* The larger and the smaller of two: 4 n + 1. */
CODE(choosing, "1: maxsd %xmm1, %xmm0\n"
               "   minsd %xmm1, %xmm2\n"
               "   subl $1, %esi\n"
               "   jne 1b\n"
               "   retq")
/* The larger of floats, and of integers: 4 n + 1. */
CODE(choosing_both, "1: vmaxsd %xmm1, %xmm0, %xmm0\n"
                    "   vpmaxsd %xmm1, %xmm2, %xmm2\n"
                    "   subl $1, %esi\n"
                    "   jne 1b\n"
                    "   retq")
/* Means of bytes, 8 at a time. */
CODE(averaging, "1: movq (%rdi), %mm0\n"
                "   pavgb 8(%rdi), %mm0\n"
                "   movq %mm0, (%rdi)\n"
                "   decl %esi\n"
                "   jnz 1b\n"
                "   emms\n"
                "   retq")
