/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doctor_private.h"
#include "worker/worker.h"

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

size_t baselines_ask(struct baseline *baseline, size_t max)
{
    struct asking asking = {.baseline = baseline,
                            .max = max,
                            .memory_fd = memfd_create("simdbench", MFD_CLOEXEC)};
    module_each(ask_found, &asking);
    const char *name;
    for (size_t i = 0; (name = baseline_name(i)) && asking.n < max; i++) {
        if (has(&asking, name))
            continue;
        baseline[asking.n] = (struct baseline){.found = false};
        snprintf(baseline[asking.n].name, sizeof baseline->name, "%s", name);
        asking.n++;
    }
    if (asking.memory_fd >= 0)
        close(asking.memory_fd);
    return asking.n;
}
