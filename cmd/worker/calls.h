/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests and replies of the worker protocol as structs (docs/protocol.md says what
 * each means). A parent writes a request with VERB_call() and reads the reply with
 * VERB_reply_read(); a worker does the other two. Fields that are not in a message have
 * the defaults of calls.c; texts belong to the message.
 */
#pragma once

#include <cjson/cJSON.h>

#include "kernels.h"
#include "perfctr.h"

/* Errors are those of so many outputs at most, unless a request says otherwise. */
enum { ACCURACY_OUTPUTS = 1 << 16 };

/* The places of right answers in the memory file. */
struct answer_places {
    uint64_t n, index, value, slack; /* offsets; index UINT64_MAX: all outputs in order */
};

struct shape_call {
    const char *op, *type, *text, *layout; /* layout NULL: the shape's own */
};
struct shape_reply {
    const char *text, *layout;
    double ops, bytes;
    struct simdbench_shape dims;
    struct operands_map operands;
};

struct map_call {
    uint64_t bytes, block;
    struct simdbench_shape dims;
    struct operands_map operands;
    int threads;
    double most_ulp; /* 0: any error */
    uint64_t sets;   /* of operands; 0: one */
    bool huge, private;
};
struct map_reply {
    double huge_bytes, arena_bytes; /* -1 and 0: not told */
};

/* Both of `fill` and of `change`. */
struct inputs_call {
    const char *op;
    uint64_t seed;
    const char *input, *values; /* NULL: the op's default; as filled */
};
struct fill_reply {
    const char *hash;
};

struct reference_call {
    const char *op, *semiring;
    uint64_t seed;
    bool full;
    double ops;
    struct answer_places places;
};

struct prepare_call {
    uint64_t kernel;
    int threads;       /* 0: as many as `map` said */
    const char *shape; /* of the kernel's own op, where it runs on operands of another */
};
struct prepare_reply {
    uint64_t number;               /* of the case */
    int threads;                   /* 0: the library decides */
    double prepare_ns, ops, bytes; /* ops and bytes NaN: as `shape` said */
    uint64_t workspace_bytes;
    const char *implementation, *isa, *note, *roof;
};

struct check_call {
    uint64_t number;
    struct answer_places places;
    bool again;
    uint64_t seed;
    uint64_t accuracy_n; /* outputs whose errors are wanted, at most */
    uint64_t copy;       /* as in a batch */
    bool first;          /* output alone is compared: `verify` is for the others */
};
/* The reply of `accuracy` has the errors alone. */
struct check_reply {
    int threads_alive;
    const char *note;
    double max_ulp, mean_ulp, worst_input; /* NaN: not known */
    bool answered; /* the right answers are what this kernel computed */
    bool unseen;   /* it has no results that could be right */
    bool varies;   /* the right answers are others in each call */
};

struct accuracy_call {
    const char *op;
    struct answer_places places;
    uint64_t accuracy_n;
};

/* Outputs behind the first one, which a call left in the memory file. */
struct verify_call {
    const char *op, *semiring;
    struct answer_places places;
};

struct batch_call {
    uint64_t number, iterations;
    uint64_t pass, regions; /* regions 0: one */
    bool cold, flush_denormals, fresh_output, probe, core_share;
    bool apart;    /* each call is timed alone */
    bool reset;    /* so it is, and INOUT operands are written again before it */
    uint64_t copy; /* number in `copies`, from 1 on; 0: the code as it was built */
};
/* A number that is NaN was not told. */
struct batch_reply {
    double ns, cpu_ns, process_ns;
    double minor_faults, major_faults, voluntary_switches, involuntary_switches;
    bool migrated;
    double threads_busy, waited_ns, core_split, core_share;
    uint64_t regions; /* 0: not told */
    int subnormal;    /* -1: not told */
    double ghz;
    const char *note;
};
/* An entry of `counts` in the reply of `batch`: a value, or the reason for none. */
struct batch_count {
    double value, running_share, threads;
    const char *scope;
    bool user_read;
    const char *absent, *fix, *errno_name;
    double code;
    bool impossible;
};

struct overhead_call {
    bool cold;
    uint64_t number; /* of a case: through what its kernel is called; UINT64_MAX: none */
};
struct overhead_reply {
    double ns;
};
/* An entry of `counts` in the reply of `overhead`. */
struct overhead_count {
    double call, region; /* NaN: not counted */
};

struct team_call {
    int threads;
};
struct team_reply {
    double spawn_ns, sync_ns;
};

struct step_call {
    uint64_t number, calls; /* calls 0: one that is not traced */
    struct answer_places places;
};

/* Calls of a case, each on operands of its own ("turns"). */
struct turns_call {
    uint64_t number;
    uint64_t turns;  /* calls, in the order of the list */
    uint64_t list;   /* offset: for each turn the offset of each operand, then as many
                        words that become the elements of it that are valid */
    uint64_t repeat; /* turns of the whole list, at least 1 */
};
/* "inputs": fills the inputs of all operands of such a list. */
struct lists_call {
    const char *op, *input;
    uint64_t turns, list, seed;
};
struct turns_reply {
    double ns, cpu_ns; /* of all calls: time, and CPU time of this thread */
};
struct lists_reply {
    bool joint; /* the inputs of an op go together */
};

struct copies_call {
    /* n copies: the i-th lies shift + 64 i / n bytes behind. 0: the code alone. */
    uint64_t number, n, shift;
    bool code;       /* is wanted as a text, too: surgery_code() */
    bool libc_stays; /* as in struct surgery_subject */
    bool whole_only; /* a longer call is not traced */
    uint64_t edits; /* behind them so many of each edit of surgery.h, at as many places */
    uint64_t steps; /* of a whole trace, at most; 0: as usual */
    const char *executed; /* as another process of the same files told; NULL: trace */
};
struct copies_reply {
    uint64_t n, functions, tables, jumps, bytes, left;
    uint64_t offset;     /* of the head of its hottest loop in a line of 64 bytes */
    uint64_t loop_bytes; /* 0: there is no such loop */
    /* All of these by a trace alone. */
    double share;  /* of executed instructions, those that are copied; NaN: not known */
    bool whole;    /* all instructions of a call were seen; else some of them */
    bool closed;   /* the code alone: all that a call can reach is in it */
    bool prepared; /* other code of the module made what a call works on */
    const char *why_left, *code, *executed; /* NULL: not told */
    const char *path; /* and line of that loop; NULL: no debug information */
};

/* An entry of `edits` in the reply of `copies`, in the order of their copies. */
struct copies_edit {
    const char *name;
    double changed;     /* instructions */
    const char *absent; /* reason why there are no such copies; NULL: there are */
};

/* An entry of `objects` in the reply of that name: a shared object that is loaded. */
struct loaded_object {
    const char *path, *soname, *build_id; /* NULL: not told */
};

/* clang-format off */
#define EACH_CALL(CALL) \
    CALL(shape, shape) \
    CALL(map, map) \
    CALL(fill, inputs) \
    CALL(change, inputs) \
    CALL(reference, reference) \
    CALL(prepare, prepare) \
    CALL(check, check) \
    CALL(accuracy, accuracy) \
    CALL(verify, verify) \
    CALL(batch, batch) \
    CALL(overhead, overhead) \
    CALL(team, team) \
    CALL(step, step) \
    CALL(copies, copies) \
    CALL(turns, turns) \
    CALL(inputs, lists)
#define EACH_REPLY(REPLY) \
    REPLY(shape_reply) \
    REPLY(map_reply) \
    REPLY(fill_reply) \
    REPLY(prepare_reply) \
    REPLY(check_reply) \
    REPLY(batch_reply) \
    REPLY(batch_count) \
    REPLY(overhead_reply) \
    REPLY(overhead_count) \
    REPLY(team_reply) \
    REPLY(copies_reply) \
    REPLY(copies_edit) \
    REPLY(turns_reply) \
    REPLY(lists_reply) \
    REPLY(loaded_object)
/* clang-format on */

/* For each verb, or entry of a list: writes a new message {"do": verb}, or {"ok": true};
 * adds its fields to an object; reads them: -EPROTO for operands or dims that make no
 * sense. */
#define CALL(verb, fields)                                \
    cJSON *verb##_call(const struct fields##_call *call); \
    int verb##_call_read(const cJSON *request, struct fields##_call *call);
#define REPLY(kind)                                           \
    cJSON *kind##_ok(const struct kind *reply);               \
    void kind##_add(cJSON *object, const struct kind *reply); \
    int kind##_read(const cJSON *object, struct kind *reply);
EACH_CALL(CALL)
EACH_REPLY(REPLY)
#undef CALL
#undef REPLY

/* ---- requests with lists ---- */

struct proofs;
struct setup_call {
    int cpu[CPUS_MAX];
    size_t n_cpu;
    const char *event[EVENTS_MAX];
    size_t
        n_events; /* over EVENTS_MAX: a worker was asked for too many, or for no name */
    bool multiplex, keep_heap;
    const struct proofs *proofs; /* knowledge about the events; NULL: none */
};
cJSON *setup_call(const struct setup_call *call);
/* Reads all but the proofs. */
void setup_call_read(const cJSON *request, struct setup_call *call);

struct load_call {
    const char *path;
    const struct simdbench_option *option;
    size_t n;
    bool enclosed; /* enclose_helpers() before, enclose_files() after it */
    bool right;    /* its ops say what is right, also if an earlier one has them */
};
cJSON *load_call(const struct load_call *call);
/* Options go into an array with so much room; false: they are bad, or too many. */
bool load_call_read(const cJSON *request, struct simdbench_option *option, size_t room,
                    struct load_call *call);

/* Without fields: `describe`, whose reply is a document (catalog.c reads it), and
 * `objects`. */
cJSON *describe_call(void);
cJSON *objects_call(void);
