/* SPDX-License-Identifier: Apache-2.0 */
#include "judgement.h"

#include <stdlib.h>

#include "model/model.h"

struct judged_time *judgement_add_time(struct judgement *judgement)
{
    return LIST_ADD(judgement, time, n_times);
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
