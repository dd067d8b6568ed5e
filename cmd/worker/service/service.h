/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside a worker: what service.c (module, memory, reference), service_describe.c,
 * service_case.c (prepare, check), service_copies.c (copies) and service_batch.c (batch,
 * overhead) share. docs/protocol.md says what each request means.
 */
#pragma once

#include <signal.h>

#include "declared/declared.h"
#include "split.h"
#include "worker/worker.h"

typedef void run_function(const struct simdbench_operands *operands, void *state);
/* A thunk as a function like run(): it reads the frame that stands for the operands. */
#define SERVICE_RUN(code) ((run_function *)(void (*)(void))(code))

struct service;
/* `path` NULL: own kernels. Loads and opens the module in this process. */
int service_new(struct service **service, const char *path,
                const struct simdbench_option *options, size_t n_options, int memory_fd,
                struct error *error);
void service_free(struct service *service);
/* Always returns an object: {"ok": true, ...} or {"ok": false, "errno": n, "error":
 * text}. */
cJSON *service_handle(struct service *service, const cJSON *request);

enum { SERVICE_CASES_MAX = 1536, SERVICE_PARTS_MAX = 8, SERVICE_OPTIONS_MAX = 64 };

struct service_case {
    const struct simdbench_kernel *kernel; /* NULL: free */
    void *state;
    run_function *run;   /* the kernel's own, or that of a team, whose state is a split */
    run_function *built; /* the same, whatever copy of it runs */
    struct split *split; /* NULL: no team */
    struct declared_call *declared; /* NULL: no declared function */
    /* The first argument of run(): the operands, or the frame of a declared function. */
    const struct simdbench_operands *argument;
    uint64_t batches; /* batches until now */
    bool is_long;     /* a call took so long that nothing has to be warmed up */
    bool takes_turns; /* its batches do not run before other programs */
    bool stepped;     /* it had a call before one that is traced */
    /* Its calls left rounding or flush-to-zero modes, or the signal mask, changed. */
    bool left_modes, left_signals;
    /* Remarks about a declared function, or empty: of a check, and of that on guarded
     * arrays. */
    char note[200], guard_note[200];
    struct copies *copies; /* NULL: none */
    struct turn *turn; /* arguments that calls take in turn; NULL: argument and state */
    /* The shape of its own op, where it runs on operands of another one; size 0: theirs.
     */
    struct simdbench_shape shape;
};

/* A set of operands, or the frame of a declared function, and what was prepared for it.
 */
struct turn {
    const struct simdbench_operands *argument;
    void *state;
};

/* Simdbench's own kernels, or those of a module. */
struct service_part {
    struct module module; /* table NULL: own kernels, or declared ones */
    struct declared *declared;
    const struct simdbench_module *table; /* NULL: own kernels */
    const struct simdbench_op *const *ops;
    const struct simdbench_kernel *const *kernels;
    uint64_t first, n; /* the numbers that its kernels have here */
    bool left_modes;   /* loading it changed rounding or flush-to-zero modes */
};

struct service {
    struct service_part part[SERVICE_PARTS_MAX]; /* what it was started with, then what
                                                    was loaded */
    size_t n_parts;
    size_t right; /* index of the part whose ops are found before those of others */

    int memory_fd;
    unsigned char *memory; /* shared: operands, then check data */
    uint64_t memory_bytes;
    unsigned char *arena; /* private copy of the operands on huge pages, or NULL */
    uint64_t arena_bytes;
    bool enclosed; /* all that happens in this process has the same priority */
    bool mapped;   /* there are operands, if only none of them */
    struct operands operands;
    struct operands *set; /* all sets of operands, if there are several */
    struct turn *turn;    /* and what an empty kernel is given in turn */
    uint64_t n_sets, next_set;
    struct operands other; /* inputs that another seed filled, in memory of its own;
                              count 0: not yet needed */

    int cpu[CPUS_MAX]; /* thread i runs on the i-th of them; none: anywhere */
    size_t n_cpu;
    int alive; /* threads of this process after the last check */

    struct event events[EVENTS_MAX];
    size_t n_events;
    struct perf_system perf; /* the kernel's, with as many counters as are alive */
    bool multiplex;
    struct sampler sampler;

    struct service_case cases[SERVICE_CASES_MAX];
    struct service_case *moved; /* its calls run a copy; NULL: all code is as built */
};

/* Answers to the requests of calls.h. */
#define ANSWER(verb, fields) \
    cJSON *service_##verb(struct service *service, const struct fields##_call *call);
EACH_CALL(ANSWER)
#undef ANSWER

/* service.c */
__attribute__((format(printf, 2, 3))) cJSON *service_error(int code, const char *format,
                                                           ...);
/* service_describe.c */
/* A module's op of that name, or simdbench's own; NULL if nobody has it. */
const struct simdbench_op *service_op(const struct service *service, const char *name);
/* Outputs that the reference computed, in the shared memory. */
struct answers {
    uint64_t n;
    uint64_t *index; /* numbers of the ones meant; NULL: all */
    void *value;
    double *slack;
    bool first; /* somebody else looks at outputs behind the first one */
};
/* Those at certain places; false if they lie outside the shared memory. */
bool service_answers(struct service *service, const struct answer_places *places,
                     const struct simdbench_operand *output, struct answers *answers);
/* The same of places that may be none: `n` is 0 then. */
bool service_wanted(struct service *service, const struct answer_places *places,
                    struct answers *want);
/* Calls for a tracer. A sort must not find what it sorted: each has the data of the
 * first, but objects only where the row says so. */
struct inspect_calls service_traced(const struct service_case *entry,
                                    const struct operands *operands);
/* The same as a declared function gets them. */
int service_call_traced(struct service_case *entry, const struct operands *operands,
                        uint64_t calls, struct error *error);
/* Calls a kernel once, or `calls` times for a tracer as inspect_call() does, on outputs
 * that are wrong before, and compares them. -EDOM: the kernel is wrong. */
int service_call_checked(const struct service *service, struct service_case *entry,
                         const struct answers *want, uint64_t calls, struct error *error);
/* The reply that says so; `again` as of struct service_case.batches, or 0. */
cJSON *service_wrong(const char *text, uint64_t again);
/* The operands, of the shape that the case gives them. */
struct simdbench_operands service_view(const struct service *service,
                                       const struct service_case *entry);
/* The first operand that is an output, or NULL. */
const struct simdbench_operand *service_output(const struct service *service);
/* service_memory.c */
void service_unmap(struct service *service);
/* Points at `bytes` of the shared memory; NULL if that is not inside. */
void *service_memory(struct service *service, uint64_t offset, uint64_t bytes);

/* service_sets.c: several sets of operands. Binds them after `map`. */
int service_bind_sets(struct service *service, const struct map_call *call, void *base);
void service_free_sets(struct service *service);
/* Prepares a case for each set; set 0 is done. */
int service_prepare_turns(const struct service *service, struct service_case *entry,
                          char *error, size_t error_size);
void service_free_turns(const struct service *service, struct service_case *entry);
/* Operands of the next call. */
const struct operands *service_next(const struct service *service);
/* The one loop that is timed: calls run(argument, state), or where there are turns takes
 * the next one for each call. */
void service_repeat(struct service *service, run_function *run,
                    const struct simdbench_operands *argument, void *state,
                    const struct turn *turn, uint64_t iterations);

/* service_load.c: one part more, own kernels if `path` is NULL. */
int service_add_part(struct service *service, const char *path,
                     const struct simdbench_option *options, size_t n_options,
                     struct error *error);
/* Adds what one part offers to a reply. */
void service_describe_part(const struct service_part *part, cJSON *reply);
/* service_setup.c */
cJSON *service_setup(struct service *service, const cJSON *request);
cJSON *service_describe(struct service *service, const cJSON *request);
cJSON *service_load(struct service *service, const cJSON *request);
cJSON *service_objects(struct service *service, const cJSON *request);
/* Around calls of a case: the state in which a kernel is called; then what it left behind
 * is noted in the case and undone. */
void service_enter(sigset_t *mask);
void service_leave(struct service_case *entry, const sigset_t *mask);
/* service_change.c: forgets what other inputs were taken from. */
void service_forget_other(struct service *service);
/* Gives inputs that were filled the values of the call, or leaves them if NULL. Inputs
 * that go together are filled anew as a whole, if the op has inputs of that name.
 * -ENOTSUP */
int service_set_values(const struct simdbench_op *op, const struct operands *operands,
                       const struct inputs_call *call);
/* The operands in the shared memory, where a worker has a copy of its own too. */
void service_shared(const struct service *service, struct operands *shared);
/* Takes the inputs over into that copy, if there is one. */
void service_take_inputs(const struct service *service);
/* The case of that number, or NULL. */
struct service_case *service_find_case(struct service *service, uint64_t number);
/* service_batch.c: what a call takes with clock_script(). */
double service_script_ns(const struct service *service, const struct service_case *entry,
                         uint64_t copy, double faults);
/* service_copies.c: calls of the case run that copy from now on, 0: the code as built.
 * -EINVAL */
int service_move(struct service *service, struct service_case *entry, uint64_t copy,
                 struct error *error);
void service_copies_free(struct service *service, struct service_case *entry);
/* service_threads.c: the CPUs of a case with several threads. */
int service_place(const struct service *service, struct error *error);
/* After the first call, by which a library has started its threads. */
void service_place_helpers(const struct service *service);
/* Returns when no other thread of this process works any more, or a while later. */
void service_rest(const struct service *service);
double service_median(double *values, size_t n); /* sorts them */
void service_release_all(struct service *service);
