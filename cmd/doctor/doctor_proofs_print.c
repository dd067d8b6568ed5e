/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "doctor_private.h"

enum { NAME_WIDTH_MAX = 48, LOOP_WIDTH = 48 };

static void number(double value, char text[32])
{
    if (isfinite(value))
        snprintf(text, 32, "%.0f", value);
    else
        snprintf(text, 32, "-");
}

/* A reason that is the PMU's stands once below the table. */
static void print_row(const struct host *host, const struct event *event,
                      const struct proof *proof, int width, FILE *file)
{
    const bool tells = proof->reason[0] && strcmp(proof->reason, host->pmu_reason) != 0;
    char expected[32], counted[32];
    number(proof->expected, expected);
    number(proof->counted, counted);
    text_line(file, "%-*s  %-*s  %10s  %10s  %s%s%s", width, event->name, LOOP_WIDTH,
              proof->loop[0] ? proof->loop : "-", expected, counted,
              proof_verdict_name(proof->verdict), tells ? ": " : "",
              tells ? proof->reason : "");
}

void proofs_print(const struct host *host, const struct event_list *list,
                  const struct proofs *proofs, FILE *file)
{
    int width = (int)strlen("event");
    for (size_t i = 0; i < list->n; i++)
        width = doctor_widen(width, list->event[i].name, NAME_WIDTH_MAX);
    if (proofs->slots.announced)
        fprintf(file, "counters of the PMU: %u of %u count\n\n", proofs->slots.live,
                proofs->slots.announced);
    text_line(file, "%-*s  %-*s  %10s  %10s  %s", width, "event", LOOP_WIDTH, "loop",
              "expected", "counted", "verdict");
    for (size_t i = 0; i < list->n; i++)
        print_row(host, &list->event[i], &proofs->proof[i], width, file);
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
