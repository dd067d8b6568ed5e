/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room plan: from a request to what will be measured. The catalog knows all that can run,
 * the plan what of it will: groups of cases in order, what is counted, on which CPUs, and
 * how many threads each case gets. Nothing is decided after it.
 */
#pragma once

#include "reports.h"
#include "request/request.h"
#include "worker/worker.h"

/* ---- catalog (catalog.c, catalog_ops.c): what can be run, whoever offers it ---- */

/* A kernel that somebody offers. */
struct offer {
    struct worker *worker; /* runs it */
    uint32_t index;        /* its number there */
    /* As the description of a worker has them; NULL where there is none. */
    char *op, *semiring, *isa, *variant, *layout, *roof, *other_roof;
    uint32_t type, flags;
    double max_ulp, mean_ulp; /* 0: not stated */
    bool is_baseline, is_roof;
};

struct plan_group;
struct catalog {
    int memory_fd;           /* the operands of the group at hand; all workers map it */
    struct worker **workers; /* own kernels first */
    size_t n_workers;
    struct offer *offers;
    size_t n_offers;
    struct text_list missing; /* absent default baselines, and why: a line each */
};

/* A shape as its op understands it. */
struct shape_info {
    struct simdbench_shape shape;
    char text[256];  /* canonical */
    char layout[64]; /* empty: the op has only one */
    double ops, bytes;
    struct operands_map map; /* operands without offsets */
};

/* Starts (or, in process, makes) one worker for own kernels and one per baseline and
 * plug-in, and asks what they offer. -ENOENT for a baseline that is not there. */
int catalog_make(const struct request *request, const struct how *how,
                 struct catalog *catalog, struct error *error);
void catalog_free(struct catalog *catalog);
/* Is that one of the baselines that an op has when the user names none? */
bool catalog_is_usual(const char *op, const struct worker *baseline);
/* Opens the plug-ins of the request. */
int catalog_add_plugins(struct catalog *catalog, const struct request *request,
                        const struct how *how, struct error *error);
/* Gives the worker that runs the kernel of an offer the op, if another module brings
 * that. -EINVAL: nobody has the op, or it has no such layout or element type. */
int catalog_share_op(const struct catalog *catalog, const struct offer *offer,
                     struct worker *runs, struct error *error);
/* The worker that brings an op (own or a module's); NULL if nobody does. */
struct worker *catalog_op_owner(const struct catalog *catalog, const char *op);
/* All names of ops on offer. */
void catalog_ops(const struct catalog *catalog, struct text_list *ops);
/* Asks the op about a shape, in that layout if it is not NULL. */
int catalog_shape(const struct catalog *catalog, const char *op, uint32_t type,
                  const char *text, const char *layout, struct shape_info *info,
                  struct error *error);
/* The same from the answer to shape_call(). -EPROTO */
int shape_info_read(const cJSON *reply, struct shape_info *info);
/* The text in a field of the op's struct simdbench_op ("inputs"), or NULL. */
const char *catalog_op_text(const struct catalog *catalog, const char *op,
                            const char *field);
/* Sets of operands for which the op makes its inputs; 0: it does not say. */
uint32_t catalog_op_calls(const struct catalog *catalog, const char *op);
/* Operations of a call, or bytes where there are none (shrink.c). */
double shape_work(const struct shape_info *info);
/* Halves one dimension, an outer one first, and keeps its remainder, so that tails stay
 * as they are. False if no dimension can be smaller. */
bool shape_smaller(const struct catalog *catalog, const struct plan_group *group,
                   struct shape_info *info);
/* The same for kernels that have no code for tails: a dimension stays a multiple of the
 * largest power of two up to 64 that divides it, and no shorter than a vector. `only`:
 * the number of the one dimension that may be smaller, from 0; -1: any. */
bool shape_smaller_alike(const struct catalog *catalog, const struct plan_group *group,
                         int only, struct shape_info *info);
/* Makes the shape of a group smaller until its work is at most `most_work`, or cannot be
 * less. False if the work stays that of the group's shape. */
bool shape_shrink(const struct catalog *catalog, const struct plan_group *group,
                  double most_work, struct shape_info *info);
/* Shapes of an op that have a name, with spaces between them. */
struct shape_list {
    const char *name, *summary, *shapes;
};
/* The list at `*at`, from 0, which becomes the place of the next one; false: there are no
 * more. */
bool catalog_next_list(const struct catalog *catalog, const char *op, size_t *at,
                       struct shape_list *list);
#define SUITE "suite"
/* True if the op has a list of shapes of that name. */
bool catalog_has_suite(const struct catalog *catalog, const char *op);

/* The parts of "NAME[,as=ALIAS][,option=value...]"; they point into `text`. */
struct module_spec {
    char *name;
    const char *alias; /* in ids, instead of name and options; NULL: none */
    struct simdbench_option option[32];
    size_t n_options;
};
int module_spec_parse(char *text, const char *flag, struct module_spec *spec,
                      struct error *error);
/* The catalog frees the worker. */
void catalog_add_worker(struct catalog *catalog, struct worker *worker);
/* Appends the kernels of a description, which outlives the catalog's offers; -EPROTO if
 * it makes no sense. */
int catalog_add_offers(struct catalog *catalog, struct worker *worker,
                       const cJSON *description, struct error *error);

/* "--type=f16: no such element type; did you mean f32? (known: f32, f64)". */
int selection_unknown(const char *flag, const char *word, const char *noun,
                      const struct text_list *known, struct error *error);

/* ---- the levels of memory (levels.c): a ladder has rungs in each of them ---- */

struct memory_level {
    char name[16];     /* "L1" */
    double bytes;      /* of one cache */
    uint32_t cores;    /* cores that share it */
    uint32_t how_many; /* of them there are */
};
struct memory_levels {
    struct memory_level level[4];
    size_t n; /* 0: this machine does not tell its caches */
};
struct memory_levels levels_of(const struct host *host);
struct memory_levels levels_here(void);
/* Bytes of all caches of a level that `threads` threads on cores of their own reach. */
double level_bytes(const struct memory_level *level, uint32_t threads);
/* The size of the smallest cache that holds the working set of one thread, divided by
 * that working set; 2 if no cache holds it. */
double levels_fit(const struct memory_levels *levels, double working_set);
/* The first level that holds a working set, or "memory"; NULL if none is known. */
const char *levels_find(const struct memory_levels *levels, uint32_t threads,
                        double working_set);
/* Appends the shapes of op roof for a ladder, small ones first: two that fit into a cache
 * for each level, and one that fits into none. */
void levels_rungs(const struct memory_levels *levels, uint32_t threads,
                  struct text_list *shapes);
/* Bytes that a kernel of op roof works on in a shape of that op. */
double roof_working_set(const struct simdbench_shape *shape, const char *variant);

/* ---- plan (plan.c) ---- */

/* Batches last at least this long; calibration aims a tenth higher. */
#define BATCH_NS 500000.0
/* Batches in which counters take turns are long enough to scale the counts. */
#define MULTIPLEX_BATCH_NS (1.1 * COUNTERS_SCALABLE_NS)
/* Rounds that a case has at least, also with the core alone. More than the most make
 * batches longer instead. */
enum { ROUNDS_MIN = 12, ROUNDS_MAX = 10000 };

struct plan_case {
    char *id, *shape;
    size_t offer;     /* index into the catalog */
    uint32_t threads; /* 0: those of the group */
    uint32_t team;    /* of these, as many as are worth while */
    uint64_t copy;    /* of its code: the case runs that one; 0: the code as built */
    char *skip;       /* reason why it will not run, or NULL */
    char *limit_id;
    bool limit_guessed;     /* the kernel names no roof */
    struct text_list notes; /* on what was decided */
};

struct plan_group {
    char *op;
    uint32_t type;
    struct shape_info shape;
    struct case_settings settings; /* of all its cases, but for threads of their own */
    struct plan_case *cases;
    size_t n_cases;
};

struct plan {
    struct plan_group *groups;
    size_t n_groups;
    struct text_list left_out;      /* sentences: shapes without the layout that was asked
                                       for, ops of the suite without a matching case, rows
                                       that are not exact enough */
    struct text_list isas_instead;  /* "avx2", in place of sets that this CPU lacks */
    struct text_list why_instead;   /* sentences about it */
    struct memory_levels levels;    /* of op roof */
    struct event event[EVENTS_MAX]; /* counted: of --events, then of --counters */
    size_t n_events;
    int cpu[CPUS_MAX]; /* measured on, as many as the most threads or as there are */
    size_t n_cpu;
    struct cpu_lock *lock; /* on these, until plan_free(); NULL: none */
    uint32_t most_threads; /* of any case */
    double batch_ns;       /* batches last at least that long */
    double case_ns;        /* most time for each case */
    double
        rounds_ns; /* of all cases together, from the start of the run, or at least half
                      of it from the first round; if need be fewer rounds; 0: no limit */
    double precision; /* of the median's interval, where a case may end; 0: nowhere */
};

/* The only place that filters: the plan of an op, or with request->suite those of all
 * ops that have a suite, joined. -EINVAL names unknown ISAs, types, semirings, variants,
 * layouts, shape lists; -ENOENT a selection that matches nothing; -ENOMEM sizes that do
 * not fit in memory. */
int plan_make(const struct request *request, const struct how *how,
              const struct catalog *catalog, struct plan *plan, struct error *error);
/* Decides what is counted, on which CPUs, and the team of each case, once the groups are
 * complete. Unless nothing will be measured it locks these CPUs, and waits for them as
 * cpu_lock_take() does. -EINVAL names an event; -E2BIG for too many of them; -CPUS_BUSY.
 */
int plan_settle(const struct request *request, const struct how *how,
                const struct catalog *catalog, struct plan *plan, struct error *error);
/* Locks CPUs for `most_threads`: all that the user named, else the first that no other
 * run measures on. */
int plan_take_cpus(const struct how *how, struct plan *plan, struct error *error);
/* Makes the catalog, the plan, and settles it. */
int plan_prepare(const struct request *request, const struct how *how,
                 struct catalog *catalog, struct plan *plan, struct error *error);
/* Adds the roof of that name to a group, for the widest instruction set of its cases, if
 * somebody offers it and the group has it not yet. */
void plan_add_roof(const struct catalog *catalog, struct plan_group *group,
                   const char *name);
/* Adds a row for each of `n` copies of the code of the first case. */
void plan_add_copies(struct plan_group *group, uint64_t n);
/* Drops all cases of a group but the first ones. */
void plan_cut_group(struct plan_group *group, size_t cases);
void plan_free(struct plan *plan);
void plan_print(const struct plan *plan, FILE *file); /* --dry-run */
/* Roughly how long it will take: kernels are known only once they ran. */
double plan_seconds(const struct how *how, const struct plan *plan);

/* ---- what is counted (counted.c) ---- */

/* The events of --events and of the groups of --counters, each once, encoded for this
 * machine. -E2BIG for more than EVENTS_MAX. */
int counted_events(const struct how *how, struct plan *plan, struct error *error);
/* Calls `tell` for each group that this machine lacks, or has only in part. */
void counted_notes(const struct how *how,
                   void (*tell)(const char *group, const char *note));
/* Adds what can be derived from these events to a result. */
void counted_metrics(const struct how *how, const struct plan *plan,
                     struct result *result);

/* ---- threads that are worth while (thresholds.c) ---- */

/*
 * From how much work on several threads are faster: measured by `simdbench threads OP`,
 * kept host by host in $XDG_CONFIG_HOME/simdbench/threads.json, used by every run.
 *
 *   {"schema_version": 1, "hosts": {FINGERPRINT: {OP: [{"threads": 2, "ops": 1000}]}}}
 *
 * `ops` is the operations of a call; null: not at any size that was measured.
 */
struct threshold {
    uint32_t threads;
    double ops; /* INFINITY: at no size */
};

/* Reads the thresholds of this host; *host is NULL if there are none. -EINVAL for a file
 * that cannot be understood. */
int thresholds_read(const char *fingerprint, cJSON **host, struct error *error);
/* The number of threads, at most `threads`, that a call of that work should have. If it
 * is smaller, `ops` gets the work from which the next larger team is faster. */
uint32_t thresholds_threads(const cJSON *host, const char *op, double work,
                            uint32_t threads, double *ops);
/* Replaces those of one op. `path` becomes the name of the file. */
int thresholds_save(const char *fingerprint, const char *op,
                    const struct threshold *thresholds, size_t n, char *path,
                    size_t path_size, struct error *error);
