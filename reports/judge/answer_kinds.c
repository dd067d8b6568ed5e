/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of runs that compare builds, explain, or try numbers of threads. */
#include <math.h>
#include <string.h>

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
    (void)run;
    return has_verdict(result, VERDICT_PLACED);
}

static bool code_is_worse(const struct run *run, const struct result *result)
{
    (void)run;
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
        if (2 * gate->between > gate->threshold)
            buffer_format(text, "; noise between the runs hides changes below %.3g%%",
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

/* ---- why ---- */

/* The gain without a cause, if an experiment tells it. What leaves work out, or lies in a
 * nearer cache, is the most that code of as many instructions gains; other inputs learn
 * branches by heart, more or less. All other experiments are remedies. */
static void gain_tell(struct buffer *text, const struct explained_finding *finding)
{
    static const char *const least_work[] = {"small_shape", "near_input",   "unsaved",
                                             "edit_chain",  "edit_gather",  "edit_store",
                                             "edit_spill",  "edit_forward", "edit_call"};
    const double twice = 0.49, share = finding->share;
    const char *const name = finding->experiment ?: "";
    const bool least = text_find(least_work, ARRAY_LEN(least_work), name) >= 0;
    const char *const most = least ? "up to " : strstr(name, "input") ? "about " : "";
    if (share >= twice && share < 1)
        buffer_format(text, "%s%.2g times slower than it could be: ", most,
                      1 / (1 - share));
    else
        buffer_format(text, "%s%.0f%% of its time could be saved: ", most, 100 * share);
}

/* The largest bound, where no cause is known. */
static void limit_tell(const struct explanation *why, struct buffer *text)
{
    FOR_EACH (const struct explained_bound, bound, why->bounds, why->n_bounds) {
        if (!bound->limits || !(bound->cycles > 0))
            continue;
        buffer_tell(text, "; the largest bound: %s", bound->text);
        buffer_format(text, ", %.3g", bound->cycles);
        if (isfinite(why->cycles))
            buffer_format(text, " of %.3g", why->cycles);
        buffer_add(text, " cycles");
    }
}

static void cause_tell(const struct explanation *why, struct buffer *text)
{
    const struct explained_finding *const first = why->n_findings ? why->findings : NULL;
    if (!first || text_same(first->cause, "unexplained")) {
        if (explanation_is_whole(why)) {
            buffer_add(text, "its bounds explain its time");
        } else {
            buffer_add(text, "nothing here explains ");
            if (isfinite(why->residual_share))
                buffer_format(text, "%.0f%% of its time", 100 * why->residual_share);
            else
                buffer_add(text, "its time");
        }
        limit_tell(why, text);
        return;
    }
    if (text_same(first->cause, "at-limit"))
        buffer_add(text, "at its limit: ");
    else if (isfinite(first->share))
        gain_tell(text, first);
    else
        buffer_add(text, "most likely, ");
    buffer_plain(text, first->text ?: "");
    if (first->remedy)
        buffer_tell(text, "; try: %s", first->remedy);
}

/* The factor of the account that makes most of the difference. */
static const struct account_row *main_factor(const struct account *account)
{
    const struct account_row *most = NULL;
    for (size_t i = 1; i < account->factors.n && !account->absent; i++) {
        const struct account_row *const row = &account->factors.row[i];
        if (row->ratio > 0 && (!most || fabs(log(row->ratio)) > fabs(log(most->ratio))))
            most = row;
    }
    return most;
}

/* The place of the code, if it is half of the difference: it changes no number of
 * instructions. Else the bound that is nearest to the time of the slower one, if its
 * change is half of the difference. For one that is far from its time nothing waits,
 * however much it changes. NULL: none. */
static const struct account_row *main_bound(const struct account *account)
{
    const struct account_rows *const rows = &account->bounds;
    const struct account_row *const factor = main_factor(account);
    const struct account_row *const all = account_find(rows, BOUND_BEST_PLACE);
    const struct account_row *most = NULL;
    double longest = all ? 0.6 * fmax(all->a, all->b) : INFINITY;
    FOR_EACH (const struct account_row, row, rows->row, rows->n) {
        const bool place = text_same(row->name, BOUND_PLACEMENT);
        const bool other = place && factor && text_same(factor->name, "instructions");
        const double its = place ? INFINITY : fmax(row->a, row->b);
        if (row == all || other || !(account_share(rows, row) > 0.51) || its < longest)
            continue;
        most = row;
        longest = its * 1.02;
    }
    return most;
}

/* ", by the longest dependency", or ", as accesses change pages ..." of a cause that an
 * experiment showed. */
static void bound_tell(const struct run *run, const char *name, struct buffer *text)
{
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct explanation *const why = result->explanation;
        for (size_t i = 0; why && i < why->n_bounds; i++)
            if (text_same(why->bounds[i].name, name)) {
                buffer_tell(text, ", by %s", why->bounds[i].text ?: name);
                return;
            }
        for (size_t i = 0; why && i < why->n_findings; i++)
            if (text_same(why->findings[i].cause, name) && why->findings[i].text) {
                buffer_tell(text, ", as %s", why->findings[i].text);
                return;
            }
    }
    buffer_tell(text, ", by %s", name);
}

static void bound_answer(const struct run *run, const struct account_row *bound,
                         struct buffer *text)
{
    bound_tell(run, bound->name, text);
    buffer_format(
        text, ": %.3g against %.3g cycles an operation, %.0f%% of the difference",
        bound->a, bound->b, 100 * fmin(1, account_share(&run->account->bounds, bound)));
}

/* Factors multiply: their logarithms are parts of the difference. One whose part is only
 * a fifth smaller than that of the main one is named too, as a little noise in either
 * would make it the main one. */
#define AS_MUCH 0.8

static bool interval_has_one(const struct account_row *row)
{
    return row->ci.known && row->ci.lo <= 1 && row->ci.hi >= 1;
}

static bool is_as_much(const struct account_row *row, const struct account_row *most)
{
    return row != most && row->ratio > 0 && !interval_has_one(row) &&
           log(row->ratio) / log(most->ratio) >= AS_MUCH;
}

static void account_answer(const struct run *run, struct buffer *text)
{
    const struct account *const account = run->account;
    const struct account_row *const bound = main_bound(account);
    const struct account_row *const time = account->factors.row, *const most =
                                                                     main_factor(account);
    if (!account->factors.n || !isfinite(time->ratio))
        return;
    const bool level = interval_has_one(time);
    buffer_plain(text, account->a);
    if (level)
        buffer_add(text, " and ");
    else
        buffer_format(text, " takes %.3g times as long as ", time->ratio);
    buffer_plain(text, account->b);
    const struct account_row *const layout = account_find(&account->conditions, "layout");
    const double elsewhere = layout ? time->ratio * layout->a / layout->b : time->ratio;
    if (level) {
        buffer_add(text, " are level");
    } else if (log(elsewhere) / log(time->ratio) < 0.5) {
        buffer_format(text, ", but %.3g times with stack and data elsewhere", elsewhere);
    } else if (most) {
        buffer_tell(text, "; most of it: %s", most->name);
        buffer_format(text, " x%.3g", most->ratio);
        for (size_t i = 1; i < account->factors.n; i++)
            if (is_as_much(&time[i], most)) {
                buffer_tell(text, " and %s", time[i].name);
                buffer_format(text, " x%.3g", time[i].ratio);
            }
        if (bound)
            bound_answer(run, bound, text);
    }
}

void explained_answer(const struct run *run, struct answer *answer)
{
    struct buffer *const text = &answer->text;
    if (run->account)
        account_answer(run, text);
    answer_next(answer);
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!result->explanation)
            continue;
        buffer_tell(text, "%s: ", result->id);
        if (result->reason && !(result->summary.median_ns > 0))
            buffer_tell(text, "its time is not known: %s", result->reason);
        else
            cause_tell(result->explanation, text);
        answer_next(answer);
    }
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
            buffer_format(text, ": %d threads: at no size faster for certain", n);
        }
        answer_next(answer);
    }
}
