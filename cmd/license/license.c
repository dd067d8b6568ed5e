/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "license/license.h"
#include "license_private.h"
#include "output/output.h"
#include "process/process.h"

enum { ROUNDS = 40, CHAIN_NS = 200000, CHAINS = 50 };

static const char *const level_events[LICENSE_LEVELS] = {
    "core_power.lvl0_turbo_license",
    "core_power.lvl1_turbo_license",
    "core_power.lvl2_turbo_license",
};

/* Why a CPU has no events of licence levels. */
static const char *no_events(const struct host *host)
{
    return !strcmp(host->vendor, "AuthenticAMD")
               ? "AMD's cores have no licence levels: the clock follows power and heat "
                 "alone"
           : !strcmp(host->vendor, "GenuineIntel")
               ? "Intel names such events up to Ice Lake and Alder Lake; Emerald and "
                 "Granite "
                 "Rapids have none"
               : "this CPU has no events for them";
}

/* Licence counters of this thread, or NULL and why there are none. */
static int open_counters(struct counters **counters, char *why, size_t size)
{
    struct event events[LICENSE_LEVELS];
    struct error error = {.text = ""};
    struct count count;
    *counters = NULL;
    for (size_t k = 0; k < LICENSE_LEVELS; k++)
        if (event_encode(level_events[k], &events[k], &error) != 0) {
            struct host host;
            host_read(&host, "");
            snprintf(why, size, "%.120s (%.200s)", no_events(&host), error.text);
            return 0;
        }
    const int rc = counters_open(counters, events, LICENSE_LEVELS, COUNTERS_PINNED,
                                 &perf_system_linux, &error);
    if (rc != 0)
        return rc;
    counters_begin(*counters);
    counters_end(*counters);
    for (size_t k = 0; k < LICENSE_LEVELS; k++) {
        const bool answered = counters_get(*counters, k, &count);
        if (answered && !count.absent[0])
            continue;
        snprintf(why, size, "%.300s",
                 answered ? count.absent : "the three do not fit into one group");
        counters_close(*counters);
        *counters = NULL;
        break;
    }
    return 0;
}

/* The counters may tell of the core what this thread does not do. */
static void check_counters(const struct license_scope *one,
                           const struct counters *counters, char *why, size_t size)
{
    const int level = one->n_classes ? license_level(&one->class[0], one->rounds) : -1;
    const char *const note = counters_note(counters);
    if (level > 0)
        snprintf(why, size, "scalar work itself has licence %d%s%s", level,
                 note ? "; " : "", note ? note : "");
}

static void choose_cpus(const struct options *options, struct license *license)
{
    struct license_scope *const one = &license->scope[0], *const all = &license->scope[1];
    one->name = "one core";
    all->name = "all cores";
    for (size_t i = 0; i < options->how.n_cpu && i < CPUS_MAX; i++)
        all->cpu[all->n_cpu++] = options->how.cpu[i];
    if (!all->n_cpu)
        all->n_cpu = cpus_cores(all->cpu, cpus_allowed(all->cpu, CPUS_MAX));
    one->n_cpu = 1;
    one->cpu[0] = all->n_cpu ? all->cpu[all->n_cpu - 1] : 0;
    if (all->n_cpu < 2)
        snprintf(all->skip, sizeof all->skip, "there is one core only");
}

/* The best of a few: whatever disturbs one makes it look slower. */
static double best_ghz(double (*probe)(int64_t ns))
{
    double best = 0;
    for (size_t i = 0; i < CHAINS; i++)
        best = fmax(best, probe(CHAIN_NS));
    return best;
}

/* The clocks of one core and of all. */
static int measure_clocks(const struct options *options, bool progress,
                          struct license *license, struct error *error)
{
    const size_t rounds = options->how.rounds ? options->how.rounds : ROUNDS;
    struct counters *counters = NULL;
    license->ghz_add = best_ghz(clock_ghz);
    license->ghz_imul = best_ghz(clock_ghz_imul);
    int rc = open_counters(&counters, license->counters, sizeof license->counters);
    if (rc != 0)
        return error_set(error, rc, "licence counters: %s", strerror(-rc));
    for (size_t i = 0; i < LICENSE_SCOPES && rc == 0; i++) {
        struct license_scope *const scope = &license->scope[i];
        if (scope->skip[0])
            continue;
        if (progress)
            complain("license: the clock of %s", scope->name);
        rc = license_probe(scope, rounds, (uint64_t)clock_now(), i ? NULL : counters,
                           error);
        if (rc == 0)
            license_summarise(scope);
    }
    if (rc == 0 && counters)
        check_counters(&license->scope[0], counters, license->counters,
                       sizeof license->counters);
    counters_close(counters);
    return rc;
}

static int measure(const struct options *options, bool progress, struct license *license,
                   struct error *error)
{
    struct cpu_lock *lock = NULL;
    struct host host;
    host_read(&host, "");
    license->tool_version = simdbench_version.number;
    snprintf(license->cpu, sizeof license->cpu, "%s", host.cpu);
    snprintf(license->virtualisation, sizeof license->virtualisation, "%s",
             host.virtualisation);
    snprintf(license->fingerprint, sizeof license->fingerprint, "%s", host.fingerprint);
    choose_cpus(options, license);
    struct license_scope *const all = &license->scope[LICENSE_SCOPES - 1];
    int rc = cpu_lock_take(all->cpu, all->n_cpu, all->n_cpu, options->how.wait_ns,
                           options->quiet, &lock, error);
    if (rc == 0)
        rc = measure_clocks(options, progress, license, error);
    /* The runs of the net effect lock for themselves. */
    cpu_lock_free(lock);
    if (rc != 0)
        return rc;
    license_judge(license->scope, LICENSE_SCOPES, &license->verdict);
    if (options->quick)
        snprintf(license->net_skip, sizeof license->net_skip, "--quick leaves it out");
    else
        rc = license_measure_net(options->how.wait_ns, license, progress, error);
    return rc;
}

int license_clock(int cpu, struct license_effect *least, struct error *error)
{
    struct license_scope *const scope = must_have(calloc(1, sizeof *scope));
    scope->name = "one core";
    scope->cpu[0] = cpu;
    scope->n_cpu = 1;
    *least = (struct license_effect){.ratio = NAN};
    const int rc = license_probe(scope, ROUNDS, (uint64_t)clock_now(), NULL, error);
    if (rc == 0)
        license_summarise(scope);
    for (size_t i = 0; i < scope->n_classes && rc == 0; i++) {
        const struct license_class *const class = &scope->class[i];
        if (class->bits && !class->control && !class->skip[0] && !class->untimed &&
            !(class->effect.ratio >= least->ratio))
            *least = class->effect;
    }
    license_scope_free(scope);
    free(scope);
    return rc;
}

static int write_json(const void *license, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    license_json(license, &json);
    return json_end(&json, file, error);
}

static int write_html(const struct license *license, struct error *error)
{
    struct json json = {.root = NULL};
    license_json(license, &json);
    return html_write_json(&json, stdout, error);
}

static int write_outputs(const struct options *options, const struct license *license,
                         struct error *error)
{
    const int rc =
        options->json ? file_save(options->json, write_json, license, error) : 0;
    if (rc != 0)
        return rc;
    if (options->format == FORMAT_JSON)
        return write_json(license, stdout, error);
    if (options->format == FORMAT_HTML)
        return write_html(license, error);
    if (options->format == FORMAT_MARKDOWN)
        license_markdown(license, stdout);
    else
        license_print(license, stdout);
    return standard_flush(error);
}

int command_license(struct options *options)
{
    struct error error = {.text = ""};
    struct license *const license = must_have(calloc(1, sizeof *license));
    int rc = options->format == FORMAT_HTML ? html_check(&error) : 0;
    if (rc == 0)
        rc = check_writable("--json", options->json, &error);
    if (rc == 0)
        rc = measure(options, !options->quiet, license, &error);
    if (rc == 0)
        rc = write_outputs(options, license, &error);
    for (size_t i = 0; i < LICENSE_SCOPES; i++)
        license_scope_free(&license->scope[i]);
    for (size_t i = 0; i < license->n_nets; i++)
        license_net_free(&license->net[i]);
    free(license);
    return exit_status_of(rc, &error);
}
