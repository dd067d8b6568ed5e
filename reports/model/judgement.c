/* SPDX-License-Identifier: Apache-2.0 */
#include "judgement.h"

#include "model/model.h"

static const struct fields time_fields =
    FIELDS(FIELD(TEXT, judged_time, shape), FIELD(TEXT, judged_time, reference),
           FIELD(TEXT, judged_time, best), FIELD(SPAN, judged_time, ns),
           FIELD(SPAN, judged_time, reference_ns), FIELD(SPAN, judged_time, best_ns),
           FIELD(SPAN, judged_time, to_reference), FIELD(SPAN, judged_time, to_best),
           FIELD(CI, judged_time, reference_ci), FIELD(ENDS, judged_time, best_ci));
const struct fields judgement_fields =
    FIELDS(FIELD(TEXT, judgement, candidate), FIELD(TEXT, judgement, op),
           FIELD(TEXT, judgement, seed), FIELD(NAME, judgement, reason),
           FIELD(NAME, judgement, detail), FIELD(NAME, judgement, note),
           FIELD(NAME, judgement, same_as), FIELD(U64, judgement, calls),
           FIELD(SIZE, judgement, shapes), FIELD(NAME, judgement, cause),
           FIELD(NAME, judgement, cause_text), FIELD(NAME, judgement, cause_shape),
           FIELD(RATE, judgement, cause_share),
           FIELD_LIST_AS("times", LIST, judgement, time, n_times, time_fields));

void judgement_clear(struct judgement *judgement)
{
    fields_free(&judgement_fields, judgement);
}
