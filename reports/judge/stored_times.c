/* SPDX-License-Identifier: Apache-2.0 */
/* The times of two stored runs. */
#include <math.h>

#include "gate.h"

/* Logarithms of the times of a call; 0 if there are none, or if a time is not positive.
 */
static size_t log_times(const struct result *result, double **logs)
{
    const size_t n = result->samples.iterations ? result->samples.n : 0;

    *logs = must_have(calloc(n + 1, sizeof **logs));
    for (size_t i = 0; i < n; i++) {
        (*logs)[i] = log(result_per_call(result, i));
        if (!isfinite((*logs)[i]))
            return 0;
    }
    return n;
}

struct shift {
    double change, half_width; /* the width as a logarithm */
    struct interval ci;
    double *base, *head; /* logarithms */
    size_t n_base, n_head;
};

static struct shift shift_find(const struct result *base, const struct result *head)
{
    struct shift shift = {.half_width = NAN};
    struct interval ci;

    shift.n_base = log_times(base, &shift.base);
    shift.n_head = log_times(head, &shift.head);
    shift.change = expm1(stats_shift(shift.base, shift.n_base, shift.head, shift.n_head,
                                     1 - GATE_ERROR, &ci));
    shift.ci = interval_as_change(ci);
    if (ci.known)
        shift.half_width = (ci.hi - ci.lo) / 2;
    return shift;
}

static void shift_free(struct shift *shift)
{
    FREE_EACH(shift->base, shift->head);
}

/* Finds the roof with that id (NULL: any) in a group, or else in the run. */
static const struct result *find_roof(const struct run *run, size_t group, const char *id)
{
    const struct result *found = NULL;

    FOR_EACH (const struct result, roof, run->results, run->n_results) {
        if (!roof->is_roof || !roof->samples.n || (id && !text_same(roof->id, id)))
            continue;
        if (roof->group == group)
            return roof;
        found = found ? found : roof;
    }
    return found;
}

double stored_machine(const struct gate *gate)
{
    return isfinite(gate->drift) ? log1p(gate->drift) : 0;
}

/* The floor is what the control changed by beside the machine as a whole. */
static void control_find(const struct pair *pair, const struct gate *gate,
                         struct comparison *c)
{
    const struct result *const own = pair->head;
    const struct result *head = find_roof(pair->head_run, own->group, own->limit_id);

    if (!head)
        head = find_roof(pair->head_run, own->group, NULL);
    const struct result *const base =
        head ? find_roof(pair->base_run, pair->base->group, head->id) : NULL;

    c->control_change = c->floor = NAN;
    if (!base)
        return;
    struct shift shift = shift_find(base, head);
    c->control_change = shift.change;
    c->control_ci = shift.ci;
    if (shift.ci.known)
        c->floor = expm1(
            fmax(shift.half_width, fabs(log1p(shift.change) - stored_machine(gate))));
    shift_free(&shift);
}

/* A case that moves within a run moves between runs too. */
static double moved(const struct pair *pair)
{
    return expm1(fmax(drift_within(pair->base), drift_within(pair->head)));
}

void stored_times(const struct pair *pair, const struct gate *gate)
{
    struct comparison *const c = pair->head->comparison;
    struct shift shift = shift_find(pair->base, pair->head);

    control_find(pair, gate, c);
    c->base_ns = pair->base->summary.median_ns;
    c->head_ns = pair->head->summary.median_ns;
    c->least_change = pair->head->summary.min_ns / pair->base->summary.min_ns - 1;
    c->change = isnan(shift.change) ? c->head_ns / c->base_ns - 1 : shift.change;
    c->change_ci = shift.ci;
    c->floor = fmax(c->floor, moved(pair));
    const bool shared = pair->base->samples.shared || pair->head->samples.shared;
    const double between = shared ? gate->between : gate->between_alone;
    c->delta = fmax(gate->threshold, 2 * fmax(c->floor, between));
    c->detectable = expm1(log1p(c->delta) + shift.half_width);
    const double delta = log1p(c->delta), machine = stored_machine(gate);
    c->p = log1p(c->change) < machine
               ? stats_shift_p(shift.head, shift.n_head, shift.base, shift.n_base,
                               delta - machine)
               : stats_shift_p(shift.base, shift.n_base, shift.head, shift.n_head,
                               delta + machine);
    c->p = isnan(c->p) ? 1 : c->p;
    shift_free(&shift);
}
