/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room measure: from a plan to results. run_plan() measures a plan; room ab takes the
 * same steps, which follow below, in another order. The room prints nothing, saves
 * nothing and chooses no exit status: it tells a watcher what happens.
 */
#pragma once

#include "plan/plan.h"

/* The progress of a measurement. */
struct progress {
    size_t group, n_groups; /* from 0 */
    const struct plan_group *plan;
    const char *title;     /* in place of the plan's; NULL: the plan's */
    const char *step;      /* "round", "process" */
    uint32_t done, wanted; /* steps of the group */
    int64_t started;       /* clock_now() */
};

/* A watcher is told while a measurement goes on, between batches; both functions may be
 * NULL. */
struct watcher {
    void *context;
    void (*progress)(void *context, const struct progress *progress);
    /* All cases of the group are final and summarised. */
    void (*group_done)(void *context, struct run *run, size_t group);
};

/* Measures all groups and adds their results to the run. 0; -EINTR: what was not reached
 * is skipped, and the run is good to be written; or another errno. */
int run_plan(const struct how *how, struct catalog *catalog, const struct plan *plan,
             const struct watcher *watcher, struct run *run, struct error *error);

/* One of several settings whose rounds are taken together: its how, workers and
 * memory are its own, and so is its plan, of which the first group takes part. */
struct run_arm {
    const struct how *how;
    struct catalog *catalog;
    const struct plan *plan;
    struct run *run; /* gets its results; several arms may share one */
    size_t number;   /* of its group there */
    bool may_lead;   /* rounds are worth while without the first one */
};
/* The reason of an arm that more time would measure. */
#define NO_TIME_LEFT "no time is left for it: calls are long, or others use the CPU"
/* Measures the arms in common rounds, so that results of any two are paired: samples of
 * one round bear the same number. The first one leads: its how and its plan
 * decide how many rounds there are, and without its cases there are none, unless another
 * one may lead then. An arm that cannot be set up, or for which plan->rounds_ns or the
 * memory is not enough, ends with that reason; it is best to give the important ones
 * first. All arms run on CPUs that the caller has locked. Returns what run_plan() does;
 * the watcher's group_done is not called. */
int run_arms(const struct run_arm *arms, size_t n, const struct watcher *watcher,
             struct error *error);

/* Prepares and checks the first case of an arm: whether it takes that shape. */
int run_arm_check(const struct run_arm *arm, struct error *error);
/* Prepares and checks an arm, and traces a call of its first case, as worker_step() does;
 * nothing of it is to be timed. Its results stay pending. */
int run_arm_trace(const struct run_arm *arm, const struct inspect_options *follow,
                  int64_t timeout_ns, struct inspect_census *census, struct error *error);

/* ---- steps ---- */

enum { GROUP_CASES_MAX = 512 };

struct session {
    const struct how *how;
    struct catalog *catalog;
    const struct plan *plan;
    const struct watcher *watcher;
    struct run *run;
    size_t first_group;                  /* number of the plan's group 0 in the run */
    size_t counter_of_event[EVENTS_MAX]; /* index into result->counters */
    struct proofs proofs;                /* of its events, once a worker told them */
    int64_t started;                     /* clock_now() */
    double probe_ns;  /* batch time that may still be spent on clock probes */
    double core_best; /* share of the core that any batch got; 0: not known */
    size_t n_core_probed, n_core_shared; /* batches whose share is known, and is low */
    struct builds *builds;               /* builds.c; NULL: nobody looked yet */
    int64_t prints_ns;                   /* spent on prints.c */
};

struct case_state {
    const struct plan_case *plan;
    const struct offer *offer;
    size_t result;   /* index into run->results */
    uint64_t number; /* in its worker */
    int team;        /* threads that share its work, 0: its library decides */
    uint64_t iterations, regions; /* of a batch: calls; how many are timed at once */
    double call_ns, check_ns;     /* of a call; of the request to check it */
    /* Counts of each event per call of an empty kernel, and in a region without one. */
    double empty_call[EVENTS_MAX], empty_region[EVENTS_MAX];
    bool answered; /* its own results are the right answers: others have to agree */
    bool unseen;   /* it has no results that anybody could check */
    bool varies;   /* its results differ from call to call */
    bool resets;   /* INOUT operands are written again before each call */
    bool active;   /* still takes part in this group */
};

/* Right answers for one semiring, in shared memory. */
struct semiring_answers {
    const char *semiring;
    struct answer_places places;
};

struct group_state {
    struct session *session;
    const struct plan_group *plan;
    size_t number;
    struct case_state *cases;
    size_t n_cases;
    size_t used_cpus;      /* of plan->cpu: one for each thread */
    uint64_t seed, random; /* for operands; for later choices */
    uint64_t memory_bytes;
    uint64_t block; /* least that is reserved for operands, before the answers */
    struct operands_map map;
    /* For the first check, and fewer for those that follow. */
    struct semiring_answers answers[8], again[8];
    size_t n_answers;
    bool traced;   /* its operands are those of traces: no row tells of them */
    bool refused;  /* the op does not know the --input that was asked for */
    bool may_lead; /* as of struct run_arm */
};

/* case.c: one case and its worker. */
static inline struct result *case_result(const struct group_state *group,
                                         const struct case_state *entry)
{
    return &group->session->run->results[entry->result];
}
/* Ends a case with a status and a reason; it takes no further part. */
void case_end(struct group_state *group, struct case_state *entry, enum status status,
              const char *reason);
/* The same for all cases that still take part, or for those of a worker. */
void group_end(struct group_state *group, const struct worker *worker, enum status status,
               const char *reason);
/* Takes what the answer to prepare says of a case (group_case.c); `choice`: with what the
 * library chose, which makes baselines fair or not. */
void case_take(const struct group_state *group, struct case_state *entry,
               const struct prepare_reply *reply, bool choice);

/* A group may start again; its notes do not repeat. NULL is no note. */
void note_once(struct result *result, const char *note);

/* session.c: what a run of several groups begins with. `g`: number of the group, `c`: of
 * its case, `first`: of its first result. group->cases is the caller's to free. */
void session_add_result(struct session *session, size_t g, size_t c);
void group_begin(struct session *session, size_t g, size_t first,
                 struct group_state *group);
void session_tell(const struct session *session, size_t group, const char *step,
                  uint32_t done, uint32_t wanted);
/* No case disappears: what never ran is skipped, and says why. */
void run_close_pending(struct run *run, size_t group, const char *reason);

/* group.c: memory, operands, references. group_place() gives operands and answers their
 * places in the memory file and empties it; group_offsets() moves operands alone, within
 * group->block. */
int group_place(struct group_state *group, struct error *error);
int group_offsets(struct group_state *group, uint64_t seed, struct error *error);
/* Starts the worker if it does not run, and tells it where to run and what to count. */
int group_ready_worker(struct group_state *group, struct worker *worker,
                       struct error *error);
/* `copy`: it copies the operands to memory of its own, on pages of the asked size. */
int group_map_worker(struct group_state *group, struct worker *worker, bool copy,
                     struct error *error);
/* The op's owner maps the operands and writes the inputs, then the right answers. */
int group_write_inputs(struct group_state *group, struct worker *owner,
                       struct error *error);
int group_write_answers(struct group_state *group, struct error *error);
/* The answers that a case is compared with (group_case.c); n is 0 if there are none. */
struct answer_places group_answers(const struct group_state *group,
                                   const struct case_state *entry);
/* Prepares and checks one case in the worker that offers it; like runner_ask(). */
int group_prepare_case(struct group_state *group, struct case_state *entry);
/* For a check after the first one: the owner changes a part of the inputs and writes the
 * answers for a sample of outputs, both drawn from `seed`. */
int group_change(struct group_state *group, uint64_t seed, struct error *error);
/* A limit of the group's op: what it writes is no answer. */
static inline bool case_is_limit(const struct group_state *group,
                                 const struct case_state *entry)
{
    return entry->offer->is_roof && strcmp(group->plan->op, entry->offer->op);
}

/* A case that is to be traced. */
struct prepared {
    uint64_t number; /* in a worker that is not timed */
    double ops;      /* of a call, if the kernel knows better; else untouched */
    double call_ns;  /* as it was timed with this shape; 0: it was not */
    struct answer_places places; /* of the right outputs */
};
/* prove.c: traces one call of a case, by its number in a worker that is not timed, and
 * holds it against what its row says. What it cannot learn is absent, with the reason; 0,
 * -EINTR, or -EDOM: the call was wrong, and the reason says how. */
int prove_case(struct worker *worker, const struct prepared *prepared,
               const struct how *how, const struct result *result,
               struct code_proof **out);
/* -ERANGE if no core executes what was traced in the time of a call that was timed (0:
 * not known); then the census is freed. */
int prove_time(double call_ns, struct inspect_census *census, struct error *error);
/* Takes what a census tells of the whole call. */
void take_executed(const struct inspect_census *census, struct executed *executed);
/* Tells how code shows that nobody optimised it, if it does. */
void take_build(const struct inspect_census *census, char **unoptimised);
void prove_not(struct code_proof **out, const char *why);
/* True unless a case cannot run. Bad times are no reason against a proof. */
bool prove_can(const struct group_state *group, const struct case_state *entry);
/* True if a case was proved, but no call was traced as a whole. */
bool prove_wants_call(const struct code_proof *proof);
/* Gives the group a smaller shape, at which a whole call may be traced; false if there is
 * none. */
bool prove_smaller(const struct catalog *catalog, struct plan_group *group);
/* Traces a whole call of that case, which was prepared with the smaller shape, if it can
 * be traced. It returns what prove_case() does. */
int prove_call(struct worker *worker, const struct prepared *prepared,
               const struct how *how, const char *shape, struct whole_call *call);
/* Asks a worker to prepare a case that is to be traced; as worker_ask(). */
int prove_prepare(struct worker *worker, const struct prepare_call *call,
                  const struct how *how, struct prepared *prepared, struct error *error);

/* batch.c: one batch, and how many calls it should have. */

/* --timeout and what more is needed; saturates. */
int64_t timeout_with(const struct how *how, double more_ns);
#define BATCH_STOPPED "the clock did not advance during a batch"
struct batch {
    double ns;   /* 0 if the clock did not advance */
    int threads; /* threads that did something */
    bool void_;  /* on evidence: preempted, migrated, or a major fault */
    bool alone;  /* no evidence of another thread on the core */
    struct batch_reply told;
    cJSON *reply; /* owner of the texts of `told` */
};
/* Reads the reply, which stays the caller's. */
struct batch batch_read(cJSON *reply);
/* The reason why a batch of so many calls cannot have taken that time, or NULL. */
const char *batch_doubt(const struct batch *batch, uint64_t calls);
/* Looks for the number of calls that make a batch of at least `shortest_ns`. Begin with
 * one call, and run a batch of them as long as calibration_next() is true of it. It is
 * not believed if it was disturbed, for as long as there is hope of a better one. */
struct calibration {
    double shortest_ns, call_ns;
    uint64_t calls;
    int crossed, tries;
};
bool calibration_next(struct calibration *calibration, double ns, bool disturbed);

/* builds.c: true of a file that the system brings. */
bool is_of_system(const char *path);

/* runner.c: who is asked about a case: one worker in a run, one for each build in ab. */
struct runner {
    struct group_state *group;
    struct case_state *entry;
    struct worker *worker;
    uint64_t number, copy; /* of the case in it; of the code, 0: as built */
    const char *name;      /* of a build: reasons and notes begin with it; NULL: none */
    const char *more;      /* behind the name in reasons, or NULL */
    /* Batches are divided, with a look at the core between the parts, and calibration
     * believes disturbed ones. */
    bool watched;
    /* Its op may be another build's: the op's owner looks at outputs behind the first. */
    bool foreign;
};
/* The one in the worker that offers the case. */
struct runner runner_of(struct group_state *group, struct case_state *entry);
/* "head: died of ...": names the build instead of its worker. */
void runner_blame(const struct runner *runner, const char *text, char *out, size_t size);
/* Ends the case; the reason begins with the name. */
void runner_end(const struct runner *runner, enum status status, const char *text);
/* Asks the worker. On failure the case ends as wrong, failed or skipped, the reply is
 * NULL, and the result is: 0 if the others can go on, GROUP_RESTART if the group must
 * start again in fresh workers, -EINTR. A baseline whose check takes too long is no
 * failure: it is skipped. */
enum { GROUP_RESTART = 1 };
int runner_ask(const struct runner *runner, cJSON *request, int64_t timeout_ns,
               cJSON **reply);
/* The same for each verb. Sets runner->number; `describes`: the result is to describe the
 * case as this runner prepared it. */
int runner_prepare(struct runner *runner, const struct prepare_call *call,
                   bool describes);
/* The note of the reply goes to the result; `told` has none. */
int runner_check(const struct runner *runner, struct check_call *call, int64_t timeout_ns,
                 struct check_reply *told);
int runner_check_again(const struct runner *runner, uint64_t seed);
/* A batch of so many calls; the reply in `batch` is the caller's. GROUP_RESTART if the
 * case ended. */
struct batch_call runner_call(const struct runner *runner, uint64_t calls);
int runner_batch(const struct runner *runner, const struct batch_call *call,
                 struct batch *batch);
/* Finds the number of calls with which a batch of the slowest runner is as long as
 * `shortest_ns`, and the time of its call. Stores both in the entry of all runners. */
int runners_calibrate(const struct runner *runners, size_t n, double shortest_ns);
/* first_data.c: sets `matter` if calls of a case take another time on the data that the
 * last call left than on the first data. Then all calls of the group are to get the first
 * data, by group_reset_data(), and the calibration is done again. */
int runner_look_at_data(const struct runner *runner, bool *matter);
void group_reset_data(struct group_state *group);
/* Bytes of numbers that calls overwrite; 0: none, or objects, which may hold pointers and
 * are left as they are. */
double group_bytes_overwritten(const struct group_state *group);

void order_shuffle(int *order, size_t n, uint64_t *random);
/* Clock ticks stolen from the CPUs so far. */
int64_t group_steal(const struct group_state *group);
