/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of events: as messages, and as the file that keeps them until the host boots
 * again. */
#include "reports.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <math.h>

static const char file_name[] = "counters.json";

/* ---- messages ---- */

static cJSON *proof_json(const struct proof *proof)
{
    cJSON *const item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "verdict", proof_verdict_name(proof->verdict));
    if (proof->loop[0])
        cJSON_AddStringToObject(item, "loop", proof->loop);
    if (isfinite(proof->expected))
        cJSON_AddNumberToObject(item, "expected", proof->expected);
    if (isfinite(proof->counted))
        cJSON_AddNumberToObject(item, "counted", proof->counted);
    if (proof->reason[0])
        cJSON_AddStringToObject(item, "reason", proof->reason);
    return item;
}

/* Leaves `proof` alone if that is none. */
static bool proof_read(const cJSON *item, struct proof *proof)
{
    const int verdict = proof_verdict_find(message_text(item, "verdict"));
    const char *const loop = message_text(item, "loop");
    const char *const reason = message_text(item, "reason");
    if (verdict < 0)
        return false;
    *proof = (struct proof){.verdict = (enum proof_verdict)verdict,
                            .expected = message_number(item, "expected", NAN),
                            .counted = message_number(item, "counted", NAN)};
    snprintf(proof->loop, sizeof proof->loop, "%s", loop ? loop : "");
    snprintf(proof->reason, sizeof proof->reason, "%s", reason ? reason : "");
    return true;
}

static void slots_add(cJSON *object, const struct slots *slots)
{
    cJSON *const item = cJSON_AddObjectToObject(object, "slots");
    cJSON_AddNumberToObject(item, "announced", slots->announced);
    cJSON_AddNumberToObject(item, "live", slots->live);
}

static void slots_read(const cJSON *object, struct proofs *proofs)
{
    const cJSON *const item = message_get(object, "slots");
    const double announced = message_number(item, "announced", 0);
    const double live = message_number(item, "live", -1);
    if (proofs->slots.announced ||
        !(announced >= 1 && announced <= 1000 && live >= 0 && live <= announced))
        return;
    proofs->slots = (struct slots){(unsigned)announced, (unsigned)live};
}

void proofs_add(cJSON *message, const struct proofs *proofs)
{
    cJSON *const list = cJSON_AddArrayToObject(message, "proofs");
    for (size_t i = 0; i < proofs->n; i++)
        cJSON_AddItemToArray(list, proofs->known[i] ? proof_json(&proofs->proof[i])
                                                    : cJSON_CreateNull());
    if (proofs->slots.announced)
        slots_add(message, &proofs->slots);
}

bool proofs_read(const cJSON *message, struct proofs *proofs)
{
    const cJSON *item;
    bool more = false;
    size_t i = 0;
    cJSON_ArrayForEach (item, message_get(message, "proofs")) {
        if (i == proofs->n)
            break;
        if (!proofs->known[i] && proof_read(item, &proofs->proof[i]))
            more = proofs->known[i] = true;
        i++;
    }
    slots_read(message, proofs);
    return more;
}

/* ---- the file ---- */

/* The key is all that perf_event_open takes; names do not matter. */
static void event_key(const struct event *event, char *key, size_t size)
{
    snprintf(key, size, "%" PRIu32 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64, event->type,
             event->config, event->config1, event->config2);
}

void proofs_load(const char *fingerprint, const struct event *events, size_t n,
                 struct proofs *proofs)
{
    *proofs = (struct proofs){.n = n, .loaded = true};
    if (!fingerprint)
        return;
    FREED_BY(json_delete) cJSON *hosts = host_file_load(file_name);
    const cJSON *const host = host_file_find(hosts, fingerprint);
    slots_read(host, proofs);
    for (size_t i = 0; i < n; i++) {
        char key[80];
        event_key(&events[i], key, sizeof key);
        proofs->known[i] =
            proof_read(message_get(message_get(host, "events"), key), &proofs->proof[i]);
    }
}

/* A refusal may be lifted, and where a loop told nothing the next time it may. */
static bool is_kept(const struct proof *proof)
{
    return proof->verdict == PROOF_PROVEN || proof->verdict == PROOF_DEAD ||
           proof->verdict == PROOF_WRONG;
}

void proofs_save(const char *fingerprint, const struct event *events,
                 const struct proofs *proofs)
{
    bool any = false;
    for (size_t i = 0; i < proofs->n; i++)
        any |= proofs->known[i] && is_kept(&proofs->proof[i]);
    if (!fingerprint || !any)
        return;
    cJSON *const hosts = host_file_load(file_name);
    cJSON *const host = host_file_make(hosts, fingerprint);
    if (!message_get(host, "events"))
        cJSON_AddObjectToObject(host, "events");
    cJSON *const kept = message_get(host, "events");
    for (size_t i = 0; i < proofs->n; i++) {
        char key[80];
        event_key(&events[i], key, sizeof key);
        cJSON_DeleteItemFromObjectCaseSensitive(kept, key);
        if (proofs->known[i] && is_kept(&proofs->proof[i]))
            cJSON_AddItemToObject(kept, key, proof_json(&proofs->proof[i]));
    }
    cJSON_DeleteItemFromObjectCaseSensitive(host, "slots");
    if (proofs->slots.announced)
        slots_add(host, &proofs->slots);
    host_file_save(file_name, hosts);
}
