/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a run in words. */
#include <math.h>

#include "judge/answer_kinds.h"

/* Kernels that differ in their instruction set and variant, over all sizes. */
struct family {
    const struct run *run;
    const struct result **rows; /* a case of each kernel */
    size_t n_rows;
    /* The fastest case of each size, and behind it those that may be as fast: then all of
     * them are level. */
    const struct result **best;
    bool *level;
    size_t n_best, n; /* sizes */
};

/* The kernel of a case: "avx512/fma" of "gemm/maxplus-f32/avx512/fma@64x64x64". */
const char *kernel_row(const struct result *result, size_t *length)
{
    const size_t end = strcspn(result->id, "@");
    size_t begin = end;
    for (int slashes = 0; begin > 0; begin--)
        if (result->id[begin - 1] == '/' && ++slashes == 2)
            break;
    *length = end - begin;
    return result->id + begin;
}

bool kernel_same(const struct result *a, const struct result *b)
{
    size_t length, other;
    const char *const name = kernel_row(a, &length), *const name_b =
                                                         kernel_row(b, &other);
    return length == other && memcmp(name, name_b, length) == 0;
}

/* The part of an id that all kernels of a family share stands before the kernel's name
 * and behind the shape. */
bool family_same(const struct result *a, const struct result *b)
{
    size_t unused;
    const size_t length = (size_t)(kernel_row(a, &unused) - a->id);
    const char *const set_a = strchr(a->id, ';'), *const set_b = strchr(b->id, ';');
    return strncmp(a->id, b->id, length) == 0 && text_same(a->layout, b->layout) &&
           kernel_row(b, &unused) == b->id + length && text_same(set_a, set_b);
}

bool kernel_asked(const struct result *result)
{
    return result->id && !result->is_roof && !result->is_baseline && !result->source;
}

/* Cases of other programs have no type, and do not compete with each other. */
bool kernel_measured(const struct result *result)
{
    return kernel_asked(result) && result->type && *result->type &&
           result->status == STATUS_OK && result->summary.median_ns > 0;
}

/* Finds the fastest cases of one size: the one of the least time, and those that no
 * interval tells from it, if they are close (1.05), or within the noise of that time;
 * none where a kernel is too short to be timed. */
static void size_judge(struct family *family, const struct result *like, size_t first,
                       size_t end)
{
    const struct result *const results = family->run->results, *best = NULL;
    bool brief = false;
    for (size_t i = first; i < end; i++)
        if (kernel_asked(&results[i]) && family_same(like, &results[i])) {
            brief |= results[i].status == STATUS_SHORT;
            if (kernel_measured(&results[i]) &&
                (!best || results[i].summary.median_ns < best->summary.median_ns))
                best = &results[i];
        }
    if (!best || brief)
        return;
    const size_t at = family->n_best++;
    family->best[at] = best;
    family->level[at] = false;
    family->n++;
    for (size_t i = first; i < end; i++) {
        if (&results[i] == best || !kernel_measured(&results[i]) ||
            !family_same(like, &results[i]))
            continue;
        const struct speedup speedup = result_speedup(best, &results[i]);
        if ((isfinite(speedup.ci.lo) ? speedup.ci.lo > 1 : speedup.times > 1.02) ||
            (speedup.times > 1.05 &&
             results[i].summary.median_ns > best->summary.ci_ns.hi))
            continue;
        family->best[family->n_best] = &results[i];
        family->level[family->n_best++] = family->level[at] = true;
    }
}

static void row_add(struct family *family, const struct result *result)
{
    for (size_t i = 0; i < family->n_rows; i++)
        if (kernel_same(family->rows[i], result))
            return;
    family->rows[family->n_rows++] = result;
}

/* The kernel that is among the fastest most often; of several, the one that most often
 * has the least time. */
static const struct result *most_often(const struct family *family, size_t *times)
{
    const struct result *winner = NULL;
    const struct result *const *const best = family->best;
    size_t most_first = 0;
    *times = 0;
    for (size_t i = 0; i < family->n_best; i++) {
        size_t wins = 0, first = 0;
        for (size_t j = 0; j < family->n_best; j++)
            if (kernel_same(best[i], best[j])) {
                wins++;
                first += j == 0 || best[j]->group != best[j - 1]->group;
            }
        if (wins > *times || (wins == *times && first > most_first)) {
            *times = wins;
            most_first = first;
            winner = best[i];
        }
    }
    return winner;
}

/* ---- sentences ---- */

void kernel_tell(const struct result *result, struct buffer *text)
{
    size_t length;
    const char *const name = kernel_row(result, &length);
    buffer_plain_n(text, name, length);
}

static bool is_among_best(const struct family *family, const struct result *kernel,
                          size_t group)
{
    for (size_t i = 0; i < family->n_best; i++)
        if (family->best[i]->group == group && kernel_same(family->best[i], kernel))
            return true;
    return false;
}

/* Names the kernel that is among the fastest at most sizes at which the winner is not. */
static void add_other(struct buffer *text, const struct family *family,
                      const struct result *winner)
{
    const struct result *other = NULL;
    size_t most = 0;
    for (size_t i = 0; i < family->n_best; i++) {
        size_t times = 0;
        if (kernel_same(family->best[i], winner))
            continue;
        for (size_t j = 0; j < family->n_best; j++)
            times += kernel_same(family->best[i], family->best[j]) &&
                     !is_among_best(family, winner, family->best[j]->group);
        if (times > most)
            other = family->best[i];
        most = times > most ? times : most;
    }
    if (!other)
        return;
    buffer_add(text, " (");
    kernel_tell(other, text);
    buffer_format(text, " at %zu)", most);
}

static void add_winner(struct buffer *text, const struct family *family,
                       const struct result *winner, size_t wins)
{
    const char *const sizes = family->n == 1 ? "size" : "sizes";
    size_t level = 0;
    kernel_tell(winner, text);
    if (family->n_rows == 1) {
        buffer_format(text, " was measured at %zu %s", family->n, sizes);
        return;
    }
    for (size_t i = 0; i < family->n_best; i++)
        level += kernel_same(family->best[i], winner) && family->level[i];
    buffer_format(text, " is %s of %zu kernels",
                  level == wins ? "level with another one as the fastest" : "the fastest",
                  family->n_rows);
    if (family->n == 1)
        buffer_add(text, " at one size");
    else if (wins == family->n)
        buffer_format(text, wins == 2 ? " at both sizes" : " at all %zu sizes", wins);
    else
        buffer_format(text, " at %zu of %zu sizes", wins, family->n);
    add_other(text, family, winner);
    if (level > 0 && level < wins)
        buffer_format(text, ", level with another one at %zu of them", level);
}

/* "92 to 98%", of limits that are none too low, and of cases that had the core alone: a
 * neighbour costs a kernel and its limit not the same. NULL: no such case has a limit. */
static const struct result *add_share(struct buffer *text, const struct family *family,
                                      const struct result *winner)
{
    const struct result *lowest = NULL, *highest = NULL, *beyond = NULL;
    for (size_t i = 0; i < family->n_best; i++) {
        const struct result *const result = family->best[i];
        if (!kernel_same(result, winner) || result->samples.shared ||
            !result->summary.limit.id || !(result->summary.limit.share > 0))
            continue;
        if (result->summary.limit.too_low) {
            beyond = result;
            continue;
        }
        if (!lowest || result->summary.limit.share < lowest->summary.limit.share)
            lowest = result;
        if (!highest || result->summary.limit.share > highest->summary.limit.share)
            highest = result;
    }
    if (!lowest && beyond)
        buffer_add(text, "; faster than its limit, which was measured too low");
    if (!lowest)
        return beyond;
    const double lo = round(100 * lowest->summary.limit.share),
                 hi = round(100 * highest->summary.limit.share);
    buffer_format(text, "; %.0f", lo);
    if (hi > lo)
        buffer_format(text, " to %.0f", hi);
    buffer_add(text, "% of the limit measured here");
    return lowest;
}

static void add_range(struct buffer *text, double lo, double hi)
{
    buffer_format(text, hi > 1.005 * lo ? "; %.2f to %.2f times " : "; %.2f times ",
                  hi > 1.005 * lo ? lo : hi, hi);
}

/* Adds what vectors gain, and at how many sizes that is known if not at all of them. */
static void add_scalar(struct buffer *text, const struct family *family,
                       const struct result *winner)
{
    double lo = INFINITY, hi = 0;
    size_t sizes = 0;
    for (size_t i = 0; i < family->n_best; i++) {
        const double times = scalar_times(family->run, family->best[i]);
        if (!kernel_same(family->best[i], winner) || !(times > 0))
            continue;
        lo = fmin(lo, times);
        hi = fmax(hi, times);
        sizes++;
    }
    if (hi == 0)
        return;
    add_range(text, lo, hi);
    buffer_add(text, "as fast as scalar code");
    if (sizes < family->n)
        buffer_format(text, " at %zu of %zu sizes", sizes, family->n);
}

/* Adds the range of its ratios to the baselines of one label, if they are fair. */
static void add_versus(struct buffer *text, const struct family *family,
                       const struct result *winner, const char *label, size_t length)
{
    double lo = INFINITY, hi = 0;
    for (size_t i = 0; i < family->n_best; i++) {
        if (!kernel_same(family->best[i], winner))
            continue;
        const struct versus versus =
            baseline_ratio(family->run, family->best[i], label, length);
        if (!versus.ratio || !versus.ranked || !(versus.ratio->speedup > 0))
            continue;
        lo = fmin(lo, versus.ratio->speedup);
        hi = fmax(hi, versus.ratio->speedup);
    }
    if (hi == 0)
        return;
    add_range(text, lo, hi);
    buffer_plain_n(text, length ? label : OWN_LABEL, length ? length : strlen(OWN_LABEL));
}

enum { LABELS = 3 };

static void add_baselines(struct buffer *text, const struct family *family,
                          const struct result *winner)
{
    const char *seen[LABELS];
    size_t length[LABELS], n = 0;
    for (size_t r = 0; r < winner->summary.n_ratios && n < LABELS; r++) {
        const char *const id = winner->summary.ratios[r].baseline ?: "";
        const size_t size = id_label(id, winner->op ?: "");
        bool known = false;
        for (size_t i = 0; i < n; i++)
            known |= length[i] == size && memcmp(seen[i], id, size) == 0;
        if (known)
            continue;
        seen[n] = id;
        length[n++] = size;
        add_versus(text, family, winner, id, size);
    }
}

/* A kernel that leaves so much of its limit is worth a question. */
#define WORTH_ASKING 0.9

static void family_tell(struct buffer *text, const struct family *family)
{
    size_t wins, length;
    const struct result *const winner = most_often(family, &wins);
    const size_t shared = (size_t)(kernel_row(winner, &length) - winner->id);
    buffer_plain_n(text, winner->id, shared ? shared - 1 : 0);
    buffer_plain(text, strchr(winner->id, ';') ?: "");
    if (winner->layout)
        buffer_tell(text, " (%s)", winner->layout);
    buffer_add(text, ": ");
    if (is_roof_op(winner)) {
        add_roofs(text, family->run, winner);
        return;
    }
    add_winner(text, family, winner, wins);
    const struct result *const lowest = add_share(text, family, winner);
    add_scalar(text, family, winner);
    add_baselines(text, family, winner);
    if (lowest && lowest->summary.limit.share < WORTH_ASKING)
        ask_why(text, family->run, lowest);
}

static void family_judge(struct family *family, const struct result *like)
{
    const struct run *const run = family->run;
    size_t end;
    family->n = family->n_best = family->n_rows = 0;
    for (size_t first = 0; first < run->n_results; first = end) {
        end = run_group_end(run, first);
        size_judge(family, like, first, end);
        for (size_t i = first; i < end; i++)
            if (kernel_measured(&run->results[i]) && family_same(like, &run->results[i]))
                row_add(family, &run->results[i]);
    }
}

static bool was_told(const struct run *run, const struct result *result)
{
    FOR_EACH (const struct result, earlier, run->results, run->n_results) {
        if (earlier == result)
            return false;
        if (kernel_measured(earlier) && family_same(earlier, result))
            return true;
    }
    return false;
}

void run_fastest(const struct run *run, struct answer *answer, bool *fastest)
{
    const size_t n = run->n_results + 1;
    struct family family = {.run = run,
                            .rows = must_have(calloc(n, sizeof *family.rows)),
                            .best = must_have(calloc(n, sizeof *family.best)),
                            .level = must_have(calloc(n, sizeof *family.level))};
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!kernel_measured(result) || was_told(run, result))
            continue;
        family_judge(&family, result);
        for (size_t i = 0; fastest && !is_roof_op(result) && i < family.n_best; i++)
            fastest[family.best[i] - run->results] = true;
        if (answer && family.n) {
            family_tell(&answer->text, &family);
            answer_next(answer);
        }
    }
    FREE_EACH(family.rows, family.best, family.level);
}

struct answer run_answer(const struct run *run)
{
    struct answer answer = {.n = 0};
    void (*const tell)(const struct run *run, struct answer *answer) =
        run->n_judgements        ? judged_answer
        : run->n_studies         ? studies_answer
        : run->gate              ? gate_answer
        : run_is_explained(run)  ? explained_answer
        : run_is_audit(run)      ? audit_answer
        : run_tries_threads(run) ? threads_answer
                                 : NULL;
    if (tell)
        tell(run, &answer);
    else
        run_fastest(run, &answer, NULL);
    if (!tell || tell == audit_answer || tell == threads_answer)
        doubts_answer(run, &answer);
    return answer;
}
