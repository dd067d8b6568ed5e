/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* The sum of what each event counted over the timed regions of one batch. Once there is
 * no value for a region there is none for the batch. */
struct batch_counts {
    size_t regions;
    double value[EVENTS_MAX], share[EVENTS_MAX];
    bool mine[EVENTS_MAX];
    struct count last[EVENTS_MAX];
};

static void batch_counts_add(const struct service *service,
                             const struct counters *counters, struct batch_counts *counts)
{
    counts->regions++;
    for (size_t i = 0; i < service->n_events; i++) {
        if (counts->last[i].absent[0])
            continue;
        counts->mine[i] = counters_get(counters, i, &counts->last[i]);
        counts->value[i] += (double)counts->last[i].value;
        counts->share[i] += counts->last[i].running_share;
    }
}

static struct batch_count count_of(const struct batch_counts *counts, size_t i)
{
    const struct count *const last = &counts->last[i];
    struct batch_count told = {.value = NAN, .running_share = 1, .threads = 1};
    if (!counts->mine[i])
        return told;
    if (last->absent[0]) {
        told.absent = last->absent;
        told.impossible = last->impossible;
        told.fix = last->fix[0] ? last->fix : NULL;
        told.code = last->code;
        told.errno_name = last->code ? strerrorname_np(last->code) : NULL;
        return told;
    }
    told.value = counts->value[i];
    told.running_share = counts->share[i] / (double)counts->regions;
    told.threads = last->threads;
    told.scope = last->in_kernel ? "user and kernel" : "user";
    told.user_read = last->user_read;
    return told;
}

static cJSON *batch_counts_reply(const struct service *service,
                                 const struct batch_counts *counts)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < service->n_events; i++) {
        const struct batch_count told = count_of(counts, i);
        cJSON *item = cJSON_CreateObject();
        batch_count_add(item, &told);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static struct batch_reply reply_of(const struct sample *sample)
{
    return (struct batch_reply){.ns = (double)sample->ns,
                                .cpu_ns = (double)sample->cpu_ns,
                                .process_ns = (double)sample->process_ns,
                                .minor_faults = (double)sample->minor_faults,
                                .major_faults = (double)sample->major_faults,
                                .voluntary_switches = (double)sample->voluntary_switches,
                                .involuntary_switches =
                                    (double)sample->involuntary_switches,
                                .migrated = sample->cpu_begin != sample->cpu_end,
                                .threads_busy = NAN,
                                .waited_ns = -1,
                                .core_split = -1};
}

/* The number of threads that did something, and if there is a CPU for each, the longest
 * that one of them waited for it. Threads that work one after the other have nothing to
 * wait for. */
static void tell_threads(const struct service *service, const struct sample *sample,
                         const struct thread_times *before,
                         const struct thread_times *after, struct batch_reply *reply)
{
    const uint32_t threads = service->operands.view.threads;
    const bool room =
        !clock_script() && (service->n_cpu == 0 || threads <= service->n_cpu);
    reply->threads_busy =
        clock_script() ? threads : thread_times_busy(before, after, sample->ns / 10);
    reply->waited_ns = room ? (double)thread_times_waited(before, after) : 0;
}

/* The pages that lie inside outputs; a private copy gets new ones for them. */
static void give_back_outputs(const struct operands *operands)
{
    const uintptr_t page = OPERANDS_PAGE;
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count) {
        const uintptr_t data = (uintptr_t)operand->data;
        const uintptr_t first = (data + page - 1) / page * page;
        const uintptr_t end = (data + operand_bytes(operand)) / page * page;
        if (operand->role == SIMDBENCH_OUT && first < end)
            madvise((void *)first, end - first, MADV_DONTNEED);
    }
}

/* Evidence of another thread on the core: that it is split, or where that cannot be known
 * the fewest adds a cycle. */
struct company {
    bool wanted;
    int split;
    double adds;
};

static void company_look(struct company *company)
{
    if (!company->wanted)
        return;
    company->split |= clock_core_split();
    if (company->split < 0)
        company->adds = fmin(company->adds, clock_core_share());
}

/* The same between two regions. */
static void company_between(struct company *company, struct sampler *sampler)
{
    sampler_pause(sampler);
    company_look(company);
    sampler_resume(sampler);
}

static void tell_company(const struct company *company, struct batch_reply *reply)
{
    if (company->wanted && company->split < 0)
        reply->core_share = company->adds;
    else if (company->wanted)
        reply->core_split = company->split;
}

/* Times that are made up, see clock_script(): they follow from the work, so that they
 * grow with calls and shapes, and what is computed from them is known beforehand. */
#define FAULT_NS 500.0

/* Operations, or bytes if these are more, so that no kernel is above its limit. */
static double work_of_call(const struct service *service,
                           const struct service_case *entry)
{
    const struct simdbench_kernel *const kernel = entry->kernel;
    const struct simdbench_operands operands = service_view(service, entry);
    const struct simdbench_op *const op = service_op(service, kernel->op);
    double ops = 0, bytes = 0;
    if (kernel->work)
        kernel->work(&operands, &ops, &bytes);
    else if (op)
        op->work(operands.shape, kernel->type, &ops, &bytes);
    return ops > bytes ? ops : bytes;
}

double service_script_ns(const struct service *service, const struct service_case *entry,
                         uint64_t copy, double faults)
{
    /* A call costs the loop something. */
    return 1 +
           clock_script_copy_rate(entry->kernel->variant, copy) *
               work_of_call(service, entry) +
           FAULT_NS * faults;
}

static void make_up(const struct service *service, const struct service_case *entry,
                    const struct batch_call *call, struct sample *sample)
{
    const uint64_t calls = call->iterations;
    const double data =
        call->reset ? clock_script_rate("first") / clock_script_rate("") : 1;
    /* Faults that each call has are those of its conditions; others come by chance. */
    const int64_t faults = sample->minor_faults / (int64_t)calls;
    const double call_ns =
        data * service_script_ns(service, entry, call->copy, (double)faults);
    sample_script(sample, call_ns * (double)calls, entry->batches);
}

/* A batch: its parts, and the results so far. */
struct timed {
    struct service *service;
    struct service_case *entry;
    const struct batch_call *call;
    bool team; /* the process has several threads: their times tell more */
    uint64_t regions;
    int subnormal;
    struct sample sum;
    struct batch_counts counts;
    struct company company;
    struct thread_times before, after;
};

/* A call of so much CPU time is not warmed up: first misses count for nothing. */
#define WARM_NS 1e9

/* Calls that read past the second cache (prefetchnta) leave operands where they are: what
 * other processes pushed out of it would never come back. */
static void bring_near(const struct timed *timed)
{
    static long level_2 = -2;
    const struct service *const service = timed->service;
    if (level_2 == -2)
        level_2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (level_2 > 0 && !service->n_sets && service->operands.view.threads < 2 &&
        !timed->call->cold && !timed->entry->is_long)
        operands_touch(&service->operands, (uint64_t)level_2);
}

/* A call of each set that is not timed, by which a library has started its threads. */
static int warm_up(struct timed *timed)
{
    struct service *const service = timed->service;
    const struct simdbench_operands *const operands = &service->operands.view;
    struct counters *const counters = service->sampler.counters;
    const struct service_case *const entry = timed->entry;
    uint64_t calls = entry->turn ? service->n_sets : 1;
    calls = calls < timed->call->iterations ? calls : timed->call->iterations;
    bring_near(timed);
    for (uint64_t i = 0; i < calls && !entry->is_long; i++) {
        if (timed->call->reset)
            operands_reset(service_next(service));
        service_repeat(service, entry->run, entry->argument, entry->state, entry->turn,
                       1);
    }
    const int status = counters ? counters_follow_threads(counters) : 0;
    if (status == 0 && timed->team && operands->threads > 1 && !timed->entry->split)
        service_place_helpers(service);
    return status;
}

static bool calls_apart(const struct batch_call *call)
{
    return call->apart || call->cold || call->fresh_output || call->reset;
}

/* Calls whose operands are cold, new or reset are regions each. Else as many regions as
 * were asked for, each with a call at least; threads that wait, spinning, would be taken
 * for another thread on the core between them. */
static void choose_regions(struct timed *timed)
{
    const struct batch_call *const call = timed->call;
    const uint64_t most = timed->team || !call->regions ? 1 : call->regions;
    const bool each = calls_apart(call);
    timed->regions = each || most > call->iterations ? call->iterations : most;
}

static void run_regions(struct timed *timed)
{
    struct service *const service = timed->service;
    const struct batch_call *const call = timed->call;
    struct counters *const counters = service->sampler.counters;
    const struct service_case *const entry = timed->entry;
    const bool each = calls_apart(call);
    /* Counters see all that runs between their readings. */
    const bool apart = each || counters;
    const uint64_t calls = call->iterations;
    const uint64_t regions = timed->regions < calls ? timed->regions : calls;
    for (uint64_t i = 0; i < regions; i++) {
        const struct operands *const next = service_next(service);
        if (call->reset)
            operands_reset(next);
        if (call->cold)
            operands_evict(next);
        if (call->fresh_output)
            give_back_outputs(next);
        if (!each && i > 0)
            company_between(&timed->company, &service->sampler);
        if (apart || i == 0)
            sampler_begin(&service->sampler);
        service_repeat(service, entry->run, entry->argument, entry->state, entry->turn,
                       calls / regions + (i < calls % regions));
        if (!apart && i + 1 < regions)
            continue;
        struct sample one;
        sampler_end(&service->sampler, &one);
        sample_add(&timed->sum, &one);
        batch_counts_add(service, counters, &timed->counts);
    }
}

static bool may_be_first(const struct timed *timed)
{
    const struct service_case *const entry = timed->entry;
    return !clock_script() && !timed->service->enclosed && !timed->team &&
           entry->batches && !entry->takes_turns;
}

/* A thread that waits for others, spinning, must not keep them from their CPU. Of each
 * second Linux takes a twentieth from a thread that runs first, on some systems even if
 * nobody else wants it: no batch may be so long that most have a part of that. Clocks of
 * CPU time run a little apart. */
static bool must_take_turns(const struct sample *sample)
{
    const int64_t apart_ns = 20000, long_ns = 100000000;
    return sample->process_ns - sample->cpu_ns > sample->ns / 20 + apart_ns ||
           sample->cpu_ns > long_ns;
}

/* From the warm-up to the last call, in the state in which kernels are called. */
static int run_timed(struct timed *timed)
{
    sigset_t mask;
    const bool first = may_be_first(timed) && priority_raise();
    service_enter(&mask);
    if (timed->call->flush_denormals)
        float_state_flush();
    timed->entry->batches++;
    const int status = warm_up(timed);
    if (timed->team)
        thread_times_read(&timed->before);
    choose_regions(timed);
    if (status == 0)
        run_regions(timed);
    if (timed->team)
        thread_times_read(&timed->after);
    /* Nobody knows the flags of other threads. */
    timed->subnormal = timed->team ? -1 : float_state_subnormal();
    if (timed->call->flush_denormals)
        float_state_reset();
    service_leave(timed->entry, &mask);
    if (first)
        priority_drop();
    if (status == 0 && clock_script())
        make_up(timed->service, timed->entry, timed->call, &timed->sum);
    timed->entry->takes_turns |= must_take_turns(&timed->sum);
    timed->entry->is_long |=
        timed->sum.cpu_ns > WARM_NS * (double)timed->call->iterations;
    return status;
}

static cJSON *tell_batch(const struct timed *timed)
{
    const struct service *const service = timed->service;
    struct counters *const counters = service->sampler.counters;
    struct batch_reply told = reply_of(&timed->sum);
    cJSON *const reply = message_ok();
    told.regions = timed->regions;
    told.subnormal = timed->subnormal;
    tell_company(&timed->company, &told);
    if (timed->team)
        tell_threads(service, &timed->sum, &timed->before, &timed->after, &told);
    if (counters) {
        cJSON_AddItemToObject(reply, "counts",
                              batch_counts_reply(service, &timed->counts));
        told.note = counters_note(counters);
    } else if (clock_script()) {
        told.note = "its times are made up (SIMDBENCH_TEST_CLOCK)";
    }
    if (timed->call->probe)
        told.ghz = clock_ghz(20000);
    batch_reply_add(reply, &told);
    return reply;
}

cJSON *service_batch(struct service *service, const struct batch_call *call)
{
    struct counters *const counters = service->sampler.counters;
    struct timed timed = {.service = service,
                          .entry = service_find_case(service, call->number),
                          .call = call,
                          .team = service->alive > 1,
                          .company = {.wanted = call->core_share, .adds = INFINITY}};
    struct error error;
    if (!timed.entry || !call->iterations)
        return service_error(-EINVAL, "batch: no such case, or no iterations");
    const int moved = service_move(service, timed.entry, call->copy, &error);
    if (moved < 0)
        return service_error(moved, "batch: %s", error.text);
    company_look(&timed.company);
    if (counters)
        counters_select(counters, (size_t)call->pass % counters_passes(counters));
    const int status = run_timed(&timed);
    if (status < 0)
        return service_error(status, "no memory for the counters of all threads");
    service_rest(service);
    company_look(&timed.company);
    return tell_batch(&timed);
}
