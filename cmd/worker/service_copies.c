/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the code of a case, for batches at other places. */
#include "service.h"
#include "surgery.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COPIES_MAX = 64, LINE_BYTES = 64 };
/* Limits of a trace, and of a proof, which runs one call at full speed. */
#define TRACE_NS 8000000000
#define PROOF_NS 10000000000

typedef void run_function(const struct simdbench_operands *operands, void *state);

struct copies {
    const struct simdbench_operands *operands;
    struct service_case *of;
    struct surgery *surgery;
    struct surgery_variant *variant[COPIES_MAX];
    uint64_t n;
};

static void call_once(surgery_function *run, void *context)
{
    const struct copies *const copies = context;
    sigset_t mask;
    service_enter(&mask);
    ((run_function *)run)(copies->operands, copies->of->state);
    service_leave(copies->of, &mask);
}

/* ---- what executes ---- */

/* The child has the same addresses. Its parent ends it. */
static void be_traced(const struct copies *copies, int start)
{
    const struct service_case *const entry = copies->of;
    char byte;
    sigset_t mask;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    service_enter(&mask);
    if (read(start, &byte, 1) == 1)
        inspect_call((void (*)(const void *, void *))entry->run, copies->operands,
                     entry->state, INSPECT_CALLS);
    for (;;)
        pause();
}

static int trace(const struct copies *copies, struct inspect_census *census,
                 struct error *error)
{
    const struct inspect_options options = {.timeout_ns = TRACE_NS};
    int ends[2];
    if (pipe(ends) < 0)
        return error_set(error, -errno, "pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        be_traced(copies, ends[0]);
    int status = child < 0 ? error_set(error, -errno, "fork: %s", strerror(errno))
                           : inspect_attach(child, error);
    if (status == 0 && write(ends[1], "", 1) != 1)
        status = error_set(error, -EPIPE, "no child to be traced");
    if (status == 0)
        status = inspect_follow(child, &options, census, error);
    close(ends[0]);
    close(ends[1]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return status;
}

static int by_first(const void *a, const void *b)
{
    const struct inspect_line *const x = a, *const y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int open_surgery(struct copies *copies, struct inspect_census *census,
                        struct error *error)
{
    const struct surgery_subject subject = {
        .run = (surgery_function *)copies->of->run, .call = call_once, .context = copies};
    uint64_t *const executed = malloc((census->n_lines + 1) * sizeof *executed);
    if (!executed)
        return error_set(error, -ENOMEM, "out of memory");
    if (census->n_lines)
        qsort(census->line, census->n_lines, sizeof *census->line, by_first);
    for (size_t i = 0; i < census->n_lines; i++)
        executed[i] = census->line[i].address;
    const int status =
        surgery_open(&subject, executed, census->n_lines, &copies->surgery, error);
    free(executed);
    return status;
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

static int make_all(struct copies *copies, const struct copies_call *call,
                    struct error *error)
{
    int status = 0;
    for (uint64_t i = 0; i < call->n && status == 0; i++) {
        const uint64_t shift = (call->shift + LINE_BYTES * i / call->n) % LINE_BYTES;
        status =
            surgery_copy(copies->surgery, (unsigned)shift, &copies->variant[i], error);
        copies->n += status == 0;
        if (status == 0)
            status = surgery_prove(copies->variant[i], PROOF_NS, error);
    }
    return status;
}

static cJSON *told(const struct copies *copies, const struct inspect_census *census,
                   const char *code)
{
    struct surgery_facts facts;
    surgery_facts(copies->surgery, &facts);
    cJSON *const reply = service_ok();
    copies_reply_add(
        reply, &(struct copies_reply){.n = copies->n,
                                      .functions = facts.functions,
                                      .tables = facts.tables,
                                      .jumps = facts.jumps,
                                      .bytes = facts.bytes,
                                      .left = facts.left,
                                      .share = share_of(copies, census),
                                      .whole = census->whole,
                                      .why_left = facts.left ? facts.why_left : NULL,
                                      .code = code});
    return reply;
}

cJSON *service_copies(struct service *service, const cJSON *request)
{
    struct copies_call call;
    struct inspect_census census = {.whole = false};
    struct error error = {.text = ""};
    char *code = NULL;
    copies_call_read(request, &call);
    struct service_case *const entry = service_find_case(service, call.number);
    if (!entry || call.n > COPIES_MAX)
        return service_error(-EINVAL, "copies: no such case, or more than %d copies",
                             COPIES_MAX);
    if (service_move(service, entry, 0, &error) < 0)
        return service_error(-EIO, "copies: %s", error.text);
    service_copies_free(service, entry);
    struct copies *const copies = calloc(1, sizeof *copies);
    if (!copies)
        return service_error(-ENOMEM, "out of memory");
    entry->copies = copies;
    copies->operands = &service->operands.view;
    copies->of = entry;
    int status = surgery_available(&error);
    /* The first call starts threads, and the linker fills its slots. */
    if (status == 0)
        call_once((surgery_function *)entry->run, copies);
    status = status < 0 ? status : surgery_available(&error);
    if (status == 0)
        status = trace(copies, &census, &error);
    if (status == 0)
        status = open_surgery(copies, &census, &error);
    if (status == 0)
        status = make_all(copies, &call, &error);
    if (status == 0 && call.code)
        status = surgery_code(copies->surgery, &code, &error);
    cJSON *const reply = status < 0 ? service_error(status, "copies: %s", error.text)
                                    : told(copies, &census, code);
    inspect_census_free(&census);
    free(code);
    if (status < 0)
        service_copies_free(service, entry);
    return reply;
}

int service_move(struct service *service, struct service_case *entry, uint64_t copy,
                 struct error *error)
{
    struct service_case *const moved = service->moved;
    int status = 0;
    if (copy > (entry->copies ? entry->copies->n : 0))
        return error_set(error, -EINVAL, "the case has no copy %llu",
                         (unsigned long long)copy);
    /* Its functions may be those of other cases, too. */
    if (moved && (moved != entry || !copy)) {
        status = surgery_restore(moved->copies->surgery, error);
        moved->run = moved->kernel->run;
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
    free(entry->copies);
    entry->copies = NULL;
}
