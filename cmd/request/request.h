/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room request: what a question asks the engine to measure, and how. The command line
 * ends here: its options hold a request and a how, which the user has filled. Questions
 * that ask for something else make their own with request_init() or request_copy(), and
 * how_init() or how_copy().
 */
#pragma once

#include "case/case.h"
#include "process/process.h"

enum { THREADS_MAX = 64 }; /* thread counts in one run */

/* ---- what ---- */

/* The cases of an op that match all members. An empty list matches everything. */
struct request {
    char *op;                  /* NULL: every one */
    bool suite;                /* of every op, shapes of its list of that name */
    struct text_list commands; /* commands, one of which an unknown op may mean */
    struct text_list isas;     /* as written: "auto", "all", names */
    bool isa_strict;           /* no other set instead of one that this CPU lacks */
    struct text_list types, semirings, variants, filters;
    /* Shapes, all three together; the op's default if they are empty. */
    struct text_list sizes;        /* expanded */
    struct text_list shapes;       /* for the op to parse */
    struct text_list shape_lists;  /* names and files */
    struct text_list layouts;      /* names and "all"; empty: all that have kernels */
    struct text_list inputs;       /* empty: the op's default */
    struct text_list baselines;    /* NAME[,option=value...] each; "none" */
    struct text_list plugins;      /* FILE.so[,option=value...] each */
    bool plugins_are_words;        /* of the command line, and no values of --plugin */
    uint32_t threads[THREADS_MAX]; /* each is a group of its own; the first is 1 */
    size_t n_threads;
    struct case_settings settings; /* without threads and input */
    bool pathologies;              /* also kernels that are slow on purpose */
    bool ladder;  /* of op roof: working sets from the first cache to memory */
    bool streams; /* streams of memory beside each group, for the roofline of a page */
};
/* Any op, one thread, default settings. */
void request_init(struct request *request);
void request_copy(const struct request *from, struct request *to);
void request_free(struct request *request);
/* Narrows a request, which begins with request_init(), to the one case of that name. Its
 * modules are those of the case, or else of `of`. */
void request_case(struct request *request, const struct case_name *name,
                  const struct request *of);
/* The name of the op that a word means: gemm-backward is gemm_backward. */
const char *request_op_name(const char *word);

/* ---- how ---- */

/* Conditions that no option names: experiments of explain, arms of studies. */
struct conditions {
    const char *values;   /* of inputs: "zero", "constant", "sorted"; NULL: as filled */
    bool flush_denormals; /* subnormal numbers are zero in the calling thread */
    bool fresh_output;    /* each call writes to pages that are new */
    bool keep_heap;       /* malloc gives no memory back to the system */
    bool spread;          /* operands far from each other within their pages */
    unsigned layout; /* number of other places for operands, with random addresses of a
                        worker's stack, heap and libraries; 0: the usual ones */
    int memory;      /* file of operands that are shared with others; 0: none */
    unsigned places; /* copies of its code that run beside it; 0: none */
    unsigned edits;  /* copies of each edit; their results are not checked */
};

struct how {
    int *cpu; /* n_cpu = 0: choose */
    size_t n_cpu;
    int64_t wait_ns;          /* time to wait for CPUs that others use; 0: none */
    bool unlocked;            /* takes no lock: the caller did, or nothing is measured */
    bool quiet;               /* does not tell that a lock cannot be had */
    bool all_threads;         /* all threads, also where fewer are faster */
    bool in_process;          /* kernels run in this process */
    uint64_t seed;            /* of inputs, places and order */
    int64_t timeout_ns;       /* of one call */
    int64_t time_per_case_ns; /* 0: 100 ms, or until the precision is reached */
    double batch_ns;          /* least time of a batch; 0: 0.5 ms */
    double rounds_ns;         /* most time of all rounds together; 0: no limit */
    double precision;         /* of a median, where a case may end; 0: 0.01, or none if a
                                 time was given */
    uint32_t rounds;          /* 0: from the time */
    struct text_list events;
    struct text_list counters; /* names of groups of events, "all" */
    bool multiplex;            /* events take turns within a batch */
    bool check_full;           /* all outputs */
    bool prove;                /* trace each case */
    bool accuracy;             /* errors, not times */
    struct conditions conditions;
};
void how_init(struct how *how);
void how_copy(const struct how *from, struct how *to);
void how_free(struct how *how);
/* Replaces the CPUs. */
void how_set_cpus(struct how *how, const int *cpu, size_t n);

/* ---- numbers as the user writes them (numbers.c) ---- */

/* A whole number with its suffix; a time with its unit, in nanoseconds. -EINVAL, -ERANGE,
 * and the reason. */
int number_parse(const char *text, size_t length, int64_t *value, const char **reason);
int duration_parse(const char *text, int64_t *ns, const char **reason);

/* ---- sizes (sizes.c) ---- */

/* Expands "64..512" (doubling), "64..512:64" (step), "1k..1M*10" (factor) and
 * "64,100,64x32x128" (suffixes k M G decimal, Ki Mi Gi binary) and appends one text per
 * shape, suffixes resolved: "64", "128", ... A range includes its end if it hits it, else
 * it ends below. Items that begin with a letter ("n16c3h224w224") are passed on as they
 * are for the op to parse. -EINVAL with the item and what is wrong, and `shapes` is as it
 * was; at most SIZES_MAX shapes in the list. */
enum { SIZES_MAX = 10000 };
int sizes_expand(const char *text, struct text_list *shapes, struct error *error);
