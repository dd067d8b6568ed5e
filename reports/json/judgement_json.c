/* SPDX-License-Identifier: Apache-2.0 */
/* Member "judge" of a run. */
#include <string.h>

#include "json_value.h"

static const struct fields time_fields =
    FIELDS(FIELD(TEXT, judged_time, shape), FIELD(TEXT, judged_time, reference),
           FIELD(TEXT, judged_time, best), FIELD(SPAN, judged_time, ns),
           FIELD(SPAN, judged_time, reference_ns), FIELD(SPAN, judged_time, best_ns),
           FIELD(SPAN, judged_time, to_reference), FIELD(SPAN, judged_time, to_best),
           FIELD(CI, judged_time, reference_ci), FIELD(ENDS, judged_time, best_ci));
static const struct fields judgement_fields =
    FIELDS(FIELD(TEXT, judgement, candidate), FIELD(TEXT, judgement, op),
           FIELD(TEXT, judgement, seed), FIELD(NAME, judgement, reason),
           FIELD(NAME, judgement, detail), FIELD(NAME, judgement, note),
           FIELD(NAME, judgement, same_as), FIELD(U64, judgement, calls),
           FIELD(SIZE, judgement, shapes), FIELD(NAME, judgement, cause),
           FIELD(NAME, judgement, cause_text), FIELD(NAME, judgement, cause_shape),
           FIELD(RATE, judgement, cause_share),
           FIELD_LIST_AS("times", LIST, judgement, time, n_times, time_fields));

void json_judgements(struct json *json, cJSON *parent, const struct run *run)
{
    if (!run->n_judgements)
        return;
    cJSON *const list = json_array(json, parent, "judge");
    FOR_EACH (const struct judgement, judgement, run->judgements, run->n_judgements) {
        cJSON *const object = json_object(json, list, NULL);
        json_text(json, object, "verdict", judgement->reason ? "rejected" : "accepted");
        json_fields(json, object, &judgement_fields, judgement);
    }
}

static int add_judgement(const struct value *entry, void *context)
{
    struct judgement *const judgement = run_add_judgement(context);
    const struct value verdict = value_member(entry, "verdict");
    if (!judgement)
        return value_no_memory(entry);
    const int code = value_fields(entry, &judgement_fields, judgement);
    const char *const word = judgement->reason ? "rejected" : "accepted";
    const bool fits =
        cJSON_IsString(verdict.json) && !strcmp(verdict.json->valuestring, word);
    return code
               ?: value_want(&verdict, fits,
                             judgement->reason ? "\"rejected\", as there is a reason"
                                               : "\"accepted\", as there is no reason");
}

int json_read_judgements(const struct value *root, struct run *run)
{
    return value_list(root, "judge", 0, add_judgement, run);
}
