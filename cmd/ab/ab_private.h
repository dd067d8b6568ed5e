/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by arms.c (the builds), ab_plan.c (what both can do), ab_case.c (one case and
 * its arms), ab_limit.c (its roof), ab_process.c (one fresh process), ab_rounds.c
 * (batches), ab_places.c (places of code), ab_code.c (whether it is the same),
 * ab_prove.c (traces) and ab.c (processes until it is decided). */
#pragma once

#include <limits.h>

#include "ab/ab.h"

enum { ARM_BASE, ARM_HEAD, ARM_CONTROL, ARMS };
/* Batches are short, and there are many: other work on the machine changes from one
 * millisecond to the next. Within a round of 0.4 ms it is the same for all arms; within
 * a round of 2 ms it is not. */
#define AB_BATCH_NS 120000.0
/* Rounds of a process: the most, and the least if a call is longer than such a batch. A
 * process is thrown away if fewer rounds than ROUNDS_USABLE, or than a quarter of all,
 * are valid. */
enum { AB_ROUNDS = 24, AB_ROUNDS_LEAST = 6, ROUNDS_USABLE = 3 };
/* With copies a round has more batches, so that there are fewer rounds. */
enum { AB_MOVED_ROUNDS = 12, AB_MOVED_LEAST = 4 };
/* Batches of such a round: each arm at its best place, base and head as built. */
enum { TURN_MOVED = ARMS + 2 };
enum { PLACES_MOST = 16 };
enum { AB_PROCESSES = GATE_PROCESSES };
#define NO_KERNEL UINT32_MAX

struct ab_arm {
    const char *name;
    char *words; /* the spec points into it */
    struct module_spec spec;
    char path[PATH_MAX]; /* as it was found */
    char *linked; /* temporary shared object of an archive or object file; or NULL */
    char load[PATH_MAX]; /* the file that is loaded or started: one of them, or a private
                            copy */
    struct elf_file file;
    cJSON *objects; /* objects that it brings into a process; NULL: it cannot tell */
    char *version, *commit;
    struct worker *worker; /* runs it; one of ab->workers */
    uint64_t first;        /* number of its first kernel there */
};

/* The numbers of a kernel in each build's own description; NO_KERNEL if it has none. */
struct ab_kernel {
    uint32_t number[2];
};

struct ab {
    struct ab_request request;
    struct how how; /* the caller's, with the gate's seed; it owns nothing */
    struct ab_arm arm[ARMS];
    bool programs, own_processes;
    char folder[64]; /* of private copies; empty: none */
    int folder_lock;
    struct worker *workers[ARMS];
    /* Its workers: one for own kernels, then one for each build. A build's worker owns
     * the ops that no other worker has. A kernel of both builds is one offer. */
    struct catalog catalog;
    struct ab_kernel *kernels; /* one an offer of the builds */
    size_t n_kernels;          /* the offers behind them are own roofs, for limits */
    struct plan plan;
    char *left_out, *lacking; /* as of struct gate */
    struct session session;
    double extra_work;
    double built_work;
    bool times_alone;
};

/* The code that an arm executes in a case, as the first process found it. */
struct ab_places {
    char *executed, *code, *path; /* as struct copies_reply has them; NULL: not known */
    double offset, loop;          /* of its hottest loop; NaN: not known */
    double share;
    bool whole, closed, prepared;
};

/* The length of the trace: the usual one, or the longest. */
enum { ASKED = 1, ASKED_LONG };

/* A case, and its rounds in the process at hand. */
struct ab_case {
    bool wanted;                   /* it takes part in the process at hand */
    uint32_t processes, disturbed; /* counted, and thrown away */
    uint64_t number[ARMS];         /* its number in the worker of each arm */
    struct trial *trials;          /* room for the rounds of a process */
    uint32_t n_trials, voided;
    size_t limit;    /* the roof that limits it in the process at hand, or n_cases */
    double limit_ns; /* its batch beside the last trial; 0: none, or it is void */
    bool unmoved;    /* judged as built: its placement says why */
    uint8_t asked;   /* the last trace for its code alone: 0, ASKED or ASKED_LONG */
    uint32_t late;   /* traces that took too long */
    struct ab_places places[ARMS];
    uint64_t n_places, best[ARMS]; /* copies; best 0: the code as built */
    uint32_t shorter, lost; /* in all processes: batches no longer than the empty loop,
                               and void rounds */
    double first_ratio;     /* time of the first batch behind another build, divided by
                               that of later ones */
};

struct ab_group {
    struct ab *ab;
    struct group_state state;
    struct ab_case *cases; /* beside state.cases */
    uint32_t process;      /* number of the one at hand */
    uint32_t rounds;       /* taken of all cases in all processes */
    bool answered;         /* the memory file holds this group's answers */
    bool overhead_known;
    double overhead_ns; /* of the loop, per call */
};

static inline struct result *ab_result(const struct ab_group *group, size_t c)
{
    return case_result(&group->state, &group->state.cases[c]);
}
/* True of a case of the process at hand that has not ended in it. */
static inline bool ab_is_left(const struct ab_group *group, size_t c)
{
    return group->cases[c].wanted && group->state.cases[c].active;
}
static inline bool ab_is_moved(const struct ab_case *entry)
{
    return entry->best[ARM_BASE] > 0;
}
/* The most rounds of a process, and the rounds of a case with calls of that length. */
static inline uint32_t ab_rounds(const struct ab *ab)
{
    return ab->how.rounds ? ab->how.rounds : AB_ROUNDS;
}
uint32_t ab_rounds_of(const struct ab *ab, double call_ns, bool moved);
static inline uint32_t ab_processes(const struct ab *ab)
{
    return ab->request.processes ? ab->request.processes : AB_PROCESSES;
}

/* arms.c */
int arms_open(struct ab *ab, struct error *error);
void arms_close(struct ab *ab);
bool arms_same_options(const struct module_spec *a, const struct module_spec *b);
/* Loads a build into a worker that runs: a module only, programs have theirs. */
int arm_load(const struct ab *ab, struct ab_arm *arm, struct worker *worker,
             cJSON **description, struct error *error);
/* Writes names, versions and files of the arms. */
void arms_tell(const struct ab *ab, struct gate *gate);

/* ab_plan.c */
int ab_plan_make(struct ab *ab, struct error *error);

/* ab_case.c */
/* A random state for one thing of the many that the seed decides. */
uint64_t ab_random(const struct ab *ab, uint64_t a, uint64_t b, uint64_t c);
/* The worker that answers for a case of an arm, at the place that is its best here. */
struct runner ab_runner(struct ab_group *group, size_t c, int which);

/* ab_rounds.c: measures the empty loop; finds how many calls a batch of a case has, and
 * the time of a call in the slowest arm; takes the rounds of a case in this process. They
 * return what runner_ask() does. */
int ab_overhead(struct ab_group *group, struct error *error);
int ab_calibrate(struct ab_group *group);
int ab_take_rounds(struct ab_group *group, size_t c);
/* Adds a note to an undecided case whose first batches behind another build are slow. */
void ab_note_learning(struct ab_group *group, size_t c);
/* A batch of an arm at the place of a copy; 0: as built. */
int ab_run_batch(struct ab_group *group, size_t c, int which, uint64_t copy,
                 uint64_t calls, struct batch *batch);

/* ab_places.c: makes copies of a case's code in this process, and finds the best one for
 * each arm; 0 if the case is judged as built. It returns what runner_ask() does. */
int ab_take_places(struct ab_group *group, size_t c);
void ab_begin_places(struct ab_case *entry);
void ab_free_places(struct ab_case *entry);

/* ab_code.c: compares the code that was found in both builds. ab_take_code() first asks
 * once for the code of a case that cannot be moved. It returns what runner_ask() does. */
void ab_compare_code(struct ab_group *group, size_t c);
int ab_take_code(struct ab_group *group, size_t c);
/* Compares again, by a longer trace, the code of all cases that are judged to differ
 * although only a part of their code was seen. 0, -EINTR or -ENOMEM. */
int ab_resolve_doubt(struct ab_group *group, struct error *error);

/* ab_limit.c: prepares the roofs of all wanted cases in this process; times one batch of
 * a case's roof behind the rounds of the case; adds that time to the last trial. They
 * return what runner_ask() does. */
int ab_prepare_limits(struct ab_group *group, struct error *error);
int ab_take_limit(struct ab_group *group, size_t c);
void ab_add_limit(struct ab_group *group, size_t c);

/* ab_process.c: measures all wanted cases of a group in a fresh process; returns what
 * runner_ask() does. */
int ab_process(struct ab_group *group, struct error *error);
/* Calls `work` in a process whose times do not count; `traced`: at smaller shapes. */
int ab_trace_process(struct ab_group *group, bool traced,
                     int (*work)(struct ab_group *group, bool traced),
                     struct error *error);
int ab_prepare(struct ab_group *group, size_t c, int which);

/* ab_prove.c: traces the cases that are left, in base and head; 0, -EINTR or -ENOMEM. */
int ab_prove(struct ab_group *group, struct error *error);
