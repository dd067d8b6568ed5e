/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison in a few rows, as whoever decides reads it first. */
#include <math.h>

#include "gate.h"

bool result_is_usable(const struct result *result)
{
    const struct comparison *const c = result->comparison;

    return c && !result->is_baseline && !result->is_roof && comparison_has_change(c) &&
           isfinite(log1p(c->change)) && c->verdict != VERDICT_UNUSABLE;
}

size_t verdicts_count(const struct run *run, size_t first, size_t end,
                      size_t verdicts[VERDICTS], double *change)
{
    double sum = 0;
    size_t n = 0;

    memset(verdicts, 0, VERDICTS * sizeof *verdicts);
    for (size_t i = first; i < end; i++) {
        const struct comparison *const c = run->results[i].comparison;
        if (!c || run->results[i].is_baseline)
            continue;
        verdicts[c->verdict]++;
        if (result_is_usable(&run->results[i])) {
            sum += log1p(c->change);
            n++;
        }
    }
    *change = n ? expm1(sum / (double)n) : NAN;
    return n;
}

void gate_count(struct run *run)
{
    struct gate *const gate = run->gate;

    verdicts_count(run, 0, run->n_results, gate->verdicts, &gate->geomean_change);
    gate->only_one = gate->verdicts[VERDICT_NEW] + gate->verdicts[VERDICT_GONE];
}

bool gate_is_bad(const struct run *run, const struct result *result)
{
    return !result->is_roof && status_is_bad(result->status) &&
           (!text_same(run->gate->kind, "stored") || !result->is_baseline);
}

double comparison_relative(const struct gate *gate, double change)
{
    return isfinite(gate->drift) ? (1 + change) / (1 + gate->drift) - 1 : change;
}

static bool is_own(const struct result *result)
{
    return result->comparison && !result->is_baseline && !result->is_roof;
}

static bool belongs(const struct gate_row *row, const struct result *result)
{
    return is_own(result) && !strcmp(row->op, result->op ?: "") &&
           !strcmp(row->isa, result->isa ?: "");
}

static struct gate_row *find_row(struct gate_row *rows, size_t n,
                                 const struct result *result)
{
    for (size_t i = 0; i < n; i++)
        if (belongs(&rows[i], result))
            return &rows[i];
    return NULL;
}

/* The geometric mean of numbers that are summed up one by one. */
struct mean {
    double sum;
    size_t n;
};

static void mean_add(struct mean *mean, double value)
{
    if (!(value > 0) || !isfinite(value))
        return;
    mean->sum += log(value);
    mean->n++;
}

static double mean_of(const struct mean *mean)
{
    return mean->n ? exp(mean->sum / (double)mean->n) : NAN;
}

static void add_label(struct gate_row *row, const char *label, size_t length)
{
    for (size_t i = 0; i < row->n_versus; i++)
        if (row->versus[i].length == length &&
            !memcmp(row->versus[i].label, label, length))
            return;
    row->versus[row->n_versus++] = (struct gate_versus){.label = label, .length = length};
}

static void find_labels(const struct run *run, struct gate_row *row)
{
    size_t most = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        most += belongs(row, result) ? result->summary.n_ratios : 0;
    row->versus = must_have(calloc(most + 1, sizeof *row->versus));
    FOR_EACH (const struct result, result, run->results, run->n_results)
        for (size_t i = 0; belongs(row, result) && i < result->summary.n_ratios; i++) {
            const char *const id = result->summary.ratios[i].baseline ?: "";
            const size_t length = id_label(id, result->op ?: "");
            if (length)
                add_label(row, id, length);
        }
}

static double ranked_speed(struct versus versus)
{
    return versus.ratio && versus.ranked ? versus.ratio->speedup : NAN;
}

/* Both means are over the same cases, or else they would not compare. */
static void fill_versus(const struct run *run, const struct gate_row *row,
                        struct gate_versus *versus)
{
    struct mean before = {.n = 0}, after = {.n = 0}, alone = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!belongs(row, result) || !result_is_usable(result))
            continue;
        const double now =
            ranked_speed(baseline_ratio(run, result, versus->label, versus->length));
        const double then = ranked_speed(
            baseline_ratio_before(run, result, versus->label, versus->length));
        mean_add(&alone, now);
        if (now > 0 && then > 0) {
            mean_add(&before, then);
            mean_add(&after, now);
        }
    }
    versus->before = mean_of(&before);
    versus->after = mean_of(before.n ? &after : &alone);
}

static void fill_changes(const struct run *run, struct gate_row *row)
{
    struct mean raw = {.n = 0}, lo = {.n = 0}, hi = {.n = 0}, before = {.n = 0},
                after = {.n = 0}, alone = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct comparison *const c = result->comparison;
        if (!belongs(row, result))
            continue;
        row->cases++;
        row->regressed += c->verdict == VERDICT_REGRESSED;
        row->improved += c->verdict == VERDICT_IMPROVED;
        if (!result_is_usable(result))
            continue;
        row->usable++;
        mean_add(&raw, 1 + c->change);
        if (c->change_ci.known) {
            mean_add(&lo, 1 + c->change_ci.lo);
            mean_add(&hi, 1 + c->change_ci.hi);
        }
        const double now = result->summary.limit.id ? result->summary.limit.share : NAN;
        mean_add(&alone, now);
        if (now > 0 && c->base_share > 0) {
            mean_add(&before, c->base_share);
            mean_add(&after, now);
        }
    }
    row->raw = mean_of(&raw) - 1;
    row->change = comparison_relative(run->gate, row->raw);
    row->ci = (struct interval){.known = lo.n && lo.n == raw.n && hi.n == raw.n,
                                .lo = comparison_relative(run->gate, mean_of(&lo) - 1),
                                .hi = comparison_relative(run->gate, mean_of(&hi) - 1)};
    row->share_before = mean_of(&before);
    row->share_after = mean_of(before.n ? &after : &alone);
}

void gate_rows(const struct run *run, struct gate_row **rows, size_t *n)
{
    *n = 0;
    *rows = must_have(calloc(run->n_results + 1, sizeof **rows));
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!is_own(result) || find_row(*rows, *n, result))
            continue;
        struct gate_row *const row = &(*rows)[(*n)++];
        row->op = result->op ?: "";
        row->isa = result->isa ?: "";
        fill_changes(run, row);
        find_labels(run, row);
        for (size_t i = 0; i < row->n_versus; i++)
            fill_versus(run, row, &row->versus[i]);
    }
}

void gate_rows_free(struct gate_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(rows[i].versus);
    free(rows);
}

size_t gate_libraries(const struct run *run, struct library_change *change)
{
    FREED_BY(free_memory) double *values =
        must_have(calloc(run->n_results + 1, sizeof *values));
    size_t n = 0;

    *change = (struct library_change){NAN, NAN, NAN};
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->is_baseline && result->comparison &&
            comparison_has_change(result->comparison) &&
            isfinite(result->comparison->change))
            values[n++] = result->comparison->change;
    if (n) {
        stats_sort(values, n);
        *change =
            (struct library_change){stats_median(values, n), values[0], values[n - 1]};
    }
    return n;
}

size_t gate_noise(const struct run *run, double *median, double *most)
{
    FREED_BY(free_memory) double *values =
        must_have(calloc(run->n_results + 1, sizeof *values));
    size_t n = 0;

    *median = *most = NAN;
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (is_own(result) && comparison_has_change(result->comparison) &&
            isfinite(log1p(result->comparison->change)))
            values[n++] = expm1(fabs(log1p(result->comparison->change)));
    if (n) {
        stats_sort(values, n);
        *median = stats_median(values, n);
        *most = values[n - 1];
    }
    return n;
}

/* Regressions stand first, improvements last. */
static int rank(enum verdict verdict)
{
    return verdict == VERDICT_REGRESSED ? 0 : verdict == VERDICT_IMPROVED ? 2 : 1;
}

static int compare_changes(const void *left, const void *right)
{
    const struct result *const *a = left, *const *b = right;
    const int order = rank((*a)->comparison->verdict) - rank((*b)->comparison->verdict);
    const double x = (*a)->comparison->change, y = (*b)->comparison->change;

    return order    ? order
           : x != y ? (x < y) - (x > y)
                    : strcmp((*a)->id ?: "", (*b)->id ?: "");
}

size_t gate_worst_first(const struct run *run, const struct result **list)
{
    size_t n = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result_is_usable(result))
            list[n++] = result;
    qsort(list, n, sizeof *list, compare_changes);
    return n;
}
