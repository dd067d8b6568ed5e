/* SPDX-License-Identifier: Apache-2.0 */
/* A trace, in a process that was not timed, found what a case executes. */
#pragma once

#include <stddef.h>

#include "text/fields.h"

/* One call executed this. Numbers that are not known are NaN, texts NULL. */
struct executed {
    char *mode; /* "whole": every instruction of one call; "sampled": windows at random
                   times */
    double instructions; /* of the call; sampled: those that were seen */
    double steps;        /* times that the process was stopped */
    double seconds;      /* time of the trace */
    double windows;      /* 0 if whole */
    double system_calls, threads;
    /* Parts of the instructions; the first four make 1, FMA is a part of these. */
    double share_scalar, share_sse, share_avx, share_avx512, share_fma;
    double share_transitions; /* legacy SSE while upper halves are dirty */
    double widest_bits;       /* of any register; 32 and 64: scalar floats; 0: neither */
    double main_bits; /* the widest that a twentieth of the float arithmetic has; if there
                         is hardly any, of all on vectors */
    bool mixes_sse_avx;
    char *modules;  /* "97% jit, 3% libdnnl.so.2" */
    char *producer; /* compiler and flags */
};
/* Every instruction of one call. */
bool executed_whole(const struct executed *executed);

/* A loop of a call. Counts are of all its iterations, with those of the functions that it
 * calls, without those of loops within it. */
struct code_loop {
    char *where;  /* "my.so tile_run+0x40", "jit" */
    char *source; /* "tile.c:49"; NULL: unknown */
    double share; /* of the call's instructions */
    double iterations, instructions, calls;
    double spills,
        reloads; /* vector stores to the stack, and loads of what they stored */
    double widest_bits;
    double offset, bytes; /* place of its head in a line of 64 bytes, and its size; 0
                             bytes: not known */
    bool spills_exact;    /* false: not all of the two were seen */
};

/* Every instruction of one call that is small enough to be traced whole: what the gate of
 * code compares. */
struct whole_call {
    char *absent;                   /* reason why there is none; then the rest is empty */
    char *shape;                    /* of the call; NULL, as `absent` is: nobody looked */
    double ops;                     /* of the call; 0: unknown */
    double instructions, main_bits; /* as below */
    double share_sse, share_avx, share_avx512;
    struct code_loop *loops; /* the hottest first */
    size_t n_loops;
};

struct code_proof {
    char *absent; /* reason why nothing is known; then the rest is empty */
    char *doubt; /* contradiction to the words of the row: "executes 128-bit vectors, avx2
                    has 256"; NULL: it does not */
    char *unoptimised; /* evidence that nobody optimised it; NULL: none */
    struct executed executed;
    struct whole_call call;
    struct whole_call small; /* another one with less work, in case that another run has
                                no larger one */
};

/* Head's code does this worse than base's. */
struct code_fault {
    char *what;        /* "spills", "reloads", "calls", "width", "isa" */
    double base, head; /* spills, reloads, calls: for an operation (or a call, if its
                          operations are not known); width: bits; isa: 0 no vectors, 1
                          SSE, 2 AVX, 3 AVX-512 */
    char *where;       /* the loop of head; NULL: it has none */
    char *text;        /* a sentence without its case */
};

enum code_verdict { CODE_NOT_JUDGED, CODE_NO_WORSE, CODE_WORSE };
/* The change of the code of a case, by whole calls of both builds. */
struct code_change {
    enum code_verdict verdict;
    char *reason; /* reason why it was not judged, or not all of it; NULL: it was */
    char *shape;
    double base_instructions, head_instructions; /* for an operation, as in a fault */
    struct code_fault *faults;
    size_t n_faults;
};

/* In JSON: members "proof" and "base_proof" of a result; a change of code. */
extern const struct fields proofs_fields, code_change_fields;

void code_proof_free(struct code_proof *proof);
/* Frees what it points to, and empties it. */
void whole_call_clear(struct whole_call *call);

/* "NOT JUDGED", ... */
const char *code_verdict_name(enum code_verdict verdict);
void code_change_free(struct code_change *change);
