/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of runs that compare builds, or try numbers of threads. */
#include <math.h>

#include "judge/answer_kinds.h"

/* Cases that a sentence names. */
enum { NAMED = 3 };

/* Commands name no word that could mean more to a shell. */
bool is_harmless(const char *word)
{
    return word && *word && *word != '-' &&
           !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_-+.,:;=@/")];
}

/* ---- roofs ---- */

bool is_roof_op(const struct result *result)
{
    return text_same(result->op, "roof");
}

static bool same_level(const struct result *a, const struct result *b)
{
    return kernel_measured(b) && family_same(a, b) &&
           text_same(a->work.level, b->work.level);
}

static double roof_rate(const struct result *result)
{
    return result->summary.gbps > 0 ? result->summary.gbps : result->summary.gops;
}

void add_roofs(struct buffer *text, const struct run *run, const struct result *like)
{
    const char *joint = "at most";
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct result *best = result, *first = NULL;
        if (!kernel_measured(result) || !family_same(like, result))
            continue;
        FOR_EACH (const struct result, other, run->results, run->n_results)
            if (same_level(result, other)) {
                first = first ?: other;
                best = roof_rate(other) > roof_rate(best) ? other : best;
            }
        if (first != result)
            continue;
        buffer_format(text, "%s %.4g %s", joint, roof_rate(best),
                      best->summary.gbps > 0 ? "GB/s" : "Gop/s");
        if (best->work.level)
            buffer_tell(text, " in %s", best->work.level);
        buffer_add(text, " (");
        kernel_tell(best, text);
        buffer_add(text, ")");
        joint = ",";
    }
}

/* ---- two builds ---- */

static void add_count(struct buffer *text, size_t n, const char *what)
{
    if (n)
        buffer_format(text, ", %zu %s", n, what);
}

static bool has_verdict(const struct result *result, enum verdict verdict)
{
    return result->comparison && !result->is_baseline &&
           result->comparison->verdict == verdict;
}

/* The regressed case with the largest change that is smaller than that of `before`. */
static const struct result *next_worst(const struct run *run, const struct result *before)
{
    const struct result *worst = NULL;
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!has_verdict(result, VERDICT_REGRESSED))
            continue;
        const double change = result->comparison->change;
        const bool later = !before || change < before->comparison->change ||
                           (change == before->comparison->change && result > before);
        if (later && (!worst || change > worst->comparison->change))
            worst = result;
    }
    return worst;
}

static void add_regressed(const struct run *run, struct buffer *text)
{
    const struct result *result = NULL;
    size_t named = 0;
    while (named < NAMED && (result = next_worst(run, result))) {
        buffer_tell(text, "%s%s", named++ ? ", " : ": ", result->id);
        buffer_format(text, " %+.2f%%", 100 * result->comparison->change);
    }
    if (run->gate->regressed > named)
        buffer_format(text, " and %zu more", run->gate->regressed - named);
}

typedef bool is_named(const struct run *run, const struct result *result);

static bool is_placed(const struct run *run, const struct result *result)
{
    return has_verdict(result, VERDICT_PLACED);
}

static bool code_is_worse(const struct run *run, const struct result *result)
{
    return result_code_is_worse(result);
}

static size_t count_named(const struct run *run, is_named *is)
{
    size_t n = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        n += is(run, result);
    return n;
}

/* Names the first cases of a kind; those that are placed with their changes as built, the
 * first one that is bad with its reason. */
static void add_named(const struct run *run, is_named *is, struct buffer *text)
{
    const size_t n = count_named(run, is);
    size_t named = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct placement *const placement =
            result->comparison ? result->comparison->placement : NULL;
        if (named == NAMED || !is(run, result))
            continue;
        buffer_tell(text, "%s%s", named++ ? ", " : ": ", result->id);
        if (is == is_placed && placement && isfinite(placement->change))
            buffer_format(text, " %+.2f%%", 100 * placement->change);
        if (is == gate_is_bad && named == 1 && result->reason)
            buffer_tell(text, " (%s)", result->reason);
    }
    if (n > named)
        buffer_format(text, " and %zu more", n - named);
}

static void noise_tell(const struct run *run, struct buffer *text)
{
    double median, most;

    if (run->gate->equal && run->gate->harness)
        buffer_add(text, "; both are the same program");
    else if (run->gate->equal && gate_noise(run, &median, &most))
        buffer_format(text,
                      "; same build: what differs is the noise between the runs, %.2f%% "
                      "at the median of the cases and %.2f%% at most",
                      100 * median, 100 * most);
}

static size_t verdicts_of(const struct gate *gate)
{
    return gate->regressed + gate->improved + gate->same + gate->placed +
           gate->inconclusive + gate->unusable + gate->only_one;
}

static void verdict_tell(const struct run *run, struct buffer *text)
{
    const struct gate *const gate = run->gate;
    const size_t cases = verdicts_of(gate);
    const char *const s = cases == 1 ? "" : "s";
    const bool undecided = gate->inconclusive || gate->unusable;
    const size_t bad = count_named(run, gate_is_bad);

    if (gate->regressed) {
        buffer_format(text, "REGRESSED: %zu of %zu case%s by more than %.4g%%",
                      gate->regressed, cases, s, 100 * gate->threshold);
        add_regressed(run, text);
        add_count(text, bad, "wrong or failed");
    } else if (bad) {
        buffer_format(text, "FAILED: %zu of %zu case%s wrong or failed", bad, cases, s);
    } else if (gate->placement && gate->placed) {
        buffer_format(text,
                      "PLACED: %zu of %zu case%s slower as built by more than %.4g%%",
                      gate->placed, cases, s, 100 * gate->threshold);
        add_named(run, is_placed, text);
        buffer_add(text, " (--placement=fail)");
    } else if (cases == gate->only_one) {
        buffer_format(text, "NOTHING COMPARED: none of %zu case%s is in both", cases, s);
    } else if (gate->refused) {
        buffer_tell(text, "NOT JUDGED: the runs are not known to be of one machine: %s",
                    gate->refused);
    } else {
        buffer_format(text, "%s: none of %zu case%s regressed by more than %.4g%%",
                      undecided ? "UNDECIDED" : "PASSED", cases, s,
                      100 * gate->threshold);
        add_count(text, gate->improved, "improved");
        add_count(text, gate->placed,
                  "placed (slower as built, by the place of the code)");
        add_count(text, gate->inconclusive, "inconclusive");
        add_count(text, gate->unusable, "unusable");
        add_count(text, gate->only_one, "in one of the two only");
        /* Two runs at different times have this noise; a gate of one run tells each case
         * apart. */
        const double between = fmin(gate->between, gate->between_alone);
        if (2 * between > gate->threshold)
            buffer_format(text, "; noise between the runs hides changes below %.3g%%",
                          200 * between);
        if (2 * gate->between > gate->threshold && gate->between > between)
            buffer_format(text, "; a neighbour on the core, those below %.3g%%",
                          200 * gate->between);
        if (undecided)
            buffer_add(text, gate->strict ? " (--strict: this fails)"
                                          : " (--strict would fail)");
    }
    if (bad)
        add_named(run, gate_is_bad, text);
}

static const char *arm_path(const struct gate *gate, const char *name)
{
    FOR_EACH (const struct arm, arm, gate->arms, gate->n_arms)
        if (text_same(arm->name, name))
            return arm->path;
    return NULL;
}

/* "mix.so", "libz.so.1" */
static bool is_library(const char *path)
{
    const char *const end = path ? strstr(basename(path), ".so") : NULL;
    return end && (!end[3] || end[3] == '.') && is_harmless(path);
}

/* The name of the case asks how two builds of a plug-in, or of a library of declared
 * functions, differ. */
static void why_tell(const struct run *run, struct buffer *text)
{
    const struct gate *const gate = run->gate;
    const char *const base = arm_path(gate, "base"), *const head = arm_path(gate, "head");

    if (!text_same(gate->kind, "paired") || gate->harness || !is_library(base) ||
        !is_library(head))
        return;
    const struct result *const worst = next_worst(run, NULL);
    if (worst && gate->functions && !*gate->functions) {
        buffer_add(text, "Why: add --save=mix.json to this command; its last line will "
                         "be the command that asks");
        return;
    }
    if (worst && is_harmless(worst->id))
        buffer_format(text, "Why: simdbench explain %s %s '%s'", base, head, worst->id);
    if (text->length && gate->functions && is_harmless(gate->functions))
        buffer_format(text, " --functions=%s", gate->functions);
}

void gate_answer(const struct run *run, struct answer *answer)
{
    struct buffer *const text = &answer->text;
    const size_t worse = run_code_worse(run);

    if (worse) {
        const size_t cases = verdicts_of(run->gate);
        buffer_format(text, "CODE IS WORSE: %zu of %zu case%s", worse, cases,
                      cases == 1 ? "" : "s");
        add_named(run, code_is_worse, text);
        answer_next(answer);
    }
    verdict_tell(run, text);
    noise_tell(run, text);
    if (run->interrupted && text_same(run->gate->kind, "stored"))
        buffer_add(text, "; run 2 was interrupted");
    answer_next(answer);
    why_tell(run, text);
    answer_next(answer);
}

/* ---- threads ---- */

/* The next larger number of threads of which a group also has one. 0: there is none. */
static int next_threads(const struct run *run, int last)
{
    int next = 0;
    FOR_EACH (const struct result, one, run->results, run->n_results)
        if (!one->is_roof && one->threads <= 1)
            FOR_EACH (const struct result, many, run->results, run->n_results)
                if (many->group == one->group && many->threads > last &&
                    (!next || many->threads < next))
                    next = many->threads;
    return next;
}

bool run_tries_threads(const struct run *run)
{
    return next_threads(run, 1) > 0;
}

void threads_answer(const struct run *run, struct answer *answer)
{
    struct buffer *const text = &answer->text;
    for (int n = next_threads(run, 1); n; n = next_threads(run, n)) {
        const char *shape = "";
        const double ops = gain_least_work(run, (uint32_t)n, &shape);
        buffer_plain(text, run->n_results ? run->results[0].op : "");
        if (isfinite(ops)) {
            char least[NUMBER_SIZE];
            text_scaled(ops, "op", least);
            buffer_format(text, ": %d threads are faster from %s a call on (", n, least);
            buffer_tell(text, "%s)", shape);
        } else {
            buffer_format(text,
                          isnan(ops) ? ": %d threads: not known, as no case has times "
                                       "with one thread and with these"
                                     : ": %d threads: at no size faster for certain",
                          n);
        }
        answer_next(answer);
    }
}

/* The fastest scalar kernel beside a case, or NULL. */
static const struct result *scalar_beside(const struct run *run,
                                          const struct result *result)
{
    const struct result *best = NULL;
    FOR_EACH (const struct result, other, run->results, run->n_results)
        if (other->group == result->group && kernel_measured(other) &&
            text_same(other->isa, "scalar") && family_same(other, result) &&
            (!best || other->summary.median_ns < best->summary.median_ns))
            best = other;
    return best;
}

double scalar_times(const struct run *run, const struct result *result)
{
    const struct result *const scalar = scalar_beside(run, result);
    if (!scalar || scalar == result || scalar->samples.shared || result->samples.shared)
        return 0;
    const struct speedup speedup = result_speedup(result, scalar);
    return speedup.ci.known ? speedup.times : 0;
}
