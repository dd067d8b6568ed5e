/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge: what is derived from the samples of a run. Summaries, rates and ratios of
 * cases (summarise.c), verdicts of comparisons (gate.c, stored.c, code_gate.c), runs
 * merged into one (merge.c), how often verdicts are true (selftest.c), what threads gain
 * (gain.h), what wide SIMD costs (license_verdict.h).
 */
#pragma once

#include "judge/gain.h"
#include "judge/license_verdict.h"
#include "model/model.h"
#include "text/text.h"

/* ---- summaries (summarise.c) ---- */

/* Derives summaries, rates, limits and ratios of one group, or of all with GROUP_ALL, for
 * cases that are ok (or noisy: no limit, no ratios). Ratios use only rounds in which both
 * cases have a sample; of cases of different sources, the medians. A baseline of one
 * instruction set is one for cases of that set only, be it the kernel's or the one that a
 * library says it chose. Results that have a summary but no samples keep it. */
#define GROUP_ALL ((size_t)-1)
void run_summarise(struct run *run, size_t group);

/* Adds "IPC 3.120, stall share 12.30%": the metrics that were asked for and have a value.
 * Returns false if there are none. */
bool metrics_text(const struct result *result, struct buffer *buffer);
/* Is one of the counters of its formula in doubt? */
bool metric_is_doubted(const struct result *result, const struct metric *metric);
/* The row of its group that --relative-to names, by an instruction set, a variant or both
 * ("scalar", "mix_c", "scalar/mix_c"): of its type, and of several the fastest. NULL:
 * there is none, or it is the result itself. */
const struct result *relative_base(const struct run *run, const struct result *result);
/* The factor by which one case is faster than another, over the rounds in which both have
 * a sample. */
struct speedup {
    double times; /* NaN without rounds */
    struct interval ci;
    size_t rounds;
};
struct speedup result_speedup(const struct result *result, const struct result *other);
/* Goes on to the next samples that both have of one round; false: there are none. */
bool result_same_round(const struct result *a, size_t *i, const struct result *b,
                       size_t *k);

/* True if the median of the times is known to within that part of it, with a reserve: a
 * run whose rounds end on it, looked at when their number doubles, keeps the level of its
 * intervals. */
bool result_precise(const struct result *result, double precision);

/* ---- does a dispatcher choose well? (audit.c) ---- */

/* Neighbouring sizes of one family of kernels at which the same is true. */
struct audit_range {
    const struct result *dispatcher; /* at the first size; NULL: the family has none */
    const struct result *better;     /* the fastest kernel, at the first size */
    const struct result *like; /* a kernel as fast as the dispatcher there, or as the
                                  fastest one if there is no dispatcher; or NULL */
    char *level; /* names of the fastest kernels if there is no dispatcher */
    const struct result *last; /* the fastest kernel at the last size */
    size_t sizes;
    double least, most; /* times that it is faster than the dispatcher; 1 without one */
    bool worse; /* the interval of each lies beyond the threshold, and the dispatcher's
                   time is not that of the fastest kernel and a few instructions more */
};
struct audit {
    struct audit_range *range; /* of one family after the other, in the run's order */
    size_t n, worse;
    size_t
        strangers; /* sizes at which the dispatcher is slower, and as fast as no kernel */
};

#define AUDIT_THRESHOLD 0.03
/* A run is an audit if its setting "dispatcher" is there: a variant's name, or "" (each
 * family's only kernel of instruction set lib, or its variant auto). */
bool run_is_audit(const struct run *run);
void run_audit(const struct run *run, struct audit *audit);
void audit_free(struct audit *audit);

/* ---- the answer in words (answer.c) ---- */

/* Adds a line for each family of kernels (op, type, settings, layout): the one that is
 * the fastest at most sizes, its share of the limit, how it compares with fair baselines,
 * and the command that asks why, if an own kernel leaves over a tenth of the limit
 * (others want --plugin). Last lines tell how many cases have no number, or a neighbour.
 * Of a run that compares builds the verdict and the command that asks why; of one that
 * explains a sentence for each case; of a study the count of verdicts and what it
 * teaches; of `threads` from how much work on they are worth while. Names are safe to
 * print. */
struct answer run_answer(const struct run *run);
/* The families of kernels, one after the other: each is told, and the fastest cases of
 * each size are marked, level ones too; either may be NULL. */
void run_fastest(const struct run *run, struct answer *answer, bool *fastest);
/* The same of what wide SIMD costs, and from which sizes on avx512 is no loss
 * (license_verdict.c). */
struct answer license_answer(const struct license *license);

/* ---- verdicts (gate.c) ---- */

/* Derives what the trials say, the verdict of each case that has any, and the counts of
 * the gate: docs/statistics.md. Cases without trials keep the verdict that they have. */
void run_judge(struct run *run);
/* True if as many processes again may decide this case (after run_judge()): it is
 * inconclusive, or its trials are unusable, or noise made delta larger than the threshold
 * and it is the same within delta alone. The error rates hold for two looks, at
 * GATE_PROCESSES and twice that. */
bool comparison_is_open(const struct comparison *comparison, double threshold);
enum { GATE_PROCESSES = 16 };

/* The times of base, or of head, by process: medians of its rounds. `ns` has room for all
 * trials twice. Returns their number. */
size_t comparison_times(const struct comparison *comparison, bool base, double *ns);

/* ---- code (code_gate.c) ---- */

/* Finds what head does worse than base, by whole calls of both: more vector spills,
 * reloads or calls in hot loops for an operation, narrower vectors, a lesser instruction
 * set. NULL: it was not traced. Exact, so there is no threshold. Into a change that is
 * all zeros. */
void code_judge(const struct code_proof *base, const struct code_proof *head,
                struct code_change *change);
/* The same of each case that both builds have, but for baselines, if the gate is one of
 * code. Times change nothing in it. */
void run_judge_code(struct run *run);
/* Adds "code at 64x64x64: " and what is worse, or nothing. False if it is nothing. */
bool code_change_text(const struct comparison *comparison, struct buffer *buffer);

/* ---- two stored runs (stored.c) ---- */

/* Turns `head` into a comparison of kind "stored" with `base`, case by case as the ids
 * say: docs/statistics.md. What only `base` has joins it, and so do the proofs of what
 * both have. -EINVAL if one of them is a comparison already. Afterwards `base` is good
 * for run_free() only. The paths are for people. */
int run_compare(struct run *head, const char *head_path, struct run *base,
                const char *base_path, double threshold, struct error *error);
/* The reason of a time without a verdict if the two runs are of different machines. */
#define OTHER_MACHINE "another machine"

/* ---- what a comparison comes to (gate_rows.c) ---- */

/* Speed against one library, a geometric mean over cases that know it. */
struct gate_versus {
    const char *label; /* points into the run; not terminated */
    size_t length;
    double before, after; /* NaN: unknown */
};
/* All usable own cases of one op and one instruction set. */
struct gate_row {
    const char *op, *isa; /* point into the run */
    size_t cases, usable, regressed, improved;
    /* Geometric means; the interval is the mean of the cases' intervals, as if their
     * errors were one. NaN: there is none. `change` is relative to what the machine
     * changed by, `raw` is not. */
    double change, raw;
    struct interval ci;
    double share_before, share_after; /* of the limit; NaN: unknown */
    struct gate_versus *versus;
    size_t n_versus;
};
/* The rows in order of their first cases; gate_rows_free() frees them. */
void gate_rows(const struct run *run, struct gate_row **rows, size_t *n);
void gate_rows_free(struct gate_row *rows, size_t n);
/* The change of libraries, whose code is the same in both runs: its median, least and
 * most. Returns their number, 0 without any. */
struct library_change {
    double median, least, most;
};
size_t gate_libraries(const struct run *run, struct library_change *change);
/* The noise, which is the change of equal code, if the builds are equal: median and most
 * of the own cases' changes, as amounts. Returns the number of cases. */
size_t gate_noise(const struct run *run, double *median, double *most);
/* The change of a case without that of the machine; its change where that is unknown. */
double comparison_relative(const struct gate *gate, double change);
/* True of an own case whose change counts in means. */
bool result_is_usable(const struct result *result);
/* Counts the verdicts of own cases among results [first, end). Returns the number of
 * usable ones, and the geometric mean of their changes; NaN: there is none. */
size_t verdicts_count(const struct run *run, size_t first, size_t end,
                      size_t verdicts[VERDICTS], double *change);
/* True of a wrong or failed case that is held against head. Libraries do not count in
 * stored runs: they are not head's. */
bool gate_is_bad(const struct run *run, const struct result *result);
/* Own cases with a change that counts, the worst first; returns their number. `list` has
 * room for all results. */
size_t gate_worst_first(const struct run *run, const struct result **list);

/* ---- merging (merge.c) ---- */

/* Takes the results of `other`, all but its roofs, into a run: those of the op, element
 * type, shape, layout and settings of one of its groups become baselines of that group,
 * the rest groups of their own at the end. Their ids begin with "NAME:", NAME being the
 * file name in `path`. Summarises anew. Afterwards `other` is good for run_free() only.
 */
void run_merge(struct run *into, struct run *other, const char *path);

/* ---- names (baseline.c, group_title.c) ---- */

/* Length of the part of a baseline's id that names it: "openblas,coretype=SkylakeX",
 * "b.json:onednn"; 0 for own kernels, which texts call OWN_LABEL: no module has that
 * name. */
#define OWN_LABEL "simdbench"
size_t baseline_label(const struct result *result);
/* The same of the id of a case of that op. */
size_t id_label(const char *id, const char *op);

/* A plug-in's row of an op of ours is compared with own rows of its group and type. */
bool result_meets_own(const struct result *result, const struct result *own);
/* Is there such a row? */
bool run_meets_own(const struct run *run);

struct versus {
    const struct ratio *ratio; /* NULL: there is none */
    bool ranked;               /* its baseline is a fair one */
};
/* The ratio of a result of the run against the baselines of that label: if there are
 * several, the fastest of the fair ones, or else of the others. */
struct versus baseline_ratio(const struct run *run, const struct result *result,
                             const char *label, size_t length);
/* The same of the run that it is compared with. */
struct versus baseline_ratio_before(const struct run *run, const struct result *result,
                                    const char *label, size_t length);

enum { WORK_SIZE = 128 };
/* "gemm/maxplus-f32@64x64x64;input=zero" of the results [first, end), and the work of one
 * call. */
void group_title(const struct run *run, size_t first, size_t end, char *name, size_t size,
                 char work[WORK_SIZE]);

/* ---- how often gates say what is true (selftest.c): docs/gate.md has the rules ---- */

/* The outcome of one gate. */
struct selftest_outcome {
    enum verdict verdict;
    double change, floor, detectable; /* as in struct comparison; NaN if unknown */
    double needed; /* of equal code: the least threshold that it is SAME with; INFINITY if
                      there is none */
    double reach;  /* half the width of its interval: a change has to be that much larger
                      than the threshold; NaN if unknown */
    double seconds;
};

/* Gates with the same true change. */
struct selftest_effect {
    double effect; /* head does that much more work: 0.02; 0 is equal code */
    bool as_built; /* slower where its code was built alone, as if its place there were
                      bad */
    struct selftest_outcome *outcomes;
    size_t n;

    /* derived by selftest_derive() */
    union {
        size_t verdicts[VERDICTS]; /* by enum verdict; NEW and GONE are unusable */
        struct {
            size_t same, improved, regressed, placed, inconclusive, unusable;
        };
    };
    double rate; /* share of gates that are REGRESSED; NaN without gates */
    struct interval rate_ci;
    double change, floor, detectable, seconds; /* medians; NaN if unknown */
};

struct selftest {
    char *tool_version, *tool_commit, *started_at, *cpu, *fingerprint;
    char *case_id;
    uint64_t seed;
    double threshold, call_ns;
    uint32_t processes, rounds;
    struct selftest_effect *effects;
    size_t n_effects;
    double total_seconds;

    /* derived by selftest_derive() */
    double
        recommended; /* threshold; 0: no gates of equal code, INFINITY: none is enough */
    double reliable; /* the least change that is found for sure with it; NaN: unknown */
    const struct selftest_effect *found; /* the least one that was; NULL: none was */
    struct directions equal; /* gates of equal code in which head seemed slower, faster */
    char *summary;           /* a line that others cite; NULL: no gates */
};

/* A change counts as found if it is called in this share of gates, and a threshold is
 * recommended with which this share of gates calls equal code SAME. */
#define SELFTEST_SHARE 0.95
#define SELFTEST_THRESHOLD_STEP 0.005

void selftest_add(struct selftest_effect *effect, const struct comparison *comparison,
                  double seconds);
void selftest_derive(struct selftest *selftest);
/* Frees the strings and arrays, not the struct itself. */
void selftest_clear(struct selftest *selftest);
