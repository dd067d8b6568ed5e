/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of runs that explain a kernel, or the difference between two. */
#include <math.h>

#include "judge/answer_kinds.h"

/* The gain without a cause, if an experiment tells it. What leaves work out, or lies in a
 * nearer cache, is the most that code of as many instructions gains; other inputs learn
 * branches by heart, more or less. All other experiments are remedies. */
static void gain_tell(struct buffer *text, const struct explained_finding *finding)
{
    static const char *const least_work[] = {"small_shape", "near_input",  "unsaved",
                                             "edit_chain",  "edit_gather", "edit_divide",
                                             "edit_store",  "edit_spill",  "edit_forward",
                                             "edit_call",   "edit_whole"};
    const double twice = 0.49, share = finding->share, times = 1 / (1 - share);
    const int places = times < 9.95 && fabs(times - round(times)) >= 0.05;
    const char *const name = finding->experiment ?: "";
    const bool least = text_find(least_work, ARRAY_LEN(least_work), name) >= 0;
    const bool learnt = strstr(name, "input") || text_same(name, "few_shape");
    const char *const most = least ? "up to " : learnt ? "about " : "";
    if (share >= twice && share < 1)
        buffer_format(text, "%s%.*f times slower than it could be: ", most, places,
                      times);
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
        if (!why->executed.mode && why->not_traced) {
            buffer_tell(text, "nobody saw what it executes: %s", why->not_traced);
        } else if (explanation_is_whole(why)) {
            buffer_add(text, "its bounds explain its time");
        } else if (why->residual_share <= 0.1) {
            buffer_format(text, "its bounds explain %.0f%% of its time",
                          100 * (1 - why->residual_share));
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

/* An experiment took the cycles of this cause away. */
static bool is_shown(const struct run *run, const char *cause)
{
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct explanation *const why = result->explanation;
        for (size_t i = 0; why && i < why->n_findings; i++)
            if (text_same(why->findings[i].cause, cause) &&
                isfinite(why->findings[i].share))
                return true;
    }
    return false;
}

/* The place of the code, if it is half of the difference: it changes no number of
 * instructions. Else the bound that is nearest to the time of the slower one, if its
 * change is half of the difference. For one that is far from its time nothing waits,
 * however much it changes; what an experiment took away is gained all the same. NULL:
 * none. */
static const struct account_row *main_bound(const struct run *run)
{
    const struct account *const account = run->account;
    const struct account_rows *const rows = &account->bounds;
    const struct account_row *const factor = main_factor(account);
    const struct account_row *const all = account_find(rows, BOUND_BEST_PLACE);
    const struct account_row *most = NULL;
    const double near = all ? 0.6 * fmax(all->a, all->b) : INFINITY;
    double longest = near;
    FOR_EACH (const struct account_row, row, rows->row, rows->n) {
        const bool place = text_same(row->name, BOUND_PLACEMENT);
        const bool other = place && factor && text_same(factor->name, "instructions");
        const bool shown = !most && !place && is_shown(run, row->name);
        const double its = place ? INFINITY : fmax(row->a, row->b);
        if (row == all || other || !(account_share(rows, row) > 0.51) ||
            its < (shown ? near / 2 : longest))
            continue;
        most = row;
        longest = fmax(near, its * 1.02);
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

/* Equal code in two builds differs by so much. */
static bool is_level(const struct account_row *time)
{
    return interval_has_one(time) || fabs(log(time->ratio)) < 0.02;
}

static void account_answer(const struct run *run, struct buffer *text)
{
    const struct account *const account = run->account;
    const struct account_row *const bound = main_bound(run);
    const struct account_row *const time = account->factors.row, *const most =
                                                                     main_factor(account);
    if (!account->factors.n || !isfinite(time->ratio))
        return;
    const bool level = is_level(time);
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

bool run_is_explained(const struct run *run)
{
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->explanation)
            return true;
    return run->account != NULL;
}

void ask_why(struct buffer *text, const struct run *run, const struct result *result)
{
    const char *const plugin = run->n_plugins == 1 ? run->plugins[0] : "";
    const char *const build = strrchr(plugin, ' ');
    char path[1024];
    snprintf(path, sizeof path, "%.*s", build ? (int)(build - plugin) : 0, plugin);
    const size_t n = strlen(path);
    const bool alone = n > 3 && !strcmp(path + n - 3, ".so") && is_harmless(path) &&
                       !strchr(result->id, ',');

    if (!is_harmless(result->id) || (result->module.name && !alone))
        return;
    buffer_tell(text, ". Why: simdbench explain '%s'", result->id);
    if (!result->module.name)
        return;
    buffer_tell(text, " --plugin='%s'", path);
}
