/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room inspect: which instructions a call executes. A process steps its own child, a
 * worker, through one call (ptrace) and takes a census of what it saw. No privilege is
 * needed, no source, no symbols: code is read from the child's memory, so that generated
 * and stripped code counts too. Whoever is traced must not be timed.
 *
 * Between two markers, inspect_call() runs the function in the child. Code that is known
 * already runs at full speed up to the next breakpoint on its way out, so that a step
 * covers a path, or all turns of a loop: counts are exact all the same. A call that
 * takes too many steps is sampled in windows at random times.
 *
 * It needs x86-64 and Zydis. Without them everything is here, and inspect_attach() fails
 * with the reason. With libdw, symbols and source lines have names.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "error.h"

/* ---- what was seen ---- */

/* A loop: where a call went back to. Numbers are means of one iteration, exact if the
 * census is whole; inner loops, which are listed as well, are left out of them, functions
 * that the loop calls are not. */
struct inspect_loop {
    uint64_t address;  /* of its head, in the traced process */
    char *where;       /* "simdbench gemm_fma_avx2+0x80", "libdnnl.so.2+0x12f0", "jit" */
    char *source;      /* "plants.c:49"; NULL without debug information */
    char *path;        /* the same with all folders: "/src/plants.c:49" */
    double share;      /* of executed instructions */
    double iterations; /* all of them */
    double error;      /* of these: how well the windows know them, as a part (standard
                          error of their mean); 0 if the census is whole */
    double trips;      /* for each time it was entered; 0: no entry was seen */
    double instructions;
    double vector; /* several elements at once; also loads, stores and copies of them */
    double scalar_float;
    double integer; /* all the others: addresses, branches, calls, ... */
    double alu;     /* of these: what an integer unit computes; no moves, no branches */
    double lone;    /* of these: of kinds that vectors lack */
    double work;    /* and of these: with what the loop loaded from places that change */
    double loads, stores, bytes_loaded, bytes_stored; /* instructions; call, ret: none */
    /* Vector loads from the stack of what was stored there since this instruction loaded
     * it last; vector stores to the stack that are loaded so. */
    double vector_reloads, vector_spills;
    /* Vector loads from the stack of what this instruction loaded before, or of what the
     * call never stored. */
    double stack_reloads_of_constants;
    double scalar_stack; /* loads and stores of the stack that are no vectors; without
                            push, pop, call and ret */
    double calls;
    double called;   /* instructions of the functions that it calls */
    double branches; /* conditional */
    double checks; /* of these: of what was just loaded, that nearly always go one way */
    double guards; /* of anything else, that do so: the end of the loop, or of an array */
    double indirect; /* jumps and calls to where a register or memory says, if that is not
                        where each goes most often */
    double undecided; /* these, and branches that go the way that each goes more rarely */
    double taken;     /* jumps, calls and returns, and branches that do jump */
    double copies;    /* a vector register to another one */
    /* An element from a vector to a general register, or back, or to memory; also a part
     * of a vector that was stored just before, loaded alone. The latter again. */
    double crossings, taken_apart;
    double divides;               /* and square roots, of any kind */
    double integer_divides;       /* are a part of them */
    double divides_f64;           /* and these */
    double float_arithmetic, fma; /* float: with those of fma, divides, min and max */
    double multiplies;            /* of floats, with those of fma */
    double floats; /* instructions that compute, compare or convert floats, but x87 */
    double needed; /* the same of floats or of integers in vectors */
    /* Instructions that vector units compute, scalar floats too: all but moves, gathers,
     * extractions. Of these, shuffles of any kind, and permutes of two sources by
     * indices. */
    double computed, shuffles, permutes;
    double computed_bits, needed_bits, shuffle_bits; /* sums of their registers' widths */
    double steps, steps_bits;   /* of `computed`, of which a core splits some */
    double gathered, scattered; /* elements from, to places that a vector holds */
    /* These are parts of loads and stores: */
    double line_splits, page_splits; /* reach over the end of a 64-byte line, a page */
    double split_stores;             /* the stores among line_splits */
    double fixed;                    /* loads of the same place, each time */
    double banked; /* loads of the same bytes of lines, modulo 64, beyond two in three */
    double forwards; /* loads of bytes of a store in flight; slots of the stack frame
                        apart */
    double failed_forwards; /* of these and others, loads over bytes of a store in flight
                               that has not all of them */
    double masked_forwards; /* loads of what was stored under a mask */
    double page_changes;    /* on a page where no access was lately */
    double crowded; /* on a line that pushes another out of its set of a first cache of
                       today, which was used lately */
    double wild_stores; /* neither near to the last place of this store, nor as far on as
                           that was from the one before */
    double aliases_4k;  /* loads 4096 bytes or a multiple apart from a store in flight */
    double legacy_sse, vex, evex; /* of each encoding, on vector registers */
    double sse_changes; /* of legacy_sse, those that follow one of another encoding */
    double chain; /* cycles of its longest dependency from turn to turn, if all else were
                     free; 0: unknown */
    double vector_chain; /* the same if vectors alone hand it to the next turn */
    double other_chain;  /* the same if vectors hand nothing to it */
    double kept_chain;   /* the same through registers alone, not through memory */
    double placed_chain; /* the same if loads waited for no register of their address */
    double chain_full;   /* the same while the scheduler is full */
    /* Cycles of an iteration for the form that costs most, by its throughput, and of one
     * of them; 0: unknown. Divisions and gathers are left out. */
    double dearest, dearest_each;
    char *dearest_form; /* NULL: unknown */
    /* Such cycles of the dearest form of `needed`, and of `shuffles`, of vectors that
     * only one unit takes. A vector has no use for a scalar comparison or conversion. */
    double needed_form, shuffle_form;
    double products;  /* such cycles of its products of integers */
    double busy;      /* such cycles of all that is `needed`, one after the other */
    double divided;   /* such cycles of its divisions and roots, but of integers */
    double collected; /* such cycles of its gathers */
    /* The same if a core looks no farther ahead than inspect_options.window; 0:
     * unknown. */
    double window_chain;
    /* Cycles of an iteration if results wait for each other through registers and memory,
     * as was seen of the addresses, and the core looks no farther than any does; and
     * through registers alone. 0: unknown. */
    double memory_chain, register_chain;
    /* The part of that chain whose instructions are known, and the part of this that
     * loads take; cycles of an iteration. */
    double chain_seen, chain_loaded;
    /* General registers that an iteration reads before it writes them, the stack's two
     * apart: none where every variable lives in memory. -1: unknown. */
    int carried;
    bool apart; /* some of its instructions work on registers of MMX, or tiles */
    /* The widest element that comes into a vector register alone, and 64 less what an
     * element of its vectors has at least: more would be several in one. */
    unsigned single_bits, packed_bits;
    unsigned work_bits; /* the widest of what computes numbers, no copy and no shuffle */
    unsigned widest_bits; /* 0: no floats, no vectors; 32 or 64: scalar; 128, 256, 512 */
    /* All addresses behind the numbers above were seen or follow from what was seen, or
     * those that were looked at are equally far from each other, or near; false: some
     * were taken to be like the others of the same instruction. */
    bool pages_known;
    bool places_follow; /* the same, or from registers in turns of which nobody counts the
                           places */
    /* The same of the stack's places that vectors spill to alone. */
    bool spills_exact;
    bool innermost;
    size_t line, n_lines; /* its instructions among those of the census: from `line` on */
};

/* An instruction that was executed. Loops are listed one after the other, in the order of
 * inspect_census.loop, each with its own instructions in the order of their addresses;
 * then comes what is in no loop. */
struct inspect_line {
    uint64_t address;
    uint64_t executed;
    uint64_t first; /* its rank by first execution */
    /* Counts over its executions whose addresses are known, as of a loop. */
    uint64_t reloads, spills;
    /* As of a loop, in all its executions; failed: also behind a masked store. */
    double failed_forwards, undecided;
    /* Cycles of an iteration from its result to the next one in the longest chain:
     * through registers, and through memory, too. */
    double chained[2];
    uint8_t length; /* in bytes */
    /* A tenth of its loads or more cross a line of the cache; they begin so many bytes
     * behind a multiple of their size, each time. 0: not always as many. */
    bool crosses;
    uint8_t beyond;
    bool waits_in_vain;    /* for the old value of a register that it overwrites */
    bool takes_vectors;    /* loads where a vector or float may be stored */
    bool needed, shuffles; /* as of a loop, of vectors alone */
    char *text;            /* Intel syntax; NULL unless asked for */
    char *source; /* "plants.c:49"; NULL without debug information, unless asked for */
    char *callee; /* the function that it calls in nearly all cases. NULL: unknown */
    size_t loop;  /* index; INSPECT_NO_LOOP */
    char *form;   /* NULL unless its cost is known */
    double throughput, latency; /* cycles, the longest latency; NaN: none, or not known */
    unsigned units;             /* as of an inspect_cost, */
    double steps;               /* and so are these */
};
#define INSPECT_NO_LOOP SIZE_MAX

#define INSPECT_LATE 0.02
/* It fails to be forwarded in at least such a part of its executions. */
static inline bool inspect_is_late(const struct inspect_line *line)
{
    return line->failed_forwards > 0 &&
           line->failed_forwards >= INSPECT_LATE * (double)line->executed;
}

/* A call, from the first instruction of its function to its return. */
struct inspect_census {
    bool whole; /* every instruction of one call; else sampled windows of some calls */
    uint64_t instructions; /* of the call, or seen in the windows. One with REP counts
                              once */
    /* Those of the call: exact if whole, else by the turns of one of its loops, if these
     * were counted; or 0. */
    double call_instructions;
    uint64_t steps; /* times that the process was stopped */
    double seconds;
    uint64_t system_calls;
    uint64_t cpuids; /* of the instructions seen: CPUID, which leaves a virtual machine */
    double bytes_filled; /* stored by those with REP */
    unsigned threads;    /* of the process; the one that was called was traced */
    unsigned windows;    /* 0 if whole */
    /* Parts of all executed instructions. These four make 1: those that touch no vector
     * register, then by encoding: legacy SSE, VEX, EVEX. FMA is a part of these. */
    double share_scalar, share_sse, share_avx, share_avx512, share_fma;
    /* Those of several elements at once, and those of single floats. */
    double share_vector, share_scalar_float;
    unsigned widest_bits; /* as of a loop, of all that was executed */
    /* The widest that a twentieth of the float arithmetic has; if there is hardly any, of
     * all instructions on vectors. */
    unsigned main_bits;
    bool mixes_sse_avx; /* legacy SSE on vectors after AVX left upper halves dirty */
    double share_transitions; /* of such instructions */
    double share_undecided;   /* branches that go their rarer way, as of a loop */
    /* SSE instructions behind AVX ones, as of a loop; no more than share_transitions. */
    double share_changes;
    /* Instructions of functions of other modules that are called often, those on vectors
     * apart: a part of all; of one such call; their branches that go their rarer way, a
     * part of all instructions; and the name of the one that is called most often. 0,
     * NULL: none. */
    double share_out, length_out, undecided_out;
    /* Such functions that store next to nothing: they have this share of all
     * instructions, those on vectors too, and load these bytes in a call; 0: unknown. */
    double share_reading, bytes_reading;
    /* Cycles of a call that is made again and again, by what waits for each other as far
     * ahead as this core looks: through registers alone, and through memory, too; 0:
     * unknown. */
    double calls_chain, calls_order;
    char *name_out;
    char *modules;  /* "100% simdbench", "97% jit, 3% libdnnl.so.2"; never NULL */
    char *producer; /* compiler and flags of the hottest loop, NULL without debug
                       information */
    struct inspect_loop *loop; /* the largest share first */
    size_t n_loops;
    /* The numbers of a whole call without loops: it is one iteration of itself. */
    struct inspect_loop straight;
    struct inspect_line *line;
    size_t n_lines;
};

#define INSPECT_MAIN_SHARE 0.05

/* True if what it executes was compiled without optimisation, by its debug information or
 * by its hot loops: they keep no value in a register, and access the stack all the time.
 * Into `why` a text without its subject. */
bool inspect_unoptimised(const struct inspect_census *census, char *why, size_t size);
/* 1 or 0 by the words of `producer`, or -1: not every compiler tells. */
int inspect_built_unoptimised(const char *producer);
/* At least this share of the instructions of such a loop accesses the stack. */
#define INSPECT_STACK_SHARE 0.1

/* The instructions that a core looks ahead; 0: any number. */
struct inspect_window {
    unsigned waiting;  /* vector instructions that may wait for operands */
    unsigned integers; /* the same of those that take integer units */
    unsigned results;  /* of vector instructions, while one before them is not done */
    double per_cycle;  /* instructions that enter */
    /* Cycles from a value that is stored to the one that is loaded, in general registers
     * and in vectors; 0: unknown. `pass_named`: where both name the same register, which
     * did not change, and the same offset; `pass_global`: where they name none. */
    double pass, pass_named, pass_global, pass_vector;
    /* Cycles from the place of a store to the value of a load behind it that now and then
     * finds what was just stored; 0: unknown, or it waits for no places. */
    double guard;
    /* Cycles of an instruction with REP that stores few bytes, or copies them; of an
     * element that one searches; and of LOOP. */
    double string, string_copies, scan, counted;
};
/* From the cycles of a turn of three loops: INSPECT_CHAIN FMAs, of which each waits for
 * the one before and the first for none; INSPECT_AHEAD of them, with INSPECT_BEHIND
 * vector instructions that wait for nothing behind them, `computed` of which start in a
 * cycle; and INSPECT_CHAIN additions of integers. NaN leaves a number 0, and so do turns
 * that last as long as their vector units work: these tell nothing of the room. */
struct inspect_window inspect_window(double per_cycle, double computed,
                                     double chain_cycles, double behind_cycles,
                                     double integer_cycles);
/* A number of `pass` from what was measured: at least the cycle of a store. */
double inspect_pass(double cycles);
/* A number of `guard`, without the addition: a load that waits takes as long as any. */
double inspect_guard(double cycles);
enum { INSPECT_CHAIN = 64, INSPECT_AHEAD = 16, INSPECT_BEHIND = 144 };
/* Instructions under way at once: more than in any core that we know. */
enum { INSPECT_SIGHT = 1024 };

/* ---- what instructions cost ---- */

enum { INSPECT_FORM = 96, INSPECT_LINKS = 24, INSPECT_CODE = 15 };
struct inspect_code {
    unsigned char bytes[INSPECT_CODE];
    size_t n;
};
/* Cycles from operand to operand, counted from 0 as Zydis lists them, without the mask
 * k0; `address`: from the registers of its address; `full`: while many instructions
 * wait. */
struct inspect_cost_link {
    uint8_t from, to;
    bool address;
    float cycles, full;
};
enum { INSPECT_PRODUCTS = 1 };
struct inspect_cost {
    bool known;
    char form[INSPECT_FORM]; /* "vpcompressb m512{k}, zmm" */
    double throughput;       /* cycles of one among many that do not wait */
    unsigned units; /* units that it shares with others of this bit, the first that
                       of products of integers */
    double steps; /* bitwise operations of vectors whose places it takes; 0: not known */
    struct inspect_cost_link link[INSPECT_LINKS];
    size_t n_links;
};
/* Fills the costs of `n` instructions on the CPU of this process. */
typedef void inspect_costs_of(void *context, const struct inspect_code *code, size_t n,
                              struct inspect_cost *costs);

/* Frees what it points to. */
void inspect_census_free(struct inspect_census *census);

/* ---- tracing ---- */

struct inspect_options {
    uint64_t
        max_steps;    /* of a whole trace; a call that needs more is sampled; 0: 30000 */
    unsigned windows; /* at random times in a call that is sampled; 0: 20 */
    unsigned window_steps; /* instructions of each; 0: 600 */
    bool whole_only;       /* a call that needs more steps fails with -E2BIG instead */
    bool step_all;         /* a step for each instruction; for tests */
    bool text;             /* text and source of each instruction */
    bool count_turns;      /* of loops of a call that is sampled, which takes seconds */
    struct inspect_window window; /* 0: any */
    inspect_costs_of *costs;      /* of instructions in hot loops; NULL: unknown */
    void *costs_context;
    uint64_t seed;      /* of the random times */
    int64_t timeout_ns; /* of all; -ETIMEDOUT beyond it; 0: 60 s */
    /* Asked while the child runs: true ends the trace with -EINTR. May be NULL. */
    bool (*stop)(void *context);
    void *stop_context;
};

/* 0 if a child of this process can be traced: one is started and its instructions are
 * counted. Else -ENOTSUP, -EPERM, ..., and why. `steps_per_s` may be NULL. */
int inspect_available(double *steps_per_s, struct error *error);

struct inspect_calls {
    void (*function)(const void *a, void *b);
    const void *a;
    void *b;
    /* Runs before each call, untraced; may be NULL. */
    void (*before)(const void *of);
    const void *of;
};
/* In the child: calls function(a, b), with a marker before and after it that stops the
 * process for its tracer, until the tracer has seen enough of it, at most `calls` times.
 * A process without a tracer dies of it: -EPERM unless there is one. -ENOTSUP: no markers
 * on this CPU. */
int inspect_call(const struct inspect_calls *of, uint64_t calls);
/* The largest number of calls that a tracer may want of inspect_call(). */
enum { INSPECT_CALLS = 100000 };

/* Follows the call that `body` marks by inspect_call() in a forked child, which has the
 * addresses of this process and ends with the trace. */
int inspect_fork(void (*body)(const void *context), const void *context,
                 const struct inspect_options *options, struct inspect_census *census,
                 struct error *error);
/* A number of /proc/PID/status, as "TracerPid", the process that traces it; 0: none. */
pid_t inspect_told(pid_t process, const char *name);

/* In the parent: becomes the tracer of a child, before the child is asked to come to
 * inspect_call(). 0, or -errno and why this cannot be; -EBUSY: the child has a tracer. */
int inspect_attach(pid_t child, struct error *error);
/* Waits for the child's inspect_call(), traces what it calls, and leaves the child when
 * inspect_call() returns. -ECHILD: the child died (it is still there to be reaped);
 * -ETIMEDOUT, -EINTR: the child is stopped somewhere, and good for nothing but to be
 * killed. */
int inspect_follow(pid_t child, const struct inspect_options *options,
                   struct inspect_census *census, struct error *error);
