/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by what proves events: proof.c (verdicts), proof_loops.c (loops of known answer)
 * and contradictions.c. The tables are proofs.def. */
#pragma once

#include "perfctr_private.h"

enum event_kind {
    KIND_none,
#define PROOF(kind, ...) KIND_##kind,
#include "proofs.def"
};

enum proof_loop {
#define LOOP(loop, ...) LOOP_##loop,
#include "proofs.def"
    PROOF_LOOPS
};

/* The kind of a raw config on that microarchitecture (uarch.c). */
unsigned uarch_kind(const struct uarch *uarch, uint64_t config);
/* The number of counters that it takes there. */
unsigned uarch_takes(const struct uarch *uarch, uint64_t config);

/* Runs one loop. Returns how many turns it ran, which is what follows from them that
 * counts, or 0 if this CPU has not the instructions for it, or there is no memory. */
typedef uint64_t proof_loop_fn(enum proof_loop loop, uint64_t turns, void *context);
proof_loop_fn proof_loop_run; /* context: struct proof_memory, all zeros at first */
struct proof_memory {
    unsigned char *lines,
        *pages;     /* writable memory; many pages of one and the same memory */
    size_t written; /* bytes of `lines` that were touched */
    uint64_t random;
};
void proof_memory_free(struct proof_memory *memory);

/* The kernel and the loops, or what a test puts in their place. */
struct proof_machine {
    const struct perf_system *system;
    proof_loop_fn *run;
    void *context;
};
struct slots slots_find(const struct proof_machine *machine);
void event_prove_on(const struct proof_machine *machine, const struct event *event,
                    struct proof *proof);
