/* SPDX-License-Identifier: Apache-2.0 */
#include "scripted_worker.h"
#include "process/process.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CASE = 100, LIVES = 16 };

struct script script;

static struct {
    const struct worker *worker;
    bool alive;
    int life;
} lives[LIVES];

static size_t life_of(const struct worker *worker)
{
    size_t i = 0;
    while (i + 1 < LIVES && lives[i].worker && lives[i].worker != worker)
        i++;
    lives[i].worker = worker;
    return i;
}

void script_begin(void)
{
    script = (struct script){.isas = isa_count()};
    for (size_t k = 0; k < ARRAY_LEN(script.call_ns); k++)
        script.call_ns[k] = 1000;
    memset(lives, 0, sizeof lives);
    interrupted_by = 0;
}

struct trouble *script_trouble(const char *verb, int first, int last, const char *field,
                               double number)
{
    struct trouble *trouble = script.trouble;
    while (trouble->verb)
        trouble++;
    *trouble = (struct trouble){.verb = verb,
                                .kernel = ANY_KERNEL,
                                .first = first,
                                .last = last,
                                .field = field,
                                .number = field ? number : 0,
                                .code = field ? 0 : (int)number};
    return trouble;
}

static bool is_of(const struct asked *asked, const char *verb, const char *worker,
                  uint64_t kernel)
{
    return !strcmp(asked->verb, verb) && (!worker || !strcmp(asked->worker, worker)) &&
           (kernel == ANY_KERNEL || asked->kernel == ANY_KERNEL ||
            asked->kernel == kernel);
}

const struct asked *script_asked(const char *verb, const char *worker, uint64_t kernel,
                                 size_t n)
{
    for (size_t i = 0; i < script.n_log; i++) {
        if (is_of(&script.log[i], verb, worker, kernel) && n-- == 0)
            return &script.log[i];
    }
    return NULL;
}

size_t script_count(const char *verb, const char *worker, uint64_t kernel)
{
    size_t n = 0;
    for (size_t i = 0; i < script.n_log; i++)
        n += is_of(&script.log[i], verb, worker, kernel);
    return n;
}

void script_say(cJSON *reply, const char *name, double number)
{
    cJSON_DeleteItemFromObjectCaseSensitive(reply, name);
    cJSON_AddNumberToObject(reply, name, number);
}

static struct asked *note(const struct worker *worker, const char *verb)
{
    struct asked *asked = &script.log[script.n_log];
    script.n_log += script.n_log + 1 < ARRAY_LEN(script.log);
    *asked = (struct asked){.life = lives[life_of(worker)].life, .kernel = ANY_KERNEL};
    snprintf(asked->verb, sizeof asked->verb, "%s", verb);
    snprintf(asked->worker, sizeof asked->worker, "%s", worker->info.name);
    return asked;
}

/* ---- what workers answer ---- */

/* "deep-8" is 8 elements, 16 operations and 64 bytes, in layout deep; "registers" has no
 * operands. There are no odd numbers in layout deep. */
static int answer_shape(const cJSON *request, cJSON *reply)
{
    const char *text = message_text(request, "text");
    const char *layout = message_text(request, "layout");
    const char *named = strchr(text, '-');
    const bool fold = !strcmp(message_text(request, "op"), "fold");
    struct operands_map map = {.count = 2};
    struct simdbench_shape shape = {.size = sizeof shape};
    char name[64], canonical[128];
    if (named)
        snprintf(name, sizeof name, "%.*s", (int)(named - text), text);
    else
        snprintf(name, sizeof name, "%s", layout ? layout : "flat");
    const uint64_t n = strtoull(named ? named + 1 : text, NULL, 10);
    if (!strcmp(name, "deep") && n % 2)
        return -ENOTSUP;
    if (!n && strcmp(text, "registers"))
        return -EINVAL;
    snprintf(canonical, sizeof canonical, "%s%s%llu",
             fold && strcmp(name, "flat") ? name : "",
             fold && strcmp(name, "flat") ? "-" : "", (unsigned long long)n);
    if (n) {
        shape.dim[shape.rank++] = (int64_t)n;
        for (uint32_t i = 0; i < 2; i++)
            map.operand[i] =
                (struct simdbench_operand){.size = sizeof map.operand[i],
                                           .type = SIMDBENCH_F32,
                                           .role = i ? SIMDBENCH_OUT : SIMDBENCH_IN,
                                           .count = n,
                                           .ld = (int64_t)n};
    } else {
        map.count = 0;
    }
    cJSON_AddStringToObject(reply, "text", n ? canonical : "registers");
    if (fold)
        cJSON_AddStringToObject(reply, "layout", name);
    cJSON_AddItemToObject(reply, "dims", message_dims(&shape));
    cJSON_AddItemToObject(reply, "operands", message_operands(&map));
    script_say(reply, "ops", n ? 2 * (double)n : 1000);
    script_say(reply, "bytes", 8 * (double)n);
    return 0;
}

static void answer_batch(const struct asked *asked, cJSON *reply)
{
    const double ns =
        (double)asked->calls * (script.call_ns[asked->kernel % 16] + script.loop_ns);
    script_say(reply, "ns", ns);
    script_say(reply, "cpu_ns", ns);
    script_say(reply, "process_ns", ns);
    script_say(reply, "core_share", 4);
    if (asked->probe)
        script_say(reply, "ghz", 3);
}

/* The findings of a trace. */
static void answer_copies(const struct asked *asked, cJSON *reply)
{
    cJSON *const found = asked->known ? NULL : cJSON_Parse(script.copies);
    script_say(reply, "n", (double)asked->n);
    while (found && found->child) {
        cJSON *const field = cJSON_DetachItemViaPointer(found, found->child);
        cJSON_AddItemToObject(reply, field->string, field);
    }
    cJSON_Delete(found);
}

static int meet_trouble(const struct asked *asked, cJSON *reply)
{
    int status = 0;
    FOR_EACH (struct trouble, trouble, script.trouble, ARRAY_LEN(script.trouble)) {
        const int last = trouble->last ? trouble->last : trouble->first;
        if (!trouble->verb ||
            !is_of(asked, trouble->verb, trouble->worker, trouble->kernel) ||
            ++trouble->seen < trouble->first || trouble->seen > last)
            continue;
        if (trouble->field)
            cJSON_DeleteItemFromObject(reply, trouble->field);
        if (trouble->field && fabs(trouble->number) > 0)
            cJSON_AddNumberToObject(reply, trouble->field, trouble->number);
        else if (trouble->field)
            cJSON_AddTrueToObject(reply, trouble->field);
        if (trouble->code == -EINTR)
            interrupted_by = SIGINT;
        else
            status = trouble->code;
    }
    return status;
}

static int answer(const cJSON *request, struct asked *asked, cJSON *reply)
{
    if (!strcmp(asked->verb, "shape"))
        return answer_shape(request, reply);
    if (!strcmp(asked->verb, "setup") && script.proofs)
        cJSON_AddItemToObject(reply, "proofs", cJSON_Parse(script.proofs));
    if (!strcmp(asked->verb, "overhead") && script.overhead_counts)
        cJSON_AddItemToObject(reply, "counts", cJSON_Parse(script.overhead_counts));
    if (!strcmp(asked->verb, "overhead"))
        script_say(reply, "ns", script.loop_ns);
    else if (!strcmp(asked->verb, "fill"))
        cJSON_AddStringToObject(reply, "hash", message_text(request, "seed"));
    else if (!strcmp(asked->verb, "load"))
        script_say(reply, "first", 1000 * *message_text(request, "path"));
    if (!strcmp(asked->verb, "copies") && !script.copies)
        return -ENOTSUP;
    if (!strcmp(asked->verb, "prepare")) {
        asked->kernel = message_u64(request, "kernel", 0);
        script_say(reply, "case", (double)(FIRST_CASE + asked->kernel));
        script_say(reply, "threads", message_number(request, "threads", 1));
    } else if (cJSON_HasObjectItem(request, "case")) {
        asked->kernel = message_u64(request, "case", 0) - FIRST_CASE;
        asked->calls = message_u64(request, "iterations", 0);
        asked->regions = message_u64(request, "regions", 0);
        asked->probe = message_true(request, "probe");
        asked->reset = message_true(request, "reset");
        asked->copy = message_u64(request, "copy", 0);
        asked->n = message_u64(request, "n", 16);
        asked->shift = message_u64(request, "shift", 0);
        asked->known = message_text(request, "executed");
    }
    asked->bytes =
        message_u64(request, !strcmp(asked->verb, "map") ? "block" : "value", 0);
    if (!strcmp(asked->verb, "copies"))
        answer_copies(asked, reply);
    if (!strcmp(asked->verb, "batch"))
        answer_batch(asked, reply);
    return 0;
}

/* ---- in place of room worker and of the host ---- */

#define WRAP(type, name, ...)        \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(int, worker_start, struct worker *worker, bool in_process, struct error *error)
{
    const size_t i = life_of(worker);
    lives[i].alive = true;
    lives[i].life++;
    note(worker, "start");
    return 0;
}

WRAP(bool, worker_alive, const struct worker *worker)
{
    return lives[life_of(worker)].alive;
}

WRAP(void, worker_kill, struct worker *worker)
{
    if (lives[life_of(worker)].alive)
        note(worker, "kill");
    lives[life_of(worker)].alive = false;
}

/* Another worker may come to lie where it lay. */
void __real_worker_free(struct worker *worker);
WRAP(void, worker_free, struct worker *worker)
{
    if (worker)
        lives[life_of(worker)].alive = false;
    __real_worker_free(worker);
}

WRAP(int, worker_ask, struct worker *worker, cJSON *request, int64_t timeout_ns,
     cJSON **reply, struct error *error)
{
    const size_t i = life_of(worker);
    *reply = NULL;
    const char *const verb = message_text(request, "do");
    const bool here = !strcmp(verb, "describe") || !strcmp(verb, "shape");
    if (interrupted_by || !(lives[i].alive || here)) {
        cJSON_Delete(request);
        return interrupted_by ? error_set(error, -EINTR, "interrupted")
                              : error_set(error, -ECONNRESET, "worker is gone");
    }
    struct asked *asked = note(worker, verb);
    asked->timeout_ns = timeout_ns;
    asked->seed = message_u64(request, "seed", 0);
    const bool describes = !strcmp(asked->verb, "describe") && script.description;
    *reply = cJSON_Parse(describes ? script.description : "{}");
    int status = answer(request, asked, *reply);
    if (status == 0)
        status = meet_trouble(asked, *reply);
    if (script.batch && !strcmp(asked->verb, "batch"))
        script.batch(asked, *reply);
    cJSON_Delete(request);
    /* A worker itself says that a trace was late. */
    if (status == -ECONNRESET ||
        (status == -ETIMEDOUT && strcmp(asked->verb, "copies") != 0)) {
        lives[i].alive = false;
        cJSON_Delete(*reply);
        *reply = NULL;
    }
    return status < 0 ? error_set(error, status, "%s: %s in '%s'", worker->info.name,
                                  strerror(-status), asked->verb)
                      : 0;
}

WRAP(int64_t, clock_now, void)
{
    return script.now;
}

WRAP(int64_t, cpus_steal, int cpu)
{
    return script.stolen;
}

/* Four CPUs: 0 and 1 share a core, so do 2 and 3. */
WRAP(size_t, cpus_allowed, int *cpu, size_t max)
{
    size_t n = 0;
    for (; n < 4 && n < max; n++)
        cpu[n] = (int)n;
    return n;
}

/* All are free. */
WRAP(int, cpu_lock_take, int *cpu, size_t n, size_t need, int64_t wait_ns, bool quiet,
     struct cpu_lock **lock, struct error *error)
{
    *lock = NULL;
    return 0;
}

WRAP(size_t, cpus_cores, int *cpu, size_t n)
{
    bool seen[2] = {false};
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!seen[cpu[i] / 2])
            cpu[kept++] = cpu[i];
        seen[cpu[kept - 1] / 2] = true;
    }
    return kept;
}

WRAP(bool, isa_available, size_t index, char *reason, size_t reason_size)
{
    if (index >= script.isas && reason)
        snprintf(reason, reason_size, "the CPU lacks %s", isa_get(index)->name);
    return index < script.isas;
}

WRAP(bool, isa_runs, const char *isa, char *reason, size_t reason_size)
{
    return isa_available((size_t)isa_find(isa), reason, reason_size);
}

WRAP(size_t, isa_best, void)
{
    return script.isas - 1;
}
