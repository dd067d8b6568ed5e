/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench doctor: what this machine does to measurements. */
#include <sys/mman.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "doctor_private.h"
#include "output/output.h"

/* ---- baselines ---- */

/* Debian packages: what runs them, and what builds their modules; "" for what
 * scripts/setup peers fetches. */
static const struct {
    const char *name, *runs, *builds;
} known[] = {
    {"openblas", "libopenblas0", "libopenblas-dev"},
    {"onednn", "libdnnl2", "libdnnl-dev"},
    {"graphblas", "libgraphblas7", "libgraphblas-dev"},
#if defined __x86_64__
    {"blis", "libblis4-openmp", "libblis4-openmp"},
    {"sleef", "libsleef3", "libsleef3"},
    {"libmvec", "libc6", "libc6"},
    {"mkl", "", ""},
    {"onednn3", "", ""},
#endif
    {"numpy", "python3-numpy", "python3-numpy"},
    {"torch", "python3-torch", "python3-torch"},
};

struct asking {
    struct baseline *baseline;
    size_t n, max;
    int memory_fd;
};

static void copy(char *to, size_t size, const cJSON *description, const char *name)
{
    const char *const text = message_text(description, name);
    snprintf(to, size, "%s", text ? text : "");
}

static void ask(struct baseline *baseline, const char *path, int memory_fd)
{
    static const int64_t timeout_ns = 20 * INT64_C(1000000000);
    struct error error = {.text = ""};
    struct worker *const worker = worker_new(baseline->name, path, NULL, 0, memory_fd);
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = worker_start(worker, false, &error)
                     ?: worker_ask(worker, describe_call(), timeout_ns, &reply, &error);
    baseline->started = status == 0;
    snprintf(baseline->error, sizeof baseline->error, "%.255s", error.text);
    copy(baseline->version, sizeof baseline->version, reply, "version");
    copy(baseline->core, sizeof baseline->core, reply, "core");
    copy(baseline->isa, sizeof baseline->isa, reply, "isa");
    copy(baseline->advice, sizeof baseline->advice, reply, "advice");
    worker_free(worker);
}

static void ask_found(const char *name, const char *path, void *context)
{
    struct asking *const asking = context;
    /* Module `study` has rows of our own, no library. */
    if (asking->n == asking->max || strcmp(name, "study") == 0)
        return;
    struct baseline *const baseline = &asking->baseline[asking->n++];
    progress_show("which libraries are here? %s", name);
    *baseline = (struct baseline){.found = true};
    snprintf(baseline->name, sizeof baseline->name, "%s", name);
    ask(baseline, path, asking->memory_fd);
}

static bool has(const struct asking *asking, const char *name)
{
    for (size_t i = 0; i < asking->n; i++)
        if (strcmp(asking->baseline[i].name, name) == 0)
            return true;
    return false;
}

/* Starts each baseline and asks what it is. Returns how many, at most max. */
static size_t baselines_ask(struct baseline *baseline, size_t max)
{
    struct asking asking = {.baseline = baseline,
                            .max = max,
                            .memory_fd = memfd_create("simdbench", MFD_CLOEXEC)};
    module_each(ask_found, &asking);
    for (size_t i = 0; i < ARRAY_LEN(known) && asking.n < max; i++) {
        if (has(&asking, known[i].name))
            continue;
        baseline[asking.n] = (struct baseline){.found = false};
        snprintf(baseline[asking.n].name, sizeof baseline->name, "%s", known[i].name);
        asking.n++;
    }
    if (asking.memory_fd >= 0)
        close(asking.memory_fd);
    return asking.n;
}

static const char *package_of(const struct baseline *baseline)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].name, baseline->name) == 0)
            return baseline->found ? known[i].runs : known[i].builds;
    return NULL;
}

static void check_missing(struct checks *checks, const char *name,
                          const struct baseline *baseline)
{
    char costs[128], advice[160];
    const char *const package = package_of(baseline);
    snprintf(costs, sizeof costs, "nothing can be compared with --baseline=%s",
             baseline->name);
    if (package && !*package)
        snprintf(advice, sizeof advice, "scripts/setup peers, in the source tree");
    else if (package)
        snprintf(advice, sizeof advice, "sudo apt-get install %s%s", package,
                 baseline->found ? "" : ", then scripts/run builds the module");
    else
        snprintf(advice, sizeof advice, "simdbench list modules");
    check_add(checks, name, "%s",
              baseline->found ? baseline->error : "no module of that name");
    check_costs(checks, costs, advice);
}

void checks_baselines(struct checks *checks, const struct baseline *baseline, size_t n)
{
    FOR_EACH (const struct baseline, one, baseline, n) {
        char name[sizeof checks->check[0].name], advice[256];
        snprintf(name, sizeof name, "baseline %.20s", one->name);
        if (!one->started) {
            check_missing(checks, name, one);
            continue;
        }
        check_add(checks, name, "%s%s%s%s%s",
                  one->version[0] ? one->version : "version not told",
                  one->core[0] ? ", core " : "", one->core, one->isa[0] ? ", " : "",
                  one->isa);
        snprintf(advice, sizeof advice, "simdbench ... --baseline=%s,%s", one->name,
                 one->advice);
        if (one->advice[0])
            check_costs(checks,
                        "it chose narrower vectors than this CPU has: it is slower than "
                        "it could be; runs without --baseline take its wider ones",
                        advice);
    }
}

/* ---- the command ---- */

enum { BASELINES_MAX = 24 };

int doctor_take_cpu(const struct options *options, int *cpu, struct cpu_lock **lock,
                    struct error *error)
{
    int order[CPUS_MAX];
    const size_t n = cpu_order(order);
    const int rc =
        cpu_lock_take(order, n, n > 0, options->how.wait_ns, false, lock, error);
    *cpu = n ? order[0] : -1;
    return rc;
}

/* The PMU opens and counts cycles: what else does it count? */
static void prove(struct checks *checks, const struct host *host)
{
    FREED_BY(free_memory) struct event_list *list = must_have(calloc(1, sizeof *list));
    FREED_BY(free_memory) struct proofs *proofs = must_have(calloc(1, sizeof *proofs));
    event_list_groups(uarch_of(host), list);
    progress_show("which hardware counters tell the truth?");
    if (proofs_measure(host->fingerprint, list, proofs, NULL) == 0)
        checks_proofs(checks, proofs);
}

static int command_topic(const struct options *options)
{
    struct error error = {.text = ""};
    if (options->n_outputs ||
        (options->format != FORMAT_TABLE && options->format != FORMAT_JSON)) {
        invalid(&error,
                "doctor %s prints table and json; --output=FILE keeps what is printed",
                options->files.item[0]);
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

static int write_checks(const void *checks, enum format format, FILE *file,
                        struct error *error)
{
    struct json json = {.root = NULL};
    if (format == FORMAT_JSON || format == FORMAT_HTML) {
        checks_json(checks, &json);
        return page_or_json_write(&json, format, file, error);
    }
    const struct text_page page = page_of(file, format);
    checks_print(checks, terminal_colour(file), &page);
    return 0;
}

int command_doctor(struct options *options)
{
    struct error error = {.text = ""};
    if (options->files.n)
        return command_topic(options);
    int rc = outputs_check(options, &error);
    if (rc < 0)
        return exit_status_of(rc, &error);
    struct host host;
    FREED_BY(free_memory) struct vitals *vitals = must_have(calloc(1, sizeof *vitals));
    FREED_BY(free_memory) struct baseline *baseline =
        must_have(calloc(BASELINES_MAX, sizeof *baseline));
    FREED_BY(free_memory) struct checks *checks = must_have(calloc(1, sizeof *checks));
    struct cpu_lock *lock = NULL;

    rc = doctor_take_cpu(options, &vitals->probed_cpu, &lock, &error);
    if (rc < 0)
        return exit_status_of(rc, &error);
    progress_show("what does this machine do to times?");
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
    progress_end();
    rc = document_write(options, write_checks, checks, &error);
    return exit_status_of(rc, &error);
}
