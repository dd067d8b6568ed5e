/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "doctor_private.h"

static void put_number(struct grid *grid, double value)
{
    if (isfinite(value))
        grid_cell(grid, "%.0f", value);
    else
        GRID_TEXTS(grid, "-");
}

void proofs_print(const struct host *host, const struct event_list *list,
                  const struct proofs *proofs, FILE *file)
{
    struct grid grid = {.at = "llrrl"};
    if (proofs->slots.announced)
        fprintf(file, "counters of the PMU: %u of %u count\n\n", proofs->slots.live,
                proofs->slots.announced);
    GRID_TEXTS(&grid, "event", "loop", "expected", "counted", "verdict");
    for (size_t i = 0; i < list->n; i++) {
        const struct proof *const proof = &proofs->proof[i];
        /* A reason that is the PMU's stands once below the table. */
        const bool tells = proof->reason[0] && strcmp(proof->reason, host->pmu_reason);
        GRID_TEXTS(&grid, list->event[i].name, proof->loop[0] ? proof->loop : "-");
        put_number(&grid, proof->expected);
        put_number(&grid, proof->counted);
        grid_cell(&grid, "%s%s%s", proof_verdict_name(proof->verdict), tells ? ": " : "",
                  tells ? proof->reason : "");
    }
    grid_write(&grid, false, 0, file);
    if (host->pmu == PMU_OK)
        return;
    text_line(file, "%s", "");
    text_line(file, "no PMU: %s", host->pmu_reason);
}

int proofs_print_json(const struct host *host, const struct event_list *list,
                      const struct proofs *proofs, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    cJSON *const root = json_object(&json, NULL, NULL);
    json_text(&json, root, "fingerprint", host->fingerprint);
    json_text(&json, root, "uarch", uarch_of(host)->name);
    if (proofs->slots.announced) {
        cJSON *const slots = json_object(&json, root, "slots");
        json_number(&json, slots, "announced", proofs->slots.announced);
        json_number(&json, slots, "live", proofs->slots.live);
    }
    cJSON *const array = json_array(&json, root, "events");
    for (size_t i = 0; i < list->n; i++) {
        const struct proof *const proof = &proofs->proof[i];
        cJSON *const item = json_object(&json, array, NULL);
        json_text(&json, item, "event", list->event[i].name);
        json_filled(&json, item, "loop", proof->loop);
        json_number(&json, item, "expected", proof->expected);
        json_number(&json, item, "counted", proof->counted);
        json_text(&json, item, "verdict", proof_verdict_name(proof->verdict));
        json_filled(&json, item, "reason", proof->reason);
    }
    return json_end(&json, file, error);
}
