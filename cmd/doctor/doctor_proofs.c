/* SPDX-License-Identifier: Apache-2.0 */
/* doctor counters: does each event of the counter groups count what its name says? */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doctor_private.h"
#include "output/output.h"

static void add_event(struct event_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->event[i].name, name) == 0)
            return;
    if (list->n < EVENTS_MAX && event_encode(name, &list->event[list->n], NULL) == 0)
        list->n++;
}

void event_list_groups(const struct uarch *uarch, struct event_list *list)
{
    list->n = 0;
    for (size_t g = 0; g < counter_group_count(); g++) {
        const char *names[COUNTER_GROUP_EVENTS];
        const size_t n = counter_group_events(g, uarch, names);
        for (size_t i = 0; i < n; i++)
            add_event(list, names[i]);
    }
}

/* A worker counts for a run, so a worker proves, on the CPU that a run would take. */
static int ask(const struct event_list *list, struct worker *worker,
               struct proofs *proofs, struct error *error)
{
    static const int64_t timeout_ns = 60 * INT64_C(1000000000);
    int cpu[CPUS_MAX];
    const size_t n_cpu = cpus_allowed(cpu, CPUS_MAX);
    struct setup_call call = {.n_cpu = n_cpu > 0, .n_events = list->n};
    FREED_BY(json_delete) cJSON *reply = NULL;
    call.cpu[0] = n_cpu ? cpu[n_cpu - 1] : 0;
    for (size_t i = 0; i < list->n; i++)
        call.event[i] = list->event[i].name;
    const int status = worker_ask(worker, setup_call(&call), timeout_ns, &reply, error);
    proofs_read(reply, proofs);
    return status;
}

int proofs_measure(const char *fingerprint, const struct event_list *list,
                   struct proofs *proofs, struct error *error)
{
    const int memory = memfd_create("simdbench", MFD_CLOEXEC);
    struct worker *const worker = worker_new("simdbench", NULL, NULL, 0, memory);
    *proofs = (struct proofs){.n = list->n};
    int status = worker_start(worker, false, error) ?: ask(list, worker, proofs, error);
    if (status == 0)
        proofs_save(fingerprint, list->event, proofs);
    worker_free(worker);
    if (memory >= 0)
        close(memory);
    return status;
}

static size_t count(const struct proofs *proofs, enum proof_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < proofs->n; i++)
        n += proofs->known[i] && proofs->proof[i].verdict == verdict;
    return n;
}

/* Does any of them open? */
static bool proofs_any(const struct proofs *proofs)
{
    return count(proofs, PROOF_REFUSED) < proofs->n;
}

void checks_proofs(struct checks *checks, const struct proofs *proofs)
{
    const struct slots *const slots = &proofs->slots;
    const size_t dead = count(proofs, PROOF_DEAD), wrong = count(proofs, PROOF_WRONG);
    if (!proofs_any(proofs))
        return;
    if (slots->announced) {
        check_add(checks, "counters alive", "%u of %u", slots->live, slots->announced);
        if (slots->live < slots->announced)
            check_costs(checks,
                        "the others stay at 0: events are counted in more passes, never "
                        "more at once than are alive",
                        "simdbench doctor counters");
    }
    check_add(checks, "events proven", "%zu of %zu, %zu dead, %zu wrong",
              count(proofs, PROOF_PROVEN), proofs->n, dead, wrong);
    if (dead || wrong)
        check_costs(checks, "events that do not count what their name says are left out",
                    "simdbench doctor counters");
}

static void put_number(struct grid *grid, double value)
{
    if (isfinite(value))
        grid_cell(grid, "%.0f", value);
    else
        GRID_TEXTS(grid, "-");
}

static void print(const struct host *host, const struct event_list *list,
                  const struct proofs *proofs, FILE *file)
{
    struct grid grid = {.at = "llrrl"};
    if (proofs->slots.announced) {
        text_line(file, "counters of the PMU: %u of %u count", proofs->slots.live,
                  proofs->slots.announced);
        text_line(file, "%s", "");
    }
    GRID_TEXTS(&grid, "event", "loop", "expected", "counted", "verdict");
    for (size_t i = 0; i < list->n; i++) {
        const struct proof *const proof = &proofs->proof[i];
        /* A reason that is the PMU's stands once below the table. */
        const bool tells = proof->reason[0] && strcmp(proof->reason, host->pmu_reason);
        GRID_TEXTS(&grid, list->event[i].name, proof->loop[0] ? proof->loop : "-");
        put_number(&grid, proof->expected);
        put_number(&grid, proof->counted);
        grid_cell(&grid, "%s%s%s", proof_verdict_name(proof->verdict), tells ? ": " : "",
                  tells ? proof->reason : "");
    }
    const struct text_page page = page_of(file, FORMAT_TABLE);
    grid_write(&grid, &page, 0);
    if (host->pmu == PMU_OK)
        return;
    text_line(file, "%s", "");
    text_line(file, "no PMU: %s", host->pmu_reason);
}

static int print_json(const struct host *host, const struct event_list *list,
                      const struct proofs *proofs, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    cJSON *const root = json_object(&json, NULL, NULL);
    json_text(&json, root, "fingerprint", host->fingerprint);
    json_text(&json, root, "uarch", uarch_of(host)->name);
    if (proofs->slots.announced) {
        cJSON *const slots = json_object(&json, root, "slots");
        json_number(&json, slots, "announced", proofs->slots.announced);
        json_number(&json, slots, "live", proofs->slots.live);
    }
    cJSON *const array = json_array(&json, root, "events");
    for (size_t i = 0; i < list->n; i++) {
        const struct proof *const proof = &proofs->proof[i];
        cJSON *const item = json_object(&json, array, NULL);
        json_text(&json, item, "event", list->event[i].name);
        json_filled(&json, item, "loop", proof->loop);
        json_number(&json, item, "expected", proof->expected);
        json_number(&json, item, "counted", proof->counted);
        json_text(&json, item, "verdict", proof_verdict_name(proof->verdict));
        json_filled(&json, item, "reason", proof->reason);
    }
    return json_end(&json, file, error);
}

int doctor_counters(const struct options *options, struct error *error)
{
    struct host host;
    FREED_BY(free_memory) struct event_list *list = must_have(calloc(1, sizeof *list));
    FREED_BY(free_memory) struct proofs *proofs = must_have(calloc(1, sizeof *proofs));
    host_read(&host, "");
    event_list_groups(uarch_of(&host), list);
    int status = proofs_measure(host.fingerprint, list, proofs, error);
    if (status == 0 && options->format == FORMAT_JSON)
        status = print_json(&host, list, proofs, stdout, error);
    else if (status == 0)
        print(&host, list, proofs, stdout);
    const bool any = status == 0 && proofs_any(proofs);
    return status ? status : any ? EXIT_OK : EXIT_NOTHING;
}
