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

/* The counters may tell of the core what this thread does not do. */
static void check_counters(const struct license_scope *one,
                           const struct license_counters *counters, char *why,
                           size_t size)
{
    const int level = one->n_classes ? license_level(&one->class[0], one->rounds) : -1;
    const char *const note = counters_note(counters->perf);
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
    struct license_counters counters = {.n = 0};
    license->ghz_add = best_ghz(clock_ghz);
    license->ghz_imul = best_ghz(clock_ghz_imul);
    int rc = license_counters_open(uarch_host(), &perf_system_linux, &counters,
                                   license->counters, sizeof license->counters, error);
    if (rc != 0)
        return error_set(error, rc, "licence counters: %s", strerror(-rc));
    for (size_t i = 0; i < LICENSE_SCOPES && rc == 0; i++) {
        struct license_scope *const scope = &license->scope[i];
        if (scope->skip[0])
            continue;
        if (progress)
            complain("license: the clock of %s", scope->name);
        rc = license_probe(scope, rounds, (uint64_t)clock_now(), i ? NULL : &counters,
                           error);
        if (rc == 0)
            license_summarise(scope);
    }
    snprintf(license->top, sizeof license->top, "%s", counters.top);
    if (rc == 0 && counters.perf)
        check_counters(&license->scope[0], &counters, license->counters,
                       sizeof license->counters);
    license_counters_close(&counters);
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
                           options->quiet, &lock, error)
                 ?: measure_clocks(options, progress, license, error);
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
    FREED_BY(free_memory) struct license_scope *scope =
        must_have(calloc(1, sizeof *scope));
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
    FREED_BY(free_memory) struct license *license = must_have(calloc(1, sizeof *license));
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
    return exit_status_of(rc, &error);
}
