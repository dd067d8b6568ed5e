/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are traced: the first ones of each function, and later ones at random.
 * Between them its breakpoint is taken out, so that a function that is called all the
 * time is not slow for long. */
#include "foreign_private.h"
#include "perfctr.h"

#include <math.h>

enum { CALLS = 5, FIRST_CALLS = 2 };
/* After so many calls since the last trace the breakpoint is out for a while, which is
 * longer each time. */
enum {
    CAPTURED_MAX = 100000,
    REST_CALLS = 1000,
    REST_NS = 2000000,
    REST_MAX_NS = 1000000000
};
/* Instructions of the loader in a call in which it looked up a function. */
enum { BINDING_LEAST = 100 };
#define BINDING_SHARE 0.05
/* So few instructions on vectors and floats are copies that every compiler makes. */
#define FEW 0.01
/* Tracing may take so long in all, unless --time says. */
#define TIME_NS INT64_C(30000000000)

static size_t most_of(const struct foreign *foreign)
{
    return foreign->options->prove.calls ?: CALLS;
}

static void rest(struct foreign *foreign, struct target *target)
{
    target->resting = target->rested = true;
    target->rest_ns = target->rest_ns ? 2 * target->rest_ns : REST_NS;
    if (target->rest_ns > REST_MAX_NS)
        target->rest_ns = REST_MAX_NS;
    target->wake = clock_now() +
                   (int64_t)(random_next(&foreign->random) % (uint64_t)target->rest_ns);
    program_watch_all(foreign->program, target, false);
}

/* Calls are taken one after the other; between such series it runs at full speed. */
static enum program_want want_captured(struct foreign *foreign, struct target *target,
                                       const struct program_call *call)
{
    const bool full = foreign->spent || target->n_captured >= CAPTURED_MAX;
    if (full || target->calls - target->calls_at_trace >= REST_CALLS)
        rest(foreign, target);
    if (full || call->busy)
        return PROGRAM_PASS;
    capture_keep(foreign, target, call);
    return PROGRAM_RESULT;
}

static enum program_want called(void *context, void *watched,
                                const struct program_call *call)
{
    struct foreign *const foreign = context;
    struct target *const target = watched;
    if (target->resolver)
        return PROGRAM_RESULT;
    target->calls++;
    if (foreign->capturing &&
        (target->calls == 1 || target->n_seen || foreign->declaration))
        return want_captured(foreign, target, call);
    if (target->is_main && foreign->n_targets > 1)
        return PROGRAM_PASS;
    if (target->n_seen < most_of(foreign) && !foreign->spent &&
        (target->n_seen < FIRST_CALLS || target->calls >= target->next))
        return PROGRAM_TRACE;
    if (target->calls - target->calls_at_trace >= REST_CALLS)
        rest(foreign, target);
    return PROGRAM_PASS;
}

/* ---- what was seen ---- */

/* A function that is called for the first time is looked up by some hundreds of
 * instructions. The loader also finds variables of threads, by a few. */
static void take_binding(const struct foreign *foreign, const struct target *target,
                         const struct inspect_census *census, struct seen *seen)
{
    double n = 0;
    for (size_t i = 0; i < census->n_lines; i++)
        if (census->line[i].executed &&
            target_in_loader(foreign, census->line[i].address))
            n += (double)census->line[i].executed;
    const bool much = n >= BINDING_LEAST && n >= BINDING_SHARE * seen->instructions;
    seen->binding = !target->file->is_loader && much ? n : 0;
}

static void take_isa(const struct foreign *foreign, const struct program_trace *trace,
                     pid_t process, struct seen *seen)
{
    struct isa_seen isa = {.has = {false}};
    FOR_EACH (const struct inspect_line, line, trace->census.line,
              trace->census.n_lines) {
        unsigned char code[16];
        if (line->executed &&
            !(seen->binding && target_in_loader(foreign, line->address)) &&
            program_read(process, line->address, code, line->length) == line->length)
            isa_see(&isa, code, line->length);
    }
    isa_tell(&isa, seen->isa, sizeof seen->isa);
}

/* A whole call without loops counts as one turn. Spills that were not all seen are not
 * known. */
static void take_loop(const struct inspect_census *census, struct seen *seen)
{
    const struct inspect_loop *const loop = census->n_loops ? &census->loop[0]
                                            : census->whole ? &census->straight
                                                            : NULL;
    seen->loop_share = seen->turn = seen->spills = seen->calls = NAN;
    if (!loop)
        return;
    seen->spills =
        loop->spills_exact || loop->vector_spills > 0 ? loop->vector_spills : NAN;
    seen->spills_exact = loop->spills_exact;
    seen->calls = loop->calls;
    if (!census->n_loops)
        return;
    seen->loop = must_have(strdup(loop->where ?: ""));
    seen->source = copy_text(loop->source);
    seen->loop_share = loop->share;
    seen->turn = loop->instructions;
}

static void entered(void *context, void *watched, uint64_t times)
{
    struct target *const target = watched;
    if (!target->resolver)
        target->calls += times;
}

/* Calls that no breakpoint stopped are in the trace, if it has all that ran. */
static bool misses_calls(const struct foreign *foreign, const struct program_trace *trace)
{
    return !foreign->capturing &&
           (trace->error || !trace->census.whole || !trace->returned || !trace->alone);
}

static void traced(void *context, struct program *program, void *watched,
                   const struct program_call *call, const struct program_trace *trace)
{
    struct foreign *const foreign = context;
    struct target *const target = watched;
    const struct inspect_census *const census = &trace->census;
    foreign->missed |= misses_calls(foreign, trace);
    must_grow(target->seen, target->n_seen);
    struct seen *const seen = &target->seen[target->n_seen++];
    *seen = (struct seen){.call = *call,
                          .whole = census->whole,
                          .returned = trace->returned,
                          .cut = trace->cut,
                          .seconds = trace->seconds,
                          .arguments = trace->arguments};
    target->calls_at_trace = target->calls;
    target->next =
        target->calls + 1 + random_next(&foreign->random) % (4 * target->calls);
    if (trace->error) {
        seen->error = must_have(strdup(trace->error));
        return;
    }
    const double some = census->share_vector + census->share_scalar_float;
    seen->instructions = (double)census->instructions;
    take_binding(foreign, target, census, seen);
    const double own = 1 - seen->binding / seen->instructions;
    seen->bits = some >= FEW * own ? census->main_bits : 0;
    seen->vector = census->share_vector;
    seen->scalar = some > 0 ? census->share_scalar_float / some : 1;
    take_isa(foreign, trace, call->thread, seen);
    take_loop(census, seen);
    /* The vector instructions that remain are those of the loader. */
    if (seen->binding && !strcmp(seen->isa, "scalar")) {
        seen->bits = 0;
        seen->vector = 0;
        seen->scalar = 1;
    }
}

static void returned(void *context, struct program *program, struct program_space *space,
                     void *watched, const struct program_call *call, uint64_t result)
{
    struct target *const target = watched;
    if (target->resolver) {
        targets_chosen(context, space, target, result);
        return;
    }
    must_grow(target->captured, target->n_captured);
    struct captured *const captured = &target->captured[target->n_captured++];
    *captured = (struct captured){.caller = call->caller,
                                  .layout = program_layout(space),
                                  .ns = call->ns,
                                  .stop_ns = call->stop_ns};
    memcpy(captured->argument, call->argument, sizeof captured->argument);
}

/* ---- turns ---- */

static bool wants_more(const struct foreign *foreign, const struct target *target)
{
    return !foreign->spent && (foreign->capturing ? target->n_captured < CAPTURED_MAX
                                                  : target->n_seen < most_of(foreign));
}

static void wake(struct foreign *foreign)
{
    const int64_t time = clock_now();
    EACH_TARGET(foreign, target)
    if (target->resting && wants_more(foreign, target) && time >= target->wake) {
        target->resting = false;
        target->next = 0;
        target->calls_at_trace = target->calls;
        program_watch_all(foreign->program, target, true);
    }
}

static void spend(struct foreign *foreign)
{
    const double most = (double)(foreign->options->time_ns ?: TIME_NS) * 1e-9;
    if (foreign->spent || program_cost(foreign->program).seconds < most)
        return;
    foreign->spent = true;
    EACH_TARGET(foreign, target)
    if (!target->resting) {
        target->resting = target->rested = true;
        program_watch_all(foreign->program, target, false);
    }
}

/* True if every function that was found in an attached process was seen often enough. */
static bool has_enough(const struct foreign *foreign)
{
    bool enough = foreign->n_targets > 0;
    EACH_TARGET(foreign, target)
    enough &= target->resolver || target->n_seen >= most_of(foreign);
    return enough;
}

/* The first signal goes to the program too, unless the terminal sent it to both; with the
 * second one it is left alone. */
static bool is_stopped(struct foreign *foreign)
{
    const int number = interrupted_by;
    if (!number || foreign->options->prove.pid)
        return number != 0;
    if (foreign->signals++)
        return true;
    interrupted_by = 0;
    if (number != SIGINT && number != SIGQUIT)
        program_signal(foreign->program, number);
    return false;
}

static bool stop(void *context, struct program *program)
{
    struct foreign *const foreign = context;
    foreign->program = program;
    if (is_stopped(foreign))
        return true;
    spend(foreign);
    wake(foreign);
    return foreign->until && (clock_now() >= foreign->until ||
                              (!foreign->capturing && has_enough(foreign)));
}

const struct program_owner foreign_owner = {
    .object = targets_find,
    .called = called,
    .traced = traced,
    .entered = entered,
    .returned = returned,
    .stop = stop,
};
