/* SPDX-License-Identifier: Apache-2.0 */
/* Inside room inspect, where there are x86-64 and Zydis: a decoded instruction, and what
 * executed where. */
#pragma once

#include "inspect.h"

/* ---- decode.c: an instruction as far as a census needs it ---- */

/* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, ... */
enum { GPR_COUNT = 16, GPR_RSP = 4, GPR_RBP = 5, NO_GPR = -1 };
/* Bits of a register mask, for dependencies. */
enum {
    REGISTER_VECTOR = GPR_COUNT, /* 32 of them */
    REGISTER_FLAGS = REGISTER_VECTOR + 32,
    REGISTER_MASK, /* 8 */
    REGISTER_X87 =
        REGISTER_MASK + 8, /* 7 from the top of stack on; the last is left out */
    REGISTER_COUNT = REGISTER_X87 + 7
};

enum flow {
    FLOW_NEXT,
    FLOW_CONDITIONAL,
    FLOW_JUMP,
    FLOW_CALL,
    FLOW_RETURN,
    FLOW_INDIRECT, /* a jump or a call to what a register or memory says */
    FLOW_SYSTEM    /* into the kernel */
};

enum encoding { ENCODING_NONE, ENCODING_SSE, ENCODING_VEX, ENCODING_EVEX };

struct access {
    int8_t base, index;     /* general registers, or NO_GPR */
    uint8_t scale, segment; /* 0, 'f', 'g' */
    bool read, write;
    bool masked;    /* a write that may leave out elements */
    bool gather;    /* addresses are in a vector register */
    bool hidden;    /* of push, pop, call, ret */
    bool elsewhere; /* it was seen to be not on the stack */
    bool string;    /* with REP: `bytes` for each element */
    int64_t offset; /* of a place relative to the instruction: the place itself */
    uint32_t bytes;
};

/* Its effect on its general register, as far as it can be computed. */
enum effect {
    EFFECT_NONE,    /* no general register is written */
    EFFECT_UNKNOWN, /* those of `gpr_written` are no longer known */
    EFFECT_SET,     /* to = b */
    EFFECT_ADD,     /* to = a + b, and so on */
    EFFECT_SUB,
    EFFECT_AND,
    EFFECT_OR,
    EFFECT_XOR,
    EFFECT_SHL,
    EFFECT_SHR,
    EFFECT_SAR,
    EFFECT_MUL,
    EFFECT_SIGN, /* to = the 32 bits of b with their sign */
    EFFECT_LEA   /* to = the address of `access[0]` */
};

enum { ACCESSES_MAX = 2 };

struct code {
    uint64_t address, target; /* of a direct jump or call */
    uint8_t length;
    enum flow flow;
    bool is_call, repeats, locks; /* repeats: with REP; locks: with LOCK */
    enum encoding encoding;       /* of one that touches vector registers */
    bool vector, scalar_float, copy, divide, float_arithmetic, fma, multiply;
    bool floats; /* computes, compares or converts floats in vector registers */
    bool needed; /* these, and the same with integers: no shuffle, no copy, no logic */
    uint8_t gathered, scattered; /* elements that it loads from, stores to such places */
    bool divide_f64;             /* one of doubles */
    bool crossing;         /* moves an element between a vector and a general register */
    bool shuffle, permute; /* permute: of two sources by indices; a shuffle too */
    bool computes;         /* takes a vector unit; scalar floats too */
    bool alu, lone;        /* takes an integer unit; vectors have none of the kind */
    bool apart;            /* on registers of MMX, or tiles */
    bool cpuid;
    uint16_t unit_bits; /* of its widest vector register */
    uint8_t lane_bits;  /* of an element of its arithmetic, in registers alone; 0: others
                           may be of use, or it makes vectors of several */
    bool dirties, cleans; /* upper halves of the vector registers */
    uint16_t bits; /* of its widest register, or of its scalar float; 0: no evidence, as
                      scalar code copies and masks whole registers too */
    uint8_t n_accesses;
    struct access access[ACCESSES_MAX];
    enum effect effect;
    int8_t to, a, b; /* general registers; NO_GPR: the immediate */
    bool effect_32;  /* of 32 bits; the upper ones become 0 */
    int64_t immediate;
    int stack;            /* is added to rsp as well: push, pop, call, ret */
    uint32_t gpr_written; /* mask */
    uint32_t
        gpr_kept; /* of these: 8 or 16 bits, so that the rest of the old value stays */
    uint64_t reads, address_reads, writes; /* masks of registers */
    int8_t pushes;                         /* onto the stack of x87; negative: pops */
    uint8_t latency;                       /* cycles, if its cost is not known */
    const struct code_cost *cost;          /* NULL: not known */
    bool loads;                            /* its result comes from memory, too */
};

enum { CODE_BYTES_MAX = 15 };
/* -EINVAL for bytes that are no instruction. */
int code_decode(const unsigned char *bytes, size_t n, uint64_t address,
                struct code *code);
/* Its text in a buffer. */
void code_text(const unsigned char *bytes, size_t n, uint64_t address, char *text,
               size_t size);
/* kinds.c: what an instruction is by its name; its encoding, accesses and registers are
 * known. `widest`: bits of its widest vector register, or 0. */
void code_take_kind(const char *name, bool x87, unsigned widest, struct code *code);
/* latency.c: cycles from operands to result, where no cost is known. */
unsigned latency_of(const struct code *code);

/* ---- take_costs.c: what instructions cost on this core ---- */

enum { COST_LINKS = 24 };
struct code_cost {
    char form[INSPECT_FORM];
    double throughput, latency, steps;
    unsigned units;
    size_t n_links;
    uint64_t kept; /* registers whose old values it waits for without need */
    struct {
        uint64_t from, to; /* masks of registers */
        float cycles, full;
    } link[COST_LINKS];
};
/* dearest.c: of each loop of the census; false: no memory. */
bool dearest_take(struct inspect_census *census);
struct nodes;
struct child;
/* Asks for the costs of the code that takes a part of the time, each once. The list is
 * the caller's to free, after the nodes; NULL: no costs are known. */
struct code_cost *costs_take(struct nodes *nodes, const struct inspect_options *options,
                             const struct child *child);
/* Sets the registers of the links of a cost. */
void code_cost_registers(const unsigned char *bytes, size_t n,
                         const struct inspect_cost *from, struct code_cost *to);

/* It waits where vector instructions wait for operands; or it takes a vector
 * register for its result. Copies are renamed, and zeros need none. */
static inline bool code_waits(const struct code *code)
{
    return code->computes && !code->copy;
}

static inline bool code_has_result(const struct code *code)
{
    return code->writes >> REGISTER_VECTOR & UINT32_MAX && !code->copy &&
           (code->reads || code->n_accesses);
}

/* ---- window.c: how far the core looks ahead ---- */

enum { INSPECT_WINDOW_MAX = 512 };
struct window {
    struct inspect_window of;
    unsigned n_waiting[2]; /* vector instructions, and those that take integer units */
    uint64_t n_results;
    double start[2][INSPECT_WINDOW_MAX], done[INSPECT_WINDOW_MAX];
    double entered, all_done;
};
/* Time at which the next instruction of the program may start; it must start next, then
 * or later. */
double window_enter(struct window *window, const struct code *code);
void window_start(struct window *window, const struct code *code, double start,
                  double end);

/* ---- chain.c: when results are there, as if nothing else took any time ---- */

enum { PLACES_MAX = 64, CELLS = 1 << 15 };
/* A value in memory, at the place that an operand names. */
struct place {
    struct access access;
    double ready;
};
/* The same of a byte at an address that was seen; `name`: by which it was stored. */
struct cell {
    uint64_t place, name;
    double ready;
    uint32_t by; /* the step that stored it, and 1 more; 0: none */
};
#define NO_CAUSE UINT32_MAX
struct ready {
    double at[REGISTER_COUNT];
    uint32_t by[REGISTER_COUNT]; /* as in struct cell, the step that made its value */
    uint32_t step;               /* instructions that were executed before */
    uint32_t cause; /* the step whose result the last one waited for, or NO_CAUSE */
    bool vain;      /* it is an old value that the last one does not need */
    struct place place[PLACES_MAX];
    unsigned n_places;
    struct window window;
    uint64_t written;            /* registers that the loop writes */
    uint32_t version[GPR_COUNT]; /* how often each was written so far */
    bool full, needed;           /* needed: nothing waits for an old value without need */
    bool apart, placed_early;    /* nothing waits for stores; no load for its place */
    const uint64_t *address;     /* of accesses; 0: unknown. NULL: operands name places */
    bool guarded;       /* the next one loads from where stores go that data send there */
    double placed;      /* time at which the places of all stores so far are known */
    uint32_t placed_by; /* as in struct cell, the step that said the last one */
    struct cell *cell;  /* CELLS of them; NULL: no value comes from memory so */
};
/* Time at which the last of its results is there. An instruction may start later than its
 * operands are there; all its results are late by as much. */
double ready_execute(struct ready *ready, const struct code *code);

/* ---- order.c: instructions in the order in which they were seen ---- */

enum { ORDER_MAX = 1 << 16 };
struct order {
    struct ordered {
        uint32_t node;
        uint64_t address[ACCESSES_MAX]; /* 0: unknown */
    } *item;
    uint32_t n;
};
/* The next instruction; its addresses are set by order_address(). */
void order_add(struct order *order, uint32_t node);
void order_address(struct order *order, unsigned access, uint64_t address);
struct tracer;
/* Sums of each node, over all instructions that wait for nothing unknown. */
struct order_sums {
    double *cycles;  /* in which they are the last to be done */
    double *chained; /* from a result that the next one of the longest chain waits for */
    double *executed;
    double *vain; /* such cycles that it waited for what it does not need, less others */
};
/* Results are passed on through registers, and `memory`: through memory, too. False: out
 * of memory. */
bool order_times(const struct tracer *tracer, const struct inspect_window *window,
                 bool memory, const struct order_sums *sums);

/* ---- nodes.c: an instruction with the calls that led to it ---- */

struct edge {
    uint32_t to;
    uint64_t count;
};

/* Its accesses did this, in those executions of which the address is known. */
struct access_counts {
    uint64_t addressed; /* accesses with an address */
    uint64_t alike; /* executions that nobody looked at, as those before tell theirs */
    uint64_t line_splits, split_stores, taken_apart, forwards, page_splits,
        failed_forwards, masked_forwards, page_changes, aliases, crowded, wild,
        wild_stores, banked;
    uint64_t reloads, constants, spills, stack; /* as in struct inspect_loop */
};

/* Places of an access one after the other. */
#define NO_STEP INT64_MIN
struct trail {
    uint64_t last;      /* 0: none yet */
    int64_t step;       /* from the place before to the last one; NO_STEP: unknown */
    uint64_t low, high; /* of all places */
};

/* The first byte of an access in its line of the cache. */
struct beginning {
    uint8_t first, varies; /* varies: bits that were not always as in the first one */
    bool any;
};

/* Addresses of accesses, the last of them too, and the bytes of the widest one. */
struct span {
    uint64_t lo, hi;
    uint32_t bytes; /* 0: none yet */
};

struct path;
/* The ways of a branch, in turns: how often it goes one and then the other in a row. */
struct rows {
    uint32_t to;             /* the last way */
    uint64_t row, before[2]; /* so often in a row; the last two rows */
    uint64_t n, alike;       /* alike: as long as the row before the last one */
};
struct node {
    struct code code;
    uint64_t context; /* of the `depth` calls that led here */
    uint64_t executed;
    uint64_t repeated; /* elements of a string instruction with REP */
    struct edge *edge;
    uint32_t n_edges, depth;
    struct rows rows;
    struct access_counts counts;
    uint64_t last_page[ACCESSES_MAX]; /* 0: none yet */
    struct trail trail[ACCESSES_MAX];
    struct beginning beginning[ACCESSES_MAX];
    struct span loads, stores; /* all that are known */
    uint64_t loaded_store;     /* number of the store that it loaded last */
    struct path *path;         /* the path that began here; NULL: none */
    uint64_t reached;          /* so often such a path that is blind was there */
    uint32_t mark, position;   /* in the recording of that number */
    uint32_t *seen; /* executions in each window; NULL: the call is followed whole */
};

struct nodes {
    struct node *node;
    uint32_t n, room;
    uint32_t *slot; /* index + 1; a power of two of them */
    uint32_t n_slots;
};
#define NO_NODE UINT32_MAX
uint32_t nodes_find(const struct nodes *nodes, uint64_t context, uint64_t address);
/* A new one; NO_NODE without memory. */
uint32_t nodes_add(struct nodes *nodes, const struct code *code, uint64_t context);
/* Window `number` of so many ends: what was executed since the last one was in it.
 * -ENOMEM */
int nodes_end_window(struct nodes *nodes, unsigned number, unsigned windows);
/* -ENOMEM */
int node_edge(struct nodes *nodes, uint32_t from, uint32_t to, uint64_t count);
void nodes_free(struct nodes *nodes);

/* ---- accesses.c: accesses to memory in their order ---- */

enum { STORES_IN_FLIGHT = 50, FLIGHT_INSTRUCTIONS = 256, SLOTS = 4096 };
struct store {
    uint64_t address, at; /* at: number of the instruction */
    uint32_t bytes;
    bool masked;
};
/* A store to the stack that was the last one in its place. */
struct slot {
    uint64_t address, number; /* number of the store; 0: free */
    uint32_t node;
    bool vector, loaded;
};
enum { PAGES_RECENT = 16 };
/* The first cache: the last lines of a set, the last one first, and `moves` when each was
 * used. */
enum { SETS = 64, WAYS = 12 };
struct set {
    uint64_t line[WAYS], used[WAYS];
};
/* Loads by the bytes of a line that they read; a core mixes about so many. */
enum { BANK_BYTES = 4, BANKS = 16, LOADS_MIXED = 96 };
struct memory {
    unsigned bank[BANKS], n_loads;
    uint64_t page[PAGES_RECENT]; /* the last ones, each once, in no order */
    unsigned n_pages;
    struct set set[SETS];
    uint64_t moves; /* accesses to a line that is not the last one of its set */
    struct store store[STORES_IN_FLIGHT];
    uint64_t n_stores, now; /* all so far; instructions so far */
    uint64_t stack_top;     /* the stack of the call lies below */
    uint64_t rsp;           /* as far as known */
    struct slot slot[SLOTS];
};
/* A place that the compiler made for one value: nothing but its offset chooses it. */
bool access_is_slot(const struct access *access);
/* Accesses that calls and returns make to the stack are not counted. */
bool access_is_counted(const struct code *code, const struct access *access);
/* Notes one access of a node to an address. */
void memory_access(struct memory *memory, struct nodes *nodes, struct node *node,
                   unsigned number, uint64_t address);
/* Other code ran since. */
void memory_forget(struct memory *memory);

/* ---- loops.c: from executed edges ---- */

struct loop {
    uint32_t head;    /* node */
    uint32_t size;    /* nodes, those of inner loops too */
    uint64_t entries; /* executions of edges into it */
    bool inner;       /* no loop inside */
};
struct loops {
    struct loop *loop;
    uint32_t n;
    uint32_t *of; /* of each node: the innermost loop that holds it, or NO_LOOP */
};
#define NO_LOOP UINT32_MAX
/* `whole`: the first node is the beginning. -ENOMEM. */
int loops_find(const struct nodes *nodes, bool whole, struct loops *loops);
void loops_free(struct loops *loops);
/* By usual latencies; by cycles while the scheduler is full; or by the first, of what
 * vectors alone hand on to the next turn, without old values that it does not need; or of
 * all but vectors; or of registers alone; or if loads knew their places early. */
enum chain_kind {
    CHAIN_USUAL,
    CHAIN_FULL,
    CHAIN_VECTORS,
    CHAIN_OTHERS,
    CHAIN_REGISTERS,
    CHAIN_PLACED
};
/* chain.c: cycles a turn of a loop without inner ones by its longest dependency, if the
 * core looks so far ahead; 0: unknown. */
double loop_chain(const struct nodes *nodes, const struct loops *loops, uint32_t loop,
                  const struct inspect_window *window, enum chain_kind kind);
/* General registers, those of the stack apart, whose values a turn of such a loop takes
 * from before; -1: unknown. */
int loop_carried(const struct nodes *nodes, const struct loops *loops, uint32_t loop);

/* ---- places.c: names of addresses ---- */

struct places;
struct places *places_open(pid_t pid); /* NULL: no memory */
void places_close(struct places *places);
/* The name of a module, "jit" if it is none. */
const char *places_module(const struct places *places, uint64_t address);
/* These are the caller's to free. NULL: unknown, or no memory. */
char *places_where(const struct places *places, uint64_t address);
char *places_source(struct places *places, uint64_t address);
/* The name of a function that begins there, as people call it: libc has some by names
 * such as __snprintf and _IO_sprintf, too. NULL: it has none. */
char *places_function(const struct places *places, uint64_t address);
char *places_path(struct places *places, uint64_t address);
char *places_producer(struct places *places, uint64_t address);

/* census_nodes.c: sums over the executions of a node, and means of an iteration. */
void census_add_node(const struct nodes *nodes, const struct node *node,
                     struct inspect_loop *to);
void census_divide(struct inspect_loop *loop);
/* The factor from counts of known addresses to all of them; 0: none is known. */
double node_scale(const struct node *node);
/* The number of times that a branch, or a computed jump, went another way than it goes
 * most often. */
double node_rarely(const struct node *node);
/* The same, but for ways that a core learns by heart. */
double node_guessed(const struct node *node);
/* spans.c: where vectors and floats were stored, as far as is known. */
struct spans {
    struct span *span;
    size_t n;
    bool whole; /* every instruction of a call was seen */
};
bool spans_take(const struct nodes *nodes, bool whole, struct spans *spans);
/* True if a node may load what is stored there. */
bool spans_meet(const struct spans *spans, const struct node *node);
/* called.c: the same of instructions of functions that it calls. */
bool called_count(const struct nodes *nodes, const struct loops *loops, double *of_loop);
/* called_out.c: sets what the census knows of functions of other modules. False: no
 * memory. */
bool called_out(const struct nodes *nodes, const struct places *places,
                struct inspect_census *census);
/* The name of the function that a call leads to, by way of a jump or two of its own, as
 * to one of another module; the caller's to free. NULL: it has none, or calls several. */
char *called_name(const struct nodes *nodes, const struct places *places,
                  const struct node *node);

/* census.c: of what a tracer has seen; steps, time and threads are the caller's. */
int census_make(const struct tracer *tracer, const struct inspect_options *options,
                struct inspect_census *census);
