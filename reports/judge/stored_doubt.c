/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of two stored runs that need not be of the code. */
#include <math.h>

#include "gate.h"

/* Files of other programs hold no code that is known to be the same, so nothing tells
 * what the machine changed by. The factor rests on six pairs of files of one program:
 * under load a case of three of them seemed 73% to 77% slower. Another thread on the core
 * takes half of it, too. */
#define UNKNOWN_NOISE 2.0

static bool is_beyond_noise(const struct comparison *c)
{
    return 1 + c->change_ci.lo > UNKNOWN_NOISE || 1 + c->change_ci.hi < 1 / UNKNOWN_NOISE;
}

bool stored_are_foreign(const struct pair *pair)
{
    return facts_find_text(&pair->base_run->settings, "harness") &&
           facts_find_text(&pair->head_run->settings, "harness");
}

/* "... declared-HASH", or "... " if it is not known: a print does not know what values
 * functions are called with. */
static bool same_work(const struct gate *gate)
{
    const struct arm *const a = &gate->arms[0], *const b = &gate->arms[1];
    bool same = true;
    for (size_t i = 0; i < a->n_objects && i < b->n_objects; i++) {
        const char *const x = strrchr(a->objects[i], ' ');
        const char *const y = strrchr(b->objects[i], ' ');
        const bool known = x && y && x[1] && y[1];
        const bool declared =
            known && (!strncmp(x, " declared-", 10) || !strncmp(y, " declared-", 10));
        same &= known && (!declared || !strcmp(x, y));
    }
    return same;
}

static bool same_code(const struct gate *gate, const struct pair *pair)
{
    return pair->base->code.print &&
           text_same(pair->base->code.print, pair->head->code.print) && same_work(gate);
}

/* Another thread was beside the slower case, and nothing tells by how much it prolonged
 * times: too few controls, or those of a run in which it was not beside them. */
static bool had_company(const struct gate *gate, const struct pair *pair, bool slower)
{
    const struct result *const own = slower ? pair->head : pair->base;
    const struct result *const other = slower ? pair->base : pair->head;
    return own->samples.shared && !is_beyond_noise(pair->head->comparison) &&
           (isnan(gate->drift) || !other->samples.shared);
}

/* Nobody sees this change but beside the machine's. */
static bool is_unseen(const struct gate *gate, const struct comparison *c, bool slower)
{
    return slower ? !(c->change > gate->threshold)
                  : !(1 / (1 + c->change) > 1 + gate->threshold);
}

void stored_doubt(const struct gate *gate, const struct pair *pair)
{
    struct comparison *const c = pair->head->comparison;
    const bool slower = c->verdict == VERDICT_REGRESSED;

    if (same_code(gate, pair))
        comparison_placement(c)->equality = EQUALITY_SAME;
    if (!slower && c->verdict != VERDICT_IMPROVED)
        return;
    if (gate->equal)
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "the builds are equal: this is noise between the runs");
    else if (same_code(gate, pair))
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "the code and its data are the same: this is their place, or "
                       "noise between the runs; simdbench ab tells");
    else if (stored_are_foreign(pair) && !is_beyond_noise(c))
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "the files do not tell what the machine changed by in between; "
                       "simdbench ab measures both programs at once");
    else if (!stored_are_foreign(pair) && is_unseen(gate, c, slower))
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "libraries and limits changed by %+.2f%%, this did not",
                       100 * gate->drift);
    else if (had_company(gate, pair, slower))
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "another thread was on the core in run %d, which alone may double "
                       "times; simdbench ab measures both at once",
                       slower ? 2 : 1);
}
