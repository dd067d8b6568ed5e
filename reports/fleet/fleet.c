/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"
#include "hash.h"

/* ---- what a host is ---- */

static void is_text(struct fleet_host *host, const char *name, const char *text)
{
    if (text && !facts_find_text(&host->is, name))
        facts_text(&host->is, name, text);
}

/* Texts, and the numbers that make times comparable or tell of settings. */
static bool tells(const struct fact *fact)
{
    return fact->kind == FACT_TEXT
               ? strcmp(fact->name, "node") != 0
               : fact->identity || !strcmp(fact->name, "cpus") ||
                     !strcmp(fact->name, "numa_nodes") || !strcmp(fact->name, "aslr");
}

static void describe(struct fleet_host *host, const struct run *run)
{
    is_text(host, "simdbench", run->tool_version);
    FOR_EACH (const struct fact, fact, run->host.fact, run->host.n) {
        char number[NUMBER_SIZE];
        snprintf(number, sizeof number, "%.10g", fact->number);
        if (tells(fact))
            is_text(host, fact->name, fact->kind == FACT_TEXT ? fact->text : number);
    }
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->module.name && result->module.version)
            is_text(host, result->module.name, result->module.version);
}

/* The index of the host of a run, which is new if the node or its fingerprint is. */
static size_t find_host(struct fleet *fleet, const struct run *run, const char *name)
{
    const char *const node = facts_find_text(&run->host, "node") ?: name;

    for (size_t i = 0; i < fleet->n_hosts; i++)
        if (!strcmp(fleet->hosts[i].node, node) &&
            text_same(fleet->hosts[i].fingerprint, run->fingerprint))
            return i;
    struct fleet_host *const host = NAMED_ADD(fleet, hosts, n_hosts, node);
    host->fingerprint = copy_text(run->fingerprint);
    describe(host, run);
    return fleet->n_hosts - 1;
}

/* ---- times ---- */

static struct fleet_case *find_case(struct fleet *fleet, const char *id,
                                    const char *fingerprint)
{
    for (size_t i = 0; i < fleet->n_cases; i++) {
        const size_t at = (fleet->cursor + i) % fleet->n_cases;
        struct fleet_case *const one = &fleet->cases[at];
        if (!strcmp(one->id, id) && text_same(one->fingerprint, fingerprint)) {
            fleet->cursor = at + 1;
            return one;
        }
    }
    struct fleet_case *const made = NAMED_ADD(fleet, cases, n_cases, id);
    fleet->cursor = fleet->n_cases;
    made->fingerprint = copy_text(fingerprint);
    return made;
}

static void add_time(struct fleet *fleet, size_t host, const char *id, double ns)
{
    struct fleet_case *const one = find_case(fleet, id, fleet->hosts[host].fingerprint);
    struct fleet_point *point = NULL;

    FOR_EACH (struct fleet_point, known, one->points, one->n)
        point = known->host == host ? known : point;
    if (!point) {
        point = LIST_ADD(one, points, n);
        point->host = host;
    }
    double *const time = LIST_ADD(point, ns, n);
    *time = ns;
}

/* ---- runs ---- */

/* Two runs of a host may share their second and seed, but not their times. */
static uint64_t hash_run(const struct run *run)
{
    uint64_t hash = HASH_FIRST;

    hash = hash_text(hash, facts_find_text(&run->host, "node") ?: "");
    hash = hash_text(hash, run->fingerprint ?: "");
    hash = hash_text(hash, run->started_at ?: "");
    hash = hash_text(hash, run->seed ?: "");
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        hash = hash_text(hash, result->id ?: "");
        hash = hash_bytes(hash, &result->summary.median_ns,
                          sizeof result->summary.median_ns);
    }
    return hash;
}

/* 0 for a run that is new. */
static int see(struct fleet *fleet, const struct run *run, const char *name,
               const char **twin)
{
    const uint64_t hash = hash_run(run);

    FOR_EACH (const struct fleet_seen, seen, fleet->seen, fleet->runs)
        if (seen->hash == hash) {
            *twin = seen->name;
            return -EEXIST;
        }
    struct fleet_seen *const seen = NAMED_ADD(fleet, seen, runs, name);
    seen->hash = hash;
    return 0;
}

int fleet_add(struct fleet *fleet, const struct run *run, const char *name,
              const char **twin)
{
    size_t n = 0;
    const int code = see(fleet, run, name, twin);
    if (code)
        return code;
    FREED_BY(free_memory) double *cycles =
        must_have(calloc(run->n_results + 1, sizeof *cycles));
    const size_t host = find_host(fleet, run, name);

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        fleet->hosts[host].bad += status_is_bad(result->status);
        if (result->status != STATUS_OK || !result_has_summary(result) ||
            !(result->summary.median_ns > 0) || !result->id)
            continue;
        add_time(fleet, host, result->id, result->summary.median_ns);
        if (result->summary.ghz > 0)
            cycles[n++] = 1 / result->summary.ghz;
    }
    if (n)
        add_time(fleet, host, "cycle", stats_median(cycles, n));
    fleet->hosts[host].runs++;
    return 0;
}

void fleet_free(struct fleet *fleet)
{
    FOR_EACH (struct fleet_host, host, fleet->hosts, fleet->n_hosts) {
        FREE_EACH(host->node, host->fingerprint);
        FOR_EACH (struct fact, fact, host->is.fact, host->is.n)
            FREE_EACH(fact->name, fact->text);
        free(host->is.fact);
    }
    FOR_EACH (struct fleet_case, one, fleet->cases, fleet->n_cases) {
        FOR_EACH (struct fleet_point, point, one->points, one->n)
            free(point->ns);
        FREE_EACH(one->id, one->fingerprint);
        free(one->points);
    }
    FOR_EACH (struct fleet_seen, seen, fleet->seen, fleet->runs)
        free(seen->name);
    FREE_EACH(fleet->seen, fleet->hosts, fleet->cases);
    *fleet = (struct fleet){.n_hosts = 0};
}
