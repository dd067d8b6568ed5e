/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that are no processes. A program linked with SCRIPTED_WORKER of
 * tests/meson.build calls these in place of worker_ask() and its kin: each request is
 * answered at once, in made-up numbers. The host is made up too: its CPUs, instruction
 * sets and stolen time.
 */
#pragma once

#include "worker/worker.h"

/* A request as it was asked; "start" and "kill" are not asked, but noted too. */
struct asked {
    char verb[16], worker[24];
    int life;        /* of that worker: 1 is its first process */
    uint64_t kernel; /* its number in the worker: 1000 for each module that was loaded,
                        and its own in that; ANY_KERNEL: of none */
    uint64_t calls, regions; /* of a batch */
    uint64_t bytes;          /* of the operands in "map"; before the answers in "check" */
    uint64_t seed;           /* of "fill" and "change" */
    bool probe, reset;
    uint64_t copy;     /* of a batch, a check */
    uint64_t n, shift; /* of "copies" */
    bool known;        /* what executes was told in "copies" */
    int64_t timeout_ns;
};

/* Befalls the answers to some requests: those `first` to `last` (1: the first; 0: no more
 * than one) that are of this verb, worker (NULL: any) and kernel, if they are of one. */
struct trouble {
    const char *verb, *worker;
    uint64_t kernel;
    int first, last;
    const char *field; /* of the reply: has this number, or if it is 0, is true */
    double number;
    int code; /* that is answered: -ECONNRESET is the death of the worker, -ETIMEDOUT its
                 end by the client; -EINTR: a signal comes, but the answer counts */
    int seen;
};

struct script {
    double loop_ns;              /* what a call of the empty kernel takes */
    double call_ns[16];          /* what a call of kernel k takes: call_ns[k % 16] */
    size_t isas;                 /* the first so many instruction sets are available */
    int64_t now;                 /* clock_now() */
    int64_t stolen;              /* clock ticks so far */
    const char *overhead_counts; /* JSON: what it takes to count, or NULL */
    const char *copies;          /* JSON: what "copies" finds, or NULL: it is refused */
    const char *proofs;          /* JSON: of the events of setup, or NULL */
    const char *description;     /* JSON: of a worker that is asked for one, or NULL */
    struct trouble trouble[4];
    /* May change any reply to a batch; NULL does not. */
    void (*batch)(const struct asked *asked, cJSON *reply);
    struct asked log[8192];
    size_t n_log;
};
extern struct script script;

/* No trouble; calls take 1000 ns each, the loop nothing. */
void script_begin(void);
/* Adds trouble of any worker and kernel; without a field the number is the code. */
struct trouble *script_trouble(const char *verb, int first, int last, const char *field,
                               double number);
/* The n-th request of that kind, from 0, or NULL; worker NULL and kernel ANY_KERNEL: any.
 */
#define ANY_KERNEL UINT64_MAX
const struct asked *script_asked(const char *verb, const char *worker, uint64_t kernel,
                                 size_t n);
/* The number of requests that there were. */
size_t script_count(const char *verb, const char *worker, uint64_t kernel);
/* Changes a number of a reply. */
void script_say(cJSON *reply, const char *name, double number);
