/* SPDX-License-Identifier: Apache-2.0 */
/* What a case executes: found by a trace, in a process that was not timed. */
#pragma once

#include <stdbool.h>

struct code_proof {
    char *absent; /* why nothing is known; then the rest is empty */
    char *doubt;  /* how it contradicts what the row says: "executes 128-bit vectors, avx2
                     has 256"; NULL: it does not */
    bool whole;   /* every instruction of one call; else windows at random times */
    /* Whole: of the call; else those that were seen. Times that the process stopped. */
    double instructions, steps;
    double seconds; /* that the trace took */
    double system_calls, threads;
    /* Parts of the instructions; the first four make 1, FMA is a part of these. */
    double share_scalar, share_sse, share_avx, share_avx512, share_fma;
    double widest_bits; /* of any register; 32 and 64: scalar floats; 0: neither */
    double main_bits; /* the widest that a twentieth of the float arithmetic has; if there
                         is hardly any, of all on vectors */
    double share_transitions; /* legacy SSE while upper halves are dirty */
    char *modules;            /* "97% jit, 3% libdnnl.so.2" */
};

/* NULL: no memory. */
struct code_proof *code_proof_new(void);
void code_proof_free(struct code_proof *proof);
