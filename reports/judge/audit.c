/* SPDX-License-Identifier: Apache-2.0 */
/* Does a dispatcher choose the fastest of the kernels that it has? */
#include <math.h>

#include "judge/answer_kinds.h"

bool run_is_audit(const struct run *run)
{
    return facts_find_text(&run->settings, "dispatcher") != NULL;
}

/* Facts of one size. */
struct size {
    const struct result *dispatcher, *best, *like;
    struct buffer level; /* names of the fastest kernels if there is no dispatcher */
    double times;        /* advantage of the best kernel over the dispatcher */
    bool worse;
    bool stranger; /* the dispatcher is about as fast as no kernel */
    bool whole;    /* all kernels that this CPU can run have a time, and it decides */
    bool lone;     /* all others take so much longer than the best that no thread on the
                      same core can be the reason */
};

/* A dispatcher costs a branch or a jump beside what it calls: a part of a long call, and
 * of a short one so much that nobody can tell it from another choice: less than 2.5 ns,
 * about twice what a jump and a comparison cost (1.28 ns, measured on Zen 4 at load 10).
 */
#define ABOUT 0.1
#define OWN_NS 2.5

/* A thread on the same core takes up to half of it from code that uses all of it, and
 * nearly nothing from code that waits: two kernels may differ by that alone. */
#define CORE_HALVED 2.0
/* It also takes caches, so that code with tables may need three times as long. */
#define CORE_ACCUSED 4.0

/* Without a name it is the only kernel that says of itself that it chooses, or the one of
 * these that the op is named after. */
static bool is_dispatcher(const struct run *run, const struct result *result)
{
    const char *const name = facts_find_text(&run->settings, "dispatcher");
    if (name && *name)
        return text_same(result->variant, name);
    if (text_same(result->variant, "auto"))
        return true;
    size_t same = 0;
    FOR_EACH (const struct result, other, run->results, run->n_results)
        same += other->group == result->group && text_same(other->isa, "lib") &&
                family_same(result, other);
    return text_same(result->isa, "lib") &&
           (same == 1 || text_same(result->variant, result->op));
}

/* The kernel whose time is closest to that of the dispatcher, if one is about as fast. */
static void find_like(const struct run *run, struct size *size, size_t first, size_t end)
{
    double nearest = log1p(ABOUT);
    for (size_t i = first; i < end; i++) {
        const struct result *const other = &run->results[i];
        if (other == size->dispatcher || !kernel_measured(other) ||
            !family_same(size->dispatcher, other))
            continue;
        const double times = result_speedup(size->dispatcher, other).times;
        if (fabs(log(times)) < nearest) {
            nearest = fabs(log(times));
            size->like = other;
        }
    }
}

/* The best kernel is faster than `slow`, or slower by `about` at most, or it is not
 * known: an interval says neither, or a neighbour on the core disturbed one of them. One
 * that is as fast beside a neighbour is the same code, if no other kernel is near. */
enum held { HELD_UNKNOWN, HELD_LEVEL, HELD_WORSE };
static enum held hold_against(const struct size *size, const struct result *slow,
                              double about)
{
    const struct interval ci = result_speedup(size->best, slow).ci;
    const bool known = ci.known && isfinite(ci.lo);
    const bool shared = size->best->samples.shared || slow->samples.shared;
    const double least = (1 + AUDIT_THRESHOLD) * (shared ? CORE_ACCUSED : 1);
    return known && ci.lo > least                                   ? HELD_WORSE
           : known && ci.hi <= 1 + about && (!shared || size->lone) ? HELD_LEVEL
                                                                    : HELD_UNKNOWN;
}

/* Holds all kernels but the dispatcher against the best one. */
static bool is_lone(const struct run *run, const struct size *size, size_t first,
                    size_t end)
{
    bool lone = true;
    for (size_t i = first; i < end; i++) {
        const struct result *const other = &run->results[i];
        if (!kernel_measured(other) || !family_same(size->best, other) ||
            other == size->best || other == size->dispatcher)
            continue;
        const struct interval ci = result_speedup(size->best, other).ci;
        lone &= ci.known && ci.lo > (1 + AUDIT_THRESHOLD) * CORE_HALVED;
    }
    return lone;
}

/* It chose the fastest, or one as fast, and its own code costs the difference. If it is
 * as fast as no kernel, nobody knows why. */
static void find_excuse(const struct run *run, size_t first, size_t end,
                        struct size *size)
{
    enum held held = HELD_LEVEL;
    find_like(run, size, first, end);
    if (size->like && size->like != size->best)
        held = hold_against(size, size->like, ABOUT);
    size->worse = held == HELD_WORSE;
    size->stranger = size->whole && !size->like;
    size->whole &= size->like && held != HELD_UNKNOWN;
    if (size->worse &&
        size->dispatcher->summary.median_ns - size->best->summary.median_ns < OWN_NS)
        size->worse = size->whole = false;
}

/* Without a dispatcher: the kernels that are not slower than the best one by 3%. */
static void find_level(const struct run *run, size_t first, size_t end, struct size *size)
{
    for (size_t i = first; i < end; i++) {
        const struct result *const other = &run->results[i];
        enum held held = HELD_LEVEL;
        if (!kernel_measured(other) || !family_same(size->best, other))
            continue;
        if (other != size->best)
            held = hold_against(size, other, AUDIT_THRESHOLD);
        size->whole &= held != HELD_UNKNOWN;
        if (held != HELD_LEVEL)
            continue;
        if (other != size->best)
            size->like = size->like ?: other;
        buffer_add(&size->level, size->level.length ? " and " : "");
        kernel_tell(other, &size->level);
    }
}

/* The fastest kernel is compared with the dispatcher over the rounds of both. */
static void size_judge(const struct run *run, const struct result *of, size_t first,
                       size_t end, struct size *size)
{
    *size = (struct size){.times = 1, .whole = true};
    for (size_t i = first; i < end; i++) {
        const struct result *const result = &run->results[i];
        if (!family_same(of, result) || result->status == STATUS_SKIPPED)
            continue;
        size->whole &= kernel_measured(result);
        if (!kernel_measured(result))
            continue;
        if (is_dispatcher(run, result))
            size->dispatcher = result;
        else if (!size->best || result->summary.median_ns < size->best->summary.median_ns)
            size->best = result;
    }
    size->lone = size->best && is_lone(run, size, first, end);
    if (size->best && size->dispatcher) {
        const enum held held = hold_against(size, size->dispatcher, ABOUT);
        size->times = result_speedup(size->best, size->dispatcher).times;
        size->worse = held == HELD_WORSE;
        size->whole &= held != HELD_UNKNOWN;
    }
    if (size->worse)
        find_excuse(run, first, end, size);
    else if (size->best && !size->dispatcher)
        find_level(run, first, end, size);
}

/* A size joins the range before it if the same is true of both. */
static bool joins(const struct audit_range *range, const struct size *size)
{
    if (!range || range->worse != size->worse || !range->dispatcher != !size->dispatcher)
        return false;
    return size->dispatcher ? !size->worse || kernel_same(range->better, size->best)
                            : !strcmp(range->level, size->level.text);
}

static void add_size(struct audit *audit, size_t begin, struct size *size)
{
    struct audit_range *range = audit->n > begin ? &audit->range[audit->n - 1] : NULL;
    if (!joins(range, size)) {
        range = LIST_ADD(audit, range, n);
        audit->worse += size->worse;
        *range = (struct audit_range){.dispatcher = size->dispatcher,
                                      .better = size->best,
                                      .like = size->like,
                                      .level = size->level.text,
                                      .least = size->times,
                                      .most = size->times,
                                      .worse = size->worse};
        size->level.text = NULL;
    }
    range->last = size->best;
    range->sizes++;
    range->least = fmin(range->least, size->times);
    range->most = fmax(range->most, size->times);
}

/* The first result of a family that was measured, or of its dispatcher; or NULL. */
static const struct result *first_of(const struct run *run, const struct result *family,
                                     bool dispatcher)
{
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (kernel_measured(result) && family_same(family, result) &&
            (!dispatcher || is_dispatcher(run, result)))
            return result;
    return NULL;
}

void run_audit(const struct run *run, struct audit *audit)
{
    *audit = (struct audit){.n = 0};
    FOR_EACH (const struct result, family, run->results, run->n_results) {
        if (first_of(run, family, false) != family)
            continue;
        const size_t begin = audit->n;
        const bool chosen = first_of(run, family, true);
        size_t end;
        for (size_t first = 0; first < run->n_results; first = end) {
            struct size size;
            end = run_group_end(run, first);
            size_judge(run, family, first, end, &size);
            if (size.best && (size.worse || size.whole) &&
                chosen == (size.dispatcher != NULL))
                add_size(audit, begin, &size);
            audit->strangers += size.stranger;
            free(size.level.text);
        }
    }
}

void audit_free(struct audit *audit)
{
    FOR_EACH (struct audit_range, range, audit->range, audit->n)
        free(range->level);
    free(audit->range);
    *audit = (struct audit){.n = 0};
}

/* ---- the answer in words ---- */

static void add_times(struct buffer *text, const struct audit_range *range)
{
    if (range->most > 1.005 * range->least)
        buffer_format(text, "%.2f to %.2f times", range->least, range->most);
    else
        buffer_format(text, "%.2f times", range->most);
}

/* "libmix:mix/f32, 64 to 4096 (7 sizes): ". */
static void add_where(struct buffer *text, const struct audit_range *range)
{
    size_t length;
    const struct result *const first = range->better;
    buffer_plain_n(text, first->id, (size_t)(kernel_row(first, &length) - first->id) - 1);
    buffer_tell(text, "%s%s%s", strchr(first->id, ';') ?: "",
                range->sizes > 1 ? ", from " : " at ", first->shape);
    if (range->sizes > 1) {
        buffer_tell(text, " to %s", range->last->shape);
        buffer_format(text, " (%zu sizes)", range->sizes);
    }
    buffer_add(text, ": ");
}

static void range_tell(struct buffer *text, const struct audit_range *range)
{
    add_where(text, range);
    if (!range->dispatcher) {
        buffer_add(text, range->level);
        buffer_add(text,
                   range->like ? " are the fastest: they are level" : " is the fastest");
        return;
    }
    kernel_tell(range->dispatcher, text);
    if (!range->worse) {
        buffer_add(text, " chooses well");
        if (range->most > 1 + AUDIT_THRESHOLD)
            buffer_format(text, ", and its own code costs up to %.0f%%",
                          100 * (range->most - 1));
        return;
    }
    buffer_add(text, " chooses badly: ");
    kernel_tell(range->better, text);
    buffer_add(text, " is ");
    add_times(text, range);
    buffer_add(text, " faster; ");
    kernel_tell(range->dispatcher, text);
    buffer_add(text, " is about as fast as ");
    kernel_tell(range->like, text);
}

void audit_answer(const struct run *run, struct answer *answer)
{
    struct audit audit;
    run_audit(run, &audit);
    if (!audit.n && !audit.strangers) {
        buffer_add(&answer->text,
                   "undecided: at no size do the times tell which kernel is chosen and "
                   "which should be; longer ones may, --time-per-case=1s, or a quieter "
                   "machine, scripts/quiet.sh");
        answer_next(answer);
    }
    for (int worse = 1; worse >= 0; worse--)
        for (size_t i = 0; i < audit.n; i++)
            if (audit.range[i].worse == worse) {
                range_tell(&answer->text, &audit.range[i]);
                answer_next(answer);
            }
    if (audit.strangers) {
        buffer_format(&answer->text,
                      "at %zu %s the dispatcher is about as fast as none of these "
                      "kernels: the one that it chooses may be missing here",
                      audit.strangers, audit.strangers == 1 ? "size" : "sizes");
        answer_next(answer);
    }
    audit_free(&audit);
    const char *const name = facts_find_text(&run->settings, "dispatcher");
    bool known = !name || !*name || !strcmp(name, "none");
    FOR_EACH (const struct result, result, run->results, run->n_results)
        known |= text_same(result->variant, name);
    if (known)
        return;
    buffer_tell(&answer->text, "--dispatcher: no kernel is called %s", name);
    const char *separator = "; there is ";
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct result *first = run->results;
        while (first < result && !text_same(first->variant, result->variant))
            first++;
        if (result->is_roof || first < result)
            continue;
        buffer_tell(&answer->text, "%s%s", separator, result->variant);
        separator = ", ";
    }
    answer_next(answer);
}
