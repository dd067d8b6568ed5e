/* SPDX-License-Identifier: Apache-2.0 */
/* Inside leaf declare: what the machine code of a thunk writes its findings to. */
#pragma once

#include "declare.h"

enum { SAVED_REGISTERS = 6, VECTORS = 16, INTEGERS = 6, FLOATS = 8 };

/* The place of an argument: number of its register, or of its word on the stack. */
struct route {
    bool in_register;
    unsigned number;
};
/* call_frame.c: how many words are on the stack. */
unsigned routes_find(const struct call_signature *signature,
                     struct route route[DECLARED_MAX], unsigned *floats);

/* Lies in a writable page before the code, which reaches it relative to itself. */
struct thunk_state {
    uint64_t frame;
    uint64_t stack, stack_after; /* pointer */
    uint64_t result, vector_result;
    uint64_t saved[SAVED_REGISTERS]; /* rbx, rbp, r12 to r15, after the call */
    uint64_t flags_after;
    uint32_t mxcsr, mxcsr_after;
    uint64_t in_use, in_use_after; /* XINUSE, if the CPU tells it */
    /* As fnstenv writes it: control and tag words are at bytes 0 and 8. */
    unsigned char x87[28], x87_after[28];
    unsigned char vector[VECTORS][32]; /* after the call, if there is AVX */
    unsigned char wide_result[64];
};
/* Values of registers before a call, in the order of thunk_state.saved. */
extern const uint64_t thunk_patterns[SAVED_REGISTERS];

struct thunk {
    unsigned char *pages;  /* one of state, then two of code */
    size_t bytes, checked; /* checked: where the second form begins in the code */
    size_t jump;           /* begin of the form without a result; 0: there is none */
    bool has_avx, has_in_use, vector_result;
    bool wide;             /* has vectors of 32 bytes or more: uses upper halves itself */
    uint32_t result_bytes; /* of a vector; 0: none is returned */
};
/* The plain form has one THUNK_CODE, or half of it if there is one that jumps, which is
 * short; the checked form has the other one. 24 arguments of at most 63 bytes each, and
 * 14 for each 8 of RENEWED_MAX, fit. */
enum { THUNK_PAGE = 4096, THUNK_CODE = 4096 };
static inline struct thunk_state *thunk_state(const struct thunk *thunk)
{
    return (struct thunk_state *)(void *)thunk->pages;
}
