/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in assembly: void pNN_code(const float *x, float *y, ptrdiff_t n), n a positive
 * multiple of 64; and for op dot float pNN_code(const float *a, const float *b, n). */
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

/* The next `bytes` of x and y, until n is zero; local label 1 is the loop's head. */
    .macro turn bytes
    add $\bytes, %rdi
    add $\bytes, %rsi
    sub $(\bytes / 4), %rdx
    jnz 1b
    .endm

/* Sound, scalar. */
    begin p50
    xorps %xmm4, %xmm4
1:
    .irp i, 0, 1, 2, 3
    movss 4 * \i(%rdi), %xmm\i
    maxss %xmm4, %xmm\i
    movss %xmm\i, 4 * \i(%rsi)
    .endr
    turn 16
    end p50

/* A branch decides for each element: half of them are negative. */
    begin p14
    xorps %xmm4, %xmm4
1:
    movss (%rdi), %xmm0
    ucomiss %xmm4, %xmm0
    ja 2f
    movaps %xmm4, %xmm0
2:
    movss %xmm0, (%rsi)
    turn 4
    end p14

/* Two halves are stored, and read as one vector. */
    begin p10
    vxorps %xmm4, %xmm4, %xmm4
1:
    vmovups (%rdi), %xmm0
    vmovups 16(%rdi), %xmm1
    vmovups %xmm0, -64(%rsp)
    vmovups %xmm1, -48(%rsp)
    vmaxps -64(%rsp), %ymm4, %ymm0
    vmovups %ymm0, (%rsi)
    turn 32
    vzeroupper
    end p10

/* Whether the end is reached is asked for each element of a vector. */
    begin p22
    vxorps %xmm4, %xmm4, %xmm4
1:
    vmaxps (%rdi), %ymm4, %ymm0
    .irp i, 1, 2, 3, 4, 5, 6, 7
    cmp $\i, %rdx
    jb 2f
    .endr
    vmovups %ymm0, (%rsi)
    turn 32
2:
    vzeroupper
    end p22

/* Every third and fourth half vector is the work of code for SSE, while the upper halves
 * of its register are in use. */
    begin p28
    vpcmpeqd %ymm0, %ymm0, %ymm0
    vxorps %xmm4, %xmm4, %xmm4
1:
    vmaxps (%rdi), %ymm4, %ymm1
    vmovups %ymm1, (%rsi)
    .irp i, 2, 3
    movups 16 * \i(%rdi), %xmm0
    maxps %xmm4, %xmm0
    movups %xmm0, 16 * \i(%rsi)
    .endr
    turn 64
    vzeroupper
    end p28

/* Values travel through registers before they are used. */
    begin p40
    vxorps %xmm4, %xmm4, %xmm4
1:
    vmovups (%rdi), %ymm0
    .irp i, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13
    vmovaps %ymm0, %ymm\i
    .endr
    vmaxps %ymm13, %ymm4, %ymm0
    vmovaps %ymm0, %ymm1
    vmovaps %ymm1, %ymm2
    vmovups %ymm2, (%rsi)
    turn 32
    vzeroupper
    end p40

/* A piece of code for each vector of 16384 elements, each where a line begins. */
    begin p38
    vxorps %xmm4, %xmm4, %xmm4
1:
    .set at, 0
    .rept 2048
    .p2align 6
    vmaxps at(%rdi), %ymm4, %ymm0
    vmovups %ymm0, at(%rsi)
    .set at, at + 32
    .endr
    add $65536, %rdi
    add $65536, %rsi
    sub $16384, %rdx
    jnz 1b
    vzeroupper
    end p38

/* ---- curve ---- */

/* The polynomial of ymm0, from memory. */
    .macro polynomial
    vminps ones(%rip), %ymm0, %ymm0
    vmaxps minus(%rip), %ymm0, %ymm0
    vmovaps coefficients(%rip), %ymm1
    .irp i, 1, 2, 3, 4, 5, 6, 7
    vfmadd213ps coefficients + 32 * \i(%rip), %ymm0, %ymm1
    .endr
    .endm

/* Scaled by two and back by code for SSE, while the upper halves of its register are in
 * use. */
    begin p30
    vpcmpeqd %ymm2, %ymm2, %ymm2
1:
    vmovups (%rdi), %ymm0
    polynomial
    vextractf128 $1, %ymm1, %xmm3
    vmovups %xmm1, (%rsi)
    vmovups %xmm3, 16(%rsi)
    .irp i, 0, 16
    movups \i(%rsi), %xmm2
    mulps twos(%rip), %xmm2
    mulps halves(%rip), %xmm2
    movups %xmm2, \i(%rsi)
    .endr
    turn 32
    vzeroupper
    end p30

/* A piece of code for each vector of 8192 elements, the next one somewhere else. */
    .macro piece index, next
piece_\index:
    vmovups 32 * \index(%rdi), %ymm0
    polynomial
    vmovups %ymm1, 32 * \index(%rsi)
    jmp piece_\next
    .p2align 8
    .endm

    begin p37
1:
    jmp piece_0
    .p2align 8
    .set place, 0
    .rept 1024
    piece %((place * 389) & 1023), %(((place * 389) & 1023) + 1)
    .set place, place + 1
    .endr
piece_1024:
    turn 32768
    vzeroupper
    end p37

/* ---- dot ---- */

    .macro total
    addps %xmm1, %xmm0
    addps %xmm3, %xmm2
    addps %xmm2, %xmm0
    movhlps %xmm0, %xmm1
    addps %xmm1, %xmm0
    movaps %xmm0, %xmm1
    shufps $0x55, %xmm1, %xmm1
    addss %xmm1, %xmm0
    .endm

    .macro zeros
    .irp i, 0, 1, 2, 3
    xorps %xmm\i, %xmm\i
    .endr
    .endm

/* Sound. */
    begin p52
    zeros
    test %rdx, %rdx
    jz 2f
1:
    .irp i, 0, 1, 2, 3
    movups 16 * \i(%rdi), %xmm4
    movups 16 * \i(%rsi), %xmm5
    mulps %xmm5, %xmm4
    addps %xmm4, %xmm\i
    .endr
    turn 64
2:
    total
    end p52

/* Values travel through registers before they are used. */
    begin p39
    zeros
    test %rdx, %rdx
    jz 2f
1:
    .irp i, 0, 1, 2, 3
    movups 16 * \i(%rdi), %xmm4
    .irp j, 5, 6, 7, 8, 9, 10, 11
    movaps %xmm4, %xmm\j
    .endr
    movups 16 * \i(%rsi), %xmm4
    .irp j, 5, 6, 7, 8, 9, 10
    movaps %xmm4, %xmm\j
    .endr
    mulps %xmm10, %xmm11
    addps %xmm11, %xmm\i
    .endr
    turn 64
2:
    total
    end p39

    .section .rodata
    .p2align 6
    .macro splat value
    .rept 8
    .float \value
    .endr
    .endm
ones:
    splat 1.0
minus:
    splat -1.0
twos:
    splat 2.0
halves:
    splat 0.5
coefficients:
    splat 0.125
    splat 0.142857142857
    splat 0.166666666667
    splat 0.2
    splat 0.25
    splat 0.333333333333
    splat 0.5
    splat 1.0
    .section .note.GNU-stack, "", @progbits
