/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench doctor: what this machine does to measurements. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "doctor_private.h"
#include "process/process.h"

enum { BASELINES_MAX = 24 };

/* A run would go to the first of these CPUs that no other run measures on. */
static int choose_cpu(const struct options *options, struct vitals *vitals,
                      struct cpu_lock **lock, struct error *error)
{
    int order[CPUS_MAX];
    const size_t n = cpu_order(order);
    const int rc =
        cpu_lock_take(order, n, n > 0, options->how.wait_ns, false, lock, error);
    vitals->probed_cpu = n ? order[0] : -1;
    return rc;
}

/* The PMU opens and counts cycles: what else does it count? */
static void prove(struct checks *checks, const struct host *host)
{
    FREED_BY(free_memory) struct event_list *list = must_have(calloc(1, sizeof *list));
    FREED_BY(free_memory) struct proofs *proofs = must_have(calloc(1, sizeof *proofs));
    event_list_groups(uarch_of(host), list);
    if (proofs_measure(host->fingerprint, list, proofs, NULL) == 0)
        checks_proofs(checks, proofs);
}

static int command_topic(const struct options *options)
{
    struct error error = {.text = ""};
    if (options->format != FORMAT_TABLE && options->format != FORMAT_JSON) {
        error_set(&error, -EINVAL,
                  "doctor %s prints table and json, not %s: leave --format out",
                  options->files.item[0], format_name(options->format));
        return exit_status_of(-EINVAL, &error);
    }
    int status = strcmp(options->files.item[0], "counters") == 0
                     ? doctor_counters(options, &error)
                     : doctor_instructions(options, &error);
    if (status >= 0) {
        const int rc = standard_flush(&error);
        status = rc < 0 ? rc : status;
    }
    return exit_status_of(status, &error);
}

static int write_checks(const struct checks *checks, enum format format,
                        struct error *error)
{
    struct json json = {.root = NULL};
    if (format == FORMAT_MARKDOWN)
        checks_markdown(checks, stdout);
    else if (format == FORMAT_TABLE)
        checks_print(checks, terminal_colour(stdout), stdout);
    else
        checks_json(checks, &json);
    const int rc = format == FORMAT_JSON   ? json_end(&json, stdout, error)
                   : format == FORMAT_HTML ? html_write_json(&json, stdout, error)
                                           : 0;
    return rc ? rc : standard_flush(error);
}

int command_doctor(struct options *options)
{
    struct error error = {.text = ""};
    if (options->format == FORMAT_HTML && html_check(&error) < 0)
        return exit_status_of(-ENOTSUP, &error);
    if (options->files.n)
        return command_topic(options);
    struct host host;
    struct vitals *const vitals = must_have(calloc(1, sizeof *vitals));
    struct baseline *const baseline = must_have(calloc(BASELINES_MAX, sizeof *baseline));
    struct checks *const checks = must_have(calloc(1, sizeof *checks));
    struct cpu_lock *lock = NULL;

    int rc = choose_cpu(options, vitals, &lock, &error);
    if (rc < 0)
        goto out;
    host_read(&host, "");
    vitals_read(vitals, "");
    vitals_measure(vitals);
    cpu_lock_free(lock);
    checks_host(checks, &host, vitals);
    if (host.pmu == PMU_OK)
        prove(checks, &host);
    checks_tracing(checks);
    checks_isas(checks);
    checks_baselines(checks, baseline, baselines_ask(baseline, BASELINES_MAX));
    rc = write_checks(checks, options->format, &error);
out:
    free(vitals);
    free(baseline);
    free(checks);
    return exit_status_of(rc, &error);
}
