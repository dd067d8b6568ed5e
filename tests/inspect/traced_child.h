/* SPDX-License-Identifier: Apache-2.0 */
/* A child process that calls a function for its tracer. */
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cannot_trace.h"

enum { BUFFER_BYTES = 1 << 20, TURNS = 1000 };

typedef void traced(const void *a, void *b);

static _Alignas(4096) unsigned char buffer[BUFFER_BYTES];

/* It runs before each call. */
static void (*before_call)(const void *of);

/* A child that comes to inspect_call() once it is let. */
struct traced_child {
    pid_t pid;
    int go, done; /* ends of pipes */
};

static inline void be_traced(traced *function, uint64_t turns, int go, int done)
{
    char byte;
    signal(SIGSEGV, SIG_DFL); /* cmocka goes on after one */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(go, &byte, 1) != 1)
        _exit(1);
    const int status = inspect_call(&(struct inspect_calls){.function = function,
                                                            .a = buffer,
                                                            .b = (void *)(uintptr_t)turns,
                                                            .before = before_call,
                                                            .of = buffer},
                                    INSPECT_CALLS);
    byte = (char)-status;
    _exit(write(done, &byte, 1) != 1);
}

/* A trace that takes longer hangs, on any machine. */
#define PATIENCE_NS INT64_C(600000000000)

static inline struct traced_child start(traced *function, uint64_t turns)
{
    struct traced_child child;
    int go[2], done[2];
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(done), 0);
    child.pid = fork();
    assert_true(child.pid >= 0);
    if (child.pid == 0)
        be_traced(function, turns, go[0], done[1]);
    close(go[0]);
    close(done[1]);
    child.go = go[1];
    child.done = done[0];
    return child;
}

/* True if inspect_call() returned 0. */
static inline bool end(const struct traced_child *child)
{
    char byte = 1;
    int status;
    const bool returned = read(child->done, &byte, 1) == 1 && byte == 0;
    kill(child->pid, SIGKILL);
    assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
    close(child->go);
    close(child->done);
    return returned;
}

static inline int trace(traced *function, uint64_t turns,
                        const struct inspect_options *options,
                        struct inspect_census *census, struct error *error)
{
    struct inspect_options patient = *options;
    const struct traced_child child = start(function, turns);
    assert_int_equal(inspect_attach(child.pid, error), 0);
    assert_int_equal(write(child.go, "", 1), 1);
    patient.timeout_ns = options->timeout_ns ?: PATIENCE_NS;
    const int status = inspect_follow(child.pid, &patient, census, error);
    const bool ended = status == 0 || status == -E2BIG;
    /* A trace that failed leaves its child where it stopped. */
    if (!ended)
        kill(child.pid, SIGKILL);
    assert_int_equal(end(&child), ended);
    return status;
}

static inline struct inspect_census census_by(traced *function, uint64_t turns,
                                              const struct inspect_options *options)
{
    struct inspect_census census;
    struct error error = {.text = ""};
    if (trace(function, turns, options, &census, &error) < 0)
        fail_msg("%s", error.text);
    return census;
}

static inline struct inspect_census census_of(traced *function, uint64_t turns,
                                              bool step_all)
{
    return census_by(function, turns,
                     &(struct inspect_options){.step_all = step_all, .whole_only = true});
}

static inline bool has_avx(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx");
}

TESTS_SKIPPED_IF(cannot_trace)
