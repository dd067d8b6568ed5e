/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts about functions of somebody else, in words. */
#include <inttypes.h>

#include "judge/answer_kinds.h"

static void add_ratio(struct buffer *text, double times, const char *name,
                      const struct interval *ci)
{
    const bool slower = times > 0 && times < 1;
    buffer_add(text, slower ? "it takes " : "");
    buffer_format(text, "%.3g times as %s as ", slower ? 1 / times : times,
                  slower ? "long" : "fast");
    buffer_plain(text, name);
    if (ci->known)
        buffer_format(text, " (%.3g to %.3g)", slower ? 1 / ci->hi : ci->lo,
                      slower ? 1 / ci->lo : ci->hi);
}

static void add_time(struct buffer *text, const struct judged_time *time)
{
    char ns[NUMBER_SIZE];
    text_time(time->ns, ns);
    buffer_tell(text, "at %s: %s a call, ", time->shape, ns);
    add_ratio(text, time->to_reference, time->reference, &time->reference_ci);
    if (text_same(time->best, time->reference))
        return;
    buffer_add(text, ", ");
    add_ratio(text, time->to_best, time->best, &time->best_ci);
    buffer_add(text, ", the best that is known");
}

static void add_verdict(struct buffer *text, const struct judgement *judgement)
{
    buffer_plain(text, judgement->candidate);
    if (judgement->reason) {
        buffer_tell(text, ": rejected (%s): %s", judgement->reason, judgement->detail);
        return;
    }
    buffer_format(text,
                  ": accepted: all results of %" PRIu64 " calls at %zu shapes are right",
                  judgement->calls, judgement->shapes);
    if (judgement->same_as)
        buffer_tell(text, "; its code is that of %s", judgement->same_as);
    if (judgement->note)
        buffer_tell(text, "; it %s", judgement->note);
}

static void add_cause(struct buffer *text, const struct judgement *judgement)
{
    buffer_tell(text, "at %s explain finds first: %s", judgement->cause_shape ?: "",
                judgement->cause);
    if (judgement->cause_share > 0)
        buffer_format(text, " (%.0f%% of the time)", 100 * judgement->cause_share);
    buffer_tell(text, "%s%s", judgement->cause_text ? ": " : "",
                judgement->cause_text ?: "");
}

void judged_answer(const struct run *run, struct answer *answer)
{
    struct buffer *const text = &answer->text;
    FOR_EACH (const struct judgement, judgement, run->judgements, run->n_judgements) {
        add_verdict(text, judgement);
        answer_next(answer);
        FOR_EACH (const struct judged_time, time, judgement->time, judgement->n_times) {
            add_time(text, time);
            answer_next(answer);
        }
        if (judgement->cause)
            add_cause(text, judgement);
        answer_next(answer);
    }
}
