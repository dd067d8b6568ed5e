/* SPDX-License-Identifier: Apache-2.0 */
/* Fresh plants in assembly. */
    .altmacro
    .text

    .macro begin name
    .globl \name\()_code
    .hidden \name\()_code
    .type \name\()_code, @function
    .p2align 6
\name\()_code:
    .endm

    .macro end name
    ret
    .size \name\()_code, . - \name\()_code
    .endm

    .macro copy to, from
    vmovdqa %ymm\from, %ymm\to
    .endm

/* comb: rdi x, rsi y, rdx rows of y, rcx bytes from one row to the next. Each of the rows on
 * the way moves to the next register. */
    begin f32
    .irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    vmovdqu (%rdi), %ymm\r
    add %rcx, %rdi
    .endr
1:
    vmovdqu (%rdi), %ymm11
    vpmaxsd %ymm0, %ymm11, %ymm12
    vmovdqu %ymm12, (%rsi)
    copy 0, 1
    copy 1, 2
    copy 2, 3
    copy 3, 4
    copy 4, 5
    copy 5, 6
    copy 6, 7
    copy 7, 8
    copy 8, 9
    copy 9, 10
    copy 10, 11
    add %rcx, %rdi
    add %rcx, %rsi
    dec %rdx
    jnz 1b
    vzeroupper
    end f32

/* axpy: rdi x, rsi z, rdx y, rcx elements. A piece of code for each 16 of 2048 elements, each
 * piece on a page of its own. */
    begin f37
    vbroadcastsd factor(%rip), %ymm4
1:
    .set at, 0
    .rept 128
    jmp 2f
    .p2align 12
2:
    .irp i, 0, 1, 2, 3
    vmovupd at + 32 * \i(%rdi), %ymm\i
    vfmadd213pd at + 32 * \i(%rsi), %ymm4, %ymm\i
    vmovupd %ymm\i, at + 32 * \i(%rdx)
    .endr
    .set at, at + 128
    .endr
    add $16384, %rdi
    add $16384, %rsi
    add $16384, %rdx
    sub $2048, %rcx
    ja 1b
    vzeroupper
    end f37

    .section .rodata
    .p2align 3
factor:
    .double 1.5
    .section .note.GNU-stack, "", @progbits
