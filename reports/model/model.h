/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: a run as data, with its cases, samples and comparisons, and the functions
 * that build it. The other rooms read it or derive its derived fields.
 */
#pragma once

#include <stddef.h>

#include "account_model.h"
#include "comparison_model.h"
#include "error.h"
#include "explain_model.h"
#include "judgement.h"
#include "model/code_proof.h"
#include "stats/stats.h"
#include "study/study.h"
#include "text/text.h"

/* Bytes of a name: of a module, an op, a variant, a layout, a label. */
enum { MODEL_NAME_MAX = 256 };

enum status {
    STATUS_PENDING,
    STATUS_OK,
    STATUS_SKIPPED,
    STATUS_WRONG,
    STATUS_FAILED,
    STATUS_NOISY,
    STATUS_SHORT,     /* a call takes no longer than the loop that times it */
    STATUS_SUSPECT,   /* it is faster than its limit allows */
    STATUS_UNCHECKED, /* there is nothing to compare its results with */
    STATUS_COUNT
};
const char *status_name(enum status status);
/* True of a result that is not what was asked for: wrong or failed. */
bool status_is_bad(enum status status);
/* True of a result whose time is shown: ok, or suspect or unchecked, which stand in no
 * mean and have no ratio. */
bool status_has_time(enum status status);

struct setting {
    char *name, *value;
};

struct ratio {
    char *baseline; /* case id */
    double speedup; /* over 1: this case is faster */
    bool unpaired;  /* of medians of two runs: no interval */
    struct interval ci;
};

struct counter {
    char *name;       /* as asked for, or "page-faults" and the like */
    char *event;      /* qualified event string, NULL for resource usage */
    char *config;     /* raw config in hex, NULL likewise */
    char *scope;      /* "user", "user and kernel"; NULL for resource usage */
    char *absent;     /* reason; then there is no value */
    char *fix;        /* remedy, if there is any */
    char *errno_name; /* of the call that failed, NULL: none did */
    char *verdict;    /* "proven", "unproven", "dead", "wrong"; NULL: not tried */
    char *doubt;  /* reason why the value may not be what its name says; NULL: it is */
    double code;  /* its errno, or 0 */
    bool asked;   /* the user named it: the table has a column for it */
    double value; /* median per call; NaN if there are no samples */
    double per_element; /* value / ops; NaN if unknown */
    double overhead;    /* of the loop, per call; the value is without it */
    double running_share;
    double voided;   /* samples that were thrown away: no core counts so much */
    double threads;  /* number of threads that it is the sum of, at most; 0: all, of
                        resource usage */
    bool user_read;  /* without system calls */
    double *samples; /* raw count of each batch */
    size_t n;
    size_t n_alone; /* the first of them: of batches that had the core alone */
};

/* A number derived from counters and what else is known of a case. `formula`: names of
 * counters, `elements` (operations of a call), `ns` (its median), `probe-ghz`, `tsc-ghz`,
 * and numbers, joined by + - * / and parentheses. */
struct metric {
    char *name, *unit, *formula; /* unit: may be empty */
    bool asked;                  /* the user wants to see it */
    double value;                /* NaN: something that it needs is not known */
};

struct limit {
    char *id;          /* roof case; NULL: none */
    double gops, gbps; /* one of them, the other 0 */
    double share;      /* measured / limit, paired by round */
    bool too_low;      /* share above 1.02: the limit was measured too low */
    bool guessed;      /* the kernel names none: a stream of its operands */
};

/* Valid batches beside which another thread ran on the core, by the evidence of probes
 * before and after each. */
struct apart {
    double *samples_ns; /* raw totals */
    uint32_t *rounds;   /* ascending; a round may have several */
    size_t n;
};

/* The library that brings a case. */
struct module_of {
    char *name; /* NULL: own kernel */
    struct setting *options;
    size_t n_options;
    char *version, *core, *isa; /* the library's own words; may be NULL */
};

/* Work of one call. */
struct work {
    double ops, bytes;
    char *level;        /* of op roof: "registers", "L1", ..., "memory", the first level
                           that holds its operands; NULL: unknown, or another op */
    double working_set; /* of op roof: bytes that a call touches */
    char *input_hash;   /* of the bytes of all inputs, NULL: unknown */
};

/* Errors of the outputs that were checked. */
struct accuracy {
    bool known; /* best set by the plan, with NAN until the case is checked: the table has
                   a column for it */
    double max_ulp, mean_ulp, worst_input;
};

/* Raw measurements. Room `measure` and readers of files write it. */
struct samples {
    double prepare_ns;
    double workspace_bytes; /* memory beyond the operands */
    uint64_t iterations;    /* calls a batch */
    double *ns;             /* raw total of each valid batch */
    uint32_t *rounds;       /* the round that each sample belongs to, ascending */
    size_t n;
    struct apart apart;
    bool shared; /* too few batches had the core alone: those apart are samples too */
    uint32_t subnormal; /* batches whose arithmetic met subnormal numbers, or may have */
    char *stopped; /* reason for the end of the rounds: "precision", "time", "rounds"; or
                      NULL */
    double overhead_ns; /* of the loop, per call */
    uint32_t voided;    /* batches thrown away on evidence */
    double *voided_ns;  /* their raw totals, as far as they are known */
    size_t n_voided_ns;
    double *clock_ghz; /* clock probes beside this case's batches */
    size_t n_clock;
    struct counter *counters;
    size_t n_counters;
};

/* Derived by run_summarise() from the samples. */
struct summary {
    double median_ns, min_ns, mad_ns; /* per call, overhead subtracted */
    struct interval ci_ns;
    char *ci_reason; /* reason why there is no interval */
    double gops, gbps;
    struct limit limit;
    struct ratio *ratios; /* against each baseline of the group */
    size_t n_ratios;
    double ghz; /* median; 0: unknown */
    struct interval ghz_ci;
};

/* The code of a case. */
struct code {
    char *unoptimised;    /* evidence that nobody optimised it: "its debug
                             information says -O0"; NULL: it does not, or nobody looked */
    char *implementation; /* the kernel's choice for this case; NULL: no choice */
    char *print; /* equal ones: the same code and data of its file; NULL: not known */
    /* Proofs of what it executes; base's too, if builds are compared. NULL: nobody asked.
     */
    struct code_proof *proof, *base_proof;
};

/* One case. The plan knows the id and its parts, the module, the work, and the names of
 * the counters that were asked for: the table's columns follow from these alone. */
struct result {
    size_t group; /* cases with the same number are compared with each other; they stand
                     together and numbers ascend */
    char *id, *op, *type, *isa, *variant, *shape;
    struct setting
        *settings; /* those that differ from their default, in their fixed order */
    size_t n_settings;
    int threads, threads_used; /* asked for; that worked, 0: unknown */
    struct module_of module;
    bool is_roof, is_baseline;
    char *layout;   /* of the operands, if the op has more than one; or NULL */
    char *unranked; /* reason why this baseline is no fair comparison: its ratios stand in
                       the table, not in means; NULL: it is */
    char *source;   /* name of the source that it was merged from; NULL: measured here */
    char *limit_id; /* id of the roof case that limits it, NULL: none */
    enum status status;
    char *reason; /* for every status but ok; never NULL then */
    char **notes; /* warnings about an ok case: "narrower than this CPU: ..." */
    size_t n_notes;
    struct work work;
    struct accuracy accuracy;
    struct samples samples;
    struct summary summary;
    struct code code;
    struct metric *metrics; /* their values are derived by run_summarise */
    size_t n_metrics;
    struct comparison *comparison;   /* NULL: the run compares no builds */
    struct explanation *explanation; /* NULL: nobody asked why */
};

/* A named fact about host or settings. */
enum fact_kind { FACT_TEXT, FACT_NUMBER, FACT_BOOL };
struct fact {
    char *name;
    enum fact_kind kind;
    char *text;
    double number; /* also 0 or 1 of a bool */
    bool identity; /* host only: part of the fingerprint; JSON repeats it there */
};

struct facts {
    struct fact *fact;
    size_t n;
};

/* A run whose results were merged into another one. */
struct source {
    char *name; /* its file, without folders; a number follows if that is not unique */
    char *fingerprint, *cpu, *started_at, *tool_version; /* as in struct run */
    char *node;
};

struct run {
    int schema_version;
    char *tool_version, *tool_commit, *tool_compiler, *tool_flags;
    char *tool_build_id; /* in hex; NULL: it has none */
    char **plugins;      /* "PATH BUILD-ID-HASH" each, the hash of all bytes */
    size_t n_plugins;
    char **libraries; /* the same of those that plug-ins load */
    size_t n_libraries;
    char *started_at; /* ISO 8601, UTC */
    char **argv;
    size_t argc;
    char *seed;
    struct facts settings;
    char *fingerprint;
    struct facts host; /* all but the three below */
    char **isas;
    size_t n_isas;
    char *pmu_state, *pmu_reason;
    struct result *results; /* in plan order */
    size_t n_results;
    struct source *sources;
    size_t n_sources;
    struct gate *gate;       /* NULL: the run compares no builds */
    struct account *account; /* of two cases; NULL: nobody asked */
    struct study *studies;   /* studies of the run; tables show these alone */
    size_t n_studies;
    struct judgement *judgements;
    size_t n_judgements;
    bool interrupted;
};

enum { RUN_SCHEMA_VERSION = 1 };
extern const struct fields run_fields, tool_fields, run_sources, run_account,
    result_settings;

/* Building blocks. All strings are copied; *_add functions append and return the new
 * entry. */
struct run *run_new(void);
void run_free(struct run *run);
void run_delete(struct run **run); /* for FREED_BY() */
struct result *
run_add_result(struct run *run); /* zeroed; earlier pointers become invalid */
void facts_text(struct facts *facts, const char *name, const char *text);
/* In place of the text of that name, if there is one. */
void facts_replace(struct facts *facts, const char *name, const char *text);
void facts_number(struct facts *facts, const char *name, double number);
void facts_bool(struct facts *facts, const char *name, bool value);
/* Facts of that name and kind: NULL and NaN if there is none. */
const char *facts_find_text(const struct facts *facts, const char *name);
double facts_find_number(const struct facts *facts, const char *name);
/* True if its CPU was emulated: times are then no evidence of anything. */
bool run_is_emulated(const struct run *run);
/* The id of a case of another program: "BM_sort/64/8" is of op BM_sort, and its shape is
 * 64x8. Texts that are none of its name are empty. */
void result_set_name(struct result *result, const char *name);
void result_set_status(struct result *result, enum status status, const char *reason);
void result_add_note(struct result *result, const char *note);
/* -EINVAL for numbers that are not finite or below 0, and for rounds that do not ascend.
 */
int result_add_sample(struct result *result, uint32_t round, double ns);
/* The same for a batch that is set apart. */
int result_add_apart(struct result *result, uint32_t round, double ns);
/* Makes a sample of a batch that is apart for each round without one: the result is
 * shared. */
void result_join_apart(struct result *result);
/* The raw total of a batch that counts in `voided`. */
int result_add_voided(struct result *result, double ns);
int result_add_clock(struct result *result, double ghz);
void result_add_setting(struct result *result, const char *name, const char *value);
void result_add_module_option(struct result *result, const char *name, const char *value);
struct counter *result_add_counter(struct result *result, const char *name);
int counter_add_sample(struct counter *counter, double value);
/* Its value is NaN until it is derived. */
struct metric *result_add_metric(struct result *result, const char *name,
                                 const char *unit, const char *formula);
void result_clear_ratios(struct result *result);
/* The comparison of a case, the gate of a run; a new one if there is none yet. */
struct comparison *result_comparison(struct result *result);
/* The placement of a comparison, of which nothing is known. */
struct placement *comparison_placement(struct comparison *comparison);
/* "same", "nearly", "other"; NULL: not known. */
const char *equality_name(enum code_equality equality);
struct gate *run_gate(struct run *run);
struct arm *gate_add_arm(struct gate *gate, const char *name, const char *path);
/* -EINVAL for times that are not positive (control may be 0), and for processes that do
 * not ascend. */
int comparison_add_trial(struct comparison *comparison, const struct trial *trial);
/* Drops samples, clock probes, counts and all that is derived, so that a group can start
 * again; keeps the names of counters. */
void result_clear_samples(struct result *result);

/* True if the result was measured well enough to have a median, here or elsewhere. */
bool result_has_summary(const struct result *result);
/* "kernel", "baseline" or "roof". */
const char *result_role(const struct result *result);
/* "f32" of "maxplus-f32": kernels of all semirings share a group. */
const char *result_element(const struct result *result);
/* Time of a call in a sample, without what the loop costs. */
double result_per_call(const struct result *result, size_t sample);
/* Its results that have an id and are wanted (NULL: all), by id and then in their order;
 * to be freed. */
struct result **run_by_id(const struct run *run,
                          bool (*wanted)(const struct result *result), size_t *n);
/* Index behind the last result of the group that begins at `first`. */
size_t run_group_end(const struct run *run, size_t first);
/* True if a gate of code found it worse; and how many cases these are. */
bool result_code_is_worse(const struct result *result);
size_t run_code_worse(const struct run *run);
/* True if both times are known, so there is a change. */
bool comparison_has_change(const struct comparison *comparison);
/* True if it was judged at the best places, so that there is a change as built, too. */
bool comparison_is_moved(const struct comparison *comparison);
