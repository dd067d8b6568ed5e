/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a stage's calls beside those of the reference. */
#include "referee_private.h"

#include <inttypes.h>
#include <math.h>

/* Any value is right where the reference wrote none. */
static int compare_output(struct referee *referee, const struct stage *stage,
                          uint64_t turn, uint32_t o, struct error *error)
{
    struct simdbench_operand operand = map_of(stage)->operand[o];
    const size_t element = type_bytes(operand.type);
    const uint64_t at = place_of(stage, turn, o);
    const uint64_t length = length_of(stage, turn, o);
    const uint64_t n = length < operand.count ? length : operand.count;
    const unsigned char *const right = stage->right + at, *const before =
                                                              stage->image + at;
    if (!memcmp(stage->found + at, right, n * element))
        return 0;
    FREED_BY(free_memory) double *slack = must_have(malloc((n + 1) * sizeof *slack));
    for (uint64_t i = 0; i < n; i++)
        slack[i] = operand.role == SIMDBENCH_OUT &&
                           !memcmp(right + i * element, before + i * element, element)
                       ? INFINITY
                       : declared_slack(&op_of(referee)->tolerance, operand.type,
                                        type_get(operand.type, right, i));
    operand.data = stage->found + at;
    return operands_compare(&operand, NULL, n, right, slack, error);
}

/* All that is no output must be as it was. */
static int compare_rest(struct referee *referee, struct stage *stage, struct error *error)
{
    uint64_t at = 0;
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < map_of(stage)->count; o++)
            if (operand_is_output(&map_of(stage)->operand[o]))
                memcpy(stage->found + place_of(stage, turn, o),
                       stage->image + place_of(stage, turn, o), bytes_of(stage, o));
    if (!memcmp(stage->found, stage->image, stage->list))
        return 0;
    while (stage->found[at] == stage->image[at])
        at++;
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < map_of(stage)->count; o++)
            if (at >= place_of(stage, turn, o) &&
                at < place_of(stage, turn, o) + bytes_of(stage, o))
                return error_set(error, -EDOM, "it writes to %s, which is an input",
                                 referee->operand_name[o]);
    return error_set(error, -EDOM, "it writes beyond its arrays");
}

int stage_compare(struct referee *referee, struct stage *stage, struct error *error)
{
    struct error why = {.text = ""};
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < map_of(stage)->count; o++) {
            if (!operand_is_output(&map_of(stage)->operand[o]))
                continue;
            const int status = compare_output(referee, stage, turn, o, &why);
            if (status < 0)
                return error_set(error, status,
                                 "at %.60s, call %" PRIu64 " of %" PRIu64 ", %s: %.300s",
                                 stage->info.text, turn + 1, stage->turns,
                                 referee->operand_name[o], why.text);
        }
    const int status = compare_rest(referee, stage, &why);
    return status < 0
               ? error_set(error, status, "at %.60s: %s", stage->info.text, why.text)
               : 0;
}
