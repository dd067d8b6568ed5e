/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "output/output.h"
#include "process/process.h"

static void add_text(struct run *run, const char *name, const char *text, bool identity)
{
    if (!text[0])
        return;
    must(facts_text(&run->host, name, text));
    run->host.fact[run->host.n - 1].identity = identity;
}

static void add_number(struct run *run, const char *name, double number, bool identity)
{
    if (number < 0)
        return;
    must(facts_number(&run->host, name, number));
    run->host.fact[run->host.n - 1].identity = identity;
}

void host_facts(const struct host *host, struct run *run)
{
    static const char *const states[] = {[PMU_OK] = "ok",
                                         [PMU_NO_HARDWARE] = "no hardware",
                                         [PMU_FORBIDDEN] = "forbidden",
                                         [PMU_UNKNOWN] = "unknown"};
    const struct {
        const char *name, *text;
        bool identity;
    } texts[] = {
        {"cpu", host->cpu, true},
        {"vendor", host->vendor, true},
        {"microcode", host->microcode, true},
        {"governor", host->governor, true},
        {"turbo", host->turbo, true},
        {"virtualisation", host->virtualisation, true},
        {"container", host->container, false},
        {"kernel", host->kernel, false},
        {"os", host->os, false},
        {"thp", host->thp, false},
        {"clocksource", host->clocksource, false},
        {"pmu_name", host->pmu_name, false},
        {"uarch", uarch_of(host)->name, false},
    };
    const struct {
        const char *name;
        double number;
        bool identity;
    } numbers[] = {
        {"family", host->family, true},
        {"model", host->model, true},
        {"stepping", host->stepping, true},
        {"cpus", host->cpus, false},
        {"cores", host->cores, true},
        {"sockets", host->sockets, false},
        {"numa_nodes", host->numa_nodes, false},
        {"smt", host->smt, true},
        {"memory_bytes", (double)host->memory, false},
        {"aslr", host->aslr, false},
        {"perf_event_paranoid", host->perf_paranoid, false},
        {"nmi_watchdog", host->nmi_watchdog, false},
        {"tsc_ghz", host->tsc_ghz, false},
        {"load_1min", host->load[0], false},
    };
    must(string_set(&run->fingerprint, host->fingerprint));
    must(string_set(&run->pmu_state, states[host->pmu]));
    must(string_set(&run->pmu_reason, host->pmu_reason));
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        add_text(run, texts[i].name, texts[i].text, texts[i].identity);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        add_number(run, numbers[i].name, numbers[i].number, numbers[i].identity);
    for (size_t i = 0; i < host->caches; i++) {
        const struct cache *cache = &host->cache[i];
        char name[32];
        snprintf(name, sizeof name, "l%d%c_bytes", cache->level, cache->type);
        add_number(run, name, (double)cache->bytes, true);
    }
    if (host->l2_dtlb_entries > 0)
        add_number(run, "l2_dtlb_entries", host->l2_dtlb_entries, false);
}
