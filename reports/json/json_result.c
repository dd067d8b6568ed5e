/* SPDX-License-Identifier: Apache-2.0 */
#include "json_value.h"

struct samples_reader {
    struct result *result;
    int (*add)(struct result *, uint32_t, double);
    const struct value *rounds;
    const cJSON *round;
    double next;  /* the least that the next round may be */
    bool several; /* a round may have more than one */
};

static int add_sample(const struct value *entry, void *context)
{
    struct samples_reader *from = context;
    struct value round = *entry;
    double number, whole;
    int code = value_from(entry, 0, &number);

    if (code)
        return code;
    if (!from->round)
        return VALUE_FAIL(from->rounds, "fewer entries than samples_ns");
    round.json = from->round;
    round.place.parent = &from->rounds->place;
    code = value_whole(&round, UINT32_MAX, &whole);
    if (code)
        return code;
    if (from->next > whole)
        return VALUE_FAIL(&round, "rounds must ascend");
    from->round = from->round->next;
    from->next = from->several ? whole : whole + 1;
    return from->add(from->result, (uint32_t)whole, number);
}

static int read_samples(const struct value *object, struct result *result,
                        int (*add)(struct result *, uint32_t, double))
{
    struct value samples = value_member(object, "samples_ns");
    struct value rounds = value_member(object, "rounds");
    struct samples_reader from = {.result = result,
                                  .add = add,
                                  .rounds = &rounds,
                                  .several = add == result_add_apart};
    int code = value_array(&samples) ?: value_array(&rounds);

    if (code)
        return code;
    from.round = rounds.json->child;
    code = value_each(&samples, add_sample, &from);
    if (!code && from.round)
        code = VALUE_FAIL(&rounds, "more entries than samples_ns");
    return code;
}

static int read_apart(const struct value *object, struct result *result)
{
    struct value apart = value_member(object, "apart");

    return value_absent(&apart) ? 0 : read_samples(&apart, result, result_add_apart);
}

static int add_counter(const struct value *entry, void *context)
{
    struct value reason = value_member(entry, "absent");
    struct counter *counter = result_add_counter(context, entry->json->string);

    const int code = value_fields(entry, &counter_fields, counter)
                         ?: value_fields(entry, &proof_fields, counter)
                         ?: value_name(&reason, &counter->absent);
    if (code || counter->absent)
        return code ?: value_fields(entry, &absence_fields, counter);
    return value_fields(entry, &count_fields, counter);
}

static int add_metric(const struct value *entry, void *context)
{
    return value_fields(entry, &metric_fields,
                        result_add_metric(context, entry->json->string, NULL, NULL));
}

static int read_metrics(const struct value *object, struct result *result)
{
    struct value metrics = value_member(object, "metrics");

    if (value_absent(&metrics))
        return 0;
    return value_object(&metrics) ?: value_each(&metrics, add_metric, result);
}

static int read_accuracy(const struct value *object, struct result *result)
{
    struct value accuracy = value_member(object, "accuracy");

    result->accuracy.known = !value_absent(&accuracy);
    return result->accuracy.known ? value_fields(&accuracy, &accuracy_fields, result) : 0;
}

static int read_status(const struct value *object, struct result *result)
{
    struct value status = value_member(object, "status");
    struct value reason = value_member(object, "reason");
    int code = value_want(&status, cJSON_IsString(status.json), "a string");
    int found = STATUS_PENDING;

    if (code)
        return code;
    while (found < STATUS_COUNT &&
           strcmp(status_name((enum status)found), status.json->valuestring))
        found++;
    if (found == STATUS_COUNT)
        return VALUE_FAIL(&status, "unknown status");
    result->status = (enum status)found;
    code = value_name(&reason, &result->reason);
    if (!code && !result->reason && found != STATUS_OK && found != STATUS_PENDING)
        code = VALUE_FAIL(&reason, "missing; a case that is %s has one",
                          status_name(result->status));
    return code;
}

static int read_role(const struct value *object, struct result *result)
{
    struct value role = value_member(object, "role");
    int code = value_want(&role, cJSON_IsString(role.json), "a string");

    if (code)
        return code;
    result->is_roof = !strcmp(role.json->valuestring, "roof");
    result->is_baseline = !strcmp(role.json->valuestring, "baseline");
    if (!result->is_roof && !result->is_baseline &&
        strcmp(role.json->valuestring, "kernel"))
        code = VALUE_FAIL(&role, "expected kernel, baseline or roof");
    return code;
}

static int read_limit(const struct value *object, struct result *result)
{
    struct value limit = value_member(object, "limit");
    struct value id = value_member(&limit, "id");
    int code;

    if (value_absent(&limit))
        return 0;
    code = value_fields(&limit, &limit_fields, &result->summary.limit)
               ?: value_text(&id, &result->limit_id);
    if (!code && result->summary.limit.share > 0)
        code = value_text(&id, &result->summary.limit.id);
    return code;
}

/* `name` is the member that holds the proof. */
static int check_mode(const struct value *entry, const char *name,
                      const struct code_proof *proof)
{
    const struct value object = value_member(entry, name);
    const struct value mode = value_member(&object, "mode");

    return !proof || proof->absent || executed_whole(&proof->executed) ||
                   !strcmp(proof->executed.mode, "sampled")
               ? 0
               : VALUE_FAIL(&mode, "expected whole or sampled");
}

int json_read_result(const struct value *entry, void *context)
{
    struct value counters = value_member(entry, "counters");
    struct value group = value_member(entry, "group");
    struct value voided = value_member(entry, "voided_ns");
    struct run *run = context;
    struct result *result = run_add_result(run);
    int code = value_fields(entry, &case_fields, result);
    if (!code && run->n_results > 1 && result[-1].group > result->group)
        code = VALUE_FAIL(&group, "groups must ascend");
    return code ?: read_role(entry, result)
                ?: value_fields(entry, &result_settings, result)
                ?: read_status(entry, result)
                ?: value_fields(entry, &work_fields, result)
                ?: value_maybe(entry, "rung", &rung_fields, result)
                ?: value_fields(entry, &measured_fields, result)
                ?: read_accuracy(entry, result)
                ?: read_samples(entry, result, result_add_sample)
                ?: read_apart(entry, result)
                ?: (value_absent(&voided) ? 0
                                          : value_numbers(&voided,
                                                          &result->samples.voided_ns,
                                                          &result->samples.n_voided_ns))
                ?: value_maybe(entry, "summary", &summary_fields, result)
                ?: value_maybe(entry, "rates", &rate_fields, result)
                ?: value_fields(entry, &clock_fields, result)
                ?: read_limit(entry, result)
                ?: value_fields(entry, &ratios_fields, result)
                ?: value_object(&counters)
                ?: value_each(&counters, add_counter, result)
                ?: read_metrics(entry, result)
                ?: json_read_comparison(entry, run, result)
                ?: json_read_explanation(entry, result)
                ?: value_fields(entry, &proofs_fields, result)
                ?: check_mode(entry, "proof", result->code.proof)
                ?: check_mode(entry, "base_proof", result->code.base_proof)
                ?: json_plausible_result(entry, run, result);
}
