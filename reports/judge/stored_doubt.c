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

static bool same_code(const struct pair *pair)
{
    return pair->base->code.print &&
           text_same(pair->base->code.print, pair->head->code.print);
}

/* Another thread was beside the slower case, and too few controls tell by how much it
 * prolonged times. */
static bool had_company(const struct gate *gate, const struct pair *pair, bool slower)
{
    return isnan(gate->drift) && !is_beyond_noise(pair->head->comparison) &&
           (slower ? pair->head : pair->base)->samples.shared;
}

/* One that nobody sees without that of the machine. */
static bool is_unseen(const struct gate *gate, const struct comparison *c, bool slower)
{
    return slower ? !(c->change > gate->threshold)
                  : !(1 / (1 + c->change) > 1 + gate->threshold);
}

void stored_doubt(const struct gate *gate, const struct pair *pair)
{
    struct comparison *const c = pair->head->comparison;
    const bool slower = c->verdict == VERDICT_REGRESSED;

    if (same_code(pair))
        comparison_placement(c)->equality = EQUALITY_SAME;
    if (!slower && c->verdict != VERDICT_IMPROVED)
        return;
    if (gate->equal)
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "the builds are equal: this is noise between the runs");
    else if (same_code(pair))
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
