/* SPDX-License-Identifier: Apache-2.0 */
/* A run describes itself before anything is measured. */
#include "output/output.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

static void add_number(struct run *run, const char *name, double number, bool identity)
{
    if (number < 0)
        return;
    facts_number(&run->host, name, number);
    run->host.fact[run->host.n - 1].identity = identity;
}

/* Copies what perfctr knows of the host into the run. */
static void host_facts(const struct host *host, struct run *run)
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
    string_set(&run->fingerprint, host->fingerprint);
    string_set(&run->pmu_state, states[host->pmu]);
    string_set(&run->pmu_reason, host->pmu_reason);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (texts[i].text[0]) {
            facts_text(&run->host, texts[i].name, texts[i].text);
            run->host.fact[run->host.n - 1].identity = texts[i].identity;
        }
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        add_number(run, numbers[i].name, numbers[i].number, numbers[i].identity);
    FOR_EACH (const struct cache, cache, host->cache, host->caches) {
        char name[32];
        snprintf(name, sizeof name, "l%d%c_bytes", cache->level, cache->type);
        add_number(run, name, (double)cache->bytes, true);
    }
    if (host->l2_dtlb_entries > 0)
        add_number(run, "l2_dtlb_entries", host->l2_dtlb_entries, false);
}

static void add_settings(const struct options *options, const struct plan *plan,
                         struct run *run)
{
    const struct {
        const char *name, *otherwise;
        const struct text_list *list;
    } lists[] = {
        {"isa", "auto", &options->request.isas},
        {"type", "default", &options->request.types},
        {"semiring", "default", &options->request.semirings},
        {"sizes", "default", &options->request.sizes},
        {"shape", "none", &options->request.shapes},
        {"shapes", "none", &options->request.shape_lists},
        {"layout", "default", &options->request.layouts},
        {"input", "default", &options->request.inputs},
        {"variants", "all", &options->request.variants},
        {"filter", "none", &options->request.filters},
        {"baseline", "default", &options->request.baselines},
        {"plugin", "none", &options->request.plugins},
        {"events", "none", &options->how.events},
        {"counters", "none", &options->how.counters},
    };
    struct facts *const settings = &run->settings;
    char text[1024];
    facts_text(settings, "op", options->request.op ?: options->command);
    if (!strcmp(options->command, "audit")) {
        facts_text(settings, "dispatcher", options->dispatcher ?: "");
        facts_text(settings, "bad_choice", options->strict ? "fail" : "pass");
    }
    if (options->relative_to)
        facts_text(settings, "relative_to", options->relative_to);
    if (options->label)
        facts_text(settings, "label", options->label);
    if (options->project_file) {
        text_list_join(&options->from_project, " ", text, sizeof text);
        facts_text(settings, "project", options->project_file);
        facts_text(settings, "project_options", text);
    }
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        text_list_join(lists[i].list, " ", text, sizeof text);
        facts_text(settings, lists[i].name, lists[i].list->n ? text : lists[i].otherwise);
    }
    facts_text(settings, "isa_fallback", options->request.isa_strict ? "off" : "on");
    if (plan->isas_instead.n) {
        text_list_join(&plan->isas_instead, " ", text, sizeof text);
        facts_text(settings, "isa_measured", text);
    }
    FREED_BY(buffer_free) struct buffer cpus = {.text = NULL};
    for (size_t i = 0; i < plan->n_cpu; i++)
        buffer_format(&cpus, "%s%d", i ? "," : "", plan->cpu[i]);
    if (plan->n_cpu)
        facts_text(settings, "cpu_measured", buffer_text(&cpus));
    facts_bool(settings, "cpu_locked", plan->lock != NULL);
    facts_text(settings, "scheduled", priority_may() ? "first" : "in turn");
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        {"align", (double)options->request.settings.align},
        {"time_per_case_ns", plan->case_ns},
        {"precision", plan->precision},
        {"rounds", options->how.rounds},
        {"timeout_ns", (double)options->how.timeout_ns},
    };
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        facts_number(settings, numbers[i].name, numbers[i].number);
    char threads[THREADS_MAX * 6] = "";
    for (size_t i = 0, n = 0; i < options->request.n_threads; i++)
        n += (size_t)snprintf(threads + n, sizeof threads - n, "%s%u", i ? " " : "",
                              options->request.threads[i]);
    if (options->request.n_threads == 1)
        facts_number(settings, "threads", options->request.threads[0]);
    else
        facts_text(settings, "threads", threads);
    facts_text(settings, "cache", options->request.settings.cold ? "cold" : "hot");
    facts_text(settings, "pages", options->request.settings.huge_pages ? "2m" : "4k");
    if (options->request.settings.most_ulp > 0)
        facts_number(settings, "accuracy_at_most", options->request.settings.most_ulp);
    facts_text(settings, "measure", options->how.accuracy ? "accuracy" : "time");
    if (options->request.ladder)
        facts_bool(settings, "ladder", true);
    facts_bool(settings, "in_process", options->how.in_process);
    facts_bool(settings, "multiplex", options->how.multiplex);
    if (clock_script())
        facts_text(settings, "test_clock", clock_script());
    facts_text(settings, "check", options->how.check_full ? "full" : "auto");
}

/* Nodes of a cluster may share a host: Slurm knows better which one this is. */
static void add_node(const char *asked, struct run *run)
{
    char host[HOST_NAME_MAX + 1] = "";
    const char *const slurm = getenv("SLURMD_NODENAME");

    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    const char *const node = asked ? asked : slurm && *slurm ? slurm : host;
    if (*node)
        facts_text(&run->host, "node", node);
}

struct run *run_describe(const struct options *options, const struct catalog *catalog,
                         const struct plan *plan)
{
    struct run *const run = run_new();
    char date[24], seed[24];
    date_text(date);
    snprintf(seed, sizeof seed, "%" PRIu64, options->how.seed);
    run->schema_version = RUN_SCHEMA_VERSION;
    const struct {
        char **where;
        const char *text;
    } texts[] = {{&run->started_at, date},
                 {&run->seed, seed},
                 {&run->tool_version, simdbench_version.number},
                 {&run->tool_commit, simdbench_version.commit},
                 {&run->tool_compiler, simdbench_version.compiler},
                 {&run->tool_flags, simdbench_version.flags}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        string_set(texts[i].where, texts[i].text);
    for (int i = 0; i < options->argc; i++)
        strings_add(&run->argv, &run->argc, options->argv[i]);
    add_settings(options, plan, run);
    run_describe_builds(options, catalog, run);
    /* As the worker sees them: under an emulator or a mask it knows best. */
    const cJSON *isa,
        *isas = catalog ? message_get(catalog->workers[0]->description, "isas") : NULL;
    cJSON_ArrayForEach (isa, isas) {
        if (cJSON_IsString(isa))
            strings_add(&run->isas, &run->n_isas, isa->valuestring);
    }
    struct host host;
    host_read(&host, "");
    host_facts(&host, run);
    add_node(options->node, run);
    return run;
}
