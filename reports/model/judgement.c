/* SPDX-License-Identifier: Apache-2.0 */
#include "judgement.h"

#include <stdlib.h>

#include "model/model.h"

struct judgement *run_add_judgement(struct run *run)
{
    struct judgement *const judgement =
        array_grow(&run->judgements, run->n_judgements, sizeof *judgement);
    if (!judgement)
        return NULL;
    *judgement = (struct judgement){.candidate = NULL};
    run->n_judgements++;
    return judgement;
}

struct judged_time *judgement_add_time(struct judgement *judgement)
{
    struct judged_time *const time =
        array_grow(&judgement->time, judgement->n_times, sizeof *time);
    if (!time)
        return NULL;
    *time = (struct judged_time){.shape = NULL};
    judgement->n_times++;
    return time;
}

void judgement_clear(struct judgement *judgement)
{
    FOR_EACH (struct judged_time, time, judgement->time, judgement->n_times)
        FREE_EACH(time->shape, time->reference, time->best);
    free(judgement->time);
    FREE_EACH(judgement->candidate, judgement->op, judgement->reason, judgement->detail,
              judgement->note, judgement->same_as, judgement->seed, judgement->cause,
              judgement->cause_text, judgement->cause_shape);
}
