/* SPDX-License-Identifier: Apache-2.0 */
/* A sort finds sorted data in its second call. Where calls take another time on what the
 * last one left, all cases of a group get the data of the first call in each. */
#include "measure_private.h"

#include <math.h>

enum { PAIRS = 3, CALLS_MOST = 16 };
/* Calls of both kinds that are timed in a batch take about so long. */
#define BOTH_NS 200000.0
/* The data make a call so much slower, or faster: by more than bytes whose writing pushed
 * others out of a cache can explain. */
#define RATIO 1.5
#define NOISE_NS 50.0
#define BYTE_NS 0.25

double group_bytes_overwritten(const struct group_state *group)
{
    double bytes = 0;
    FOR_EACH (const struct simdbench_operand, operand, group->map.operand,
              group->map.count) {
        if (operand->role != SIMDBENCH_INOUT)
            continue;
        if (type_kind(operand->type) == TYPE_OPAQUE)
            return 0;
        bytes += (double)(operand_bytes(operand));
    }
    return bytes;
}

/* Each call is timed alone, with the data of the first or with what the last one left. */
static int time_call(const struct runner *runner, bool first, double calls, double *ns)
{
    struct batch_call call = runner_call(runner, (uint64_t)calls);
    struct batch batch;
    call.apart = true;
    call.reset = first;
    const int status = runner_batch(runner, &call, &batch);
    cJSON_Delete(batch.reply);
    *ns = batch.ns / calls;
    return status;
}

/* 1: on the data of the first call it takes longer; -1: less long; 0: hardly that. */
static int compare(double first, double later, double bytes)
{
    const double least = fmin(first, later), most = fmax(first, later);
    if (most < RATIO * least || most - least < NOISE_NS + BYTE_NS * bytes)
        return 0;
    return first > later ? 1 : -1;
}

/* All pairs have to agree: one of them may have been disturbed. */
static int data_matter(const struct runner *runner, double bytes, bool *matter)
{
    double calls = 1;
    int sign = 0;
    for (int i = 0; i < PAIRS; i++) {
        double first = 0, later = 0;
        const int status = time_call(runner, true, calls, &first)
                               ?: time_call(runner, false, calls, &later);
        if (status)
            return status;
        const int now = compare(first, later, bytes);
        if (!now || (i > 0 && now != sign))
            return 0;
        sign = now;
        calls = floor(fmax(1, fmin(BOTH_NS / fmax(first, later), CALLS_MOST)));
    }
    *matter = true;
    return 0;
}

int runner_look_at_data(const struct runner *runner, bool *matter)
{
    const struct case_state *const entry = runner->entry;
    const double bytes = group_bytes_overwritten(runner->group);
    const double timeout_ns = (double)runner->group->session->how->timeout_ns;
    const bool is_long = 4 * entry->check_ns > timeout_ns;
    return *matter || !bytes || !entry->active || entry->resets || is_long ||
                   case_result(runner->group, entry)->is_roof
               ? 0
               : data_matter(runner, bytes, matter);
}

void group_reset_data(struct group_state *group)
{
    FOR_EACH (struct case_state, entry, group->cases, group->n_cases) {
        struct result *const result = case_result(group, entry);
        if (!entry->active || entry->resets || result->is_roof)
            continue;
        note_once(result, "each call gets the data of the first, as calls take another "
                          "time on what the last one left");
        entry->resets = true;
    }
}
