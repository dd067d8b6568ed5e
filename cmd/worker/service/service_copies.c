/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the code of a case, for batches at other places. */
#include "confine.h"
#include "executed.h"
#include "surgery.h"

#include <math.h>
#include <unistd.h>

enum { COPIES_MAX = 64, LINE_BYTES = 64, PAGE_BYTES = 4096, LOOP_BYTES_MOST = 1024 };
/* Limits of a trace, and of a proof, which runs one call at full speed. */
#define TRACE_NS 8000000000
#define PROOF_NS 10000000000

/* The least share of a call's instructions of a loop that counts. */
#define LOOP_SHARE 0.3

struct copies {
    pid_t worker;
    struct service_case *of;
    const struct operands *operands;
    struct surgery *surgery;
    struct surgery_variant *variant[COPIES_MAX]; /* NULL: its edit cannot be made */
    uint64_t n;
    char *path; /* of the source of its hottest loop, and the line; NULL: not known */
    size_t changed[SURGERY_EDITS];
    char absent[SURGERY_EDITS][256];
};

/* A child that runs the kernel can reach this worker no more than a worker its parent. A
 * system without such filters does without. */
static void confine_child(pid_t worker)
{
    static pid_t confined;
    if (getpid() != worker && getpid() != confined) {
        confine(worker);
        confined = getpid();
    }
}

static void call_once(surgery_function *run, void *context)
{
    const struct copies *const copies = context;
    sigset_t mask;
    confine_child(copies->worker);
    service_enter(&mask);
    ((run_function *)run)(copies->of->argument, copies->of->state);
    service_leave(copies->of, &mask);
}

/* ---- what executes ---- */

static void run_traced(const void *context)
{
    const struct copies *const copies = context;
    const struct inspect_calls calls = service_traced(copies->of, copies->operands);
    sigset_t mask;
    confine_child(copies->worker);
    service_enter(&mask);
    inspect_call(&calls, INSPECT_CALLS);
}

static int trace(const struct copies *copies, const struct copies_call *call,
                 struct inspect_census *census, struct error *error)
{
    if (surgery_available(error) < 0)
        return -ENOTSUP;
    const struct inspect_options options = {
        .timeout_ns = TRACE_NS, .max_steps = call->steps, .whole_only = call->whole_only};
    return inspect_fork(run_traced, copies, &options, census, error);
}

/* The loop that executes most: where its head lies in a line, and its bytes. Jumps alone
 * end loops: conditional ones of 2 or 6 bytes, others of 2 or 5. */
static void find_loop(struct copies *copies, const struct inspect_census *census,
                      struct copies_reply *reply)
{
    const struct inspect_loop *const loop = census->loop;
    if (!census->n_loops || loop->share < LOOP_SHARE || !loop->n_lines)
        return;
    copies->path = loop->path ? strdup(loop->path) : NULL;
    const uint64_t last = census->line[loop->line + loop->n_lines - 1].address;
    const unsigned char opcode = *(const unsigned char *)(uintptr_t)last;
    const unsigned length = opcode == 0x0f ? 6 : opcode == 0xe9 ? 5 : 2;
    const uint64_t bytes = last + length - census->line[loop->line].address;
    /* One that calls functions lies at several places. */
    if (bytes > LOOP_BYTES_MOST)
        return;
    reply->offset = loop->address % LINE_BYTES;
    reply->loop_bytes = bytes;
}

static int by_first(const void *a, const void *b)
{
    const struct inspect_line *const x = a, *const y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Addresses that executed. The first one of the call is one of them, also if the windows
 * of a trace did not see it. */
static int by_census(struct inspect_census *census, uint64_t run,
                     struct executed_code *executed, struct error *error)
{
    executed->at = malloc((census->n_lines + 1) * sizeof *executed->at);
    executed->times = calloc(census->n_lines + 1, sizeof *executed->times);
    if (!executed->at || !executed->times)
        return no_memory(error);
    if (census->n_lines)
        qsort(census->line, census->n_lines, sizeof *census->line, by_first);
    executed->at[executed->n++] = run;
    for (size_t i = 0; i < census->n_lines; i++)
        if (census->line[i].address == run) {
            executed->times[0] += census->line[i].executed;
        } else {
            executed->times[executed->n] = census->line[i].executed;
            executed->at[executed->n++] = census->line[i].address;
        }
    return 0;
}

static int open_surgery(struct copies *copies, const struct executed_code *executed,
                        const struct copies_call *call, bool whole, struct error *error)
{
    const struct declared_call *const declared = copies->of->declared;
    const struct surgery_subject subject = {.run = (surgery_function *)copies->of->run,
                                            .call = call_once,
                                            .context = copies,
                                            .function =
                                                declared ? declared->function : NULL,
                                            .libc_stays = call->libc_stays,
                                            .only_code = call->n == 0,
                                            .named = call->n == 0 && !whole};
    return surgery_open(&subject, executed->at, executed->n, &copies->surgery, error);
}

/* The traced call is one on the first data. Calls that leave other data than they found,
 * in place or in variables, may execute other code. */
static bool is_steady(struct copies *copies)
{
    const struct simdbench_operands *const view = &copies->operands->view;
    uint64_t before, after;
    for (uint32_t i = 0; i < view->count; i++)
        if (copies->operands->operand[i].role == SIMDBENCH_INOUT)
            return false;
    if (!surgery_data(copies->surgery, &before))
        return true;
    call_once((surgery_function *)copies->of->run, copies);
    return surgery_data(copies->surgery, &after) && after == before;
}

static double share_of(const struct copies *copies, const struct inspect_census *census)
{
    double copied = 0, all = 0;
    for (size_t i = 0; i < census->n_lines; i++) {
        const double n = (double)census->line[i].executed;
        all += n;
        copied += surgery_has(copies->surgery, census->line[i].address) ? n : 0;
    }
    return all > 0 ? copied / all : 0;
}

/* ---- copies ---- */

/* Code that another process has traced was proved there at all places. */
static int make_all(struct copies *copies, const struct copies_call *call,
                    struct error *error)
{
    int status = 0;
    for (uint64_t i = 0; i < call->n && status == 0; i++) {
        const uint64_t shift = call->shift + LINE_BYTES * i / call->n;
        status = surgery_copy(copies->surgery, (unsigned)(shift % PAGE_BYTES),
                              &copies->variant[i], error);
        copies->n += status == 0;
        if (status == 0 && (i == 0 || !call->executed))
            status = surgery_prove(copies->variant[i], PROOF_NS, error);
    }
    return status;
}

/* ---- edits ---- */

/* A loop with a smaller share of instructions matters little, unless its loads wait. */
#define HOT 0.1
#define WAITING 0.02

static struct surgery_seen *see(const struct inspect_census *census)
{
    struct surgery_seen *const seen = calloc(census->n_lines + 1, sizeof *seen);
    for (size_t i = 0; seen && i < census->n_lines; i++) {
        const struct inspect_line *const line = &census->line[i];
        const bool late = inspect_is_late(line);
        const bool hot = line->loop != INSPECT_NO_LOOP &&
                         census->loop[line->loop].share >= (late ? WAITING : HOT);
        seen[i] = (struct surgery_seen){.address = line->address,
                                        .executed = line->executed,
                                        .loop = hot ? line->loop : SURGERY_COLD,
                                        .spills = line->spills > 0,
                                        .reloads = line->reloads > 0,
                                        .takes_vectors = line->takes_vectors,
                                        .late = late,
                                        .crosses = line->crosses,
                                        .beyond = line->beyond};
    }
    return seen;
}

static int make_edit(struct copies *copies, const struct copies_call *call,
                     enum surgery_edit edit, struct error *error)
{
    int status = 0;
    for (uint64_t i = 0; i < call->edits && status == 0; i++) {
        struct surgery_variant **const variant = &copies->variant[copies->n + i];
        const uint64_t shift = (call->shift + LINE_BYTES * i / call->edits) % LINE_BYTES;
        status = surgery_edit(copies->surgery, edit, (unsigned)shift, variant, error)
                     ?: surgery_prove(*variant, PROOF_NS, error);
    }
    return status;
}

/* One that cannot be made has its reason; no copy of it is ever selected. */
static int make_edits(struct copies *copies, const struct copies_call *call,
                      const struct inspect_census *census, struct error *error)
{
    FREED_BY(free_memory) struct surgery_seen *seen = see(census);
    if (!seen)
        return no_memory(error);
    for (enum surgery_edit edit = 0; edit < SURGERY_EDITS; edit++) {
        struct error why = {.text = ""};
        int status = surgery_plan_edit(copies->surgery, edit, seen, census->n_lines,
                                       &copies->changed[edit], &why)
                         ?: make_edit(copies, call, edit, &why);
        if (status < 0) {
            snprintf(copies->absent[edit], sizeof copies->absent[edit], "%s", why.text);
            memset(&copies->variant[copies->n], 0,
                   call->edits * sizeof(struct surgery_variant *));
        }
        copies->n += call->edits;
    }
    return 0;
}

static void tell_edits(const struct copies *copies, cJSON *reply)
{
    cJSON *const list = cJSON_AddArrayToObject(reply, "edits");
    for (enum surgery_edit edit = 0; edit < SURGERY_EDITS; edit++) {
        const char *const absent = copies->absent[edit];
        const struct copies_edit told = {.name = surgery_edit_name(edit),
                                         .changed = (double)copies->changed[edit],
                                         .absent = *absent ? absent : NULL};
        cJSON *const item = cJSON_CreateObject();
        copies_edit_add(item, &told);
        cJSON_AddItemToArray(list, item);
    }
}

/* The reply points into `facts`. */
static void tell_facts(const struct copies *copies, struct surgery_facts *facts,
                       struct copies_reply *reply)
{
    surgery_facts(copies->surgery, facts);
    const struct service_case *const of = copies->of;
    reply->prepared =
        of->declared ? declared_makes(of->declared) : of->kernel->prepare != NULL;
    reply->n = copies->n;
    reply->functions = facts->functions;
    reply->tables = facts->tables;
    reply->jumps = facts->jumps;
    reply->bytes = facts->bytes;
    reply->left = facts->left;
    reply->why_left = facts->left ? facts->why_left : NULL;
}

/* By a trace, or as another process told it. The code alone begins with the function of
 * the case where it cannot be traced. */
static int find_executed(struct copies *copies, const struct copies_call *call,
                         struct inspect_census *census, struct executed_code *executed,
                         struct error *error)
{
    if (call->executed)
        return executed_read(copies->of->run, call->executed, executed, error);
    const int status = trace(copies, call, census, error);
    if (status < 0 && call->n)
        return status;
    return by_census(census, (uint64_t)(uintptr_t)copies->of->run, executed, error);
}

static int make_copies(struct copies *copies, const struct copies_call *call,
                       struct copies_reply *reply, struct executed_code *executed,
                       struct error *error)
{
    FREED_BY(inspect_census_free) struct inspect_census census = {.whole = false};
    int status = find_executed(copies, call, &census, executed, error);
    if (status == 0 && !call->executed)
        find_loop(copies, &census, reply);
    if (status == 0)
        status = open_surgery(copies, executed, call, census.whole, error);
    if (status == 0 && call->code && census.whole && !is_steady(copies)) {
        census.whole = false;
        surgery_close(copies->surgery);
        copies->surgery = NULL;
        status = open_surgery(copies, executed, call, false, error);
    }
    status = status ?: make_all(copies, call, error);
    if (status == 0 && call->edits)
        status = make_edits(copies, call, &census, error);
    if (status == 0 && !call->executed) {
        reply->share = share_of(copies, &census);
        reply->whole = census.whole;
        reply->closed = surgery_is_closed(copies->surgery);
    }
    return status;
}

static cJSON *answer(struct copies *copies, const struct copies_call *call)
{
    struct copies_reply told = {.share = NAN};
    struct executed_code executed = {.n = 0};
    struct error error = {.text = ""};
    FREED_BY(buffer_free) struct buffer places = {.text = NULL};
    FREED_BY(free_memory) char *code = NULL;
    int status = call->n ? surgery_available(&error) : 0;
    /* The first call starts threads, and the linker fills its slots. */
    if (status == 0)
        call_once((surgery_function *)copies->of->run, copies);
    if (status == 0 && call->n)
        status = surgery_available(&error);
    status = status ?: make_copies(copies, call, &told, &executed, &error);
    /* A trace is of one call: others of several sets may execute other code. */
    const bool all = told.whole && !copies->of->turn;
    if (status == 0 && call->code)
        status =
            surgery_code(copies->surgery, all ? executed.times : NULL, &code, &error);
    cJSON *const reply =
        status < 0 ? service_error(status, "copies: %s", error.text) : message_ok();
    if (status == 0) {
        struct surgery_facts facts;
        tell_facts(copies, &facts, &told);
        told.code = code;
        told.path = copies->path;
        told.executed = call->code && executed_write(copies->of->run, &executed, &places)
                            ? buffer_text(&places)
                            : NULL;
        copies_reply_add(reply, &told);
        if (call->edits)
            tell_edits(copies, reply);
    }
    FREE_EACH(executed.at, executed.times);
    return reply;
}

cJSON *service_copies(struct service *service, const struct copies_call *call)
{
    struct error error = {.text = ""};
    struct service_case *const entry = service_find_case(service, call->number);
    if (!entry || call->n > COPIES_MAX ||
        call->edits > (COPIES_MAX - call->n) / SURGERY_EDITS ||
        (call->edits && call->executed))
        return service_error(-EINVAL,
                             "copies: no such case, more than %d copies, or edits "
                             "without a trace",
                             COPIES_MAX);
    if (service_move(service, entry, 0, &error) < 0)
        return service_error(-EIO, "copies: %s", error.text);
    service_copies_free(service, entry);
    struct copies *const copies = calloc(1, sizeof *copies);
    if (!copies)
        return service_error(-ENOMEM, "out of memory");
    entry->copies = copies;
    copies->of = entry;
    copies->operands = &service->operands;
    copies->worker = getpid();
    cJSON *const reply = answer(copies, call);
    if (!message_true(reply, "ok"))
        service_copies_free(service, entry);
    return reply;
}

int service_move(struct service *service, struct service_case *entry, uint64_t copy,
                 struct error *error)
{
    struct service_case *const moved = service->moved;
    int status = 0;
    if (copy > (entry->copies ? entry->copies->n : 0) ||
        (copy && !entry->copies->variant[copy - 1]))
        return invalid(error, "the case has no copy %llu", (unsigned long long)copy);
    /* Its functions may be those of other cases, too. */
    if (moved && (moved != entry || !copy)) {
        status = surgery_restore(moved->copies->surgery, error);
        moved->run = moved->built;
        service->moved = NULL;
    }
    if (status < 0 || !copy)
        return status;
    surgery_function *run;
    status = surgery_select(entry->copies->variant[copy - 1], &run, error);
    entry->run = (run_function *)run;
    service->moved = status == 0 ? entry : NULL;
    return status;
}

void service_copies_free(struct service *service, struct service_case *entry)
{
    if (!entry->copies)
        return;
    if (service->moved == entry)
        service_move(service, entry, 0, NULL);
    surgery_close(entry->copies->surgery);
    FREE_EACH(entry->copies->path, entry->copies);
    entry->copies = NULL;
}
