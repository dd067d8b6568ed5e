/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is checked of a machine. doctor.c measures and prints; doctor_checks.c judges, and
 * judges any machine that is put into the struct.
 */
#ifndef SIMDBENCH_DOCTOR_H
#define SIMDBENCH_DOCTOR_H

#include "cmd.h"

struct check {
    char name[24];
    char value[240];
    char why[256];    /* what is wrong with it; empty: it is ok */
    char advice[240]; /* what to type; may be empty */
};

struct checks {
    struct check check[40];
    size_t n;
};

/* What doctor measures beside struct host. */
struct vitals {
    double resolution_ns, cost_ns; /* of the timer */
    double ghz, ghz_imul;          /* clock probe by adds and by multiplies; 0: unknown */
    double stolen_s, watched_s;    /* CPU time taken by others; stolen < 0: not told */
    uint64_t memory_available;     /* bytes; 0: unknown */
    int cpu[CPUS_MAX];             /* that may be used, ascending */
    size_t n_cpu;
};

/* One check for each instruction set of this machine. */
void checks_isas(struct checks *checks);
void checks_host(struct checks *checks, const struct host *host,
                 const struct vitals *vitals);
size_t checks_warnings(const struct checks *checks);
void checks_print(const struct checks *checks, bool colour, FILE *file);
int checks_print_json(const struct checks *checks, FILE *file);

#endif
