/* SPDX-License-Identifier: Apache-2.0 */
/* A function under surgery, and what it executes. */
#pragma once

#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cannot_trace.h"
#include "surgery.h"

/* Functions are called as kernels are. */
typedef void patient_function(const void *a, void *b);
struct patient {
    patient_function *function;
    const void *a;
    void *b;
    bool libc_stays;
    uint64_t *times; /* executions of instructions that open_patient() finds, or NULL */
    size_t room;
};

static inline void call_patient(surgery_function *run, void *context)
{
    const struct patient *patient = context;
    ((patient_function *)run)(patient->a, patient->b);
}

static inline int by_first(const void *a, const void *b)
{
    const struct inspect_line *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Traces one call through `run` in a child. */
static inline void trace_patient(const struct patient *patient, surgery_function *run,
                                 struct inspect_census *census)
{
    const struct inspect_options options = {
        .max_steps = 2000000, .timeout_ns = INT64_C(600000000000), .whole_only = true};
    struct error error = {.text = ""};
    int go[2], status;
    char byte;
    assert_int_equal(pipe(go), 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (read(go[0], &byte, 1) == 1)
            inspect_call(&(struct inspect_calls){.function = (patient_function *)run,
                                                 .a = patient->a,
                                                 .b = patient->b},
                         1);
        for (;;)
            pause();
    }
    assert_int_equal(inspect_attach(child, &error), 0);
    assert_int_equal(write(go[1], "", 1), 1);
    if (inspect_follow(child, &options, census, &error) < 0)
        fail_msg("%s", error.text);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(go[0]);
    close(go[1]);
}

/* 0, or as surgery_open(). */
static inline int open_patient(struct patient *patient, struct surgery **surgery,
                               struct error *error)
{
    struct inspect_census census;
    patient->function(patient->a, patient->b); /* the linker fills its slots */
    trace_patient(patient, (surgery_function *)patient->function, &census);
    qsort(census.line, census.n_lines, sizeof *census.line, by_first);
    /* A trace may begin within the C library. */
    const size_t before = patient->libc_stays;
    const size_t n = census.n_lines + before;
    uint64_t *executed = calloc(n, sizeof *executed);
    assert_non_null(executed);
    if (before)
        executed[0] = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "abort");
    for (size_t i = 0; i < census.n_lines; i++)
        executed[i + before] = census.line[i].address;
    for (size_t i = 0; i < patient->room && i < census.n_lines; i++)
        patient->times[i] = census.line[i].executed;
    const struct surgery_subject subject = {.run = (surgery_function *)patient->function,
                                            .call = call_patient,
                                            .context = patient,
                                            .libc_stays = patient->libc_stays};
    const int status = surgery_open(&subject, executed, n, surgery, error);
    free(executed);
    inspect_census_free(&census);
    return status;
}

/* The share of copies among the instructions of a call. */
static inline double share_of_copies(const struct patient *patient,
                                     struct surgery_variant *variant)
{
    struct inspect_census census;
    struct error error = {.text = ""};
    surgery_function *run = NULL;
    double copied = 0;
    if (surgery_select(variant, &run, &error) < 0)
        fail_msg("%s", error.text);
    trace_patient(patient, run, &census);
    for (size_t i = 0; i < census.n_lines; i++)
        if (surgery_origin(variant, census.line[i].address))
            copied += (double)census.line[i].executed;
    copied /= (double)census.instructions;
    inspect_census_free(&census);
    return copied;
}
