/* SPDX-License-Identifier: Apache-2.0 */
/* Some baselines are no fair opponents: they run a reference, narrower vectors than they
 * could, or other threads than the case. */
#include "measure_private.h"

#include <ctype.h>

/* The first reason is told by reports; further ones become notes. */
static void unrank(struct result *result, const char *reason)
{
    if (result->is_baseline && !result->unranked)
        string_set(&result->unranked, reason);
    else if (!result->unranked || strcmp(result->unranked, reason) != 0)
        note_once(result, reason);
}

void fairness_clear(struct result *result)
{
    string_set(&result->unranked, NULL);
}

void fairness_implementation(struct result *result, const char *implementation)
{
    char text[128];
    /* "ref:any", "gemm:ref", but no "prefetch". */
    for (const char *at = implementation; at && (at = strstr(at, "ref")); at += 3) {
        if ((at > implementation && isalnum((unsigned char)at[-1])) ||
            isalnum((unsigned char)at[3]))
            continue;
        snprintf(text, sizeof text, "ran its reference implementation (%.64s)",
                 implementation);
        unrank(result, text);
        return;
    }
}

void fairness_isa(struct result *result, const struct offer *offer, const char *chosen)
{
    const struct worker_info *worker = &offer->worker->info;
    const bool library = !strcmp(offer->isa, "lib");
    const char *module = worker->renamed ? worker->path : worker->name;
    const char *isa = chosen ? chosen : library ? worker->isa : NULL;
    const int number = isa ? isa_find(isa) : -1;
    const size_t widest = library ? isa_best() : (size_t)isa_find(offer->isa);
    char text[512];
    if (worker->by_itself) {
        snprintf(text, sizeof text, "%.*s by itself takes %s on this CPU",
                 (int)strcspn(worker->name, ","), worker->name, worker->by_itself);
        note_once(result, text);
    }
    /* A name that is no bundle of ours ("avx") lies between two and is narrower too. */
    if (!result->is_baseline || !isa || (number >= 0 && (size_t)number >= widest))
        return;
    const char *whose = library ? "this CPU" : "its row";
    int length =
        snprintf(text, sizeof text, "%.64s chose %s%.32s%s%s%s, narrower than %s (%s)",
                 worker->name, chosen ? "" : "core ",
                 chosen         ? isa
                 : worker->core ? worker->core
                                : "?",
                 chosen ? "" : " (", chosen ? "" : isa, chosen ? "" : ")", whose,
                 isa_get(widest)->name);
    if (worker->advice && !chosen)
        snprintf(text + length, sizeof text - (size_t)length,
                 "; compare --baseline=%.*s,%.64s", (int)strcspn(module, ","), module,
                 worker->advice);
    note_once(result, text);
    snprintf(text, sizeof text, "ran %.32s where %s has %s", isa, whose,
             isa_get(widest)->name);
    unrank(result, text);
}

/* Threads of an earlier group with more of them stay, asleep. */
void fairness_alive(struct result *result, int alive, int most)
{
    char text[128];
    if (alive <= most)
        return;
    snprintf(text, sizeof text, "its process has %d threads alive, the case asked for %d",
             alive, result->threads);
    unrank(result, text);
}

void fairness_used(struct result *result)
{
    char text[128];
    if (!result->threads_used || result->threads_used == result->threads)
        return;
    snprintf(text, sizeof text, "used %d threads, the case asked for %d",
             result->threads_used, result->threads);
    unrank(result, text);
}
