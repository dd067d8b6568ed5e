/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of a machine. doctor_vitals.c and doctor.c find out; doctor_checks.c,
 * doctor_noise.c and, of baselines, doctor.c judge any machine that is put into the
 * structs; doctor_print.c prints.
 */
#pragma once

#include "cli/cli.h"
#include "costs/costs.h"
#include "worker/worker.h"

struct check {
    char name[32];
    char value[280];
    char costs[256];  /* empty: it is ok */
    char advice[256]; /* a command to type, if it costs something */
};

struct checks {
    struct check check[80];
    size_t n;
};

/* Facts that doctor reads and measures beside struct host. Strings are empty where the
 * system does not tell. */
struct vitals {
    double resolution_ns, cost_ns; /* of the timer */
    double ghz, ghz_imul;          /* clock probe by adds and by multiplies; 0: unknown */
    double core_share;             /* adds a cycle of the best probes; 0: unknown */
    double full_core_share;        /* of a core that nobody shares */
    double lost;                   /* share of those adds that others took */
    size_t probes, core_shared;    /* of the core share; those that others shared */
    double stolen_s, watched_s;    /* CPU time taken by others; stolen < 0: not told */
    uint64_t memory_available;     /* bytes; 0: unknown */
    int cpu[CPUS_MAX];             /* allowed ones, ascending */
    size_t n_cpu;
    int probed_cpu;      /* the CPU of a run, -1: unknown */
    char siblings[64];   /* CPUs of its core */
    char isolated[64];   /* CPUs that the scheduler leaves alone */
    char nohz_full[64];  /* CPUs without a timer tick */
    char preference[32]; /* energy_performance_preference */
    char sources[128];   /* clock sources to choose from */
    double quota;        /* CPUs that the control group may use; 0: no limit */
    bool root;           /* may count whatever the level */
    bool perf_exists;    /* the kernel has perf events */
    int perf_errno;      /* of opening a software event; 0: it opens */
    int seccomp;         /* 2: a filter; -1: not told */
    int rdpmc;           /* 0: counters cannot be read in user space; -1: not told */
    bool same_addresses; /* ASLR is off for this process */
    bool runs_first;     /* priority_may() */
    uint64_t files;      /* limit of those that are open at once */
};

/* A module: --baseline finds it by name, or it is one of simdbench's own and missing. */
struct baseline {
    char name[32];
    bool found, started;
    char version[64], core[64], isa[32];
    char advice[128]; /* type this for a better core */
    char error[256];  /* reason why it did not start */
};

/* Takes the first CPU that no other run measures on, to which a run would go; -1: there
 * is none. */
int doctor_take_cpu(const struct options *options, int *cpu, struct cpu_lock **lock,
                    struct error *error);
/* Reads what lies in files under `root` (as host_read) and what the kernel tells of this
 * process; probed_cpu is set. */
void vitals_read(struct vitals *vitals, const char *root);
/* Watches the CPU that a run would use for a second. */
void vitals_measure(struct vitals *vitals);

/* Adds a check, with its value. */
__attribute__((format(printf, 3, 4))) void
check_add(struct checks *checks, const char *name, const char *format, ...);
/* For the last check, if it is not ok: the costs for measurements, and a remedy. */
void check_costs(struct checks *checks, const char *costs, const char *advice);
/* For strings that the system may have left empty. */
const char *or_not_told(const char *text);

void checks_host(struct checks *checks, const struct host *host,
                 const struct vitals *vitals);
/* Parts of checks_host. */
void checks_clock(struct checks *checks, const struct host *host,
                  const struct vitals *vitals);
void checks_core_share(struct checks *checks, const struct host *host,
                       const struct vitals *vitals);
/* Traces a child through a loop. */
void checks_tracing(struct checks *checks);
/* One check for each instruction set of this machine. */
void checks_isas(struct checks *checks);
void checks_baselines(struct checks *checks, const struct baseline *baseline, size_t n);

/* ---- doctor_proofs.c ---- */

struct event_list {
    size_t n;
    struct event event[EVENTS_MAX];
};
/* The events of all counter groups of that microarchitecture, each once. */
void event_list_groups(const struct uarch *uarch, struct event_list *list);
/* Proves them anew in a worker, and keeps what it found for later runs. */
int proofs_measure(const char *fingerprint, const struct event_list *list,
                   struct proofs *proofs, struct error *error);
void checks_proofs(struct checks *checks, const struct proofs *proofs);
/* The command: an exit status, or a negative errno. */
int doctor_counters(const struct options *options, struct error *error);

/* The number of checks that are ok. */
size_t checks_ok(const struct checks *checks);
void checks_print(const struct checks *checks, bool colour, const struct text_page *page);
/* Makes {"answer": [...], "checks": [...]}. */
void checks_json(const struct checks *checks, struct json *json);

/* ---- doctor_instructions.c ---- */

/* Forms of instructions and what each costs. */
struct instructions {
    struct passport_form *form;
    struct passport *passport;
    size_t n;
};
/* The command: an exit status, or a negative errno. */
int doctor_instructions(const struct options *options, struct error *error);
