/* SPDX-License-Identifier: Apache-2.0 */
/* Member "judge" of a run. */
#include "json_value.h"

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
    struct judgement *const judgement =
        LIST_ADD((struct run *)context, judgements, n_judgements);
    const struct value verdict = value_member(entry, "verdict");
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
