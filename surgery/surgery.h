/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room surgery: copies the functions that a kernel executes, within the process that runs
 * the kernel. A copy may lie at another place modulo 64, so that the effect of placement
 * can be told from that of the code, or with some instructions changed. docs/surgery.md
 * says which code can be copied, and why a copy can be trusted.
 *
 * In order: trace one call of the kernel (inspect.h, in a forked child, whose addresses
 * are the same); surgery_open() with the addresses that executed; surgery_copy() or
 * surgery_edit() for each variant; surgery_prove() each; surgery_select() before a batch;
 * surgery_close(). The process has one thread meanwhile, and one open surgery at a time.
 *
 * It needs x86-64 and Zydis. Without them surgery_open() fails with the reason.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "error.h"

typedef void surgery_function(void);

struct surgery_subject {
    surgery_function *run; /* the function through which the kernel is called */
    /* Calls the kernel once, as a batch does, through `run` or through its copy. */
    void (*call)(surgery_function *run, void *context);
    void *context;
    const void *function; /* the one that `run` is made to call; NULL: `run` */
    /* Functions of the C library are not copied, unless the kernel is one of them: they
     * lie at the same place for all code of this process. */
    bool libc_stays;
    /* For surgery_code(): nothing is to be copied, so there may be threads. */
    bool only_code;
    /* Finds also the functions of an object that its code names, whether they executed or
     * not. With only_code alone. */
    bool named;
};

struct surgery;
struct surgery_variant;

/* 0, or -ENOTSUP and why nothing can be opened: in this build, or in a process that has
 * several threads. */
int surgery_available(struct error *error);

/* Finds the functions to which executed addresses belong; the addresses stand in the
 * order of their first execution. The error says which code cannot be copied, and why.
 */
int surgery_open(const struct surgery_subject *subject, const uint64_t *executed,
                 size_t n, struct surgery **out, struct error *error);
/* Restores the old code and frees all variants. NULL is allowed. */
void surgery_close(struct surgery *surgery);

struct surgery_facts {
    unsigned functions; /* copied */
    unsigned tables;    /* jump tables that were copied with them */
    unsigned jumps; /* functions that are reached by pointers: their old entry jumps to
                       the copy while a variant is selected */
    size_t bytes;   /* of copied functions */
    unsigned left;  /* functions that were not copied */
    char why_left[128]; /* the first one and the reason; empty: none */
};
void surgery_facts(const struct surgery *surgery, struct surgery_facts *facts);

/* Copies all functions to places that are `shift` bytes behind the originals, modulo
 * 4096. With a shift of 64 or more, functions of other files than that of `function` lie
 * up to 60 bytes farther. -ERANGE: no such place within 2 GB. */
int surgery_copy(struct surgery *surgery, unsigned shift, struct surgery_variant **out,
                 struct error *error);
void surgery_drop(struct surgery_variant *variant);

/* ---- edits ---- */

/* Each edit removes one cause of slow code, to measure its cost. Results are wrong. */
enum surgery_edit {
    SURGERY_CHAIN,   /* no turn waits for a vector of the one before */
    SURGERY_GATHER,  /* gathers are loads of the same width */
    SURGERY_DIVIDE,  /* divisions and square roots are multiplications, or moves */
    SURGERY_STORE,   /* vectors are not stored, but to the stack */
    SURGERY_SPILL,   /* vectors are not stored to the stack and loaded back */
    SURGERY_FORWARD, /* no load reaches over younger stores that are narrower */
    SURGERY_CALL,    /* functions that do nothing are not called */
    SURGERY_VEX,     /* SSE instructions have VEX encodings */
    SURGERY_CACHED,  /* stores past the caches go through them */
    SURGERY_WHOLE,   /* no load of a vector crosses a line of the cache */
    SURGERY_EDITS
};
const char *surgery_edit_name(enum surgery_edit edit); /* "chain" */

/* An executed instruction. */
struct surgery_seen {
    uint64_t address, executed; /* address first, for by_u64() */
    size_t loop;          /* number of the hot loop that it is in, or SURGERY_COLD */
    bool spills, reloads; /* a vector to, from the stack, as it has no register */
    bool takes_vectors;   /* loads where a vector or float may be stored */
    bool late;            /* a load that often cannot be forwarded from a store */
    bool crosses;         /* a load that often crosses a line of the cache */
    uint8_t beyond;       /* so many bytes behind a multiple of its size; 0: it varies */
};
#define SURGERY_COLD SIZE_MAX

/* Looks for instructions of hot loops that an edit changes, and writes their number.
 * Checks that the edit is safe: a changed vector or float must reach no address, flag,
 * mask of an access or general register, and in a forked child each conditional branch
 * must execute as often as before. -ENOENT: there is no such instruction
 * (SURGERY_NOTHING); -EPERM: it is not safe, and the error says why. */
#define SURGERY_NOTHING "its hot loops have nothing of that kind"
int surgery_plan_edit(struct surgery *surgery, enum surgery_edit edit,
                      const struct surgery_seen *seen, size_t n, size_t *changed,
                      struct error *error);
/* As surgery_copy(), with an edit that was planned. */
int surgery_edit(struct surgery *surgery, enum surgery_edit edit, unsigned shift,
                 struct surgery_variant **out, struct error *error);

/* ---- trials ---- */

/* Runs one call of a variant in a forked child whose old code traps. 0: nothing but the
 * jumps at entries ran at the old place. -EFAULT: some other code did; -ELOOP,
 * -ECHILD: the call did not end within the time (0: 10 s), or died. */
int surgery_prove(struct surgery_variant *variant, int64_t timeout_ns,
                  struct error *error);

/* Writes the jumps at old entries; the kernel is to be called through `run` then. Another
 * selected variant is left. */
int surgery_select(struct surgery_variant *variant, surgery_function **run,
                   struct error *error);
/* Restores the old code. */
int surgery_restore(struct surgery *surgery, struct error *error);

/* The place of the original of a copied instruction, or 0 for any other address. */
uint64_t surgery_origin(const struct surgery_variant *variant, uint64_t address);
/* ---- whether two builds have the same code ---- */

/* Writes the code that was found, from `run` on, as a text to be freed: a line for each
 * instruction, and behind a tab its place. The rest of a line does not depend on places:
 * there is no padding; targets are numbers of functions and of places in them; slots of
 * the linker have names; constants have values; variables have numbers in the order in
 * which they appear, and behind " =" a hash of their present bytes ("?": not known).
 * `times`: executions of each executed instruction in a call, or NULL if they are not
 * known. */
int surgery_code(const struct surgery *surgery, const uint64_t *times, char **text,
                 struct error *error);
/* Writes a hash of all present data of the files of its functions, as pointers may lead
 * to any of them. False: not known. */
bool surgery_data(const struct surgery *surgery, uint64_t *hash);
/* After opening with only_code: true if all code that `run` can reach was found, whether
 * it executed or not, except functions of other objects that it calls by name. */
bool surgery_is_closed(const struct surgery *surgery);

struct surgery_difference {
    bool same;
    bool same_data;      /* and so are the values of its variables */
    bool nearly;         /* at most a fourth differs */
    size_t instructions; /* instructions that are not in both */
    char where[96];      /* the first of them, in the second text if it has it */
};
/* Pure. -EINVAL: these are no texts of surgery_code(); -ENOMEM. */
int surgery_compare(const char *a, const char *b, struct surgery_difference *difference);
/* Makes a hash of such a text, without places. `whole`: the text has all code that
 * executes. False: some data are not known; or the text is not whole, and leads to a
 * function that is neither in it nor in the C library. Pure. */
enum { SURGERY_PRINT = 17 };
bool surgery_print(const char *text, bool whole, char print[SURGERY_PRINT]);

/* ---- places ---- */

/* True if an instruction is copied, or stays with its file. */
bool surgery_has(const struct surgery *surgery, uint64_t address);
/* "mix_avx2+0x40", "libm.so.6+0x1230", "jit+0x20" */
void surgery_where(const struct surgery *surgery, uint64_t address, char *text,
                   size_t size);
