/* SPDX-License-Identifier: Apache-2.0 */
/* Events prove themselves in the guest, where each loop's count is exact. */
#include <string.h>

#include "pmu_guest.h"
#include "proofs.h"
#include "uarch.h"

static struct proof prove(const char *name)
{
    struct event event;
    struct proof proof = {.verdict = PROOF_REFUSED};
    struct error error = {.text = ""};
    if (event_encode(name, &event, &error) != 0)
        printf("%s\n", error.text);
    else
        events_prove(&event, 1, &proof);
    printf("%s: %s, %.0f for %.0f %s; %s\n", name, proof_verdict_name(proof.verdict),
           proof.counted, proof.expected, proof.loop, proof.reason);
    return proof;
}

/* Events without a model in the emulator open and stay at 0. */
static void prove_row(const char *name, const char *description, void *context)
{
    bool *const right = context;
    const struct proof proof = prove(name);
    const bool counts = strstr(name, "CPU_CYCLES") || strstr(name, "INST_RETIRED");
    *right &= counts               ? proof.verdict == PROOF_PROVEN
              : proof.loop[0] != 0 ? proof.verdict == PROOF_DEAD
                                   : proof.verdict == PROOF_UNPROVEN;
    (void)description;
}

int proofs(void)
{
    bool right = true;
    const struct slots slots = counters_slots();
    printf("slots: %u of %u\n", slots.live, slots.announced);
    CHECK(slots.announced >= 6 && slots.live == slots.announced);
    CHECK(prove("cycles").verdict == PROOF_PROVEN);
    const struct proof instructions = prove("instructions");
    CHECK(instructions.verdict == PROOF_PROVEN);
    printf("count proof instructions %.0f\n", instructions.counted);
    CHECK(prove("page-faults").verdict == PROOF_PROVEN);
    CHECK(prove("context-switches").verdict != PROOF_DEAD);
    CHECK(prove("branches").verdict == PROOF_REFUSED);
    uarch_each(uarch_host(), prove_row, &right);
    CHECK(right);
    return 0;
}

/* The loops run to their end, also those that no event of this PMU sees. */
int proof_loops(void)
{
    struct proof_memory memory = {.lines = NULL};
    for (int loop = 0; loop < PROOF_LOOPS; loop++) {
        const uint64_t ran = proof_loop_run((enum proof_loop)loop, 16384, &memory);
        const bool x86 = loop == LOOP_add256 || loop == LOOP_add512 ||
                         loop == LOOP_fma256 || loop == LOOP_ticks;
        CHECK(loop == LOOP_nothing ? ran == 1 : x86 ? ran == 0 : ran >= 16384);
    }
    proof_memory_free(&memory);
    return 0;
}
