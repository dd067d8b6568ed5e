/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <inttypes.h>
#include <math.h>

#include "files.h"

struct service_case *service_find_case(struct service *service, uint64_t number)
{
    if (number >= SERVICE_CASES_MAX || !service->cases[number].kernel)
        return NULL;
    return &service->cases[number];
}

static void release(struct service *service, struct service_case *entry)
{
    service_copies_free(service, entry);
    service_free_turns(service, entry);
    if (entry->split)
        split_free(entry->split);
    else if (entry->declared)
        declared_release(entry->declared);
    else if (entry->kernel && entry->kernel->release)
        entry->kernel->release(entry->state);
    *entry = (struct service_case){.kernel = NULL};
}

void service_release_all(struct service *service)
{
    for (size_t i = 0; i < SERVICE_CASES_MAX; i++)
        release(service, &service->cases[i]);
}

struct simdbench_operands service_view(const struct service *service,
                                       const struct service_case *entry)
{
    struct simdbench_operands view = service->operands.view;
    if (entry->shape.size)
        view.shape = &entry->shape;
    return view;
}

/* A declared function is called by code that is made for it. */
static int prepare_declared(const struct service *service, struct service_case *entry,
                            const struct service_part *part, uint64_t kernel, char *error,
                            size_t error_size)
{
    const int status = declared_prepare(part->declared, kernel, &service->operands.view,
                                        &entry->declared, error, error_size);
    if (status < 0)
        return status;
    entry->run = SERVICE_RUN(entry->declared->timed);
    entry->argument = (const void *)entry->declared->frame;
    return 0;
}

/* Own kernels share the work among a team; others know what to do with `threads`. */
static int prepare_case(const struct service *service, struct service_case *entry,
                        bool own, uint32_t threads, char *error, size_t error_size)
{
    const struct simdbench_operands *const all = &service->operands.view;
    struct simdbench_operands copy = service_view(service, entry);
    const struct simdbench_operands *const operands = own ? &copy : all;
    const struct simdbench_kernel *kernel = entry->kernel;
    struct error why = {.text = ""};
    entry->run = kernel->run;
    entry->argument = all;
    copy.threads = threads;
    if (!own || threads < 2)
        return kernel->prepare
                   ? kernel->prepare(operands, &entry->state, error, error_size)
                   : 0;
    int status = service_place(service, &why);
    if (status < 0)
        snprintf(error, error_size, "%s", why.text);
    else
        status = split_make(&entry->split, kernel, operands, error, error_size);
    entry->state = entry->split;
    entry->run = split_run;
    return status;
}

static void tell_choice(const struct service_case *entry,
                        const struct simdbench_operands *operands,
                        struct prepare_reply *reply)
{
    struct simdbench_choice choice = {.size = sizeof choice};
    if (entry->split)
        split_choice(entry->split, operands, &choice);
    else if (entry->kernel->choice)
        entry->kernel->choice(operands, entry->state, &choice);
    reply->implementation = choice.implementation;
    reply->isa = choice.isa;
    reply->note = choice.note;
    reply->roof = choice.roof;
    reply->workspace_bytes = choice.workspace_bytes;
}

cJSON *service_prepare(struct service *service, const struct prepare_call *call)
{
    uint64_t slot = 0;
    const uint64_t wanted = call->kernel;
    size_t p = service->n_parts - 1;
    while (wanted < service->part[p].first)
        p--;
    const struct service_part *part = &service->part[p];
    while (slot < SERVICE_CASES_MAX && service->cases[slot].kernel)
        slot++;
    if (wanted - part->first >= part->n || slot == SERVICE_CASES_MAX)
        return service_error(-EINVAL, "prepare: no such kernel, or too many cases");
    const struct simdbench_kernel *kernel = part->kernels[wanted - part->first];
    struct service_case made = {.kernel = kernel};
    char error[512] = "";
    const struct simdbench_op *const op =
        call->shape ? service_op(service, kernel->op) : NULL;
    if (call->shape && !op)
        return service_error(-EINVAL, "prepare: op '%s' is not here", kernel->op);
    if (op && op->parse(call->shape, &made.shape, error, sizeof error) < 0)
        return service_error(-EINVAL, "prepare: %s", error);
    const struct simdbench_operands operands = service_view(service, &made);
    const struct simdbench_module *module = part->table;
    if (module && module->set_threads) {
        int status = module->set_threads(operands.threads);
        if (status < 0)
            return service_error(status, "%s cannot use %u threads", module->name,
                                 operands.threads);
    }
    const uint32_t threads = call->threads ? (uint32_t)call->threads : operands.threads;
    int64_t begin = clock_now();
    int status =
        part->declared
            ? prepare_declared(service, &made, part, wanted - part->first, error,
                               sizeof error)
            : prepare_case(service, &made, !module, threads, error, sizeof error);
    int64_t end = clock_now();
    if (status == 0)
        status = service_prepare_turns(service, &made, error, sizeof error);
    if (status < 0 && made.turn)
        release(service, &made);
    if (status < 0)
        return service_error(status, "%s", error[0] ? error : strerror(-status));
    made.built = made.run;
    service->cases[slot] = made;
    struct prepare_reply told = {
        .number = slot,
        /* Libraries decide for themselves: what they used is measured. */
        .threads = module       ? 0
                   : made.split ? (int)split_parts(made.split)
                                : 1,
        .prepare_ns = (double)(end - begin),
        .ops = NAN,
        .bytes = NAN};
    if (kernel->work) {
        told.ops = told.bytes = 0;
        kernel->work(&operands, &told.ops, &told.bytes);
        /* Each thread does all of what touches no operand. */
        if (made.split && kernel->flags & SIMDBENCH_REGISTERS)
            told.ops *= split_parts(made.split);
    }
    tell_choice(&made, &operands, &told);
    return prepare_reply_ok(&told);
}

/* `again`: how many batches came after the check in which it was right; 0: none. */
cJSON *service_wrong(const char *text, uint64_t again)
{
    cJSON *reply =
        again
            ? service_error(-EDOM, "right at first, wrong after %" PRIu64 " batch%s: %s",
                            again, again > 1 ? "es" : "", text)
            : service_error(-EDOM, "%s", text);
    cJSON_AddBoolToObject(reply, "wrong", true);
    return reply;
}

void service_enter(sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, NULL, mask);
    float_state_reset();
}

void service_leave(struct service_case *entry, const sigset_t *mask)
{
    sigset_t now;
    entry->left_modes |= float_state_changed();
    float_state_reset();
    sigprocmask(SIG_SETMASK, mask, &now);
    for (int number = 1; number < NSIG; number++)
        entry->left_signals |= sigismember(&now, number) != sigismember(mask, number);
}

static const char *left_behind(const struct service_case *entry)
{
    return entry->left_modes && entry->left_signals
               ? "leaves rounding or flush-to-zero modes, and the signal mask, changed"
           : entry->left_modes   ? "leaves rounding or flush-to-zero modes changed"
           : entry->left_signals ? "leaves the signal mask changed"
                                 : NULL;
}

const struct simdbench_operand *service_output(const struct service *service)
{
    for (uint32_t i = 0; i < service->operands.view.count; i++)
        if (operand_is_output(&service->operands.operand[i]))
            return &service->operands.operand[i];
    return NULL;
}

#define NOTHING_CHECKED {.threads_alive = 1, .max_ulp = NAN, .worst_input = NAN}

/* Tells the errors of the outputs that were checked, or of `most` of them spread evenly.
 * They stay unknown where the op cannot tell. */
static int tell_accuracy(struct service *service, const struct simdbench_op *op,
                         const struct answer_places *places, uint64_t most,
                         struct check_reply *reply)
{
    const uint64_t n = places->n, at = places->index;
    const struct simdbench_operand *output = service_output(service);
    if (!op || !op->accuracy || !n || !most || !output)
        return 0;
    const uint64_t *index =
        at == UINT64_MAX ? NULL : service_memory(service, at, n * sizeof *index);
    if ((at != UINT64_MAX && !index) || (!index && n > output->count))
        return -EINVAL;
    FREED_BY(free_memory) uint64_t *some = most < n ? malloc(most * sizeof *some) : NULL;
    if (most < n && !some)
        return -ENOMEM;
    for (uint64_t i = 0; some && i < most; i++) {
        uint64_t position = (uint64_t)((double)i / (double)most * (double)n);
        some[i] = index ? index[position] : position;
    }
    struct simdbench_accuracy accuracy = {.size = sizeof accuracy};
    int status = op->accuracy(&service->operands.view, some ? some : index,
                              some ? most : n, &accuracy);
    if (status == -ENOTSUP)
        return 0;
    if (status < 0)
        return status;
    reply->max_ulp = accuracy.max_ulp;
    reply->mean_ulp = accuracy.mean_ulp;
    reply->worst_input = accuracy.worst_input;
    return 0;
}

/* For workers that do not know the op: its owner looks at what they wrote. */
cJSON *service_accuracy(struct service *service, const struct accuracy_call *call)
{
    struct check_reply told = NOTHING_CHECKED;
    const struct simdbench_op *op = service_op(service, call->op);
    if (!op)
        return service_error(-EINVAL, "accuracy: no such op");
    const int status = tell_accuracy(service, op, &call->places, call->accuracy_n, &told);
    if (status < 0)
        return service_error(status, "accuracy: %s", strerror(-status));
    return check_reply_ok(&told);
}

/* Outputs beyond the first one, where the op has them and the kernel writes them. */
static int verify_others(const struct service *service, const char *name,
                         const char *semiring, const struct answers *want,
                         struct error *error)
{
    const struct simdbench_op *op = service_op(service, name);
    if (!op || !op->verify || !want->n)
        return 0;
    return op->verify(&service->operands.view, semiring, want->index, want->n,
                      error->text, sizeof error->text);
}

/* For workers whose own op may be another build's: its owner looks at what they wrote. */
cJSON *service_verify(struct service *service, const struct verify_call *call)
{
    struct error error = {.text = ""};
    struct answers want;
    if (!service_wanted(service, &call->places, &want))
        return service_error(-EINVAL, "verify: outside the shared memory");
    const int status = verify_others(service, call->op, call->semiring, &want, &error);
    return status == 0       ? message_ok()
           : status == -EDOM ? service_wrong(error.text, 0)
                             : service_error(status, "verify: %s", strerror(-status));
}

static double error_allowed(const struct simdbench_kernel *kernel)
{
    return kernel->flags & (SIMDBENCH_PATHOLOGY | SIMDBENCH_STUDY) ? kernel->max_error
                                                                   : 0;
}

/* Compares the answers that lie within `length` elements of the output. */
static int compare_some(const struct service *service,
                        const struct simdbench_kernel *kernel, const struct answers *want,
                        uint64_t length, struct error *error)
{
    const struct simdbench_operand *const output = service_output(service);
    const size_t size = type_bytes(output->type);
    const double more = error_allowed(kernel);
    int status = 0;
    for (uint64_t i = 0; want->index && i < want->n && status == 0; i++)
        if (want->index[i] < length)
            status = operands_compare_loosely(output, &want->index[i], 1,
                                              (const char *)want->value + i * size,
                                              &want->slack[i], more, error);
    if (want->index)
        return status;
    return operands_compare_loosely(output, NULL, length < want->n ? length : want->n,
                                    want->value, want->slack, more, error);
}

static int compare_length(const struct service *service,
                          const struct simdbench_kernel *kernel,
                          const struct answers *want, struct error *error)
{
    const struct simdbench_op *const op = service_op(service, kernel->op);
    if (op && op->length)
        return compare_some(service, kernel, want, op->length(&service->operands.view),
                            error);
    return operands_compare_loosely(service_output(service), want->index, want->n,
                                    want->value, want->slack, error_allowed(kernel),
                                    error);
}

int service_call_checked(const struct service *service, struct service_case *entry,
                         const struct answers *want, uint64_t calls, struct error *error)
{
    const struct operands *operands = &service->operands;
    sigset_t mask;
    int status = 0;
    const uint64_t before = operands_hash(operands);
    service_enter(&mask);
    if (calls) {
        status = service_call_traced(entry, operands, calls, error);
    } else if (entry->declared) {
        status = declared_run_checked(entry->declared, &entry->left_modes, entry->note,
                                      sizeof entry->note, error);
    } else {
        entry->run(entry->argument, entry->state);
    }
    service_leave(entry, &mask);
    if (status < 0)
        return error->text[0] ? status
                              : error_set(error, status, "%s", strerror(-status));
    const int damaged = operands_damaged(operands);
    if (damaged >= 0)
        return error_set(error, -EDOM, "wrote outside operand %d", damaged);
    if (operands_hash(operands) != before)
        return error_set(error, -EDOM, "wrote to an input");
    if (!want->n)
        return 0;
    const struct simdbench_kernel *const kernel = entry->kernel;
    status = compare_length(service, kernel, want, error);
    return status < 0 || want->first || kernel->flags & SIMDBENCH_PARTIAL
               ? status
               : verify_others(service, kernel->op, kernel->semiring, want, error);
}

bool service_wanted(struct service *service, const struct answer_places *places,
                    struct answers *want)
{
    const struct simdbench_operand *output = service_output(service);
    *want = (struct answers){.n = 0};
    return !places->n || !output || service_answers(service, places, output, want);
}

/* Runs a function on arrays between guard pages. */
static int check_guarded(struct service_case *entry, const struct answers *want,
                         struct error *error)
{
    const struct declared_answers answers = {want->index, want->n, want->value,
                                             want->slack};
    sigset_t mask;
    service_enter(&mask);
    const int status = declared_run_guarded(entry->declared, &answers, entry->guard_note,
                                            sizeof entry->guard_note, error)
                           ?: declared_run_tails(entry->declared, error);
    service_leave(entry, &mask);
    return status;
}

cJSON *service_check(struct service *service, const struct check_call *call)
{
    struct check_reply told = NOTHING_CHECKED;
    struct service_case *entry = service_find_case(service, call->number);
    if (!entry)
        return service_error(-EINVAL, "check: no such case");
    const struct operands *operands = &service->operands;
    struct answers want;
    struct error error = {.text = ""};
    if (!service_wanted(service, &call->places, &want))
        return service_error(-EINVAL, "check: outside the shared memory");
    want.first = call->first;
    const int moved = service_move(service, entry, call->copy, &error);
    if (moved < 0)
        return service_error(moved, "check: %s", error.text);
    if (entry->declared && !call->again && !call->copy) {
        const int guarded = check_guarded(entry, &want, &error);
        if (guarded < 0)
            return guarded == -EDOM ? service_wrong(error.text, 0)
                                    : service_error(guarded, "%s", error.text);
    }
    operands_guard(operands);
    if (call->again) {
        service_take_inputs(service);
        operands_spoil(operands, want.index, want.n, want.value, want.slack, call->seed);
    } else {
        operands_poison(operands);
    }
    const int checked = service_call_checked(service, entry, &want, 0, &error);
    if (checked == -EFAULT)
        return service_error(checked, "%s", error.text);
    if (checked < 0)
        return service_wrong(error.text, call->again ? entry->batches : 0);
    struct declared_facts facts = {.note = NULL};
    if (entry->declared)
        facts = declared_facts(entry->declared);
    told.answered = facts.answered;
    told.unseen = facts.unseen;
    told.varies = facts.varies;
    const int status = tell_accuracy(service, service_op(service, entry->kernel->op),
                                     &call->places, call->accuracy_n, &told);
    if (status < 0)
        return service_error(status, "check: accuracy: %s", strerror(-status));
    service->alive = told.threads_alive = (int)folder_count("/proc/self/task") ?: 1;
    service_rest(service);
    told.note = left_behind(entry)
                    ?: entry->guard_note[0] ? entry->guard_note
                   : entry->note[0]         ? entry->note
                                            : facts.note;
    return check_reply_ok(&told);
}
