/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that the place of code explains. */
#include <math.h>
#include <stdio.h>

#include "gate.h"

/* ---- builds that were measured together: as built, and at their best places ---- */

/* A loop of at most a line that lies across the end of one. */
static bool is_across(double offset, double loop)
{
    return loop <= LINE_BYTES && offset + loop > LINE_BYTES;
}

static const char *equal_text(const struct placement *p, char *text, size_t size)
{
    if (p->equality == EQUALITY_NEARLY)
        snprintf(text, size, "the code is the same but for %.0f instruction%s",
                 p->instructions, p->instructions > 1 ? "s" : "");
    return p->equality == EQUALITY_SAME     ? "the code is the same"
           : p->equality == EQUALITY_NEARLY ? text
                                            : "the code is no slower";
}

static void say_placed(struct comparison *c)
{
    const struct placement *const p = c->placement;
    char same[64], cause[120] = "by its place";

    if (is_across(p->head_offset, p->head_loop) &&
        !is_across(p->base_offset, p->base_loop))
        snprintf(cause, sizeof cause,
                 "because its loop of %.0f bytes lies across a line (at %.0f of 64): "
                 "align it, as -falign-loops=64 does",
                 p->head_loop, p->head_offset);
    else if (isfinite(p->head_offset) && isfinite(p->base_offset))
        snprintf(cause, sizeof cause,
                 "because its loop of %.0f bytes begins at %.0f of 64, in base at %.0f: "
                 "-falign-loops=64 fixes its place",
                 p->head_loop, p->head_offset, p->base_offset);
    comparison_set(c, VERDICT_PLACED, "%s, as built it is slower by %.2f%% %s",
                   equal_text(p, same, sizeof same), 100 * p->change, cause);
}

bool comparison_is_proven(const struct comparison *c)
{
    return c->placement && c->placement->equality == EQUALITY_SAME &&
           c->placement->same_data;
}

/* Nothing else of the builds differs than places of code and data, whatever the times
 * say. */
static void say_same(struct comparison *c)
{
    static const char same[] = "the code is the same, and so are the data of its program";
    const bool unmoved = c->placement->unmoved != NULL;
    const char *const how = unmoved ? "it cannot be moved, as built it is" : "it is";
    const char *const why =
        unmoved ? "by its place"
                : "by places alone, as predictors of branches see them, or of data";

    if (c->verdict == VERDICT_REGRESSED)
        comparison_set(c, VERDICT_PLACED, "%s; %s slower by %.2f%%, %s", same, how,
                       100 * c->change, why);
    else if (c->verdict == VERDICT_IMPROVED)
        comparison_set(c, VERDICT_SAME, "%s; %s faster by %.2f%%, %s", same, how,
                       -100 * c->change, why);
    else
        comparison_set(c, VERDICT_SAME, "%s, though times could not tell", same);
}

/* At a bad place a small loop was seen to take 2.2 times its time. */
#define PLACE_TIMES 3

/* The code that takes the time, or some of it, may be the same and lie elsewhere. */
static void say_moved(struct comparison *c)
{
    const double share = c->placement->by_place;

    char where[96] = "nobody saw how much of its time is in code that lies elsewhere";

    if (fabs(log1p(c->change)) > log1p((PLACE_TIMES - 1) * share))
        return;
    if (share < 1)
        snprintf(
            where, sizeof where,
            "up to %.0f%% of its time may be in code that is the same and lies elsewhere",
            100 * share);
    comparison_set(c, VERDICT_INCONCLUSIVE,
                   "as built it is %s by %.2f%%, and %s: places could give this; "
                   "--relink='... {pad} ... {out}' tells",
                   c->change > 0 ? "slower" : "faster", 100 * fabs(c->change), where);
}

void judge_as_built(struct comparison *c)
{
    const struct placement *const p = c->placement;
    const bool proven = comparison_is_proven(c) && c->change_ci.known;

    if (comparison_is_moved(c) && p->ci.known && p->ci.lo > c->delta &&
        p->least_change > c->delta / 2 &&
        (c->verdict == VERDICT_SAME || c->verdict == VERDICT_IMPROVED ||
         (proven && c->verdict != VERDICT_REGRESSED)))
        say_placed(c);
    else if (proven && c->verdict != VERDICT_SAME)
        say_same(c);
    else if (p && (c->verdict == VERDICT_REGRESSED || c->verdict == VERDICT_IMPROVED))
        say_moved(c);
}

/* ---- stored runs ---- */

/* The hottest loop that a trace of a whole call found (--prove). */
static const struct code_loop *hottest(const struct code_proof *proof)
{
    const struct whole_call *const call = proof && proof->call.n_loops    ? &proof->call
                                          : proof && proof->small.n_loops ? &proof->small
                                                                          : NULL;

    return call && call->loops[0].bytes > 0 ? &call->loops[0] : NULL;
}

/* A small loop that lies elsewhere in its line may take a multiple of the time. Which of
 * the two it was cannot be told from files. */
void judge_stored_place(struct result *result)
{
    const struct code_loop *const base = hottest(result->code.base_proof);
    const struct code_loop *const head = hottest(result->code.proof);
    struct comparison *const c = result->comparison;

    if (!base || !head)
        return;
    struct placement *const place = comparison_placement(c);
    place->base_offset = base->offset;
    place->head_offset = head->offset;
    place->base_loop = base->bytes;
    place->head_loop = head->bytes;
    if ((c->verdict == VERDICT_REGRESSED || c->verdict == VERDICT_IMPROVED) &&
        fmin(base->bytes, head->bytes) <= LINE_BYTES &&
        !(fabs(base->offset - head->offset) < 0.5))
        comparison_set(c, VERDICT_INCONCLUSIVE,
                       "its loop of %.0f bytes begins at %.0f of 64, in run 1 at %.0f: "
                       "the place alone may change its time; simdbench ab tells",
                       head->bytes, head->offset, base->offset);
}
